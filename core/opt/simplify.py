"""What every kernel gets before any optimisation: reduce axes last, no axes of size 1, neighbouring axes merged.

`sts` is one ShapeTracker a buffer and two a reduce; all have the same number of axes, each of size 1 or n.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from operator import mul
from typing import TypeAlias

from core.ir.uop import UOp, all_int, resolve, sint, sint_prod
from core.shape import ShapeTracker, View

__all__ = [
    "contraction",
    "differ",
    "divides",
    "first_difference",
    "map_trackers",
    "mergeable_axes",
    "simplify_merge_adjacent",
]

Strides: TypeAlias = "Sequence[sint | None]"


def differ(a: sint, b: sint) -> bool:
    """Whether two sizes differ; symbolic ones do unless they are equal for all values of the variables."""
    if a.__class__ is int and b.__class__ is int:
        return a != b
    if a is b:
        return False
    return resolve(a.ne(b) if isinstance(a, UOp) else b.ne(a) if isinstance(b, UOp) else a != b)


def divides(amount: int, size: sint) -> bool:
    """Whether `size` is a multiple of `amount`; a symbolic size is taken not to be."""
    return isinstance(size, int) and size % amount == 0


def first_difference(output: Sequence[sint], full: Sequence[sint], stop: int) -> int:
    """The first axis before `stop` that is reduced, that is, whose size in `output` is not that in `full`."""
    for axis in range(stop):
        if differ(output[axis], full[axis]):
            return axis
    return stop


def map_trackers(sts: Sequence[ShapeTracker], move: Callable[[ShapeTracker], ShapeTracker]) -> list[ShapeTracker]:
    """`move` of each; buffers that are read alike share a ShapeTracker, which is moved once."""
    moved: dict[ShapeTracker, ShapeTracker] = {}
    result = []
    for st in sts:
        after = moved.get(st)
        if after is None:
            after = moved[st] = move(st)
        result.append(after)
    return result


def simplify_merge_adjacent(
    sts: list[ShapeTracker], first_reduce: int, image_shape: tuple[int, ...] | None
) -> list[ShapeTracker]:
    """Merge each axis with the one before it where every buffer walks the two as if they were one.

    An axis never merges across `first_reduce`. `image_shape` is that of the image stored to, if any: axes of different
    image dimensions stay apart.
    """
    shape = sts[0].shape
    if not shape:
        return sts

    walks: list[tuple[Sequence[sint], Strides]] = [(st.shape, _walk_strides(st)) for st in dict.fromkeys(sts)]
    if image_shape is not None and (fake := image_strides(shape, image_shape)) is not None:
        walks.append((shape, fake))

    groups = [[0]]
    for axis in range(1, len(shape)):
        if axis != first_reduce and all(mergeable_axes(sizes, strides, axis) for sizes, strides in walks):
            groups[-1].append(axis)
        else:
            groups.append([axis])
    if len(groups) == len(shape):
        return sts
    return map_trackers(
        sts, lambda st: st.reshape(tuple([sint_prod([st.shape[i] for i in group]) for group in groups]))
    )


def _walk_strides(st: ShapeTracker) -> Strides:
    """The strides that count for merging.

    tinygrad 0.10.1 takes the masked ranges of a view one at a time. Over a view without a mask it knows no stride where
    it takes two of them to see that no axis carries into another. Merging there all the same would be right, but then
    other axes would be split than it splits.
    """
    strides = st.real_strides()
    if len(st.views) == 2 and st.views[0].mask is None and _needs_two_ranges(st.views[1]):
        return [0 if stride == 0 else None for stride in strides]
    return strides


def _needs_two_ranges(view: View) -> bool:
    """Whether some axis steps over all that the axes of smaller stride reach, but no masked range alone shows it."""
    strides, sizes, ends = view.strides, view.shape, tuple([end for _, end in view.mask or ()])
    if not ends or not (all_int(strides) and all_int(sizes) and all_int(ends)):
        return False
    # what the axes of smaller stride reach, and how much of it the best single range and all of them take away
    reach = alone = together = 0
    for stride, size, end in sorted(zip(strides, sizes, ends, strict=True)):
        if stride <= 0:
            continue
        if reach - together < stride <= reach - alone:
            return True
        cut = stride * (size - end)
        reach += stride * (size - 1)
        alone, together = max(alone, cut), together + cut
    return False


def mergeable_axes(sizes: Sequence[sint], strides: Strides, axis: int) -> bool:
    """Whether one step along `axis - 1` is as far as all of `axis`. Symbolic distances are taken to differ."""
    before, size, stride = strides[axis - 1], sizes[axis], strides[axis]
    if not isinstance(before, int) or not isinstance(stride, int):
        return False
    return before == 0 if stride == 0 else isinstance(size, int) and before == size * stride


def image_strides(output_shape: Sequence[sint], image_shape: tuple[int, ...]) -> list[sint] | None:
    """Strides of `output_shape`, row-major within each image dimension; None if its axes do not make those up."""
    groups = contraction(output_shape, image_shape)
    if groups is None:
        return None
    strides: list[sint] = []
    for group in groups:
        sizes = [output_shape[axis] for axis in group]
        steps = [*accumulate(reversed(sizes[1:]), mul, initial=1)][::-1] if sizes else []
        strides.extend([0 if size == 1 else step for size, step in zip(sizes, steps, strict=True)])
    return strides


def contraction(old: Sequence[sint], new: Sequence[sint]) -> list[list[int]] | None:
    """The axes of `old` that make up each axis of `new`, in order; None if an axis of `old` would have to be split."""
    products = list(accumulate(old, mul))
    ends = []
    for product in accumulate(new, mul):
        if product != 1 and product not in products:
            return None
        ends.append(0 if product == 1 else products.index(product) + 1)
    starts = [0, *ends[:-1]]
    stops = [*ends[:-1], len(old)]
    return [list(range(start, stop)) for start, stop in zip(starts, stops, strict=True)]
