"""IDIV and MOD by a constant as shifts and multiplications, for backends on which dividing integers is slow.

Both truncate toward zero, negative numbers too. A division by a power of two is a shift, of a negative number after
adding what the shift would round the wrong way. Another one is a multiplication by 2^s / c rounded up and a shift,
where the product fits the type: index arithmetic has small ranges (T. Granlund, P. Montgomery, "Division by invariant
integers using multiplication", PLDI 1994, theorem 4.2). Where it does not fit, the division stays.
"""

from __future__ import annotations

from typing import Final

from core.ir.ops import Ops
from core.ir.pattern import Rule, UPat
from core.ir.uop import UOp

__all__ = ["DIVISION_RULES"]


def divide(x: UOp, c: UOp) -> UOp | None:
    """x // c for a constant c > 1; None where it is better left alone."""
    divisor: int = c.arg
    if divisor < 2 or x.dtype.count > 1:
        return None
    if divisor & (divisor - 1) == 0:
        return _rounded(x, divisor) >> (divisor.bit_length() - 1)

    found = _multiplier(x, divisor)
    if found is None:
        return None
    factor, shift = found
    quotient = (x * factor) >> shift
    # the shift rounds down: one below zero is one too low
    return quotient if x.vmin >= 0 else quotient + _is_negative(x)


def remainder(x: UOp, c: UOp) -> UOp | None:
    """x % c for a constant c > 1; None where it is better left alone."""
    divisor: int = c.arg
    if divisor < 2 or x.dtype.count > 1:
        return None
    if divisor & (divisor - 1) == 0:
        if x.vmin >= 0:
            return x & (divisor - 1)
        return x + (_rounded(x, divisor) & -divisor) * -1
    quotient = divide(x, c)
    return None if quotient is None else x + quotient * -divisor


def _rounded(x: UOp, power: int) -> UOp:
    """x, plus `power` - 1 where it is negative, so that a shift rounds toward zero. Wraps nowhere."""
    if x.vmin >= 0:
        return x
    return x + ((x >> (x.dtype.bits - 1)) & (power - 1))


def _is_negative(x: UOp) -> UOp:
    """1 where x is negative, else 0."""
    return (x >> (x.dtype.bits - 1)) & 1


def _multiplier(x: UOp, divisor: int) -> tuple[int, int] | None:
    """(m, s) with x // divisor == x * m >> s, rounded down, for all x in its range, and x * m within its type."""
    largest = max(abs(x.vmin), abs(x.vmax))
    for shift in range(divisor.bit_length(), x.dtype.bits):
        factor = -(-(1 << shift) // divisor)
        if largest * factor > x.dtype.max:
            return None
        # rounding up adds less than 1 / divisor to any quotient
        if (factor * divisor - (1 << shift)) * largest < 1 << shift:
            return factor, shift
    return None


_CONSTANT: Final = UPat(Ops.CONST, name="c")
DIVISION_RULES: Final = (
    Rule("divide_by_shifting", "x // c by a shift", UPat(Ops.IDIV, src=(UPat.var("x"), _CONSTANT), kind="iu"), divide),
    Rule(
        "remainder_by_masking", "x % c by a mask", UPat(Ops.MOD, src=(UPat.var("x"), _CONSTANT), kind="iu"), remainder
    ),
)
