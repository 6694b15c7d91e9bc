"""Operations and conversions in WGSL, on scalars; vectors are computed a lane at a time.

Integers wrap in WGSL, and no operation of it is undefined; what it defines otherwise than the other backends, division
by 0 for example, is guarded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from core.dtype import DType, dtypes
from core.ir.ops import Ops
from core.ir.uop import UOp
from core.render.guards import maybe_wide, maybe_zero
from core.render.wgsl_types import is_literal, is_wide, literal, type_name

if TYPE_CHECKING:
    from core.render.wgsl import Shader

__all__ = ["WGSL_OPERATORS", "Operator", "bitcast", "cast"]

Operator: TypeAlias = "Callable[[Shader, UOp, Sequence[str]], str]"
"""The expression of an op on the names or literals of one lane."""


def narrowed(dtype: DType, text: str) -> str:
    """A result in 32 bits as one of an integer of 8 or 16."""
    if not dtype.is_int or dtype.bits >= 32:
        return text
    return f"({text}) & {(1 << dtype.bits) - 1}u" if dtype.is_unsigned else f"extractBits({text}, 0u, {dtype.bits}u)"


def arithmetic(symbol: str, wide: str, bools: str = "") -> Operator:
    """An infix operator; of 64 bits a function."""

    def write(shader: Shader, node: UOp, args: Sequence[str]) -> str:
        dtype = node.src[0].dtype.scalar()
        if dtype.is_bool:
            return f"{args[0]} {bools} {args[1]}"
        if is_wide(dtype):
            return f"{wide}({args[0]}, {args[1]})"
        return narrowed(dtype, f"{args[0]} {symbol} {args[1]}")

    return write


def logic(symbol: str, bools: str) -> Operator:
    """An operator that is the same for all integers."""
    return lambda shader, node, args: f"{args[0]} {bools if node.dtype.is_bool else symbol} {args[1]}"


def _negate(shader: Shader, node: UOp, args: Sequence[str]) -> str:
    dtype = node.dtype.scalar()
    if is_wide(dtype):
        return f"neg64({args[0]})"
    zero = "" if dtype.is_float or not dtype.is_unsigned else "0u "
    return narrowed(dtype, f"{zero}-{' ' if zero else ''}{args[0]}")


def _signed(name: str, dtype: DType) -> str:
    return f"{name}{'u' if dtype.is_unsigned else 's'}64"


def _divide(shader: Shader, node: UOp, args: Sequence[str]) -> str:
    dtype = node.dtype.scalar()
    if is_wide(dtype):
        return f"{_signed('div', dtype)}({args[0]}, {args[1]})"
    return _unless_zero(node, args[1], narrowed(dtype, f"{args[0]} / {args[1]}"))


def _remainder(shader: Shader, node: UOp, args: Sequence[str]) -> str:
    dtype = node.dtype.scalar()
    if is_wide(dtype):
        return f"{_signed('mod', dtype)}({args[0]}, {args[1]})"
    return _unless_zero(node, args[1], f"{args[0]} % {args[1]}")


def _unless_zero(node: UOp, divisor: str, text: str) -> str:
    """`text`, which divides by `divisor`, or 0 where that is 0: by a constant 0 WGSL refuses to divide."""
    zero = literal(node.dtype, 0)
    if divisor == zero:
        return zero
    return f"select({text}, {zero}, {divisor} == {zero})" if maybe_zero(node) else text


def _less(shader: Shader, node: UOp, args: Sequence[str]) -> str:
    dtype = node.src[0].dtype.scalar()
    if dtype.is_bool:
        return f"!{args[0]} & {args[1]}"
    return f"{_signed('lt', dtype)}({args[0]}, {args[1]})" if is_wide(dtype) else f"{args[0]} < {args[1]}"


def _unequal(shader: Shader, node: UOp, args: Sequence[str]) -> str:
    dtype = node.src[0].dtype.scalar()
    if is_wide(dtype):
        return f"any({args[0]} != {args[1]})"
    if dtype.is_float and args[0] == args[1]:
        # a test for nan: of bits, for WGSL lets a compiler assume that no float is one
        return f"(bitcast<u32>({cast(shader, dtypes.float, dtype, args[0])}) & 0x7fffffffu) > 0x7f800000u"
    if dtype.is_float:
        return f"!({args[0]} == {args[1]})"  # naga 29 has `!=` false for a nan
    return f"{args[0]} != {args[1]}"


def _maximum(shader: Shader, node: UOp, args: Sequence[str]) -> str:
    """(a < b) ? b : a, so a nan on either side gives a."""
    if node.dtype.is_bool:
        return f"{args[0]} | {args[1]}"
    return f"select({args[0]}, {args[1]}, {_less(shader, node, args)})"


def _shift(symbol: str) -> Operator:
    """By a count of u32, which WGSL takes modulo the width."""

    def write(shader: Shader, node: UOp, args: Sequence[str]) -> str:
        dtype, counts = node.dtype.scalar(), node.src[1].dtype.scalar()
        value, count = args
        guarded = maybe_wide(node)
        if is_wide(counts):
            # a count beyond 32 bits is as good as any that shifts everything out
            count = shader.let("u32", f"select({count}.x, 255u, {count}.y != 0u)" if guarded else f"{count}.x")
        elif not counts.is_unsigned:
            known = is_literal(count) and not count.startswith("i32(")
            count = f"{count[:-1]}u" if known else shader.let("u32", f"bitcast<u32>({count})")
        if is_wide(dtype):
            name = "shl64" if symbol == "<<" else _signed("shr", dtype)
            return f"{name}({value}, {count})"
        if not guarded:
            return narrowed(dtype, f"{value} {symbol} {count}")
        beyond = literal(dtype, 0) if symbol == "<<" or dtype.is_unsigned else f"{value} >> 31u"
        return f"select({beyond}, {narrowed(dtype, f'{value} {symbol} ({count} & 31u)')}, {count} < {dtype.bits}u)"

    return write


def _choose(shader: Shader, node: UOp, args: Sequence[str]) -> str:
    return f"select({args[2]}, {args[1]}, {args[0]})"


def _reciprocal(shader: Shader, node: UOp, args: Sequence[str]) -> str:
    return f"{literal(node.dtype, 1)} / {args[0]}"


WGSL_OPERATORS: Final[Mapping[Ops, Operator]] = {
    Ops.ADD: arithmetic("+", "add64", "|"),
    Ops.SUB: arithmetic("-", "sub64"),
    Ops.MUL: arithmetic("*", "mul64", "&"),
    Ops.NEG: _negate,
    Ops.IDIV: _divide,
    Ops.MOD: _remainder,
    Ops.FDIV: lambda shader, node, args: f"{args[0]} / {args[1]}",
    Ops.RECIP: _reciprocal,
    Ops.MAX: _maximum,
    Ops.CMPLT: _less,
    Ops.CMPNE: _unequal,
    Ops.AND: logic("&", "&"),
    Ops.OR: logic("|", "|"),
    Ops.XOR: logic("^", "!="),
    Ops.SHL: _shift("<<"),
    Ops.SHR: _shift(">>"),
    Ops.WHERE: _choose,
    Ops.SQRT: lambda shader, node, args: f"sqrt({args[0]})",
}
"""Without EXP2, LOG2 and SIN, of which WGSL asks too little accuracy: `core.lower` writes them in other ops."""


# ---- conversions --------------------------------------------------------------------------------------------------


def cast(shader: Shader, dtype: DType, source: DType, value: str) -> str:
    """The expression of a scalar converted from `source` to `dtype`."""
    if dtype is source:
        return value
    if dtype.is_bool:
        zero = literal(source, 0)
        return f"any({value} != {zero})" if is_wide(source) else f"!({value} == {zero})"
    if is_wide(dtype):
        return _widened(shader, source, value)
    if is_wide(source):
        if dtype.is_float:
            single = f"{_float_function(source)}({value})"
            return single if dtype is dtypes.float else f"f16({single})"
        return narrowed(dtype, f"{type_name(dtype)}({value}.x)")
    if source.is_float and dtype.is_int:
        return _from_float(shader, dtype, source, value)
    return narrowed(dtype, f"{type_name(dtype)}({value})")


def _float_function(source: DType) -> str:
    return "floatu64" if source.is_unsigned else "floats64"


def _widened(shader: Shader, source: DType, value: str) -> str:
    if is_wide(source):
        return value
    if source.is_float:
        return f"whole64(f32({value}))"
    if source.is_bool:
        return f"vec2<u32>(u32({value}), 0u)"
    return f"vec2<u32>({value}, 0u)" if source.is_unsigned else f"signed64({value})"


def _from_float(shader: Shader, dtype: DType, source: DType, value: str) -> str:
    """Narrow and unsigned integers through one that has room for the sign."""
    if dtype is dtypes.uint:
        return f"whole64(f32({value})).x"
    return narrowed(dtype, f"{type_name(dtype)}(i32({value}))")


def bitcast(shader: Shader, dtype: DType, source: DType, value: str) -> str:
    """The bits of a scalar as another type of the same size."""
    if dtype is source or (is_wide(dtype) and is_wide(source)):
        return value
    if dtype is dtypes.half:
        return f"f16(unpack2x16float(u32({value}) & 65535u).x)"
    if source is dtypes.half:
        return cast(shader, dtype, dtypes.ushort, f"pack2x16float(vec2<f32>(f32({value}), 0.0))")
    if dtype.bits < 32 or source.is_bool or dtype.is_bool:
        return cast(shader, dtype, source, value)
    return f"bitcast<{type_name(dtype)}>({value})"
