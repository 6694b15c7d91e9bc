"""The report as GitHub's Markdown, for a step summary or a comment: at most 60,000 characters, whatever changed."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

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
MIN_DIFF = 1_000
ALL_DIFFS = 40_000  # characters that the clusters' diffs share
MAX_LINE = 1_000
MAX_LISTED = 20
MAX_LIST = 5_000  # characters of a list or table, so that no text of a stranger's takes the place of all else
MAX_SENTENCES = 10
_SIGNS = {Verdict.SAME: "✅", Verdict.CHANGED: "🔶", Verdict.UNKNOWN: "❓"}
_SPECIAL = frozenset("\\`*_{}[]<>#+!|~&@$")
# What GitHub makes links, mentions and references of. It does so after entities are decoded, so these are cut in two.
_LINKED = re.compile(r"(?<=[@#])|(?<=:)(?=//)|(?<=www)(?=\.)|(?<=gh)(?=-\d)", re.IGNORECASE)
_CUT = "&#8203;"


@dataclass(frozen=True, slots=True)
class _Block:
    """A part that is shown whole or not at all: a cluster of `changes` findings, or the list called `name`."""

    name: str
    changes: int
    text: str


def render(diff: Diff) -> str:
    """The report: what matters most comes first, and what does not fit is counted."""
    parts = list(_head(diff))
    used = sum(map(len, parts))
    clusters = [cluster for cluster in diff.clusters if cluster.outcome is Outcome.CHANGED]
    room = min(MAX_DIFF, max(MIN_DIFF, ALL_DIFFS // max(1, len(clusters))))
    left: list[_Block] = []
    for block in [*_words(diff), *_failures(diff), *_figures(diff), *(_cluster(one, room) for one in clusters)]:
        if used + len(block.text) > MAX_CHARACTERS - _REST:
            left.append(block)
        else:
            parts.append(block.text)
            used += len(block.text)
    return "".join(parts) + _left_out(left)


def _left_out(left: Sequence[_Block]) -> str:
    changes = [block.changes for block in left if block.changes]
    named = [block.name for block in left if not block.changes]
    said = [f"{len(changes)} clusters with {sum(changes)} changes"] if changes else []
    said += [f"the lists of {', '.join(named)}"] if named else []
    return f"\n_Left out here: {'; '.join(said)}. All of it is in the JSON and HTML reports._\n" if said else ""


def _head(diff: Diff) -> Iterator[str]:
    yield f"## {_SIGNS[diff.verdict]} {_plain(verdict_line(diff))}\n\n"
    base, head = (f"{_plain(side.revision, 100)} ({side.commit[:12]})" for side in (diff.base, diff.head))
    yield f"{diff.records} records on {base} and {head}.\n\n"
    covered = [diff.coverage.sentence] if diff.coverage is not None else []
    sentences = [*diff.problems, *diff.notes, *covered, *words_of_approvals(diff.approvals)]
    yield _listed([f"- {_plain(sentence)}" for sentence in sentences], MAX_SENTENCES)
    outcomes = [outcome for outcome in Outcome if diff.total(outcome)]
    if outcomes:
        yield f"\n| backend | {' | '.join(map(str, outcomes))} |\n|---|{'---:|' * len(outcomes)}\n"
        if len(diff.totals) > 1:
            yield f"| **all** | {' | '.join(f'**{diff.total(outcome)}**' for outcome in outcomes)} |\n"
        rows = [
            f"| {_plain(backend, 40)} | {' | '.join(str(row[outcome]) for outcome in outcomes)} |"
            for backend, row in sorted(diff.totals.items())
        ]
        yield _listed(rows, 40, "| … and {} more |") + "\n"


def _listed(lines: Sequence[str], most: int = MAX_LISTED, rest: str = "- … and {} more") -> str:
    """The first lines, as many as may be and fit, and how many more there are."""
    kept: list[str] = []
    for line in lines[:most]:
        if sum(map(len, kept)) + len(line) > MAX_LIST:
            break
        kept.append(line)
    if len(kept) < len(lines):
        kept.append(rest.format(len(lines) - len(kept)))
    return "".join(f"{line}\n" for line in kept)


def _failures(diff: Diff) -> Iterator[_Block]:
    for outcome, meaning in EXPLAINED.items():
        found = [finding for finding in diff.findings if finding.outcome is outcome]
        if found and outcome is not Outcome.SAME_ERROR:
            lines = [_failure(finding) for finding in found[:MAX_LISTED]]
            lines += [""] * (len(found) - len(lines))  # they are only counted
            yield _Block(str(outcome), 0, _folded(f"<b>{outcome}</b>: {len(found)} ({meaning})", _listed(lines)))


def _failure(finding: Finding) -> str:
    reason = ""
    if finding.error is not None:
        reason = f": {_plain(finding.error['type'], 80)}: {_plain(finding.error['message'])}"
    approved = ", approved" if finding.approved is not None else ""
    command = f"<br>{code(finding.reproduce, 400)}" if finding.reproduce else ""
    return f"- {_title(finding)}{approved}{reason}{command}"


def _title(finding: Finding) -> str:
    return f"{code(finding.name, 80)} {finding.record[:12]} on {_plain(finding.backend, 40)} {finding.mode}"


def _cluster(cluster: Cluster, room: int) -> _Block:
    kinds = ", ".join(f"{count} {kind}" for kind, count in cluster.kinds.items())
    said = f" ({kinds})" if kinds else ""
    backends = _some([_plain(name, 40) for name in cluster.backends], 12)
    approved = ", approved" if cluster.approved else ""
    count, kernels = len(cluster.findings), len(cluster.records)
    counted = f"{count} change{'s' * (count != 1)} of {kernels} kernel{'s' * (kernels != 1)} on {backends}"
    summary = f"cluster <b>{cluster.id}</b>: {counted}{said}{approved}"
    return _Block(cluster.id, count, _folded(summary, _member(cluster.smallest, cluster.sources, room)))


def _some(names: Sequence[str], most: int) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _member(finding: Finding, sources: Sequence[str], room: int) -> str:
    said = f"The smallest is {_title(finding)}.\n"
    if sources:
        said += f"From {_some([_plain(source, 120) for source in sources], 3)}.\n"
    facts = [f"- {_plain(change, 200)}" for change in finding.changes]
    if finding.approved is not None:
        facts.insert(0, f"- approved: {_plain(finding.approved)}")
    if finding.verification is not None:
        facts.insert(0, f"- {finding.kind}: {_plain(words_of_verification(finding.verification))}")
    refused = [f"- {side} is refused by its compiler: {_plain(message)}" for side, message in refusals(finding)]
    return f"{said}\n{_listed([*refused, *facts], MAX_SENTENCES)}\n{fenced(finding.diff, room)}"


def _words(diff: Diff) -> Iterator[_Block]:
    sentences = changes_in_words(diff.findings)
    if sentences:
        lines = [f"- {_plain(sentence, 200)}" for sentence in sentences]
        yield _Block("what changed besides the sources", 0, _folded("besides the sources", _listed(lines)))


def _figures(diff: Diff) -> Iterator[_Block]:
    moved = [row for row in diff.figures if row.moved]
    if not moved:
        return
    lines = []
    for row in moved:
        affected = f"{row.affected_base:,.0f} → {row.affected_head:,.0f}"
        everything = f"{row.all_base:,.0f} → {row.all_head:,.0f}"
        name = f"{_plain(row.backend, 40)} {METRICS[row.metric]}"
        lines.append(f"| {name} | {row.helped} | {row.hurt} | {affected} | {everything} |")
    heads = "| figures | helped | hurt | affected | all |\n|---|---:|---:|---:|---:|\n"
    yield _Block("figures", 0, _folded("figures", heads + _listed(lines, 60, "| … and {} more |")))


def _folded(summary: str, body: str) -> str:
    return f"<details><summary>{summary}</summary>\n\n{body}\n</details>\n"


def fenced(diff: str, room: int = MAX_DIFF) -> str:
    """A diff as a block of code, with a fence that nothing in it ends; long lines and what is beyond `room` are cut."""
    if not diff:
        return ""
    lines = [_short(visible(line)) for line in diff.split("\n")]
    kept: list[str] = []
    size = 0
    for line in lines:
        size += len(line) + 1
        if size > room:
            kept.append(f"… {len(lines) - len(kept)} more lines are in the other reports")
            break
        kept.append(line)
    text = "\n".join(kept)
    fence = "`" * max(3, _longest_run(text) + 1)
    return f"{fence}diff\n{text}\n{fence}\n"


def _short(line: str) -> str:
    return line if len(line) <= MAX_LINE else f"{line[: MAX_LINE - 1]}…"


def _longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)


def _plain(text: str, limit: int = 300) -> str:
    return escape(one_line(text, limit))


def escape(text: str) -> str:
    """Text that Markdown, HTML and GitHub take for nothing but text: no links, mentions, references, images or tags."""
    # cut from the end on, so that the places before stay what they are
    for place in reversed([found.start() for found in _LINKED.finditer(text)]):
        text = f"{text[:place]}\0{text[place:]}"
    shown = (f"&#{ord(character)};" if character in _SPECIAL else character for character in text)
    return "".join(shown).replace("\0", _CUT)


def code(text: str, limit: int = 300) -> str:
    """Text as a span of code that nothing in it ends, as it is to be copied."""
    line = one_line(text, limit).strip()
    ticks = "`" * (_longest_run(line) + 1)
    return f"{ticks} {line} {ticks}" if line else "(no name)"
