"""Where expressions begin: buffers, variables of the kernel, and arrays that are computed from nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.builder.error import BuildError
from core.builder.expr import Expr, const
from core.builder.movement import shape_text
from core.builder.promote import Scalar, checked_dtype
from core.dtype import DType, dtypes
from core.ir.ops import Ops
from core.ir.uop import UOp, resolve, sint

__all__ = ["arange", "buffer", "full", "variable"]


def buffer(name: str, shape: Sequence[sint], dtype: DType = dtypes.float) -> Expr:
    """The buffer `name`, a row-major array of `shape`. One name is one buffer throughout a kernel."""
    sizes = tuple(shape)
    if not name:
        raise BuildError("a buffer needs a name")
    if any(not resolve(size > 0, False) for size in sizes):
        raise BuildError(f"buffer {name!r} of the shape {shape_text(sizes)}: a size is not above 0")
    return Expr(Ops.DEFINE_GLOBAL, checked_dtype(dtype), sizes, (), name)


def variable(name: str, low: int, high: int) -> UOp:
    """A variable of the kernel, an integer in [low, high] that is given when it runs.

    It can be a size of a shape, a bound of a slice, an index, or an operand.
    """
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise BuildError(f"{name!r} is no name of a variable; letters, digits and _ make one")
    if not dtypes.int.min <= low <= high <= dtypes.int.max:
        raise BuildError(f"variable {name} has no range of 32-bit integers: [{low}, {high}]")
    return UOp.variable(name, low, high)


def full(shape: Sequence[sint], value: Scalar | UOp, dtype: DType | None = None) -> Expr:
    """An array of `shape` with `value` everywhere; the dtype as `const` has it."""
    scalar = const(value, dtype)
    return scalar.reshape((1,) * len(shape)).expand(tuple(shape))


def arange(start: sint, stop: sint | None = None, step: int = 1, dtype: DType = dtypes.int) -> Expr:
    """start, start + step, ... before `stop`, as Python's range has them; `arange(stop)` begins at 0.

    With symbolic bounds the step is 1. A kernel computes it from the position, as a reduce that may be repeated.
    """
    if stop is None:
        start, stop = 0, start
    if step == 0:
        raise BuildError("the step of arange is 0")
    if isinstance(start, UOp) or isinstance(stop, UOp):
        if step != 1:
            raise BuildError("arange of symbolic bounds has step 1")
        length: sint = stop - start
    else:
        length = len(range(start, stop, step))
    most = length if isinstance(length, int) else int(length.vmax)
    if most < 1 or not resolve(length > 0, False):
        raise BuildError(f"arange({start}, {stop}, {step}) may be empty")
    counted = Expr(Ops.RANGE, dtypes.int, (most,), (), most).shrink([(0, length)])
    index = counted + -1
    values = index if step == 1 else index * step
    moved = values if isinstance(start, int) and start == 0 else values + start
    return moved.cast(dtype)
