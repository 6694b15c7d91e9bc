"""The report as one page that needs no network: the data is embedded as JSON, and a script shows what is asked for.

The script sets text, never HTML, and the page's security policy lets nothing be loaded and nothing run but the one
script, named by its hash; what comes from captures can therefore do nothing. Equal diffs are embedded once.
"""

import base64
import hashlib
import json
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from replay.cluster import Cluster, changes_in_words
from replay.diff import Diff
from replay.figures import METRICS, Row
from replay.finding import Finding
from replay.outcome import Outcome
from replay.report.escape import one_line, visible
from replay.report.text import verdict_line
from replay.report.words import refusals, words_of_approvals, words_of_verification

__all__ = ["MAX_DIFF_BYTES", "render"]

MAX_DIFF_BYTES = 20 << 20
"""Of the page, for diffs."""
MAX_FACT_BYTES = 10 << 20
"""Of the page, for what else is said of single results."""
MAX_RESULTS = 50_000
MAX_NOTES = 100
MAX_WORDS = 20
MAX_FACTS = 50
MAX_LINE = 2_000
MAX_ORIGINS = 20
NO_DIFF, NO_ROOM = -1, -2


def render(diff: Diff) -> str:
    """The page. It says itself what is left out, where there is more than the limits above."""
    folder = files("replay.report") / "templates"
    page, css, script = ((folder / f"report.{kind}").read_text(encoding="utf-8") for kind in ("html", "css", "js"))
    page = page.replace("CSS-HASH", _hash(css)).replace("JS-HASH", _hash(script))
    page = page.replace("/*CSS*/", css).replace("/*JS*/", script)
    return page.replace("/*DATA*/", _embedded(_data(diff))).encode("utf-8", "replace").decode()


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _embedded(data: Any) -> str:
    """JSON that ends no script element and begins no comment in it."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _size(data: Any) -> int:
    """How many bytes it takes in the page."""
    return len(_embedded(data).encode("utf-8", "replace"))


def _data(diff: Diff) -> dict[str, Any]:
    outcomes = [outcome for outcome in Outcome if diff.total(outcome)]
    clusters = diff.clusters
    names = {id(finding): cluster.id for cluster in clusters for finding in cluster.findings}
    diffs, facts = _Diffs(), _Facts()
    results = [_result(finding, names[id(finding)], diffs, facts) for finding in diff.findings[:MAX_RESULTS]]
    left = len(diff.findings) - len(results)
    omitted = [f"{left} results"] if left else []
    omitted += [f"the diffs of {diffs.omitted}"] if diffs.omitted else []
    omitted += [f"what is said of {facts.omitted}"] if facts.omitted else []
    base, head = (f"{one_line(side.revision)} ({side.commit[:12]})" for side in (diff.base, diff.head))
    everything = [["all", *[str(diff.total(outcome)) for outcome in outcomes]]] if len(diff.totals) > 1 else []
    return {
        "verdict": str(diff.verdict),
        "sentence": visible(verdict_line(diff)),
        "revisions": visible(f"{base} → {head}; {diff.records} records; {diff.elapsed_s:.1f} s"),
        "notes": [_short(note) for note in _first(_notes(diff), MAX_NOTES)],
        "outcomes": [str(outcome) for outcome in outcomes],
        "totals": everything
        + [
            [one_line(backend), *[str(row[outcome]) for outcome in outcomes]]
            for backend, row in sorted(diff.totals.items())
        ],
        "figures": [_figures(row) for row in diff.figures if row.moved],
        "clusters": [_cluster(cluster) for cluster in clusters],
        "results": results,
        "diffs": diffs.texts,
        "omitted": f"; not in this page: {', '.join(omitted)}" if omitted else "",
    }


def _notes(diff: Diff) -> list[str]:
    problems = [f"problem: {problem}" for problem in diff.problems]
    covered = [diff.coverage.sentence] if diff.coverage is not None else []
    return [
        *problems,
        *diff.notes,
        *covered,
        *words_of_approvals(diff.approvals),
        *_first(changes_in_words(diff.findings), MAX_WORDS),
    ]


def _short(text: str) -> str:
    shown = visible(text)
    return shown if len(shown) <= MAX_LINE else f"{shown[: MAX_LINE - 1]}…"


def _first(texts: Sequence[str], most: int) -> list[str]:
    rest = len(texts) - most
    return [*texts[:most], f"… and {rest} more, in the JSON report"] if rest > 0 else list(texts)


class _Diffs:
    """Every diff once, up to a size."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.omitted = 0
        self._known: dict[str, int] = {}
        self._size = 0

    def number(self, text: str) -> int:
        """The place of a diff among those of the page, or `NO_DIFF` or `NO_ROOM`."""
        if not text:
            return NO_DIFF
        if text not in self._known:
            shown = "\n".join(visible(line) for line in text.split("\n"))
            size = _size(shown)
            fits = self._size + size <= MAX_DIFF_BYTES
            self._known[text] = len(self.texts) if fits else NO_ROOM
            if fits:
                self.texts.append(shown)
                self._size += size
        number = self._known[text]
        self.omitted += number == NO_ROOM
        return number


