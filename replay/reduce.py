"""The smallest record that still shows the same difference between two revisions.

The installed compiler proposes smaller kernels; both revisions compile each of a batch in supervised workers, and the
smallest that still shows the difference is the next to be made smaller. *The same* is the same cluster or failure, or
the same side being wrong. Where no smaller kernel shows that, a change with the same cause counts too, as
`replay explain` names it, which is announced. When time is over, the best so far is given.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from replay import record
from replay.adapters import Adapter
from replay.cluster import cluster_id, normalised
from replay.compare import describe_failure, judge, unified
from replay.errors import ReplayError
from replay.executor import CONFIRM_SEED, SEED, Executor, Lane, Task
from replay.explain import explain
from replay.finding import Finding
from replay.outcome import CHANGES, Outcome, Result, Status
from replay.verify import OPTIONS, compare_runs

__all__ = ["KINDS", "Reduced", "Reducer", "as_raw", "unit_test"]

KINDS = ("changed", "error", "different")
BATCH = 24
TRACED = 4  # candidates whose cause is looked for at once: a trace takes longer than a compilation

Raw = dict[str, Any]
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class _Shown:
    """What the two revisions make of one record. `wrong` says in what way their results differ, if they were run."""

    finding: Finding
    base: Result
    head: Result
    wrong: str = ""
    why: str = ""

    @property
    def results(self) -> tuple[Result, Result]:
        return self.base, self.head


@dataclass(frozen=True, slots=True)
class _Target:
    """What has to stay: the difference that the whole record shows."""

    outcome: Outcome
    cluster: str | None
    wrong: str
    cause: str
    """The rule or function that `replay explain` names first; empty if it names none."""

    def allows(self, one: _Shown) -> bool:
        """Whether what a smaller record shows is of the same kind."""
        return one.finding.outcome is self.outcome and one.wrong == self.wrong

    def shown_by(self, one: _Shown) -> bool:
        """Whether a smaller record shows the same edit or failure, or the same wrongness."""
        return self.allows(one) and (bool(self.wrong) or one.finding.cluster == self.cluster)


@dataclass(frozen=True, slots=True)
class Reduced:
    """The smallest record found, with what both revisions make of it."""

    raw: Raw
    size: int
    base: Result
    head: Result
    exact: bool = True
    """Whether it shows the same edit; if not, it has the same cause."""
    cause: str = ""
    exact_size: int = 0
    """The size of the smallest that shows the same edit."""
    tried: int = 0
    finished: bool = True
    """Whether nothing smaller is left to try; else time was over, or the user had enough."""


@dataclass(frozen=True, slots=True)
class _Tried:
    """A record with the number of its nodes and what was seen of it."""

    raw: Raw
    size: int
    shown: _Shown


class _TimeIsOver(Exception):
    """The deadline has passed."""


class Reducer:
    """Reduces one record on two revisions, given by their keys. `mode` and `backend` are those of the difference, `on`
    is one of `KINDS`."""

    def __init__(
        self,
        adapter: Adapter,
        executor: Executor,
        keys: tuple[str, str],
        backend: str | None,
        mode: str,
        *,
        on: str | None = None,
    ) -> None:
        self._adapter, self._executor, self._keys = adapter, executor, keys
        self._backend, self._mode, self._on = backend, mode, on
        self._count = 0
        self._deadline = float("inf")
        self._progress: Progress = lambda size, tried: None
        self._hopeless: set[str] = set()
        """Candidates without a difference of the wanted kind, by digest: most are proposed again and again."""

    def run(self, raw: Raw, seconds: float, progress: Progress = lambda size, tried: None) -> Reduced:
        """Raises ReplayError if the record shows no difference of that kind, or not the same one twice."""
        self._deadline, self._progress = time.monotonic() + seconds, progress
        if self._mode == "free":
            raw = raw | {"applied_opts": []}  # which have no part in what the heuristics choose
        target, shown = self._target(raw)
        best = exact = _Tried(raw, self._adapter.ast_size(raw["ast"]), shown)
        finished = False
        try:
            while (found := self._smaller(best, target, self._first_exact)) is not None:
                best = exact = found
            while target.cause and (found := self._smaller(best, target, self._first_of_cause)) is not None:
                best = found
                exact = found if target.shown_by(found.shown) else exact
            finished = True
        except (KeyboardInterrupt, _TimeIsOver):
            pass  # the best so far is worth having
        if best.size == exact.size:
            best = exact
        return Reduced(
            best.raw, best.size, best.shown.base, best.shown.head,
            exact=best is exact, cause=target.cause, exact_size=exact.size, tried=self._count, finished=finished,
        )  # fmt: skip

    # ---- what has to stay -------------------------------------------------------------------------------------------

    def _target(self, raw: Raw) -> tuple[_Target, _Shown]:
        try:
            (first,), (again,) = self._shown([raw]), self._shown([raw], CONFIRM_SEED)
            found, outcome = first.finding, first.finding.outcome
            reason = f"{outcome}: {found.error['message']}" if found.error else str(outcome)
            if outcome in (Outcome.SAME, Outcome.SAME_ERROR):
                raise ReplayError(f"the two revisions do not differ in this record ({reason})")
            if outcome not in CHANGES:
                raise ReplayError(f"whether the two revisions differ in this record cannot be told ({reason})")
            if [one.identity for one in first.results] != [one.identity for one in again.results]:
                raise ReplayError("the difference is not stable: compiled twice, a revision gives two results")
            self._check_kind(first)
            traced = self._on != "different" and found.error is None
            cause = self._causes([raw])[0] if traced else ""
        except _TimeIsOver:
            raise ReplayError("compiling the record as it is takes longer than --seconds allows") from None
        return _Target(outcome, found.cluster, first.wrong, cause), first

    def _check_kind(self, shown: _Shown) -> None:
        error = shown.finding.error
        if self._on == "changed" and error is not None:
            raise ReplayError(f"--on changed: it does not compile on both sides ({error['type']}); try --on error")
        if self._on == "error" and error is None:
            raise ReplayError("--on error: both revisions compile the record")
        if self._on == "different" and not shown.wrong:
            raise ReplayError(f"--on different: that the results differ is not seen ({shown.why})")

    # ---- searching --------------------------------------------------------------------------------------------------

    def _smaller(self, best: _Tried, target: _Target, first: "First") -> _Tried | None:
        """A smaller record, or one that is as small and simpler in another way; None if none shows the difference."""
        limit, skip = _weight(best.raw, best.size), 0
        while page := self._adapter.reductions(best.raw, skip):
            skip += len(page)
            made = [(int(candidate.pop("size")), candidate) for candidate in page]
            lighter = [pair for pair in made if _weight(pair[1], pair[0]) < limit]
            order = sorted(lighter, key=lambda pair: pair[0])
            for start in range(0, len(order), BATCH):
                found = self._first(order[start : start + BATCH], target, first)
                self._progress(best.size, self._count)
                if found is not None:
                    return found
        return None

    def _first(self, candidates: Sequence[tuple[int, Raw]], target: _Target, first: "First") -> _Tried | None:
        if time.monotonic() > self._deadline:
            raise _TimeIsOver
        named = {next(iter(_packed([raw]))): (size, raw) for size, raw in candidates}
        fresh = [one for digest, one in named.items() if digest not in self._hopeless]
        shown = self._shown([raw for _, raw in fresh])
        tried = [_Tried(raw, size, one) for (size, raw), one in zip(fresh, shown, strict=True)]
        able = [one for one in tried if target.allows(one.shown)]
        self._hopeless |= {one.shown.finding.record for one in tried if one not in able}
        return first(able, target)

    def _first_exact(self, tried: Sequence[_Tried], target: _Target) -> _Tried | None:
        return next((one for one in tried if target.shown_by(one.shown)), None)

    def _first_of_cause(self, tried: Sequence[_Tried], target: _Target) -> _Tried | None:
        for start in range(0, len(tried), TRACED):
            some = tried[start : start + TRACED]
            for one, cause in zip(some, self._causes([one.raw for one in some]), strict=True):
                if cause == target.cause or target.shown_by(one.shown):
                    return one
        return None

    # ---- asking the workers -----------------------------------------------------------------------------------------

    def _shown(self, raws: Sequence[Raw], seed: int = SEED) -> list[_Shown]:
        """What the two revisions make of records."""
        self._count += len(raws)
        payloads = _packed(raws)
        sides = {digest: [self._task(digest, key, seed) for key in self._keys] for digest in payloads}
        tasks = [task for pair in sides.values() for task in pair]
        if self._on == "different" and seed == SEED:
            tasks += [_run(task) for task in tasks]
        results = self._results(tasks, payloads)
        return [self._judged(digest, sides[digest], results) for digest in payloads]

    def _causes(self, raws: Sequence[Raw]) -> list[str]:
        """What `replay explain` names first for each record; empty where it names nothing."""
        payloads = _packed(raws)
        sides = [[replace(self._task(digest, key), action="trace") for key in self._keys] for digest in payloads]
        results = self._results([task for pair in sides for task in pair], payloads)
        return [_cause(*(results[task] for task in pair)) for pair in sides]

    def _task(self, digest: str, key: str, seed: int = SEED) -> Task:
        return Task(Lane(key, seed), digest, self._backend, self._mode)

    def _results(self, tasks: Sequence[Task], payloads: Mapping[str, bytes]) -> dict[Task, Result]:
        results = {}
        for task, result in self._executor.run(tasks, payloads.__getitem__):
            if time.monotonic() > self._deadline:
                raise _TimeIsOver  # the executor kills what still runs
            results[task] = result
        return results

    def _judged(self, digest: str, sides: Sequence[Task], results: Mapping[Task, Result]) -> _Shown:
        base, head = (results[task] for task in sides)
        outcome = judge(base, head)
        finding = Finding(
            digest, "", "", self._mode, outcome, [],
            diff=unified(base, head) if outcome is Outcome.CHANGED else "", error=describe_failure(base, head),
        )  # fmt: skip
        finding = replace(finding, cluster=cluster_id(finding))
        ran = [results.get(_run(task)) for task in sides]
        if ran[0] is None or ran[1] is None:
            return _Shown(finding, base, head)
        kind, found = compare_runs(ran[0], ran[1])
        if kind != "different":
            return _Shown(finding, base, head, why=f"{kind}: {found['not_run']}" if "not_run" in found else kind)
        wrong = f"fails: {normalised(found['failed'])}" if "failed" in found else f"agrees: {found['agrees']}"
        return _Shown(finding, base, head, wrong)


First = Callable[[Sequence[_Tried], _Target], _Tried | None]


def _packed(raws: Sequence[Raw]) -> dict[str, bytes]:
    """The canonical bytes of different records by their digests, in order."""
    packed = [record.canonical_bytes(raw) for raw in raws]
    return {record.digest_of(data): data for data in packed}


def _run(task: Task) -> Task:
    return replace(task, action="run", options=OPTIONS)


def _cause(base: Result, head: Result) -> str:
    if base.status is not Status.OK or head.status is not Status.OK:
        return ""
    try:
        return next(iter(explain(base.data, head.data).suspects), "")
    except ReplayError:  # traces that have nothing in common
        return ""


def _weight(raw: Raw, size: int) -> tuple[int, int, int, int]:
    """What has to become less with each step: nodes, opts, and then what the AST takes to say."""
    return size, len(raw["applied_opts"]), len(msgspec.msgpack.encode(raw["ast"])), _numbers(raw["ast"])


def _numbers(value: Any) -> int:
    """The sum of the sizes of all integers in plain data."""
    if isinstance(value, (list, tuple)):
        return sum(map(_numbers, value))
    return abs(value) if isinstance(value, int) and not isinstance(value, bool) else 0


def as_raw(payload: bytes) -> Raw:
    """A record's inputs as plain data."""
    return dict(msgspec.to_builtins(record.decode_inputs(payload)))


