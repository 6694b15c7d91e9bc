"""What a view means: which element of its buffer each position reads, and whether it reads one at all.

Evaluated with plain numpy arrays and Python integers, and with nothing of `core.shape` or of the symbolic rules but the
fields of the views, so that it can judge them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from core.errors import RuntimeFailure
from core.ir.ops import Ops

if TYPE_CHECKING:
    from core.ir.uop import UOp
    from core.shape.shapetracker import ShapeTracker
    from core.shape.view import View

__all__ = ["DEFAULT_LIMIT", "element_index", "extent", "integer", "tracker_shape", "variable_value"]

Variables: TypeAlias = "Mapping[str, int]"
IntArray: TypeAlias = "NDArray[np.int64]"
BoolArray: TypeAlias = "NDArray[np.bool_]"

# positions of one node that are evaluated at once: 128 MB as doubles
DEFAULT_LIMIT: Final = 1 << 24


def _truncated_division(a: int, b: int) -> int:
    if b == 0:
        return 0
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


_INTEGER_OPS: Final[dict[Ops, Callable[..., int]]] = {
    Ops.ADD: lambda a, b: a + b,
    Ops.SUB: lambda a, b: a - b,
    Ops.MUL: lambda a, b: a * b,
    Ops.NEG: lambda a: -a,
    Ops.IDIV: _truncated_division,
    Ops.MOD: lambda a, b: a - _truncated_division(a, b) * b if b else 0,
    Ops.MAX: lambda a, b: b if a < b else a,
    Ops.CMPLT: lambda a, b: int(a < b),
    Ops.CMPNE: lambda a, b: int(a != b),
    Ops.AND: lambda a, b: a & b,
    Ops.OR: lambda a, b: a | b,
    Ops.XOR: lambda a, b: a ^ b,
    Ops.SHL: lambda a, b: a << b,
    Ops.SHR: lambda a, b: a >> b,
    Ops.WHERE: lambda condition, a, b: a if condition else b,
    Ops.CAST: lambda a: a,
}


def variable_value(variable: UOp, variables: Variables) -> int:
    """The value of the kernel variable. Raises RuntimeFailure when it is missing or outside of its range."""
    name, low, high = variable.arg
    if name not in variables:
        raise RuntimeFailure(f"variable {name!r} has no value; give it one from {low} to {high}")
    value = int(variables[name])
    if not low <= value <= high:
        raise RuntimeFailure(f"variable {name!r} is {value}; it must be from {low} to {high}")
    return value


def integer(value: int | UOp, variables: Variables) -> int:
    """A symbolic integer of a view as a number."""
    if isinstance(value, int):
        return value
    known: dict[UOp, int] = {}
    for node in value.toposort():
        if node.op is Ops.CONST:
            known[node] = int(node.arg)
        elif node.op is Ops.DEFINE_VAR:
            known[node] = variable_value(node, variables)
        elif node.op is Ops.BIND:
            known[node] = known[node.src[0]]
        elif (operation := _INTEGER_OPS.get(node.op)) is not None:
            known[node] = operation(*[known[source] for source in node.src])
        else:
            raise RuntimeFailure(f"a view holds {node.op.name}, which no symbolic integer is made of")
    return known[value]


def _integers(values: Any, variables: Variables) -> tuple[int, ...]:
    return tuple([integer(value, variables) for value in values])


def tracker_shape(tracker: ShapeTracker, variables: Variables) -> tuple[int, ...]:
    """The shape of what is read through `tracker`."""
    return _integers(tracker.views[-1].shape, variables)


def element_index(
    tracker: ShapeTracker, variables: Variables, limit: int = DEFAULT_LIMIT
) -> tuple[IntArray, BoolArray]:
    """(index, valid): the buffer's element at each position, and whether the masks let it be read; 0 where not valid.

    Both have the rank of `tracker`'s shape. An axis along which it does not change may have length 1. Raises
    RuntimeFailure when the shape has more than `limit` positions, or when a view reaches outside of the one below it.
    """
    shape = tracker_shape(tracker, variables)
    if math.prod(shape) > limit:
        raise RuntimeFailure(f"the shape {shape} has more than {limit} elements, too many for the interpreter")

    rank = len(shape)
    coordinates = [np.arange(size).reshape(-1, *[1] * (rank - axis - 1)) for axis, size in enumerate(shape)]
    valid: BoolArray = np.ones([1] * rank, dtype=np.bool_)
    index: IntArray = np.zeros([1] * rank, dtype=np.int64)

    for depth, view in enumerate(reversed(tracker.views)):
        if depth > 0:
            coordinates = _unravel(index, valid, _integers(view.shape, variables))
        for low, high, size, coordinate in _masked_axes(view, coordinates, variables):
            if low > 0:
                valid = valid & (coordinate >= low)
            if high < size:
                valid = valid & (coordinate < high)
        index = np.full([1] * rank, integer(view.offset, variables), dtype=np.int64)
        for coordinate, stride in zip(coordinates, _integers(view.strides, variables), strict=True):
            if stride != 0:
                index = index + coordinate * stride
        if not valid.all():
            index = np.where(valid, index, 0)
    return index, valid


def _masked_axes(view: View, coordinates: list[IntArray], variables: Variables) -> list[tuple[int, int, int, IntArray]]:
    if view.mask is None:
        return []
    ranges = [_integers(pair, variables) for pair in view.mask]
    shape = _integers(view.shape, variables)
    return [(low, high, size, at) for (low, high), size, at in zip(ranges, shape, coordinates, strict=True)]


def _unravel(flat: IntArray, valid: BoolArray, shape: tuple[int, ...]) -> list[IntArray]:
    """The coordinates in `shape` of the positions `flat`, counted row by row."""
    size = math.prod(shape)
    outside = valid & ((flat < 0) | (flat >= size))
    if outside.any():
        position = int(np.broadcast_to(flat, outside.shape)[outside][0])
        raise RuntimeFailure(f"a view reads position {position} of the view of shape {shape} below it")
    coordinates = []
    for axis, length in enumerate(shape):
        below = math.prod(shape[axis + 1 :])
        coordinates.append(flat // max(below, 1) % max(length, 1))
    return coordinates


def extent(tracker: ShapeTracker, variables: Variables) -> int:
    """One more than the greatest element of the buffer that the view next to it allows; 0 when its mask is empty.

    Exact for a single view. Views on top may reach less of it.
    """
    view = tracker.views[0]
    shape, strides = _integers(view.shape, variables), _integers(view.strides, variables)
    ranges = [(0, size) for size in shape]
    if view.mask is not None:
        for axis, pair in enumerate(view.mask):
            low, high = _integers(pair, variables)
            ranges[axis] = (max(low, 0), min(high, shape[axis]))
    if any(low >= high for low, high in ranges):
        return 0
    last = integer(view.offset, variables)
    for (low, high), stride in zip(ranges, strides, strict=True):
        last += stride * (high - 1 if stride > 0 else low)
    return max(last + 1, 0)
