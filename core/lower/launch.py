"""Launch dimensions: which axes become dimensions of the launch, within the limits of a backend."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from core.dtype import dtypes
from core.errors import RenderError
from core.ir.ops import Ops
from core.ir.uop import UOp, sint, sint_prod
from core.lower.target import LoweringTarget

if TYPE_CHECKING:
    from core.lower.index import Axes

__all__ = ["launch_indices"]

DIMENSIONS: Final = 3
MAX_FACTOR: Final = 1 << 12  # that is looked for


def launch_indices(axes: Axes, target: LoweringTarget) -> tuple[UOp, ...]:
    """The indices of the axes that the launch runs over: none on a backend without local memory."""
    if not target.has_local:
        return ()
    local_end = axes.first_reduce + axes.grouped
    global_dims = axes.first_reduce - axes.info.local_dims
    if axes.info.dont_use_locals:
        return _grouped_indices("idx", axes.full_shape[:global_dims], target.global_max, reverse=True)

    return (
        *_grouped_indices("gidx", axes.full_shape[:global_dims], target.global_max, reverse=True),
        *_grouped_indices("lidx", axes.full_shape[global_dims:local_end], target.local_max),
    )


def _grouped_indices(
    prefix: str, shape: tuple[sint, ...], limits: tuple[int, ...] | None, reverse: bool = False
) -> tuple[UOp, ...]:
    """An index for each axis of `shape`, from at most three launch dimensions.

    Adjacent axes share a dimension where there are more than three, as long as it stays within its limit. `reverse`
    puts the last axis into the first dimension, the one that runs fastest.
    """
    if reverse:
        return _grouped_indices(prefix, shape[::-1], limits)[::-1]

    groups = [[axis] for axis in range(len(shape))]
    while len(groups) > DIMENSIONS:
        merged = _merged(shape, groups, limits)
        if merged is None:
            raise RenderError(prefix, f"a launch over {shape}", f"it does not fit {DIMENSIONS} dimensions of {limits}")
        groups = merged

    indices: list[UOp] = []
    dimension, spare = 0, DIMENSIONS - len(groups)
    for group in groups:
        parts = _split(prefix, _size(shape, group), limits, dimension, spare)
        indices.extend(_unravel(_flat_index(prefix, dimension, parts), shape, group))
        dimension, spare = dimension + len(parts), spare - len(parts) + 1
    return tuple(indices)


def _flat_index(prefix: str, first: int, parts: list[sint]) -> UOp:
    """The index over consecutive launch dimensions of these sizes from the `first` on, which runs fastest."""
    index, inner = UOp(Ops.SPECIAL, dtypes.int, (), (f"{prefix}{first}", parts[0])), parts[0]
    for dimension, part in enumerate(parts[1:], first + 1):
        index = index + UOp(Ops.SPECIAL, dtypes.int, (), (f"{prefix}{dimension}", part)) * inner
        inner = inner * part
    return index


def _split(prefix: str, size: sint, limits: tuple[int, ...] | None, dimension: int, spare: int) -> list[sint]:
    """The sizes of the dimensions, up to `spare` more than one, over which a group too large for its own is spread.

    They multiply to exactly `size`, so that no thread is without work. Raises RenderError for a size with no such
    factors.
    """
    if limits is None or not isinstance(size, int) or size <= limits[dimension]:
        return [size]
    least = -(-size // limits[dimension])
    factor = next((factor for factor in range(least, MAX_FACTOR) if size % factor == 0), None) if spare else None
    if factor is None:
        raise RenderError(prefix, f"a launch of {size}", f"it does not fit the {DIMENSIONS} dimensions of {limits}")
    return [size // factor, *_split(prefix, factor, limits, dimension + 1, spare - 1)]


def _size(shape: tuple[sint, ...], group: list[int]) -> sint:
    return sint_prod([shape[axis] for axis in group])


def _within(size: sint, limit: int | None) -> bool:
    return limit is None or (size if isinstance(size, int) else size.vmax) <= limit


def _merged(shape: tuple[sint, ...], groups: list[list[int]], limits: tuple[int, ...] | None) -> list[list[int]] | None:
    """The groups with the first two neighbours joined whose product stays within the limit; None where none does."""
    for i in range(len(groups) - 1):
        joined = groups[i] + groups[i + 1]
        if _within(_size(shape, joined), limits[min(i, DIMENSIONS - 1)] if limits else None):
            return [*groups[:i], joined, *groups[i + 2 :]]
    return None


def _unravel(flat: UOp, shape: tuple[sint, ...], group: list[int]) -> list[UOp]:
    """The index of each axis of `group`, the first one running fastest, from the index of their product."""
    indices: list[UOp] = []
    for position, axis in enumerate(group):
        inner = _size(shape, group[:position])
        index = flat if isinstance(inner, int) and inner == 1 else flat // inner
        indices.append(index if position == len(group) - 1 else index % shape[axis])
    return indices
