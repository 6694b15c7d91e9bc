"""Which integer ops need a guard, because for some operands C and LLVM leave their result undefined or trap.

WHERE computes both of its values, so a division that is masked off still runs: `where(d != 0, n / d, 0)` must not trap.
Every op is therefore total here, with the results that numpy gives: division and remainder by zero give 0, the least
integer divided by -1 wraps to itself, and a shift by the width or more shifts everything out. An operand's bounds show
where no guard is needed.
"""

from __future__ import annotations

from core.ir.ops import Ops
from core.ir.uop import UOp

__all__ = ["maybe_minus_one", "maybe_wide", "maybe_zero", "repeats_operands"]


def maybe_zero(node: UOp) -> bool:
    """Whether the divisor of an IDIV or MOD may be 0."""
    divisor = node.src[1]
    return divisor.dtype.count > 1 or bool(divisor.vmin <= 0 <= divisor.vmax)


def maybe_minus_one(node: UOp) -> bool:
    """Whether an IDIV or MOD may divide the least integer of its type by -1, which leaves the type."""
    dividend, divisor = node.src
    if dividend.dtype.is_unsigned:
        return False
    if dividend.dtype.count > 1 or divisor.dtype.count > 1:
        return True
    return bool(divisor.vmin <= -1 <= divisor.vmax and dividend.vmin == dividend.dtype.min)


def maybe_wide(node: UOp) -> bool:
    """Whether the count of a SHL or SHR may be negative, or the width of the type or more."""
    count = node.src[1]
    return bool(count.dtype.count > 1 or count.vmin < 0 or count.vmax >= node.dtype.bits)


def repeats_operands(node: UOp) -> bool:
    """Whether an expression for this op names an operand twice, when written with comparisons and choices."""
    if node.op is Ops.MAX:
        return not node.dtype.is_bool
    if node.op in (Ops.IDIV, Ops.MOD):
        return maybe_zero(node) or maybe_minus_one(node)
    return node.op in (Ops.SHL, Ops.SHR) and maybe_wide(node)
