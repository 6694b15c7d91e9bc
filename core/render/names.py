"""Names in generated sources: the function's own, and those of its parameters and variables."""

from __future__ import annotations

import re
from typing import Final

from core.dtype import scalar_dtypes

__all__ = ["RESERVED", "Names", "function_name"]

MAX_NAME: Final = 200

_COLOUR: Final = re.compile(r"\x1b\[[0-9;]*m")
_ILLEGAL: Final = re.compile(r"[^A-Za-z0-9_]")

# what C and C++ reserve, macros that compilers define, and what compiled programs call by name
_WORDS: Final = re.findall(
    r"\w+",
    """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl const constexpr
    const_cast continue default delete do double dynamic_cast else enum explicit export extern false float for
    friend goto if inline int long main mutable namespace new noexcept not not_eq nullptr operator or or_eq
    private protected public register reinterpret_cast restrict return short signed sizeof static static_assert
    static_cast struct switch template this thread_local throw true try typedef typeid typename typeof union
    unsigned using virtual void volatile wchar_t while xor xor_eq

    i386 linux unix

    exp2 exp2f log2 log2f memcpy memmove memset sin sinf sqrt sqrtf
    """,
)
_VECTORS: Final = [f"{dtype.name}{1 << power}" for dtype in scalar_dtypes() for power in range(1, 9)]

RESERVED: Final = frozenset([*_WORDS, *_VECTORS])
"""No name that comes from a kernel may be one of these: the same on every backend, so that a kernel has one name."""


def function_name(name: str) -> str:
    """A kernel's name as an identifier: without colours, other characters as their hexadecimal code.

    Names that are free identifiers already stay as they are, so the function may be applied twice.
    """
    plain = _ILLEGAL.sub(lambda match: f"{ord(match[0]):02X}", _COLOUR.sub("", name))
    if not plain[:1].isalpha():  # C keeps what begins with an underscore for itself
        plain = f"k_{plain}"
    plain = plain[:MAX_NAME]
    return f"{plain}_" if plain in RESERVED else plain


class Names:
    """Gives out every name once, and none that is reserved."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._next: dict[str, int] = {}

    def claim(self, wanted: str) -> str:
        """`wanted` as an identifier, with underscores after it for as long as the name is taken."""
        name = function_name(wanted)
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name

    def number(self, prefix: str) -> str:
        """The next free name of `prefix0`, `prefix1`, …"""
        count = self._next.get(prefix, 0)
        while (name := f"{prefix}{count}") in self._taken:
            count += 1
        self._next[prefix] = count + 1
        self._taken.add(name)
        return name
