"""Command lines that cannot work: one sentence that names what is wrong, exit code 2, nothing on standard output.

The commands are a table, and each is given every file, folder, revision and record that it cannot take.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from replay import memo as memos
from replay.record import compress, digest_of
from replay.store import Store
from tests.replay.conftest import environment_of, make_record

if TYPE_CHECKING:
    from tests.replay.conftest import Project, Ran

Cli = Callable[..., "Ran"]

# What each command that reads captures is called with; {id} is a record's id, {db} what it is to read.
READERS = {
    "ls": ["ls", "--db", "{db}"],
    "show": ["show", "{id}", "--db", "{db}"],
    "stats": ["stats", "--db", "{db}"],
    "export": ["export", "--db", "{db}"],
    "prune": ["prune", "--filter", "op:ADD", "--db", "{db}"],
    "prune damaged": ["prune", "--damaged", "--db", "{db}"],
    "merge": ["merge", "{db}", "--db", "target.db"],
    "import": ["import", "{db}", "--db", "target.db", "--format", "replay-db"],
    "diff": ["diff", "--since", "HEAD~1", "--db", "{db}"],
    "gate": ["gate", "--since", "HEAD~1", "--db", "{db}"],
    "approve": ["approve", "abcdef", "--reason", "meant", "--since", "HEAD~1", "--db", "{db}"],
    "explain": ["explain", "{id}", "--since", "HEAD~1", "--db", "{db}"],
    "bisect": ["bisect", "{id}", "--good", "HEAD~1", "--db", "{db}"],
    "blame": ["blame", "{id}", "--db", "{db}"],
    "test": ["test", "{id}", "--db", "{db}"],
    "reduce": ["reduce", "{id}", "--since", "HEAD~1", "--db", "{db}"],
}
WRITERS = {
    "merge": ["merge", "captures/a.db", "--db", "{db}"],
    "import": ["import", "captures/a.db", "--db", "{db}"],
    "capture": ["capture", "--db", "{db}", "--", "touch", "ran"],
    "prune": ["prune", "--filter", "op:ADD", "--db", "{db}"],
}
OF_A_REVISION = {
    "diff": ["diff", "--since", "{rev}"],
    "diff until": ["diff", "--since", "HEAD", "--until", "{rev}"],
    "diff aa": ["diff", "--aa", "--until", "{rev}"],
    "gate": ["gate", "--since", "{rev}"],
    "approve": ["approve", "abcdef", "--reason", "meant", "--since", "{rev}"],
    "explain": ["explain", "{id}", "--since", "{rev}"],
    "explain until": ["explain", "{id}", "--since", "HEAD", "--until", "{rev}"],
    "bisect": ["bisect", "{id}", "--good", "{rev}"],
    "bisect bad": ["bisect", "{id}", "--good", "HEAD~2", "--bad", "{rev}"],
    "bisect all": ["bisect", "--all", "--good", "{rev}"],
    "blame": ["blame", "{id}", "--until", "{rev}"],
    "reduce": ["reduce", "{id}", "--since", "{rev}"],
    "reduce until": ["reduce", "{id}", "--since", "HEAD", "--until", "{rev}"],
}
OF_A_RECORD = {name: READERS[name] for name in ("show", "explain", "bisect", "blame", "test", "reduce", "approve")}
DANGEROUS = frozenset("\x1b\x07\u202e\r")


def filled_in(command: list[str], **values: object) -> list[str]:
    return [word.format(**values) if "{" in word else word for word in command]


def check_sentence(ran: Ran, *parts: str, lines: int = 1) -> None:
    """One sentence, or an error of usage, which click puts below two lines of its own."""
    assert (ran.code, ran.out) == (2, ""), ran
    assert "Traceback" not in ran.err
    assert not set(ran.err) & DANGEROUS
    said = ran.err.splitlines()
    if not said[0].startswith("Usage: "):
        assert len(said) <= lines, ran.err
        assert all(line.startswith("replay: ") for line in said)
    for part in parts:
        assert part in ran.err


@pytest.fixture
def changed(project: Project) -> Project:
    """Three records, and a commit that changes one of them."""
    project.capture("1 2 ADD", "3 4 MUL", "5 NEG")
    project.commit("captures")
    project.edit("{} + {}", "{}+{}")
    project.commit("another rule")
    return project


def first_record(project: Project) -> str:
    with Store.open_readonly(project.root / "captures" / "a.db") as store:
        return next(entry.digest for entry in store.entries())  # type: ignore[union-attr]


# -- databases --------------------------------------------------------------------------------------------------------


def bad_databases(folder: Path, whole: bytes) -> dict[str, str]:
    """Files and folders that hold no captures, with the words that have to be said of each."""
    folder.mkdir()
    (folder / "empty.db").touch()
    (folder / "text.db").write_text("important notes, and no captures\n" * 100)
    (folder / "short.db").write_bytes(b"SQLite format 3\0")
    (folder / "folder.db").mkdir()
    (folder / "loop.db").symlink_to("loop.db")
    (folder / "cut.db").write_bytes(whole[: len(whole) // 2])
    with closing(sqlite3.connect(folder / "foreign.db")) as connection:
        connection.execute("create table records (digest text)")
        connection.commit()
    (folder / "newer.db").write_bytes(whole)
    with closing(sqlite3.connect(folder / "newer.db")) as connection:
        connection.execute("update _sqlite_migrations set name = '99'")
        connection.commit()
    return {
        "missing.db": "there is no such file",
        "no/folder/x.db": "there is no such file",
        "empty.db/x.db": "there is no such file",
        "loop.db": "there is no such file",
        "empty.db": "the file is empty",
        "text.db": "not a SQLite database",
        "short.db": "not a SQLite database",
        "folder.db": "director",
        "cut.db": "damaged or truncated",
        "foreign.db": "of another program",
        "newer.db": "written by a newer process-replay (layout 99)",
    }


@pytest.mark.parametrize("name", READERS)
def test_what_is_no_database_of_captures_is_named_and_left_alone(
    changed: Project, cli: Cli, tmp_path: Path, name: str
) -> None:
    bad = tmp_path / "bad"
    expected = bad_databases(bad, (changed.root / "captures" / "a.db").read_bytes())
    before = {path: path.read_bytes() for path in bad.iterdir() if path.is_file()}
    record = first_record(changed)
    for file, words in expected.items():
        command = filled_in(READERS[name], id=record, db=bad / file)
        ran = cli(*command)
        if name == "import" and ran.out:  # counts what was refused, too
            assert ran.out.startswith("0 imported into ")
            ran = type(ran)(ran.code, "", ran.err)
        words = "folder" if file == "folder.db" and name not in ("merge", "prune", "prune damaged") else words
        # the commands that look for a record go on to say that they have not found it
        check_sentence(ran, str(bad / file), words, lines=2)
    assert {path: path.read_bytes() for path in bad.iterdir() if path.is_file()} == before


@pytest.mark.parametrize("name", WRITERS)
def test_what_is_no_database_of_captures_is_not_written_to(
    changed: Project, cli: Cli, tmp_path: Path, name: str
) -> None:
    bad = tmp_path / "bad"
    expected = bad_databases(bad, (changed.root / "captures" / "a.db").read_bytes())
    before = {path: path.read_bytes() for path in bad.iterdir() if path.is_file()}
    for file in expected:
        if name != "prune" and file in ("missing.db", "empty.db", "no/folder/x.db"):
            continue  # these are made, or filled
        check_sentence(cli(*filled_in(WRITERS[name], db=bad / file)), str(bad / file).removesuffix("/x.db"))
    assert {path: path.read_bytes() for path in bad.iterdir() if path.is_file()} == before
    assert not (changed.root / "ran").exists()  # the command was never started


def test_a_database_without_records(changed: Project, cli: Cli) -> None:
    with Store.open(changed.root / "none.db"):
        pass
    record = first_record(changed)
    for name, command in READERS.items():
        ran = cli(*filled_in(command, id=record, db="none.db"))
        if name in ("stats", "merge"):  # which count it
            assert ran.code == 0
            assert " 0" in ran.out
        else:
            check_sentence(ran, "no" if name != "import" else "nothing in it to import")


def test_no_captures_at_all(project: Project, cli: Cli) -> None:
    for name, command in READERS.items():
        if name not in ("prune", "prune damaged", "merge", "import"):
            ran = cli(*filled_in(command[:-2], id="27894dbb"))
            check_sentence(ran, "no captures: neither ", "captures/*.db", "see `replay capture`")


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for half a minute for a lock here."""
    for opener in (Store.open, Store.open_readonly):
        monkeypatch.setitem(opener.__func__.__kwdefaults__, "timeout", 0.02)  # type: ignore[attr-defined]
    monkeypatch.setattr(memos, "BUSY_SECONDS", 0.02)


