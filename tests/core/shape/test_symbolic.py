"""Shapes, strides, offsets and masks with variables in them: right for every value of the variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import pytest

from core.dtype import dtypes
from core.ir.ops import Ops
from core.ir.uop import UOp, sint
from core.shape import ShapeError, ShapeTracker, View
from tests.core.shape.evaluate import number, positions
from tests.core.shape.movement import Moved, apply, plain

Program: TypeAlias = Callable[[Any], list[tuple[str, Any]]]

# each chain of ops, as a function of the variable i in [1, 6]
CHAINS: dict[str, tuple[tuple[int, ...], Program]] = {
    "a slice of growing length": ((3, 8, 4), lambda i: [("shrink", ((0, 3), (0, i), (0, 4))), ("permute", (1, 0, 2))]),
    "a slice at a growing start": ((3, 8, 4), lambda i: [("shrink", ((0, 3), (i, i + 1), (0, 4))), ("reshape", (12,))]),
    "an axis split off beside one with a variable": (
        (3, 8, 4),
        lambda i: [("shrink", ((0, 3), (0, i), (0, 4))), ("reshape", (3, i, 2, 2)), ("permute", (2, 1, 0, 3))],
    ),
    "ones come and go": (
        (3, 8, 4),
        lambda i: [("shrink", ((0, 3), (0, i), (0, 4))), ("reshape", (1, 3, i, 1, 4)), ("reshape", (3, i, 4))],
    ),
    "repeated a variable number of times": (
        (3, 1, 4),
        lambda i: [("expand", (3, i, 4)), ("permute", (1, 0, 2)), ("reshape", (i, 12))],
    ),
    "padded by a variable amount": ((3, 4), lambda i: [("pad", ((i, 0), (0, 1))), ("permute", (1, 0))]),
    "padded to a fixed size": ((8, 4), lambda i: [("shrink", ((0, i), (0, 4))), ("pad", ((0, 6 - i), (0, 0)))]),
    "a window of a padded array": ((6,), lambda i: [("pad", ((i, 2),)), ("shrink", ((1, i + 5),))]),
    "a variable slice, flipped": ((8, 4), lambda i: [("shrink", ((0, i), (0, 4))), ("flip", (0, 1))]),
    "flattened": ((8, 4), lambda i: [("shrink", ((0, i), (0, 4))), ("reshape", (i * 4,)), ("reshape", (i, 4))]),
    "transposed and flattened": (
        (8, 4),
        lambda i: [("shrink", ((0, i), (0, 4))), ("permute", (1, 0)), ("reshape", (i * 4,))],
    ),
    "transposed, flattened and cut": (
        (8, 4),
        lambda i: [("shrink", ((0, i), (0, 4))), ("permute", (1, 0)), ("reshape", (i * 4,)), ("shrink", ((1, i + 1),))],
    ),
}
NAMES = pytest.mark.parametrize("name", CHAINS)
VALUES = range(1, 7)


def _symbolic(name: str) -> ShapeTracker:
    shape, program = CHAINS[name]
    tracker = ShapeTracker.from_shape(shape)
    for op, arg in program(UOp.variable("i", 1, 6)):
        tracker = getattr(tracker, op)(arg)
    return tracker


def _concrete(name: str, value: int) -> Moved:
    shape, program = CHAINS[name]
    moved = plain(shape)
    for op, arg in program(value):
        moved = apply(moved, op, arg)
    return moved


@NAMES
@pytest.mark.parametrize("simplify", [False, True])
def test_a_chain_reads_what_numpy_says_for_each_value(name: str, simplify: bool) -> None:
    tracker = _symbolic(name).simplify() if simplify else _symbolic(name)
    for value in VALUES:
        np.testing.assert_array_equal(positions(tracker, {"i": value}), _concrete(name, value).array)


@NAMES
def test_strides_masks_and_size_hold_for_each_value(name: str) -> None:
    tracker = _symbolic(name)
    for value in VALUES:
        array = _concrete(name, value).array
        assert tracker.real_size() >= array.max(initial=0)
        for axis, stride in enumerate(tracker.real_strides(ignore_valid=True)):
            before, after = np.delete(array, -1, axis), np.delete(array, 0, axis)
            both = (before > 0) & (after > 0)
            assert stride is None or set((after - before)[both]) <= {number(stride, {"i": value})}
            assert tracker.axis_is_masked(axis) or np.array_equal(before > 0, after > 0)


def test_a_plain_array_with_a_variable() -> None:
    i = UOp.variable("i", 1, 10)
    tracker = ShapeTracker.from_shape((3, i))
    assert tracker.views[0].strides == (i, 1)
    assert tracker.contiguous
    assert tracker.reshape((i * 3,)).contiguous
    assert tracker.size is i * 3
    assert tracker.real_size() == 30
    assert tracker.variables() == [i]


def test_entries_are_simplified() -> None:
    i = UOp.variable("i", 1, 10)
    one = UOp.const(dtypes.int, 1)
    raw = View((3, i), (UOp(Ops.MUL, dtypes.int, (one, i)), 1), 0, None, True)
    assert raw.strides[0] is not i
    assert raw.canonical() is View.create((3, i))
    assert ShapeTracker((raw,)).real_strides() == (i, 1)
    assert ShapeTracker((raw,)).permute((1, 0)) is ShapeTracker.from_shape((3, i)).permute((1, 0))


def test_a_variable_that_has_one_value_is_a_number() -> None:
    assert View.create((UOp.const(dtypes.int, 4), 2)) is View.create((4, 2))


def test_a_size_that_must_be_wrong_is_refused() -> None:
    i = UOp.variable("i", 1, 3)
    tracker = ShapeTracker.from_shape((i, 4))
    with pytest.raises(ShapeError, match="the numbers of elements differ"):
        tracker.reshape((i, 5))
    with pytest.raises(ShapeError, match="out of range"):
        tracker.shrink(((0, i + 1), (0, 4)))
    with pytest.raises(ShapeError, match="only an axis of size 1 can grow"):
        tracker.expand((i + 1, 4))


def test_a_long_index_where_a_variable_may_make_it_one() -> None:
    sizes: list[tuple[sint, bool]] = [(UOp.variable("i", 1, 2**15), False), (UOp.variable("i", 1, 2**15 + 1), True)]
    for size, is_long in sizes:
        index = ShapeTracker.from_shape((size, 2**16)).to_indexed_uops()[0]
        assert (index.dtype is dtypes.long) == is_long
