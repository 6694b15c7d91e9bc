"""`replay diff`: what every record becomes on two revisions, and the verdict.

Each record is compiled pinned (opts as captured) and free (heuristics choose) on its own backend, and free on the
others. Pairs that differ are compiled once more on both sides with another hash seed: what differs from itself is
`flaky`, and no change. Pairs are judged as soon as both sides are there, and what is the same is dropped.
"""

import shlex
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from replay.adapters import Adapter
from replay.cluster import Cluster, cluster_findings, cluster_id
from replay.compare import confirmed, describe_failure, facts_changed, judge, unified
from replay.corpus import Corpus, Kernel
from replay.cosmetic import is_cosmetic
from replay.errors import CorpusError, RecordError
from replay.executor import CONFIRM_SEED, SEED, Executor, Lane, Task
from replay.finding import Finding
from replay.home import shown
from replay.memo import Memo
from replay.outcome import CHANGES, UNKNOWNS, Outcome, Result, Status, Verdict
from replay.revision import WORKING_TREE, Revision

__all__ = ["Diff", "Options", "Pair", "compare_revisions", "plan"]

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Options:
    """What to compare: `backends` empty means all, `modes` is a part of ("pinned", "free")."""

    backends: tuple[str, ...] = ()
    modes: tuple[str, ...] = ("pinned", "free")
    jobs: int = 1
    timeout: float = 60.0
    memory: int = 0
    """Bytes of address space that a worker may have; 0 for no limit."""
    aa: bool = False
    """Compile every pair once more with another hash seed, and not just those that differ."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One comparison: a record on a backend (`argument` None: the one it was captured on) in a mode."""

    digest: str
    name: str
    backend: str
    argument: str | None
    mode: str

    def task(self, lane: Lane) -> Task:
        """The compilation of one side."""
        return Task(lane, self.digest, self.argument, self.mode)


@dataclass
class Diff:
    """The result of a run; `problems` are what could not be read, `notes` what a reader should know besides."""

    base: Revision
    head: Revision
    files: list[str]
    records: int = 0
    totals: dict[str, dict[Outcome, int]] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    compiled: int = 0
    memoised: int = 0
    elapsed_s: float = 0.0
    aa: bool = False
    """A revision was compared with itself."""

    def count(self, backend: str, outcome: Outcome) -> None:
        """Count one pair."""
        row = self.totals.setdefault(backend, dict.fromkeys(Outcome, 0))
        row[outcome] += 1

    def total(self, outcome: Outcome) -> int:
        """How many pairs had this outcome, over all backends."""
        return sum(row[outcome] for row in self.totals.values())

    @property
    def clusters(self) -> list[Cluster]:
        """The findings, equal edits together."""
        return cluster_findings(self.findings)

    @property
    def approved(self) -> int:
        """How many changes a reviewed file lets through."""
        return sum(finding.approved is not None for finding in self.findings)

    @property
    def verdict(self) -> Verdict:
        """`changed` if anything did that is not approved, with `aa` also what is flaky; else `unknown` if anything is
        missing or nothing compiled on both; else `same`."""
        changes = CHANGES | {Outcome.FLAKY} if self.aa else CHANGES
        if sum(self.total(outcome) for outcome in changes) > self.approved:
            return Verdict.CHANGED
        compared = self.total(Outcome.SAME) + self.approved
        if self.problems or any(self.total(outcome) for outcome in UNKNOWNS) or not compared:
            return Verdict.UNKNOWN
        return Verdict.SAME


