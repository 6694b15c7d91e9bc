"""Expressions of C and its relatives: how each op is written, with the parentheses that precedence needs, no more."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from core.ir.ops import Ops
from core.ir.uop import UOp
from core.render.guards import maybe_minus_one, maybe_wide, maybe_zero

__all__ = ["C_OPERATORS", "Expr", "Operator", "Rank", "call", "guarded_division", "infix", "prefixed", "wrapped"]


class Rank:
    """How tightly an expression holds together: the levels of C's grammar, the tightest highest."""

    ATOM: Final = 16  # names, literals, calls, subscripts, members
    UNARY: Final = 15
    MUL: Final = 14
    ADD: Final = 13
    SHIFT: Final = 12
    LESS: Final = 11
    EQUAL: Final = 10
    AND: Final = 9
    XOR: Final = 8
    OR: Final = 7
    CHOICE: Final = 4


class Expr(NamedTuple):
    """`depth` counts the operations that are written into `text`: 0 for a name or a literal.

    `loose`: the value is computed in a wider type, and takes its own when it is stored or assigned; used as an operand
    it has to be converted first.
    """

    text: str
    rank: int
    depth: int
    loose: bool = False


Operator: TypeAlias = Callable[[UOp, Sequence[Expr]], Expr]
"""Writes a scalar op: the node (for its dtypes and the bounds of its operands) and its operands' expressions."""


def wrapped(expr: Expr, rank: int) -> str:
    """The text of `expr` where at least `rank` is needed."""
    return expr.text if expr.rank >= rank else f"({expr.text})"


def infix(symbol: str, rank: int, *, chains: bool = False) -> Operator:
    """A binary operator that groups to the left. `chains`: for integers and bools, it is associative."""

    def write(node: UOp, args: Sequence[Expr]) -> Expr:
        left, right = args
        chained = chains and right.rank == rank and node.src[1].op is node.op and not node.dtype.is_float
        text = f"{wrapped(left, rank)}{symbol}{wrapped(right, rank if chained else rank + 1)}"
        return Expr(text, rank, max(left.depth, right.depth) + 1)

    return write


def prefixed(symbol: str) -> Operator:
    """A unary operator before its operand, which must not run into another one: `-(-x)`."""

    def write(node: UOp, args: Sequence[Expr]) -> Expr:
        (operand,) = args
        text = f"({operand.text})" if operand.text.startswith(symbol) else wrapped(operand, Rank.UNARY)
        return Expr(f"{symbol}{text}", Rank.UNARY, operand.depth + 1)

    return write


def call(**functions: str) -> Operator:
    """A function of one argument, by the name of its dtype: `call(float="sqrtf", double="sqrt")`.

    Where the function is of another type, the text around the argument: `call(half="(half)sqrtf((float){})")`.
    """

    def write(node: UOp, args: Sequence[Expr]) -> Expr:
        (argument,) = args
        function = functions[node.dtype.name]
        if "{}" not in function:
            return Expr(f"{function}({argument.text})", Rank.ATOM, argument.depth + 1)
        rank = Rank.UNARY if function.startswith("(") else Rank.ATOM
        return Expr(function.format(wrapped(argument, Rank.UNARY)), rank, argument.depth + 1)

    return write


_plus = infix("+", Rank.ADD, chains=True)
_minus = infix("-", Rank.ADD)
_times = infix("*", Rank.MUL, chains=True)
_over = infix("/", Rank.MUL)
_modulo = infix("%", Rank.MUL)
_left = infix("<<", Rank.SHIFT)
_right = infix(">>", Rank.SHIFT)
_compare = infix("<", Rank.LESS)
_unequal = infix("!=", Rank.EQUAL)
_and = infix("&", Rank.AND, chains=True)
_xor = infix("^", Rank.XOR, chains=True)
_or = infix("|", Rank.OR, chains=True)
_negative = prefixed("-")
_not = prefixed("!")


def _add(node: UOp, args: Sequence[Expr]) -> Expr:
    """Of bools, a sum is OR; a negative literal is subtracted."""
    if node.dtype.is_bool:
        return _or(node, args)
    left, right = args
    if node.src[1].op is Ops.CONST and right.rank == Rank.UNARY and right.text.startswith("-"):
        return Expr(f"{wrapped(left, Rank.ADD)}{right.text}", Rank.ADD, left.depth + 1)
    return _plus(node, args)


def _subtract(node: UOp, args: Sequence[Expr]) -> Expr:
    left, right = args
    if right.text.startswith("-"):
        right = Expr(f"({right.text})", Rank.ATOM, right.depth)
    return _minus(node, (left, right))


