"""Operations and conversions in LLVM's IR. None is ever undefined or poison, whatever its operands are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from core.dtype import DType, dtypes
from core.ir.ops import Ops
from core.ir.uop import UOp
from core.render.guards import maybe_minus_one, maybe_wide, maybe_zero
from core.render.llvm_half import double_to_half, double_to_half_name
from core.render.llvm_types import constant, suffix, type_name

if TYPE_CHECKING:
    from core.render.llvm import Function

__all__ = ["LLVM_OPERATORS", "Operator", "bitcast", "cast"]

Operator: TypeAlias = "Callable[[Function, UOp, Sequence[str]], str]"
"""Emits an op on the named operands, and gives the name of its result."""


def _typed(node: UOp, operands: Sequence[str]) -> str:
    return f"{type_name(node.src[0].dtype)} {', '.join(operands)}"


def by_kind(**instructions: str) -> Operator:
    """One instruction, chosen by the kind of the operands: f float, i signed, u unsigned, b bool."""

    def emit(function: Function, node: UOp, operands: Sequence[str]) -> str:
        return function.emit(f"{instructions[node.src[0].dtype.kind]} {_typed(node, operands)}")

    return emit


def intrinsic(name: str) -> Operator:
    """A function of libm or an instruction, as LLVM chooses. Halves are computed as floats and rounded."""

    def emit(function: Function, node: UOp, operands: Sequence[str]) -> str:
        dtype = node.dtype
        wide = _like(dtypes.float, dtype) if dtype.name == "half" else dtype
        called = f"@llvm.{name}.{suffix(wide)}"
        function.declarations[f"declare {type_name(wide)} {called}({type_name(wide)})"] = None
        operand = cast(function, wide, dtype, operands[0])
        result = function.emit(f"call {type_name(wide)} {called}({type_name(wide)} {operand})")
        return cast(function, dtype, wide, result)

    return emit


def _like(scalar: DType, dtype: DType) -> DType:
    """`scalar`, or the vector of it with as many lanes as `dtype`."""
    return scalar.vec(dtype.count)


def _negate(function: Function, node: UOp, operands: Sequence[str]) -> str:
    if node.dtype.is_float:
        return function.emit(f"fneg {_typed(node, operands)}")
    return function.emit(f"sub {type_name(node.dtype)} {constant(node.dtype, 0)}, {operands[0]}")


def _reciprocal(function: Function, node: UOp, operands: Sequence[str]) -> str:
    return function.emit(f"fdiv {type_name(node.dtype)} {constant(node.dtype, 1)}, {operands[0]}")


_less = by_kind(f="fcmp olt", i="icmp slt", u="icmp ult", b="icmp ult")
_or_bools = by_kind(b="or")


def _maximum(function: Function, node: UOp, operands: Sequence[str]) -> str:
    """(a < b) ? b : a, so a nan on either side gives a."""
    if node.dtype.is_bool:
        return _or_bools(function, node, operands)
    return _select(function, node.dtype, _less(function, node, operands), operands[1], operands[0])


def _choose(function: Function, node: UOp, operands: Sequence[str]) -> str:
    condition = f"{type_name(node.src[0].dtype)} {operands[0]}"
    typed = type_name(node.dtype)
    return function.emit(f"select {condition}, {typed} {operands[1]}, {typed} {operands[2]}")


def _select(function: Function, dtype: DType, condition: str, yes: str, no: str) -> str:
    """A choice lane by lane."""
    bools, typed = type_name(_like(dtypes.bool, dtype)), type_name(dtype)
    return function.emit(f"select {bools} {condition}, {typed} {yes}, {typed} {no}")


def _compare(function: Function, comparison: str, dtype: DType, value: str, to: int) -> str:
    return function.emit(f"icmp {comparison} {type_name(dtype)} {value}, {constant(dtype, to)}")


def _is_zero(function: Function, node: UOp, divisor: str) -> str | None:
    return _compare(function, "eq", node.dtype, divisor, 0) if maybe_zero(node) else None


def _is_minus_one(function: Function, node: UOp, divisor: str) -> str | None:
    return _compare(function, "eq", node.dtype, divisor, -1) if maybe_minus_one(node) else None


def _without(function: Function, node: UOp, divisor: str, cases: Sequence[str | None]) -> str:
    """The divisor with 1 in its place in each of `cases`."""
    for case in cases:
        if case is not None:
            divisor = _select(function, node.dtype, case, constant(node.dtype, 1), divisor)
    return divisor


def _divide(function: Function, node: UOp, operands: Sequence[str]) -> str:
    dtype, (dividend, divisor) = node.dtype, operands
    zero, minus_one = _is_zero(function, node, divisor), _is_minus_one(function, node, divisor)
    divisor = _without(function, node, divisor, (zero, minus_one))

    instruction = "udiv" if dtype.is_unsigned else "sdiv"
    quotient = function.emit(f"{instruction} {type_name(dtype)} {dividend}, {divisor}")
    if minus_one is not None:
        negated = function.emit(f"sub {type_name(dtype)} {constant(dtype, 0)}, {dividend}")
        quotient = _select(function, dtype, minus_one, negated, quotient)
    return quotient if zero is None else _select(function, dtype, zero, constant(dtype, 0), quotient)


def _remainder(function: Function, node: UOp, operands: Sequence[str]) -> str:
    """Divided by 1 instead of 0 or -1, the remainder is the 0 that is wanted."""
    dtype, (dividend, divisor) = node.dtype, operands
    cases = (_is_zero(function, node, divisor), _is_minus_one(function, node, divisor))
    divisor = _without(function, node, divisor, cases)
    return function.emit(f"{'urem' if dtype.is_unsigned else 'srem'} {type_name(dtype)} {dividend}, {divisor}")


def _shift_left(function: Function, node: UOp, operands: Sequence[str]) -> str:
    return _shift(function, node, operands, "shl", constant(node.dtype, 0))


def _shift_right(function: Function, node: UOp, operands: Sequence[str]) -> str:
    dtype = node.dtype
    if dtype.is_unsigned:
        return _shift(function, node, operands, "lshr", constant(dtype, 0))
    beyond = constant(dtype, 0)
    if maybe_wide(node):
        beyond = function.emit(f"ashr {type_name(dtype)} {operands[0]}, {constant(dtype, dtype.bits - 1)}")
    return _shift(function, node, operands, "ashr", beyond)


def _shift(function: Function, node: UOp, operands: Sequence[str], instruction: str, beyond: str) -> str:
    """A shift, or `beyond` for a count outside of the width, where its bounds leave that possible."""
    dtype, counts = node.dtype, node.src[1].dtype
    value, count = operands
    # the count may be of another type; it is compared in its own
    wide = _compare(function, "uge", counts, count, dtype.bits) if maybe_wide(node) else None
    count = cast(function, dtype, counts, count)
    if wide is None:
        return function.emit(f"{instruction} {type_name(dtype)} {value}, {count}")
    count = _select(function, dtype, wide, constant(dtype, 0), count)
    shifted = function.emit(f"{instruction} {type_name(dtype)} {value}, {count}")
    return _select(function, dtype, wide, beyond, shifted)


LLVM_OPERATORS: Final[Mapping[Ops, Operator]] = {
    Ops.ADD: by_kind(f="fadd", i="add", u="add", b="or"),
    Ops.SUB: by_kind(f="fsub", i="sub", u="sub"),
    Ops.MUL: by_kind(f="fmul", i="mul", u="mul", b="and"),
    Ops.NEG: _negate,
    Ops.IDIV: _divide,
    Ops.MOD: _remainder,
    Ops.FDIV: by_kind(f="fdiv"),
    Ops.RECIP: _reciprocal,
    Ops.MAX: _maximum,
    Ops.CMPLT: _less,
    Ops.CMPNE: by_kind(f="fcmp une", i="icmp ne", u="icmp ne", b="xor"),
    Ops.AND: by_kind(i="and", u="and", b="and"),
    Ops.OR: by_kind(i="or", u="or", b="or"),
    Ops.XOR: by_kind(i="xor", u="xor", b="xor"),
    Ops.SHL: _shift_left,
    Ops.SHR: _shift_right,
    Ops.WHERE: _choose,
    Ops.SQRT: intrinsic("sqrt"),
    Ops.EXP2: intrinsic("exp2"),
    Ops.LOG2: intrinsic("log2"),
    Ops.SIN: intrinsic("sin"),
}


# ---- conversions --------------------------------------------------------------------------------------------------


def cast(function: Function, dtype: DType, source: DType, value: str) -> str:
    """`value` converted from `source` to `dtype`, lane by lane; the name of the result."""
    if type_name(dtype) == type_name(source):
        return value
    if dtype.is_bool:
        comparison = "fcmp une" if source.is_float else "icmp ne"
        return function.emit(f"{comparison} {type_name(source)} {value}, {constant(source, 0)}")
    if source.is_float:
        return _from_float(function, dtype, source, value)
    if dtype.is_float:
        return _to_float(function, dtype, source, value)
    instruction = "trunc" if dtype.bits < source.bits else "zext" if source.is_unsigned else "sext"
    return function.convert(instruction, dtype, source, value)


def _to_float(function: Function, dtype: DType, source: DType, value: str) -> str:
    """Integers become halves by way of float: what float has to round is beyond the range of half."""
    instruction = "uitofp" if source.is_unsigned else "sitofp"
    if dtype.name != "half":
        return function.convert(instruction, dtype, source, value)
    wide = _like(dtypes.float, dtype)
    return function.convert("fptrunc", dtype, wide, function.convert(instruction, wide, source, value))


def _from_float(function: Function, dtype: DType, source: DType, value: str) -> str:
    if dtype.is_float:
        if source.name == "double" and dtype.name == "half":
            return _double_to_half(function, dtype, source, value)
        return function.convert("fpext" if dtype.bits > source.bits else "fptrunc", dtype, source, value)

    if source.name == "half":
        wide = _like(dtypes.float, source)
        return _from_float(function, dtype, wide, function.convert("fpext", wide, source, value))
    # narrow and unsigned integers through one that has room for the sign
    scalar = dtypes.int if dtype.bits < 32 else dtypes.long if dtype.name == "uint" else dtype.scalar()
    through = _like(scalar, dtype)
    whole = function.convert("fptoui" if scalar.is_unsigned else "fptosi", through, source, value)
    # of a value out of range some integer, instead of poison that could spread to a branch
    frozen = function.emit(f"freeze {type_name(through)} {whole}")
    return cast(function, dtype, through, frozen)


def _double_to_half(function: Function, dtype: DType, source: DType, value: str) -> str:
    function.helpers[double_to_half(dtype.count)] = None
    called = double_to_half_name(dtype.count)
    return function.emit(f"call {type_name(dtype)} {called}({type_name(source)} {value})")


def bitcast(function: Function, dtype: DType, source: DType, value: str) -> str:
    """The bits of `value` as `dtype`. A bool is a byte of 0 or 1."""
    if source.is_bool:
        source, value = _like(dtypes.uchar, source), cast(function, _like(dtypes.uchar, source), source, value)
    if dtype.is_bool:
        byte = bitcast(function, _like(dtypes.uchar, dtype), source, value)
        return cast(function, dtype, _like(dtypes.uchar, dtype), byte)
    if type_name(dtype) == type_name(source):
        return value
    return function.convert("bitcast", dtype, source, value)
