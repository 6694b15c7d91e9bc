"""Operations and conversions in PTX, on scalars; vectors are computed a lane at a time. None is ever undefined.

Every rounding is named: an instruction that says `.rn` is never fused with another. What PTX has no instruction of 16
bits for is done with floats and rounded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from core.dtype import DType, dtypes
from core.ir.ops import Ops
from core.ir.uop import UOp
from core.render.guards import maybe_minus_one, maybe_wide, maybe_zero
from core.render.ptx_types import immediate, ptx_type

if TYPE_CHECKING:
    from core.render.ptx import Kernel

__all__ = ["PTX_OPERATORS", "Operator", "bitcast", "cast"]

Operator: TypeAlias = "Callable[[Kernel, UOp, Sequence[str]], str]"
"""Emits an op on the registers or constants of one lane, and gives the register of its result."""


def by_kind(**instructions: str) -> Operator:
    """One instruction, chosen by the kind of the operands: f float, i signed, u unsigned, b bool."""

    def emit(kernel: Kernel, node: UOp, operands: Sequence[str]) -> str:
        dtype = node.dtype.scalar()
        instruction = instructions[node.src[0].dtype.kind]
        suffix = ptx_type(dtype).bits if instruction in ("and", "or", "xor", "not") else ptx_type(dtype).arithmetic
        return narrowed(kernel, dtype, kernel.emit(dtype, f"{instruction}.{suffix}", *operands))

    return emit


def narrowed(kernel: Kernel, dtype: DType, register: str) -> str:
    """A result of 8 bits, extended again after arithmetic in 16."""
    if not dtype.is_int or dtype.bits != 8:
        return register
    sign = "u" if dtype.is_unsigned else "s"
    return kernel.emit(dtype, f"cvt.{sign}16.{sign}8", register)


def in_float(instruction: str) -> Operator:
    """An instruction that halves do not have: they are widened, and the result is rounded."""

    def emit(kernel: Kernel, node: UOp, operands: Sequence[str]) -> str:
        dtype = node.dtype.scalar()
        wide = dtypes.float if dtype is dtypes.half else dtype
        widened = [cast(kernel, wide, dtype, operand) for operand in operands]
        return cast(kernel, dtype, wide, kernel.emit(wide, f"{instruction}.{ptx_type(wide).arithmetic}", *widened))

    return emit


def _negate(kernel: Kernel, node: UOp, operands: Sequence[str]) -> str:
    dtype = node.dtype.scalar()
    if dtype.is_float:
        return kernel.emit(dtype, f"neg.{ptx_type(dtype).arithmetic}", *operands)
    result = kernel.emit(dtype, f"sub.{ptx_type(dtype).arithmetic}", "0", operands[0])
    return narrowed(kernel, dtype, result)


def compare(kernel: Kernel, comparison: str, dtype: DType, left: str, right: str) -> str:
    """The predicate of a comparison of two scalars, neither of them bool."""
    return kernel.emit(dtypes.bool, f"setp.{comparison}.{ptx_type(dtype).arithmetic}", left, right)


def select(kernel: Kernel, dtype: DType, condition: str, yes: str, no: str) -> str:
    if not dtype.is_bool:
        return kernel.emit(dtype, f"selp.{ptx_type(dtype).bits}", yes, no, condition)
    taken = kernel.emit(dtype, "and.pred", condition, yes)
    denied = kernel.emit(dtype, "not.pred", condition)
    return kernel.emit(dtype, "or.pred", taken, kernel.emit(dtype, "and.pred", denied, no))


def _less(kernel: Kernel, node: UOp, operands: Sequence[str]) -> str:
    dtype = node.src[0].dtype.scalar()
    if dtype.is_bool:
        return kernel.emit(dtype, "and.pred", kernel.emit(dtype, "not.pred", operands[0]), operands[1])
    return compare(kernel, "lt", dtype, *operands)


def _not_equal(kernel: Kernel, node: UOp, operands: Sequence[str]) -> str:
    dtype = node.src[0].dtype.scalar()
    if dtype.is_bool:
        return kernel.emit(dtype, "xor.pred", *operands)
    return compare(kernel, "neu" if dtype.is_float else "ne", dtype, *operands)  # nan is unequal to itself


def _maximum(kernel: Kernel, node: UOp, operands: Sequence[str]) -> str:
    """(a < b) ? b : a, so a nan on either side gives a."""
    dtype = node.dtype.scalar()
    if dtype.is_bool:
        return kernel.emit(dtype, "or.pred", *operands)
    if dtype.is_int:
        return kernel.emit(dtype, f"max.{ptx_type(dtype).arithmetic}", *operands)
    return select(kernel, dtype, compare(kernel, "lt", dtype, *operands), operands[1], operands[0])


def _choose(kernel: Kernel, node: UOp, operands: Sequence[str]) -> str:
    return select(kernel, node.dtype.scalar(), *operands)


def _divisor(kernel: Kernel, node: UOp, divisor: str) -> tuple[str, str | None, str | None]:
    """(the divisor with 1 in the place of 0 and -1, whether it is 0, whether it is -1), as far as its bounds ask."""
    dtype = node.dtype.scalar()
    zero = compare(kernel, "eq", dtype, divisor, "0") if maybe_zero(node) else None
    minus_one = compare(kernel, "eq", dtype, divisor, "-1") if maybe_minus_one(node) else None
    for case in (zero, minus_one):
        divisor = divisor if case is None else select(kernel, dtype, case, "1", divisor)
    return divisor, zero, minus_one


def _divide(kernel: Kernel, node: UOp, operands: Sequence[str]) -> str:
    dtype, dividend = node.dtype.scalar(), operands[0]
    divisor, zero, minus_one = _divisor(kernel, node, operands[1])
    quotient = kernel.emit(dtype, f"div.{ptx_type(dtype).arithmetic}", dividend, divisor)
    if minus_one is not None:
        negated = kernel.emit(dtype, f"sub.{ptx_type(dtype).arithmetic}", "0", dividend)
        quotient = select(kernel, dtype, minus_one, narrowed(kernel, dtype, negated), quotient)
    return quotient if zero is None else select(kernel, dtype, zero, "0", quotient)


def _remainder(kernel: Kernel, node: UOp, operands: Sequence[str]) -> str:
    """Divided by 1 instead of 0 or -1, the remainder is the 0 that is wanted."""
    dtype = node.dtype.scalar()
    divisor, _, _ = _divisor(kernel, node, operands[1])
    return kernel.emit(dtype, f"rem.{ptx_type(dtype).arithmetic}", operands[0], divisor)


def _shift(instruction: str) -> Operator:
    """PTX takes a count of 32 bits, and clamps one beyond the width of the register: all is shifted out."""

    def emit(kernel: Kernel, node: UOp, operands: Sequence[str]) -> str:
        dtype, counts = node.dtype.scalar(), node.src[1].dtype.scalar()
        count = operands[1]
        if counts.bits == 64:
            if maybe_wide(node):
                wide = compare(kernel, "hi", dtypes.ulong, count, str(dtype.bits))
                count = select(kernel, counts, wide, str(dtype.bits), count)
            count = cast(kernel, dtypes.uint, counts, count)
        elif counts.bits < 32:
            count = cast(kernel, dtypes.int, counts, count)
        suffix = ptx_type(dtype).bits if instruction == "shl" else ptx_type(dtype).arithmetic
        return narrowed(kernel, dtype, kernel.emit(dtype, f"{instruction}.{suffix}", operands[0], count))

    return emit


PTX_OPERATORS: Final[Mapping[Ops, Operator]] = {
    Ops.ADD: by_kind(f="add.rn", i="add", u="add", b="or"),
    Ops.SUB: by_kind(f="sub.rn", i="sub", u="sub"),
    Ops.MUL: by_kind(f="mul.rn", i="mul.lo", u="mul.lo", b="and"),
    Ops.NEG: _negate,
    Ops.IDIV: _divide,
    Ops.MOD: _remainder,
    Ops.FDIV: in_float("div.rn"),
    Ops.RECIP: in_float("rcp.rn"),
    Ops.MAX: _maximum,
    Ops.CMPLT: _less,
    Ops.CMPNE: _not_equal,
    Ops.AND: by_kind(i="and", u="and", b="and"),
    Ops.OR: by_kind(i="or", u="or", b="or"),
    Ops.XOR: by_kind(i="xor", u="xor", b="xor"),
    Ops.SHL: _shift("shl"),
    Ops.SHR: _shift("shr"),
    Ops.WHERE: _choose,
    Ops.SQRT: in_float("sqrt.rn"),
}
"""Without EXP2, LOG2 and SIN: those of the hardware are approximations, so `core.lower` writes them in other ops."""


# ---- conversions --------------------------------------------------------------------------------------------------


def cast(kernel: Kernel, dtype: DType, source: DType, value: str) -> str:
    """A scalar converted from `source` to `dtype`."""
    if dtype is source:
        return value
    if dtype.is_bool:
        return compare(kernel, "neu" if source.is_float else "ne", source, value, kernel.constant(source, 0))
    if source.is_bool:
        return kernel.emit(dtype, f"selp.{ptx_type(dtype).bits}", immediate(dtype, 1), immediate(dtype, 0), value)
    if source.is_float:
        return _from_float(kernel, dtype, source, value)
    to, since = ptx_type(dtype), ptx_type(source)
    if dtype.is_float:
        return kernel.emit(dtype, f"cvt.rn.{to.arithmetic}.{since.arithmetic}", value)
    if dtype.bits == 8:
        short = dtypes.ushort if dtype.is_unsigned else dtypes.short
        return narrowed(kernel, dtype, cast(kernel, short, source, value) if source.bits > 16 else value)
    if to.register == since.register:
        return value  # the bits are the same, and no register knows its sign
    return kernel.emit(dtype, f"cvt.{to.arithmetic}.{since.arithmetic}", value)


def _from_float(kernel: Kernel, dtype: DType, source: DType, value: str) -> str:
    to, since = ptx_type(dtype).arithmetic, ptx_type(source).arithmetic
    if dtype.is_float:
        rounding = "" if dtype.bits > source.bits else ".rn"
        return kernel.emit(dtype, f"cvt{rounding}.{to}.{since}", value)
    # narrow and unsigned integers through one that has room for the sign; `rzi` saturates
    through = dtypes.int if dtype.bits < 32 else dtypes.long if dtype is dtypes.uint else dtype
    whole = kernel.emit(through, f"cvt.rzi.{ptx_type(through).arithmetic}.{since}", value)
    return cast(kernel, dtype, through, whole)


def bitcast(kernel: Kernel, dtype: DType, source: DType, value: str) -> str:
    """The bits of a scalar as another type of the same size."""
    if source.is_bool or dtype.is_bool or dtype.bits == 8:
        return cast(kernel, dtype, source, value)  # a bool is 0 or 1, and a byte differs in how it is extended
    if ptx_type(dtype).register == ptx_type(source).register and dtype.is_float == source.is_float:
        return value
    return kernel.emit(dtype, f"mov.b{dtype.bits}", value)
