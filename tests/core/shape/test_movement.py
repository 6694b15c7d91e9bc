"""Every chain of movement ops reads what numpy says it reads, before and after views are merged."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from core.shape import ShapeError, ShapeTracker, View
from core.shape.shapetracker import MAX_VIEWS
from tests.core.shape.evaluate import positions
from tests.core.shape.movement import Moved, apply, chains, plain
from tests.core.shape.walk import walked


@given(chains())
@settings(max_examples=200)
def test_a_chain_reads_what_numpy_says(moved: Moved) -> None:
    assert moved.tracker.shape == moved.array.shape
    np.testing.assert_array_equal(positions(moved.tracker), moved.array)


@given(chains())
@settings(max_examples=150)
def test_simplify_keeps_the_meaning(moved: Moved) -> None:
    simplified = moved.tracker.simplify()
    assert len(simplified.views) <= len(moved.tracker.views)
    assert simplified.shape == moved.tracker.shape
    np.testing.assert_array_equal(positions(simplified), moved.array)


@given(chains(3), chains(3))
@settings(max_examples=200)
def test_added_trackers_read_through_each_other(lower: Moved, upper: Moved) -> None:
    """A tracker over a buffer of as many elements as another has reads that one's elements."""
    count = lower.array.size
    if upper.array.max() > count:
        return
    joined = lower.tracker + upper.tracker
    below = lower.array.reshape(-1)
    expected = np.where(upper.array > 0, below[np.maximum(upper.array - 1, 0)], 0)
    np.testing.assert_array_equal(positions(joined), expected)


CHAINS: dict[str, tuple[tuple[int, ...], list[tuple[str, Any]]]] = {
    "transposed and flattened": ((4, 6), [("permute", (1, 0)), ("reshape", (24,)), ("reshape", (4, 6))]),
    "padded and flattened": ((3, 4), [("pad", ((1, 1), (0, 0))), ("reshape", (20,)), ("reshape", (10, 2))]),
    "pooled": (
        (1, 5),
        [
            ("pad", ((0, 0), (1, 1))),
            ("expand", (3, 7)),
            ("reshape", (21,)),
            ("pad", ((0, 3),)),
            ("reshape", (3, 8)),
            ("shrink", ((0, 3), (0, 5))),
            ("permute", (1, 0)),
        ],
    ),
    "an axis masked to one row": (
        (4,),
        [("reshape", (1, 4)), ("pad", ((1, 1), (0, 0))), ("reshape", (12,)), ("reshape", (6, 2))],
    ),
    "everything masked": ((2,), [("pad", ((2, 0),)), ("shrink", ((0, 2),)), ("reshape", (2, 1)), ("expand", (2, 3))]),
    "flipped across a seam": (
        (4, 2, 4),
        [("flip", (1, 2)), ("reshape", (32,)), ("flip", (0,)), ("reshape", (2, 4, 4))],
    ),
    "shrunk away and expanded": (
        (5, 4),
        [("shrink", ((1, 2), (0, 4))), ("expand", (1, 4)), ("reshape", (4, 1)), ("expand", (4, 3))],
    ),
    "of no elements": ((3, 0), [("permute", (1, 0)), ("reshape", (5, 0)), ("pad", ((1, 0), (0, 2)))]),
    "of no axes": ((1, 1), [("reshape", ()), ("reshape", (1,)), ("expand", (3,))]),
    "a padded scalar": ((1,), [("pad", ((0, 2),)), ("shrink", ((2, 3),)), ("reshape", ())]),
}


@pytest.mark.parametrize("name", CHAINS)
def test_chains_of_note(name: str) -> None:
    shape, ops = CHAINS[name]
    moved = plain(shape)
    for op, arg in ops:
        moved = apply(moved, op, arg)
        np.testing.assert_array_equal(positions(moved.tracker), moved.array, err_msg=f"after {op} {arg}")
        np.testing.assert_array_equal(positions(moved.tracker.simplify()), moved.array)


REFUSED: dict[str, tuple[str, Any, str]] = {
    "reshape to another size": ("reshape", (7,), r"cannot reshape \(2,3,1\) to \(7,\): the numbers of elements differ"),
    "reshape to a negative size": ("reshape", (-2, -3), "no negative sizes"),
    "permute by too few axes": ("permute", (1, 0), "cannot permute 3 axes"),
    "permute by an axis twice": ("permute", (0, 0, 1), "not each axis once"),
    "expand by another rank": ("expand", (2, 3), "2 entries given for 3 axes"),
    "expand an axis that is not 1": ("expand", (2, 6, 1), "only an axis of size 1 can grow"),
    "shrink out of range": ("shrink", ((0, 2), (0, 4), (0, 1)), "out of range"),
    "shrink backwards": ("shrink", ((0, 2), (2, 1), (0, 1)), "out of range"),
    "shrink by another rank": ("shrink", ((0, 2),), "1 entries given for 3 axes"),
    "pad by a negative amount": ("pad", ((0, 0), (-1, 0), (0, 0)), "an amount is negative"),
    "pad by another rank": ("pad", ((0, 0),), "1 entries given for 3 axes"),
    "flip an axis that is not there": ("flip", (3,), r"cannot flip axes \(3,\)"),
    "step by 0": ("stride", (1, 0, 1), "a step is 0"),
    "step by another rank": ("stride", (1,), "1 entries given for 3 axes"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_fit_is_refused_with_the_reason(name: str) -> None:
    op, arg, reason = REFUSED[name]
    with pytest.raises(ShapeError, match=reason):
        getattr(ShapeTracker.from_shape((2, 3, 1)), op)(arg)


def test_an_index_needs_as_many_indices_as_axes() -> None:
    with pytest.raises(ShapeError, match=r"cannot index \(2,3\): 0 indices given"):
        ShapeTracker.from_shape((2, 3)).to_indexed_uops(())


def _shuffled(times: int) -> ShapeTracker:
    """A stack of views none of which merges with the next."""
    tracker = ShapeTracker.from_shape((24,))
    for turn in range(times):
        tracker = tracker.reshape((4, 6) if turn % 2 else (3, 8)).permute((1, 0)).reshape((24,))
    return tracker


def test_a_stack_has_at_least_one_view_and_not_too_many() -> None:
    for views in ((), _shuffled(MAX_VIEWS - 1).views * 2):
        with pytest.raises(ShapeError, match=f"1 to {MAX_VIEWS} views, not {len(views)}"):
            ShapeTracker(views)


def test_the_highest_stack() -> None:
    masked = _shuffled(MAX_VIEWS - 2).pad(((1, 1),)).reshape((13, 2))
    assert len(masked.views) == MAX_VIEWS
    assert masked.real_strides() == (None, None)
    assert masked.axis_is_masked(1)
    assert masked.simplify().real_size() == 24
    np.testing.assert_array_equal(positions(masked), walked(masked))


def test_a_shape_error_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="negative"):
        View.create((2, -1))
