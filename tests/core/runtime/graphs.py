"""Short ways to write down the ASTs of these tests, node by node."""

from __future__ import annotations

from core.dtype import DType, dtypes
from core.ir.ops import Ops
from core.ir.uop import UOp
from core.shape import ShapeTracker, View


def tracker(*views: View) -> ShapeTracker:
    return ShapeTracker(views)


def row_by_row(shape: tuple[int, ...]) -> tuple[int, ...]:
    strides, stride = [], 1
    for size in reversed(shape):
        strides.insert(0, stride if size != 1 else 0)
        stride *= size
    return tuple(strides)


def plain(*shape: int) -> ShapeTracker:
    """The view of a whole buffer, row by row."""
    return strided(shape, row_by_row(shape))


def strided(shape: tuple[int, ...], strides: tuple[int, ...], offset: int = 0, mask: object = None) -> ShapeTracker:
    contiguous = offset == 0 and mask is None and strides == row_by_row(shape)
    return tracker(View(shape, strides, offset, mask, contiguous))


def same(*shape: int) -> ShapeTracker:
    """A view that reads one element everywhere, as constants have it."""
    return strided(shape, (0,) * len(shape))


def node(op: Ops, dtype: DType, *src: UOp, arg: object = None) -> UOp:
    return UOp(op, dtype, src, arg)


def view(tracker: ShapeTracker) -> UOp:
    return node(Ops.VIEW, dtypes.void, arg=tracker)


def buffer(number: int, dtype: DType, size: int = -1) -> UOp:
    return node(Ops.DEFINE_GLOBAL, dtype.ptr(size), arg=number)


def load(number: int, dtype: DType, tracker: ShapeTracker, size: int = -1) -> UOp:
    return node(Ops.LOAD, dtype, buffer(number, dtype, size), view(tracker))


def const(dtype: DType, value: int | float | bool, tracker: ShapeTracker) -> UOp:
    return node(Ops.CONST, dtype, view(tracker), arg=value)


def store(number: int, tracker: ShapeTracker, value: UOp, size: int = -1) -> UOp:
    return node(Ops.STORE, dtypes.void, buffer(number, value.dtype, size), view(tracker), value)


def kernel(*stores: UOp) -> UOp:
    return node(Ops.SINK, dtypes.void, *stores)


def reduced(op: Ops, value: UOp, *axes: int) -> UOp:
    return node(Ops.REDUCE_AXIS, value.dtype, value, arg=(op, axes))