# ---- the unit test --------------------------------------------------------------------------------------------------


def unit_test(reduced: Reduced, ast: str, backend: str | None, mode: str) -> str:
    """A test that compiles the record with the compiler that is checked out, given its AST in the text form.

    It passes on the base and fails on the head; where the base does not compile the record it is the other way round.
    All that comes from the record is written as literals.
    """
    right = reduced.head if reduced.base.status is not Status.OK and reduced.head.status is Status.OK else reduced.base
    rest = {name: value for name, value in sorted(reduced.raw.items()) if name != "ast"}
    expected: list[tuple[str, object]] = [("status", str(right.status))]
    if right.status is Status.OK:
        expected += [("global_size", right.global_size), ("local_size", right.local_size)]
    else:
        expected += [("type", right.type), ("message", right.message)]
    lines = [
        '"""A kernel that `replay reduce` made as small as it can be, and what one revision made of it."""',
        "",
        "from core.ir.rows import to_rows",
        "from core.ir.text import parse_uop",
        "from core.process_replay import replay",
        "",
        f"AST = {ast!a}",
        "RECORD = {",
        *[f"    {name!a}: {value!a}," for name, value in rest.items()],
        "}",
        "SOURCE = (",
        *[f"    {line!a}" for line in right.src.splitlines(keepends=True) or [""]],
        ")",
        "",
        "",
        "def test_the_kernel_is_compiled_as_it_was() -> None:",
        f"    answer = replay(RECORD | {{'ast': to_rows(parse_uop(AST))}}, {backend!a}, {mode!a})",
        f"    told = {{name: answer.get(name) for name in {[name for name, _ in expected]!a}}}",
        f"    assert told == {dict(expected)!a}, answer.get('message')",
        "    assert answer.get('src', '') == SOURCE",
        "",
    ]
    return "\n".join(lines)
