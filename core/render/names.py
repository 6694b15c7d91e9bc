"""Names in generated sources: the function's own, and those of its parameters and variables."""

from __future__ import annotations

import re
from typing import Final

from core.dtype import scalar_dtypes

__all__ = ["RESERVED", "Names", "function_name"]

MAX_NAME: Final = 200

_COLOUR: Final = re.compile(r"\x1b\[[0-9;]*m")
_ILLEGAL: Final = re.compile(r"[^A-Za-z0-9_]")

# what C and C++ reserve, macros that compilers define, and what compiled programs call by name
_WORDS: Final = re.findall(
    r"\w+",
    """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl const constexpr
    const_cast continue default delete do double dynamic_cast else enum explicit export extern false float for
    friend goto if inline int long main mutable namespace new noexcept not not_eq nullptr operator or or_eq
    private protected public register reinterpret_cast restrict return short signed sizeof static static_assert
    static_cast struct switch template this thread_local throw true try typedef typeid typename typeof union
    unsigned using virtual void volatile wchar_t while xor xor_eq

    i386 linux unix

    exp2 exp2f log2 log2f memcpy memmove memset sin sinf sqrt sqrtf
    """,
)
# the same for the languages of GPUs, and their functions: a kernel must not be called like one of those
_GPU_WORDS: Final = re.findall(
    r"\w+",
    """
    bfloat complex constant device event_t fragment generic global half image2d_t imaginary kernel local
    nv_bfloat16 object_data pipe private quad ray_data read_only read_write sampler_t size_t thread threadgroup
    threadgroup_imageblock uchar uint uint3 ulong ushort vertex write_only

    INFINITY NAN WARP_SZ blockDim blockIdx gid gridDim lid smp threadIdx tid warpSize
    barrier get_global_id get_group_id get_local_id metal precise printf read_imagef simdgroup_matrix
    simdgroup_multiply_accumulate threadgroup_barrier write_imagef

    abs abs_diff acos acosh acospi add_sat all any asin asinh asinpi atan atan2 atan2pi atanh atanpi bitselect cbrt
    ceil clamp clz copysign cos cosh cospi cross ctz degrees distance dot erf erfc exp exp10 expm1 fabs
    fast_distance fast_length fast_normalize fdim floor fma fmax fmin fmod fract frexp hadd hypot ilogb isequal
    isfinite isinf isnan isnormal isordered isunordered ldexp length lgamma log log10 log1p logb mad mad24 mad_hi
    mad_sat max maxmag min minmag mix modf mul24 mul_hi nan nextafter normalize popcount pow pown powr prefetch
    radians remainder remquo rhadd rint rootn rotate round rsqrt select shuffle sign signbit sincos sinh sinpi
    smoothstep step sub_sat tan tanh tanpi tgamma trunc upsample
    """,
)
_VECTORS: Final = [
    f"{dtype.name}{x}{1 << power}" for x in ("", "x") for dtype in scalar_dtypes() for power in range(1, 9)
]
_VECTOR_FUNCTIONS: Final = [f"make_{vector}" for vector in _VECTORS]
_BITCASTS: Final = [f"as_{name}" for name in [dtype.name for dtype in scalar_dtypes()] + _VECTORS]

RESERVED: Final = frozenset([*_WORDS, *_GPU_WORDS, *_VECTORS, *_VECTOR_FUNCTIONS, *_BITCASTS])
"""No name that comes from a kernel may be one of these: the same on every backend, so that a kernel has one name."""


def function_name(name: str) -> str:
    """A kernel's name as an identifier: without colours, other characters as their hexadecimal code.

    Names that are free identifiers already stay as they are, so the function may be applied twice.
    """
    plain = _ILLEGAL.sub(lambda match: f"{ord(match[0]):02X}", _COLOUR.sub("", name))
    if not plain[:1].isalpha():  # C keeps what begins with an underscore for itself
        plain = f"k_{plain}"
    plain = plain[:MAX_NAME]
    return f"{plain}_" if plain in RESERVED else plain


class Names:
    """Gives out every name once, and none that is reserved."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._next: dict[str, int] = {}

    def claim(self, wanted: str) -> str:
        """`wanted` as an identifier, with underscores after it for as long as the name is taken."""
        name = function_name(wanted)
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name

    def number(self, prefix: str) -> str:
        """The next free name of `prefix0`, `prefix1`, …"""
        count = self._next.get(prefix, 0)
        while (name := f"{prefix}{count}") in self._taken:
            count += 1
        self._next[prefix] = count + 1
        self._taken.add(name)
        return name
