"""Symbolic integers as infix expressions, every operation in brackets: `(start_pos+1)`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from core.ir.ops import Ops

if TYPE_CHECKING:
    from core.ir.uop import UOp

__all__ = ["infix"]

_SYMBOLS: Final = {
    Ops.ADD: "+",
    Ops.MUL: "*",
    Ops.IDIV: "//",
    Ops.MOD: "%",
    Ops.CMPLT: "<",
    Ops.CMPNE: "!=",
    Ops.AND: "&",
    Ops.OR: "|",
    Ops.XOR: "^",
    Ops.SHL: "<<",
    Ops.SHR: ">>",
}

_LEAVES: Final[dict[Ops, Callable[[UOp], str]]] = {
    Ops.CONST: lambda node: str(node.arg),
    Ops.DEFINE_VAR: lambda node: node.arg[0],
    Ops.SPECIAL: lambda node: node.arg[0],
    Ops.RANGE: lambda node: f"ridx{node.arg}",
    Ops.LANE: lambda node: f"lane{node.arg[0]}",
}


def infix(root: UOp) -> str:
    """`root` as text. Ops without a symbol are written as calls."""
    done: dict[UOp, str] = {}
    for node in root.toposort():
        operands = [done[source] for source in node.src]
        if node.op in _LEAVES:
            done[node] = _LEAVES[node.op](node)
        elif node.op is Ops.BIND:
            done[node] = operands[0]
        elif node.op in _SYMBOLS:
            done[node] = f"({operands[0]}{_SYMBOLS[node.op]}{operands[1]})"
        else:
            done[node] = f"{node.op.name.lower()}({','.join(operands)})"
    return done[root]
