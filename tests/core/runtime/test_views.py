"""Views against numpy's own movements of arrays, and against counting by hand."""

from __future__ import annotations

import numpy as np
import pytest

from core.dtype import dtypes
from core.errors import RuntimeFailure
from core.ir.ops import Ops
from core.ir.uop import UOp
from core.runtime.views import element_index, extent, integer, tracker_shape
from core.shape import View
from tests.core.runtime.graphs import node, plain, strided, tracker


def read(views, contents):
    """What is read through `views`, with 0 where they are masked."""
    index, valid = element_index(views, {})
    shape = tracker_shape(views, {})
    return np.where(np.broadcast_to(valid, shape), contents[np.broadcast_to(index, shape)], 0)


def test_a_whole_buffer():
    contents = np.arange(24) + 1
    assert np.array_equal(read(plain(2, 3, 4), contents), contents.reshape(2, 3, 4))


def test_permuted():
    contents = np.arange(24)
    assert np.array_equal(read(strided((4, 2, 3), (1, 12, 4)), contents), contents.reshape(2, 3, 4).transpose(2, 0, 1))


def test_expanded():
    contents = np.arange(3)
    assert np.array_equal(read(strided((2, 3), (0, 1)), contents), np.broadcast_to(contents, (2, 3)))


def test_flipped():
    contents = np.arange(12)
    assert np.array_equal(read(strided((3, 4), (-4, 1), 8), contents), contents.reshape(3, 4)[::-1])


def test_padded():
    contents = np.arange(6) + 1
    padded = strided((4, 5), (3, 1), -4, ((1, 3), (1, 4)))
    assert np.array_equal(read(padded, contents), np.pad(contents.reshape(2, 3), 1))


def test_a_view_on_top_of_another():
    contents = np.arange(12)
    transposed_and_flattened = tracker(View((4, 3), (1, 4), 0, None, False), View((12,), (1,), 0, None, True))
    assert np.array_equal(read(transposed_and_flattened, contents), contents.reshape(3, 4).T.ravel())


def test_a_padded_view_that_is_flattened_and_flipped():
    contents = np.arange(4) + 1
    views = tracker(View((4, 4), (2, 1), -3, ((1, 3), (1, 3)), False), View((16,), (-1,), 15, None, False))
    assert np.array_equal(read(views, contents), np.pad(contents.reshape(2, 2), 1).ravel()[::-1])


def test_masks_of_both_views_hold():
    contents = np.arange(4) + 1
    views = tracker(View((6,), (1,), -1, ((1, 5),), False), View((10,), (1,), -2, ((2, 8),), False))
    assert np.array_equal(read(views, contents), np.pad(contents, 3))


def test_no_dimensions():
    assert read(plain(), np.array([7])) == 7


def test_an_empty_shape():
    index, valid = element_index(plain(0, 3), {})
    assert np.broadcast_shapes(index.shape, valid.shape) == (0, 3)


def test_symbolic_shape_strides_offset_and_mask():
    n = UOp.variable("n", 1, 5)
    one = UOp.const(dtypes.int, 1)
    more = node(Ops.ADD, dtypes.int, n, one)
    views = tracker(View((2, more), (more, 1), node(Ops.MUL, dtypes.int, n, one), ((0, 2), (0, n)), False))
    index, valid = element_index(views, {"n": 3})
    assert index.tolist() == [[3, 4, 5, 0], [7, 8, 9, 0]]
    assert np.broadcast_to(valid, (2, 4)).tolist() == [[True, True, True, False]] * 2


def test_symbolic_division_truncates():
    minus_seven = UOp(Ops.CONST, dtypes.int, (), -7)
    two = UOp(Ops.CONST, dtypes.int, (), 2)
    assert integer(node(Ops.IDIV, dtypes.int, minus_seven, two), {}) == -3
    assert integer(node(Ops.MOD, dtypes.int, minus_seven, two), {}) == -1


def test_a_deep_symbolic_integer():
    value = UOp.variable("n", 0, 9)
    one = UOp(Ops.CONST, dtypes.int, (), 1)
    for _ in range(20_000):
        value = node(Ops.ADD, dtypes.int, value, one)
    assert integer(value, {"n": 4}) == 20_004


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({}, "variable 'n' has no value; give it one from 1 to 5"),
        ({"n": 6}, "variable 'n' is 6; it must be from 1 to 5"),
    ],
)
def test_a_variable_without_a_fitting_value(variables, message):
    with pytest.raises(RuntimeFailure, match=message):
        element_index(tracker(View((UOp.variable("n", 1, 5),), (1,), 0, None, True)), variables)


def test_too_large_a_shape_is_refused_before_it_is_made():
    with pytest.raises(RuntimeFailure, match="too many for the interpreter"):
        element_index(plain(1 << 20, 1 << 20), {})


def test_a_view_that_leaves_the_one_below():
    with pytest.raises(RuntimeFailure, match=r"position 4 of the view of shape \(2, 2\)"):
        element_index(tracker(View((2, 2), (2, 1), 0, None, True), View((5,), (1,), 0, None, True)), {})


@pytest.mark.parametrize(
    ("views", "elements"),
    [
        (plain(2, 3), 6),
        (plain(), 1),
        (strided((2, 3), (0, 0)), 1),
        (strided((3, 4), (-4, 1), 8), 12),
        (strided((4, 5), (3, 1), -4, ((1, 3), (1, 4))), 6),
        (strided((4,), (1,), 0, ((2, 2),)), 0),
        (strided((2, 2), (10, 3), 5), 19),
        (plain(0, 3), 0),
    ],
)
def test_extent(views, elements):
    assert extent(views, {}) == elements
    if elements:
        index, valid = element_index(views, {})
        assert index[np.broadcast_to(valid, index.shape)].max() + 1 == elements
