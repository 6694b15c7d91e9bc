"""Rules for comparing integers with a constant."""

from __future__ import annotations

import math

from core.dtype import dtypes
from core.ir.bounds import exact_bounds
from core.ir.linear_form import LinearForm
from core.ir.ops import Ops
from core.ir.rule_division import split
from core.ir.uop import UOp

__all__ = [
    "greater_than_constant",
    "less_than_constant",
    "not_equal_constant",
    "quotient_less_than",
    "scaled_not_equal",
    "tighter",
]


def less_than_constant(x: UOp, c: UOp) -> UOp | None:
    """Move the sum's constant to the right, and divide both sides by what the coefficients share."""
    return _compare_sum(x, c, above=False)


def greater_than_constant(x: UOp, c: UOp) -> UOp | None:
    """The same for c < x."""
    return _compare_sum(x, c, above=True)


def _compare_sum(x: UOp, c: UOp, above: bool) -> UOp | None:
    form = LinearForm.of(x)
    if form is None or not form.terms or not form.fits():
        return None
    bound = c.arg - form.constant
    sums = form.part(lambda _: True, 0)
    if all(f < 0 for f in form.terms.values()):
        return _compare(sums.negated(), -bound, above=not above)
    return _compare(sums, bound, above, unchanged=form.constant == 0)


def _compare(form: LinearForm, bound: int, above: bool, unchanged: bool = False) -> UOp | None:
    """form > bound if `above`, else form < bound; with small remainders dropped and common factors divided out."""
    dtype = form.dtype
    g = math.gcd(*form.terms.values())
    if g > 1:
        form = form.map(lambda f: f // g, 0)
        bound = bound // g if above else -(-bound // g)
    elif (smaller := _drop_small(form, bound, above)) is not None:
        form, bound = smaller
    elif unchanged:
        return None

    if not dtype.min <= bound <= dtype.max or not form.fits():
        return None
    limit, total = UOp.const(dtype, bound), form.to_uop()
    return limit.alu(Ops.CMPLT, total) if above else total.alu(Ops.CMPLT, limit)


def _drop_small(form: LinearForm, bound: int, above: bool) -> tuple[LinearForm, int] | None:
    """g*a + r < g*b is a < b where 0 <= r < g."""
    edge = bound + 1 if above else bound  # form > bound is the opposite of form < bound + 1
    for g in sorted({abs(f) for f in form.terms.values() if abs(f) > 1}, reverse=True):
        whole, rest = split(form, g)
        low, high = rest.bounds()
        if edge % g == 0 and rest.terms and whole.terms and low >= 0 and high < g:
            return whole.map(lambda f, g=g: f // g, 0), edge // g - 1 if above else edge // g  # type: ignore[misc]
    return None


def quotient_less_than(x: UOp, d: UOp, c: UOp) -> UOp | None:
    """x // d < c is x < c*d where c and d are positive (and x // d rounds toward zero)."""
    product = c.arg * d.arg
    return x < product if c.arg > 0 and d.arg > 0 and product <= x.dtype.max else None


def not_equal_constant(x: UOp, d: UOp, c: UOp) -> UOp:
    return x.ne(UOp.const(x.dtype, c.arg - d.arg))


def scaled_not_equal(x: UOp, d: UOp, c: UOp) -> UOp | None:
    product = x * d
    low, high = exact_bounds(UOp(Ops.MUL, x.dtype, (x, d)))
    if d.arg == 0 or low < x.dtype.min or high > x.dtype.max or product.op is not Ops.MUL:
        return None
    return x.ne(c.arg // d.arg) if c.arg % d.arg == 0 else UOp.const(dtypes.bool, True)


def tighter(node: UOp, x: UOp, c: UOp, d: UOp) -> UOp:
    """Of x < c and x < d the one that implies the other, or that it implies."""
    least = min(c.arg, d.arg) if node.op is Ops.AND else max(c.arg, d.arg)
    return x < UOp.const(x.dtype, least)