def _multiply(node: UOp, args: Sequence[Expr]) -> Expr:
    return _and(node, args) if node.dtype.is_bool else _times(node, args)


def _reciprocal(node: UOp, args: Sequence[Expr]) -> Expr:
    return Expr(f"1/{wrapped(args[0], Rank.MUL + 1)}", Rank.MUL, args[0].depth + 1)


def _less(node: UOp, args: Sequence[Expr]) -> Expr:
    """Never a<b<c, which clang 22 takes for a mistake and refuses."""
    left, right = args
    return _compare(node, (Expr(wrapped(left, Rank.LESS + 1), max(left.rank, Rank.LESS + 1), left.depth), right))


def _differ(node: UOp, args: Sequence[Expr]) -> Expr:
    other = node.src[1]
    return _not(node, args[:1]) if other.op is Ops.CONST and other.arg is True else _unequal(node, args)


def _choose(node: UOp, args: Sequence[Expr]) -> Expr:
    condition, yes, no = args
    text = f"{wrapped(condition, Rank.CHOICE + 1)}?{yes.text}:{wrapped(no, Rank.CHOICE)}"
    return Expr(text, Rank.CHOICE, max(condition.depth, yes.depth, no.depth) + 1)


def _maximum(node: UOp, args: Sequence[Expr]) -> Expr:
    if node.dtype.is_bool:
        return _or(node, args)
    a, b = args
    return Expr(f"{wrapped(a, Rank.LESS)}<{wrapped(b, Rank.LESS + 1)}?{b.text}:{a.text}", Rank.CHOICE, 2)


def _divide(node: UOp, args: Sequence[Expr]) -> Expr:
    return guarded_division(node, args, _over(node, args), _negative(node, args[:1]).text)


def _remainder(node: UOp, args: Sequence[Expr]) -> Expr:
    return guarded_division(node, args, _modulo(node, args), "0")


def guarded_division(node: UOp, args: Sequence[Expr], plain: Expr, by_minus_one: str) -> Expr:
    """`plain` with the cases of a divisor 0 or -1 taken out, where its bounds leave them possible."""
    divisor = wrapped(args[1], Rank.EQUAL + 1)
    zero = f"{divisor}==0?0:" if maybe_zero(node) else ""
    # narrower types are divided as int, where the quotient fits
    minus_one = f"{divisor}==-1?{by_minus_one}:" if node.dtype.bits >= 32 and maybe_minus_one(node) else ""
    if not zero and not minus_one:
        return plain
    return Expr(f"{zero}{minus_one}{plain.text}", Rank.CHOICE, plain.depth + 1)


def _shift_left(node: UOp, args: Sequence[Expr]) -> Expr:
    return _guarded_shift(node, args, _left(node, args), "0")


def _shift_right(node: UOp, args: Sequence[Expr]) -> Expr:
    beyond = "0" if node.dtype.is_unsigned else f"{wrapped(args[0], Rank.LESS)}<0?-1:0"
    return _guarded_shift(node, args, _right(node, args), beyond)


def _guarded_shift(node: UOp, args: Sequence[Expr], plain: Expr, beyond: str) -> Expr:
    """`plain`, or `beyond` for a count outside of the width, where its bounds leave that possible."""
    if not maybe_wide(node):
        return plain
    count = wrapped(args[1], Rank.LESS + 1)
    positive = "" if node.src[1].dtype.is_unsigned else f"0<={count}&&"
    return Expr(f"{positive}{count}<{node.dtype.bits}?{plain.text}:{beyond}", Rank.CHOICE, plain.depth + 1)


C_OPERATORS: Final[Mapping[Ops, Operator]] = {
    Ops.ADD: _add,
    Ops.SUB: _subtract,
    Ops.MUL: _multiply,
    Ops.NEG: _negative,
    Ops.IDIV: _divide,
    Ops.MOD: _remainder,
    Ops.FDIV: _over,
    Ops.RECIP: _reciprocal,
    Ops.MAX: _maximum,
    Ops.CMPLT: _less,
    Ops.CMPNE: _differ,
    Ops.AND: _and,
    Ops.OR: _or,
    Ops.XOR: _xor,
    Ops.SHL: _shift_left,
    Ops.SHR: _shift_right,
    Ops.WHERE: _choose,
}
"""The ops that C and its relatives write alike. For MAX, and wherever a guard is needed, the operands stand in the text
more than once: see `guards.repeats_operands`."""
