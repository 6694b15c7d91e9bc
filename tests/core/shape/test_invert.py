"""Undoing a stack of views."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from core.shape import ShapeTracker
from tests.core.shape.evaluate import positions
from tests.core.shape.movement import Moved, apply, arguments, chains, plain


@given(chains())
@settings(max_examples=150)
def test_an_inverse_puts_every_element_back(moved: Moved) -> None:
    shape = moved.tracker.views[0].shape
    count = int(np.prod(shape))
    inverse = moved.tracker.invert((count,))
    if inverse is None:
        return
    assert inverse.shape == (count,)
    np.testing.assert_array_equal(positions(moved.tracker + inverse), np.arange(1, count + 1))


@st.composite
def lossless(draw: st.DrawFn) -> Moved:
    """Ops that neither repeat an element nor leave one out."""
    moved = plain(draw(st.sampled_from([(4, 6), (2, 3, 4), (8,)])))
    for _ in range(draw(st.integers(1, 5))):
        op = draw(st.sampled_from(["reshape", "permute", "flip", "pad"]))
        if op == "pad" and moved.array.size > 100:
            continue
        moved = apply(moved, op, draw(arguments(op, moved.tracker.shape)))
    return moved


@given(lossless())
@settings(max_examples=200)
def test_what_loses_nothing_has_an_inverse(moved: Moved) -> None:
    count = int(moved.array.max())
    # a view that reads padding in the middle of its elements cannot be undone one view at a time
    if len(moved.tracker.views) > 1:
        return
    assert moved.tracker.invert((count,)) is not None


def test_what_repeats_or_loses_elements_has_no_inverse() -> None:
    plain_array = ShapeTracker.from_shape((4, 6))
    assert plain_array.shrink(((0, 3), (0, 6))).invert((4, 6)) is None
    assert plain_array.reshape((4, 6, 1)).expand((4, 6, 2)).invert((4, 6)) is None
    assert plain_array.stride((2, 1)).invert((4, 6)) is None
    assert plain_array.invert((5, 5)) is None
    assert ShapeTracker.from_shape((1, 6)).expand((4, 6)).invert((4, 6)) is None


def test_the_inverse_of_stacked_views() -> None:
    tracker = ShapeTracker.from_shape((4, 6)).permute((1, 0)).reshape((24,)).pad(((3, 1),))
    assert len(tracker.views) == 2
    inverse = tracker.invert((4, 6))
    assert inverse is not None
    assert (tracker + inverse).simplify().contiguous
