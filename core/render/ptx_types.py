"""How PTX holds values: the class of register of each dtype, the suffixes of instructions, and constants.

An integer of 8 bits lives in a register of 16, always extended as its sign asks; a bool is a predicate, and a byte of 0
or 1 in memory.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from core.dtype import DType
from core.render.literals import float_bits

__all__ = ["TYPES", "PTXType", "immediate", "memory_suffix", "ptx_type"]


class PTXType(NamedTuple):
    """`register` names the class, `prefix` begins the names of its registers."""

    register: str
    prefix: str
    arithmetic: str
    """What instructions that compute are called for it: add.s32."""
    bits: str
    """The type of moves, logic and choices."""


# PTX ISA 8.0, "Fundamental Types" and "Operand Size Exceeding Instruction-Type Size"
TYPES: Final = {
    "bool": PTXType(".pred", "%p", "pred", "pred"),
    "char": PTXType(".b16", "%rs", "s16", "b16"),
    "uchar": PTXType(".b16", "%rs", "u16", "b16"),
    "short": PTXType(".b16", "%rs", "s16", "b16"),
    "ushort": PTXType(".b16", "%rs", "u16", "b16"),
    "int": PTXType(".b32", "%r", "s32", "b32"),
    "uint": PTXType(".b32", "%r", "u32", "b32"),
    "long": PTXType(".b64", "%rd", "s64", "b64"),
    "ulong": PTXType(".b64", "%rd", "u64", "b64"),
    "half": PTXType(".b16", "%h", "f16", "b16"),
    "float": PTXType(".f32", "%f", "f32", "f32"),
    "double": PTXType(".f64", "%fd", "f64", "f64"),
}

_IN_MEMORY: Final = {"bool": "u8", "char": "s8", "uchar": "u8", "half": "b16"}
_FLOAT_DIGITS: Final = {"half": ("0x", 4), "float": ("0f", 8), "double": ("0d", 16)}


def ptx_type(dtype: DType) -> PTXType:
    """The type of a scalar, or of the lanes of a vector."""
    return TYPES[dtype.scalar().name]


def memory_suffix(dtype: DType) -> str:
    """The type of loads and stores: it extends a byte as its sign asks."""
    name = dtype.scalar().name
    return _IN_MEMORY.get(name, TYPES[name].arithmetic)


def immediate(dtype: DType, value: float) -> str:
    """A constant of a scalar type, but for bool, as an operand. Floats are given by their bits."""
    name = dtype.scalar().name
    if name in _FLOAT_DIGITS:
        prefix, digits = _FLOAT_DIGITS[name]
        return f"{prefix}{float_bits(dtype.scalar(), float(value)):0{digits}X}"
    return str(int(value))
