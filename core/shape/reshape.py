"""Reshaping one view into one view.

Both shapes are cut, from the inside out, into the smallest blocks of axes with equal sizes. In each block the old axes
are flattened to one axis, which needs strides that continue each other and a mask that is one interval; that axis is
split into the new ones, which needs an interval that is a box of them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

from core.ir.uop import UOp, sint, sint_prod
from core.shape.sizes import MEMO_SIZE, Mask, Shape, ShapeError, can_be_same, check_sizes, same, tuple_text
from core.shape.view import View

__all__ = ["reshape_view"]

# old axes [first, end) and new axes [first, end)
Block: TypeAlias = "tuple[int, int, int, int]"
# the elements low <= i < high
Interval: TypeAlias = "tuple[sint, sint]"


@lru_cache(MEMO_SIZE)
def reshape_view(view: View, shape: Shape) -> View | None:
    """`view` as `shape`, or None where that needs a second view. Raises ShapeError where the sizes differ."""
    _check_reshape(view.shape, shape)
    if view.contiguous or 0 in view.shape:
        return View.create(shape)
    if view.empty:
        return View.create(shape, (0,) * len(shape), 0, ((0, 0),) * len(shape)) if shape else None

    blocks = _blocks(view.shape, shape)
    if blocks is None:
        return None
    return _reshape_plain(view, shape, blocks) if view.mask is None else _reshape_masked(view, view.mask, shape, blocks)


def _check_reshape(old: Shape, new: Shape) -> None:
    check_sizes(new)
    if not can_be_same(sint_prod(old), sint_prod(new)):
        raise ShapeError(f"cannot reshape {tuple_text(old)} to {tuple_text(new)}: the numbers of elements differ")


def _blocks(old: Shape, new: Shape) -> list[Block] | None:
    """The smallest blocks of axes with equal sizes, innermost first; None where symbolic sizes do not line up."""
    blocks = []
    i, j = len(old), len(new)
    while i or j:
        old_end, new_end = i, j
        a: sint = 1
        b: sint = 1
        if i:
            i -= 1
            a = old[i]
        if j:
            j -= 1
            b = new[j]
        while a != b if a.__class__ is b.__class__ is int else not same(a, b):
            if i and _is_smaller(a, b):
                i -= 1
                a = a * old[i]
            elif j and _is_smaller(b, a):
                j -= 1
                b = b * new[j]
            else:
                return None
        blocks.append((i, old_end, j, new_end))
    return blocks


def _is_smaller(a: sint, b: sint) -> bool:
    """Whether more axes may be needed to bring `a` to the size of `b`."""
    if isinstance(a, int):
        return isinstance(b, UOp) or a < b
    return False


def _reshape_plain(view: View, shape: Shape, blocks: list[Block]) -> View | None:
    strides: list[sint] = [0] * len(shape)
    for old_first, old_end, new_first, new_end in blocks:
        if old_end - old_first == 1 and new_end - new_first == 1:
            strides[new_first] = view.strides[old_first]
            continue
        size: sint = 1
        stride: sint = 0
        for axis in range(old_end - 1, old_first - 1, -1):
            if view.shape[axis] == 1:
                continue
            if size == 1:
                stride = view.strides[axis]
            elif not same(view.strides[axis], stride * size):
                return None
            size = size * view.shape[axis]
        for axis in range(new_end - 1, new_first - 1, -1):
            strides[axis] = stride
            stride = stride * shape[axis]
    return View.create(shape, tuple(strides), view.offset)


def _reshape_masked(view: View, mask: Mask, shape: Shape, blocks: list[Block]) -> View | None:
    # the address of the first visible element stays what it is
    offset = view.offset
    for stride, (low, _) in zip(view.strides, mask, strict=True):
        offset = offset + low * stride

    strides: list[sint] = [0] * len(shape)
    ranges: list[Interval] = [(0, 1)] * len(shape)
    for old_first, old_end, new_first, new_end in blocks:
        old = [axis for axis in range(old_first, old_end) if view.shape[axis] != 1]
        new = [axis for axis in range(new_first, new_end) if shape[axis] != 1]
        if len(old) == len(new) == 1:
            strides[new[0]], ranges[new[0]] = view.strides[old[0]], mask[old[0]]
            continue
        flat = _flatten([view.shape[a] for a in old], [view.strides[a] for a in old], [mask[a] for a in old])
        if flat is None:
            return None
        stride, interval = flat
        split = _split(interval, [shape[axis] for axis in new])
        if split is None:
            return None
        for axis, part in zip(reversed(new), split, strict=True):
            strides[axis], ranges[axis] = stride, part
            stride = stride * shape[axis]

    # an axis that shows one element needs no stride, and would otherwise only change the offset
    kept = [0 if same(high - low, 1) else stride for stride, (low, high) in zip(strides, ranges, strict=True)]
    for stride, (low, _) in zip(kept, ranges, strict=True):
        offset = offset - low * stride
    return View.create(shape, tuple(kept), offset, tuple(ranges))


def _flatten(sizes: list[sint], strides: list[sint], ranges: list[Interval]) -> tuple[sint, Interval] | None:
    """Some axes as one: its stride and the interval of it that is visible, or None where it is not one of each."""
    size: sint = 1
    stride: sint = 0
    low: sint = 0
    high: sint = 1
    for axis_size, axis_stride, (first, end) in zip(reversed(sizes), reversed(strides), reversed(ranges), strict=True):
        if same(end - first, 1):
            low, high = low + first * size, high + first * size
        else:
            if low != 0 or not same(high, size) or (size != 1 and not same(axis_stride, stride * size)):
                return None
            if size == 1:
                stride = axis_stride
            low, high = first * size, end * size
        size = size * axis_size
    return stride, (low, high)


def _split(interval: Interval, sizes: list[sint]) -> list[Interval] | None:
    """The ranges, innermost first, of the box of axes of `sizes` that `interval` is, or None where it is no box."""
    low, high = interval
    if low == 0 and same(high, sint_prod(sizes)):
        return [(0, size) for size in reversed(sizes)]
    ranges: list[Interval] = []
    for size in reversed(sizes):
        if not (isinstance(low, int) and isinstance(high, int) and isinstance(size, int)):
            return None
        row, last_row = low // size, (high - 1) // size
        if row == last_row:
            ranges.append((low - row * size, high - row * size))
            low, high = row, row + 1
        elif low % size == 0 and high % size == 0:
            ranges.append((0, size))
            low, high = low // size, high // size
        else:
            return None
    return ranges
