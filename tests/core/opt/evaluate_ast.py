"""An oracle for ASTs, optimised or not: every node evaluated with numpy at every index of its shape, in int64.

It shares no code with `core.shape` or the lowering: a view is read as its definition says, one index after the other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from core.ir.ops import Ops
from core.ir.uop import UOp
from core.shape import ShapeTracker, View

Array = np.ndarray[Any, Any]

ALU: dict[Ops, Callable[..., Array]] = {
    Ops.ADD: np.add,
    Ops.MUL: np.multiply,
    Ops.MAX: np.maximum,
    Ops.CMPLT: np.less,
    Ops.WHERE: np.where,
    Ops.CAST: lambda value: value,
}
REDUCE: dict[Ops, Any] = {Ops.ADD: np.add, Ops.MUL: np.multiply, Ops.MAX: np.maximum}


def outputs(ast: UOp, inputs: dict[int, Array], sizes: dict[int, int], global_dims: int = 0) -> dict[int, Array]:
    """What the AST stores to its buffers, of `sizes` elements; an element that is not stored stays -999.

    Each index along the first `global_dims` axes is a workgroup with local memory of its own.
    """
    stored = {number: np.full(size, -999, dtype=np.int64) for number, size in sizes.items()}
    values: dict[UOp, Array] = {}
    for node in ast.toposort():
        if node.op is Ops.STORE and node.src[0].op is Ops.DEFINE_GLOBAL:
            where, valid = indices(node.src[1].arg)
            value = np.broadcast_to(values[node.src[2]], where.shape)
            assert len(np.unique(where[valid])) == valid.sum(), "an element is stored twice"
            stored[node.src[0].arg][where[valid]] = value[valid]
        elif node.op not in (Ops.SINK, Ops.VIEW, Ops.DEFINE_GLOBAL, Ops.DEFINE_LOCAL):
            values[node] = evaluated(node, values, inputs, global_dims)
    return stored


def evaluated(node: UOp, values: dict[UOp, Array], inputs: dict[int, Array], global_dims: int) -> Array:
    if node.op is Ops.LOAD and node.src[0].op is Ops.DEFINE_GLOBAL:
        where, valid = indices(node.src[1].arg)
        return np.where(valid, inputs[node.src[0].arg][np.where(valid, where, 0)], 0)
    if node.op is Ops.LOAD:
        return read_back(node, values[node.src[2]])
    if node.op is Ops.STORE:
        return stored_locally(node, values[node.src[2]], global_dims)
    if node.op is Ops.VALID:
        return indices(node.src[0].arg)[1]
    if node.op is Ops.CONST:
        _, valid = indices(node.src[0].arg)
        assert valid.all(), "a masked constant"
        return np.full(valid.shape, int(node.arg), dtype=np.int64)
    if node.op is Ops.REDUCE_AXIS:
        operation, axes = node.arg
        return REDUCE[operation].reduce(values[node.src[0]], axis=axes, keepdims=True)
    return ALU[node.op](*[values[source] for source in node.src])


def stored_locally(node: UOp, value: Array, global_dims: int) -> Array:
    """The value as it is stored: every thread of a workgroup has elements of its own in the local buffer."""
    where, valid = indices(node.src[1].arg)
    assert valid.all()
    assert len(np.unique(where)) == where.size == node.src[0].dtype.size
    assert where.shape[:global_dims] == (1,) * global_dims, "workgroups share a local buffer"
    assert all(a in (1, b) for a, b in zip(where.shape, value.shape, strict=True))
    return value


def read_back(node: UOp, value: Array) -> Array:
    """What a LOAD from local memory finds after the STORE of `value`, which may have put it elsewhere.

    Along the axes that the buffer does not have, workgroups and loops, everything is stored and read anew.
    """
    stored, read = (indices(access.src[1].arg)[0] for access in (node.src[2], node))
    assert stored.shape == read.shape
    inside = [axis for axis, size in enumerate(stored.shape) if size > 1]
    outside = [axis for axis in range(value.ndim) if axis not in inside]
    order = [*outside, *inside]
    rows = np.broadcast_to(value, [max(a, b) for a, b in zip(stored.shape, value.shape, strict=True)]).transpose(order)
    flat = rows.reshape(-1, stored.size)
    position = np.empty(stored.size, dtype=np.int64)
    position[stored.transpose(order).ravel()] = np.arange(stored.size)
    found = flat[:, position[read.transpose(order).ravel()]].reshape(rows.shape)
    return found.transpose(np.argsort(order))


def indices(st: ShapeTracker) -> tuple[Array, Array]:
    """For every index of `st`, the element of the buffer and whether it is valid."""
    where, valid = one_view(st.views[-1], [np.asarray(i) for i in np.indices(st.shape)], st.shape)
    for view in reversed(st.views[:-1]):
        rest, coordinates = where, []
        for size in reversed(view.shape):
            coordinates.append(rest % size)
            rest = rest // size
        where, inside = one_view(view, coordinates[::-1], st.shape)
        valid = valid & inside
    return where, valid


def one_view(view: View, coordinates: list[Array], shape: tuple[Any, ...]) -> tuple[Array, Array]:
    where = np.full(shape, view.offset, dtype=np.int64)
    valid = np.ones(shape, dtype=bool)
    for axis, coordinate in enumerate(coordinates):
        where = where + coordinate * view.strides[axis]
        if view.mask is not None:
            low, high = view.mask[axis]
            valid &= (coordinate >= low) & (coordinate < high)
    return where, valid
