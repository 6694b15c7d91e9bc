"""Movement ops as data: applied to shapes and trackers, chained, lifted to more axes, and made of an index."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from core.builder.error import BuildError
from core.ir.uop import UOp, sint
from core.shape import ShapeError, ShapeTracker
from core.shape.view import Shape, same, tuple_text

__all__ = [
    "Move",
    "broadcast_shape",
    "chain",
    "index_moves",
    "is_one",
    "lifted",
    "moved",
    "moved_shape",
    "prepended",
    "shape_text",
]

Index: TypeAlias = "int | UOp | slice | None"


class Move(NamedTuple):
    """One movement op: a method of ShapeTracker and its argument."""

    kind: Literal["reshape", "permute", "expand", "pad", "shrink", "stride"]
    arg: tuple[Any, ...]


_APPLY: Final[dict[str, Callable[[ShapeTracker, tuple[Any, ...]], ShapeTracker]]] = {
    "reshape": ShapeTracker.reshape,
    "permute": ShapeTracker.permute,
    "expand": ShapeTracker.expand,
    "pad": ShapeTracker.pad,
    "shrink": ShapeTracker.shrink,
    "stride": ShapeTracker.stride,
}


def moved(tracker: ShapeTracker, moves: Iterable[Move]) -> ShapeTracker:
    """`tracker` after `moves`. Raises BuildError where one does not fit."""
    try:
        for move in moves:
            tracker = _APPLY[move.kind](tracker, move.arg)
    except ShapeError as error:
        raise BuildError(str(error)) from None
    return tracker


def moved_shape(shape: Shape, move: Move) -> Shape:
    """The shape that `move` makes of `shape`."""
    return moved(ShapeTracker.from_shape(shape), (move,)).shape


def changes_nothing(shape: Shape, move: Move) -> bool:
    """Whether `move` leaves an array of `shape` as it is."""
    if move.kind == "permute":
        return move.arg == tuple(range(len(shape)))
    if move.kind == "pad":
        return all(amounts == (0, 0) for amounts in move.arg)
    if move.kind == "stride":
        return all(step == 1 for step in move.arg)
    return move.arg == (tuple([(0, size) for size in shape]) if move.kind == "shrink" else shape)


def chain(shape: Shape, moves: Iterable[Move]) -> tuple[Move, ...]:
    """`moves` of an array of `shape`, without those that change nothing and with neighbours that one can say joined."""
    steps: list[tuple[Shape, Move]] = []
    for move in moves:
        steps.append((shape, move))
        shape = moved_shape(shape, move)
    result: tuple[Move, ...] = ()
    for before, move in reversed(steps):
        result = prepended(before, move, result)
    return result


def prepended(shape: Shape, move: Move, moves: tuple[Move, ...]) -> tuple[Move, ...]:
    """`move` of an array of `shape`, then `moves`, which `chain` has made."""
    while not changes_nothing(shape, move):
        both = _joined(move, moves[0]) if moves else None
        if both is None:
            return (move, *moves)
        move, moves = both, moves[1:]
    return moves


def _joined(first: Move, second: Move) -> Move | None:
    """The one move that says both, or None."""
    if first.kind != second.kind:
        return None
    if first.kind == "reshape":
        return second
    if first.kind == "permute":
        return Move("permute", tuple([first.arg[axis] for axis in second.arg]))
    if first.kind == "stride" and all(abs(step) == 1 for step in first.arg):
        return Move("stride", tuple([a * b for a, b in zip(first.arg, second.arg, strict=True)]))
    return None


def lifted(move: Move, sizes: Shape) -> Move:
    """`move` for an array with more axes, of `sizes`, at its end, which stay as they are."""
    if move.kind == "permute":
        rank = len(move.arg)
        return Move("permute", (*move.arg, *range(rank, rank + len(sizes))))
    if move.kind == "pad":
        return Move("pad", (*move.arg, *[(0, 0)] * len(sizes)))
    if move.kind == "shrink":
        return Move("shrink", (*move.arg, *[(0, size) for size in sizes]))
    if move.kind == "stride":
        return Move("stride", (*move.arg, *[1] * len(sizes)))
    return Move(move.kind, (*move.arg, *sizes))


def shape_text(sizes: Iterable[sint]) -> str:
    """A shape for messages, symbolic sizes as they were written."""
    return tuple_text([size.render() if isinstance(size, UOp) else size for size in sizes])


def is_one(size: sint) -> bool:
    return isinstance(size, int) and size == 1


def broadcast_shape(*shapes: Shape) -> Shape:
    """The shape to which all of `shapes` extend, as numpy has it: aligned at the end, an axis of size 1 is repeated."""
    rank = max(len(shape) for shape in shapes)
    result: list[sint] = []
    for sizes in zip(*[(1,) * (rank - len(shape)) + shape for shape in shapes], strict=True):
        others = [size for size in sizes if not is_one(size)]
        if not all(same(size, others[0]) for size in others):
            raise BuildError(f"the shapes {' and '.join(map(shape_text, shapes))} do not fit each other")
        result.append(others[0] if others else 1)
    return tuple(result)


# ---- indices ------------------------------------------------------------------------------------------------------


def index_moves(shape: Shape, key: object) -> list[Move]:
    """The moves that `x[key]` means for an `x` of `shape`: integers, slices with steps, None and one `...`."""
    entries = _entries(shape, key if isinstance(key, tuple) else (key,))
    sizes = iter(shape)
    ranges: list[tuple[sint, sint]] = []
    steps: list[int] = []
    result: list[sint] = []  # the shape after the steps, without the axes of integers and with those of None
    for entry in entries:
        if entry is None:
            result.append(1)
            continue
        size = next(sizes)
        if isinstance(entry, slice):
            low, high, step = _slice_range(entry, size, shape)
            result.append((high - low + (abs(step) - 1)) // abs(step) if abs(step) > 1 else high - low)
        else:
            low, high, step = _index_range(entry, size, shape)
        ranges.append((low, high))
        steps.append(step)
    return [Move("shrink", tuple(ranges)), Move("stride", tuple(steps)), Move("reshape", tuple(result))]


def _entries(shape: Shape, key: tuple[object, ...]) -> list[Index]:
    """`key` with an entry for each axis: `...`, or nothing at the end, stands for whole axes."""
    for entry in key:
        if isinstance(entry, bool) or not (entry is None or entry is ... or isinstance(entry, int | UOp | slice)):
            raise BuildError(f"{entry!r} is no index; integers, slices, None and ... are")
    ellipses = [place for place, entry in enumerate(key) if entry is ...]
    used = sum(entry is not None and entry is not ... for entry in key)
    if len(ellipses) > 1 or used > len(shape):
        raise BuildError(f"{len(key)} indices are too many for the shape {shape_text(shape)}")
    place = ellipses[0] if ellipses else len(key)
    whole: list[Any] = [slice(None)] * (len(shape) - used)
    return [*key[:place], *whole, *key[place + 1 :]]


def _index_range(entry: int | UOp, size: sint, shape: Shape) -> tuple[sint, sint, int]:
    if isinstance(entry, UOp) or isinstance(size, UOp):
        return entry, entry + 1, 1
    if not -size <= entry < size:
        raise BuildError(f"index {entry} is out of range for an axis of {size} in the shape {shape_text(shape)}")
    return entry % size, entry % size + 1, 1


def _slice_range(entry: slice, size: sint, shape: Shape) -> tuple[sint, sint, int]:
    """The range low <= i < high that the slice takes from an axis of `size`, and its step."""
    parts: Sequence[Any] = (entry.start, entry.stop, entry.step)
    if any(part is not None and (isinstance(part, bool) or not isinstance(part, int | UOp)) for part in parts):
        raise BuildError(f"{entry!r} is no slice of integers")
    if any(isinstance(part, UOp) for part in (size, *parts)):
        low: sint = 0 if entry.start is None else entry.start
        high: sint = size if entry.stop is None else entry.stop
        if entry.step not in (None, 1) or any(isinstance(part, int) and part < 0 for part in (low, high)):
            raise BuildError(f"a slice of symbolic size counts from the front and has step 1, unlike {entry!r}")
        return low, high, 1

    assert isinstance(size, int)
    if entry.step == 0:
        raise BuildError("the step of a slice is 0")
    taken = range(*entry.indices(size))
    if not taken:
        raise BuildError(f"{entry!r} takes nothing from an axis of {size} in the shape {shape_text(shape)}")
    return min(taken[0], taken[-1]), max(taken[0], taken[-1]) + 1, taken.step