@pytest.fixture
def lock() -> Iterator[Callable[[Path], None]]:
    """Hold a database as another process might."""
    held = []

    def take(path: Path) -> None:
        connection = sqlite3.connect(path, isolation_level=None)
        held.append(connection)
        connection.execute("begin exclusive")

    yield take
    for connection in held:
        connection.close()


def test_a_locked_database_is_named_and_loses_nothing(
    changed: Project, cli: Cli, impatient: None, lock: Callable[[Path], None]
) -> None:
    file, record = changed.root / "captures" / "a.db", first_record(changed)
    before = file.read_bytes()
    shutil.copy(file, changed.root / "other.db")
    lock(file)
    for name, command in READERS.items():
        ran = cli(*filled_in(command, id=record, db=file))
        ran = type(ran)(ran.code, "" if name == "import" else ran.out, ran.err)
        check_sentence(ran, f"{file}: the database is locked by another process; try again", lines=2)
    for name in ("merge", "import"):
        check_sentence(cli(name, "other.db", "--db", str(file)), "locked by another process")
    check_sentence(cli("capture", "--db", str(file), "--", "touch", "ran"), "locked by another process")
    assert not (changed.root / "ran").exists()
    assert file.read_bytes() == before


def test_a_locked_memo_is_named(changed: Project, cli: Cli, impatient: None, lock: Callable[[Path], None]) -> None:
    record = first_record(changed)
    assert cli("diff", "--since", "HEAD~1").code == 1
    memo = changed.root / ".replay" / memos.FILE
    lock(memo)
    for name in ("diff", "gate", "approve", "bisect", "blame"):
        ran = cli(*filled_in(READERS[name][:-2], id=record))
        check_sentence(ran, f"{memo}: the database is locked by another process")


