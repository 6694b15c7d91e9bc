"""The Markdown report as a renderer shows it: what is left out is said, and text of a stranger's stays text."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt

from replay.diff import Diff
from replay.finding import Finding
from replay.outcome import Outcome
from replay.report import markdown
from tests.replay.report.test_formats import HOSTILE, REVISION, every_outcome, finding

HEAD = "--- base\n+++ head\n@@ -1 +1 @@\n"
OWN_TAGS = {
    "b", "br", "code", "details", "em", "h2", "li", "p", "pre", "strong", "summary", "table", "tbody", "td", "th",
    "thead", "tr", "ul",
}  # fmt: skip


class Page(HTMLParser):
    """The tags of a page, and its text outside code."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.text = ""
        self._open: list[str] = []
        self.feed(MarkdownIt("commonmark", {"html": True}).enable("table").render(text))

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)
        self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if not {"code", "pre"} & set(self._open):
            self.text += data


def diff_of(findings: list[Finding]) -> Diff:
    diff = Diff(REVISION, REVISION, ["captures/a.db"], records=len(findings))
    diff.findings = findings
    for found in findings:
        diff.count(found.backend, found.outcome)
    return diff


@pytest.mark.parametrize(
    "text", [HOSTILE, "`" * 90, "@team fixes #5, gh-7: https://evil.example www.evil.example a@b.c"]
)
def test_a_renderer_makes_nothing_of_hostile_text(text: str) -> None:
    page = Page(markdown.render(every_outcome(text)))
    assert page.tags <= OWN_TAGS
    # what GitHub makes links of in the text that the renderer gives
    assert not re.search(r"[@#]\w|gh-\d|://|www\.", page.text, re.IGNORECASE)


@pytest.mark.parametrize("text", ["", "a", "`", "``a`", "a`b``c", "<b>`", " x "])
def test_code_shows_what_it_is_given(text: str) -> None:
    (span,) = re.findall("<p>(.*)</p>", MarkdownIt().render(markdown.code(text)))
    inside = re.fullmatch("<code>(.*)</code>", span)
    shown = inside[1].replace("&lt;", "<").replace("&gt;", ">") if inside else span
    assert shown == (text.strip() or "(no name)")


def test_a_command_is_shown_as_it_is_to_be_copied() -> None:
    command = "python -m replay worker --at https://x@y#1 `z`"
    text = markdown.render(diff_of([finding(Outcome.CRASH, reproduce=command)]))
    assert f"`` {command} ``" in text


def test_a_long_line_is_cut_and_the_lines_after_it_are_shown() -> None:
    text = markdown.render(diff_of([finding(Outcome.CHANGED, diff=f"{HEAD}-{'x' * 7000}\n+after")]))
    assert "xxxx" in text
    assert "\n+after\n" in text
    assert "x" * 1001 not in text


def test_long_lists_leave_room_for_the_clusters() -> None:
    failures = [
        finding(outcome, record=f"{number:032x}", error={"side": "head", "type": "`" * 80, "message": "@" * 9000})
        for outcome in (Outcome.ERROR, Outcome.CRASH, Outcome.TIMEOUT)
        for number in range(50)
    ]
    changed = finding(Outcome.CHANGED, cluster="a" * 12, diff=f"{HEAD}-a\n+b")
    text = markdown.render(diff_of([*failures, changed]))
    assert len(text) <= markdown.MAX_CHARACTERS
    assert "cluster <b>aaaaaaaaaaaa</b>: 1 change of 1 kernel on c" in text
    left = [int(count) for count in re.findall(r"- … and (\d+) more", text)]
    assert [50 - count for count in left] == [text.count(f"on c free: {'&#96;' * 79}") // 3] * 3


def test_what_is_cut_short_is_said() -> None:
    findings = [
        finding(Outcome.CHANGED, record=f"{number:032x}", backend=f"b{number:02}", cluster="a" * 12,
                diff=f"{HEAD}-a\n+b", provenance=[f"test_{number:02}"],
                changes=[f"change {place}" for place in range(30)])
        for number in range(60)
    ]  # fmt: skip
    text = markdown.render(diff_of(findings))
    for part in (
        "| … and 20 more |",
        "b11 and 48 more",
        "test&#95;02 and 57 more",
        "- … and 20 more",
        "| **all** | **60** |",
    ):
        assert part in text, part


def test_clusters_that_do_not_fit_are_counted_and_smaller_ones_still_shown() -> None:
    findings = [
        finding(Outcome.CHANGED, record=f"{number:032x}", cluster=f"{number:012x}",
                diff=HEAD + "\n".join(f"-line {line}" for line in range(400)))
        for number in range(100)
    ]  # fmt: skip
    text = markdown.render(diff_of(findings))
    shown = text.count("<summary>cluster")
    assert 30 < shown < 100
    assert f"Left out here: {100 - shown} clusters with {100 - shown} changes. All of it is in" in text
    assert "more lines are in the other reports" in text
