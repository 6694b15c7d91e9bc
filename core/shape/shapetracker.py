"""`ShapeTracker`: a stack of views, each indexing into the one before it, the first into the buffer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, Final, cast
from weakref import WeakValueDictionary

from core.dtype import dtypes
from core.ir.ops import Ops
from core.ir.uop import UOp, sint
from core.shape.indexed import default_indices, indexed_uops
from core.shape.invert import invert_views
from core.shape.merge import merge_views
from core.shape.reshape import reshape_view
from core.shape.sizes import MEMO_SIZE, Mask, Shape, ShapeError, tuple_text
from core.shape.strides import masked_axes, real_size, real_strides
from core.shape.view import View, flip_steps

__all__ = ["MAX_VIEWS", "ShapeTracker"]

# no kernel that is known has more than five; what is asked of a stack recurses through it
MAX_VIEWS: Final = 64


class ShapeTracker:
    """The views from the buffer (first) to the kernel's axes (last). Interned: compared with `is`."""

    __slots__ = ("__weakref__", "shape", "static", "views")

    views: tuple[View, ...]
    shape: Shape
    static: bool  # no view is symbolic

    def __new__(cls, views: tuple[View, ...]) -> ShapeTracker:
        found = _trackers.get(views)
        if found is not None:
            return found

        if not 1 <= len(views) <= MAX_VIEWS:
            raise ShapeError(f"a ShapeTracker has 1 to {MAX_VIEWS} views, not {len(views)}")
        tracker = object.__new__(cls)
        tracker.views, tracker.shape = views, views[-1].shape
        tracker.static = all(view.static for view in views)
        _trackers[views] = tracker
        return tracker

    @staticmethod
    def from_shape(shape: Shape) -> ShapeTracker:
        """A plain row-major array of `shape`."""
        return ShapeTracker((View.create(shape),))

    def __repr__(self) -> str:
        return f"ShapeTracker(views={tuple_text(self.views)})"

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a ShapeTracker is stored as portable rows (core.ir.rows), never pickled")

    @property
    def size(self) -> sint:
        """The number of its elements, masked ones included."""
        return self.views[-1].size

    @property
    def contiguous(self) -> bool:
        """Whether it is the plain row-major array of its shape."""
        return len(self.views) == 1 and self.views[0].contiguous

    def to_uop(self) -> UOp:
        return UOp(Ops.VIEW, dtypes.void, (), self)

    def variables(self) -> list[UOp]:
        """The kernel's variables in any of its views, sorted by name."""
        found = {variable: None for view in self.views for variable in view.variables()}
        return sorted(found, key=lambda variable: cast(tuple[str, int, int], variable.arg))

    def reduce(self, axes: tuple[int, ...]) -> Shape:
        """The shape after a reduce of `axes`: 1 along them."""
        return tuple([1 if axis in axes else size for axis, size in enumerate(self.shape)])

    # ---- movement ops -------------------------------------------------------------------------------------------

    def reshape(self, shape: Shape) -> ShapeTracker:
        """The same elements in row-major order as `shape`; adds a view where the last one cannot say so."""
        return self if shape == self.shape else _reshape(self, shape)

    def permute(self, axes: tuple[int, ...]) -> ShapeTracker:
        """Axis `k` of the result is axis `axes[k]`."""
        return self._with_last(self.views[-1].permute(axes))

    def expand(self, shape: Shape) -> ShapeTracker:
        """Repeats axes of size 1 to the sizes in `shape`."""
        return self._with_last(self.views[-1].expand(shape))

    def pad(self, amounts: Mask) -> ShapeTracker:
        """Adds `amounts[axis] = (before, after)` zeros to each axis."""
        return self._with_last(self.views[-1].pad(amounts))

    def shrink(self, ranges: Mask) -> ShapeTracker:
        """Keeps elements `low <= i < high` of each axis, `ranges[axis] = (low, high)`."""
        return self._with_last(self.views[-1].shrink(ranges))

    def stride(self, steps: tuple[int, ...]) -> ShapeTracker:
        """Every `abs(steps[axis])`-th element of each axis, backwards from its end where the step is negative."""
        return self._with_last(self.views[-1].stride(steps))

    def flip(self, axes: Iterable[int]) -> ShapeTracker:
        """The elements of `axes` in reverse order."""
        return self.stride(flip_steps(self.shape, axes))

    def _with_last(self, view: View) -> ShapeTracker:
        return ShapeTracker((*self.views[:-1], view))

    def __add__(self, upper: ShapeTracker) -> ShapeTracker:
        """`upper`, of which the elements are those of this one, simplified."""
        result = self
        for view in upper.views:
            result = ShapeTracker((*result.views, view)).simplify()
        return result

    def simplify(self) -> ShapeTracker:
        """The same with its last views merged as far as one view can say what two do."""
        return self if len(self.views) == 1 else _simplify(self)

    # ---- asking -------------------------------------------------------------------------------------------------

    def real_strides(self, ignore_valid: bool = False) -> tuple[sint | None, ...]:
        """By how much the position in the buffer grows along each axis; None where that is not one number.

        An axis that a mask depends on has none either, unless `ignore_valid`.
        """
        return real_strides(self, ignore_valid)

    def unit_stride_axes(self, ignore_valid: bool = False) -> list[int]:
        """The axes along which neighbours are neighbours in the buffer."""
        return [axis for axis, stride in enumerate(real_strides(self, ignore_valid)) if stride == 1]

    def axis_is_masked(self, axis: int) -> bool:
        """Whether it depends on the index along `axis` if an element is masked."""
        return axis in masked_axes(self)

    def real_size(self) -> int:
        """The number of elements that the buffer needs: one more than the greatest position that is reached."""
        return real_size(self)

    def to_indexed_uops(self, idxs: Sequence[UOp] | None = None) -> tuple[UOp, UOp]:
        """The position in the buffer as an expression of the indices `idxs`, and whether an element is there.

        The position means something only where the second is true. It is an int, or a long where any part of it could
        leave int. Without `idxs`, axis `k` is the RANGE number `k`.
        """
        return indexed_uops(self, default_indices(self.shape) if idxs is None else tuple(idxs))

    def invert(self, shape: Shape) -> ShapeTracker | None:
        """The tracker that puts the elements back: `self + self.invert(shape)` is the plain array of `shape`.

        None where this one repeats an element or leaves one out.
        """
        return invert_views(self.views, shape)


_trackers: WeakValueDictionary[tuple[View, ...], ShapeTracker] = WeakValueDictionary()


@lru_cache(MEMO_SIZE)
def _reshape(tracker: ShapeTracker, shape: Shape) -> ShapeTracker:
    last = reshape_view(tracker.views[-1], shape)
    views = (*tracker.views, View.create(shape)) if last is None else (*tracker.views[:-1], last)
    return ShapeTracker(views)


@lru_cache(MEMO_SIZE)
def _simplify(tracker: ShapeTracker) -> ShapeTracker:
    views = tracker.views
    while len(views) > 1 and (merged := merge_views(views[-2], views[-1])) is not None:
        views = (*views[:-2], merged)
    return ShapeTracker(views)
