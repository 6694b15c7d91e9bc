"""Evaluates index expressions at every index of a shape at once, as C computes them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from core.dtype import dtypes
from core.ir.ops import Ops
from core.ir.uop import UOp, toposort
from core.shape import ShapeTracker
from tests.core.shape.movement import Array

Values = npt.NDArray[np.int64] | npt.NDArray[np.bool_]


def positions(tracker: ShapeTracker, variables: Mapping[str, int] | None = None) -> Array:
    """The position plus one that each index of the tracker reaches, or 0 where nothing is read."""
    shape = tuple([number(size, variables) for size in tracker.shape])
    index, valid = tracker.to_indexed_uops()
    assert index.dtype in (dtypes.int, dtypes.long)
    assert valid.dtype is dtypes.bool
    grid = np.indices(shape, dtype=np.int64)
    position, readable = evaluate(index, grid, variables), evaluate(valid, grid, variables)
    return np.broadcast_to(np.where(readable, position + 1, 0), shape)


def number(value: int | UOp, variables: Mapping[str, int] | None = None) -> int:
    """The value of a symbolic integer."""
    return value if isinstance(value, int) else int(evaluate(value, np.zeros((0,), np.int64), variables))


def evaluate(root: UOp, grid: Array, variables: Mapping[str, int] | None = None) -> Values:
    """The value of `root` where RANGE `k` is `grid[k]`. Checks that no int leaves int, whether it is used or not."""
    values: dict[UOp, Values] = {}
    for node in toposort((root,)):
        if node.op is Ops.CONST:
            values[node] = np.asarray(node.arg)
        elif node.op is Ops.RANGE:
            values[node] = grid[node.arg]
        elif node.op is Ops.DEFINE_VAR:
            assert variables is not None
            values[node] = np.asarray(variables[node.arg[0]])
        else:
            values[node] = _computed(node, [values[source] for source in node.src])
        if node.dtype is dtypes.int:
            assert np.all((values[node] >= -(2**31)) & (values[node] < 2**31)), f"{node.render()} leaves int"
    return values[root]


def _computed(node: UOp, operands: list[Values]) -> Values:
    match node.op, operands:
        case Ops.ADD, [a, b]:
            return a + b
        case Ops.MUL, [a, b]:
            return a * b
        case Ops.IDIV, [a, b]:
            return np.sign(a) * np.sign(b) * (np.abs(a) // np.abs(b))
        case Ops.MOD, [a, b]:
            return np.sign(a) * (np.abs(a) % np.abs(b))
        case Ops.MAX, [a, b]:
            return np.maximum(a, b)
        case Ops.CMPLT, [a, b]:
            return a < b
        case Ops.CMPNE, [a, b]:
            return a != b
        case Ops.AND, [a, b]:
            return a & b
        case Ops.WHERE, [a, b, c]:
            return np.where(a, b, c)
        case Ops.CAST, [a]:
            return a
        case _:
            raise AssertionError(f"{node.op.name} has no place in an index")
