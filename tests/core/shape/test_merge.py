"""Merging two stacked views, made up directly rather than by movement ops."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.shape import ShapeTracker, View
from core.shape.merge import merge_views
from tests.core.shape.evaluate import positions
from tests.core.shape.walk import walked


@st.composite
def ranges(draw: st.DrawFn, shape: list[int]) -> tuple[tuple[int, int], ...]:
    found = []
    for size in shape:
        low = draw(st.integers(0, size - 1))
        found.append((low, draw(st.integers(low + 1, size))) if draw(st.booleans()) else (0, size))
    return tuple(found)


@st.composite
def views(draw: st.DrawFn, elements: int | None = None) -> View:
    """A view that stays inside the elements below it: any number of them, or `elements`."""
    shape = draw(st.lists(st.sampled_from([1, 2, 3, 4, 6]), min_size=1, max_size=3))
    if elements is None:
        strides = draw(st.tuples(*[st.integers(-8, 8) for _ in shape]))
    else:
        # steps of several axes often stay in line with one another
        units = [s for s in (0, 1, 2, 3, 4, 6, 8, 12) if s < max(elements, 1)]
        strides = draw(st.tuples(*[st.sampled_from(units) for _ in shape]))
    mask = draw(st.one_of(st.none(), ranges(shape)))
    visible = mask or tuple([(0, size) for size in shape])
    reached = [sorted((low * s, (high - 1) * s)) for s, (low, high) in zip(strides, visible, strict=True)]
    least, greatest = sum(low for low, _ in reached), sum(high for _, high in reached)
    if elements is not None and greatest - least >= elements:
        strides, least, greatest = (0,) * len(shape), 0, 0
    offset = draw(st.integers(0, 3 if elements is None else elements - 1 - (greatest - least))) - least
    return View.create(tuple(shape), strides, offset, mask)


@st.composite
def stacks(draw: st.DrawFn) -> ShapeTracker:
    lower = draw(views())
    middle = draw(views(math.prod(lower.shape)))  # type: ignore[arg-type]
    if draw(st.booleans()):
        return ShapeTracker((lower, middle))
    return ShapeTracker((lower, middle, draw(views(math.prod(middle.shape)))))  # type: ignore[arg-type]


@given(stacks())
@settings(max_examples=150)
def test_a_merged_view_reads_what_both_read(stack: ShapeTracker) -> None:
    expected = walked(stack)
    np.testing.assert_array_equal(walked(stack.simplify()), expected)
    merged = merge_views(*stack.views[-2:])
    if merged is not None:
        np.testing.assert_array_equal(walked(ShapeTracker((*stack.views[:-2], merged))), expected)


@given(stacks())
@settings(max_examples=150)
def test_the_index_of_a_stack(stack: ShapeTracker) -> None:
    np.testing.assert_array_equal(positions(stack), walked(stack))


def _view(shape: tuple[int, ...], strides: tuple[int, ...], offset: int = 0, mask: Any = None) -> View:
    return View.create(shape, strides, offset, mask)


MERGED: dict[str, tuple[View, View, View | None]] = {
    "below a plain view": (_view((3, 4), (1, 3)), View.create((3, 4)), _view((3, 4), (1, 3))),
    "above a plain view": (View.create((12,)), _view((3,), (2,), 1), _view((3,), (2,), 1)),
    "a reshape that one view can say": (_view((4, 6), (12, 2)), View.create((24,)), _view((24,), (2,))),
    "a reshape that needs two": (_view((4, 6), (1, 4)), View.create((24,)), None),
    "every other row": (_view((4, 6), (1, 4)), _view((2, 6), (12, 1)), _view((2, 6), (2, 4))),
    "axes that carry are joined": (_view((4, 6), (12, 2)), _view((5,), (4,), 1), _view((5,), (8,), 2)),
    "axes that carry and cannot be joined": (_view((4, 6), (1, 4)), _view((5,), (4,), 1), None),
    "a mask above": (
        _view((4, 6), (1, 4)),
        _view((6, 6), (6, 1), -6, ((1, 5), (0, 6))),
        _view((6, 6), (1, 4), -1, ((1, 5), (0, 6))),
    ),
    "a mask below": (
        _view((6,), (1,), 0, ((1, 4),)),
        _view((3,), (2,)),
        _view((3,), (2,), 0, ((1, 2),)),
    ),
    "a mask below, read backwards": (
        _view((6,), (1,), 0, ((1, 4),)),
        _view((6,), (-1,), 5),
        _view((6,), (-1,), 5, ((2, 5),)),
    ),
    "a mask below that hides all": (
        _view((6,), (1,), 0, ((4, 6),)),
        _view((3,), (1,)),
        _view((3,), (0,), 0, ((0, 0),)),
    ),
    "a mask below that two axes decide": (_view((6,), (1,), 0, ((0, 4),)), _view((3, 3), (1, 2)), None),
    "nothing visible above": (
        _view((4, 6), (1, 4)),
        _view((2, 2), (1, 1), 0, ((0, 0), (0, 0))),
        _view((2, 2), (1, 1), 0, ((0, 0), (0, 0))),
    ),
    "a hidden scalar": (_view((4,), (1,), 0, ((0, 2),)), _view((), (), 3), None),
}  # fmt: skip


@pytest.mark.parametrize("name", MERGED)
def test_merges_of_note(name: str) -> None:
    lower, upper, merged = MERGED[name]
    assert merge_views(lower, upper) is merged
