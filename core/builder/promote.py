"""Which dtype an operation on two dtypes has, and which one a sum or a fraction has."""

from __future__ import annotations

from typing import Final, TypeAlias

from core.builder.error import BuildError
from core.dtype import DType, PtrDType, dtypes

__all__ = ["Scalar", "checked_dtype", "checked_value", "fraction_dtype", "promoted", "scalar_dtype", "sum_dtype"]

Scalar: TypeAlias = "bool | int | float"

_SIGNED: Final = {8: dtypes.char, 16: dtypes.short, 32: dtypes.int, 64: dtypes.long}


def promoted(a: DType, b: DType) -> DType:
    """The dtype in which both can be computed with.

    bool gives way to everything, an integer to a float, and the narrower to the wider; half and bfloat16 meet in float,
    a signed and an unsigned integer in the narrowest signed one that holds both. There is none for ulong and a signed
    integer: BuildError.
    """
    if a is b or b.is_bool:
        return a
    if a.is_bool:
        return b
    if a.is_float or b.is_float:
        if a.is_float and b.is_float and a.bits == b.bits:
            return dtypes.float
        return max((dtype for dtype in (a, b) if dtype.is_float), key=lambda dtype: dtype.bits)
    if a.is_unsigned == b.is_unsigned:
        return max(a, b, key=lambda dtype: dtype.bits)

    signed, unsigned = (b, a) if a.is_unsigned else (a, b)
    bits = max(signed.bits, 2 * unsigned.bits)
    if bits not in _SIGNED:
        raise BuildError(f"no integer type holds both {a} and {b}; cast one of them")
    return _SIGNED[bits]


def scalar_dtype(value: Scalar, other: DType | None = None) -> DType:
    """The dtype of a Python number beside an operand of `other`: that one, if numbers of this kind fit into it.

    Else, or beside nothing, it is bool, int or float.
    """
    if isinstance(value, bool):
        return other or dtypes.bool
    if isinstance(value, int):
        return dtypes.int if other is None or other.is_bool else other
    return other if other is not None and other.is_float else dtypes.float


def sum_dtype(dtype: DType) -> DType:
    """The dtype of a sum or product: at least 32 bits wide for integers, int for bool, else the operand's."""
    if dtype.is_float or dtype.bits >= 32:
        return dtype
    return dtypes.uint if dtype.is_int and dtype.is_unsigned else dtypes.int


def fraction_dtype(dtype: DType) -> DType:
    """The dtype of what is no whole number: a quotient, a root, a mean. Integers and bool are computed in float."""
    return dtype if dtype.is_float else dtypes.float


def checked_dtype(dtype: DType) -> DType:
    """`dtype`, if values of an expression can have it; else BuildError."""
    if isinstance(dtype, PtrDType) or dtype.count != 1 or dtype is dtypes.void:
        raise BuildError(f"an expression has elements of a scalar type, not of {dtype}")
    return dtype


def checked_value(value: Scalar, dtype: DType) -> Scalar:
    """`value` as the number that a constant of `dtype` holds. Raises BuildError where it does not fit."""
    if dtype.is_float:
        try:
            return float(value)
        except OverflowError:
            raise BuildError(f"{value} is out of range of {dtype}") from None
    if dtype.is_bool:
        return bool(value)
    if value != value or value in (float("inf"), float("-inf")) or int(value) != value:
        raise BuildError(f"{value} is no value of {dtype}")
    if not dtype.min <= value <= dtype.max:
        raise BuildError(f"{value} is out of range of {dtype}, {dtype.min} to {dtype.max}")
    return int(value)
