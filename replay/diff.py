"""`replay diff`: what every record becomes on two revisions, and the verdict.

Each record is compiled pinned (opts as captured) and free (heuristics choose) on its own backend, and free on the
others. Pairs that differ are compiled once more on both sides with another hash seed: what differs from itself is
`flaky`, and no change. Pairs are judged as soon as both sides are there, and what is the same is dropped.
"""

import shlex
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from replay.adapters import Adapter
from replay.approvals import Approved
from replay.asts import compare_asts
from replay.cluster import Cluster, cluster_findings, cluster_id
from replay.compare import confirmed, describe_failure, facts_changed, judge, unified
from replay.corpus import Corpus
from replay.cosmetic import is_cosmetic
from replay.coverage import Coverage, changed_lines, measure
from replay.errors import CorpusError, RecordError
from replay.executor import CONFIRM_SEED, SEED, Executor, Lane, Task
from replay.figures import Row, Tally, figures_of, pair_figures
from replay.finding import Finding
from replay.home import shown
from replay.memo import Memo
from replay.outcome import CHANGES, UNKNOWNS, Outcome, Result, Status, Verdict
from replay.plan import Options, Pair, plan
from replay.revision import WORKING_TREE, Revision
from replay.validate import validate
from replay.verify import verify

__all__ = ["Diff", "compare_revisions"]

Progress = Callable[[str, int, int], None]
_FROM_RESULTS = frozenset({"flops", "lds", "mem", "source_bytes", "ms"})


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
    figures: list[Row] = field(default_factory=list)
    approvals: Approved | None = None
    coverage: Coverage | None = None
    """Of a diff that found nothing: which of the changed lines the corpus ran."""
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
    def newly_flaky(self) -> int:
        """How many pairs the base compiles alike each time, and the head does not."""
        return sum(finding.unstable == ("head",) for finding in self.findings)

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
    revisions = {revision.key: revision for revision in (head, base)}
    diff.notes += [note for revision in revisions.values() if (note := _environment_note(revision))]
    with Executor(
        adapter.name, revisions, jobs=options.jobs, timeout=options.timeout, memory=options.memory
    ) as executor:
        able = _abilities(list(revisions), executor, memo)
        run = _Run(diff, corpus, executor, memo, progress)
        pairs = plan(corpus, able[base.key], able[head.key], options, diff.notes)
        for digest, (entry, error) in sorted(corpus.unreadable.items()):
            run.unreadable(Pair(digest, entry.name, entry.backend, None, options.modes[0]), error)
        if options.aa:
            diff.aa = True
            run.repeat(pairs)
        elif base.key == head.key:
            diff.notes.append(
                f"{adapter.tree}/ is the same on both sides (tree {base.tree[:12]}): nothing was replayed"
            )
            for pair in pairs:
                diff.count(pair.backend, Outcome.SAME)
        else:
            run.compare(pairs)
        unchanged = all(finding.outcome is Outcome.SAME_ERROR for finding in diff.findings)
        if unchanged and pairs and base.tree != head.tree:
            diff.coverage = run.coverage(pairs, adapter.tree)
        if not options.aa:
            diff.findings = run.with_asts(adapter)
        if options.verify:
            diff.findings = run.verified(everything=options.verify == "all")
        if options.validate:
            diff.findings = run.validated(adapter)
        diff.figures = run.tally.rows()
    diff.records = len(corpus.kernels) + len(corpus.unreadable)
    diff.problems += [problem for problem in corpus.problems if problem not in diff.problems]
    diff.findings.sort(
        key=lambda found: (found.size, len(found.diff), found.backend, found.name, found.record, found.mode)
    )
    diff.elapsed_s = time.monotonic() - started
    return diff


def _environment_note(revision: Revision) -> str:
    lacking = revision.environment.lacking
    return f"{revision.label} ran in an environment of its own: it depends on {', '.join(lacking)}" if lacking else ""


def _abilities(keys: Sequence[str], executor: Executor, memo: Memo) -> dict[str, list[str]]:
    """The backends that each revision renders; one that was never imported here is imported now."""
    known = {key: memo.hello(key) for key in keys}
    new = executor.hello([key for key, hello in known.items() if hello is None])
    for key, hello in new.items():
        memo.remember(key, hello)
    return {key: (hello or new[key]).backends for key, hello in known.items()}


