"""The smallest record that still shows the same difference between two revisions.

The installed compiler proposes smaller kernels; both revisions compile each of a batch in supervised workers, and the
smallest that still shows the difference is the next to be made smaller. *The same* is the same cluster or failure;
where no smaller kernel has it, a change with the same cause, as `replay explain` finds it, which is announced. When
time is over, the best so far is given.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from replay import record
from replay.adapters import Adapter
from replay.cluster import cluster_id
from replay.compare import describe_failure, judge, unified
from replay.errors import RecordError, ReplayError
from replay.executor import SEED, Executor, Lane, Task
from replay.explain import explain
from replay.finding import Finding
from replay.outcome import CHANGES, Outcome, Result, Status
from replay.verify import OPTIONS, compare_runs

__all__ = ["Reduced", "Reducer", "Target", "as_raw", "unit_test"]

BATCH = 24

Raw = Mapping[str, Any]


@dataclass
class _Shown:
    finding: Finding
    kind: str | None
    agrees: str | None
    base: Result
    head: Result


@dataclass(frozen=True, slots=True)
class Target:
    """What has to stay: the difference that the whole record shows."""

    outcome: Outcome
    cluster: str
    cause: str
    """The rule or function that `replay explain` names first; empty if it names none."""
    agrees: str | None = None

    def shown_by(self, one: _Shown) -> bool:
        """Whether a smaller record shows the same edit or failure, or the same wrongness."""
        if one.finding.outcome is not self.outcome:
            return False
        if self.agrees is not None:
            return one.kind == "different" and one.agrees == self.agrees
        return one.finding.cluster == self.cluster


@dataclass(frozen=True, slots=True)
class Reduced:
    """The smallest record found, with what both revisions make of it."""

    raw: dict[str, Any]
    size: int
    base: Result
    head: Result
    exact: bool
    """Whether it is of the same cluster; if not, it has the same cause."""
    cause: str
    tried: int


class Reducer:
    """Reduces one record on two trees. `mode` and `backend` are those of the difference."""

    def __init__(
        self,
        adapter: Adapter,
        executor: Executor,
        trees: tuple[str, str],
        backend: str | None,
        mode: str,
        *,
        wrong: bool = False,
    ) -> None:
        self.adapter, self.executor, self.trees = adapter, executor, trees
        self.backend, self.mode, self.wrong = backend, mode, wrong
        self.tried = 0
        self._payloads: dict[str, bytes] = {}

    def run(self, raw: dict[str, Any], seconds: float, progress: Callable[[int, int], None]) -> Reduced:
        """Raises ReplayError if the record shows no difference, or not the same one twice."""
        deadline = time.monotonic() + seconds
        (first,), (again,) = self._shown([raw]), self._shown([raw])
        target = self._target(first, again)
        size = self.adapter.ast_size(raw["ast"])
        best, shown = raw, first
        try:
            while time.monotonic() < deadline:
                found = self._step(best, size, target, deadline, progress)
                if found is None:
                    break
                best, size, shown = found
        except KeyboardInterrupt:
            pass  # the best so far is worth having
        return Reduced(
            best, size, shown.base, shown.head, shown.finding.cluster == target.cluster, target.cause, self.tried
        )

    def _target(self, first: _Shown, again: _Shown) -> Target:
        finding = first.finding
        if finding.outcome not in CHANGES:
            raise ReplayError(f"the two revisions do not differ in this record ({finding.outcome})")
        if (first.base.identity, first.head.identity) != (again.base.identity, again.head.identity):
            raise ReplayError("the difference is not stable: compiled twice, a revision gives two results")
        if self.wrong and first.kind != "different":
            raise ReplayError(f"the results of the two revisions do not differ ({first.kind})")
        agrees = first.agrees if self.wrong else None
        cause = "" if self.wrong else self._cause(finding.record)
        return Target(finding.outcome, str(finding.cluster), cause, agrees)

    def _step(
        self, best: dict[str, Any], size: int, target: Target, deadline: float, progress: Callable[[int, int], None]
    ) -> tuple[dict[str, Any], int, _Shown] | None:
        """A smaller record, or one that is as small and simpler in another way; None if none shows the difference."""
        limit = _weight(best, size)
        made = [(candidate.pop("size"), candidate) for candidate in self.adapter.reductions(best)]
        order = sorted([pair for pair in made if _weight(pair[1], pair[0]) < limit], key=lambda pair: pair[0])
        for start in range(0, len(order), BATCH):
            if time.monotonic() > deadline:
                return None
            batch = order[start : start + BATCH]
            shown = self._shown([candidate for _, candidate in batch])
            progress(size, self.tried)
            for (nodes, candidate), one in zip(batch, shown, strict=True):
                if target.shown_by(one) or self._same_cause(target, one):
                    return candidate, nodes, one
        return None

    def _same_cause(self, target: Target, one: _Shown) -> bool:
        changed = one.finding.outcome is target.outcome is Outcome.CHANGED
        return changed and bool(target.cause) and self._cause(one.finding.record) == target.cause

    def _cause(self, digest: str) -> str:
        """What `replay explain` names first for a record that was just compiled."""
        tasks = [replace(self._task(digest, tree), action="trace") for tree in self.trees]
        results = dict(self.executor.run(tasks, self._payloads.__getitem__))
        base, head = (results[task] for task in tasks)
        if base.status is not Status.OK or head.status is not Status.OK:
            return ""
        suspects = explain(base.data, head.data).suspects
        return suspects[0] if suspects else ""

    def _shown(self, raws: Sequence[Raw]) -> list[_Shown]:
        """What the two revisions make of records."""
        self.tried += len(raws)
        self._payloads = payloads = {}
        digests = []
        for raw in raws:
            try:
                data = record.canonical_bytes(dict(raw))
            except RecordError:
                data = b""
            digests.append(record.digest_of(data))
            payloads[digests[-1]] = data
        tasks = {(digest, tree): self._task(digest, tree) for digest in dict.fromkeys(digests) for tree in self.trees}
        wanted = list(tasks.values())
        if self.wrong:
            wanted += [replace(task, action="run", options=OPTIONS) for task in tasks.values()]
        results = dict(self.executor.run(wanted, payloads.__getitem__))
        return [self._judged(tasks, digest, results) for digest in digests]

    def _task(self, digest: str, tree: str) -> Task:
        return Task(Lane(tree, SEED), digest, self.backend, self.mode)

    def _judged(self, tasks: Mapping[tuple[str, str], Task], digest: str, results: Mapping[Task, Result]) -> _Shown:
        sides = [tasks[digest, tree] for tree in self.trees]
        base, head = (results[task] for task in sides)
        outcome = judge(base, head)
        finding = Finding(
            digest, "", "", self.mode, outcome, [],
            diff=unified(base, head) if outcome is Outcome.CHANGED else "", error=describe_failure(base, head),
        )  # fmt: skip
        kind = agrees = None
        if self.wrong and outcome is Outcome.CHANGED:
            runs = [results[replace(task, action="run", options=OPTIONS)] for task in sides]
            kind, found = compare_runs(*runs)
            agrees = str(found.get("agrees", ""))
        return _Shown(replace(finding, cluster=cluster_id(finding)), kind, agrees, base, head)


def _weight(raw: Raw, size: int) -> tuple[int, int, int, int]:
    """What has to become less with each step: nodes, opts, and then what the AST takes to say."""
    return size, len(raw["applied_opts"]), len(msgspec.msgpack.encode(raw["ast"])), _numbers(raw["ast"])


def _numbers(value: Any) -> int:
    """The sum of the sizes of all integers in plain data."""
    if isinstance(value, (list, tuple)):
        return sum(map(_numbers, value))
    return abs(value) if isinstance(value, int) and not isinstance(value, bool) else 0


def unit_test(raw: Raw, text: str, reduced: Reduced, backend: str, mode: str, *, what: str) -> str:
    """A test that passes on the side that is taken for right, and fails on the other.

    That is the base, or the head where the base does not compile the kernel.
    """
    right = reduced.base if reduced.base.status is Status.OK else reduced.head
    opts = [f"Opt(OptOps.{op}, {axis!r}, {_arg(arg)!r})" for op, axis, arg in raw["applied_opts"]]
    chosen = f"[{', '.join(opts)}]" if mode == "pinned" else '"auto"'
    settings = dict(sorted(raw["context"].items()))
    lines = [
        f'"""{what}"""',
        "",
        "from core.compiler import compile_ast",
        "from core.context import Context",
        "from core.ir.text import parse_uop",
        *(["from core.opt.opt import Opt, OptOps"] if opts and mode == "pinned" else []),
        "from core.render import get_renderer",
        "",
        f"AST = {text!r}",
        f"SETTINGS = {settings!r}",
        f"EXPECTED = {right.src!r}",
        "",
        "",
        "def test_the_kernel_is_compiled_as_before() -> None:",
        "    with Context(**SETTINGS):",
        f"        renderer = get_renderer({backend!r})",
        f"        program = compile_ast(parse_uop(AST), renderer, {chosen}, name_override={right.name!r})",
        "    assert program.src == EXPECTED",
        "",
    ]
    return "\n".join(lines)


def _arg(arg: Any) -> Any:
    return tuple(arg) if isinstance(arg, list) else arg


def as_raw(payload: bytes) -> dict[str, Any]:
    """A record's inputs as plain data."""
    return dict(msgspec.to_builtins(record.decode_inputs(payload)))
