"""The report as one page that needs no network: the data is embedded as JSON, and a script shows what is asked for.

The script sets text, never HTML, and the page's security policy lets nothing be loaded; what comes from captures can
therefore do nothing. Equal diffs are embedded once.
"""

import json
from importlib.resources import files
from typing import Any

from replay.cluster import Cluster, changes_in_words
from replay.diff import Diff
from replay.figures import METRICS, Row
from replay.finding import Finding
from replay.outcome import Outcome
from replay.report.escape import visible
from replay.report.text import verdict_line
from replay.report.words import refusals, words_of_approvals, words_of_verification

__all__ = ["MAX_DIFF_BYTES", "render"]

MAX_DIFF_BYTES = 20 << 20
MAX_RESULTS = 50_000
MAX_NOTES = 100


def render(diff: Diff) -> str:
    """The page. What is left out, beyond 20 MB of diffs or 50,000 results, is counted in it."""
    folder = files("replay.report") / "templates"
    page, css, script = ((folder / f"report.{kind}").read_text(encoding="utf-8") for kind in ("html", "css", "js"))
    data = json.dumps(_data(diff), ensure_ascii=False, separators=(",", ":"))
    # no end of the script element, no comment in it; and lone surrogates are no UTF-8
    safe = data.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    page = page.replace("/*CSS*/", css).replace("/*JS*/", script)
    return page.replace("/*DATA*/", safe).encode("utf-8", "replace").decode()


def _data(diff: Diff) -> dict[str, Any]:
    outcomes = [outcome for outcome in Outcome if diff.total(outcome)]
    diffs = _Diffs()
    results = [_result(finding, diffs) for finding in diff.findings[:MAX_RESULTS]]
    left = len(diff.findings) - len(results)
    omitted = [f"{left} results"] if left else []
    omitted += [f"the diffs of {diffs.omitted}"] if diffs.omitted else []
    base, head = (f"{side.revision} ({side.commit[:12]})" for side in (diff.base, diff.head))
    return {
        "verdict": str(diff.verdict),
        "sentence": visible(verdict_line(diff)),
        "revisions": visible(f"{base} → {head}; {diff.records} records; {diff.elapsed_s:.1f} s"),
        "notes": [visible(note) for note in _notes(diff)[:MAX_NOTES]],
        "outcomes": [str(outcome) for outcome in outcomes],
        "totals": [
            [visible(backend), *[str(row[outcome]) for outcome in outcomes]]
            for backend, row in sorted(diff.totals.items())
        ],
        "figures": [_figures(row) for row in diff.figures if row.moved],
        "clusters": [_cluster(cluster) for cluster in diff.clusters],
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
        *changes_in_words(diff.findings)[:20],
    ]


class _Diffs:
    """Every diff once, up to a size."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.omitted = 0
        self._known: dict[str, int] = {}
        self._size = 0

    def number(self, text: str) -> int:
        """The place of a diff among those of the page; -1 for none, and where there is no room."""
        if not text:
            return -1
        if text not in self._known:
            if self._size + len(text) > MAX_DIFF_BYTES:
                self.omitted += 1
                return -1
            self._known[text] = len(self.texts)
            self.texts.append("\n".join(visible(line) for line in text.split("\n")))
            self._size += len(text)
        return self._known[text]


def _result(finding: Finding, diffs: _Diffs) -> dict[str, Any]:
    return {
        "record": finding.record,
        "name": visible(finding.name),
        "backend": visible(finding.backend),
        "mode": finding.mode,
        "outcome": str(finding.outcome),
        "kind": finding.kind or "",
        "cluster": finding.cluster or "",
        "approved": finding.approved is not None,
        "origins": [visible(origin) for origin in finding.provenance],
        "lines": [visible(line) for line in _lines(finding)],
        "diff": diffs.number(finding.diff),
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
        "backends": [visible(backend) for backend in cluster.backends],
        "note": (f" ({kinds})" if kinds else "") + (", approved" if cluster.approved else ""),
    }


def _figures(row: Row) -> list[str]:
    affected = f"{row.affected_base:,.0f} → {row.affected_head:,.0f}"
    everything = f"{row.all_base:,.0f} → {row.all_head:,.0f}"
    return [f"{visible(row.backend)} {METRICS[row.metric]}", str(row.helped), str(row.hurt), affected, everything]
