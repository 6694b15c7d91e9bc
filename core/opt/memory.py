"""How much global memory a kernel moves, estimated from its AST."""

from __future__ import annotations

from core.ir.ops import GroupOp, Ops
from core.ir.uop import UOp

__all__ = ["memory_bytes"]


def memory_bytes(ast: UOp) -> int:
    """The bytes between the first and the last element reached of each buffer, once for its loads and once for its
    stores; of several loads of one buffer the one that reaches furthest counts. Variables are taken at their greatest.
    """
    reached: dict[tuple[Ops, UOp], int] = {}
    for node in ast.toposort():
        if node.op not in GroupOp.Buffer or node.src[0].op is not Ops.DEFINE_GLOBAL:
            continue
        buffer, st = node.src[0], node.src[1].arg
        key = (node.op, buffer)
        reached[key] = max(reached.get(key, 0), st.real_size() * buffer.dtype.itemsize)
    return sum(reached.values())
