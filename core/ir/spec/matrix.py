"""Rules on matrix products: fragments gathered from lanes (CONTRACT), multiplied (WMMA), spread over lanes (UNROLL)."""

from __future__ import annotations

import math
from typing import Any, Final

from core.dtype import DType
from core.ir.ops import Ops
from core.ir.spec.rule import Rule
from core.ir.uop import UOp

__all__ = ["FRAGMENT_RULES", "PRODUCT_RULE"]


def _elements(axes: Any) -> int | None:
    """The number of positions along (axis, size) pairs; None if `axes` are not such."""
    if axes.__class__ is not tuple:
        return None
    for pair in axes:
        if pair.__class__ is not tuple or len(pair) != 2 or not all(i.__class__ is int and i >= 0 for i in pair):
            return None
    return math.prod([int(size) for _, size in axes])


def _is_contract(node: UOp) -> bool:
    elements = _elements(node.arg)
    return (
        elements is not None
        and len(node.src) == 1
        and node.dtype.count == elements
        and node.src[0].dtype is node.dtype.scalar()
    )


def _is_unroll(node: UOp) -> bool:
    elements = _elements(node.arg)
    return (
        elements is not None
        and len(node.src) == 1
        and node.src[0].dtype.count == elements
        and node.src[0].dtype.scalar() is node.dtype
    )


def _is_product(node: UOp) -> bool:
    arg = node.arg
    if arg.__class__ is not tuple or len(arg) != 8 or len(node.src) != 3:
        return False
    name, dims, dtype_in, dtype_out, device, threads, axes, _ = arg
    if name.__class__ is not str or device.__class__ is not str or threads.__class__ is not int:
        return False
    if dims.__class__ is not tuple or len(dims) != 3 or not all(size.__class__ is int and size > 0 for size in dims):
        return False
    if not isinstance(dtype_in, DType) or not isinstance(dtype_out, DType) or axes.__class__ is not tuple:
        return False

    counts = [_elements(one) for one in axes]
    types = [source.dtype for source in node.src]
    return (
        len(counts) == 3
        and [t.scalar() for t in types] == [dtype_in, dtype_in, dtype_out]
        and [t.count for t in types] == counts
        and node.dtype is types[2]
    )


PRODUCT_RULE: Final = Rule(
    "wmma",
    (Ops.WMMA,),
    "a WMMA has the fragments of A, B and C as sources, and as arg its name, dims, dtypes, device, threads and axes",
    _is_product,
)

FRAGMENT_RULES: Final = (
    Rule("contract", (Ops.CONTRACT,), "a CONTRACT is a vector of its source along (axis, size) pairs", _is_contract),
    Rule("unroll", (Ops.UNROLL,), "an UNROLL is an element of its source for each of (axis, size) pairs", _is_unroll),
)
