"""Types and constants of LLVM's IR."""

from __future__ import annotations

from typing import Final

from core.dtype import DType, dtypes
from core.render.literals import float_bits, rounded

__all__ = ["constant", "memory_dtype", "suffix", "type_name"]

_TYPES: Final = {
    "bool": "i1",
    "char": "i8",
    "uchar": "i8",
    "short": "i16",
    "ushort": "i16",
    "int": "i32",
    "uint": "i32",
    "long": "i64",
    "ulong": "i64",
    "half": "half",
    "float": "float",
    "double": "double",
}


def type_name(dtype: DType) -> str:
    """The type of a scalar, or of a vector, in registers."""
    scalar = _TYPES[dtype.name]
    return scalar if dtype.count == 1 else f"<{dtype.count} x {scalar}>"


def suffix(dtype: DType) -> str:
    """What the name of an intrinsic ends with for a float type: `f32`, `v4f32`."""
    return f"{'' if dtype.count == 1 else f'v{dtype.count}'}f{dtype.bits}"


def memory_dtype(dtype: DType) -> DType:
    """What stands in memory for `dtype`: a bool is a byte there."""
    return dtypes.uchar.vec(dtype.count) if dtype.is_bool else dtype


def constant(dtype: DType, value: float) -> str:
    """A constant without its type; of a vector, the same in every lane."""
    scalar = _scalar(dtype, value)
    if dtype.count == 1:
        return scalar
    return f"<{', '.join([f'{_TYPES[dtype.name]} {scalar}'] * dtype.count)}>"


def _scalar(dtype: DType, value: float) -> str:
    """Floats as the bits of a double, which hold every float exactly; halves by their own bits."""
    if dtype.is_bool:
        return "true" if value else "false"
    if not dtype.is_float:
        return str(int(value))
    if dtype.name == "half":
        return f"0xH{float_bits(dtypes.half, value):04X}"
    return f"0x{float_bits(dtypes.double, rounded(dtype, value)):016X}"