def compare_revisions(
    base: Revision,
    head: Revision,
    corpus: Corpus,
    adapter: Adapter,
    memo: Memo,
    options: Options,
    progress: Progress = lambda stage, done, total: None,
) -> Diff:
    """Replay `corpus` on both. Raises RevisionError if one does not import, CorpusError if nothing is left."""
    started = time.monotonic()
    diff = Diff(base, head, [shown(file) for file in corpus.files])
    if not corpus.kernels and not corpus.unreadable:
        reason = f" ({corpus.problems[0]})" if corpus.problems else ""
        raise CorpusError(f"no record to replay: the captures are empty, or --filter leaves nothing{reason}")
    revisions = {revision.tree: revision for revision in (head, base)}
    roots = {tree: revision.path for tree, revision in revisions.items()}
    labels = {tree: revision.label for tree, revision in revisions.items()}
    with Executor(
        adapter.name, roots, labels, jobs=options.jobs, timeout=options.timeout, memory=options.memory
    ) as executor:
        able = _abilities(list(revisions), executor, memo)
        run = _Run(diff, corpus, executor, memo, progress)
        pairs = plan(corpus, able[base.tree], able[head.tree], options, diff.notes)
        for digest, (entry, error) in sorted(corpus.unreadable.items()):
            run.unreadable(Pair(digest, entry.name, entry.backend, None, options.modes[0]), error)
        if options.aa:
            diff.aa = True
            run.repeat(pairs)
        elif base.tree == head.tree:
            diff.notes.append(
                f"{adapter.tree}/ is the same on both sides (tree {base.tree[:12]}): nothing was replayed"
            )
            for pair in pairs:
                diff.count(pair.backend, Outcome.SAME)
        else:
            run.compare(pairs)
    diff.records = len(corpus.kernels) + len(corpus.unreadable)
    diff.problems += [problem for problem in corpus.problems if problem not in diff.problems]
    diff.findings.sort(
        key=lambda found: (found.size, len(found.diff), found.backend, found.name, found.record, found.mode)
    )
    diff.elapsed_s = time.monotonic() - started
    return diff


def _abilities(trees: Sequence[str], executor: Executor, memo: Memo) -> dict[str, list[str]]:
    """The backends that each tree renders; a tree that was never imported here is imported now."""
    known = {tree: memo.hello(tree) for tree in trees}
    new = executor.hello([tree for tree, hello in known.items() if hello is None])
    for tree, hello in new.items():
        memo.remember(tree, hello)
    return {tree: (hello or new[tree]).backends for tree, hello in known.items()}


def plan(
    corpus: Iterable[Kernel],
    base: Sequence[str],
    head: Sequence[str],
    options: Options,
    notes: list[str],
) -> list[Pair]:
    """The pairs to compare, given the backends that each side renders.

    A backend that only the head has is left out with a note, since there is nothing to compare with; one that only the
    base has stays in, and shows as unsupported. Raises CorpusError if a wanted backend is unknown, or nothing is left.
    """
    kernels = list(corpus)
    captured = {kernel.backend for kernel in kernels}
    _check_wanted(options.backends, captured | set(base) | set(head))
    new = [name for name in head if name not in base]
    notes += [f"backend {name} is new in the head: there is nothing to compare it with" for name in new]
    others = [name for name in base if _wanted(name, options.backends)]
    exact = [name for name in options.backends if ":" in name]
    others = [name for name in others if not any(_family(name) == _family(given) for given in exact)] + exact
    pairs = []
    for kernel in kernels:
        digest, name = kernel.entry.digest, kernel.name
        if _wanted(kernel.backend, options.backends):
            pairs += [Pair(digest, name, kernel.backend, None, mode) for mode in options.modes]
        if "free" in options.modes:
            pairs += [
                Pair(digest, name, other, other, "free")
                for other in others
                if other != kernel.backend and (":" in other or _family(other) != _family(kernel.backend))
            ]
    if kernels and not pairs:
        raise CorpusError(
            "nothing to compare: no record was captured on a wanted backend, or it exists in the head only"
        )
    return pairs


def _kind(backend: str, base: Result, head: Result) -> str:
    """`cosmetic`, or `unverified`: only running both sides can tell more."""
    ok = base.status is Status.OK and head.status is Status.OK
    launched_alike = (base.global_size, base.local_size) == (head.global_size, head.local_size)
    if ok and launched_alike and is_cosmetic(backend, (base.name, base.src), (head.name, head.src)):
        return "cosmetic"
    return "unverified"


def _family(backend: str) -> str:
    return backend.partition(":")[0]


def _wanted(backend: str, wanted: Sequence[str]) -> bool:
    return not wanted or backend in wanted or _family(backend) in wanted


def _check_wanted(wanted: Sequence[str], known: set[str]) -> None:
    families = {_family(name) for name in known}
    for name in wanted:
        if _family(name) not in families:
            raise CorpusError(f"--backend {name}: neither revision has it; known are {', '.join(sorted(families))}")