# -- hostile records --------------------------------------------------------------------------------------------------

HOSTILE = "\x1b[2J\x07\u202e<script>alert(1)</script>'; drop table records; --"


def store_raw(file: Path, data: bytes, blob: bytes | None = None, digest: str | None = None) -> str:
    """Put bytes into a database behind the back of the checks, as the record of another program's making."""
    digest = digest or digest_of(data)
    with closing(sqlite3.connect(file)) as connection:
        (source,) = connection.execute("select digest from sources").fetchone()
        connection.execute(
            "insert into records values (?, 1, 'core', 'E_3', 'c', 3, ?, '')", [digest, blob or compress(data)]
        )
        connection.execute(
            "insert into observations (record, src, source, test, version, name, global_size, local_size, vars,"
            " estimates, count, first, last) values (?, ?, 'x', '', '', 'E_3', 'null', 'null', '[]', '{}', 1, '', '')",
            [digest, source],
        )
        connection.commit()
    return digest


def inputs(**changes: object) -> bytes:
    record = make_record()
    fields = ("schema", "compiler", "ast", "opts", "applied_opts", "name", "context")
    return msgspec.msgpack.encode({field: record[field] for field in fields} | changes)


UNREADABLE = {
    "a bomb": (b"", compress(b"\0" * (64 << 20)), "unpacks to 67108864 bytes, more than the 4194304 allowed"),
    "no zstd": (b"", b"\0\1\2", "not valid zstd data"),
    "a newer layout": (inputs(schema=99), None, "schema: layout 99 is newer than 1"),
    "nesting": (b"\x91" * 1_000_000 + b"\x90", None, "not a readable record"),
    "a nested arg": (inputs(ast=[["A", "int", [], json.loads("[" * 40 + "]" * 40)]]), None, "ast[0].arg: nested deep"),
    "a huge row number": (inputs(ast=[["A", "int", [1 << 63], None]]), None, "ast[0].src: refers to a row"),
    "no UTF-8": (b"\x81\xa6schema\xa2\xff\xfe", None, "not a readable record"),
    "an unknown field": (inputs(**{HOSTILE: 1}), None, "unknown field"),
    "another compiler": (inputs(compiler=HOSTILE), None, "compiler: there is no adapter for "),
    "no mapping": (msgspec.msgpack.encode([1]), None, "not a record: expected a mapping"),
}


