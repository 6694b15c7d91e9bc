"""The report for people: totals a backend, what could not be compiled, then diffs with the smallest first."""

import io
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from replay.cluster import Cluster, changes_in_words
from replay.diff import Diff
from replay.figures import METRICS, Row
from replay.finding import Finding
from replay.outcome import Outcome, Verdict
from replay.report.escape import one_line, visible
from replay.report.words import refusals, words_of_approvals, words_of_verification
from replay.revision import Revision

__all__ = ["EXPLAINED", "MAX_CLUSTERS", "render", "write"]

MAX_CLUSTERS = 20
MAX_SOURCES = 3
MAX_CHANGES = 10
MAX_LISTED = 20
MAX_LINES = 200
_PIPED_WIDTH = 160
_COLOURS = {
    Outcome.SAME: "green", Outcome.CHANGED: "yellow", Outcome.ERROR: "red", Outcome.FIXED: "cyan",
    Outcome.SAME_ERROR: "dim", Outcome.CRASH: "red", Outcome.TIMEOUT: "red", Outcome.UNSUPPORTED: "magenta",
    Outcome.FLAKY: "magenta", Outcome.MISSING: "red",
}  # fmt: skip
EXPLAINED = {
    Outcome.ERROR: "compiled before, and does not now",
    Outcome.FIXED: "did not compile before, and does now",
    Outcome.CRASH: "the compiler's process died",
    Outcome.TIMEOUT: "no answer in time",
    Outcome.UNSUPPORTED: "a revision cannot read the record",
    Outcome.MISSING: "there is no result",
    Outcome.FLAKY: "differs from itself when compiled twice; not counted as a change",
    Outcome.SAME_ERROR: "fails on both sides, the same way",
}


def render(diff: Diff, show: int = 1) -> str:
    """The report as plain text."""
    buffer = io.StringIO()
    write(diff, Console(file=buffer, width=_PIPED_WIDTH, color_system=None), show)
    return buffer.getvalue()


def write(diff: Diff, console: Console, show: int = 1) -> None:
    """Print the report, with `show` members of each cluster in full; coloured if `console` is a terminal."""
    if not console.is_terminal:
        console.width = _PIPED_WIDTH
    _line(console, f"base {_revision(diff.base)}")
    _line(console, f"head {_revision(diff.head)}")
    _line(console, f"{_plural(diff.records, 'record')} from {', '.join(map(one_line, diff.files))}")
    for note in diff.notes:
        _line(console, f"note: {one_line(note)}")
    for problem in diff.problems:
        _line(console, f"problem: {one_line(problem)}", "red")
    if diff.coverage is not None:
        _line(console, f"note: {one_line(diff.coverage.sentence, 1000)}")
    for sentence in words_of_approvals(diff.approvals):
        _line(console, f"note: {one_line(sentence)}")
    console.print()
    console.print(_table(diff))
    for outcome in EXPLAINED:
        _list(console, outcome, [finding for finding in diff.findings if finding.outcome is outcome])
    _clusters(console, [cluster for cluster in diff.clusters if cluster.outcome is Outcome.CHANGED], show)
    _words(console, changes_in_words(diff.findings))
    _figures(console, diff.figures)
    console.print()
    _line(console, f"{diff.compiled} compiled, {diff.memoised} memoised, {diff.elapsed_s:.1f} s", "dim")
    _line(
        console,
        verdict_line(diff),
        {Verdict.SAME: "bold green", Verdict.CHANGED: "bold yellow"}.get(diff.verdict, "bold red"),
    )


def verdict_line(diff: Diff) -> str:
    """The verdict in one sentence."""
    if diff.verdict is Verdict.SAME:
        if diff.approved:
            return f"same: nothing changed but {_plural(diff.approved, 'approved change')}"
        return f"same: nothing changed in {_plural(diff.total(Outcome.SAME), 'comparison')}"
    counted = [(outcome, diff.total(outcome)) for outcome in Outcome if outcome is not Outcome.SAME]
    said = ", ".join(f"{count} {outcome}" for outcome, count in counted if count)
    if diff.verdict is Verdict.CHANGED:
        return f"changed: {said}"
    return f"unknown: it cannot be told whether anything changed ({said or 'see the problems above'})"


def _line(console: Console, text: str, style: str = "") -> None:
    console.print(Text(text, style=style), soft_wrap=True)


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _revision(revision: Revision) -> str:
    return f"{one_line(revision.revision)} (commit {revision.commit[:12]}, tree {revision.tree[:12]})"


def _table(diff: Diff) -> Table:
    outcomes = [outcome for outcome in Outcome if diff.total(outcome)]
    table = Table(box=None, pad_edge=False)
    table.add_column("backend")
    for outcome in outcomes:
        table.add_column(Text(str(outcome), style=_COLOURS[outcome]), justify="right")
    rows = [(one_line(backend, 40), row) for backend, row in sorted(diff.totals.items())]
    for backend, row in rows:
        table.add_row(Text(backend), *(str(row[outcome]) for outcome in outcomes))
    if len(rows) > 1:
        table.add_row("all", *(str(diff.total(outcome)) for outcome in outcomes), style="bold")
    return table