class _Facts:
    """What is said of results besides their diffs, up to a size."""

    def __init__(self) -> None:
        self.omitted = 0
        self._size = 0

    def fit(self, facts: dict[str, list[str]]) -> dict[str, list[str]]:
        """The facts, or where there is no room that they are elsewhere."""
        size = _size(facts)
        if self._size + size > MAX_FACT_BYTES:
            self.omitted += 1
            return {"origins": [], "lines": ["what is said of it is in the JSON report: there was no room here"]}
        self._size += size
        return facts


def _result(finding: Finding, cluster: str, diffs: _Diffs, facts: _Facts) -> dict[str, Any]:
    origins = [one_line(origin) for origin in _first(finding.provenance, MAX_ORIGINS)]
    lines = [_short(line) for line in _first(_lines(finding), MAX_FACTS)]
    return {
        "record": finding.record,
        "name": one_line(finding.name),
        "backend": one_line(finding.backend),
        "mode": finding.mode,
        "outcome": str(finding.outcome),
        "kind": finding.kind or "",
        "cluster": cluster,
        "approved": finding.approved is not None,
        "diff": diffs.number(finding.diff),
        **facts.fit({"origins": origins, "lines": lines}),
    }


def _lines(finding: Finding) -> list[str]:
    said = []
    if finding.error is not None:
        said.append(f"{finding.error['type']} on {finding.error['side']}: {finding.error['message']}")
    if finding.reproduce:
        said.append(f"reproduce it with: {finding.reproduce}")
    if finding.approved is not None:
        said.append(f"approved: {finding.approved}")
    if finding.verification is not None:
        said.append(words_of_verification(finding.verification))
    said += [f"{side} is refused by its compiler: {message}" for side, message in refusals(finding)]
    return said + finding.changes


def _cluster(cluster: Cluster) -> dict[str, Any]:
    kinds = ", ".join(f"{count} {kind}" for kind, count in cluster.kinds.items())
    return {
        "id": cluster.id,
        "outcome": str(cluster.outcome),
        "count": len(cluster.findings),
        "records": len(cluster.records),
        "backends": [one_line(backend) for backend in cluster.backends],
        "note": (f" ({kinds})" if kinds else "") + (", approved" if cluster.approved else ""),
    }


def _figures(row: Row) -> list[str]:
    affected = f"{row.affected_base:,.0f} → {row.affected_head:,.0f}"
    everything = f"{row.all_base:,.0f} → {row.all_head:,.0f}"
    return [f"{one_line(row.backend)} {METRICS[row.metric]}", str(row.helped), str(row.hurt), affected, everything]
