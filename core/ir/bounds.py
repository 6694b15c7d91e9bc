"""The range of values, [vmin, vmax], that an integer or bool node can take. Each node's is computed once.

Where the mathematical range leaves the dtype the value may wrap, and the range is that of the whole dtype.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from core.ir.ops import Ops

if TYPE_CHECKING:
    from core.ir.uop import UOp

__all__ = ["bounds", "exact_bounds"]

Bounds: TypeAlias = "tuple[Any, Any]"


def bounds(node: UOp) -> Bounds:
    """[vmin, vmax] of `node`, within its dtype. Fills the cache of every node below it, without recursion."""
    pending = [node]
    while pending:
        top = pending[-1]
        if top._bounds is None:
            missing = [source for source in top.src if source._bounds is None]
            if missing:
                pending.extend(missing)
                continue
            top._bounds = _clamp(top, exact_bounds(top))
        pending.pop()
    assert node._bounds is not None
    return node._bounds


def exact_bounds(node: UOp) -> Bounds:
    """The mathematical range of `node`'s own operation over the ranges of its operands, before any wrapping."""
    rule = _RULES.get(node.op)
    if rule is None or node.dtype.count > 1 or (node.dtype.is_float and node.op is not Ops.CONST):
        return node.dtype.min, node.dtype.max
    found = rule(node)
    return (node.dtype.min, node.dtype.max) if found is None else found


def _clamp(node: UOp, found: Bounds) -> Bounds:
    dtype = node.dtype
    return found if dtype.min <= found[0] and found[1] <= dtype.max else (dtype.min, dtype.max)


def truncated_div(a: int, b: int) -> int:
    """a / b rounded toward zero, as C divides integers."""
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _const(node: UOp) -> Bounds | None:
    return None if node.arg != node.arg else (node.arg, node.arg)


def _variable(node: UOp) -> Bounds:
    return node.arg[1], node.arg[2]


def _special(node: UOp) -> Bounds:
    size = node.arg[1]
    return 0, (size if isinstance(size, int) else size.vmax) - 1


def _range(node: UOp) -> Bounds:
    return 0, max(node.src[0].vmax - 1, 0)


def _lane(node: UOp) -> Bounds:
    return 0, node.arg[1] - 1


def _operands(node: UOp) -> tuple[Any, Any, Any, Any]:
    (a, b), (c, d) = node.src[0]._bounds or bounds(node.src[0]), node.src[1]._bounds or bounds(node.src[1])
    return a, b, c, d


def _add(node: UOp) -> Bounds:
    a, b, c, d = _operands(node)
    return a + c, b + d


def _sub(node: UOp) -> Bounds:
    a, b, c, d = _operands(node)
    return a - d, b - c


def _neg(node: UOp) -> Bounds:
    low, high = _first(node)
    return -high, -low


def _mul(node: UOp) -> Bounds:
    a, b, c, d = _operands(node)
    products = (a * c, a * d, b * c, b * d)
    return min(products), max(products)


def _idiv(node: UOp) -> Bounds | None:
    a, b, c, d = _operands(node)
    if c <= 0 <= d:
        return None
    quotients = [truncated_div(x, y) for x in (a, b) for y in (c, d)]
    return (
        min(*quotients, 0) if a <= 0 <= b else min(quotients),
        max(*quotients, 0) if a <= 0 <= b else max(quotients),
    )


def _mod(node: UOp) -> Bounds | None:
    a, b, c, d = _operands(node)
    if c <= 0 <= d:
        return None
    if c == d and truncated_div(a, c) == truncated_div(b, c) and (a >= 0) == (b >= 0):
        return a - truncated_div(a, c) * c, b - truncated_div(b, c) * c
    largest = max(abs(c), abs(d)) - 1
    return (0 if a >= 0 else max(a, -largest)), (0 if b <= 0 else min(b, largest))


def _max(node: UOp) -> Bounds:
    a, b, c, d = _operands(node)
    return max(a, c), max(b, d)


def _cmplt(node: UOp) -> Bounds | None:
    a, b, c, d = _operands(node)
    if node.src[0].dtype.is_float:
        return None
    return (True, True) if b < c else (False, False) if a >= d else None


def _cmpne(node: UOp) -> Bounds | None:
    a, b, c, d = _operands(node)
    if node.src[0].dtype.is_float:
        return None
    return (True, True) if b < c or d < a else (False, False) if a == b == c == d else None


def _and(node: UOp) -> Bounds | None:
    a, b, c, d = _operands(node)
    if node.dtype.is_bool:
        return a and c, b and d
    return (0, min(b, d)) if a >= 0 and c >= 0 else (0, d) if c >= 0 else (0, b) if a >= 0 else None


def _or(node: UOp) -> Bounds | None:
    a, b, c, d = _operands(node)
    if node.dtype.is_bool:
        return a or c, b or d
    return (max(a, c), (1 << max(b, d).bit_length()) - 1) if a >= 0 and c >= 0 else None


def _xor(node: UOp) -> Bounds | None:
    a, b, c, d = _operands(node)
    if node.dtype.is_bool:
        return None
    return (0, (1 << max(b, d).bit_length()) - 1) if a >= 0 and c >= 0 else None


def _shl(node: UOp) -> Bounds | None:
    a, b, c, d = _operands(node)
    return (min(a << c, a << d), max(b << c, b << d)) if c >= 0 and d < node.dtype.bits else None


def _shr(node: UOp) -> Bounds | None:
    a, b, c, d = _operands(node)
    return (min(a >> c, a >> d), max(b >> c, b >> d)) if c >= 0 and d < node.dtype.bits else None


def _where(node: UOp) -> Bounds:
    (a, b), (c, d) = (s._bounds or bounds(s) for s in node.src[1:])
    return min(a, c), max(b, d)


def _cast(node: UOp) -> Bounds | None:
    source = node.src[0]
    if not (source.dtype.is_int or source.dtype.is_bool):
        return None
    low, high = source._bounds or bounds(source)
    return (
        (low != 0, high != 0)
        if node.dtype.is_bool and low >= 0
        else None
        if node.dtype.is_bool
        else (int(low), int(high))
    )


def _first(node: UOp) -> Bounds:
    return node.src[0]._bounds or bounds(node.src[0])


_RULES: Final[dict[Ops, Callable[[UOp], Bounds | None]]] = {
    Ops.CONST: _const,
    Ops.DEFINE_VAR: _variable,
    Ops.SPECIAL: _special,
    Ops.RANGE: _range,
    Ops.LANE: _lane,
    Ops.BIND: _first,
    Ops.ADD: _add,
    Ops.SUB: _sub,
    Ops.NEG: _neg,
    Ops.MUL: _mul,
    Ops.IDIV: _idiv,
    Ops.MOD: _mod,
    Ops.MAX: _max,
    Ops.CMPLT: _cmplt,
    Ops.CMPNE: _cmpne,
    Ops.AND: _and,
    Ops.OR: _or,
    Ops.XOR: _xor,
    Ops.SHL: _shl,
    Ops.SHR: _shr,
    Ops.WHERE: _where,
    Ops.CAST: _cast,
}
