"""The report as GitHub's Markdown, for a step summary or a comment: at most 60,000 characters, whatever changed."""

from collections.abc import Iterator, Sequence

from replay.cluster import Cluster, changes_in_words
from replay.diff import Diff
from replay.figures import METRICS
from replay.finding import Finding
from replay.outcome import Outcome, Verdict
from replay.report.escape import one_line, visible
from replay.report.text import EXPLAINED, verdict_line
from replay.report.words import refusals, words_of_approvals, words_of_verification

__all__ = ["MAX_CHARACTERS", "render"]

MAX_CHARACTERS = 60_000
_REST = 400  # kept for saying what was left out
MAX_DIFF = 6_000
MAX_LISTED = 20
MAX_SENTENCES = 10
_SIGNS = {Verdict.SAME: "✅", Verdict.CHANGED: "🔶", Verdict.UNKNOWN: "❓"}
_SPECIAL = frozenset("\\`*_{}[]<>#+!|~&@$")


def render(diff: Diff) -> str:
    """The report: what matters most comes first, and what does not fit is counted."""
    parts = list(_head(diff))
    used = sum(map(len, parts))
    clusters = [cluster for cluster in diff.clusters if cluster.outcome is Outcome.CHANGED]
    blocks = [*_failures(diff), *(_cluster(cluster) for cluster in clusters), *_tail(diff)]
    for number, block in enumerate(blocks):
        if used + len(block) > MAX_CHARACTERS - _REST:
            left = len(blocks) - number
            parts.append(f"\n_{left} more sections do not fit here; all of them are in the JSON and HTML reports._\n")
            break
        parts.append(block)
        used += len(block)
    return "".join(parts)


def _head(diff: Diff) -> Iterator[str]:
    yield f"## {_SIGNS[diff.verdict]} {escape(verdict_line(diff))}\n\n"
    base, head = (f"{escape(side.revision)} ({side.commit[:12]})" for side in (diff.base, diff.head))
    yield f"{diff.records} records on {base} and {head}.\n\n"
    covered = [diff.coverage.sentence] if diff.coverage is not None else []
    sentences = [*diff.problems, *diff.notes, *covered, *words_of_approvals(diff.approvals)]
    for sentence in sentences[:MAX_SENTENCES]:
        yield f"- {escape(one_line(sentence))}\n"
    if len(sentences) > MAX_SENTENCES:
        yield f"- … and {len(sentences) - MAX_SENTENCES} more\n"
    outcomes = [outcome for outcome in Outcome if diff.total(outcome)]
    if outcomes:
        yield f"\n| backend | {' | '.join(map(str, outcomes))} |\n|---|{'---:|' * len(outcomes)}\n"
        for backend, row in sorted(diff.totals.items())[:40]:
            yield f"| {escape(one_line(backend, 40))} | {' | '.join(str(row[outcome]) for outcome in outcomes)} |\n"
        yield "\n"


def _failures(diff: Diff) -> Iterator[str]:
    for outcome, meaning in EXPLAINED.items():
        found = [finding for finding in diff.findings if finding.outcome is outcome]
        if found and outcome is not Outcome.SAME_ERROR:
            lines = [_failure(finding) for finding in found[:MAX_LISTED]]
            if len(found) > MAX_LISTED:
                lines.append(f"- … and {len(found) - MAX_LISTED} more")
            yield _folded(f"<b>{outcome}</b>: {len(found)} ({meaning})", "\n".join(lines))


def _failure(finding: Finding) -> str:
    reason = ""
    if finding.error is not None:
        reason = f": {escape(one_line(finding.error['type'], 80))}: {escape(one_line(finding.error['message'], 300))}"
    command = f"<br>{code(finding.reproduce)}" if finding.reproduce else ""
    return f"- {_title(finding)}{reason}{command}"


def _title(finding: Finding) -> str:
    where = f"{escape(one_line(finding.backend, 40))} {finding.mode}"
    return f"{code(one_line(finding.name, 80))} {finding.record[:12]} on {where}"


def _cluster(cluster: Cluster) -> str:
    kinds = ", ".join(f"{count} {kind}" for kind, count in cluster.kinds.items())
    backends = ", ".join(escape(one_line(name, 40)) for name in cluster.backends[:12])
    approved = ", approved" if cluster.approved else ""
    counted = f"{len(cluster.findings)} changes of {len(cluster.records)} kernels on {backends}"
    summary = f"cluster <b>{cluster.id}</b>: {counted} ({kinds}){approved}"
    return _folded(summary, _member(cluster.smallest, cluster.sources))


def _member(finding: Finding, sources: Sequence[str]) -> str:
    lines = [f"The smallest is {_title(finding)}."]
    if sources:
        lines.append(f"From {', '.join(escape(one_line(source, 120)) for source in sources[:3])}.")
    lines += [f"- {escape(one_line(change, 200))}" for change in finding.changes[:MAX_SENTENCES]]
    if finding.verification is not None:
        lines.append(f"- {finding.kind}: {escape(one_line(words_of_verification(finding.verification), 300))}")
    lines += [f"- {side} is refused by its compiler: {escape(one_line(said, 300))}" for side, said in refusals(finding)]
    return "\n".join(lines) + "\n\n" + fenced(finding.diff)


def _tail(diff: Diff) -> Iterator[str]:
    sentences = changes_in_words(diff.findings)
    if sentences:
        rest = [f"- … and {len(sentences) - MAX_LISTED} more"] if len(sentences) > MAX_LISTED else []
        lines = [f"- {escape(one_line(sentence, 200))}" for sentence in sentences[:MAX_LISTED]]
        yield _folded("besides the sources", "\n".join(lines + rest))
    moved = [row for row in diff.figures if row.moved]
    if moved:
        lines = ["| figures | helped | hurt | affected | all |", "|---|---:|---:|---:|---:|"]
        for row in moved[:60]:
            affected = f"{row.affected_base:,.0f} → {row.affected_head:,.0f}"
            everything = f"{row.all_base:,.0f} → {row.all_head:,.0f}"
            name = f"{escape(one_line(row.backend, 40))} {METRICS[row.metric]}"
            lines.append(f"| {name} | {row.helped} | {row.hurt} | {affected} | {everything} |")
        yield _folded("figures", "\n".join(lines))


def _folded(summary: str, body: str) -> str:
    return f"<details><summary>{summary}</summary>\n\n{body}\n\n</details>\n"


def fenced(diff: str) -> str:
    """A diff as a block of code, with a fence that nothing in it ends."""
    text = "\n".join(visible(line) for line in diff.split("\n"))
    if len(text) > MAX_DIFF:
        text = text[:MAX_DIFF].rpartition("\n")[0] + "\n… the rest is in the other reports"
    longest = max((len(run) for run in _runs(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}diff\n{text}\n{fence}"


def _runs(text: str) -> Iterator[str]:
    """The runs of backticks in a text."""
    run = ""
    for character in f"{text} ":
        if character == "`":
            run += character
        elif run:
            yield run
            run = ""


def escape(text: str) -> str:
    """Text that Markdown and HTML take for nothing but text: no links, mentions, images or tags."""
    return "".join(f"&#{ord(character)};" if character in _SPECIAL else character for character in text)


def code(text: str) -> str:
    """Text as code, in HTML, where no character of it means anything."""
    return f"<code>{escape(visible(text))}</code>"
