"""The JUnit report: the form that Jenkins' schema (xunit-plugin, junit-10.xsd) asks for, and its size."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from replay.diff import Diff
from replay.outcome import Outcome
from replay.report import junit
from tests.replay.report.test_formats import HOSTILE, REVISION, every_outcome, finding

# element: (required attributes, other attributes, children)
FORM = {
    "testsuites": ("", "name time tests failures errors", "testsuite"),
    "testsuite": ("name tests failures errors", "time skipped", "properties testcase"),
    "properties": ("", "", "property"),
    "property": ("name value", "", ""),
    "testcase": ("name", "time classname", "skipped error failure"),
    "failure": ("", "type message", ""),
    "error": ("", "type message", ""),
    "skipped": ("", "type message", ""),
}


def check(element: ElementTree.Element) -> None:
    required, other, children = (set(names.split()) for names in FORM[element.tag])
    assert required <= set(element.attrib) <= required | other, element.tag
    for child in element:
        assert child.tag in children, f"{child.tag} in {element.tag}"
        check(child)


def parsed(diff: Diff) -> ElementTree.Element:
    return ElementTree.fromstring(junit.render(diff).encode())


@pytest.mark.parametrize("text", ["plain", HOSTILE, "\ufffe\uffff\x9b\u202e\r\n"])
def test_it_has_the_form_of_the_schema(text: str) -> None:
    root = parsed(every_outcome(text))
    check(root)
    for suite in root:
        cases = suite.findall("testcase")
        assert int(suite.get("tests", "")) == len(cases)
        for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(suite.get(name, "")) == sum(case.find(tag) is not None for case in cases)


def test_an_empty_diff_is_a_document_too() -> None:
    root = parsed(Diff(REVISION, REVISION, []))
    check(root)
    assert (root.get("tests"), list(root)) == ("0", [])


def test_what_a_reader_of_logs_would_obey_is_written_out() -> None:
    text = junit.render(every_outcome("\x1b[2J\x9b\u202e\x00"))
    assert not set(text) & {"\x1b", "\x9b", "\u202e", "\x00"}
    assert "\\x1b[2J\\x9b\\u202e\\x00" in text


def test_long_text_is_cut_and_says_so() -> None:
    diff = Diff(REVISION, REVISION, [])
    diff.findings = [
        finding(Outcome.CHANGED, record=f"{number:032x}", name="n" * 9000, diff="x" * 30_000) for number in range(1000)
    ]
    for found in diff.findings:
        diff.count(found.backend, found.outcome)
    text = junit.render(diff)
    assert len(text) < 1.2 * junit.MAX_ALL_TEXT
    root = ElementTree.fromstring(text)
    assert root.findall("testsuite/properties/property[@name='cut']")[0].get("value") == "the text of 1000 cases"
    failures = root.findall(".//failure")
    assert len(failures) == 1000
    assert all("cut here" in (failure.text or "") for failure in failures)
