"""`Movable`: an expression's node, and the movement ops on it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

from core.builder.error import BuildError
from core.builder.movement import Move, changes_nothing, index_moves, moved_shape, shape_text
from core.dtype import DType
from core.ir.ops import Ops
from core.ir.uop import UOp, sint, sint_prod
from core.shape.view import Shape

__all__ = ["Axes", "Movable", "flat_arguments"]

# one axis, several, or all; negative ones count from the end
Axes: TypeAlias = "int | Sequence[int] | None"


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Movable:
    """A node of an expression, by `op`:

    DEFINE_GLOBAL  a buffer; arg is its name            CONST, DEFINE_VAR  a scalar, of shape ()
    RANGE          1, 2, ..., arg                       VIEW               its source moved; arg is a Move
    REDUCE_AXIS    its source reduced; arg a Reduction  ALU, CAST, BITCAST element by element, sources of one shape
    """

    op: Ops
    dtype: DType
    shape: Shape
    src: tuple[Any, ...] = ()
    arg: Any = None

    def __iter__(self) -> Iterator[Self]:
        if not self.shape or isinstance(self.shape[0], UOp):
            raise BuildError(f"cannot iterate over the shape {shape_text(self.shape)}")
        return iter([self[index] for index in range(self.shape[0])])

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def axes(self, axis: Axes) -> tuple[int, ...]:
        """The axes that `axis` names, ascending, counted from the front; all of them for None."""
        if axis is None:
            return tuple(range(self.ndim))
        given = (axis,) if isinstance(axis, int) else tuple(axis)
        if any(not -self.ndim <= one < self.ndim for one in given):
            raise BuildError(f"axis {shape_text(given)} is out of range for the shape {shape_text(self.shape)}")
        axes = tuple(sorted({one % self.ndim for one in given}))
        if len(axes) != len(given):
            raise BuildError(f"axis {shape_text(given)} names an axis of the shape {shape_text(self.shape)} twice")
        return axes

    def reshape(self, *shape: sint | Sequence[sint]) -> Self:
        """The same elements in row-major order as `shape`, in which one size may be -1: whatever is left."""
        sizes = flat_arguments(shape)
        holes = [axis for axis, size in enumerate(sizes) if isinstance(size, int) and size == -1]
        if len(holes) > 1:
            raise BuildError(f"the shape {shape_text(sizes)} has more than one -1")
        if holes:
            rest = sint_prod([size for axis, size in enumerate(sizes) if axis not in holes])
            sizes = (*sizes[: holes[0]], self._quotient(rest, sizes), *sizes[holes[0] + 1 :])
        return self.move(Move("reshape", sizes))

    def _quotient(self, rest: sint, sizes: Shape) -> sint:
        total = sint_prod(self.shape)
        if not isinstance(rest, int) or rest < 1 or (isinstance(total, int) and total % rest):
            raise BuildError(f"cannot reshape {shape_text(self.shape)} to {shape_text(sizes)}: nothing fits for the -1")
        return total // rest

    def permute(self, *axes: int | Sequence[int]) -> Self:
        """Axis `k` of the result is axis `axes[k]`."""
        order = flat_arguments(axes)
        return self.move(Move("permute", tuple([axis + self.ndim if axis < 0 else axis for axis in order])))

    def transpose(self, first: int = -2, second: int = -1) -> Self:
        """The two axes exchanged; the last two if none are named."""
        (a,), (b,) = self.axes(first), self.axes(second)
        order = list(range(self.ndim))
        order[a], order[b] = b, a
        return self.permute(order)

    @property
    def T(self) -> Self:  # noqa: N802 - numpy's name
        """The axes in reverse order."""
        return self.permute(list(range(self.ndim))[::-1])

    def expand(self, *shape: sint | Sequence[sint]) -> Self:
        """Axes of size 1 repeated to the sizes of `shape`; -1 leaves an axis as it is."""
        sizes = flat_arguments(shape)
        if len(sizes) == self.ndim:
            pairs = zip(self.shape, sizes, strict=True)
            sizes = tuple([old if isinstance(new, int) and new == -1 else new for old, new in pairs])
        return self.move(Move("expand", sizes))

    def pad(self, amounts: Sequence[tuple[sint, sint]]) -> Self:
        """`amounts[axis] = (before, after)` zeros added to each axis."""
        return self.move(Move("pad", tuple([(before, after) for before, after in amounts])))

    def shrink(self, ranges: Sequence[tuple[sint, sint]]) -> Self:
        """Elements `low <= i < high` of each axis, `ranges[axis] = (low, high)`."""
        return self.move(Move("shrink", tuple([(low, high) for low, high in ranges])))

    def flip(self, axis: Axes = None) -> Self:
        """The elements along `axis`, or all axes, in reverse order."""
        axes = self.axes(axis)
        return self.move(Move("stride", tuple([-1 if axis in axes else 1 for axis in range(self.ndim)])))

    def __getitem__(self, key: object) -> Self:
        """numpy's basic indexing: integers, slices with steps, None, `...`. Symbolic integers count from the front."""
        result = self
        for move in index_moves(self.shape, key):
            result = result.move(move)
        return result

    def move(self, move: Move) -> Self:
        """This expression after one movement op."""
        shape = moved_shape(self.shape, move)
        if any(isinstance(size, int) and size == 0 for size in shape):
            raise BuildError(f"{move.kind} leaves nothing of the shape {shape_text(self.shape)}")
        if changes_nothing(self.shape, move):
            return self
        return type(self)(Ops.VIEW, self.dtype, shape, (self,), move)


def flat_arguments(given: tuple[Any, ...]) -> tuple[Any, ...]:
    """`f(2, 3)` and `f((2, 3))` alike as (2, 3)."""
    return tuple(given[0]) if len(given) == 1 and isinstance(given[0], Sequence) else given
