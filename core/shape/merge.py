"""Merging two stacked views into one.

The position of an element of the upper view is affine in its indices; the lower view takes that position apart into
coordinates. Where no coordinate carries into the next over all indices, each is affine too, and so is the address.
Axes of the lower view between which something carries are first reshaped into one.
"""

from __future__ import annotations

from functools import lru_cache
from typing import cast

from core.shape.reshape import reshape_view
from core.shape.sizes import MEMO_SIZE, Mask, row_major, same
from core.shape.view import View

__all__ = ["merge_views"]


class _Affine:
    """`base + sum(steps[axis] * index[axis])` with the range of its values; axes whose step is 0 are left out."""

    __slots__ = ("base", "high", "low", "steps")

    def __init__(self, base: int, steps: dict[int, int], shape: tuple[int, ...]) -> None:
        self.base, self.steps = base, {axis: step for axis, step in steps.items() if step}
        self.low = self.high = base
        for axis, step in self.steps.items():
            self.low += min(0, step * (shape[axis] - 1))
            self.high += max(0, step * (shape[axis] - 1))


@lru_cache(MEMO_SIZE)
def merge_views(lower: View, upper: View) -> View | None:
    """The one view that reads what `upper` reads of `lower`, or None where there is none."""
    if lower.contiguous:
        return upper
    if upper.contiguous and same(lower.size, upper.size):
        reshaped = reshape_view(lower, upper.shape)
        if reshaped is not None:
            return reshaped
    if upper.mask is not None:
        return _merge_below_mask(lower, upper, upper.mask)
    return _merge_static(lower, upper) if lower.static and upper.static else None


def _merge_below_mask(lower: View, upper: View, mask: Mask) -> View | None:
    """Merges what the mask shows, and pads that."""
    if upper.empty:
        return upper
    merged = merge_views(lower, upper.shrink(mask))
    if merged is None:
        return None
    return merged.pad(tuple([(low, size - high) for (low, high), size in zip(mask, upper.shape, strict=True)]))


def _merge_static(lower: View, upper: View) -> View | None:
    shape = cast(tuple[int, ...], upper.shape)
    coordinates = _coordinates(lower, upper)
    sizes = _carry_free_sizes(cast(tuple[int, ...], lower.shape), coordinates, shape)
    if sizes is None:
        return None
    if sizes != lower.shape:
        reshaped = reshape_view(lower, sizes)
        return None if reshaped is None else merge_views(reshaped, upper)

    if lower.mask is not None:
        ranges, exact = _project_mask(cast(tuple[tuple[int, int], ...], lower.mask), coordinates, shape)
        if ranges != tuple([(0, size) for size in shape]):
            return merge_views(lower, View.create(upper.shape, upper.strides, upper.offset, ranges))
        if not exact:
            return None

    strides = [0] * len(shape)
    offset = lower.offset
    for coordinate, stride in zip(coordinates, cast(tuple[int, ...], lower.strides), strict=True):
        offset += coordinate.base * stride
        for axis, step in coordinate.steps.items():
            strides[axis] += step * stride
    return View.create(upper.shape, tuple(strides), offset)


def _coordinates(lower: View, upper: View) -> list[_Affine]:
    """The coordinate along each axis of `lower` of the position that `upper` reads, as if nothing carried."""
    shape, offset = cast(tuple[int, ...], upper.shape), cast(int, upper.offset)
    radix = cast(tuple[int, ...], row_major(lower.shape))
    origin = _unravel(radix, offset)
    steps: list[dict[int, int]] = [{} for _ in origin]
    for axis, stride in enumerate(cast(tuple[int, ...], upper.strides)):
        if stride == 0:
            continue
        for step, start, end in zip(steps, origin, _unravel(radix, offset + stride), strict=True):
            step[axis] = end - start
    return [_Affine(base, step, shape) for base, step in zip(origin, steps, strict=True)]


def _unravel(radix: tuple[int, ...], position: int) -> list[int]:
    """The coordinates of `position` by the row-major strides; the outermost axis takes what is out of range."""
    coordinates = []
    for stride in radix:
        coordinate = position // stride if stride else 0
        coordinates.append(coordinate)
        position -= coordinate * stride
    return coordinates


def _carry_free_sizes(
    sizes: tuple[int, ...], coordinates: list[_Affine], shape: tuple[int, ...]
) -> tuple[int, ...] | None:
    """The sizes that the axes must be reshaped to, so that every coordinate stays within its axis."""
    free: list[int] = []
    size, base, steps = 1, 0, dict[int, int]()
    for axis_size, coordinate in zip(reversed(sizes), reversed(coordinates), strict=True):
        base += coordinate.base * size
        for axis, step in coordinate.steps.items():
            steps[axis] = steps.get(axis, 0) + step * size
        size *= axis_size
        joint = _Affine(base, steps, shape)
        if joint.low >= 0 and joint.high < size:
            free.append(size)
            size, base, steps = 1, 0, {}
    return None if base or any(steps.values()) else tuple(reversed(free))


def _project_mask(
    mask: tuple[tuple[int, int], ...], coordinates: list[_Affine], shape: tuple[int, ...]
) -> tuple[Mask, bool]:
    """The ranges of the upper indices outside of which `mask` hides everything.

    Also says whether inside of them it hides nothing.
    """
    lows, highs, exact = [0] * len(shape), list(shape), True
    for (low, high), coordinate in zip(mask, coordinates, strict=True):
        if low <= coordinate.low and coordinate.high < high:
            continue
        if not coordinate.steps and shape:
            highs = [0] * len(shape)
        elif len(coordinate.steps) != 1:
            exact = False
        else:
            ((axis, step),) = coordinate.steps.items()
            first, last = low - coordinate.base, high - 1 - coordinate.base
            if step < 0:
                first, last = last, first
            lows[axis] = max(lows[axis], -(-first // step))
            highs[axis] = min(highs[axis], last // step + 1)
    return tuple([(low, max(low, high)) for low, high in zip(lows, highs, strict=True)]), exact