@pytest.mark.parametrize("kind", UNREADABLE)
def test_a_record_that_cannot_be_read_is_named_and_costs_no_other(changed: Project, cli: Cli, kind: str) -> None:
    data, blob, words = UNREADABLE[kind]
    digest = store_raw(changed.root / "captures" / "a.db", data, blob)
    for name in ("ls", "export", "show"):
        ran = cli(*filled_in(READERS[name][:-2], id=digest))
        assert ran.code == (0 if kind == "another compiler" and name == "show" else 2)
        assert len(ran.out.splitlines()) == 3 or name == "show"
        if ran.code:
            check_sentence(type(ran)(ran.code, "", ran.err), f"record {digest}: ", words)
    merged = cli("merge", "captures/a.db", "--db", "target.db")
    if kind != "another compiler":
        assert merged.code == 2
        assert words in merged.err
        assert merged.out == "captures/a.db: 3 captures, 3 records of them new\n"
    compared = json.loads(cli("diff", "--since", "HEAD~1", "--backend", "c", "--format", "json").out)
    assert compared["records"] == 4
    assert [one["record"] for one in compared["results"] if one["outcome"] == "missing"] == [digest]
    assert cli("prune", "--damaged", "--db", "captures/a.db").code == 0
    assert cli("ls").code == 0


def test_a_record_under_the_digest_of_another(changed: Project, cli: Cli) -> None:
    digest = store_raw(changed.root / "captures" / "a.db", inputs(name="E_9"), digest="0" * 32)
    check_sentence(cli("show", digest), f"record {digest}: digest: the content does not match")


@pytest.mark.parametrize(
    ("sql", "commands"),
    [
        ("update observations set count = 'many'", ["show", "stats", "merge"]),
        ("update observations set count = x'00'", ["show", "merge"]),
        ("update observations set count = 9e999", ["show", "stats", "merge", "capture"]),
        ("update observations set source = x'ff00'", ["show", "merge"]),
        ("update observations set global_size = '[\"\\ud800\"]'", ["show", "merge", "import"]),
        ("update observations set vars = '[['", ["show", "merge"]),
        ("update sources set blob = 'text'", ["show", "merge"]),
        ("update records set backend = x'ff'", ["stats", "capture"]),
        ("insert into capture_errors values ('k', 'm', 'many', '')", ["stats", "capture"]),
        ("insert into capture_errors values (x'ff', 'm', 1, '')", ["stats"]),
        ("drop table sources", ["show", "stats", "merge", "capture"]),
        ("alter table records rename column blob to blub", ["ls", "show", "export", "diff"]),
    ],
)  # fmt: skip
def test_columns_that_hold_something_else_are_a_sentence(
    changed: Project, cli: Cli, sql: str, commands: list[str]
) -> None:
    file, record = changed.root / "captures" / "a.db", first_record(changed)
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(sql)
        connection.commit()
    before = file.read_bytes()
    for name in commands:
        ran = cli(*filled_in(WRITERS["capture"] if name == "capture" else READERS[name], id=record, db=file))
        assert ran.code == 2
        assert f"{file}: " in ran.err
        assert file.read_bytes() == before or name == "capture"  # which writes, or would


