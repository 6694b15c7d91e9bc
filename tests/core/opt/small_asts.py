"""Small ASTs for the optimiser's tests, put together by hand, and the limits of made-up backends."""

from __future__ import annotations

from dataclasses import dataclass

from core.dtype import DType, ImageDType, dtypes, image_dtype
from core.ir.ops import Ops
from core.ir.uop import UOp, sint
from core.opt.tensor_core import TensorCore
from core.shape import ShapeTracker, View


@dataclass(frozen=True, slots=True)
class Limits:
    """What the optimiser asks of a backend."""

    name: str = "gpu"
    has_local: bool = True
    has_shared: bool = True
    shared_max: int = 32768
    device: str = "GPU"
    tensor_cores: tuple[TensorCore, ...] = ()


GPU = Limits()
CPU = Limits("cpu", has_local=False)


def tracker(*shape: sint, strides: tuple[sint, ...] | None = None) -> ShapeTracker:
    return ShapeTracker((View.create(shape, strides),))


def load(number: int, st: ShapeTracker, dtype: DType = dtypes.float) -> UOp:
    """What buffer `number` of `dtype`, a scalar or an image, holds at `st`."""
    pointer = dtype if isinstance(dtype, ImageDType) else dtype.ptr()
    return UOp(Ops.LOAD, pointer.base, (UOp(Ops.DEFINE_GLOBAL, pointer, (), number), st.to_uop()))


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


def matvec(rows: int, columns: int) -> UOp:
    """out[i, 0] = sum over j of x[j] * a[i, j]"""
    vector = load(1, tracker(rows, columns, strides=(0, 1)))
    matrix = load(2, tracker(rows, columns))
    return sink(store(reduce(Ops.ADD, alu(Ops.MUL, vector, matrix), 1), rows, 1))


def window_sum(rows: int, columns: int, height: int, width: int) -> UOp:
    """out[i, j] = sum over y, x of a[i + y, j + x] * w[y, x]"""
    row = columns + width - 1
    shape = (rows, columns, height, width)
    image = load(1, tracker(*shape, strides=(row, 1, row, 1)))
    weights = load(2, tracker(*shape, strides=(0, 0, width, 1)))
    return sink(store(reduce(Ops.ADD, alu(Ops.MUL, image, weights), 2, 3), rows, columns, 1, 1))


def interleaved(rows: int, parts: int) -> UOp:
    """out[i, p] = a[i] where p is 0, else b[i]: a small masked axis, as of a stack"""
    shape = (rows, parts)
    first = ShapeTracker((View.create(shape, (1, 0), 0, ((0, rows), (0, 1))),))
    rest = ShapeTracker((View.create(shape, (1, 0), 0, ((0, rows), (1, parts))),))
    return sink(store(alu(Ops.ADD, load(1, first), load(2, rest)), *shape))


def image_matmul(m: int, n: int, k: int) -> UOp:
    """A matmul of images, in which n and k come in fours."""
    shape = (m, n, 4, k, 4)
    left = load(1, tracker(*shape, strides=(4 * k, 0, 0, 4, 1)), image_dtype("imagef", (m, k, 4)))
    right = load(2, tracker(*shape, strides=(0, 16 * k, 1, 16, 4)), image_dtype("imagef", (n, 4 * k, 4)))
    value = reduce(Ops.ADD, alu(Ops.MUL, left, right), 3, 4)
    buffer = UOp(Ops.DEFINE_GLOBAL, image_dtype("imagef", (m, n, 4)), (), 0)
    return sink(UOp(Ops.STORE, dtypes.void, (buffer, tracker(m, n, 4, 1, 1).to_uop(), value)))


def image_sum(rows: int, texels: int) -> UOp:
    """out[i] = sum over all of row i of an image"""
    shape = (rows, texels, 4)
    texture = load(1, tracker(*shape), image_dtype("imagef", shape))
    return sink(store(reduce(Ops.ADD, texture, 1, 2), rows, 1, 1))


def strided_copy(shape: tuple[int, ...], strides: tuple[int, ...]) -> UOp:
    """out = a, read with `strides`"""
    return sink(store(load(1, tracker(*shape, strides=strides)), *shape))


def reordered_then_padded(outer: int, inner: int) -> UOp:
    """out[o, i] = a 10 by 10 square, its elements reordered, padded to 11 by 11: one view over another"""
    shape = (outer, inner, 11, 11)
    lower = View.create((outer, inner, 5, 2, 5, 2), (inner * 100, 100, 20, 2, 4, 1))
    upper = View.create(shape, (inner * 100, 100, 10, 1), 0, ((0, outer), (0, inner), (0, 10), (0, 10)))
    return sink(store(load(1, ShapeTracker((lower, upper))), *shape))
