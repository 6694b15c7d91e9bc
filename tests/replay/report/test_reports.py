"""The two renderings of one diff, made by hand."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from replay.diff import Diff
from replay.finding import Finding
from replay.outcome import Outcome
from replay.report import json as json_report
from replay.report import text as text_report
from replay.revision import WORKING_TREE, Revision

BASE = Revision("main", "b" * 40, "1" * 40, Path())
HEAD = Revision(WORKING_TREE, "c" * 40, "2" * 40, Path())


def finding(outcome: Outcome, name: str = "r_4", **changes: Any) -> Finding:
    fields = {"record": "d" * 32, "name": name, "backend": "c", "mode": "free", "provenance": ["asts.txt:17"]}
    return Finding(**(fields | {"outcome": outcome} | changes))


def diff_text(lines: int) -> str:
    body = "\n".join(f"-old {number}\n+new {number}" for number in range(lines))
    return f"--- base\n+++ head\n@@ -1 +1 @@\n{body}"


@pytest.fixture
def diff() -> Diff:
    made = Diff(BASE, HEAD, ["captures/a.db"], records=3, compiled=4, memoised=2)
    made.findings = [
        finding(Outcome.CHANGED, kind="unverified", diff=diff_text(1), changes=["local_size[0]: 16 -> 32"]),
        finding(Outcome.CHANGED, kind="unverified", diff=diff_text(1), mode="pinned"),
        finding(Outcome.ERROR, "E_5", error={"side": "head", "type": "RenderError", "message": "no way"}),
        finding(Outcome.FLAKY, "E_6", diff=diff_text(2)),
    ]
    for found in made.findings:
        made.count(found.backend, found.outcome)
    made.count("llvm", Outcome.SAME)
    made.problems = ["captures/b.db: not a SQLite database"]
    made.notes = ["backend metal is new in the head"]
    return made


def test_json_has_the_fields_of_the_contract(diff: Diff) -> None:
    found = json.loads(json_report.render(diff))
    contract = "verdict exit_code base head totals totals_by_backend results clusters elapsed_s compiled memoised"
    assert set(contract.split()) <= set(found)
    assert (found["verdict"], found["exit_code"]) == ("changed", 1)
    assert found["base"] == {"revision": "main", "commit": "b" * 40, "tree": "1" * 40}
    assert found["totals"]["changed"] == 2
    assert set(found["totals"]) == set(found["totals_by_backend"]["c"]) == {str(outcome) for outcome in Outcome}
    assert (found["compiled"], found["memoised"]) == (4, 2)
    for result in found["results"]:
        assert {"record", "provenance", "name", "backend", "mode", "outcome", "kind", "cluster"} <= set(result)
        assert "diff" in result or "error" in result
    assert found["results"][0]["kind"] == "unverified"
    assert found["results"][2]["error"] == {"side": "head", "type": "RenderError", "message": "no way"}


def test_text_shows_it_all_and_an_edit_once(diff: Diff) -> None:
    shown = text_report.render(diff)
    assert "\x1b" not in shown
    for part in (
        "base main (commit bbbbbbbbbbbb, tree 111111111111)",
        "head working tree (commit cccccccccccc",
        "3 records from captures/a.db",
        "note: backend metal is new",
        "problem: captures/b.db: not a SQLite database",
        "error (compiled before, and does not now): 1\n  E_5  dddddddddddd  c free  RenderError at head: no way",
        "flaky (differs from itself",
        "2 times in 1 kernel on c; free, pinned (2 unverified)\n  from asts.txt:17\n",
        "  r_4  dddddddddddd  c free\n  local_size[0]: 16 -> 32\n--- base",
        "4 compiled, 2 memoised",
        "changed: 2 changed, 1 error, 1 flaky",
    ):
        assert part in shown
    assert shown.count("+new 0") == 1
    rows = [line.split() for line in shown.splitlines() if line.startswith(("backend", "c ", "llvm", "all"))]
    assert rows == [
        ["backend", "same", "changed", "error", "flaky"], ["c", "0", "2", "1", "1"], ["llvm", "1", "0", "0", "0"],
        ["all", "1", "2", "1", "1"],
    ]  # fmt: skip


def test_text_is_coloured_on_a_terminal(diff: Diff) -> None:
    buffer = io.StringIO()
    text_report.write(diff, Console(file=buffer, force_terminal=True, color_system="standard", width=80))
    assert "\x1b[32m+new 0" in buffer.getvalue()


def cluster_of(number: int) -> str:
    return f"{number:012x}"


def test_text_shows_the_largest_clusters_and_long_diffs_in_part(diff: Diff) -> None:
    diff.findings = [
        finding(Outcome.CHANGED, f"r_{number}", record=f"{number:032d}", diff=diff_text(1), cluster=cluster_of(number))
        for number in range(1, 31)
    ]
    diff.findings[0] = finding(Outcome.CHANGED, "r_1", diff=diff_text(500), cluster=cluster_of(0))
    shown = text_report.render(diff)
    assert shown.count("--- base") == 20
    assert "changed: 30 in 30 clusters, the 20 largest of them" in shown
    assert "… and 10 more" in shown
    assert "… 803 more lines" in shown


def test_more_members_of_a_cluster_on_request(diff: Diff) -> None:
    diff.findings = [
        finding(Outcome.CHANGED, f"r_{number}", record=f"{number:032d}", diff=diff_text(number), cluster=cluster_of(7))
        for number in (3, 1, 2)
    ]
    once, twice = text_report.render(diff), text_report.render(diff, 2)
    assert "  r_1  " in once
    assert "  r_2  " not in once
    assert twice.index("  r_1  ") < twice.index("  r_2  ")
    assert "  r_3  " not in twice
    (cluster,) = json.loads(json_report.render(diff))["clusters"]
    assert (cluster["count"], cluster["records"], cluster["smallest"], cluster["members"]) == (3, 3, 1, [1, 2, 0])


def test_what_a_reviewed_file_lets_through_is_no_change(diff: Diff) -> None:
    diff.findings = [finding(Outcome.CHANGED, diff=diff_text(1), approved="wider loads")]
    diff.totals, diff.problems = {}, []
    diff.count("c", Outcome.CHANGED)
    assert (diff.verdict.exit_code, text_report.verdict_line(diff)) == (
        0,
        "same: nothing changed but 1 approved change",
    )
    assert "  approved\n" in text_report.render(diff)


def test_long_lines_are_not_wrapped(diff: Diff) -> None:
    line = "+" + "x" * 1000
    diff.findings = [finding(Outcome.CHANGED, diff=f"--- base\n+++ head\n@@ -1 +1 @@\n{line}")]
    assert line in text_report.render(diff)


HOSTILE = "\x1b[2J\x1b]0;owned\x07[bold red]\u202e"


def test_hostile_text_is_shown_harmless(diff: Diff) -> None:
    diff.findings = [
        finding(Outcome.CHANGED, HOSTILE, backend=HOSTILE, provenance=[HOSTILE], changes=[HOSTILE],
                diff=f"--- base\n+++ head\n@@ -1 +1 @@\n+{HOSTILE}"),
        finding(Outcome.ERROR, HOSTILE, error={"side": "head", "type": HOSTILE, "message": HOSTILE, "field": HOSTILE}),
    ]  # fmt: skip
    diff.totals = {}
    for found in diff.findings:
        diff.count(found.backend, found.outcome)
    diff.problems = diff.notes = diff.files = [HOSTILE]
    shown = text_report.render(diff)
    assert not set(shown) & {"\x1b", "\x07", "\u202e"}
    assert shown.count("[bold red]") >= 9
    assert json.loads(json_report.render(diff))["results"][0]["name"] == HOSTILE


def test_the_size_of_a_finding_is_its_changed_lines() -> None:
    assert finding(Outcome.CHANGED, diff=diff_text(3)).size == 6
    assert finding(Outcome.ERROR).size == 0
