"""Linear programs of what only GPUs have: groups of threads, memory that they share, images, matrix units."""

from __future__ import annotations

from collections.abc import Sequence

from core.dtype import DType, dtypes, image_dtype
from core.ir.ops import Ops
from core.ir.uop import UOp
from tests.core.render.programs import alu, buffer, cast, const, elementwise, end, index, load, loop, program, store

ZERO = const(dtypes.int, 0)


def special(name: str, size: int | UOp) -> UOp:
    return UOp(Ops.SPECIAL, dtypes.int, (), (name, size))


def group_sum() -> list[UOp]:
    """Each group of 16 threads adds 16 floats up: all read one into shared memory, the first adds them."""
    group, thread, steps = special("gidx0", 8), special("lidx0", 16), loop(16)
    shared = UOp(Ops.DEFINE_LOCAL, dtypes.float.ptr(16, local=True), (), "temp0")
    filled = store(shared, thread, load(buffer(1, dtypes.float), alu(Ops.ADD, times(group, 16), thread)))
    barrier = UOp(Ops.BARRIER, dtypes.void, (filled,))
    total = UOp(Ops.DEFINE_ACC, dtypes.float, (const(dtypes.float, 0.0),), 0)
    read = UOp(Ops.LOAD, dtypes.float, (UOp(Ops.INDEX, shared.dtype, (shared, steps, barrier)),))
    updated = UOp(Ops.ASSIGN, dtypes.float, (total, alu(Ops.ADD, total, read)))
    first = UOp(Ops.IF, dtypes.void, (alu(Ops.CMPLT, thread, const(dtypes.int, 1)),))
    stored = store(buffer(0, dtypes.float), group, total)
    return program(
        group, thread, filled, barrier, total, steps, read, updated, end(steps), first, stored, end(first)
    )  # fmt: skip


def shared_vectors(dtype: DType) -> list[UOp]:
    """Vectors of four through shared memory."""
    thread = times(special("lidx0", 4), 4)
    shared = UOp(Ops.DEFINE_LOCAL, dtype.ptr(16, local=True), (), "temp0")
    filled = store(shared, thread, load(buffer(1, dtype), thread, 4))
    barrier = UOp(Ops.BARRIER, dtypes.void, (filled,))
    read = UOp(Ops.LOAD, dtype.vec(4), (UOp(Ops.INDEX, shared.dtype, (shared, thread, barrier)),))
    return program(filled, barrier, store(buffer(0, dtype), thread, read))


def flat() -> list[UOp]:
    """Threads that are in no groups, in two dimensions."""
    column, row = special("idx0", 10), special("idx1", 3)
    return program(store(buffer(0, dtypes.int), alu(Ops.ADD, times(row, 10), column), row))


def eight_halves() -> list[UOp]:
    at = times(special("gidx2", 3), 8)
    values = load(buffer(1, dtypes.half), at, 8)
    lanes = [UOp(Ops.GEP, dtypes.half, (values,), lane) for lane in reversed(range(8))]
    return program(store(buffer(0, dtypes.half), at, UOp(Ops.VECTORIZE, dtypes.half.vec(8), tuple(lanes))))


def wrapping() -> list[UOp]:
    """Sums of loaded integers, which may leave their type, next to those of indices, which cannot."""

    def build(x: UOp, y: UOp) -> UOp:
        return alu(Ops.MAX, alu(Ops.SUB, alu(Ops.ADD, alu(Ops.MUL, x, y), x), alu(Ops.NEG, y)), alu(Ops.IDIV, x, y))

    return elementwise(dtypes.int, [dtypes.int, dtypes.int], build, 8)


def bits(to: DType, source: DType) -> list[UOp]:
    """The second elements of pairs as another type of the same size."""

    def build(x: UOp) -> UOp:
        return UOp(Ops.BITCAST, to, (UOp(Ops.GEP, source, (x,), 1),))

    return program(store(buffer(0, to), 0, build(load(buffer(1, source), 0, 2))))


def negate_image(shape: tuple[int, int, int] = (4, 8, 4)) -> list[UOp]:
    """An image read where a gate allows it, its negative written to another."""
    column, row = special("gidx0", 8), special("gidx1", 4)
    out, data = (UOp(Ops.DEFINE_GLOBAL, image_dtype("imageh", shape), (), number) for number in range(2))
    place = UOp(Ops.VECTORIZE, dtypes.int.vec(2), (column, row))
    four = dtypes.float.vec(4)
    gate = alu(Ops.CMPLT, row, const(dtypes.int, 3))
    texel = UOp(Ops.LOAD, four, (index(data, place), const(four, 1.0), gate))
    lanes = [alu(Ops.NEG, UOp(Ops.GEP, dtypes.float, (texel,), lane)) for lane in range(4)]
    return program(out, data, store(out, place, UOp(Ops.VECTORIZE, four, tuple(lanes))))


def times(x: UOp, factor: int) -> UOp:
    return alu(Ops.MUL, x, const(dtypes.int, factor))


def matrix_product(
    dims: tuple[int, int, int], dtype_in: DType, dtype_out: DType, threads: int, elements: tuple[int, int, int]
) -> list[UOp]:
    """Two products of one unit after each other, on fragments that lie in memory as the threads hold them."""
    thread, steps = special("lidx0", threads), loop(2)
    a, b, c = elements
    step = alu(Ops.ADD, times(steps, threads), thread)
    left, right = (load(buffer(number, dtype_in), times(step, count), count) for number, count in ((1, a), (2, b)))
    start = const(dtype_out.vec(c), 0.0)
    total = UOp(Ops.DEFINE_ACC, start.dtype, (start,), 0)
    axes = tuple([tuple([(axis, 2) for axis in range(count.bit_length() - 1)]) for count in elements])
    arg = ("WMMA", dims, dtype_in, dtype_out, "GPU", threads, axes, ())
    product = UOp(Ops.WMMA, start.dtype, (left, right, total), arg)
    updated = UOp(Ops.ASSIGN, start.dtype, (total, product))
    stored = store(buffer(0, dtype_out), times(thread, c), total)
    return program(thread, total, steps, left, right, product, updated, end(steps), stored)


def ops_of_a_float(dtype: DType, types: Sequence[DType]) -> list[list[UOp]]:
    """Every op of a float dtype, and its conversions to `types` and back."""
    unary = [Ops.NEG, Ops.RECIP, Ops.SQRT, Ops.EXP2, Ops.LOG2, Ops.SIN]
    binary = [Ops.ADD, Ops.SUB, Ops.MUL, Ops.FDIV, Ops.MAX]
    made = [elementwise(dtype, [dtype], lambda x, op=op: alu(op, x), 8) for op in unary]
    made += [elementwise(dtype, [dtype] * 2, lambda x, y, op=op: alu(op, x, y), 8, 4) for op in binary]
    made += [
        elementwise(dtypes.bool, [dtype] * 2, lambda x, y, op=op: alu(op, x, y), 8) for op in (Ops.CMPLT, Ops.CMPNE)
    ]
    made += [elementwise(to, [dtype], lambda x, to=to: cast(x, to), 8) for to in types]
    made += [elementwise(dtype, [since], lambda x: cast(x, dtype), 8) for since in types]
    chosen = elementwise(dtype, [dtypes.bool, dtype], lambda c, x: alu(Ops.WHERE, c, x, const(dtype, -0.5)), 8)
    return [*made, chosen]