def test_what_a_record_says_is_shown_harmless_by_every_command(changed: Project, cli: Cli) -> None:
    path = "captures/hostile.db"
    changed.capture(
        "1 2 ADD", path=path, name=HOSTILE, src=HOSTILE, context={HOSTILE: HOSTILE}, applied_opts=[[HOSTILE, 0, 4]],
        provenance={"source": HOSTILE, "test": HOSTILE},
    )  # fmt: skip
    with Store.open_readonly(changed.root / path) as store:
        (digest,) = [entry.digest for entry in store.entries()]  # type: ignore[union-attr]
    said = []
    for name, command in READERS.items():
        if name not in ("prune", "prune damaged"):
            said.append(cli(*filled_in(command, id=digest, db=path)))
    said += [cli("export", "--format", "uop-text", "--db", path), cli("stats", "--json", "--db", path)]
    said += [cli("diff", "--since", "HEAD~1", "--db", path, "--format", kind) for kind in ("json", "markdown", "junit")]
    for ran in said:
        assert ran.code in (0, 1, 2)
        assert not set(ran.out + ran.err) & DANGEROUS, ran
    page = cli("diff", "--since", "HEAD~1", "--db", path, "--format", "html")
    assert page.code == 1
    assert "<script>alert" not in page.out
    assert "<script>alert" not in said[-1].out
    assert len(list(Store.open_readonly(changed.root / "captures" / "a.db").entries())) == 3


# -- revisions, records, folders --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", OF_A_REVISION)
def test_a_revision_that_does_not_exist(changed: Project, cli: Cli, name: str) -> None:
    record = first_record(changed)
    for revision, words in {
        "nowhere": "unknown revision 'nowhere' in ",
        "0" * 40: "unknown revision '0000",
        "HEAD~99": "unknown revision 'HEAD~99' in ",
        "a b": "unknown revision 'a b' in ",
        "\x1b[2J": "unknown revision '\\x1b[2J' in ",
        "HEAD:core": "unknown revision 'HEAD:core'",
        "HEAD^{tree}": "HEAD^{tree}",
        "--all": "--all",
    }.items():
        check_sentence(cli(*filled_in(OF_A_REVISION[name], id=record, rev=revision)), words)


@pytest.mark.parametrize("name", [name for name in OF_A_REVISION if name not in ("blame", "bisect all")])
def test_a_revision_that_does_not_import(changed: Project, cli: Cli, name: str) -> None:
    record = first_record(changed)
    changed.edit("UPCAST = 4", "UPCAST = (")
    changed.commit("broken")
    changed.edit("UPCAST = (", "UPCAST = 4")
    changed.commit("mended")
    ran = cli(*filled_in(OF_A_REVISION[name], id=record, rev="HEAD~1"))
    check_sentence(ran, "does not import: SyntaxError: '(' was never closed (at core/rules.py:10)")
    assert "HEAD~1" in ran.err or changed.git("rev-parse", "HEAD~1")[:12] in ran.err


@pytest.mark.parametrize("name", OF_A_RECORD)
def test_a_record_that_does_not_exist(changed: Project, cli: Cli, name: str) -> None:
    for wanted in ("ffffffff", "E_99", "\x1b[2J", "*", "' or 1=1 --"):
        command = [wanted if word in ("{id}", "abcdef") else word for word in OF_A_RECORD[name][:-2]]
        check_sentence(cli(*command), repr(wanted))


