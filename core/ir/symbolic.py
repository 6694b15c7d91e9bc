"""The rules that fold a node as it is built. Every one holds for all values in the ranges it checks, negative included.

IDIV and MOD truncate toward zero and integers wrap, so a rule that divides or compares a sum first makes sure that no
part of the sum can leave its dtype. Float rules keep every bit of the result: x + 0.0 is not x where x is -0.0.
"""

from __future__ import annotations

from typing import Final

from core.dtype import DType, dtypes
from core.ir.evaluate import cast_const, evaluate
from core.ir.ops import GroupOp, Ops
from core.ir.pattern import PatternMatcher, Rule, UPat
from core.ir.rule_comparison import (
    greater_than_constant,
    less_than_constant,
    not_equal_constant,
    quotient_less_than,
    scaled_not_equal,
    tighter,
)
from core.ir.rule_division import divide, divide_twice, remainder, remainder_twice
from core.ir.rule_sums import add_constants, canonical_sum, distribute, multiply_constants
from core.ir.uop import UOp, install_folder

__all__ = ["SYMBOLIC"]

X, Y, C, D = UPat.var("x"), UPat.var("y"), UPat.const("c"), UPat.const("d")
INT: Final = "iu"


def binary(op: Ops, left: UPat, right: UPat, kind: str | None = None) -> UPat:
    return UPat(op, src=(left, right), kind=kind, name="node")


# ---- constants ----------------------------------------------------------------------------------------------------


def where_not_equal(x: UOp, a: UOp, b: UOp, c: UOp) -> UOp | None:
    if x.dtype.count > 1 or not a.dtype.is_int:  # of floats, nan is not even itself
        return None
    taken, denied = a.arg != c.arg, b.arg != c.arg
    if taken is denied:
        return UOp.const(dtypes.bool, taken)
    return x if taken else x.ne(UOp.const(dtypes.bool, True))


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
    element: int = node.arg
    return node.src[0].src[element]


BOTH = (Ops.ADD, Ops.MUL, Ops.IDIV, Ops.MOD, Ops.MAX, Ops.CMPLT, Ops.CMPNE, Ops.AND, Ops.OR, Ops.XOR, Ops.WHERE)
BOUNDED = UPat(BOTH, kind="iub", name="node")
NOT_X = UPat(Ops.CMPNE, src=(X, UPat.const(value=True)), kind="b", name="inverse")

