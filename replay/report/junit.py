"""The report as JUnit XML: a suite a backend, a case a finding, and one case for all pairs that are the same."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from xml.etree import ElementTree

from replay.diff import Diff
from replay.finding import Finding
from replay.outcome import CHANGES, UNKNOWNS, Outcome
from replay.report.escape import one_line, visible
from replay.report.text import EXPLAINED, verdict_line

__all__ = ["render"]

MAX_TEXT = 20_000  # characters of one case
MAX_ALL_TEXT = 10_000_000  # characters of all of them
MAX_NAME = 200
_ILLEGAL = re.compile("[^\\t\\n\\r -\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")
_CUT = "cut here; the JSON and HTML reports have the rest"


@dataclass(slots=True)
class _Room:
    """How many characters of text may still be written, and from how many cases some were left out."""

    left: int = MAX_ALL_TEXT
    cut: int = 0

    def take(self, text: str) -> str:
        """As much of the text as there is room for."""
        room = min(MAX_TEXT, self.left)
        if len(text) > room:
            self.cut += 1
            text = f"{text[:room]}\n… {_CUT}" if room else f"… {_CUT}"
        self.left -= min(len(text), room)
        return text


def render(diff: Diff) -> str:
    """A document for CI systems: a change is a failure, what could not be told an error, what is flaky skipped."""
    root = ElementTree.Element("testsuites", {"name": "replay", "time": f"{diff.elapsed_s:.3f}"})
    by_backend: dict[str, list[Finding]] = {}
    for finding in diff.findings:
        by_backend.setdefault(finding.backend, []).append(finding)
    room = _Room()
    for backend, row in sorted(diff.totals.items()):
        _suite(root, diff, backend, row[Outcome.SAME], by_backend.get(backend, []), room)
    if diff.problems:
        suite = _element(root, "testsuite", name="captures", tests="1", failures="0", errors="1", skipped="0")
        case = _element(suite, "testcase", classname="replay", name="captures are readable")
        text = _element(case, "error", type="problem", message=clean(diff.problems[0])[:1000])
        text.text = room.take(clean("\n".join(diff.problems)))
    for name in ("tests", "failures", "errors"):  # the schema of the root knows no `skipped`
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in root)))
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _suite(
    root: ElementTree.Element, diff: Diff, backend: str, same: int, findings: Iterable[Finding], room: _Room
) -> None:
    named = _name(backend)
    suite = _element(root, "testsuite", name=named)
    properties = _element(suite, "properties")
    _element(properties, "property", name="verdict", value=clean(verdict_line(diff)))
    counts = {"tests": 0, "failures": 0, "errors": 0, "skipped": 0}
    before = room.cut
    if same:
        counts["tests"] += 1
        _element(suite, "testcase", classname=f"replay.{named}", name=f"{same} pairs are the same")
    for finding in findings:
        counts["tests"] += 1
        name = f"{_name(finding.name)} {clean(finding.record[:12])} {finding.mode}"
        case = _element(suite, "testcase", classname=f"replay.{named}", name=name)
        kind = _kind(finding)
        if kind is not None:
            counts[{"failure": "failures", "error": "errors", "skipped": "skipped"}[kind]] += 1
            shown = _element(case, kind, type=str(finding.outcome), message=_message(finding))
            shown.text = room.take(clean(_body(finding)))
    if room.cut > before:
        _element(properties, "property", name="cut", value=f"the text of {room.cut - before} cases")
    for name, count in counts.items():
        suite.set(name, str(count))


def _name(text: str) -> str:
    return clean(one_line(text, MAX_NAME))


def _kind(finding: Finding) -> str | None:
    if finding.outcome in CHANGES:
        return "skipped" if finding.approved is not None else "failure"
    if finding.outcome in UNKNOWNS:
        return "error"
    return "skipped" if finding.outcome is Outcome.FLAKY else None


def _message(finding: Finding) -> str:
    said = f"{finding.outcome}: {EXPLAINED.get(finding.outcome, 'the source or the launch dimensions differ')}"
    approved = f"; approved: {finding.approved}" if finding.approved is not None else ""
    cluster = f"; cluster {finding.cluster}" if finding.cluster else ""
    return clean(f"{said}{cluster}{approved}")[:1000]


def _body(finding: Finding) -> str:
    error = finding.error
    reason = f"{error['type']} on {error['side']}: {error['message']}" if error else ""
    return "\n".join(part for part in (reason, finding.reproduce, *finding.changes, finding.diff) if part)


def _element(parent: ElementTree.Element, tag: str, **attributes: str) -> ElementTree.Element:
    return ElementTree.SubElement(parent, tag, attributes)


def clean(text: str) -> str:
    """Text without what a terminal or a reader of logs obeys, and without what XML 1.0 does not allow."""
    return _ILLEGAL.sub("\N{REPLACEMENT CHARACTER}", visible(text))