def test_an_approval_of_nothing_in_particular_is_refused(changed: Project, cli: Cli) -> None:
    """An empty name is the beginning of every cluster: with just one, it would be approved unseen."""
    assert cli("diff", "--since", "HEAD~1").code == 1
    check_sentence(cli("approve", "", "--reason", "meant", "--since", "HEAD~1"), "CLUSTER is empty")
    assert not (changed.root / "captures" / "approvals.toml").exists()


def test_what_is_no_git_repository(changed: Project, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record = first_record(changed)
    plain = tmp_path / "plain"
    plain.mkdir()
    shutil.copy(changed.root / "captures" / "a.db", plain / "a.db")
    monkeypatch.chdir(plain)
    for name in ("ls", "show", "stats", "export"):  # they need none
        assert cli(*filled_in(READERS[name], id=record, db="a.db")).code == 0
    for name in ("diff", "gate", "approve", "explain", "bisect", "blame", "test", "reduce"):
        ran = cli(*filled_in(READERS[name], id=record, db="a.db"))
        check_sentence(ran, f"{plain}: no git repository can be used here")


def test_a_current_folder_that_was_removed(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    for arguments in (["ls"], ["stats"], ["init"], ["diff", "--since", "HEAD"]):
        check_sentence(cli(*arguments), "the current folder is not there any more")
    monkeypatch.chdir(tmp_path)


# Root may write everywhere; without these capabilities it is held to the permissions as anybody is.
CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, PR_CAPBSET_DROP = 1, 2, 24


def as_anybody() -> None:
    if os.geteuid() == 0:
        for capability in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH):
            ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)


@pytest.mark.skipif(sys.platform != "linux", reason="capabilities are Linux's")
def test_a_folder_that_cannot_be_written_to(changed: Project, tmp_path: Path) -> None:
    """Reading works, and what has to write says where it could not; all in one process that may write nowhere."""
    record = first_record(changed)
    shutil.copy(changed.root / "captures" / "a.db", tmp_path / "other.db")
    commands = {
        "ls": ["ls"], "show": ["show", record], "stats": ["stats"], "export": ["export"],
        "prune": ["prune", "--db", "captures/a.db", "--filter", "op:ADD"],
        "merge": ["merge", str(tmp_path / "other.db"), "--db", "captures/a.db"],
        "merge into a new file": ["merge", "captures/a.db", "--db", "new.db"],
        "import": ["import", "captures/a.db", "--db", "new.db"],
        "capture": ["capture", "--db", "new.db", "--", "true"],
        "capture at home": ["capture", "--", "true"],
        "output": ["export", "--output", "new.jsonl"],
        "init": ["init"],
        **{name: filled_in(READERS[name][:-2], id=record)
           for name in ("diff", "gate", "approve", "explain", "bisect", "blame", "test", "reduce")},
    }  # fmt: skip
    script = """
import contextlib, io, json, sys
from replay.cli import main
for name, command in json.load(sys.stdin).items():
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as said:
        try:
            main(command)
        except SystemExit as error:
            code = error.code
    print(json.dumps([name, code, said.getvalue()]))
"""
    paths = [changed.root, *changed.root.rglob("*")]
    modes = {path: path.stat().st_mode for path in paths}
    for path in paths:
        path.chmod(modes[path] & 0o555)
    try:
        done = subprocess.run(
            [sys.executable, "-c", script], cwd=changed.root, env=environment_of(), input=json.dumps(commands),
            capture_output=True, text=True, preexec_fn=as_anybody, check=True,
        )  # fmt: skip
    finally:
        for path, mode in modes.items():
            path.chmod(mode)
    assert sorted(path for path in changed.root.rglob("*")) == sorted(paths[1:])
    ran = {name: (code, said) for name, code, said in map(json.loads, done.stdout.splitlines())}
    assert ran.keys() == commands.keys()
    for name, (code, said) in ran.items():
        if name in ("ls", "show", "stats", "export"):
            assert (code, said) == (0, "")
            continue
        assert code == 2
        assert said.startswith("replay: ")
        assert said.count("\n") == 1, said
        place = {"prune": "captures/a.db", "merge": "captures/a.db", "output": "--output new.jsonl",
                 "init": "pyproject.toml: Permission denied"}.get(name, ".replay: " if "new.db" not in commands[name]
                 else "new.db: ")  # fmt: skip
        assert place in said
    assert "PROCESS_REPLAY_CACHE can name another folder" in ran["diff"][1]


