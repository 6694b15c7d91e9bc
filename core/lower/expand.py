"""The expander: every node that depends on an unrolled axis becomes one scalar node for each position along it.

A node with its lanes is the axes it depends on and a list of nodes, the last axis running fastest. A node that depends
on no unrolled axis has one lane and is shared by all.
"""

from __future__ import annotations

import functools
import itertools
from typing import Final, NamedTuple, TypeAlias

from core.dtype import dtypes
from core.ir.ops import GroupOp, Ops
from core.ir.uop import UOp, folded
from core.lower.memory import load, load_lanes, store, store_lanes
from core.lower.target import LoweringTarget

__all__ = ["expand"]

LaneAxes: TypeAlias = "tuple[tuple[int, int], ...]"

_FOLDED: Final = GroupOp.ALU | {Ops.CAST, Ops.BITCAST}


class Lanes(NamedTuple):
    """`axes` are (axis, size) pairs in ascending order; `nodes` has an entry for each position in their product."""

    axes: LaneAxes
    nodes: list[UOp]


def expand(sink: UOp, target: LoweringTarget) -> UOp:
    """`sink` without LANEs: each STORE and each node it needs once a lane, memory accesses joined to vectors."""
    done: dict[UOp, Lanes] = {}
    for node in sink.toposort():
        done[node] = _expanded(node, [done[source] for source in node.src], target)
    return UOp(Ops.SINK, dtypes.void, tuple(done[sink].nodes))


def _expanded(node: UOp, src: list[Lanes], target: LoweringTarget) -> Lanes:
    if node.op is Ops.LANE:
        return Lanes((node.arg,), [UOp.const(dtypes.int, i) for i in range(node.arg[1])])
    if node.op is Ops.REDUCE:
        return _reduce(node, src)
    if node.op is Ops.CONTRACT:
        return _contract(node, src[0])
    if node.op is Ops.UNROLL:
        return _unroll(node, src[0])
    if node.op in (Ops.SINK, Ops.BARRIER):
        return Lanes((), [lane for lanes in src for lane in lanes.nodes] if node.op is Ops.SINK else [_barrier(src)])
    if not any(lanes.axes for lanes in src):
        return Lanes((), [_rebuilt(node, tuple([lanes.nodes[0] for lanes in src]))])

    axes = _union([lanes.axes for lanes in src])
    columns = [_spread(lanes, axes) for lanes in src]
    if node.op is Ops.LOAD:
        return Lanes(axes, load_lanes(node.dtype, columns, target))
    if node.op is Ops.STORE:
        return Lanes((), store_lanes(columns, target))
    return Lanes(axes, [_rebuilt(node, operands) for operands in zip(*columns, strict=True)])


def _rebuilt(node: UOp, src: tuple[UOp, ...]) -> UOp:
    if src == node.src:
        return node
    if node.op in _FOLDED:
        return folded(node.op, node.dtype, src, node.arg)
    if node.op is Ops.LOAD:
        return load(node.dtype, src)
    if node.op is Ops.STORE:
        return store(src)
    return UOp(node.op, node.dtype, src, node.arg)


def _barrier(src: list[Lanes]) -> UOp:
    return UOp(Ops.BARRIER, dtypes.void, tuple([lane for lanes in src for lane in lanes.nodes]))


def _contract(node: UOp, src: Lanes) -> Lanes:
    """The lanes along the contracted axes as the elements of a vector, the last axis of `arg` running fastest."""
    axes = _union([src.axes, tuple(sorted(node.arg))])
    lanes = _spread(src, axes)
    kept = tuple([axis for axis in axes if axis not in node.arg])
    vectors: list[list[UOp | None]] = [[None] * node.dtype.count for _ in range(_count(kept))]
    for lane, vector, element in zip(lanes, _positions(kept, axes), _positions(node.arg, axes), strict=True):
        vectors[vector][element] = lane
    return Lanes(kept, [folded(Ops.VECTORIZE, node.dtype, tuple([e for e in v if e is not None])) for v in vectors])


def _unroll(node: UOp, src: Lanes) -> Lanes:
    """The elements of a vector as lanes along the axes of `arg`, the last axis of `arg` running fastest."""
    axes = _union([src.axes, tuple(sorted(node.arg))])
    vectors = _spread(src, axes)
    elements = _positions(node.arg, axes)
    return Lanes(axes, [folded(Ops.GEP, node.dtype, (v,), i) for v, i in zip(vectors, elements, strict=True)])


def _over_loops(op: Ops, value: UOp, ranges: tuple[UOp, ...]) -> UOp:
    """`value` reduced over loops; what is one element of a matrix product is that element of the reduced product."""
    if value.op is Ops.GEP and value.src[0].op is Ops.WMMA:
        product = value.src[0]
        return UOp(Ops.GEP, value.dtype, (UOp(Ops.REDUCE, product.dtype, (product, *ranges), (op, ())),), value.arg)
    return UOp(Ops.REDUCE, value.dtype, (value, *ranges), (op, ()))


def _reduce(node: UOp, src: list[Lanes]) -> Lanes:
    """Combine the lanes of the reduced axes; what remains is reduced over the loops."""
    op, reduced = node.arg
    value, ranges = src[0], tuple([lanes.nodes[0] for lanes in src[1:]])
    if not reduced:
        return Lanes(value.axes, [_over_loops(op, lane, ranges) for lane in value.nodes])

    every = _union([value.axes, tuple(sorted(reduced))])
    lanes = _spread(value, every)
    kept = tuple([axis for axis in every if axis not in reduced])
    groups: list[list[UOp]] = [[] for _ in range(_count(kept))]
    for lane, position in zip(lanes, _positions(kept, every), strict=True):
        groups[position].append(lane)

    totals = [functools.reduce(lambda a, b: a.alu(op, b), group) for group in groups]
    if ranges:
        totals = [_over_loops(op, total, ranges) for total in totals]
    return Lanes(kept, totals)


def _union(several: list[LaneAxes]) -> LaneAxes:
    longest = max(several, key=len)
    if all(axes == longest or not axes for axes in several):
        return longest
    return tuple(sorted({axis for axes in several for axis in axes}))


def _count(axes: LaneAxes) -> int:
    count = 1
    for _, size in axes:
        count *= size
    return count


def _spread(lanes: Lanes, axes: LaneAxes) -> list[UOp]:
    """The lanes for every position of `axes`, of which they may depend on a part only."""
    if lanes.axes == axes:
        return lanes.nodes
    if not lanes.axes:
        return lanes.nodes * _count(axes)
    nodes = lanes.nodes
    return [nodes[position] for position in _positions(lanes.axes, axes)]


@functools.lru_cache(maxsize=1024)
def _positions(part: LaneAxes, axes: LaneAxes) -> tuple[int, ...]:
    """For every position of `axes`, the position within `part` of them."""
    strides: dict[int, int] = {}
    stride = 1
    for axis, size in reversed(part):
        strides[axis] = stride
        stride *= size
    steps = [strides.get(axis, 0) for axis, _ in axes]
    return tuple(
        [
            sum(i * step for i, step in zip(point, steps, strict=True))
            for point in itertools.product(*[range(size) for _, size in axes])
        ]
    )
