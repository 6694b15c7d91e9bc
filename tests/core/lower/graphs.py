"""Small graphs as the passes of lowering see them, and a stand-in for a backend."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.dtype import DType, dtypes
from core.ir.ops import Ops
from core.ir.uop import UOp


@dataclass(eq=False)
class Target:
    """A backend with the limits that a test needs."""

    has_local: bool = False
    supports_float4: bool = True
    slow_division: bool = False
    max_vector: int = 8
    has_images: bool = False
    global_max: tuple[int, ...] | None = None
    local_max: tuple[int, ...] | None = None
    code_for_op: dict[Ops, object] = field(default_factory=dict)
    pre_matcher: None = None
    extra_matcher: None = None


def buffer(number: int, dtype: DType = dtypes.float) -> UOp:
    return UOp(Ops.DEFINE_GLOBAL, dtype.ptr(-1), (), number)


def lane(axis: int, size: int) -> UOp:
    return UOp(Ops.LANE, dtypes.int, (), (axis, size))


def loop(number: int, end: int) -> UOp:
    return UOp(Ops.RANGE, dtypes.int, (UOp.const(dtypes.int, end),), number)


def load(pointer: UOp, index: UOp, gate: UOp | None = None) -> UOp:
    dtype = pointer.dtype.base
    gated = () if gate is None else (UOp.const(dtype, 0), gate)
    return UOp(Ops.LOAD, dtype, (UOp(Ops.INDEX, pointer.dtype, (pointer, index)), *gated))


def store(pointer: UOp, index: UOp, value: UOp, gate: UOp | None = None) -> UOp:
    address = UOp(Ops.INDEX, pointer.dtype, (pointer, index))
    return UOp(Ops.STORE, dtypes.void, (address, value, *(() if gate is None else (gate,))))


def reduce(op: Ops, value: UOp, *loops: UOp, lanes: tuple[tuple[int, int], ...] = ()) -> UOp:
    return UOp(Ops.REDUCE, value.dtype, (value, *loops), (op, lanes))
