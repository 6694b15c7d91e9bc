"""The expander: one scalar node a lane, neighbouring accesses joined, known gates resolved."""

from __future__ import annotations

import pytest

from core.dtype import DType, dtypes
from core.ir.ops import Ops
from core.ir.uop import UOp
from core.lower.expand import expand
from tests.core.lower.graphs import Target, buffer, lane, load, loop, reduce, store

WIDE, NARROW = Target(), Target(supports_float4=False)
ROW = loop(0, 8)


def ops(sink: UOp, op: Ops) -> list[UOp]:
    return [node for node in sink.toposort() if node.op is op]


def copy(index: UOp, dtype: DType = dtypes.float) -> UOp:
    return UOp.sink(store(buffer(0, dtype), index, load(buffer(1, dtype), index)))


def test_nothing_is_left_of_the_lanes() -> None:
    sink = expand(copy(ROW * 3 + lane(1, 3)), NARROW)
    assert not ops(sink, Ops.LANE)
    offsets = [(s.src[0].src[1] - ROW * 3).arg for s in ops(sink, Ops.STORE)]
    assert offsets == [0, 1, 2]


def test_neighbours_become_one_vector_access() -> None:
    sink = expand(copy(ROW * 4 + lane(1, 4)), WIDE)
    (loaded,), (stored,) = ops(sink, Ops.LOAD), ops(sink, Ops.STORE)
    assert loaded.dtype is dtypes.float.vec(4)
    assert stored.src[1].dtype is dtypes.float.vec(4)
    assert [element.arg for element in stored.src[1].src] == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("index", "widths"),
    [
        (ROW * 6 + lane(1, 6), [2, 2, 2]),  # a multiple of 2 only
        (ROW * 8 + lane(1, 6), [2, 4]),
        (ROW * 3 + lane(1, 4), [1, 1, 1, 1]),  # not aligned
        (ROW * 4 + lane(1, 4) + 1, [1, 1, 2]),  # 1 | 2 3 | 4
        (ROW * 8 + lane(1, 4) * 2, [1, 1, 1, 1]),  # not neighbours
    ],
)
def test_only_aligned_neighbours_are_joined(index: UOp, widths: list[int]) -> None:
    sink = expand(copy(index), WIDE)
    assert sorted(node.dtype.count for node in ops(sink, Ops.LOAD)) == widths
    assert sorted(node.src[1].dtype.count for node in ops(sink, Ops.STORE)) == widths


def test_half_goes_to_eight_and_bool_stays_single() -> None:
    assert [n.dtype.count for n in ops(expand(copy(ROW * 8 + lane(1, 8), dtypes.half), WIDE), Ops.LOAD)] == [8]
    assert [n.dtype.count for n in ops(expand(copy(ROW * 2 + lane(1, 2), dtypes.bool), WIDE), Ops.LOAD)] == [1, 1]


def test_a_gate_that_a_lane_decides_is_resolved() -> None:
    index = ROW * 4 + lane(1, 4)
    value = load(buffer(1), index, gate=lane(1, 4) < 2)
    sink = expand(UOp.sink(store(buffer(0), index, value)), NARROW)
    assert [len(node.src) for node in ops(sink, Ops.LOAD)] == [1, 1]
    assert [node.src[1].op for node in ops(sink, Ops.STORE)] == [Ops.LOAD, Ops.LOAD, Ops.CONST, Ops.CONST]


def test_a_store_that_never_happens_is_dropped() -> None:
    index = ROW * 4 + lane(1, 4)
    sink = expand(UOp.sink(store(buffer(0), index, load(buffer(1), index), gate=lane(1, 4) < 3)), NARROW)
    assert [len(node.src) for node in ops(sink, Ops.STORE)] == [2, 2, 2]


def test_a_gate_that_stays_is_shared_by_a_vector() -> None:
    index = ROW * 4 + lane(1, 4)
    sink = expand(UOp.sink(store(buffer(0), index, load(buffer(1), index, gate=ROW < 5))), WIDE)
    (loaded,) = ops(sink, Ops.LOAD)
    assert (loaded.dtype.count, loaded.src[1].dtype.count, loaded.src[2].dtype.count) == (4, 4, 1)


def test_lanes_of_a_reduce_are_combined_within_their_row() -> None:
    value = load(buffer(1), lane(1, 2) * 3 + lane(2, 3))
    total = reduce(Ops.ADD, value, lanes=((2, 3),))
    sink = expand(UOp.sink(store(buffer(0), lane(1, 2), total)), NARROW)
    reached = [
        sorted(n.src[0].src[1].arg for n in s.src[1].toposort() if n.op is Ops.LOAD) for s in ops(sink, Ops.STORE)
    ]
    assert reached == [[0, 1, 2], [3, 4, 5]]
    assert not ops(sink, Ops.REDUCE)


def test_what_does_not_depend_on_a_reduced_lane_is_taken_once_for_each() -> None:
    total = reduce(Ops.ADD, UOp.const(dtypes.int, 5), lanes=((1, 4),))
    (stored,) = ops(expand(UOp.sink(store(buffer(0, dtypes.int), UOp.const(dtypes.int, 0), total)), NARROW), Ops.STORE)
    assert stored.src[1].arg == 20


def test_a_reduce_over_a_loop_is_one_for_each_lane_left() -> None:
    inner = loop(2, 16)
    value = load(buffer(1), inner * 4 + lane(1, 4))
    sink = expand(UOp.sink(store(buffer(0), lane(1, 4), reduce(Ops.ADD, value, inner))), WIDE)
    assert len(ops(sink, Ops.REDUCE)) == 4
    assert len(ops(sink, Ops.LOAD)) == 1
