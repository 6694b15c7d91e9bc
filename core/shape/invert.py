"""Undoing a stack of views."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from core.ir.uop import sint_prod
from core.shape.sizes import Shape, row_major, same
from core.shape.view import View

if TYPE_CHECKING:
    from core.shape.shapetracker import ShapeTracker

__all__ = ["invert_views"]


def invert_views(views: tuple[View, ...], shape: Shape) -> ShapeTracker | None:
    """The tracker over an array of the last view's shape that restores the array of `shape` that `views` read."""
    from core.shape.shapetracker import ShapeTracker

    inverse = ShapeTracker.from_shape(views[-1].shape)
    for view, below in zip(reversed(views), (*[view.shape for view in reversed(views[:-1])], shape), strict=True):
        undone = _undo(inverse, view, below)
        if undone is None:
            return None
        inverse = undone
    return inverse


def _undo(inverse: ShapeTracker, view: View, below: Shape) -> ShapeTracker | None:
    if view.contiguous:
        return inverse.reshape(below) if same(sint_prod(view.shape), sint_prod(below)) else None
    if not view.static:
        return None
    if view.mask is not None:
        inverse = inverse.shrink(view.mask)
    strides = cast(tuple[int, ...], view.strides)
    inverse = inverse.flip([axis for axis, stride in enumerate(strides) if stride < 0])
    order = sorted(range(len(strides)), key=lambda axis: -abs(strides[axis]))
    inverse = inverse.permute(tuple(order))

    # whatever is visible must fill the array below, in order and from its first element on
    first = cast(int, view.offset)
    for axis, (size, stride) in enumerate(zip(view.shape, strides, strict=True)):
        low, high = view.mask[axis] if view.mask is not None else (0, size)
        first += cast(int, low if stride > 0 else high - 1) * stride
    steps = [abs(strides[axis]) if inverse.shape[k] != 1 else 0 for k, axis in enumerate(order)]
    if first != 0 or tuple(steps) != row_major(inverse.shape) or not same(sint_prod(inverse.shape), sint_prod(below)):
        return None
    return inverse.reshape(below)
