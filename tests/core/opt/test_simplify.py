"""Which neighbouring axes merge, and how an image's dimensions are made up of axes."""

from __future__ import annotations

import itertools
import math

import pytest

from core.ir.uop import UOp
from core.opt import Kernel
from core.opt.simplify import contraction, differ, divides, first_difference, image_strides, mergeable_axes
from core.shape import ShapeTracker
from tests.core.opt.small_asts import CPU, reordered_then_padded

N = UOp.variable("n", 1, 10)


@pytest.mark.parametrize(
    ("old", "new", "groups"),
    [
        ((2, 3, 4), (6, 4), [[0, 1], [2]]),
        ((2, 3, 4), (24,), [[0, 1, 2]]),
        ((2, 3, 4), (2, 3, 4), [[0], [1], [2]]),
        ((2, 3, 4), (4, 6), None),
        ((1, 6, 4), (6, 4), [[0, 1], [2]]),
        ((6, 4), (1, 6, 4), [[], [0], [1]]),
        ((6, 4, 1), (6, 4), [[0], [1, 2]]),
    ],
)
def test_contraction(old: tuple[int, ...], new: tuple[int, ...], groups: list[list[int]] | None) -> None:
    assert contraction(old, new) == groups


def test_contraction_against_brute_force() -> None:
    for shape in itertools.product((1, 2, 3), repeat=4):
        for cut in range(5):
            new = (math.prod(shape[:cut]), math.prod(shape[cut:]))
            groups = contraction(shape, new)
            assert groups is not None
            assert [math.prod([shape[axis] for axis in group]) for group in groups] == list(new)
            assert [axis for group in groups for axis in group] == [0, 1, 2, 3]


def test_image_strides_do_not_reach_across_image_dimensions() -> None:
    assert image_strides((2, 3, 4, 5), (6, 20)) == [3, 1, 5, 1]
    assert image_strides((2, 1, 4), (2, 4)) == [1, 0, 1]
    assert image_strides((2, 3), (4, 2)) is None


@pytest.mark.parametrize(
    ("sizes", "strides", "mergeable"),
    [
        ((4, 6), (6, 1), True),
        ((4, 6), (12, 2), True),
        ((4, 6), (7, 1), False),
        ((4, 6), (1, 4), False),
        ((4, 6), (0, 0), True),
        ((4, 6), (0, 1), False),
        ((4, 6), (6, 0), False),
        ((4, 6), (None, 1), False),
        ((4, 6), (6, None), False),
        ((4, 6), (-6, -1), True),
        ((N, 6), (6, 1), True),
        ((4, N), (N, 1), False),
        ((4, N), (0, 0), True),
    ],
)
def test_mergeable_axes(sizes: tuple[int | UOp, ...], strides: tuple[int | UOp | None, ...], mergeable: bool) -> None:
    assert mergeable_axes(sizes, strides, 1) is mergeable


def test_merged_axes_reach_the_same_elements() -> None:
    """Wherever two axes are said to be mergeable, one axis with the stride of the second reaches the same elements."""
    for a, b, first, second in itertools.product(range(2, 5), range(2, 5), range(-6, 7), range(-3, 4)):
        if mergeable_axes((a, b), (first, second), 1):
            apart = [i * first + j * second for i in range(a) for j in range(b)]
            assert apart == [k * second for k in range(a * b)]


def test_axes_over_a_view_that_two_ranges_make_regular_stay_apart() -> None:
    """As in tinygrad 0.10.1, though the two outer axes step over squares of 100 elements each."""
    assert Kernel(reordered_then_padded(8, 4), CPU).full_shape == (8, 4, 11, 11)


def test_symbolic_sizes_differ_unless_they_are_equal() -> None:
    assert not differ(N, N)
    assert differ(N, 4)
    assert differ(4, N)
    assert differ(N + 1, N)
    assert not differ(UOp.variable("one", 1, 1), 1)
    assert first_difference((4, N, 1), (4, N, 8), 3) == 2
    assert first_difference((4, N), (4, N), 2) == 2


def test_a_symbolic_size_is_no_multiple() -> None:
    assert divides(4, 12)
    assert not divides(5, 12)
    assert not divides(4, N * 4)


def test_shape_trackers_are_shared_objects() -> None:
    """What map_trackers relies on."""
    assert ShapeTracker.from_shape((4, 6)) is ShapeTracker.from_shape((4, 6))
