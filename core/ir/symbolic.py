"""The rules that fold a node as it is built. Every one holds for all values in the ranges it checks, negative included.

IDIV and MOD truncate toward zero and integers wrap, so a rule that divides or compares a sum first makes sure that no
part of the sum can leave its dtype. Float rules keep every bit of the result: x + 0.0 is not x where x is -0.0.
"""

from __future__ import annotations

import math
from typing import Final

from core.dtype import DType, dtypes
from core.ir.bounds import exact_bounds, truncated_div
from core.ir.evaluate import cast_const, evaluate
from core.ir.linear_form import LinearForm
from core.ir.ops import GroupOp, Ops
from core.ir.pattern import PatternMatcher, Rule, UPat
from core.ir.uop import UOp, install_folder

__all__ = ["SYMBOLIC"]

X, Y, C, D = UPat.var("x"), UPat.var("y"), UPat.const("c"), UPat.const("d")
INT: Final = "iu"


def binary(op: Ops, left: UPat, right: UPat, kind: str | None = None) -> UPat:
    return UPat(op, src=(left, right), kind=kind, name="node")


# ---- constants ----------------------------------------------------------------------------------------------------


def fold_constants(node: UOp) -> UOp | None:
    if node.dtype.count > 1:
        return None
    operand_dtype = node.src[-1].dtype
    value = evaluate(node.op, node.dtype, [source.arg for source in node.src], operand_dtype)
    return None if value is None else UOp.const(node.dtype, value)


def fold_known_range(node: UOp) -> UOp | None:
    low = node.vmin
    return UOp.const(node.dtype, low) if low == node.vmax else None


def fold_cast(node: UOp, c: UOp) -> UOp | None:
    value = cast_const(node.dtype, c.dtype, c.arg) if node.dtype.count == 1 else None
    return None if value is None else UOp.const(node.dtype, value)


def constant_right(node: UOp, y: UOp) -> UOp | None:
    left = node.src[0]
    return None if y.op is Ops.CONST else UOp(node.op, node.dtype, (y, left))


# ---- sums ---------------------------------------------------------------------------------------------------------


def canonical_sum(node: UOp) -> UOp | None:
    """Collect equal terms, join x//n*n with x%n, and put the terms in order."""
    form = LinearForm.of(node)
    if form is None:
        return None
    _join_quotients(form)
    result = form.to_uop()
    return None if result is node else result


def _join_quotients(form: LinearForm) -> None:
    """x % n + (x // n) * n is x, and x % n + (x // n % m) * n is x % (n * m)."""
    for remainder in [term for term in form.terms if term.op is Ops.MOD and term.src[1].op is Ops.CONST]:
        x, n = remainder.src[0], remainder.src[1].arg
        factor = form.terms.get(remainder, 0)
        for quotient in list(form.terms):
            if factor == 0 or form.terms[quotient] != factor * n:
                continue
            joined = _joined(x, n, quotient)
            if joined is not None:
                del form.terms[remainder], form.terms[quotient]
                form.terms[joined] = form.terms.get(joined, 0) + factor
                if form.terms[joined] == 0:
                    del form.terms[joined]
                break


def _joined(x: UOp, n: int, quotient: UOp) -> UOp | None:
    if _divides_by(quotient, x, n):
        return x
    if quotient.op is Ops.MOD and quotient.src[1].op is Ops.CONST and _divides_by(quotient.src[0], x, n):
        m = quotient.src[1].arg
        return x % (n * m) if n > 0 and m > 0 and n * m <= x.dtype.max else None
    return None


def _divides_by(quotient: UOp, x: UOp, n: int) -> bool:
    """Whether `quotient` is x // n, also where x is y // m and the quotient is written y // (m * n)."""
    if quotient.op is not Ops.IDIV or quotient.src[1].op is not Ops.CONST:
        return False
    y, divisor = quotient.src[0], quotient.src[1].arg
    if y is x:
        return bool(divisor == n)
    return x.op is Ops.IDIV and x.src[1].op is Ops.CONST and x.src[0] is y and bool(divisor == x.src[1].arg * n)


