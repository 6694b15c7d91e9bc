"""Making foreign text harmless: names and sources come from captures, and may hold what a terminal obeys."""

import re

__all__ = ["one_line", "visible"]

# C0 and C1 controls except tab and newline; marks that reorder text; lone surrogates; line and paragraph separators.
_HARMFUL = re.compile(
    "[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u061c\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff\\ud800-\\udfff]"
)


def visible(text: str) -> str:
    """`text` with everything that would move a cursor or reorder a line written as an escape sequence."""
    return _HARMFUL.sub(lambda found: _escaped(found[0]), text)


def one_line(text: str, limit: int = 300) -> str:
    """The same on one line, cut to `limit` characters."""
    flat = visible(text).replace("\n", "\\n").replace("\t", "\\t")
    return flat if len(flat) <= limit else f"{flat[: limit - 1]}…"


def _escaped(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
