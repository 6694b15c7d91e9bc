from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from replay.finding import Finding
from replay.memo import Memo
from replay.outcome import Outcome, Result, Status
from replay.validate import refused, validate


@dataclass
class Judges:
    """An adapter that accepts sources that do not say `bad`, is not there for `gone`, and counts what it is asked."""

    version: str = "judge 1"
    asked: list[str] = field(default_factory=list)

    def judges(self, backend: str) -> str:
        return self.version

    def judge(self, backend: str, sources: list[str]) -> list[list[dict[str, Any]]]:
        self.asked += sources
        return [self._rows(source) for source in sources]

    def _rows(self, source: str) -> list[dict[str, Any]]:
        accepted = None if "gone" in source else "bad" not in source
        first = {"tool": self.version, "accepted": accepted, "message": "" if accepted else f"says {source}",
                 "figures": {"registers": len(source)}}  # fmt: skip
        second = {"tool": "other", "accepted": True, "message": "", "figures": {}}
        return [second, first]


def finding(record: str) -> Finding:
    return Finding(record, "k", "c", "free", Outcome.CHANGED, [])


def run(memo: Memo, judges: Judges, sources: dict[str, tuple[str, str]]) -> list[Finding]:
    def sides(found: Finding) -> tuple[Result, Result]:
        old, new = sources[found.record]
        return Result(Status.OK, src=old), Result(Status.OK, src=new)

    return validate([finding(record) for record in sources], sides, judges, memo)  # type: ignore[arg-type]


def test_both_sides_are_judged_once_and_remembered(tmp_path: Path) -> None:
    judges = Judges()
    with Memo.open(tmp_path) as memo:
        one, two = run(memo, judges, {"a": ("old", "newer"), "b": ("old", "bad")})
        assert one.validation is not None
        assert one.validation["head"] == {
            "tool": "other, judge 1", "accepted": True, "message": "", "figures": {"registers": 5},
        }  # fmt: skip
        assert one.figures == {"registers": (3, 5)}
        assert (refused(one), refused(two)) == (False, True)
        assert two.validation is not None
        assert two.validation["head"]["message"] == "says bad"
        assert judges.asked == ["old", "newer", "bad"]
        assert run(memo, judges, {"a": ("old", "newer"), "b": ("old", "bad")}) == [one, two]
        assert len(judges.asked) == 3
        judges.version = "judge 2"
        run(memo, judges, {"a": ("old", "newer")})
        assert len(judges.asked) == 5


def test_what_was_not_run_is_no_acceptance_and_is_tried_again(tmp_path: Path) -> None:
    judges = Judges()
    with Memo.open(tmp_path) as memo:
        (found,) = run(memo, judges, {"a": ("gone", "new")})
        assert found.validation is not None
        assert found.validation["base"]["accepted"] is None
        assert not refused(found)
        run(memo, judges, {"a": ("gone", "new")})
    assert judges.asked == ["gone", "new", "gone"]


def test_a_result_that_is_not_known_any_more_is_left_out(tmp_path: Path) -> None:
    with Memo.open(tmp_path) as memo:
        (found,) = validate([finding("a")], lambda _: (None, Result(Status.ERROR)), Judges(), memo)  # type: ignore[arg-type]
    assert found == finding("a")