def add_constants(x: UOp, c: UOp, d: UOp) -> UOp:
    return x + UOp.const(x.dtype, c.arg + d.arg)


def multiply_constants(x: UOp, c: UOp, d: UOp) -> UOp:
    return x * UOp.const(x.dtype, c.arg * d.arg)


def distribute(node: UOp) -> UOp | None:
    form = LinearForm.of(node)
    if form is None:
        return None
    result = form.to_uop()
    return None if result is node else result


# ---- division by a constant ---------------------------------------------------------------------------------------


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
        whole, rest = _split(form, g)
        low, high = rest.bounds()
        if low >= 0 and high < g:
            return whole.map(lambda f, g=g: f // g, whole.constant // g).to_uop() // (divisor // g)  # type: ignore[misc]
    return None


def _common_factors(form: LinearForm, divisor: int) -> list[int]:
    """Factors above 1 that `divisor` shares with a coefficient, the largest first."""
    return sorted({g for f in form.terms.values() if (g := math.gcd(f, divisor)) > 1}, reverse=True)


def _split(form: LinearForm, g: int) -> tuple[LinearForm, LinearForm]:
    """The terms that `g` divides and the others; the constant is split so that its rest lies in [0, g)."""
    whole = form.part(lambda f: f % g == 0, form.constant - form.constant % g)
    return whole, form.part(lambda f: f % g != 0, form.constant % g)


def divide_twice(x: UOp, c: UOp, d: UOp) -> UOp | None:
    if c.arg <= 0 or d.arg <= 0:
        return None
    product = c.arg * d.arg
    return x // UOp.const(x.dtype, product) if product <= x.dtype.max else UOp.const(x.dtype, 0)


# ---- remainder by a constant --------------------------------------------------------------------------------------


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
        whole, rest = _split(form, g)
        low, high = rest.bounds()
        if low >= 0 and high < g and g < divisor:
            part = whole.map(lambda f, g=g: f // g, whole.constant // g).to_uop() % (divisor // g)  # type: ignore[misc]
            return part * g + rest.to_uop()
    return None


def remainder_twice(x: UOp, c: UOp, d: UOp) -> UOp | None:
    return x % d if c.arg > 0 and d.arg > 0 and c.arg % d.arg == 0 else None


# ---- comparisons --------------------------------------------------------------------------------------------------


def less_than_constant(x: UOp, c: UOp) -> UOp | None:
    """Move the sum's constant to the right, and divide both sides by what the coefficients share."""
    form = LinearForm.of(x)
    if form is None or not form.terms or not form.fits():
        return None
    bound = c.arg - form.constant
    sums = form.part(lambda _: True, 0)
    if all(f < 0 for f in form.terms.values()):
        return _compare(sums.negated(), -bound, above=True)
    return _compare(sums, bound, above=False, unchanged=form.constant == 0)


def greater_than_constant(x: UOp, c: UOp) -> UOp | None:
    form = LinearForm.of(x)
    if form is None or not form.terms or not form.fits():
        return None
    bound = c.arg - form.constant
    sums = form.part(lambda _: True, 0)
    if all(f < 0 for f in form.terms.values()):
        return _compare(sums.negated(), -bound, above=False)
    return _compare(sums, bound, above=True, unchanged=form.constant == 0)


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
        whole, rest = _split(form, g)
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


# ---- conversions --------------------------------------------------------------------------------------------------


def cast_twice(node: UOp, x: UOp) -> UOp | None:
    """A cast by way of a type that holds every value of the first is a cast from the first."""
    middle = node.src[0].dtype
    return x.cast(node.dtype) if _holds(middle, x.dtype) else None


def _holds(wide: DType, narrow: DType) -> bool:
    if wide.count > 1:
        return False
    if narrow.is_bool:
        return not wide.is_bool
    if narrow.is_int and wide.is_int:
        return bool(wide.min <= narrow.min and narrow.max <= wide.max)
    if narrow.is_float and wide.is_float:
        return wide.bits > narrow.bits
    return False


def element_of_vector(node: UOp) -> UOp:
    return node.src[0].src[node.arg]


BOTH = (Ops.ADD, Ops.MUL, Ops.IDIV, Ops.MOD, Ops.MAX, Ops.CMPLT, Ops.CMPNE, Ops.AND, Ops.OR, Ops.XOR, Ops.WHERE)
BOUNDED = UPat(BOTH, kind="iub", name="node")
NOT_X = UPat(Ops.CMPNE, src=(X, UPat.const(value=True)), kind="b", name="inverse")

RULES: Final = (
    Rule("fold_constants", "an op on constants is a constant", UPat(GroupOp.ALU, only=(Ops.CONST,), name="node"), fold_constants),
    Rule("fold_cast", "a cast constant is a constant", UPat(Ops.CAST, src=(C,), name="node"), fold_cast),
    Rule("constant_right", "a constant stands on the right of a commutative op", UPat(GroupOp.Commutative, src=(UPat.const(), Y), name="node"), constant_right),
    Rule("known_range", "an integer that can take one value only is that constant", BOUNDED, fold_known_range),
    # integers: identities
    Rule("add_zero", "x + 0 is x", binary(Ops.ADD, X, UPat.const(value=0), INT), lambda x: x),
    Rule("multiply_by_one", "x * 1 is x, for floats too", binary(Ops.MUL, X, UPat.const(value=1)), lambda x: x),
    Rule("divide_by_one", "x // 1 is x", binary(Ops.IDIV, X, UPat.const(value=1)), lambda x: x),
    Rule("or_zero", "x | 0 is x", binary(Ops.OR, X, UPat.const(value=0)), lambda x: x),
    Rule("xor_zero", "x ^ 0 is x", binary(Ops.XOR, X, UPat.const(value=0)), lambda x: x),
    Rule("shift_by_zero", "x shifted by 0 is x", UPat((Ops.SHL, Ops.SHR), src=(X, UPat.const(value=0))), lambda x: x),
    Rule("and_true", "x & true is x", binary(Ops.AND, X, UPat.const(value=True), "b"), lambda x: x),
    Rule("and_itself", "x & x is x, and so are x | x and max(x, x)", UPat((Ops.AND, Ops.OR, Ops.MAX), src=(X, X)), lambda x: x),
    Rule("xor_itself", "x ^ x is 0", binary(Ops.XOR, X, X), lambda x: x.like(0)),
    # integers: sums and products
    Rule("canonical_sum", "a sum of indices is a linear form in a fixed order", UPat(Ops.ADD, kind=INT, name="node"), canonical_sum),
    Rule("add_constants", "(x + c) + d is x + (c + d)", UPat(Ops.ADD, src=(UPat(Ops.ADD, src=(X, C)), D), kind=INT), add_constants),
    Rule("multiply_constants", "(x * c) * d is x * (c * d)", UPat(Ops.MUL, src=(UPat(Ops.MUL, src=(X, C)), D), kind=INT), multiply_constants),
    Rule("distribute", "(x + y) * c is x*c + y*c, for indices", UPat(Ops.MUL, src=(UPat(Ops.ADD), UPat.const()), kind=INT, name="node"), distribute),
    # integers: division and remainder
    Rule("divide_twice", "x // c // d is x // (c * d)", UPat(Ops.IDIV, src=(UPat(Ops.IDIV, src=(X, C)), D), kind=INT), divide_twice),
    Rule("divide", "x // c without the parts of x that c divides", UPat(Ops.IDIV, src=(X, C), kind=INT), divide),
    Rule("remainder_twice", "x % c % d is x % d where d divides c", UPat(Ops.MOD, src=(UPat(Ops.MOD, src=(X, C)), D), kind=INT), remainder_twice),
    Rule("remainder", "x % c without the parts of x that c divides", UPat(Ops.MOD, src=(X, C), kind=INT), remainder),
    # comparisons
    Rule("less_than_itself", "x < x is false", UPat(Ops.CMPLT, src=(X, X), name="node"), lambda node: node.like(False) if node.dtype.count == 1 else None),
    Rule("not_itself", "x != x is false, for what is not a float", UPat(Ops.CMPNE, src=(UPat.var("x", "iub"), X)), lambda x: UOp.const(dtypes.bool, False)),
    Rule("quotient_less_than", "x // d < c is x < c*d", UPat(Ops.CMPLT, src=(UPat(Ops.IDIV, src=(X, D), kind=INT), C)), quotient_less_than),
    Rule("less_than_constant", "x + k < c is x < c - k; common factors are divided out", UPat(Ops.CMPLT, src=(UPat((Ops.ADD, Ops.MUL), kind=INT, name="x"), C)), less_than_constant),
    Rule("greater_than_constant", "c < x + k is c - k < x; common factors are divided out", UPat(Ops.CMPLT, src=(C, UPat((Ops.ADD, Ops.MUL), kind=INT, name="x"))), greater_than_constant),
    Rule("not_equal_constant", "x + d != c is x != c - d", UPat(Ops.CMPNE, src=(UPat(Ops.ADD, src=(X, D), kind=INT), C)), not_equal_constant),
    Rule("scaled_not_equal", "x * d != c is x != c / d where x * d cannot wrap", UPat(Ops.CMPNE, src=(UPat(Ops.MUL, src=(X, D), kind=INT), C)), scaled_not_equal),
    Rule("tighter", "of two upper bounds on x one is enough", UPat((Ops.AND, Ops.OR), src=(UPat(Ops.CMPLT, src=(UPat.var("x", INT), C)), UPat(Ops.CMPLT, src=(X, D))), name="node"), tighter),
    Rule("bool_not_false", "x != false is x", UPat(Ops.CMPNE, src=(UPat.var("x", "b"), UPat.const(value=False))), lambda x: x),
    Rule("not_not", "the inverse of the inverse of x is x", UPat(Ops.CMPNE, src=(NOT_X, UPat.const(value=True))), lambda inverse, x: x if x.dtype.is_bool else None),
    # choices
    Rule("where_constant", "a choice by a constant is made", UPat(Ops.WHERE, src=(C, X, Y)), lambda c, x, y: x if c.arg else y),
    Rule("where_same", "a choice between x and x is x", UPat(Ops.WHERE, src=(UPat(), X, X)), lambda x: x),
    Rule("where_bool", "a choice between true and false is the condition", UPat(Ops.WHERE, src=(X, UPat.const(value=True), UPat.const(value=False)), kind="b"), lambda x: x),
    Rule("where_not", "a choice by an inverse is the other choice", UPat(Ops.WHERE, src=(NOT_X, UPat.var("a"), UPat.var("b"))), lambda inverse, x, a, b: x.where(b, a) if x.dtype.is_bool else None),
    Rule("where_nested", "a choice inside the same choice is made", UPat(Ops.WHERE, src=(X, UPat(Ops.WHERE, src=(X, UPat.var("a"), UPat())), UPat.var("b"))), lambda x, a, b: x.where(a, b)),
    Rule("max_of_range", "the greater of x and y where their ranges do not overlap", UPat(Ops.MAX, src=(X, Y), kind=INT), lambda x, y: x if x.vmin >= y.vmax else y if y.vmin >= x.vmax else None),
    # conversions and vectors
    Rule("cast_same", "a cast to the type it has is nothing", UPat((Ops.CAST, Ops.BITCAST), src=(X,), name="node"), lambda node, x: x if node.dtype is x.dtype else None),
    Rule("cast_twice", "a cast by way of a wider type is one cast", UPat(Ops.CAST, src=(UPat(Ops.CAST, src=(X,)),), name="node"), cast_twice),
    Rule("element_of_vector", "an element of a vector just built is that element", UPat(Ops.GEP, src=(UPat(Ops.VECTORIZE),), name="node"), element_of_vector),
    Rule("element_of_constant", "an element of a constant vector is the constant", UPat(Ops.GEP, src=(C,), name="node"), lambda node, c: UOp.const(node.dtype, c.arg)),
)  # fmt: skip

SYMBOLIC: Final = PatternMatcher("symbolic", RULES)


def fold(node: UOp) -> UOp | None:
    """What the rules make of a node whose operands are folded already, to the end; None if it stays."""
    result = SYMBOLIC.rewrite(node)
    if result is None:
        return None
    while (further := SYMBOLIC.rewrite(result)) is not None:
        result = further
    return result


install_folder(fold)
