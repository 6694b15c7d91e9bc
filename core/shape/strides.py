"""What is asked of the index of a ShapeTracker: strides, masked axes, the elements that it reaches."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from core.ir.ops import Ops
from core.ir.uop import UOp, sint
from core.shape.index import static_index
from core.shape.indexed import default_indices, indexed_uops
from core.shape.sizes import MEMO_SIZE, same, upper_bound
from core.shape.steps import position_steps
from core.shape.view import View

if TYPE_CHECKING:
    from core.shape.shapetracker import ShapeTracker

__all__ = ["masked_axes", "real_size", "real_strides"]


@lru_cache(MEMO_SIZE)
def real_strides(tracker: ShapeTracker, ignore_valid: bool) -> tuple[sint | None, ...]:
    """See `ShapeTracker.real_strides`."""
    last = tracker.views[-1]
    strides: tuple[sint | None, ...]
    if len(tracker.views) == 1:
        strides = last.strides if last.static else last.canonical().strides
        if last.mask is None:
            return strides
    elif tracker.static:
        strides = position_steps(tracker.views, masked=not static_index(tracker.views).never)
    else:
        strides = _symbolic_strides(tracker)
    if ignore_valid:
        return strides
    masked = masked_axes(tracker)
    return tuple([None if axis in masked else stride for axis, stride in enumerate(strides)])


def _symbolic_strides(tracker: ShapeTracker) -> tuple[sint | None, ...]:
    strides: list[sint | None] = [0] * len(tracker.shape)
    position = indexed_uops(tracker, default_indices(tracker.shape))[0]
    for term in _terms(position):
        axes = [node for node in term.toposort() if node.op is Ops.RANGE]
        for node in axes:
            factor = _factor(term, node) if len(axes) == 1 and strides[node.arg] == 0 else None
            strides[node.arg] = factor
    return tuple(strides)


def _terms(position: UOp) -> list[UOp]:
    terms = []
    stack = [position]
    while stack:
        top = stack.pop()
        if top.op is Ops.ADD:
            stack.extend(top.src)
        else:
            terms.append(top)
    return terms


def _factor(term: UOp, axis: UOp) -> sint | None:
    """What `axis` is multiplied by in `term`."""
    if term is axis or (term.op is Ops.CAST and term.src[0] is axis):
        return 1
    if term.op is not Ops.MUL:
        return None
    for part, other in (term.src, term.src[::-1]):
        if axis in part.toposort() and axis not in other.toposort():
            factor = _factor(part, axis)
            return None if factor is None else int(other.arg) * factor if other.op is Ops.CONST else other * factor
    return None


@lru_cache(MEMO_SIZE)
def masked_axes(tracker: ShapeTracker) -> frozenset[int]:
    """The axes that decide whether an element is masked."""
    last = tracker.views[-1]
    if len(tracker.views) == 1:
        if last.mask is None or last.empty:
            return frozenset()
        axes = enumerate(zip(last.mask, last.shape, strict=True))
        return frozenset([axis for axis, ((low, high), size) in axes if low != 0 or not same(high, size)])
    if tracker.static:
        return frozenset(static_index(tracker.views).masked)
    valid = indexed_uops(tracker, default_indices(tracker.shape))[1]
    return frozenset([node.arg for node in valid.toposort() if node.op is Ops.RANGE])


@lru_cache(MEMO_SIZE)
def real_size(tracker: ShapeTracker) -> int:
    """See `ShapeTracker.real_size`."""
    if any(view.empty or 0 in view.shape for view in tracker.views):
        return 0
    greatest = _greatest(tracker.views[0].canonical())
    if len(tracker.views) > 1 and tracker.static:
        index = static_index(tracker.views)
        greatest = -1 if index.never else min(greatest, index.position.bounds(index.limits)[1])
    return max(0, greatest + 1)


def _greatest(view: View) -> int:
    """An upper bound of the positions that a view reaches."""
    if view.mask is not None:
        view = view.shrink(view.mask)
    greatest = upper_bound(view.offset)
    for size, stride in zip(view.shape, view.strides, strict=True):
        greatest += max(0, upper_bound(stride) * (upper_bound(size) - 1))
    return greatest
