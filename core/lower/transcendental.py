"""EXP2, LOG2 and SIN by arithmetic, for backends that do not have them, over the whole range of half and float.

Each brings its argument into a small interval, evaluates a series there and puts the result back together:

- 2^x = 2^q * 2^s with q the nearest integer and s in [-1/2, 1/2];
- log2(m * 2^e) = e + log2(m) with m in [sqrt(1/2), sqrt(2)], by the series of artanh((m - 1) / (m + 1));
- sin(x) after x is divided by pi/2 exactly enough for any float, by multiplying its mantissa with as many bits of 2/pi
  as matter (M. Payne, R. Hanek, "Radian reduction for trigonometric functions", SIGNUM Newsletter 18(1), 1983).

The series are those of Taylor, long enough that what is cut off lies below half a unit in the last place of a float.
Measured over all exponents, the error is at most 2 such units for exp2, 2.4 for sin and 3.2 for log2. A double is left
to the backend.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Final

from core.dtype import DType, dtypes
from core.ir.ops import Ops
from core.ir.pattern import Rule, UPat
from core.ir.uop import UOp, folded

__all__ = ["TRANSCENDENTAL_RULES"]

MANTISSA_BITS: Final = 23
BIAS: Final = 127
MANTISSA: Final = (1 << MANTISSA_BITS) - 1
MAGNITUDE: Final = 0x7FFFFFFF

# 2^x: powers of ln 2 over factorials; beyond 160 everything is infinite, below -160 zero
_EXP2_SERIES: Final = tuple([math.log(2) ** n / math.factorial(n) for n in range(8)])
_EXP2_LIMIT: Final = 160.0

# artanh, times 2 / ln 2
_LOG2_SERIES: Final = tuple([2 / math.log(2) / (2 * n + 1) for n in range(6)])
_SMALLEST_NORMAL: Final = 2.0**-126
_DENORMAL_SHIFT: Final = 32

_SIN_SERIES: Final = tuple([(-1) ** n / math.factorial(2 * n + 1) for n in range(5)])
_COS_SERIES: Final = tuple([(-1) ** n / math.factorial(2 * n) for n in range(6)])
# 2/pi in binary, after 32 zeros, in words of 32 bits
_TWO_OVER_PI: Final = (0, 0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB)
# with a biased exponent below this the argument is under 1/2 and needs no reduction
_REDUCED_FROM: Final = 126
# the biased exponent that goes with the first bit of these words
_FIRST_EXPONENT: Final = 120
_WINDOW: Final = 4


def exp2(x: UOp) -> UOp:
    """2^x of a float."""
    limited = (x < -_EXP2_LIMIT).where(x.like(-_EXP2_LIMIT), (x > _EXP2_LIMIT).where(x.like(_EXP2_LIMIT), x))
    nearest = (limited + (limited < 0.0).where(x.like(-0.5), x.like(0.5))).cast(dtypes.int)
    value = _series(_EXP2_SERIES, limited + nearest.cast(dtypes.float) * -1.0)
    half = nearest // 2
    return value * _power_of_two(half) * _power_of_two(nearest + half * -1)


def log2(x: UOp) -> UOp:
    """The logarithm of a float to the base 2: -inf of 0, nan of what is negative."""
    tiny = x < _SMALLEST_NORMAL
    bits = _bitcast(tiny.where(x * 2.0**_DENORMAL_SHIFT, x), dtypes.int)
    mantissa = _bitcast((bits & MANTISSA) | (BIAS << MANTISSA_BITS), dtypes.float)
    large = mantissa > math.sqrt(2)
    mantissa = large.where(mantissa * 0.5, mantissa)
    exponent = (bits // (1 << MANTISSA_BITS)) + large.where(bits.like(1 - BIAS), bits.like(-BIAS))
    exponent = exponent + tiny.where(bits.like(-_DENORMAL_SHIFT), bits.like(0))

    ratio = (mantissa + -1.0) * (mantissa + 1.0).alu(Ops.RECIP)
    value = exponent.cast(dtypes.float) + ratio * _series(_LOG2_SERIES, ratio * ratio)
    value = (x < math.inf).where(value, x)
    return (x < 0.0).where(x.like(math.nan), x.ne(0.0).where(value, x.like(-math.inf)))


def sin(x: UOp) -> UOp:
    """The sine of a float, however large; nan of what is not finite."""
    bits = _bitcast(x, dtypes.uint)
    magnitude = bits & MAGNITUDE
    exponent = magnitude // (1 << MANTISSA_BITS)
    quadrant, rest = _quarter_turns(magnitude, exponent)
    small = exponent < _REDUCED_FROM
    quadrant = small.where(quadrant.like(0), quadrant)
    rest = small.where(_bitcast(magnitude, dtypes.float), rest)

    square = rest * rest
    odd = (quadrant & 1).ne(0)
    # the first terms, 1 and rest, are added last: they are most of the value, and exact
    cosine = square * _series(_COS_SERIES[1:], square) + 1.0
    sine = rest * (square * _series(_SIN_SERIES[1:], square)) + rest
    value = odd.where(cosine, sine)
    # the sign of x, and that of the second half of a turn, are put on as a bit: -0.0 stays what it is
    sign = (bits & (1 << 31)) ^ (quadrant & 2) * (1 << 30)
    value = _bitcast(_bitcast(value, dtypes.uint) ^ sign, dtypes.float)
    return (exponent < 2 * BIAS + 1).where(value, x.like(math.nan))


def _quarter_turns(magnitude: UOp, exponent: UOp) -> tuple[UOp, UOp]:
    """How many quarter turns a float of at least 1/2 is, modulo 4, to the nearest; and the rest, in radians.

    The mantissa times 96 bits of 2/pi, of which those that give whole turns are left out, is the number of quarter
    turns modulo 4 in fixed point: 2 bits before the point, 62 after it.
    """
    mantissa = ((magnitude & MANTISSA) | (MANTISSA + 1)).cast(dtypes.ulong)
    start = (exponent < _FIRST_EXPONENT).where(exponent.like(0), exponent + exponent.like(-_FIRST_EXPONENT))
    first, shift = start // 32, (start % 32).cast(dtypes.ulong)

    words = [_word(first, i) for i in range(_WINDOW)]
    window = [((a * (1 << 32) | b) << shift) // (1 << 32) & 0xFFFFFFFF for a, b in pairwise(words)]
    turns = mantissa * window[0] * (1 << 32) + mantissa * window[1] + mantissa * window[2] // (1 << 32)

    quadrant = ((turns + (1 << 61)) // (1 << 62)).cast(dtypes.uint)
    fraction = _bitcast(turns * 4, dtypes.long).cast(dtypes.float)
    return quadrant, fraction * (math.pi / 2 * 2.0**-64)


def _word(first: UOp, offset: int) -> UOp:
    """Word `first + offset` of 2/pi, for `first` from 0 to 4."""
    word = UOp.const(dtypes.ulong, _TWO_OVER_PI[offset])
    for number in range(1, len(_TWO_OVER_PI) - _WINDOW + 1):
        word = (first < number).where(word, word.like(_TWO_OVER_PI[number + offset]))
    return word


def _series(coefficients: tuple[float, ...], x: UOp) -> UOp:
    """The polynomial in x whose coefficients are given, the constant first."""
    total = x.like(coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        total = total * x + coefficient
    return total


def _power_of_two(exponent: UOp) -> UOp:
    """2^exponent, for an int from -126 to 127."""
    return _bitcast((exponent + BIAS) * (1 << MANTISSA_BITS), dtypes.float)


def _bitcast(x: UOp, dtype: DType) -> UOp:
    return folded(Ops.BITCAST, dtype, (x,))


def _widened(function: Callable[[UOp], UOp]) -> Callable[[UOp], UOp | None]:
    """`function` of a float for halves too; of any other type, and of vectors, nothing."""

    def of(x: UOp) -> UOp | None:
        if x.dtype is dtypes.half:
            return function(x.cast(dtypes.float)).cast(dtypes.half)
        return function(x) if x.dtype is dtypes.float else None

    return of


TRANSCENDENTAL_RULES: Final[dict[Ops, Rule]] = {
    op: Rule(op.name.lower(), does, UPat(op, src=(UPat.var("x"),)), _widened(function))
    for op, does, function in (
        (Ops.EXP2, "2^x as a power of two and a series", exp2),
        (Ops.LOG2, "log2(x) as the exponent and a series", log2),
        (Ops.SIN, "sin(x) as a series of the rest after quarter turns", sin),
    )
}
