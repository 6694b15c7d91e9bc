"""Which reduces may be padded: a sum may, where everything below it is 0 once all it reads is 0."""

from __future__ import annotations

from typing import Final

from core.ir.ops import GroupOp, Ops
from core.ir.uop import UOp

__all__ = ["padding_fault"]

# of 0, or of 0 and 0, these are something else, or nothing a backend agrees on
NOT_ZERO_OF_ZEROS: Final = GroupOp.UnsafePad | {Ops.FDIV, Ops.MOD, Ops.THREEFRY}


def padding_fault(reduceop: UOp) -> str | None:
    """Why `reduceop` would see the padding of an axis it reduces; None if it would not.

    Padded loads read 0 and padded constants become 0 (see `optimized_ast`).
    """
    if reduceop.arg[0] is not Ops.ADD:
        return f"it is reduced by {reduceop.arg[0].name}, of which 0 is not the neutral element"
    for node in reduceop.src[0].toposort():
        if node.op in NOT_ZERO_OF_ZEROS:
            return f"the padding would go through {node.op.name}, which does not keep 0"
        if node.op is Ops.DEFINE_VAR:
            return "a variable is not 0 in the padding"
    return None
