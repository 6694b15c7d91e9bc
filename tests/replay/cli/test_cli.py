"""The command line: what each command prints, and how it ends."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from replay.errors import StoreError
from replay.store import Store
from tests.replay.conftest import run_process

if TYPE_CHECKING:
    from tests.replay.conftest import Project, Ran

Cli = Callable[..., "Ran"]

PROGRAM = """
import sys
from core.process_replay import capture_kernel, make_record
for n in range(int(sys.argv[1])):
    capture_kernel(make_record([["CONST", "int", [], ["int", n]]], "E_1", source="prog.py"))
sys.exit(int(sys.argv[2]))
"""


# -- help and usage ---------------------------------------------------------------------------------------------------


def test_every_command_has_help(cli: Cli) -> None:
    top = cli("--help")
    assert top.code == 0
    for name in ("capture", "import", "ls", "show", "stats", "diff", "demo"):
        assert f"\n  {name} " in top.out
        assert cli(name, "--help").code == 0


@pytest.mark.parametrize(
    "arguments",
    [["nonsense"], ["diff"], ["diff", "--since"], ["diff", "--since", "HEAD", "--mode", "odd"], ["capture"], ["show"],
     ["ls", "--limit", "0"], ["diff", "--since", "HEAD", "--jobs", "0"], ["import"]],
)  # fmt: skip
def test_bad_usage_is_2(cli: Cli, arguments: list[str]) -> None:
    ran = cli(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert "Error: " in ran.err


def test_the_program_can_be_run_as_a_module(command: Cli, tmp_path: Path) -> None:
    assert command("--help", cwd=tmp_path).out.startswith("Usage: replay")


def test_a_reader_that_goes_away(project: Project) -> None:
    project.capture(*(f"{number} NEG" for number in range(3000)))
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])}
    program = subprocess.Popen(
        [sys.executable, "-P", "-m", "replay", "ls"], cwd=project.root, env=environment, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )  # fmt: skip
    assert program.stdout is not None
    program.stdout.readline()
    program.stdout.close()
    assert program.stderr is not None
    assert program.stderr.read() == b""
    program.stderr.close()
    assert program.wait() == 2


# -- capture ----------------------------------------------------------------------------------------------------------


def test_capture(command: Cli, tmp_path: Path) -> None:
    program = tmp_path / "prog.py"
    program.write_text(PROGRAM)
    first = command("capture", "--db", "a.db", "--", sys.executable, "-P", "prog.py", "5", "0", cwd=tmp_path)
    assert (first.code, first.out) == (0, "")
    assert f"5 kernels were captured into {tmp_path}/a.db, 5 of them new" in first.err
    again = command("capture", "--db", "a.db", sys.executable, "-P", "prog.py", "7", "3", cwd=tmp_path)
    assert again.code == 3
    assert "7 kernels were captured" in again.err
    assert "2 of them new" in again.err


def test_capture_passes_on_how_the_command_ended(command: Cli, tmp_path: Path) -> None:
    assert command("capture", "--", "sh", "-c", "exit 42", cwd=tmp_path).code == 42
    killed = command("capture", "--", "sh", "-c", "kill -TERM $$", cwd=tmp_path)
    assert killed.code == 128 + 15
    assert "nothing was captured" in killed.err
    missing = command("capture", "--", "no-such-command", cwd=tmp_path)
    assert (missing.code, missing.err) == (2, "replay: no-such-command: cannot be run: No such file or directory\n")


def test_capture_shows_the_command_no_other_package(command: Cli, tmp_path: Path) -> None:
    """The harness is found by a program of any environment, and brings nothing else with it."""
    script = "import sys, pathlib; print([p for p in sys.path if 'sink' in p][0])"
    ran = command("capture", "--", sys.executable, "-P", "-c", script, cwd=tmp_path)
    folder = Path(ran.out.strip())
    assert os.listdir(folder) == ["replay"]
    assert (folder / "replay" / "capture.py").is_file()


def test_capture_refuses_a_foreign_file_before_it_runs_the_command(command: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.db").write_text("important notes, not captures " * 50)
    ran = command("capture", "--db", "a.db", "--", "touch", "ran", cwd=tmp_path)
    assert ran.code == 2
    assert "a.db: not a SQLite database" in ran.err
    assert not (tmp_path / "ran").exists()


def test_capture_says_what_went_wrong(command: Cli, tmp_path: Path) -> None:
    script = "from core.process_replay import capture_kernel; capture_kernel({'schema': 1})"
    ran = command("capture", "--db", "a.db", "--", sys.executable, "-P", "-c", script, cwd=tmp_path)
    assert ran.code == 0
    assert "1 kernels could not be captured; `replay stats --db" in ran.err


# -- import -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("packed", [False, True])
def test_import_text(command: Cli, tmp_path: Path, packed: bool) -> None:
    lines = b"1 2 ADD\n\n3 4 MUL\nADD\n1 FROB\n\xff\xfe\nRAISE\n1 NEG\n"
    source = tmp_path / ("asts.txt.gz" if packed else "asts.txt")
    source.write_bytes(gzip.compress(lines) if packed else lines)
    ran = command("import", source.name, "--db", "a.db", cwd=tmp_path)
    assert ran.code == 2
    assert ran.out == f"4 imported into {tmp_path}/a.db, 4 of them new; 3 refused\n"
    assert ran.err.splitlines() == [
        f"replay: {source.name}:4: ParseError: ADD needs 2 operands",
        f"replay: {source.name}:5: ParseError: unknown op FROB",
        f"replay: {source.name}:6: not valid UTF-8 (byte 0)",
    ]
    listed = command("ls", "--db", "a.db", "--jsonl", cwd=tmp_path)
    provenance = sorted(json.loads(line)["provenance"][0] for line in listed.out.splitlines())
    assert provenance == [f"{source.name}:{number}" for number in (1, 3, 7, 8)]
    assert os.listdir(tmp_path).count("a.db-wal") == 0


def test_import_options(command: Cli, tmp_path: Path) -> None:
    (tmp_path / "asts.txt").write_text("1 NEG\n2 NEG\n3 NEG\n")
    ran = command("import", "asts.txt", "--db", "a.db", "--backend", "llvm", "--limit", "2", cwd=tmp_path)
    assert (ran.code, ran.err) == (0, "")
    assert "2 imported" in ran.out
    assert '"backend": "llvm"' in command("ls", "--db", "a.db", "--jsonl", cwd=tmp_path).out


def test_import_a_database(project: Project, cli: Cli) -> None:
    project.capture("1 2 ADD", "3 4 MUL", path="captures/a.db")
    project.capture("3 4 MUL", "5 NEG", path="captures/b.db")
    ran = cli("import", "captures/b.db", "--db", "captures/a.db")
    assert (ran.code, ran.err) == (0, "")
    assert "2 imported" in ran.out
    assert "1 of them new" in ran.out
    merged = [json.loads(line) for line in cli("ls", "--db", "captures/a.db", "--jsonl").out.splitlines()]
    assert len(merged) == 3
    assert ["asts.txt:1", "asts.txt:2"] in [sorted(kernel["provenance"]) for kernel in merged]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "No such file"),
        (b"", "there is nothing in it to import"),
        (b"\x1f\x8b\x08\x00cut short", "asts.txt: "),
        (b"SQLite format 3\0" + b"x" * 100, "not a SQLite database"),
        (b"x" * ((8 << 20) + 1), "asts.txt:1: the line is longer"),
    ],
)
def test_import_of_a_source_that_cannot_be_read(
    command: Cli, tmp_path: Path, content: bytes | None, message: str
) -> None:
    if content is not None:
        (tmp_path / "asts.txt").write_bytes(content)
    ran = command("import", "asts.txt", "--db", "a.db", cwd=tmp_path)
    assert ran.code == 2
    assert message in ran.err
    assert "asts.txt" in ran.err


def test_import_into_itself(project: Project, cli: Cli) -> None:
    project.capture("1 2 ADD")
    ran = cli("import", "captures/a.db", "--db", "captures/a.db")
    assert ran.code == 2
    assert "are the same file" in ran.err


# -- ls, show, stats --------------------------------------------------------------------------------------------------


def test_ls(project: Project, cli: Cli) -> None:
    project.capture("1 2 ADD", "3 4 MUL", "5 NEG")
    lines = cli("ls").out.splitlines()
    assert len(lines) == 3
    assert lines == sorted(lines)
    assert cli("ls", "--limit", "2").out.splitlines() == lines[:2]
    (only,) = cli("ls", "--filter", "op:NEG", "--jsonl").out.splitlines()
    assert json.loads(only) == {
        "record": json.loads(only)["record"], "name": "E_2", "backend": "c", "nodes": 2,
        "applied_opts": [["UPCAST", 0, 4]], "provenance": ["asts.txt:3"],
    }  # fmt: skip
    nothing = cli("ls", "--filter", "nothing")
    assert (nothing.code, nothing.out) == (2, "")
    assert cli("ls", "--db", "missing.db").err == "replay: missing.db: there is no such file or folder\n"


def test_local_captures_are_found_too(project: Project, cli: Cli) -> None:
    project.capture("1 2 ADD")
    project.capture("3 4 MUL", path=".replay/captures.db")
    assert len(cli("ls").out.splitlines()) == 2
    assert len(cli("ls", "--db", "captures").out.splitlines()) == 1


def test_show(project: Project, command: Cli) -> None:
    project.capture("1 2 ADD", "5 NEG")
    record = next(
        json.loads(line)["record"]
        for line in command("ls", "--jsonl", cwd=project.root).out.splitlines()
        if "E_3" in line
    )
    for wanted in (record, record[:6], "E_3"):
        ran = command("show", wanted, cwd=project.root)
        assert (ran.code, ran.err) == (0, "")
        for part in (record, "E_3", '{"backend":"c"}', '[["UPCAST",0,4]]', '{"NOOPT":0}', "asts.txt:1",
                     "CONST1 CONST2 ADD", "int E_3(void) { /* 1 2 ADD */ }"):  # fmt: skip
            assert part in ran.out
    missing = command("show", "zzzz", cwd=project.root)
    assert (missing.code, missing.err) == (2, "replay: no record has the name 'zzzz', or an id that starts so\n")


def test_show_lists_what_an_ambiguous_id_means(project: Project, cli: Cli) -> None:
    project.capture("1 2 ADD", "3 4 MUL")
    ran = cli("show", "E_3")
    assert ran.code == 2
    assert "'E_3' means 2 records: " in ran.err


def test_show_falls_back_to_rows(project: Project, command: Cli) -> None:
    project.capture("1 2 ADD", ast=[["CONST", "int", [], None]])
    ran = command("show", "E_3", cwd=project.root)
    assert '   0 ["CONST","int",[],null]' not in ran.out
    project.edit("def format_ast(", "def format_ast_renamed(", "core/process_replay.py")
    environment = {"PYTHONPATH": f"{project.root}{os.pathsep}{Path(__file__).parents[3]}"}
    ran = command("show", "E_3", cwd=project.root, **environment)
    assert ran.code == 0
    assert '   0 ["CONST","int",[],null]' in ran.out
    assert "the AST is shown as rows" in ran.err


HOSTILE = "E_\x1b[2J\x07\u202e[bold]"


def test_hostile_names_and_sources_are_shown_harmless(project: Project, cli: Cli) -> None:
    project.capture(
        "1 NEG", name=HOSTILE, src=f"{HOSTILE}\n{HOSTILE}", provenance={"source": HOSTILE, "test": HOSTILE},
        context={HOSTILE: HOSTILE}, opts={"backend": HOSTILE}, ast=[[HOSTILE, HOSTILE, [], HOSTILE]],
    )  # fmt: skip
    for arguments in (("ls",), ("stats",), ("show", HOSTILE), ("ls", "--jsonl"), ("stats", "--json")):
        ran = cli(*arguments)
        assert ran.code == 0
        assert not set(ran.out + ran.err) & {"\x1b", "\x07", "\u202e"}


def test_stats(project: Project, cli: Cli) -> None:
    project.capture("1 2 ADD", "3 4 MUL", "1 2 ADD")
    found = json.loads(cli("stats", "--json").out)
    (row,) = found["files"]
    assert (row["records"], row["captures"], row["by_backend"], row["capture_errors"]) == (2, 3, {"c": 2}, [])
    assert "records          2  c 2" in cli("stats").out


def test_a_damaged_file_does_not_hide_the_others(project: Project, cli: Cli) -> None:
    project.capture("1 2 ADD", path="captures/b.db")
    (project.root / "captures" / "a.db").write_text("damaged")
    for name in ("ls", "stats"):
        ran = cli(name)
        assert ran.code == 2
        assert ran.out
        assert ran.err.count("\n") == 1
        assert "a.db: not a SQLite database" in ran.err
    ran = cli("show", "E_3")
    assert ran.code == 2
    assert "int E_3(void)" in ran.out


# -- diff -------------------------------------------------------------------------------------------------------------


def test_diff_as_text(project: Project, cli: Cli) -> None:
    project.capture("1 2 ADD", "3 4 MUL")
    project.edit("{} + {}", "{}+{}")
    ran = cli("diff", "--since", "HEAD")
    assert (ran.code, ran.err) == (1, "")
    assert "\x1b" not in ran.out
    assert ran.out.count("+  /*UPCAST4*/return (1+2);") == 1
    assert ran.out.rstrip().endswith("changed: 3 changed")


@pytest.mark.parametrize("format_", ["text", "json"])
def test_diff_into_a_file(project: Project, cli: Cli, format_: str) -> None:
    project.capture("1 2 ADD")
    project.edit("# The rules", "# Some rules")
    ran = cli("diff", "--since", "HEAD", "--format", format_, "--output", "report")
    assert (ran.code, ran.out) == (0, "")
    assert "the report is in report" in ran.err
    assert "same" in (project.root / "report").read_text()
    refused = cli("diff", "--since", "HEAD", "--output", "no/such/folder/report")
    assert refused.code == 2
    assert "--output no/such/folder/report: No such file or directory" in refused.err


def test_diff_outside_of_a_repository(tmp_path: Path, command: Cli) -> None:
    with Store.open(tmp_path / "a.db"):
        pass
    ran = command("diff", "--since", "HEAD", "--captures", "a.db", cwd=tmp_path)
    assert ran.code == 2
    assert "no git repository can be used here" in ran.err


def test_diff_with_a_cache_elsewhere(project: Project, command: Cli, tmp_path: Path) -> None:
    project.capture("1 2 ADD")
    cache = tmp_path / "the cache"
    ran = command("diff", "--since", "HEAD", cwd=project.root, PROCESS_REPLAY_CACHE=str(cache))
    assert ran.code == 0
    assert {"trees", "memo-2.db", ".gitignore"} <= set(os.listdir(cache))
    assert not (project.root / ".replay").exists()


def test_a_cache_that_cannot_be_made(project: Project, command: Cli, tmp_path: Path) -> None:
    project.capture("1 2 ADD")
    (tmp_path / "file").write_text("")
    ran = command("diff", "--since", "HEAD", cwd=project.root, PROCESS_REPLAY_CACHE=str(tmp_path / "file" / "x"))
    assert ran.code == 2
    assert "Not a directory" in ran.err


def test_a_disk_that_takes_no_more(project: Project) -> None:
    """Files may grow to 64 kB here, which stands in for a full disk."""
    (project.root / "many.txt").write_text("".join([f"{number} NEG\n" for number in range(2_000)]))
    project.capture(*[f"{number} NEG" for number in range(400)])
    project.commit("captures")
    project.edit("(-{})", "-{}")

    def limited(*arguments: str) -> Ran:
        script = (
            "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16));"
            "from replay.cli import main; main(sys.argv[1:])"
        )
        return run_process([sys.executable, "-c", script, *arguments], project.root)

    for arguments, file in (
        (["import", "many.txt", "--db", "full.db"], "full.db"),
        (["diff", "--since", "HEAD"], ".replay/memo-2.db"),
    ):
        ran = limited(*arguments)
        assert (ran.code, ran.out) == (2, "")
        assert f"{file}: the disk" in ran.err.splitlines()[-1]
    assert limited("ls", "--db", "full.db").code in (0, 2)  # sound, whatever it holds
    with contextlib.closing(sqlite3.connect(project.root / ".replay" / "memo-2.db")) as memo:
        assert memo.execute("pragma integrity_check").fetchall() == [("ok",)]


def test_a_store_error_is_a_sentence(project: Project, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise StoreError("x.db: the disk is full")

    project.capture("1 2 ADD")
    monkeypatch.setattr("replay.memo.Memo.open", fail)
    ran = cli("diff", "--since", "HEAD")
    assert (ran.code, ran.err) == (2, "replay: x.db: the disk is full\n")
