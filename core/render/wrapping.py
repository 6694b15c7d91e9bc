"""Integer arithmetic for languages that leave it undefined what a signed integer does beyond its range.

Integers wrap here. C has a compiler flag for that; the languages of GPUs have none that every compiler of theirs takes.
So a sum, difference, product, negation or left shift that may leave its type is computed in the unsigned type of the
same width, which wraps, and converted back. One whose bounds show that it stays inside is written as it is, and that is
all arithmetic on addresses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from core.dtype import dtypes
from core.ir.bounds import exact_bounds
from core.ir.ops import Ops
from core.ir.uop import UOp
from core.render.guards import maybe_wide
from core.render.operators import C_OPERATORS, Expr, Operator, Rank, guarded_division, wrapped

__all__ = ["is_modular", "may_overflow", "wrapping_operators"]

_MODULAR: Final = (Ops.ADD, Ops.SUB, Ops.MUL, Ops.NEG, Ops.SHL)
_INT_BITS: Final = 32


def may_overflow(node: UOp) -> bool:
    """Whether an op of signed integers may leave the type that C computes it in: its own, or int if that is wider."""
    dtype = node.dtype
    if node.op not in _MODULAR or not dtype.is_int or (dtype.is_unsigned and dtype.bits >= _INT_BITS):
        return False
    computed = dtype.scalar() if dtype.bits >= _INT_BITS else dtypes.int
    if node.op is Ops.SHL and (maybe_wide(node) or node.src[0].vmin < 0):
        return True
    if dtype.count > 1 and dtype.bits >= _INT_BITS:
        return True
    low, high = _greatest_range(node) if dtype.count > 1 else exact_bounds(node)
    return bool(low < computed.min or high > computed.max)


def _greatest_range(node: UOp) -> tuple[int, int]:
    """Of a vector op of narrow integers: what a product of the extremes can be, or anything else less than that."""
    extreme = max(abs(int(node.dtype.min)), int(node.dtype.max))
    return (-(extreme**2), extreme**2) if node.op in (Ops.MUL, Ops.SHL) else (-2 * extreme, 2 * extreme)


def is_modular(node: UOp) -> bool:
    """Whether a node is computed in the unsigned type of its width, and so may its operands be."""
    return node.dtype.bits >= _INT_BITS and may_overflow(node)


def wrapping_operators(type_names: Mapping[str, str]) -> Mapping[Ops, Operator]:
    """`C_OPERATORS` with arithmetic that wraps; `type_names` are the language's names of the scalar types.

    An expression that is left in the unsigned type is `loose`.
    """

    def unsigned(node: UOp) -> str:
        return type_names["ulong" if node.dtype.bits > _INT_BITS else "uint"]

    def modular(op: Ops) -> Operator:
        plain = C_OPERATORS[op]

        def write(node: UOp, args: Sequence[Expr]) -> Expr:
            if not may_overflow(node):
                return plain(node, args)
            # one operand of the unsigned type makes the other one unsigned too, but for a shift
            decides = args[:1] if op is Ops.SHL else args
            if not any(arg.loose for arg in decides):
                first = args[0]
                converted = Expr(f"({unsigned(node)}){wrapped(first, Rank.UNARY)}", Rank.UNARY, first.depth + 1)
                args = (converted, *args[1:])
            return plain(node, args)._replace(loose=True)

        return write

    def divide(node: UOp, args: Sequence[Expr]) -> Expr:
        negated = f"({type_names[node.dtype.name]})-({unsigned(node)}){wrapped(args[0], Rank.UNARY)}"
        return guarded_division(node, args, C_OPERATORS[Ops.FDIV](node, args), negated)

    return {**C_OPERATORS, **{op: modular(op) for op in _MODULAR}, Ops.IDIV: divide}
