"""Strides, masked axes and sizes against what a walk over all elements finds."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings

from core.shape import ShapeTracker, View
from core.shape.sizes import row_major
from tests.core.shape.movement import Array, Moved, chains
from tests.core.shape.walk import walked


def _neighbours(array: Array, axis: int) -> tuple[Array, Array]:
    return np.delete(array, -1, axis), np.delete(array, 0, axis)


def _steps(array: Array, axis: int) -> set[int]:
    """By how much the position grows along an axis, wherever two neighbours are both read."""
    before, after = _neighbours(array, axis)
    both = (before > 0) & (after > 0)
    return set((after - before)[both].tolist())


@given(chains())
@settings(max_examples=200)
def test_a_stride_holds_everywhere(moved: Moved) -> None:
    for tracker in (moved.tracker, moved.tracker.simplify()):
        for axis, stride in enumerate(tracker.real_strides(ignore_valid=True)):
            assert stride is None or _steps(moved.array, axis) <= {stride}


@given(chains())
@settings(max_examples=200)
def test_no_mask_depends_on_an_axis_that_is_not_masked(moved: Moved) -> None:
    tracker = moved.tracker
    masked = [tracker.axis_is_masked(axis) for axis in range(len(tracker.shape))]
    for axis in range(len(tracker.shape)):
        before, after = _neighbours(moved.array, axis)
        assert masked[axis] or np.array_equal(before > 0, after > 0)
    ignoring = tracker.real_strides(ignore_valid=True)
    expected = tuple([None if m else stride for m, stride in zip(masked, ignoring, strict=True)])
    assert tracker.real_strides() == expected
    assert tracker.unit_stride_axes() == [axis for axis, stride in enumerate(expected) if stride == 1]
    assert tracker.unit_stride_axes(ignore_valid=True) == [axis for axis, stride in enumerate(ignoring) if stride == 1]


@given(chains())
@settings(max_examples=200)
def test_the_size_covers_what_is_read(moved: Moved) -> None:
    size, greatest = moved.tracker.real_size(), int(moved.array.max(initial=0))
    assert size >= greatest
    if len(moved.tracker.views) == 1:
        assert size == greatest


@given(chains())
@settings(max_examples=200)
def test_one_view_has_every_stride(moved: Moved) -> None:
    """Nothing is left unknown that a single view says outright."""
    if len(moved.tracker.views) > 1:
        return
    strides = moved.tracker.real_strides(ignore_valid=True)
    assert strides == moved.tracker.views[0].strides
    for axis in range(len(strides)):
        before, after = _neighbours(moved.array, axis)
        assert moved.tracker.axis_is_masked(axis) == (not np.array_equal(before > 0, after > 0))


def _stack(*views: tuple[object, ...]) -> ShapeTracker:
    return ShapeTracker(tuple([View(*view, contiguous=False) for view in views]))  # type: ignore[arg-type]


POOLED = _stack(
    ((1, 16, 3, 19, 3, 19), (0, 2304, 3, 144, 1, 9), 0, ((0, 1), (0, 16), (0, 3), (0, 16), (0, 3), (0, 16))),
    ((1, 16, 72, 72), (0, 3249, 57, 1), 0, ((0, 1), (0, 16), (0, 57), (0, 57))),
    ((16, 4, 18, 4, 18), (5184, 1296, 72, 18, 1), 0, None),
)
KNOWN: dict[str, tuple[ShapeTracker, tuple[int | None, ...], set[int]]] = {
    "quotient and remainder of one axis": (
        _stack(((4, 6), (1, 4), 0, None), ((24,), (1,), 0, None)),
        (None,),
        set(),
    ),
    "an axis that stays within the other's unit": (
        _stack(((1, 104, 64), (0, 64, 1), 0, ((0, 1), (0, 102), (0, 64))), ((26, 16, 4, 4), (256, 4, 64, 1), 0, None)),
        (256, 4, 64, 1),
        {0, 2},
    ),
    "a mask above says that nothing carries below": (
        _stack(((28, 2, 40), (40, 0, 1), 0, None), ((128, 56, 80), (0, 80, 1), 0, ((0, 128), (0, 28), (0, 40)))),
        (0, 40, 1),
        {1, 2},
    ),
    "joint masks of two axes settle the third": (POOLED, (2304, None, None, None, None), {1, 2, 3, 4}),
    "a mask leaves one index of an axis": (
        _stack(((6, 8), (8, 1), 0, ((0, 3), (0, 8))), ((2, 3, 8), (24, 8, 1), 0, None)),
        (0, 8, 1),
        {0},
    ),
    "no index passes the mask": (
        _stack(((8, 6), (6, 1), 0, ((6, 8), (0, 6))), ((2, 3, 5), (18, 6, 1), 0, None)),
        (18, 6, 1),
        set(),
    ),
    # by 14 in fact; tinygrad 0.10.1 says 8, what is left of the step after the carry
    "an axis that grows by its own step and carries": (
        _stack(((4, 6, 8), (48, 8, -1), 7, None), ((2, 2), (2, -1), 183, None)),
        (None, None),
        set(),
    ),
    "flipped, never negative": (
        _stack(((4, 2, 4), (8, -4, -1), 7, None), ((4, 4, 2), (-4, -1, -16), 31, None)),
        (None, None, -16),
        set(),
    ),
}


@pytest.mark.parametrize("name", KNOWN)
def test_strides_of_stacked_views(name: str) -> None:
    tracker, strides, masked = KNOWN[name]
    assert tracker.real_strides(ignore_valid=True) == strides
    assert {axis for axis in range(len(strides)) if tracker.axis_is_masked(axis)} == masked
    array = walked(tracker)
    for axis, stride in enumerate(strides):
        before, after = _neighbours(array, axis)
        assert stride is None or _steps(array, axis) <= {stride}
        assert axis in masked or np.array_equal(before > 0, after > 0)


def test_size_of_a_masked_view_counts_what_is_visible() -> None:
    assert ShapeTracker.from_shape((4, 6)).shrink(((0, 2), (0, 3))).pad(((0, 1), (1, 0))).real_size() == 9
    assert ShapeTracker.from_shape((4,)).pad(((3, 0),)).shrink(((0, 3),)).real_size() == 0
    assert ShapeTracker.from_shape((4, 0)).real_size() == 0


def test_row_major_strides() -> None:
    assert row_major((2, 1, 3, 4)) == (12, 0, 4, 1)
    assert row_major(()) == ()


@pytest.mark.parametrize("shape", [(), (3,), (2, 3, 4)])
def test_size_of_a_plain_array(shape: tuple[int, ...]) -> None:
    tracker = ShapeTracker.from_shape(shape)
    assert tracker.size == tracker.real_size() == math.prod(shape)
