"""Linear programs made by hand, for the tests of the renderers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from core.dtype import DType, dtypes
from core.ir.ops import Ops
from core.ir.uop import UOp, toposort


def const(dtype: DType, value: float) -> UOp:
    return UOp(Ops.CONST, dtype, (), value)


def buffer(number: int, dtype: DType, size: int = -1) -> UOp:
    return UOp(Ops.DEFINE_GLOBAL, dtype.ptr(size), (), number)


def index(pointer: UOp, at: UOp | int) -> UOp:
    return UOp(Ops.INDEX, pointer.dtype, (pointer, const(dtypes.int, at) if isinstance(at, int) else at))


def load(pointer: UOp, at: UOp | int, count: int = 1) -> UOp:
    return UOp(Ops.LOAD, pointer.dtype.base.vec(count), (index(pointer, at),))


def gated_load(pointer: UOp, at: UOp | int, alternative: UOp, gate: UOp) -> UOp:
    return UOp(Ops.LOAD, alternative.dtype, (index(pointer, at), alternative, gate))


def store(pointer: UOp, at: UOp | int, value: UOp) -> UOp:
    return UOp(Ops.STORE, dtypes.void, (index(pointer, at), value))


def loop(end: UOp | int, number: int = 0) -> UOp:
    return UOp(Ops.RANGE, dtypes.int, (const(dtypes.int, end) if isinstance(end, int) else end,), number)


def end(opened: UOp) -> UOp:
    return UOp(Ops.ENDRANGE if opened.op is Ops.RANGE else Ops.ENDIF, dtypes.void, (opened,))


def alu(op: Ops, *src: UOp) -> UOp:
    """The op, unfolded. Comparisons give bool."""
    dtype = src[-1].dtype
    if op in (Ops.CMPLT, Ops.CMPNE):
        dtype = dtypes.bool.vec(dtype.count)
    return UOp(op, dtype, src)


def cast(value: UOp, dtype: DType) -> UOp:
    return UOp(Ops.CAST, dtype, (value,))


def program(*parts: UOp) -> list[UOp]:
    """The parts in order, each after what it needs."""
    return toposort(parts)


def elementwise(
    out: DType, inputs: Sequence[DType], build: Callable[..., UOp], size: int | UOp, lanes: int = 1
) -> list[UOp]:
    """out[i] = build(in1[i], in2[i], …) for i below `size`; with `lanes`, on vectors of as many elements."""
    steps = loop(size if isinstance(size, UOp) else size // lanes)
    at = steps if lanes == 1 else alu(Ops.MUL, steps, const(dtypes.int, lanes))
    loads = [load(buffer(number, dtype), at, lanes) for number, dtype in enumerate(inputs, start=1)]
    return program(store(buffer(0, out), at, build(*loads)), end(steps))
