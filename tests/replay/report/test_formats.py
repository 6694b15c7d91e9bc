"""The reports for browsers, comments and CI: their form, their size, and that hostile text does nothing in them."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest

from replay.diff import Diff
from replay.figures import Row
from replay.finding import Finding
from replay.outcome import Outcome
from replay.report import html, junit, markdown
from replay.report import json as json_report
from replay.revision import Revision

SCHEMA = Path(__file__).resolve().parents[3] / "docs/report.schema.json"
REVISION = Revision("main", "c" * 40, "1" * 40, Path())
HOSTILE = "</script><script>alert(1)</script>`````@team [x](javascript:1) <img src=x> \x1b[2J\x00\ud800 ::error::"


def finding(outcome: Outcome, **fields: object) -> Finding:
    given = {"record": "d" * 32, "name": "r_4", "backend": "c", "mode": "free", "provenance": ["asts.txt:17"]}
    return Finding(**(given | {"outcome": outcome} | fields))  # type: ignore[arg-type]


def every_outcome(text: str = "plain") -> Diff:
    diff = Diff(REVISION, REVISION, ["captures/a.db"], records=3, compiled=4, memoised=2)
    error = {"side": "head", "type": text, "message": text, "field": text}
    diff.findings = [
        finding(outcome, name=text, backend=text, provenance=[text], cluster="0123456789ab",
                diff=f"--- base\n+++ head\n@@ -1 +1 @@\n-{text}\n+{text}!" if outcome is Outcome.CHANGED else "",
                kind="different" if outcome is Outcome.CHANGED else None, changes=[text],
                error=None if outcome in (Outcome.CHANGED, Outcome.FLAKY) else error,
                reproduce=text if outcome is Outcome.CRASH else "", digests=("a" * 32, "b" * 32),
                verification={"output": 0, "index": 3, "base": 1.0, "head": "nan", "wrong": 1, "agrees": "base"},
                validation={"head": {"tool": text, "accepted": False, "message": text, "figures": {}}},
                figures={"registers": (1, 2)})
        for outcome in Outcome if outcome is not Outcome.SAME
    ]  # fmt: skip
    diff.findings.append(finding(Outcome.CHANGED, approved=text, cluster="ffffffffffff"))
    for found in diff.findings:
        diff.count(found.backend, found.outcome)
    diff.count("c", Outcome.SAME)
    diff.figures = [Row("c", "registers", 0, 1, 1, 2, 1, 2, "d" * 32, 1)]
    diff.problems, diff.notes = [text], [text]
    return diff


def large() -> Diff:
    diff = every_outcome()
    lines = "\n".join(f"-old {number}\n+new {number}" for number in range(500))
    diff.findings = [
        finding(Outcome.CHANGED, record=f"{number:032x}", name=f"r_{number}", cluster=f"{number % 700:012x}",
                diff=f"--- base\n+++ head\n@@ -1 +1 @@\n{lines if number % 50 == 0 else f'-a{number}{chr(10)}+b'}")
        for number in range(10_000)
    ]  # fmt: skip
    diff.totals = {}
    for found in diff.findings:
        diff.count("c", found.outcome)
    return diff


@pytest.mark.parametrize("text", ["plain", HOSTILE.replace("\ud800", "")])
def test_json_is_as_the_schema_says(text: str) -> None:
    schema = json.loads(SCHEMA.read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads(json_report.render(every_outcome(text))), schema)
    empty = Diff(REVISION, REVISION, [])
    jsonschema.validate(json.loads(json_report.render(empty)), schema)


def test_the_schema_notices_a_field_that_it_does_not_know() -> None:
    schema = json.loads(SCHEMA.read_text())
    report = json.loads(json_report.render(every_outcome()))
    report["results"][0]["colour"] = "red"
    with pytest.raises(jsonschema.ValidationError, match="colour"):
        jsonschema.validate(report, schema)


def test_markdown_fits_whatever_the_size_of_the_change() -> None:
    text = markdown.render(large())
    assert 20_000 < len(text) <= markdown.MAX_CHARACTERS
    assert "changed: 10000 changed" in text
    shown = len(re.findall("summary>cluster", text))
    assert f"Left out here: {700 - shown} clusters with " in text
    assert text.count("<details>") == text.count("</details>")
    hostile = every_outcome(HOSTILE * 300)
    assert len(markdown.render(hostile)) <= markdown.MAX_CHARACTERS


def test_markdown_shows_hostile_text_as_text() -> None:
    text = markdown.render(every_outcome(HOSTILE))
    fence = re.search(r"(`{3,})diff", text)
    assert fence is not None
    assert len(fence[1]) > 5
    assert "\x1b" not in text


def test_markdown_of_each_outcome() -> None:
    text = markdown.render(every_outcome())
    for part in ("<b>error</b>: 1", "<b>crash</b>: 1", "<b>flaky</b>: 1", "cluster <b>0123456789ab</b>", "c registers",
                 "element 3: 1.0 on base, nan on head", "is refused by its compiler"):  # fmt: skip
        assert part in text


def test_junit_counts_and_escapes() -> None:
    root = ElementTree.fromstring(junit.render(every_outcome(HOSTILE)).encode())
    assert root.tag == "testsuites"
    cases = root.findall(".//testcase")
    assert int(root.get("tests", "0")) == len(cases)
    assert int(root.get("failures", "0")) == len(root.findall(".//failure")) == 3
    assert int(root.get("errors", "0")) == len(root.findall(".//error")) == 5
    skipped = sum(int(suite.get("skipped", "0")) for suite in root)
    assert skipped == len(root.findall(".//skipped")) == 2
    assert "<script>" in (root.findall(".//failure")[0].text or "")


def test_html_holds_its_data_and_loads_nothing() -> None:
    page = html.render(every_outcome(HOSTILE))
    (data,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert "<" not in data
    found = json.loads(data)
    assert len(found["results"]) == 10
    assert "alert(1)" in found["results"][0]["name"]
    assert page.count("<script") == 2
    assert "default-src 'none'" in page
    assert "http" not in page.replace("http-equiv", "")


def test_html_of_ten_thousand_changes_is_small_enough_and_says_what_is_left_out() -> None:
    page = html.render(large())
    assert len(page) < 30 << 20
    diff = every_outcome()
    big = "x" * (3 << 20)
    diff.findings = [finding(Outcome.CHANGED, diff=f"--- base\n+++ head\n+{number}{big}") for number in range(10)]
    assert "; not in this page: the diffs of" in html.render(diff)
