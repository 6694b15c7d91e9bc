"""The report as JUnit XML: a suite a backend, a case a finding, and one case for all pairs that are the same."""

from collections.abc import Iterable
from xml.etree import ElementTree

from replay.diff import Diff
from replay.finding import Finding
from replay.outcome import CHANGES, UNKNOWNS, Outcome
from replay.report.text import EXPLAINED, verdict_line

__all__ = ["render"]

MAX_TEXT = 20_000


def render(diff: Diff) -> str:
    """A document for CI systems: a change is a failure, what could not be told an error, what is flaky skipped."""
    root = ElementTree.Element("testsuites", {"name": "replay", "time": f"{diff.elapsed_s:.3f}"})
    for backend, row in sorted(diff.totals.items()):
        found = [finding for finding in diff.findings if finding.backend == backend]
        _suite(root, backend, row[Outcome.SAME], found)
    if diff.problems:
        suite = _element(root, "testsuite", name="captures", tests="1", failures="0", errors="1", skipped="0")
        case = _element(suite, "testcase", classname="replay", name="captures are readable")
        _element(case, "error", message=clean(diff.problems[0])[:1000]).text = clean("\n".join(diff.problems))[
            :MAX_TEXT
        ]
    for name in ("tests", "failures", "errors", "skipped"):
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in root)))
    ElementTree.SubElement(root, "properties").append(
        ElementTree.Element("property", {"name": "verdict", "value": clean(verdict_line(diff))})
    )
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _suite(root: ElementTree.Element, backend: str, same: int, findings: Iterable[Finding]) -> None:
    suite = _element(root, "testsuite", name=clean(backend))
    counts = {"tests": 0, "failures": 0, "errors": 0, "skipped": 0}
    if same:
        counts["tests"] += 1
        _element(suite, "testcase", classname=clean(f"replay.{backend}"), name=f"{same} pairs are the same")
    for finding in findings:
        counts["tests"] += 1
        name = clean(f"{finding.name} {finding.record[:12]} {finding.mode}")
        case = _element(suite, "testcase", classname=clean(f"replay.{backend}"), name=name)
        kind = _kind(finding)
        if kind is not None:
            counts[{"failure": "failures", "error": "errors", "skipped": "skipped"}[kind]] += 1
            _element(case, kind, message=_message(finding)).text = clean(_body(finding))[:MAX_TEXT]
    for name, count in counts.items():
        suite.set(name, str(count))


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
    """Text without the characters that XML 1.0 does not allow."""
    return "".join(character if _allowed(ord(character)) else "\N{REPLACEMENT CHARACTER}" for character in text)


def _allowed(code: int) -> bool:
    return code in (0x9, 0xA, 0xD) or 0x20 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD or 0x10000 <= code <= 0x10FFFF
