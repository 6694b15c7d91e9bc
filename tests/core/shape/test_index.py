"""The index expression: its dtype, its parts, the indices it is made of."""

from __future__ import annotations

import numpy as np
import pytest

from core.dtype import dtypes
from core.ir.ops import Ops
from core.ir.uop import UOp
from core.shape import ShapeTracker
from tests.core.shape.evaluate import evaluate

INT_MAX = 2**31 - 1


def test_without_indices_each_axis_is_a_range() -> None:
    index, valid = ShapeTracker.from_shape((4, 1, 6)).to_indexed_uops()
    ranges = [node for node in index.toposort() if node.op is Ops.RANGE]
    assert {(node.arg, node.src[0].arg) for node in ranges} == {(0, 4), (2, 6)}
    assert valid is UOp.const(dtypes.bool, True)


def test_with_indices_it_is_made_of_those() -> None:
    row, column = UOp.variable("row", 0, 3), UOp.variable("column", 0, 5)
    index, valid = ShapeTracker.from_shape((4, 6)).pad(((0, 0), (2, 0))).to_indexed_uops((row, column + 2))
    for i in range(4):
        for j in range(6):
            variables = {"row": i, "column": j}
            assert evaluate(index, np.zeros(0, np.int64), variables) == i * 6 + j
            assert evaluate(valid, np.zeros(0, np.int64), variables)


def test_constant_indices_fold() -> None:
    index, valid = ShapeTracker.from_shape((4, 6)).to_indexed_uops([UOp.const(dtypes.int, n) for n in (2, 3)])
    assert (index, valid) == (UOp.const(dtypes.int, 15), UOp.const(dtypes.bool, True))


def test_a_remainder_and_its_quotient_make_the_index_whole() -> None:
    flat = UOp.variable("flat", 0, 23)
    index, _ = ShapeTracker.from_shape((4, 6)).to_indexed_uops((flat // 6, flat % 6))
    assert index is flat


def test_what_is_never_read_has_a_constant_condition() -> None:
    tracker = ShapeTracker.from_shape((4,)).pad(((3, 0),)).shrink(((0, 3),))
    assert tracker.to_indexed_uops()[1] is UOp.const(dtypes.bool, False)


LONG: dict[str, tuple[ShapeTracker, bool]] = {
    "the greatest position that fits": (ShapeTracker.from_shape((2**15, 2**16)), False),
    "one position too many": (ShapeTracker.from_shape((2**15 + 1, 2**16)), True),
    "an offset beyond int": (ShapeTracker.from_shape((2, 2**31)).shrink(((1, 2), (0, 4))), True),
    "a flipped axis": (ShapeTracker.from_shape((2**15, 2**16)).flip((0, 1)), False),
    "a partial sum": (ShapeTracker.from_shape((2**16, 2**15)).flip((0,)).pad(((1, 0), (0, 0))), True),
    "an element count in between": (
        ShapeTracker.from_shape((1, 1)).expand((2**16, 2**16)).permute((1, 0)).reshape((2**32,)),
        False,
    ),
    "an axis longer than int": (
        ShapeTracker.from_shape((2, 2)).permute((1, 0)).reshape((4, 1)).expand((4, 2**30)).reshape((2**32,)),
        True,
    ),
    "a quotient of a long": (
        ShapeTracker.from_shape((2**17, 2**15)).permute((1, 0)).reshape((2**32,)).shrink(((0, 2**20),)),
        True,
    ),
}


@pytest.mark.parametrize("name", LONG)
def test_an_index_is_long_where_int_is_too_small(name: str) -> None:
    tracker, is_long = LONG[name]
    index, valid = tracker.to_indexed_uops()
    ints = [node for node in (*index.toposort(), *valid.toposort()) if node.dtype is dtypes.int]
    assert all(node.vmin >= -INT_MAX - 1 and node.vmax <= INT_MAX for node in ints)
    assert (index.dtype is dtypes.long) is is_long


def test_long_indices_make_a_long_position() -> None:
    i = UOp.variable("i", 0, 3, dtypes.long)
    assert ShapeTracker.from_shape((4,)).to_indexed_uops((i,))[0] is i


def test_the_order_of_terms_is_fixed() -> None:
    tracker = ShapeTracker.from_shape((4, 5, 6)).permute((2, 0, 1))
    assert tracker.to_indexed_uops()[0].render() == ShapeTracker(tracker.views).to_indexed_uops()[0].render()
