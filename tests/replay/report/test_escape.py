"""Foreign text is made harmless."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from replay.report.escape import one_line, visible


def test_ordinary_text_is_left_alone() -> None:
    text = "int k(void) {\n\treturn 1; // ä ∂ 漢 ← →\n}"
    assert visible(text) == text


def test_what_a_terminal_obeys_is_shown_instead() -> None:
    assert visible("\x1b]0;title\x07\x1b[2J\r\x9b1m\x7f") == "\\x1b]0;title\\x07\\x1b[2J\\x0d\\x9b1m\\x7f"
    assert visible("a\u202eb\u2066c\u200b\ufeff\u2028") == "a\\u202eb\\u2066c\\u200b\\ufeff\\u2028"


def test_one_line() -> None:
    assert one_line("a\nb\tc\x1b") == "a\\nb\\tc\\x1b"
    assert one_line("x" * 400, 10) == "x" * 9 + "…"


@given(st.text())
def test_nothing_but_newline_and_tab_controls_the_terminal(text: str) -> None:
    shown = visible(text)
    assert all(character.isprintable() or character in "\n\t" or character.isspace() or ord(character) > 0x9F
               for character in shown)  # fmt: skip
    assert not any(ord(character) < 0x20 for character in one_line(text))
    shown.encode()