# -- outputs ----------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_outputs_on_a_full_disk(changed: Project, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    full = "/dev/full"
    check_sentence(cli("export", "--output", full), "--output /dev/full: No space left on device")
    check_sentence(cli("diff", "--since", "HEAD~1", "--output", full), "--output /dev/full: No space left on device")
    check_sentence(cli("gate", "--since", "HEAD~1", "--reports", full), "--reports /dev/full: ")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", full)
    ran = cli("gate", "--since", "HEAD~1")
    assert (ran.code, ran.err) == (2, "replay: /dev/full: No space left on device\n")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_a_standard_output_that_takes_nothing(changed: Project) -> None:
    for arguments in (["ls"], ["diff", "--since", "HEAD~1", "--format", "json"]):
        with open("/dev/full", "w") as full:
            done = subprocess.run(
                [sys.executable, "-P", "-m", "replay", *arguments], cwd=changed.root, env=environment_of(),
                stdout=full, stderr=subprocess.PIPE, text=True,
            )  # fmt: skip
        assert (done.returncode, done.stderr) == (2, "replay: standard output: No space left on device\n")


def test_an_output_that_is_ascii_only(changed: Project) -> None:
    for kind, words in (("text", "return (1+2);"), ("markdown", "\\U0001f536"), ("html", "<!doctype html>")):
        done = subprocess.run(
            [sys.executable, "-P", "-m", "replay", "diff", "--since", "HEAD~1", "--format", kind],
            cwd=changed.root,
            env=environment_of(PYTHONIOENCODING="ascii"),
            capture_output=True,
        )
        assert (done.returncode, done.stderr) == (1, b"")
        assert words in done.stdout.decode("ascii")


def test_a_file_with_the_name_that_means_no_file_to_sqlite(changed: Project, cli: Cli) -> None:
    assert cli("merge", "captures/a.db", "--db", ":memory:").code == 0
    assert len(cli("ls", "--db", ":memory:").out.splitlines()) == 3


def test_an_approval_that_cannot_be_written_is_not_announced(changed: Project, cli: Cli) -> None:
    cluster = json.loads(cli("diff", "--since", "HEAD~1", "--format", "json").out)["clusters"][0]["id"]
    (changed.root / "captures" / "approvals.toml.new").mkdir()  # what it is written to first
    ran = cli("approve", cluster, "--reason", "meant", "--since", "HEAD~1")
    check_sentence(ran, "captures/approvals.toml: Is a directory")


# -- init and capture -------------------------------------------------------------------------------------------------


def test_init_where_it_cannot_write(project: Project, cli: Cli) -> None:
    file = project.root / "pyproject.toml"
    file.mkdir()
    check_sentence(cli("init"), f"{file}: Is a directory")
    file.rmdir()
    file.write_bytes(b"\xff\xfe\x1b[2J")
    for arguments in (["init"], ["ls"], ["doctor"]):  # the defaults stand there, so that no command can go on
        check_sentence(cli(*arguments), f"{file}: not TOML")
    assert file.read_bytes() == b"\xff\xfe\x1b[2J"
    file.unlink()
    (project.root / ".github").write_text("a file")
    ran = cli("init")
    assert ran.code == 2
    assert ".github/workflows/replay.yml: " in ran.err


def test_capture_of_what_cannot_be_run(project: Project, cli: Cli) -> None:
    for command in ("no-such-program", str(project.root)):
        check_sentence(cli("capture", "--", command), f"{command}: cannot be run: ")


def test_doctor_without_a_compiler_that_knows_its_backends(command: Cli, tmp_path: Path) -> None:
    ran = command("doctor", cwd=tmp_path)
    check_sentence(ran, "backend_status")
