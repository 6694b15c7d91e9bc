"""Rules for dividing integers by a constant, and for the remainder. Both truncate toward zero.

They take a sum apart, which is only right while no part of it can wrap, and then mostly while it is not negative: what
is true of rounding down is true of rounding toward zero there.
"""

from __future__ import annotations

import math

from core.ir.bounds import truncated_div
from core.ir.linear_form import LinearForm
from core.ir.uop import UOp

__all__ = ["divide", "divide_twice", "remainder", "remainder_twice", "split"]


def divide(x: UOp, c: UOp) -> UOp | None:
    """x // c for c > 1, with the parts of the sum x that c divides taken out."""
    divisor = c.arg
    if divisor < 2:
        return None
    if x.vmax <= 0 and x.dtype.is_int and not x.dtype.is_unsigned and x.vmin > x.dtype.min:
        return (x * -1 // c) * -1 if x.vmin < 0 else None

    form = LinearForm.of(x)
    if form is None or not form.fits():
        return None
    if all(f % divisor == 0 for f in form.terms.values()) and form.constant % divisor == 0:
        return form.map(lambda f: f // divisor, form.constant // divisor).to_uop()
    if form.bounds()[0] < 0:
        return None
    taken = _take_out_multiples(form, divisor)
    return _divide_by_factor(form, divisor) if taken is None else taken


def _take_out_multiples(form: LinearForm, divisor: int) -> UOp | None:
    """(c*q + r) // c is q + r // c where the whole and r are not negative."""
    whole = form.part(lambda f: f % divisor == 0, form.constant - form.constant % divisor)
    rest = form.part(lambda f: f % divisor != 0, form.constant % divisor)
    if (not whole.terms and whole.constant == 0) or rest.bounds()[0] < 0:
        return None
    quotient = whole.map(lambda f: f // divisor, whole.constant // divisor).to_uop()
    return quotient + rest.to_uop() // divisor


def _divide_by_factor(form: LinearForm, divisor: int) -> UOp | None:
    """(g*a + r) // (g*d) is a // d where 0 <= r < g and the whole is not negative."""
    for g in _common_factors(form, divisor):
        whole, rest = split(form, g)
        low, high = rest.bounds()
        if low >= 0 and high < g:
            return whole.map(lambda f, g=g: f // g, whole.constant // g).to_uop() // (divisor // g)  # type: ignore[misc]
    return None


def _common_factors(form: LinearForm, divisor: int) -> list[int]:
    """Factors above 1 that `divisor` shares with a coefficient, the largest first."""
    return sorted({g for f in form.terms.values() if (g := math.gcd(f, divisor)) > 1}, reverse=True)


def split(form: LinearForm, g: int) -> tuple[LinearForm, LinearForm]:
    """The terms that `g` divides and the others; the constant is split so that its rest lies in [0, g)."""
    whole = form.part(lambda f: f % g == 0, form.constant - form.constant % g)
    return whole, form.part(lambda f: f % g != 0, form.constant % g)


def divide_twice(x: UOp, c: UOp, d: UOp) -> UOp | None:
    if c.arg <= 0 or d.arg <= 0:
        return None
    product = c.arg * d.arg
    return x // UOp.const(x.dtype, product) if product <= x.dtype.max else UOp.const(x.dtype, 0)


def remainder(x: UOp, c: UOp) -> UOp | None:
    """x % c for c > 1, without the parts of the sum x that c divides."""
    divisor = c.arg
    if divisor < 2:
        return None
    low, high = x.vmin, x.vmax
    if -divisor < low and high < divisor:
        return x
    quotient = truncated_div(low, divisor)
    if quotient == truncated_div(high, divisor) and (low >= 0) == (high >= 0) and _has_bounds(x):
        return x + UOp.const(x.dtype, -quotient * divisor)
    if high <= 0 and not x.dtype.is_unsigned and low > x.dtype.min:
        return (x * -1 % c) * -1

    form = LinearForm.of(x)
    if form is None or not form.fits():
        return None
    if all(f % divisor == 0 for f in form.terms.values()) and form.constant % divisor == 0:
        return UOp.const(x.dtype, 0)
    if form.bounds()[0] < 0:
        return None
    dropped = _drop_multiples(form, divisor)
    return _remainder_of_factor(form, divisor) if dropped is None else dropped


def _has_bounds(x: UOp) -> bool:
    return bool(x.vmin > x.dtype.min or x.vmax < x.dtype.max)


def _drop_multiples(form: LinearForm, divisor: int) -> UOp | None:
    """(c*q + r) % c is r % c where the whole and r are not negative."""
    rest = form.map(lambda f: f % divisor, form.constant % divisor)
    if (rest.terms == form.terms and rest.constant == form.constant) or rest.bounds()[0] < 0:
        return None
    return rest.to_uop() % divisor if rest.fits() else None


def _remainder_of_factor(form: LinearForm, divisor: int) -> UOp | None:
    """(g*a + r) % (g*d) is g*(a % d) + r where 0 <= r < g and the whole is not negative."""
    for g in _common_factors(form, divisor):
        whole, rest = split(form, g)
        low, high = rest.bounds()
        if low >= 0 and high < g and g < divisor:
            part = whole.map(lambda f, g=g: f // g, whole.constant // g).to_uop() % (divisor // g)  # type: ignore[misc]
            return part * g + rest.to_uop()
    return None


def remainder_twice(x: UOp, c: UOp, d: UOp) -> UOp | None:
    return x % d if c.arg > 0 and d.arg > 0 and c.arg % d.arg == 0 else None