def _list(console: Console, outcome: Outcome, findings: Sequence[Finding]) -> None:
    if not findings:
        return
    console.print()
    _line(console, f"{outcome} ({EXPLAINED[outcome]}): {len(findings)}", _COLOURS[outcome])
    for finding in findings[:MAX_LISTED]:
        _line(console, f"  {_title(finding)}{_reason(finding)}")
        if finding.reproduce:
            _line(console, f"    {one_line(finding.reproduce, 400)}", "dim")
    if len(findings) > MAX_LISTED:
        _line(console, f"  … and {len(findings) - MAX_LISTED} more (all of them are in --format json)", "dim")


def _clusters(console: Console, clusters: Sequence[Cluster], show: int) -> None:
    if not clusters:
        return
    count = sum(len(cluster.findings) for cluster in clusters)
    console.print()
    some = f", the {MAX_CLUSTERS} largest of them" if len(clusters) > MAX_CLUSTERS else ""
    _line(console, f"changed: {count} in {_plural(len(clusters), 'cluster')}{some}", _COLOURS[Outcome.CHANGED])
    for cluster in clusters[:MAX_CLUSTERS]:
        console.print()
        _cluster(console, cluster, show)
    if len(clusters) > MAX_CLUSTERS:
        console.print()
        _line(console, f"… and {len(clusters) - MAX_CLUSTERS} more (all of them are in --format json)", "dim")


def _cluster(console: Console, cluster: Cluster, show: int) -> None:
    members, kernels = len(cluster.findings), len(cluster.records)
    kinds = ", ".join(f"{count} {kind}" for kind, count in cluster.kinds.items())
    where = f"{', '.join(one_line(name, 40) for name in cluster.backends)}; {', '.join(cluster.modes)}"
    approved = "  approved" if cluster.approved else ""
    counted = f"{_plural(members, 'time')} in {_plural(kernels, 'kernel')}"
    _line(console, f"cluster {cluster.id}  {counted} on {where} ({kinds}){approved}", "bold")
    if cluster.sources:
        rest = len(cluster.sources) - MAX_SOURCES
        more = f" and {rest} more" if rest > 0 else ""
        _line(console, f"  from {', '.join(map(one_line, cluster.sources[:MAX_SOURCES]))}{more}", "dim")
    for finding in _different(cluster.findings)[:show]:
        _member(console, finding)


def _different(findings: Sequence[Finding]) -> list[Finding]:
    """Without those whose diff is another's: one kernel, pinned and free or on two backends."""
    return list({(finding.record, finding.diff): finding for finding in reversed(findings)}.values())[::-1]


def _member(console: Console, finding: Finding) -> None:
    _line(console, f"  {_title(finding)}")
    for change in finding.changes[:MAX_CHANGES]:
        _line(console, f"  {one_line(change)}")
    if finding.verification is not None:
        _line(console, f"  {finding.kind}: {one_line(words_of_verification(finding.verification))}")
    for side, message in refusals(finding):
        _line(console, f"  {side} is refused by its compiler: {one_line(message)}", "red")
    lines = finding.diff.split("\n")
    for line in lines[:MAX_LINES]:
        _line(console, visible(line), _diff_style(line))
    if len(lines) > MAX_LINES:
        _line(console, f"… {len(lines) - MAX_LINES} more lines", "dim")


def _words(console: Console, sentences: Sequence[str]) -> None:
    if not sentences:
        return
    console.print()
    _line(console, "besides the sources")
    for sentence in sentences[:MAX_CHANGES]:
        _line(console, f"  {one_line(sentence)}")
    if len(sentences) > MAX_CHANGES:
        _line(console, f"  … and {len(sentences) - MAX_CHANGES} more (all of them are in --format json)", "dim")


def _figures(console: Console, rows: Sequence[Row]) -> None:
    moved = [row for row in rows if row.moved]
    if not moved:
        return
    console.print()
    table = Table(box=None, pad_edge=False)
    for heading in ("figures", "helped", "hurt", "affected", "", "all", ""):
        table.add_column(heading, justify="left" if heading == "figures" else "right")
    for row in moved:
        affected = (row.affected_base, row.affected_head)
        table.add_row(
            Text(f"{one_line(row.backend, 40)} {METRICS[row.metric]}"),
            str(row.helped),
            str(row.hurt),
            *_change(*affected),
            *_change(row.all_base, row.all_head),
        )
    console.print(table)


def _change(base: float, head: float) -> tuple[str, str]:
    """`1200 -> 1100` and `-8.3 %`."""
    share = f"{(head - base) / base:+.1%}" if base else "new" if head else "0"
    return f"{base:,.0f} -> {head:,.0f}", share


def _title(finding: Finding) -> str:
    return f"{one_line(finding.name, 80)}  {finding.record[:12]}  {one_line(finding.backend, 40)} {finding.mode}"


def _reason(finding: Finding) -> str:
    if finding.error is None:
        return ""
    error = finding.error
    side = "" if error["side"] == "both" else f" at {error['side']}"
    place = f"{error['field']}: " if error.get("field") else ""
    return f"  {one_line(error['type'], 80)}{side}: {one_line(place + error['message'])}"


def _diff_style(line: str) -> str:
    if line.startswith(("---", "+++")):
        return "bold"
    return {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "")
