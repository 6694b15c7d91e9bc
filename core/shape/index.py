"""What a stack of views reads: the position in the buffer, and the conditions under which there is one.

Positions of static views are affine forms, taken apart by each lower view in turn. What the masks above say of the axes
is used on the way down, since a position matters only where all masks show it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias, cast

from core.shape.affine import Affine, Division, Limits, expand
from core.shape.reshape import reshape_view
from core.shape.sizes import MEMO_SIZE
from core.shape.view import View

__all__ = ["Condition", "Index", "full_limits", "static_index", "with_fewer_axes"]

# low <= form < high; None where that side always holds
Condition: TypeAlias = "tuple[Affine, int | None, int | None]"


class Index:
    """The position that some static views read, where all `conditions` hold.

    `limits` are those of the axes, and of all atoms, where the conditions hold. If `never`, they hold nowhere.
    """

    __slots__ = ("conditions", "limits", "masked", "never", "position")

    def __init__(
        self, position: Affine, conditions: list[Condition], masked: set[int], limits: Limits, never: bool
    ) -> None:
        self.position, self.conditions, self.masked = position, conditions, masked
        self.limits, self.never = limits, never


@lru_cache(MEMO_SIZE)
def static_index(views: tuple[View, ...]) -> Index:
    """Index of the last view's axes through all `views`, none of them symbolic."""
    shape = cast(tuple[int, ...], views[-1].shape)
    full = full_limits(shape)
    if any(view.empty or 0 in view.shape for view in views):
        return Index(Affine(0, {}), [], set(), full, True)

    found = _walk(views, dict(full), masks=True)
    known = {axis: found.limits[axis] for axis in full}
    # what the lower masks say of the axes simplifies what the upper views make of them
    again = found if found.never or len(views) == 1 or known == full else _walk(views, known, masks=True)
    if again.never:
        unmasked = _walk(views, full, masks=False)
        return Index(unmasked.position, [], set(), unmasked.limits, True)
    return Index(again.position, found.conditions, found.masked, again.limits, False)


def full_limits(shape: tuple[int, ...]) -> Limits:
    """The limits of the axes where nothing is masked."""
    return {axis: (0, max(size - 1, 0)) for axis, size in enumerate(shape)}


def _walk(views: tuple[View, ...], limits: Limits, *, masks: bool) -> Index:
    division = Division(limits)
    shape = cast(tuple[int, ...], views[-1].shape)
    coordinates = [Affine(0, {axis: 1} if size > 1 else {}) for axis, size in enumerate(shape)]
    conditions: list[Condition] = []
    masked: set[int] = set()
    never = False
    position = Affine(0, {})

    for depth, view in enumerate(reversed(views)):
        if depth:
            view = with_fewer_axes(view)
            coordinates = _taken_apart(division, position, cast(tuple[int, ...], view.shape))
        if masks and view.mask is not None:
            ranges = cast(tuple[tuple[int, int], ...], view.mask)
            new = [_condition(division, form, part) for form, part in zip(coordinates, ranges, strict=True)]
            conditions += [condition for condition in new if condition[1:] != (None, None)]
            for form, low, high in new:
                masked |= _axes_of(division, form, low) | _axes_of(division, form, high)
            for axis, (form, (low, high)) in enumerate(zip(coordinates, ranges, strict=True)):
                never = never or not division.allows(form, low, high - 1)
                coordinates[axis] = division.confine(form, low, high - 1)
        position = Affine(cast(int, view.offset), {})
        for form, stride in zip(coordinates, cast(tuple[int, ...], view.strides), strict=True):
            position = position.plus(form, stride)
    return Index(expand(position), conditions, masked, division.limits, never)


def _condition(division: Division, form: Affine, part: tuple[int, int]) -> Condition:
    least, greatest = form.bounds(division.limits)
    return form, part[0] if part[0] > least else None, part[1] if part[1] <= greatest else None


def _axes_of(division: Division, form: Affine, bound: int | None) -> frozenset[int]:
    """The axes that decide whether the form reaches `bound`: not those whose part is too small to matter."""
    if bound is None:
        return frozenset()
    form = expand(form)
    small = division.negligible(Affine(0, form.steps), bound - form.base)
    return (form if small is None else form.plus(small[1], -1)).axes()


def _taken_apart(division: Division, position: Affine, shape: tuple[int, ...]) -> list[Affine]:
    coordinates = []
    for size in reversed(shape):
        position, coordinate = division.divide(position, size)
        coordinates.append(coordinate)
    coordinates.reverse()
    return coordinates


@lru_cache(MEMO_SIZE)
def with_fewer_axes(view: View) -> View:
    """The view with axes joined that continue each other, if all of those can be."""
    joined: list[tuple[int, int, bool]] = []  # size, stride, whether one element at most is visible
    ranges = view.mask or [(0, 2)] * len(view.shape)
    axes = zip(view.shape, view.strides, ranges, strict=True)
    for size, stride, (low, high) in cast(list[tuple[int, int, tuple[int, int]]], list(axes)):
        if size == 1:
            continue
        single = high - low == 1
        if joined and (joined[-1][2] or joined[-1][1] == size * stride):
            joined[-1] = (joined[-1][0] * size, stride, joined[-1][2] and single)
        else:
            joined.append((size, stride, single))
    return reshape_view(view, tuple([size for size, _, _ in joined])) or view