RULES: Final = (
    Rule(
        "fold_constants",
        "an op on constants is a constant",
        UPat(GroupOp.ALU, only=(Ops.CONST,), name="node"),
        fold_constants,
    ),
    Rule("fold_cast", "a cast constant is a constant", UPat(Ops.CAST, src=(C,), name="node"), fold_cast),
    Rule(
        "constant_right",
        "a constant stands on the right of a commutative op",
        UPat(GroupOp.Commutative, src=(UPat.const(), Y), name="node"),
        constant_right,
    ),
    Rule("known_range", "an integer that can take one value only is that constant", BOUNDED, fold_known_range),
    # integers: identities
    Rule("add_zero", "x + 0 is x", binary(Ops.ADD, X, UPat.const(value=0), INT), lambda x: x),
    Rule("multiply_by_one", "x * 1 is x, for floats too", binary(Ops.MUL, X, UPat.const(value=1)), lambda x: x),
    Rule("divide_by_one", "x // 1 is x", binary(Ops.IDIV, X, UPat.const(value=1)), lambda x: x),
    Rule("or_zero", "x | 0 is x", binary(Ops.OR, X, UPat.const(value=0)), lambda x: x),
    Rule("xor_zero", "x ^ 0 is x", binary(Ops.XOR, X, UPat.const(value=0)), lambda x: x),
    Rule("shift_by_zero", "x shifted by 0 is x", UPat((Ops.SHL, Ops.SHR), src=(X, UPat.const(value=0))), lambda x: x),
    Rule("and_true", "x & true is x", binary(Ops.AND, X, UPat.const(value=True), "b"), lambda x: x),
    Rule(
        "and_itself",
        "x & x is x, and so are x | x and max(x, x)",
        UPat((Ops.AND, Ops.OR, Ops.MAX), src=(X, X)),
        lambda x: x,
    ),
    Rule("xor_itself", "x ^ x is 0", binary(Ops.XOR, X, X), lambda x: x.like(0)),
    # integers: sums and products
    Rule(
        "canonical_sum",
        "a sum of indices is a linear form in a fixed order",
        UPat(Ops.ADD, kind=INT, name="node"),
        canonical_sum,
    ),
    Rule(
        "add_constants",
        "(x + c) + d is x + (c + d)",
        UPat(Ops.ADD, src=(UPat(Ops.ADD, src=(X, C)), D), kind=INT),
        add_constants,
    ),
    Rule(
        "multiply_constants",
        "(x * c) * d is x * (c * d)",
        UPat(Ops.MUL, src=(UPat(Ops.MUL, src=(X, C)), D), kind=INT),
        multiply_constants,
    ),
    Rule(
        "distribute",
        "(x + y) * c is x*c + y*c, for indices",
        UPat(Ops.MUL, src=(UPat(Ops.ADD), UPat.const()), kind=INT, name="node"),
        distribute,
    ),
    # integers: division and remainder
    Rule(
        "divide_twice",
        "x // c // d is x // (c * d)",
        UPat(Ops.IDIV, src=(UPat(Ops.IDIV, src=(X, C)), D), kind=INT),
        divide_twice,
    ),
    Rule("divide", "x // c without the parts of x that c divides", UPat(Ops.IDIV, src=(X, C), kind=INT), divide),
    Rule(
        "remainder_twice",
        "x % c % d is x % d where d divides c",
        UPat(Ops.MOD, src=(UPat(Ops.MOD, src=(X, C)), D), kind=INT),
        remainder_twice,
    ),
    Rule("remainder", "x % c without the parts of x that c divides", UPat(Ops.MOD, src=(X, C), kind=INT), remainder),
    # comparisons
    Rule(
        "less_than_itself",
        "x < x is false",
        UPat(Ops.CMPLT, src=(X, X), name="node"),
        lambda node: node.like(False) if node.dtype.count == 1 else None,
    ),
    Rule(
        "not_itself",
        "x != x is false, for what is not a float",
        UPat(Ops.CMPNE, src=(UPat.var("x", "iub"), X)),
        lambda x: UOp.const(dtypes.bool, False),
    ),
    Rule(
        "quotient_less_than",
        "x // d < c is x < c*d",
        UPat(Ops.CMPLT, src=(UPat(Ops.IDIV, src=(X, D), kind=INT), C)),
        quotient_less_than,
    ),
    Rule(
        "less_than_constant",
        "x + k < c is x < c - k; common factors are divided out",
        UPat(Ops.CMPLT, src=(UPat((Ops.ADD, Ops.MUL), kind=INT, name="x"), C)),
        less_than_constant,
    ),
    Rule(
        "greater_than_constant",
        "c < x + k is c - k < x; common factors are divided out",
        UPat(Ops.CMPLT, src=(C, UPat((Ops.ADD, Ops.MUL), kind=INT, name="x"))),
        greater_than_constant,
    ),
    Rule(
        "not_equal_constant",
        "x + d != c is x != c - d",
        UPat(Ops.CMPNE, src=(UPat(Ops.ADD, src=(X, D), kind=INT), C)),
        not_equal_constant,
    ),
    Rule(
        "scaled_not_equal",
        "x * d != c is x != c / d where x * d cannot wrap",
        UPat(Ops.CMPNE, src=(UPat(Ops.MUL, src=(X, D), kind=INT), C)),
        scaled_not_equal,
    ),
    Rule(
        "tighter",
        "of two upper bounds on x one is enough",
        UPat(
            (Ops.AND, Ops.OR),
            src=(UPat(Ops.CMPLT, src=(UPat.var("x", INT), C)), UPat(Ops.CMPLT, src=(X, D))),
            name="node",
        ),
        tighter,
    ),
    Rule(
        "bool_not_false",
        "x != false is x",
        UPat(Ops.CMPNE, src=(UPat.var("x", "b"), UPat.const(value=False))),
        lambda x: x,
    ),
    Rule(
        "not_not",
        "the inverse of the inverse of x is x",
        UPat(Ops.CMPNE, src=(NOT_X, UPat.const(value=True))),
        lambda inverse, x: x if x.dtype.is_bool else None,
    ),
    # choices
    Rule(
        "where_constant",
        "a choice by a constant is made",
        UPat(Ops.WHERE, src=(C, X, Y)),
        lambda c, x, y: x if c.arg else y,
    ),
    Rule("where_same", "a choice between x and x is x", UPat(Ops.WHERE, src=(UPat(), X, X)), lambda x: x),
    Rule(
        "where_bool",
        "a choice between true and false is the condition",
        UPat(Ops.WHERE, src=(X, UPat.const(value=True), UPat.const(value=False)), kind="b"),
        lambda x: x,
    ),
    Rule(
        "where_not",
        "a choice by an inverse is the other choice",
        UPat(Ops.WHERE, src=(NOT_X, UPat.var("a"), UPat.var("b"))),
        lambda inverse, x, a, b: x.where(b, a) if x.dtype.is_bool else None,
    ),
    Rule(
        "where_nested",
        "a choice inside the same choice is made",
        UPat(Ops.WHERE, src=(X, UPat(Ops.WHERE, src=(X, UPat.var("a"), UPat())), UPat.var("b"))),
        lambda x, a, b: x.where(a, b),
    ),
    Rule(
        "where_not_equal",
        "whether a choice between two constants is not a third: the condition, its inverse, or always or never",
        UPat(Ops.CMPNE, src=(UPat(Ops.WHERE, src=(X, UPat.const("a"), UPat.const("b"))), C)),
        where_not_equal,
    ),
    Rule(
        "max_of_range",
        "the greater of x and y where their ranges do not overlap",
        UPat(Ops.MAX, src=(X, Y), kind=INT),
        lambda x, y: x if x.vmin >= y.vmax else y if y.vmin >= x.vmax else None,
    ),
    # conversions and vectors
    Rule(
        "cast_same",
        "a cast to the type it has is nothing",
        UPat((Ops.CAST, Ops.BITCAST), src=(X,), name="node"),
        lambda node, x: x if node.dtype is x.dtype else None,
    ),
    Rule(
        "cast_twice",
        "a cast by way of a wider type is one cast",
        UPat(Ops.CAST, src=(UPat(Ops.CAST, src=(X,)),), name="node"),
        cast_twice,
    ),
    Rule(
        "element_of_vector",
        "an element of a vector just built is that element",
        UPat(Ops.GEP, src=(UPat(Ops.VECTORIZE),), name="node"),
        element_of_vector,
    ),
    Rule(
        "element_of_constant",
        "an element of a constant vector is the constant",
        UPat(Ops.GEP, src=(C,), name="node"),
        lambda node, c: UOp.const(node.dtype, c.arg),
    ),
)

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
