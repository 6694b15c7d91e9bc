"""Sizes, strides and ranges of axes, which may be symbolic integers: their types, their comparison, their text."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Final, TypeAlias

from core.errors import CompileError
from core.ir.uop import UOp, sint, ssimplify

__all__ = [
    "MEMO_SIZE",
    "Mask",
    "Shape",
    "ShapeError",
    "can_be_at_most",
    "can_be_same",
    "check_sizes",
    "is_static",
    "lower_bound",
    "ranges_text",
    "row_major",
    "same",
    "simplified",
    "tuple_text",
    "upper_bound",
]

Shape: TypeAlias = "tuple[sint, ...]"
# for each axis, the elements low <= i < high
Mask: TypeAlias = "tuple[tuple[sint, sint], ...]"

# Bounds what each memo of this package keeps alive; a large kernel asks for some thousands of views.
MEMO_SIZE: Final = 1 << 14


class ShapeError(CompileError, ValueError):
    """A movement op does not fit the shape it is applied to, or a view's fields do not fit each other."""


def row_major(shape: Shape) -> Shape:
    """The strides of a plain array of `shape`; 0 along axes of size 1."""
    strides: list[sint] = []
    step: sint = 1
    for size in reversed(shape):
        if size.__class__ is int and size == 1:
            strides.append(0)
        else:
            strides.append(step)
            step = step * size
    strides.reverse()
    return tuple(strides)


def check_sizes(shape: Shape) -> None:
    """Raises ShapeError where a size is known to be negative."""
    for size in shape:
        if not can_be_at_most(0, size):
            raise ShapeError(f"a shape has no negative sizes: {tuple_text(shape)}")


def is_static(shape: Shape, strides: Shape, offset: sint, mask: Mask | None) -> bool:
    """Whether none of a view's entries is symbolic."""
    if UOp in map(type, shape) or UOp in map(type, strides) or offset.__class__ is UOp:
        return False
    return mask is None or UOp not in map(type, chain.from_iterable(mask))


def can_be_at_most(a: sint, b: sint) -> bool:
    """Whether `a <= b` for any values of the variables."""
    return a <= b if isinstance(a, int) and isinstance(b, int) else lower_bound(ssimplify(a - b)) <= 0


def same(a: sint, b: sint) -> bool:
    """Whether two symbolic integers are known to be equal."""
    if a is b or (isinstance(a, int) and isinstance(b, int)):
        return a == b
    difference = ssimplify(a - b)
    return lower_bound(difference) == upper_bound(difference) == 0


def can_be_same(a: sint, b: sint) -> bool:
    """Whether two symbolic integers are equal for any values of the variables."""
    if isinstance(a, int) and isinstance(b, int):
        return a == b
    difference = ssimplify(a - b)
    return lower_bound(difference) <= 0 <= upper_bound(difference)


def simplified(values: Shape) -> Shape:
    return tuple([ssimplify(value) for value in values])


def lower_bound(value: sint) -> int:
    """The least value that a symbolic integer can take."""
    return value if isinstance(value, int) else int(value.vmin)


def upper_bound(value: sint) -> int:
    """The greatest value that a symbolic integer can take."""
    return value if isinstance(value, int) else int(value.vmax)


def tuple_text(items: Iterable[object]) -> str:
    """The items as a tuple is written, without spaces."""
    parts = [str(item) for item in items]
    return f"({parts[0]},)" if len(parts) == 1 else f"({','.join(parts)})"


def ranges_text(ranges: Mask) -> str:
    return tuple_text([tuple_text(part) for part in ranges])
