"""Small ASTs for the optimiser's tests, put together by hand, and the limits of made-up backends."""

from __future__ import annotations

from dataclasses import dataclass

from core.dtype import DType, dtypes
from core.ir.ops import Ops
from core.ir.uop import UOp, sint
from core.shape import ShapeTracker, View


@dataclass(frozen=True, slots=True)
class Limits:
    """What the optimiser asks of a backend."""

    name: str = "gpu"
    has_local: bool = True
    has_shared: bool = True
    shared_max: int = 32768


GPU = Limits()
CPU = Limits("cpu", has_local=False)


def tracker(*shape: sint, strides: tuple[sint, ...] | None = None) -> ShapeTracker:
    return ShapeTracker((View.create(shape, strides),))


def load(number: int, st: ShapeTracker, dtype: DType = dtypes.float) -> UOp:
    buffer = UOp(Ops.DEFINE_GLOBAL, dtype.ptr(), (), number)
    return UOp(Ops.LOAD, dtype.base, (buffer, st.to_uop()))


def const(value: float, shape: tuple[sint, ...], dtype: DType = dtypes.float) -> UOp:
    view = tracker(*shape, strides=(0,) * len(shape)).to_uop()
    return UOp.const(dtype, value).replace(src=(view,))


def alu(op: Ops, *src: UOp, dtype: DType | None = None) -> UOp:
    return UOp(op, dtype or src[-1].dtype, src)


def reduce(op: Ops, value: UOp, *axes: int) -> UOp:
    return UOp(Ops.REDUCE_AXIS, value.dtype, (value,), (op, axes))


def store(value: UOp, *shape: sint, number: int = 0, buffer_dtype: DType | None = None) -> UOp:
    """`value` stored row-major as `shape`."""
    buffer = UOp(Ops.DEFINE_GLOBAL, (buffer_dtype or value.dtype).ptr(), (), number)
    return UOp(Ops.STORE, dtypes.void, (buffer, tracker(*shape).to_uop(), value))


def sink(*stores: UOp) -> UOp:
    return UOp(Ops.SINK, dtypes.void, stores)


def elementwise(*shape: sint) -> UOp:
    """out = a + b"""
    return sink(store(alu(Ops.ADD, load(1, tracker(*shape)), load(2, tracker(*shape))), *shape))


def row_sum(rows: int, columns: int) -> UOp:
    """out[i, 0] = sum over j of a[i, j]"""
    return sink(store(reduce(Ops.ADD, load(1, tracker(rows, columns)), 1), rows, 1))


def matmul(m: int, n: int, k: int, dtype: DType = dtypes.float) -> UOp:
    """out[i, j, 0] = sum over k of a[i, k] * b[k, j]"""
    left = load(1, tracker(m, n, k, strides=(k, 0, 1)), dtype)
    right = load(2, tracker(m, n, k, strides=(0, 1, n)), dtype)
    return sink(store(reduce(Ops.ADD, alu(Ops.MUL, left, right), 2), m, n, 1))


def nested_sums(rows: int, outer: int, inner: int) -> UOp:
    """out[i] = max over j of (sum over k of a[i, j, k]), squared"""
    inside = reduce(Ops.ADD, load(1, tracker(rows, outer, inner)), 2)
    return sink(store(reduce(Ops.MAX, alu(Ops.MUL, inside, inside), 1), rows, 1, 1))


def inner_reduce_first(rows: int, inner: int, outer: int) -> UOp:
    """As nested_sums, the axis of the inner reduce standing before that of the outer."""
    inside = reduce(Ops.ADD, load(1, tracker(rows, inner, outer)), 1)
    return sink(store(reduce(Ops.MAX, alu(Ops.MUL, inside, inside), 2), rows, 1, 1))


def variance_like(rows: int, columns: int) -> UOp:
    """Two reduces of the same axis, out[i] = sum of a[i, j] + max of a[i, j]"""
    value = load(1, tracker(rows, columns))
    return sink(store(alu(Ops.ADD, reduce(Ops.ADD, value, 1), reduce(Ops.MAX, value, 1)), rows, 1))


def counted(rows: int, columns: int) -> UOp:
    """out[i, 0] = sum over j of (a[i, j] * 2 + 3): a constant stands below the reduce"""
    value = alu(Ops.MUL, load(1, tracker(rows, columns)), const(2, (rows, columns)))
    return sink(store(reduce(Ops.ADD, alu(Ops.ADD, value, const(3, (rows, columns))), 1), rows, 1))


def stacked(rows: int) -> UOp:
    """out[i] = a[i] + b[i], where a is 0 but for the rows from 1 on: a masked load"""
    masked = ShapeTracker((View.create((rows,), (1,), -1, ((1, rows),)),))
    return sink(store(alu(Ops.ADD, load(1, masked), load(2, tracker(rows))), rows))


def two_outputs(rows: int, columns: int) -> UOp:
    """out0 = a * 2, out3 = a + b"""
    shape = (rows, columns)
    doubled = alu(Ops.MUL, load(1, tracker(*shape)), const(2, shape))
    added = alu(Ops.ADD, load(1, tracker(*shape)), load(2, tracker(*shape)))
    return sink(store(doubled, *shape), store(added, *shape, number=3))
