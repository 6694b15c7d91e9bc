"""How WGSL holds values: what each dtype is in a register and in a buffer, and constants.

Integers of 8 and 16 bits are i32 or u32 in a register, extended as their sign asks, and are packed into words of u32 in
a buffer. WGSL has no integers of 64 bits: they are vec2<u32>, low word first. A bool is a byte of 0 or 1 in a buffer.

Source: W3C, WebGPU Shading Language.
"""

from __future__ import annotations

import math
from typing import Final

from core.dtype import DType, dtypes
from core.render.literals import decimal, rounded

__all__ = ["TYPES", "is_literal", "is_wide", "literal", "packed_bits", "stored_type", "type_name"]

TYPES: Final = {
    "bool": "bool",
    "char": "i32",
    "uchar": "u32",
    "short": "i32",
    "ushort": "u32",
    "int": "i32",
    "uint": "u32",
    "long": "vec2<u32>",
    "ulong": "vec2<u32>",
    "half": "f16",
    "float": "f32",
}
SMALLEST_NORMAL: Final = {"half": 2.0**-14, "float": 2.0**-126}
_GREATEST: Final = 2.0**128 - 2.0**104
_WORD: Final = (1 << 32) - 1


def type_name(dtype: DType) -> str:
    """The type of a scalar, or of a lane of a vector."""
    return TYPES[dtype.scalar().name]


def is_wide(dtype: DType) -> bool:
    """Whether a scalar is an integer of 64 bits."""
    return dtype.is_int and dtype.bits == 64


def packed_bits(dtype: DType) -> int:
    """How many bits of a word an element of a buffer has; 0 for one that is not packed."""
    scalar = dtype.scalar()
    size = scalar.itemsize * 8
    return size if size < 32 and scalar is not dtypes.half else 0


def stored_type(dtype: DType, *, written: bool) -> str:
    """The type of the elements of a buffer. Threads write packed words together, so these are atomic."""
    if not packed_bits(dtype):
        return type_name(dtype)
    return "atomic<u32>" if written else "u32"


def literal(dtype: DType, value: float) -> str:
    """A scalar constant. What none may be in WGSL, such as infinity, is made of bits in a variable."""
    scalar = dtype.scalar()
    if scalar.is_bool:
        return "true" if value else "false"
    if scalar.is_float:
        return _float(scalar, rounded(scalar, float(value)))
    number = int(value)
    if is_wide(scalar):
        return f"vec2<u32>({number & _WORD}u,{number >> 32 & _WORD}u)"
    if scalar.is_unsigned:
        return f"{number}u"
    return f"{number}i" if number >= 0 else f"i32({number})"


def _float(scalar: DType, value: float) -> str:
    if math.isfinite(value) and (value == 0 or abs(value) >= SMALLEST_NORMAL[scalar.name]):
        # the shortest decimal of the greatest f32 lies above it, and WGSL refuses that instead of rounding
        digits = repr(value) if abs(value) == _GREATEST else decimal(scalar, value)
        text = f"{digits}{'h' if scalar is dtypes.half else 'f'}"
        return f"({text})" if text.startswith("-") else text
    if not math.isfinite(value):
        bits = "bits_nan" if math.isnan(value) else "bits_inf"
        single = f"bitcast<f32>({bits})"
        text = single if scalar is not dtypes.half else f"f16({single})"
        return text if value > 0 or math.isnan(value) else f"(-{text})"
    # of a constant too small to be normal an implementation may make 0
    scaled = literal(scalar, value * (2.0**24 if scalar is dtypes.float else 2.0**14))
    factor = literal(scalar, 2.0**-24 if scalar is dtypes.float else 2.0**-14)
    return f"({scaled}*{factor})"


def is_literal(text: str) -> bool:
    """Whether an operand is a constant to WGSL, which refuses constant expressions that overflow."""
    return (
        text[:1].isdigit()
        or text in ("true", "false")
        or (text.startswith(("i32(-", "(", "vec2<u32>(")) and "bits" not in text)
    )
