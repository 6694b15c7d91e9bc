"""How much global memory a kernel moves, estimated from its AST."""

from __future__ import annotations

from core.ir.ops import GroupOp, Ops
from core.ir.uop import UOp, sint, smax

__all__ = ["memory_bytes"]


def memory_bytes(ast: UOp) -> sint:
    """The bytes between the first and the last element reached of each buffer, once for its loads and once for its
    stores; of several loads of one buffer the one that reaches furthest counts. Symbolic where the kernel is.
    """
    reached: dict[tuple[Ops, UOp], sint] = {}
    for node in ast.toposort():
        if node.op not in GroupOp.Buffer or node.src[0].op is not Ops.DEFINE_GLOBAL:
            continue
        buffer, st = node.src[0], node.src[1].arg
        size = st.real_size() * buffer.dtype.itemsize
        key = (node.op, buffer)
        reached[key] = smax(reached[key], size) if key in reached else size

    total: sint = 0
    for size in reached.values():
        total = total + size
    return total
