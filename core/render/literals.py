"""Numbers as text: the shortest decimal that reads back as the same value of its type."""

from __future__ import annotations

import math
import struct
from functools import lru_cache
from typing import Final

import numpy as np

from core.dtype import DType

__all__ = ["decimal", "float_bits", "rounded"]

_FORMATS: Final = {"half": ("<e", "<H"), "float": ("<f", "<I"), "double": ("<d", "<Q")}
_FLOAT_MAX: Final = float(np.finfo(np.float32).max)


def rounded(dtype: DType, value: float) -> float:
    """`value` as the nearest value of the float type `dtype`; beyond its range infinity."""
    if dtype.name == "double" or not math.isfinite(value):
        return value
    if dtype.name == "bfloat16":
        return _rounded_to_bfloat16(value)
    try:
        found: float = struct.unpack(_FORMATS[dtype.name][0], struct.pack(_FORMATS[dtype.name][0], value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)
    return found


def _rounded_to_bfloat16(value: float) -> float:
    """A bfloat16 is the upper half of a float; ties go to the even one."""
    single = float(np.float32(value)) if abs(value) <= _FLOAT_MAX else math.copysign(math.inf, value)
    bits: int = struct.unpack("<I", struct.pack("<f", single))[0]
    if single != value and bits & 0xFFFF == 0x8000:  # no tie, though the float is one
        bits += 1 if abs(value) > abs(single) else -1
    bits += 0x7FFF + (bits >> 16 & 1)
    found: float = struct.unpack("<f", struct.pack("<I", bits & 0xFFFF0000))[0]
    return found


def float_bits(dtype: DType, value: float) -> int:
    """The bits of `value` rounded to the float type `dtype`. Every nan is the quiet one with no payload."""
    if math.isnan(value):
        value = math.nan
    to_float, to_int = _FORMATS[dtype.name]
    bits: int = struct.unpack(to_int, struct.pack(to_float, rounded(dtype, value)))[0]
    return bits


def decimal(dtype: DType, value: float) -> str:
    """Digits with a point or an exponent, and a sign if negative. `value` must be finite in `dtype`."""
    # by its bits, for a cache takes 0.0 and -0.0 for the same key
    return _decimal(dtype.name, struct.pack("<d", rounded(dtype, value)))


@lru_cache(maxsize=1 << 12)
def _decimal(name: str, packed: bytes) -> str:
    value = struct.unpack("<d", packed)[0]
    return repr(value) if name == "double" else str(np.float16(value) if name == "half" else np.float32(value))