@dataclass
class _Run:
    """The pairs of one diff on their way from the memo or a worker to a finding."""

    diff: Diff
    corpus: Corpus
    executor: Executor
    memo: Memo
    progress: Progress

    def compare(self, pairs: Sequence[Pair]) -> None:
        doubtful: dict[Pair, tuple[Outcome, tuple[Result, Result]]] = {}
        for pair, results in self._results(pairs, self._lanes(SEED), "replaying"):
            outcome = judge(*results)
            if outcome is Outcome.SAME:
                self.diff.count(pair.backend, outcome)
            elif outcome in CHANGES:
                doubtful[pair] = (outcome, results)
            else:
                self._found(pair, outcome, *results)
        for pair, again in self._results(list(doubtful), self._lanes(CONFIRM_SEED), "confirming"):
            first, results = doubtful.pop(pair)
            outcome = confirmed(first, results, again)
            if outcome is Outcome.FLAKY:
                unstable = 0 if results[0].identity != again[0].identity else 1
                results = (results[unstable], again[unstable])
            elif outcome not in CHANGES:
                results = again
            self._found(pair, outcome, *results)

    def repeat(self, pairs: Sequence[Pair]) -> None:
        """Compile everything twice with the head, with different hash seeds. What differs is flaky."""
        tree = self.diff.head.tree
        for pair, results in self._results(pairs, (Lane(tree, SEED), Lane(tree, CONFIRM_SEED)), "repeating"):
            outcome = judge(*results)
            if outcome is Outcome.SAME:
                self.diff.count(pair.backend, outcome)
            else:
                self._found(pair, Outcome.FLAKY if outcome in CHANGES else outcome, *results)

    def _lanes(self, seed: int) -> tuple[Lane, Lane]:
        return Lane(self.diff.base.tree, seed), Lane(self.diff.head.tree, seed)

    def _results(
        self, pairs: Sequence[Pair], sides: tuple[Lane, Lane], stage: str
    ) -> Iterator[tuple[Pair, tuple[Result, Result]]]:
        """Both results of each pair, from the memo where they are known, in the order in which they are complete."""
        owners: dict[Task, Pair] = {}
        half: dict[Pair, dict[Lane, Result]] = {}
        total, done = 2 * len(pairs), 0
        for pair in pairs:
            known = {lane: self.memo.get(pair.task(lane)) for lane in sides}
            found = {lane: result for lane, result in known.items() if result is not None}
            self.diff.memoised += len(found)
            done += len(found)
            if len(found) == len(sides):
                yield pair, (found[sides[0]], found[sides[1]])
                continue
            half[pair] = found
            owners |= {pair.task(lane): pair for lane in sides if lane not in found}
        self.progress(stage, done, total)
        try:
            for task, result in self.executor.run(list(owners), self.corpus.payload):
                self.memo.put(task, result)
                self.diff.compiled += result.status is not Status.MISSING
                done += 1
                self.progress(stage, done, total)
                pair = owners[task]
                half[pair][task.lane] = result
                if len(half[pair]) == len(sides):
                    results = half.pop(pair)
                    yield pair, (results[sides[0]], results[sides[1]])
        finally:
            self.memo.flush()  # an interrupted run goes on from here

    def _found(self, pair: Pair, outcome: Outcome, base: Result, head: Result) -> None:
        self.diff.count(pair.backend, outcome)
        show_diff = outcome in (Outcome.CHANGED, Outcome.FLAKY)
        finding = Finding(
            record=pair.digest,
            name=pair.name,
            backend=pair.backend,
            mode=pair.mode,
            outcome=outcome,
            provenance=self.corpus.provenance(pair.digest),
            kind=_kind(pair.backend, base, head) if outcome is Outcome.CHANGED else None,
            diff=unified(base, head) if show_diff else "",
            changes=facts_changed(base, head) if outcome is Outcome.CHANGED else [],
            error=describe_failure(base, head),
            digests=(base.digest, head.digest),
            reproduce=self._reproduce(pair) if outcome in (Outcome.CRASH, Outcome.TIMEOUT) else "",
        )
        self.diff.findings.append(replace(finding, cluster=cluster_id(finding)))

    def _reproduce(self, pair: Pair) -> str:
        words = ["replay", "diff", "--since", self.diff.base.commit[:12], "--filter", f"id:{pair.digest}"]
        if self.diff.head.revision != WORKING_TREE:
            words += ["--until", self.diff.head.commit[:12]]
        return shlex.join([*words, "--backend", pair.backend, "--mode", pair.mode])

    def unreadable(self, pair: Pair, error: RecordError) -> None:
        """A record whose stored form is damaged: listed as missing, for neither side can have a result."""
        nothing = Result(Status.MISSING, type="RecordError", field=error.field, message=error.reason)
        self._found(pair, Outcome.MISSING, nothing, nothing)