def _kind(backend: str, base: Result, head: Result) -> str:
    """`cosmetic`, or `unverified`: only running both sides can tell more."""
    ok = base.status is Status.OK and head.status is Status.OK
    launched_alike = (base.global_size, base.local_size) == (head.global_size, head.local_size)
    if ok and launched_alike and is_cosmetic(backend, (base.name, base.src), (head.name, head.src)):
        return "cosmetic"
    return "unverified"


@dataclass
class _Run:
    """The pairs of one diff on their way from the memo or a worker to a finding."""

    diff: Diff
    corpus: Corpus
    executor: Executor
    memo: Memo
    progress: Progress
    tally: Tally = field(default_factory=Tally)
    _unstable: dict[Pair, tuple[str, ...]] = field(default_factory=dict)
    _pairs: dict[tuple[str, str, str], Pair] = field(default_factory=dict)

    def compare(self, pairs: Sequence[Pair]) -> None:
        doubtful: dict[Pair, tuple[Outcome, tuple[Result, Result]]] = {}
        for pair, results in self._results(pairs, self._lanes(SEED), "replaying"):
            outcome = judge(*results)
            self._tally(pair, *results)
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
                sides = [side for side in (0, 1) if results[side].identity != again[side].identity]
                self._unstable[pair] = tuple([("base", "head")[side] for side in sides])
                results = (results[sides[0]], again[sides[0]])
            elif outcome not in CHANGES:
                results = again
            self._found(pair, outcome, *results)

    def repeat(self, pairs: Sequence[Pair]) -> None:
        """Compile everything twice with the head, with different hash seeds. What differs is flaky."""
        key = self.diff.head.key
        for pair, results in self._results(pairs, (Lane(key, SEED), Lane(key, CONFIRM_SEED)), "repeating"):
            outcome = judge(*results)
            if outcome is Outcome.SAME:
                self.diff.count(pair.backend, outcome)
            else:
                self._found(pair, Outcome.FLAKY if outcome in CHANGES else outcome, *results)

    def coverage(self, pairs: Sequence[Pair], folder: str) -> Coverage:
        """Which of the changed lines the head runs for the corpus."""
        _, head = self._lanes(SEED)
        changed = changed_lines(self.diff.base.path, self.diff.head.path, folder)
        return measure(changed, [pair.task(head) for pair in pairs], self.executor, self.corpus.payload, self.progress)

    def with_asts(self, adapter: Adapter) -> list[Finding]:
        """The findings with how the optimised ASTs differ."""
        sides, payload = self._lanes(SEED), self.corpus.payload
        return compare_asts(
            self.diff.findings, self._pairs, sides, adapter, self.executor, self.memo, payload, self.progress
        )

    def verified(self, *, everything: bool) -> list[Finding]:
        """The findings with what running both sides showed."""
        sides, payload = self._lanes(SEED), self.corpus.payload
        return verify(
            self.diff.findings,
            self._pairs,
            sides,
            self.executor,
            payload,
            everything=everything,
            progress=self.progress,
        )

    def validated(self, adapter: Adapter) -> list[Finding]:
        """The findings with what real compilers say of both sides, and these compilers' figures."""
        changed = [finding for finding in self.diff.findings if finding.outcome is Outcome.CHANGED]
        rest = [finding for finding in self.diff.findings if finding.outcome is not Outcome.CHANGED]
        found = validate(changed, self._sides, adapter, self.memo, self.progress)
        for finding in found:
            static = {name: both for name, both in finding.figures.items() if name not in _FROM_RESULTS}
            self.tally.add(finding.backend, finding.record, static)
        return found + rest

    def _sides(self, finding: Finding) -> tuple[Result | None, Result | None]:
        pair = self._pairs[finding.record, finding.backend, finding.mode]
        base, head = self._lanes(SEED)
        return self.memo.get(pair.task(base)), self.memo.get(pair.task(head))

    def _tally(self, pair: Pair, base: Result, head: Result) -> None:
        self.tally.add(pair.backend, pair.digest, pair_figures(figures_of(base), figures_of(head)))

    def _lanes(self, seed: int) -> tuple[Lane, Lane]:
        return Lane(self.diff.base.key, seed), Lane(self.diff.head.key, seed)

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
        self._pairs[pair.digest, pair.backend, pair.mode] = pair
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
            figures=pair_figures(figures_of(base), figures_of(head)) if outcome is Outcome.CHANGED else {},
            unstable=self._unstable.get(pair, ()),
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
