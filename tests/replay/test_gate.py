from pathlib import Path

import pytest

from replay.diff import Diff
from replay.finding import Finding
from replay.gate import annotations, publish
from replay.outcome import Outcome
from replay.revision import Revision

REVISION = Revision("main", "c" * 40, "t" * 40, Path())
HOSTILE = "x\n::set-output name=verdict::same\r%0A`@everyone"


def made(*findings: Finding) -> Diff:
    diff = Diff(REVISION, REVISION, [], findings=list(findings))
    for finding in findings:
        diff.count(finding.backend, finding.outcome)
    return diff


def finding(outcome: Outcome = Outcome.CHANGED, **fields: object) -> Finding:
    given = {"record": "a" * 32, "name": HOSTILE, "backend": "c", "mode": "free", "provenance": [], "cluster": "1234"}
    return Finding(**(given | {"outcome": outcome, "diff": f"--- base\n+++ head\n+{HOSTILE}"} | fields))  # type: ignore[arg-type]


def test_at_most_ten_annotations_and_no_command_in_them() -> None:
    diff = made(*[finding(cluster=f"{number:04d}") for number in range(30)])
    lines = list(annotations(diff))
    assert len(lines) == 10
    for line in lines:
        assert line.startswith("::error title=replay::")
        assert "\n" not in line
        assert "\r" not in line
    assert "30 changed" in lines[0]


def test_nothing_to_say_when_nothing_changed() -> None:
    diff = made()
    diff.count("c", Outcome.SAME)
    assert list(annotations(diff)) == []
    assert list(annotations(made(finding(approved="yes")))) == []


def test_what_could_not_be_told_is_an_error(tmp_path: Path) -> None:
    diff = made(finding(Outcome.CRASH, diff="", error={"side": "head", "type": "crash", "message": HOSTILE}))
    diff.problems.append("captures/a.db: not a database")
    lines = list(annotations(diff))
    assert lines[1] == "::error title=replay::replay could not tell: captures/a.db: not a database"
    assert "the compiler's process died" in lines[2]


def test_the_summary_and_the_outputs(tmp_path: Path) -> None:
    summary, outputs = tmp_path / "summary", tmp_path / "outputs"
    environment = {"GITHUB_STEP_SUMMARY": str(summary), "GITHUB_OUTPUT": str(outputs), "GITHUB_ACTIONS": "true"}
    lines = publish(made(finding(), finding(approved="yes")), environment, Path("out/replay.html"))
    assert lines[0].startswith("::error")
    assert summary.read_text().startswith("## ")
    text = outputs.read_text().splitlines()
    values = dict(zip([line.partition("<<")[0] for line in text[::3]], text[1::3], strict=True))
    assert values == {
        "verdict": "changed", "exit-code": "1", "changed": "1", "approved": "1", "unknown": "0", "same": "0",
        "report": "out/replay.html",
    }  # fmt: skip


def test_outside_of_a_workflow_nothing_is_written() -> None:
    assert publish(made(finding()), {}, None) == []


def test_a_summary_that_cannot_be_written(tmp_path: Path) -> None:
    from replay.errors import ReplayError

    with pytest.raises(ReplayError, match="Is a directory"):
        publish(made(finding()), {"GITHUB_STEP_SUMMARY": str(tmp_path)}, None)
