"""The commit that first changed a kernel: many kernels at once, each commit's compiler started at most once.

A commit is good for a kernel if it compiles it as the good one does. One that does not import, or cannot read the
record, is skipped and never called bad; if no other commit can tell more, the answer is a range. What was compiled is
remembered by the compiler's tree, so a search that was interrupted goes on, and commits that leave the compiler alone
cost nothing.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from replay.errors import ReplayError, RevisionError
from replay.executor import CONFIRM_SEED, SEED, Executor, Lane, Task
from replay.figures import METRICS, figures_of
from replay.history import Commit, History
from replay.memo import Memo
from replay.outcome import Result, Status
from replay.revision import Revision
from replay.session import COMPILER, MEMORY
from replay.verify import OPTIONS

__all__ = ["KINDS", "Answer", "Bisection", "Item", "Judge", "check_kind"]

KINDS = ("changed", "error", "fixed", "different")
_TELLING = frozenset({Status.OK, Status.ERROR})
MAX_AT_ONCE = 2

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Item:
    """One search: a record on a backend in a mode; `label` is what the table calls it."""

    label: str
    digest: str
    backend: str | None
    mode: str
    on: str = "changed"
    seed: int = SEED

    def task(self, key: str) -> Task:
        task = Task(Lane(key, self.seed), self.digest, self.backend, self.mode)
        return replace(task, action="run", options=OPTIONS) if self.on == "different" else task

    def is_bad(self, good: Result, other: Result) -> bool | None:
        """Whether `other` shows what is looked for; None if it cannot be told."""
        if other.status not in _TELLING:
            return None
        if self.on == "error":
            return other.status is Status.ERROR
        if self.on == "fixed":
            return other.status is Status.OK
        if self.on == "different":
            return other.status is not Status.OK or other.data["digest"] != good.data["digest"]
        if self.on.startswith("hurt:"):
            metric = self.on.removeprefix("hurt:")
            old, new = figures_of(good).get(metric), figures_of(other).get(metric)
            return None if old is None or new is None else new > old
        return other.identity != good.identity


@dataclass(frozen=True, slots=True)
class Answer:
    """The commits of which one is the first bad one: exactly one, but where some could not be tested."""

    item: Item
    commits: tuple[Commit, ...]
    tested: int


@dataclass
class Judge:
    """What commits make of records. `at` gives the compiler of a commit."""

    at: Callable[[str], Revision]
    memo: Memo
    payload: Callable[[str], bytes]
    jobs: int
    timeout: float
    broken: dict[str, str] = field(default_factory=dict)
    _revisions: dict[str, Revision] = field(default_factory=dict)
    _runs: dict[Task, Result] = field(default_factory=dict)

    def revision(self, sha: str) -> Revision | None:
        """The compiler of a commit; None where there is none."""
        if sha not in self._revisions and sha not in self.broken:
            try:
                self._revisions[sha] = self.at(sha)
            except RevisionError as error:
                self.broken[sha] = str(error)
        return self._revisions.get(sha)

    def results(self, wanted: Iterable[tuple[str, Item]]) -> dict[tuple[str, Item], Result]:
        """What each commit makes of an item. A commit that cannot tell is left out."""
        asked = [(sha, item, self.revision(sha)) for sha, item in wanted]
        by_key = {revision.key: revision for _, _, revision in asked if revision is not None}
        tasks = {
            item.task(revision.key): None
            for _, item, revision in asked
            if revision is not None and revision.key not in self.broken
        }
        known = {task: result for task in tasks if (result := self._known(task)) is not None}
        self._compile([task for task in tasks if task not in known], by_key, known)
        found = {}
        for sha, item, revision in asked:
            said = None if revision is None else known.get(item.task(revision.key))
            if said is not None:
                found[sha, item] = said
        return found

    def _known(self, task: Task) -> Result | None:
        if task.action != "replay":
            return self._runs.get(task)
        return self.memo.get(task) if self.memo.hello(task.lane.key) is not None else None

    def _compile(self, tasks: list[Task], revisions: dict[str, Revision], known: dict[Task, Result]) -> None:
        keys = list(dict.fromkeys(task.lane.key for task in tasks))
        if not keys:
            return
        with Executor(COMPILER, revisions, jobs=self.jobs, timeout=self.timeout, memory=MEMORY) as executor:
            for key in keys:
                try:
                    self.memo.remember(key, executor.hello([key])[key])
                except RevisionError as error:
                    self.broken[key] = str(error)
            able = [task for task in tasks if task.lane.key not in self.broken]
            for task, result in executor.run(able, self.payload):
                known[task] = result
                if task.action == "replay":
                    self.memo.put(task, result)
                else:
                    self._runs[task] = result
        self.memo.flush()


class Bisection:
    """The search over one history. Raises ReplayError where good and bad do not differ."""

    def __init__(self, history: History, judge: Judge, progress: Progress = lambda text: None) -> None:
        self.history, self.judge, self.progress = history, judge, progress
        self.tested: set[int] = set()

    def run(self, items: list[Item]) -> list[Answer]:
        """The first bad commit of each item, all searched for together."""
        good, bad = self.history.good, self.history.bad
        ends = self.judge.results([(sha, item) for sha in (good, bad) for item in items])
        goods = {item: self._end(ends, good, item, "--good") for item in items}
        for item in items:
            if item.is_bad(goods[item], self._end(ends, bad, item, "--bad")) is not True:
                raise ReplayError(
                    f"{item.label}: {good[:12]} and {bad[:12]} do not differ in what is looked for ({item.on})"
                )
        self._check_stable(ends, items)
        open_ = dict.fromkeys(items, self.history.everything())
        skipped = dict.fromkeys(items, 0)
        answers: dict[Item, Answer] = {}
        while open_:
            choice = self._choose(open_, skipped)
            for item in [item for item in open_ if choice[item] is None]:
                answers[item] = self._answer(item, open_.pop(item))
            if open_:
                self._test(goods, open_, skipped, choice)
        return [answers[item] for item in items]

    def _check_stable(self, ends: dict[tuple[str, Item], Result], items: list[Item]) -> None:
        """Raises ReplayError for what a good or bad end compiles otherwise with another hash seed."""
        again = {item: replace(item, seed=CONFIRM_SEED) for item in items}
        results = self.judge.results([(sha, again[item]) for sha, item in ends])
        for (sha, item), first in ends.items():
            second = results.get((sha, again[item]))
            if second is not None and _outcome(second) != _outcome(first):
                raise ReplayError(f"{item.label}: {sha[:12]} compiles it in two ways: what is not stable has no cause")

    def _end(self, ends: dict[tuple[str, Item], Result], sha: str, item: Item, option: str) -> Result:
        result = ends.get((sha, item))
        if result is None or result.status not in _TELLING:
            revision = self.judge.revision(sha)
            reason = self.judge.broken.get(sha) or (self.judge.broken.get(revision.key) if revision else None)
            said = reason or (result.message if result else "there is no result")
            raise ReplayError(f"{option} {sha[:12]} cannot tell: {said}")
        return result

    def _choose(self, open_: dict[Item, int], skipped: dict[Item, int]) -> dict[Item, int | None]:
        return {item: self.history.halving(mask, skipped[item]) for item, mask in open_.items()}

    def _test(
        self,
        goods: dict[Item, Result],
        open_: dict[Item, int],
        skipped: dict[Item, int],
        choice: dict[Item, int | None],
    ) -> None:
        """Test the commits that most items want, for all items that they can tell something about."""
        wanted = [number for number in choice.values() if number is not None]
        numbers = sorted(set(wanted), key=lambda number: (-wanted.count(number), number))[:MAX_AT_ONCE]
        self.tested |= set(numbers)
        left = max(mask.bit_count() for mask in open_.values())
        self.progress(f"{len(open_)} open, {left} commits left, {len(self.tested)} tested")
        asked = [(self.history.commits[n].sha, item) for n in numbers for item, mask in open_.items() if mask >> n & 1]
        results = self.judge.results(asked)
        for number in numbers:
            sha, inside = self.history.commits[number].sha, self.history.ancestors[number]
            for item, mask in list(open_.items()):
                if not mask >> number & 1:
                    continue
                result = results.get((sha, item))
                bad = None if result is None else item.is_bad(goods[item], result)
                if bad is None:
                    skipped[item] |= 1 << number
                else:
                    open_[item] = mask & inside if bad else mask & ~inside

    def _answer(self, item: Item, mask: int) -> Answer:
        commits = tuple(commit for number, commit in enumerate(self.history.commits) if mask >> number & 1)
        return Answer(item, commits, len(self.tested))


def _outcome(result: Result) -> tuple[Any, ...]:
    """What two results of one compiler have in common: the source, and the digest of what it computed if it was run."""
    return (*result.identity, result.data.get("digest") if isinstance(result.data, dict) else None)


def check_kind(on: str) -> str:
    """Raises ReplayError for what cannot be looked for."""
    if on in KINDS or (on.startswith("hurt:") and on.removeprefix("hurt:") in METRICS):
        return on
    raise ReplayError(f"--on {on}: choose from {', '.join(KINDS)}, or hurt:METRIC with one of {', '.join(METRICS)}")
