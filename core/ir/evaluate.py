"""One op on Python scalars, with the meaning that C gives it: for folding constants."""

from __future__ import annotations

import ctypes
import math
import struct
from collections.abc import Callable
from typing import Any, Final

from core.dtype import DType, dtypes
from core.ir.bounds import truncated_div
from core.ir.ops import Ops
from core.ir.uop import wrap

__all__ = ["cast_const", "evaluate", "round_to"]


def round_to(dtype: DType, value: Any) -> Any:
    """`value` as the nearest value of `dtype`; integers wrap."""
    if dtype.is_int:
        return wrap(dtype, int(value))
    if dtype.is_bool:
        return bool(value)
    value = float(value)
    if dtype.scalar() is dtypes.float:
        return ctypes.c_float(value).value
    if dtype.scalar() is dtypes.half and math.isfinite(value):
        try:
            return struct.unpack("<e", struct.pack("<e", value))[0]
        except OverflowError:
            return math.copysign(math.inf, value)
    return value


def cast_const(dtype: DType, source: DType, value: Any) -> Any | None:
    """`value` converted as C converts it; None where C leaves the result undefined, or where it is not known here."""
    if dtype.scalar() is dtypes.bfloat16 or source.scalar() is dtypes.bfloat16:
        return None
    value = round_to(source, value)
    if dtype.is_int and source.is_float:
        return int(value) if math.isfinite(value) and dtype.min <= math.trunc(value) <= dtype.max else None
    return round_to(dtype, value)


def evaluate(op: Ops, dtype: DType, operands: list[Any], operand_dtype: DType) -> Any | None:
    """`op` on constants of `operand_dtype`, as a value of `dtype`; None for what is not folded."""
    function = _FUNCTIONS.get(op)
    if function is None or operand_dtype.scalar() is dtypes.bfloat16:
        return None
    if op is Ops.WHERE:
        return operands[1] if operands[0] else operands[2]

    try:
        return round_to(dtype, function(*[round_to(operand_dtype, operand) for operand in operands]))
    except (OverflowError, ValueError):
        return None


def _idiv(a: int, b: int) -> int:
    return truncated_div(a, b) if b else 0


def _mod(a: int, b: int) -> int:
    return a - truncated_div(a, b) * b if b else 0


def _fdiv(a: float, b: float) -> float:
    if b != 0:
        return a / b
    return math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, math.copysign(1, a) * math.copysign(1, b))


_FUNCTIONS: Final[dict[Ops, Callable[..., Any]]] = {
    Ops.ADD: lambda a, b: a or b if a is True or b is True else a + b,
    Ops.SUB: lambda a, b: a - b,
    Ops.MUL: lambda a, b: a * b,
    Ops.IDIV: _idiv,
    Ops.MOD: _mod,
    Ops.FDIV: _fdiv,
    Ops.RECIP: lambda a: _fdiv(1.0, a),
    Ops.NEG: lambda a: -a,
    Ops.MAX: lambda a, b: b if a < b else a,
    Ops.CMPLT: lambda a, b: a < b,
    Ops.CMPNE: lambda a, b: a != b,
    Ops.AND: lambda a, b: a & b,
    Ops.OR: lambda a, b: a | b,
    Ops.XOR: lambda a, b: a ^ b,
    Ops.SHL: lambda a, b: a << b if 0 <= b < 64 else _undefined(),
    Ops.SHR: lambda a, b: a >> b if 0 <= b < 64 else _undefined(),
    Ops.SQRT: lambda a: math.sqrt(a),
    Ops.WHERE: lambda a, b, c: b if a else c,
}


def _undefined() -> int:
    raise ValueError("the shift is undefined in C")
