"""The search over a history: every answer against a scan of all commits, whatever the graph and what is skipped."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replay.bisect import Bisection, Item, check_kind
from replay.errors import ReplayError
from replay.executor import CONFIRM_SEED
from replay.figures import METRICS
from replay.history import Commit, History
from replay.outcome import Result, Status

GOOD = Result(Status.OK, src="good", estimates={"flops": 10})
BAD = Result(Status.OK, src="bad", estimates={"flops": 20})
ITEM = Item("it", "d", None, "pinned")


class Told:
    """What commits make of items, without a compiler. `skipped` ones do not import."""

    def __init__(self, history: History, culprits: dict[Item, int], skipped: Iterable[int] = (), bad: Result = BAD):
        self.history, self.culprits, self.skipped, self.bad = history, culprits, set(skipped), bad
        self.places = {commit.sha: number for number, commit in enumerate(history.commits)}
        self.broken: dict[str, str] = {}
        self.asked: list[str] = []

    def revision(self, sha: str) -> None:
        return None

    def results(self, wanted: Iterable[tuple[str, Item]]) -> dict[tuple[str, Item], Result]:
        found = {}
        for sha, item in wanted:
            self.asked.append(sha)
            place = self.places.get(sha)
            if place in self.skipped:
                continue
            culprit = next(number for known, number in self.culprits.items() if known.label == item.label)
            is_bad = place is not None and self.history.ancestors[place] >> culprit & 1
            found[sha, item] = self.bad if is_bad else GOOD
        return found


def history_of(parents: list[list[int]]) -> History:
    """Commit n, called cn, has these parents among those before it; none means the good commit."""
    commits = [
        Commit(f"c{number}", tuple([f"c{one}" for one in given] or ["good"]), "2026-01-01", "a", f"commit {number}")
        for number, given in enumerate(parents)
    ]
    return History("good", commits[-1].sha, commits)


@st.composite
def graphs(draw: st.DrawFn) -> History:
    """Histories of up to 24 commits whose last one descends from all, as that of a revision does."""
    count = draw(st.integers(1, 24))
    parents: list[list[int]] = []
    for number in range(count):
        possible = st.lists(st.integers(max(0, number - 4), number - 1), max_size=2, unique=True)
        parents.append(draw(possible) if number else [])
    heads = set(range(count - 1)) - {one for given in parents[:-1] for one in given}
    parents[-1] = sorted({*parents[-1], *heads})
    return history_of(parents)


def scan(history: History, culprit: int, skipped: set[int]) -> set[str]:
    """Every commit that could be the first bad one, by all that can be tested."""
    testable = [number for number in range(len(history.commits)) if number not in skipped]

    def shows(commit: int) -> list[int]:
        return [history.ancestors[number] >> commit & 1 for number in testable]

    return {history.commits[one].sha for one in range(len(history.commits)) if shows(one) == shows(culprit)}


@given(st.data())
def test_the_answer_is_what_a_scan_of_all_commits_gives(data: st.DataObject) -> None:
    history = data.draw(graphs())
    last = len(history.commits) - 1
    culprit = data.draw(st.integers(0, last))
    skipped = data.draw(st.sets(st.integers(0, max(last - 1, 0)), max_size=8)) - {last}
    told = Told(history, {ITEM: culprit}, skipped)
    (answer,) = Bisection(history, told).run([ITEM])  # type: ignore[arg-type]
    assert {commit.sha for commit in answer.commits} == scan(history, culprit, skipped)


@pytest.mark.parametrize("culprit", range(16))
def test_a_line_of_commits_takes_its_logarithm(culprit: int) -> None:
    history = history_of([[number - 1] if number else [] for number in range(16)])
    told = Told(history, {ITEM: culprit})
    (answer,) = Bisection(history, told).run([ITEM])  # type: ignore[arg-type]
    assert [commit.sha for commit in answer.commits] == [f"c{culprit}"]
    assert answer.tested <= 4


@pytest.mark.parametrize(("apart", "tests"), [(1, 6), (2, 12)])
def test_many_searches_share_their_tests(apart: int, tests: int) -> None:
    history = history_of([[number - 1] if number else [] for number in range(64)])
    items = [Item(f"i{number}", "d", None, "pinned") for number in range(20)]
    told = Told(history, {item: 31 + number % apart for number, item in enumerate(items)})
    answers = Bisection(history, told).run(items)  # type: ignore[arg-type]
    assert [answer.commits[0].sha for answer in answers] == [f"c{31 + number % apart}" for number in range(20)]
    assert answers[0].tested <= tests


def test_a_difference_that_is_not_there() -> None:
    history = history_of([[], [0], [1]])
    with pytest.raises(ReplayError, match=r"it: good and c2 do not differ in what is looked for \(changed\)"):
        Bisection(history, Told(history, {ITEM: 2}, bad=GOOD)).run([ITEM])  # type: ignore[arg-type]


def test_an_end_that_cannot_tell() -> None:
    history = history_of([[], [0], [1]])
    told = Told(history, {ITEM: 1}, skipped=[2])
    told.broken["c2"] = "revision c2 does not import: SyntaxError"
    with pytest.raises(ReplayError, match="--bad c2 cannot tell: revision c2 does not import"):
        Bisection(history, told).run([ITEM])  # type: ignore[arg-type]


def test_what_is_not_stable_is_not_searched_for() -> None:
    class Unstable(Told):
        def results(self, wanted: Iterable[tuple[str, Item]]) -> dict[tuple[str, Item], Result]:
            found = super().results(wanted)
            return {
                (sha, item): Result(Status.OK, src="other") if item.seed == CONFIRM_SEED and sha == "c2" else result
                for (sha, item), result in found.items()
            }

    history = history_of([[], [0], [1]])
    with pytest.raises(ReplayError, match="it: c2 compiles it in two ways: what is not stable has no cause"):
        Bisection(history, Unstable(history, {ITEM: 1})).run([ITEM])  # type: ignore[arg-type]


FAILED = Result(Status.ERROR, type="ValueError", message="no")
UNREAD = Result(Status.UNSUPPORTED, field="ast[0].op", message="unknown")


@pytest.mark.parametrize(
    ("on", "good", "other", "bad"),
    [
        ("changed", GOOD, BAD, True),
        ("changed", GOOD, GOOD, False),
        ("changed", GOOD, FAILED, True),
        ("changed", GOOD, UNREAD, None),
        ("error", GOOD, FAILED, True),
        ("error", GOOD, BAD, False),
        ("fixed", FAILED, GOOD, True),
        ("fixed", FAILED, FAILED, False),
        ("hurt:flops", GOOD, BAD, True),
        ("hurt:flops", BAD, GOOD, False),
        ("hurt:source_bytes", GOOD, BAD, False),
        ("hurt:flops", GOOD, FAILED, None),
        ("hurt:registers", GOOD, BAD, None),
        ("different", Result(Status.OK, data={"digest": "a"}), Result(Status.OK, data={"digest": "b"}), True),
        ("different", Result(Status.OK, data={"digest": "a"}), Result(Status.OK, data={"digest": "a"}), False),
        ("different", Result(Status.OK, data={"digest": "a"}), FAILED, True),
        ("different", Result(Status.OK, data={"digest": "a"}), UNREAD, None),
        ("changed", GOOD, Result(Status.TIMEOUT), None),
        ("error", GOOD, Result(Status.CRASH), None),
    ],
)
def test_what_is_bad(on: str, good: Result, other: Result, bad: bool | None) -> None:
    assert Item("it", "d", None, "pinned", on).is_bad(good, other) is bad


def test_kinds() -> None:
    for kind in ("changed", "error", "fixed", "different", *[f"hurt:{metric}" for metric in METRICS]):
        assert check_kind(kind) == kind
    for kind in ("odd", "hurt:", "hurt:speed", ""):
        with pytest.raises(ReplayError, match=f"--on {kind}: choose from changed, error, fixed, different, or hurt"):
            check_kind(kind)
