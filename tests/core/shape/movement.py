"""Random chains of movement ops, applied to a ShapeTracker and, by numpy alone, to the array it stands for."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from core.shape import ShapeTracker

Array: TypeAlias = npt.NDArray[np.int64]
LARGEST = 600


@dataclass(frozen=True)
class Moved:
    """`array` holds the position in the buffer plus one, or 0 where nothing is read; `ops` says how it came about."""

    tracker: ShapeTracker
    array: Array
    ops: tuple[tuple[str, Any], ...]


def plain(shape: tuple[int, ...]) -> Moved:
    return Moved(ShapeTracker.from_shape(shape), np.arange(1, math.prod(shape) + 1).reshape(shape), ())


def apply(moved: Moved, op: str, arg: Any) -> Moved:
    tracker = getattr(moved.tracker, op)(arg)
    return Moved(tracker, ON_ARRAYS[op](moved.array, arg), (*moved.ops, (op, arg)))


ON_ARRAYS: dict[str, Callable[[Array, Any], Array]] = {
    "reshape": lambda array, arg: array.reshape(arg),
    "permute": lambda array, arg: array.transpose(arg),
    "expand": lambda array, arg: np.broadcast_to(array, arg),
    "pad": lambda array, arg: np.pad(array, arg) if arg else array,
    "shrink": lambda array, arg: array[tuple(slice(low, high) for low, high in arg)],
    "stride": lambda array, arg: array[tuple(slice(None, None, step) for step in arg)],
    "flip": lambda array, arg: np.flip(array, arg),
}


@st.composite
def factors(draw: st.DrawFn, size: int) -> list[int]:
    """Sizes whose product is `size`, ones among them."""
    sizes = []
    while size > 1:
        factor = draw(st.sampled_from([d for d in range(2, size + 1) if size % d == 0]))
        sizes.append(factor)
        size //= factor
    for _ in range(draw(st.integers(0, 2))):
        sizes.insert(draw(st.integers(0, len(sizes))), 1)
    return sizes


@st.composite
def reshapes(draw: st.DrawFn, shape: tuple[int, ...]) -> tuple[int, ...]:
    """A new shape: of two axes joined, of one axis split, or any of the same size."""
    kind = draw(st.sampled_from(["join", "split", "any"]))
    if kind == "join" and len(shape) > 1:
        axis = draw(st.integers(0, len(shape) - 2))
        return (*shape[:axis], shape[axis] * shape[axis + 1], *shape[axis + 2 :])
    if kind == "split" and shape:
        axis = draw(st.integers(0, len(shape) - 1))
        return (*shape[:axis], *draw(factors(shape[axis])), *shape[axis + 1 :])
    return tuple(draw(factors(math.prod(shape))))


@st.composite
def shrinks(draw: st.DrawFn, shape: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    ranges = []
    for size in shape:
        low = draw(st.integers(0, size - 1))
        ranges.append((low, draw(st.integers(low + 1, size))) if draw(st.booleans()) else (0, size))
    return tuple(ranges)


def arguments(op: str, shape: tuple[int, ...]) -> st.SearchStrategy[Any]:
    pad = st.integers(0, 2)
    match op:
        case "reshape":
            return reshapes(shape)
        case "permute":
            return st.permutations(range(len(shape))).map(tuple)
        case "expand":
            return st.tuples(*[st.sampled_from([1, 2, 3]) if size == 1 else st.just(size) for size in shape])
        case "pad":
            return st.tuples(*[st.one_of(st.just((0, 0)), st.tuples(pad, pad)) for _ in shape])
        case "shrink":
            return shrinks(shape)
        case "stride":
            return st.tuples(*[st.sampled_from([1, 1, 2, -1, -2, 3]) for _ in shape])
        case _:
            return st.sets(st.sampled_from(range(len(shape)))).map(tuple) if shape else st.just(())


@st.composite
def chains(draw: st.DrawFn, length: int = 7) -> Moved:
    """A tracker made by up to `length` ops, and what it stands for."""
    sizes = st.sampled_from([1, 2, 2, 3, 4, 4, 5, 6, 8])
    moved = plain(tuple(draw(st.lists(sizes, min_size=1, max_size=4).filter(lambda s: math.prod(s) <= LARGEST))))
    for _ in range(draw(st.integers(1, length))):
        # reshapes are what makes views stack
        op = draw(st.sampled_from(["reshape", "reshape", "reshape", "permute", "permute", *ON_ARRAYS]))
        arg = draw(arguments(op, moved.tracker.shape))
        if op in ("expand", "pad") and moved.array.size > LARGEST:
            continue
        moved = apply(moved, op, arg)
    return moved
