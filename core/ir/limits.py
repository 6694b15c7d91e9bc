"""How large an AST from outside may be. The text form and the portable rows are bounded by the same figures."""

from __future__ import annotations

from typing import Final, TypeGuard

__all__ = [
    "INT_MAX",
    "INT_MIN",
    "MAX_ARG_DEPTH",
    "MAX_NODES",
    "MAX_RANK",
    "MAX_STRING",
    "MAX_SYMBOLIC",
    "MAX_TEXT",
    "in_range",
    "is_int",
]

# characters of the text of one AST; the largest that is known has 160,000
MAX_TEXT: Final = 64 << 20
# nodes of one AST; the largest that is known has 2,000
MAX_NODES: Final = 1_000_000
# every integer is one of 64 bits, signed or unsigned: no dtype holds more, and msgpack neither
INT_MIN: Final = -(1 << 63)
INT_MAX: Final = (1 << 64) - 1
# nodes of a symbolic integer inside a view; it is looked at wherever it is used
MAX_SYMBOLIC: Final = 4096
# characters of a string: the name of a variable or of a local buffer
MAX_STRING: Final = 256
# tuples and views inside an arg; hashing and printing them recurses
MAX_ARG_DEPTH: Final = 16
# dimensions of a view
MAX_RANK: Final = 256


def is_int(value: object) -> TypeGuard[int]:
    """Whether `value` is an integer and not a bool, which Python counts among them."""
    return value.__class__ is int


def in_range(value: int) -> bool:
    """Whether `value` is an integer of 64 bits, signed or unsigned."""
    return INT_MIN <= value <= INT_MAX
