"""`replay diff` from end to end, on a repository with a tiny compiler whose right answers are known."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import zstandard

from replay.diff import Diff
from replay.errors import CorpusError
from replay.outcome import Outcome, Verdict
from replay.plan import Options, plan
from replay.revision import Revision

if TYPE_CHECKING:
    from tests.replay.conftest import Project, Ran

Cli = Callable[..., "Ran"]
Report = Callable[..., dict[str, Any]]

KERNELS = ("1 2 ADD", "3 4 MUL", "1 2 ADD 4 MUL", "7 NEG", "1 2 MAX NEG")


@pytest.fixture
def report(cli: Cli) -> Report:
    """`report("--since", "HEAD~1")` is the JSON object of a diff, with what was said on standard error as `err`."""

    def run(*arguments: str) -> dict[str, Any]:
        ran = cli("diff", "--format", "json", *arguments)
        found: dict[str, Any] = json.loads(ran.out)
        assert found["exit_code"] == ran.code
        return found | {"err": ran.err}

    return run


def by_outcome(found: dict[str, Any]) -> dict[str, int]:
    return {outcome: count for outcome, count in found["totals"].items() if count}


def changed(found: dict[str, Any]) -> set[tuple[str, str, str]]:
    return {
        (result["provenance"][0], result["backend"], result["mode"])
        for result in found["results"]
        if result["outcome"] == "changed"
    }


EVERY_WAY = (("c", "pinned"), ("c", "free"), ("llvm", "free"))


def test_a_changed_rule_reports_exactly_its_kernels(project: Project, report: Report) -> None:
    project.capture(*KERNELS)
    project.edit("{} + {}", "{}+{}")
    project.commit()
    found = report("--since", "HEAD~1")
    assert found["verdict"] == "changed"
    assert changed(found) == {(f"asts.txt:{line}", *way) for line in (1, 3) for way in EVERY_WAY}
    assert by_outcome(found) == {"changed": 6, "same": 9}
    assert found["totals_by_backend"]["llvm"]["changed"] == 2
    assert all(result["kind"] == "cosmetic" for result in found["results"])
    assert "+  /*UPCAST4*/return (1+2);" in found["results"][0]["diff"]
    assert found["base"]["commit"] == project.git("rev-parse", "HEAD~1")
    assert found["base"]["tree"] == project.git("rev-parse", "HEAD~1:core")
    assert found["head"]["revision"] == "working tree"
    assert found["compiled"] == 2 * 15 + 2 * 6


def test_a_comment_changes_nothing(project: Project, report: Report) -> None:
    project.capture(*KERNELS)
    project.edit("# The rules, by op.", "# All the rules.")
    project.commit()
    found = report("--since", "HEAD~1")
    assert (found["verdict"], found["exit_code"], found["results"]) == ("same", 0, [])
    assert by_outcome(found) == {"same": 15}
    assert found["compiled"] == 30


def test_uncommitted_and_untracked_changes_count(project: Project, report: Report) -> None:
    project.capture("1 2 ADD")
    (project.root / "core" / "extra.py").write_text("PLUS = '({} plus {})'\n")
    project.edit('"({} + {})"', "PLUS")
    project.edit("# The rules", "from core.extra import PLUS\n\n# The rules")
    found = report("--since", "HEAD")
    assert by_outcome(found) == {"changed": 3}
    assert "plus" in found["results"][0]["diff"]
    assert report("--since", "HEAD", "--until", "HEAD")["verdict"] == "same"


def test_a_changed_heuristic_shows_in_free_mode_only(project: Project, report: Report) -> None:
    project.capture("1 2 ADD")
    project.edit("UPCAST = 4", "UPCAST = 2")
    found = report("--since", "HEAD")
    assert changed(found) == {("asts.txt:1", "c", "free"), ("asts.txt:1", "llvm", "free")}
    assert found["results"][0]["changes"] == ["applied_opts[0]: UPCAST(0, 4) -> UPCAST(0, 2)"]
    assert report("--since", "HEAD", "--mode", "pinned")["verdict"] == "same"
    assert report("--since", "HEAD", "--mode", "free")["totals"]["changed"] == 2


def test_the_base_is_where_the_branches_parted(project: Project, report: Report) -> None:
    project.capture("1 2 ADD")
    fork = project.commit("captures")
    project.git("checkout", "--quiet", "-b", "feature")
    project.edit("UPCAST = 4", "UPCAST = 8")
    project.commit()
    project.git("checkout", "--quiet", "main")
    project.edit("{} + {}", "{}+{}")
    project.commit()
    found = report("--since", "main", "--until", "feature")
    assert found["base"]["commit"] == fork
    assert all("+{" not in result["diff"] for result in found["results"])
    assert {result["mode"] for result in found["results"]} == {"free"}


def test_the_second_run_compiles_nothing(project: Project, report: Report) -> None:
    project.capture(*KERNELS, "RAISE", "MYSTERY")
    project.edit("{} + {}", "{}+{}")
    first, second = report("--since", "HEAD"), report("--since", "HEAD")
    assert first["compiled"] > 0
    assert (second["compiled"], second["memoised"]) == (0, first["compiled"])
    assert second["results"] == first["results"]
    # A base is replayed once in its life: only the new head is compiled.
    project.edit("{} * {}", "{}*{}")
    third = report("--since", "HEAD")
    assert third["compiled"] == 21 + 9 + 9 - 6  # head; 6 confirmations are known for the base of the ADDs
    assert third["memoised"] == 21 + 6


def test_equal_trees_are_not_replayed(project: Project, report: Report, cli: Cli) -> None:
    project.capture(*KERNELS)
    project.commit("captures only")
    found = report("--since", "HEAD~1")
    assert (found["verdict"], found["compiled"], found["memoised"]) == ("same", 0, 0)
    assert by_outcome(found) == {"same": 15}
    assert "core/ is the same on both sides" in found["notes"][0]
    assert cli("diff", "--since", "HEAD~1", "--captures", "nothing.db").code == 2


def test_errors_and_fixes(project: Project, report: Report) -> None:
    project.capture("1 2 ADD", "RAISE", "1 NEG")
    before = '        elif op == "RAISE":\n            raise ValueError(f"no rule for {op}")'
    after = '        elif op == "RAISE":\n            texts.append("fine")'
    project.edit(before, after, "core/process_replay.py")
    start = '        if op == "CONST":'
    failing = "        if op == 'NEG':\n            raise ValueError('no more NEG')\n"
    project.edit(start, failing + start, "core/process_replay.py")
    found = report("--since", "HEAD")
    assert by_outcome(found) == {"same": 3, "fixed": 3, "error": 3}
    errors = {result["outcome"]: result["error"] for result in found["results"]}
    assert errors["error"] == {"side": "head", "type": "ValueError", "message": "no more NEG"}
    assert errors["fixed"] == {"side": "base", "type": "ValueError", "message": "no rule for RAISE"}
    assert found["exit_code"] == 1


def test_what_fails_the_same_way_is_no_change_but_no_evidence_either(project: Project, report: Report) -> None:
    project.capture("RAISE", "1 2 ADD")
    project.edit("# The rules", "# Some rules")
    found = report("--since", "HEAD")
    assert by_outcome(found) == {"same": 3, "same-error": 3}
    assert found["exit_code"] == 0
    alone = report("--since", "HEAD", "--filter", "op:RAISE")
    assert by_outcome(alone) == {"same-error": 3}
    assert (alone["verdict"], alone["exit_code"]) == ("unknown", 2)


@pytest.mark.parametrize(
    ("text", "outcome", "message"),
    [
        ("EXIT", "crash", "exit status 3: about to leave"),
        ("HANG", "timeout", "no answer within 0.5 s"),
        ("MYSTERY", "unsupported", "unknown op MYSTERY"),
    ],
)
def test_what_cannot_be_told_is_never_no_change(
    project: Project, report: Report, text: str, outcome: str, message: str
) -> None:
    project.capture("1 2 ADD", text)
    project.edit("# The rules", "# Some rules")
    found = report("--since", "HEAD", "--timeout", "0.5", "--backend", "c")
    assert by_outcome(found) == {"same": 2, outcome: 2}
    assert (found["verdict"], found["exit_code"]) == ("unknown", 2)
    assert message in found["results"][0]["error"]["message"]
    # But a change that was seen is one.
    project.edit("{} + {}", "{}+{}")
    assert report("--since", "HEAD", "--timeout", "0.5", "--backend", "c")["exit_code"] == 1


def test_a_record_that_only_the_head_reads(project: Project, report: Report) -> None:
    project.capture("NOVEL", "1 2 ADD")
    project.edit('"NEG": "(-{})",', '"NEG": "(-{})",\n    "NOVEL": "novel",')
    found = report("--since", "HEAD")
    assert by_outcome(found) == {"same": 3, "unsupported": 3}
    assert found["results"][0]["error"]["side"] == "base"
    assert found["results"][0]["error"]["field"] == "ast[0].op"


@pytest.mark.parametrize("rule", ["HASHED", "RANDOM"])
def test_what_differs_from_itself_is_flaky_and_no_change(project: Project, report: Report, rule: str) -> None:
    project.capture("1 NEG", "3 4 MUL")
    project.edit('if op == "CONST"', f'if op == "NEG":\n            op = "{rule}"\n        if op == "CONST"',
                 "core/process_replay.py")  # fmt: skip
    found = report("--since", "HEAD")
    assert by_outcome(found) == {"same": 3, "flaky": 3}
    assert found["exit_code"] == 0
    assert all(result["diff"] and result["kind"] is None for result in found["results"])


def test_a_backend_that_only_one_side_has(project: Project, report: Report, cli: Cli) -> None:
    project.capture("1 2 ADD")
    project.edit('["c", "llvm"]', '["c", "llvm", "metal"]', "core/process_replay.py")
    project.commit("one more")
    found = report("--since", "HEAD~1")
    assert (found["verdict"], set(found["totals_by_backend"])) == ("same", {"c", "llvm"})
    assert "backend metal is new in the head" in found["notes"][0]
    assert "exists in the head only" in cli("diff", "--since", "HEAD~1", "--backend", "metal").err
    project.edit('["c", "llvm", "metal"]', '["c"]', "core/process_replay.py")
    found = report("--since", "HEAD")
    assert by_outcome(found) == {"same": 2, "unsupported": 2}
    assert found["exit_code"] == 2


def test_only_some_backends_and_records(project: Project, report: Report, cli: Cli) -> None:
    project.capture(*KERNELS)
    project.edit("{} + {}", "{}+{}")
    assert set(report("--since", "HEAD", "--backend", "llvm")["totals_by_backend"]) == {"llvm"}
    assert report("--since", "HEAD", "--filter", "op:MAX")["verdict"] == "same"
    assert report("--since", "HEAD", "--filter", "op:MAX")["records"] == 1
    wrong = cli("diff", "--since", "HEAD", "--backend", "vulkan")
    assert wrong.code == 2
    assert "--backend vulkan: neither revision has it; known are c, llvm" in wrong.err
    nothing = cli("diff", "--since", "HEAD", "--filter", "no_such_kernel")
    assert nothing.code == 2
    assert "--filter leaves nothing" in nothing.err


def test_a_head_that_does_not_import(project: Project, cli: Cli) -> None:
    project.capture("1 2 ADD")
    project.edit("UPCAST = 4", "UPCAST = (")
    ran = cli("diff", "--since", "HEAD")
    assert (ran.code, ran.out) == (2, "")
    assert "the working tree does not import: SyntaxError: '(' was never closed (at core/rules.py:10)" in ran.err
    assert ran.err.count("\n") == 1
    project.commit("broken")
    project.edit("UPCAST = (", "UPCAST = 4")
    assert "revision HEAD" in cli("diff", "--since", "HEAD").err


def test_an_empty_corpus(project: Project, cli: Cli) -> None:
    for arguments in ((), ("--captures", "captures"), ("--captures", "captures/a.db")):
        ran = cli("diff", "--since", "HEAD", *arguments)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith("replay: ")
    project.capture()
    ran = cli("diff", "--since", "HEAD")
    assert (ran.code, ran.out) == (2, "")
    assert "the captures are empty" in ran.err


def test_an_unknown_revision(project: Project, cli: Cli) -> None:
    project.capture("1 2 ADD")
    for arguments in (("--since", "nope"), ("--since", "HEAD", "--until", "nope")):
        ran = cli("diff", *arguments)
        assert ran.code == 2
        assert "unknown revision 'nope'" in ran.err


# -- hostile and damaged captures -------------------------------------------------------------------------------------


def spoil(path: Path, sql: str, *parameters: object) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute(sql, parameters)
        connection.commit()


BOMB = zstandard.ZstdCompressor(level=19).compress(b"\0" * (64 << 20))


@pytest.mark.parametrize(
    "blob", [b"", b"\x28\xb5\x2f\xfd", BOMB, zstandard.ZstdCompressor().compress(b"\x91" * 100_000)]
)
def test_a_damaged_record_is_missing_and_the_others_are_compared(
    project: Project, report: Report, cli: Cli, blob: bytes
) -> None:
    path = project.capture("1 2 ADD", "3 4 MUL")
    spoil(path, "update records set blob = ? where rowid = 1", blob)
    project.edit("# The rules", "# Some rules")
    found = report("--since", "HEAD")
    assert by_outcome(found) == {"same": 3, "missing": 1}
    assert found["exit_code"] == 2
    assert found["results"][0]["error"]["type"] == "RecordError"
    listed = cli("ls")
    assert listed.code == 2
    assert len(listed.out.splitlines()) == 1
    assert "replay: record " in listed.err


def test_a_damaged_file_is_named_and_the_others_are_compared(project: Project, report: Report) -> None:
    project.capture("1 2 ADD", path="captures/a.db")
    (project.root / "captures" / "b.db").write_text("no database at all")
    whole = project.capture(*(f"{number} NEG" for number in range(300)), path="captures/c.db").read_bytes()
    (project.root / "captures" / "c.db").write_bytes(whole[: len(whole) // 2])
    project.edit("# The rules", "# Some rules")
    found = report("--since", "HEAD")
    assert found["verdict"] == "unknown"
    assert found["totals"]["same"] >= 3
    assert len(found["problems"]) == 2
    assert "b.db: not a SQLite database" in found["err"]
    assert "c.db: the database is damaged or truncated" in found["err"]


def test_a_record_of_another_compiler(project: Project, report: Report) -> None:
    project.capture("1 2 ADD")
    project.capture("1 2 ADD", path="captures/b.db", compiler="triton")
    project.edit("# The rules", "# Some rules")
    found = report("--since", "HEAD")
    assert by_outcome(found) == {"same": 3, "missing": 1}
    assert "there is no adapter for 'triton'" in found["results"][0]["error"]["message"]


def test_records_in_two_files_are_compared_once(project: Project, report: Report) -> None:
    project.capture("1 2 ADD")
    project.capture("3 NEG", "1 2 ADD", path="captures/b.db")
    project.capture("1 2 ADD", "7 NEG", path="elsewhere.db")
    project.edit("{} + {}", "{}+{}")
    found = report("--since", "HEAD", "--captures", "captures", "--captures", "elsewhere.db")
    assert found["records"] == 3
    assert found["results"][0]["provenance"] == ["asts.txt:1", "asts.txt:2"]


# -- processes --------------------------------------------------------------------------------------------------------


def workers(root: Path) -> list[str]:
    """The processes that run a revision of the repository at `root`."""
    trees = str(root / ".replay" / "trees").encode()
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            if trees in entry.read_bytes():
                found.append(entry.parent.name)
    return found


def test_ctrl_c_leaves_no_process_and_a_memo_to_continue_from(project: Project, report: Report) -> None:
    project.capture(*(f"{number} NEG" for number in range(30)), "HANG")
    project.edit("# The rules", "# Some rules")
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    program = subprocess.Popen(
        [sys.executable, "-P", "-m", "replay", "diff", "--since", "HEAD", "--backend", "c", "--timeout", "60"],
        cwd=project.root, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    deadline = time.monotonic() + 30
    while len(workers(project.root)) < 2:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    time.sleep(1.5)
    program.send_signal(signal.SIGINT)
    out, err = program.communicate(timeout=20)
    assert (program.returncode, out, err.strip()) == (2, "", "replay: interrupted")
    assert workers(project.root) == []
    found = report("--since", "HEAD", "--backend", "c", "--filter", "op:NEG")
    assert found["memoised"] > 0
    assert by_outcome(found) == {"same": 60}


# -- planning and verdicts, without processes -------------------------------------------------------------------------


REVISION = Revision("main", "c" * 40, "t" * 40, Path())


@pytest.mark.parametrize(
    ("counts", "verdict"),
    [
        ({}, "unknown"),
        ({Outcome.SAME: 1}, "same"),
        ({Outcome.SAME: 1, Outcome.FLAKY: 5, Outcome.SAME_ERROR: 1}, "same"),
        ({Outcome.FLAKY: 5}, "unknown"),
        ({Outcome.SAME: 1, Outcome.CHANGED: 1, Outcome.CRASH: 1}, "changed"),
        ({Outcome.ERROR: 1}, "changed"),
        ({Outcome.SAME: 1, Outcome.FIXED: 1}, "changed"),
        *(({Outcome.SAME: 9, outcome: 1}, "unknown") for outcome in
          (Outcome.CRASH, Outcome.TIMEOUT, Outcome.UNSUPPORTED, Outcome.MISSING)),
    ],
)  # fmt: skip
def test_verdicts(counts: dict[Outcome, int], verdict: str) -> None:
    diff = Diff(REVISION, REVISION, [])
    for outcome, count in counts.items():
        for _ in range(count):
            diff.count("c", outcome)
    assert diff.verdict == verdict
    diff.problems.append("a file is damaged")
    assert diff.verdict is (Verdict.CHANGED if verdict == "changed" else Verdict.UNKNOWN)


@pytest.mark.parametrize(
    ("wanted", "ways"),
    [
        ((), ["cuda:sm_90 pinned", "cuda:sm_90 free", "c free"]),
        (("c",), ["c free"]),
        (("cuda",), ["cuda:sm_90 pinned", "cuda:sm_90 free"]),
        (("cuda:sm_90",), ["cuda:sm_90 pinned", "cuda:sm_90 free"]),
        (("cuda:sm_80",), ["cuda:sm_80 free"]),
        (("c", "cuda:sm_80"), ["c free", "cuda:sm_80 free"]),
    ],
)
def test_plan(project: Project, wanted: tuple[str, ...], ways: list[str]) -> None:
    from replay.corpus import Corpus

    path = project.capture("1 2 ADD", opts={"backend": "cuda", "arch": "sm_90"})
    with Corpus.read([path]) as corpus:
        pairs = plan(corpus, ["c", "cuda"], ["c", "cuda", "metal"], Options(wanted), [])
        assert [f"{pair.backend} {pair.mode}" for pair in pairs] == ways
        with pytest.raises(CorpusError, match="neither revision has it"):
            plan(corpus, ["c"], ["c"], Options(("wgsl",)), [])


# -- the coverage of a verdict ---------------------------------------------------------------------------------------


def test_a_diff_without_differences_says_which_changed_lines_were_run(project: Project, report: Report) -> None:
    project.capture(*KERNELS)
    before = "    return texts[-1]\n"
    after = "    if len(texts) > 99:\n        texts.clear()\n    return texts[-1]\n"
    project.edit(before, after, "core/process_replay.py")
    project.commit()
    found = report("--since", "HEAD~1")
    assert found["verdict"] == "same"
    assert (found["coverage"]["changed"], found["coverage"]["reached"]) == (2, 1)
    (place,) = found["coverage"]["missed"]
    assert place.startswith("core/process_replay.py:")
