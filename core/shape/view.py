"""`View`: a strided, possibly masked window onto a flat run of elements, and the movement ops on it.

Element `(i0, i1, ...)` of a view is element `offset + i0 * strides[0] + i1 * strides[1] + ...` of what lies below it,
where every `mask[axis] = (low, high)` has `low <= i < high`; elsewhere it is 0. Views are interned: equal fields give
the same object, so they are compared with `is` and hashed by identity. Entries are ints or, where a kernel has
variables, symbolic integers (`sint`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, cast
from weakref import WeakValueDictionary

from core.ir.uop import UOp, sint, sint_prod, smax, smin, ssimplify
from core.shape.sizes import (
    MEMO_SIZE,
    Mask,
    Shape,
    ShapeError,
    can_be_at_most,
    check_sizes,
    is_static,
    ranges_text,
    row_major,
    same,
    simplified,
    tuple_text,
)

__all__ = ["Mask", "Shape", "ShapeError", "View", "flip_steps", "row_major", "same", "tuple_text"]


class View:
    """One window: `shape`, `strides`, `offset`, `mask` and whether it is the plain row-major one (`contiguous`).

    `View(...)` takes exactly these fields; `View.create` brings them into the form in which equal windows are equal.
    Raises ShapeError for fields that contradict each other.
    """

    __slots__ = ("__weakref__", "contiguous", "mask", "offset", "shape", "static", "strides")

    shape: Shape
    strides: Shape
    offset: sint
    mask: Mask | None
    contiguous: bool
    static: bool  # no entry is symbolic

    def __new__(cls, shape: Shape, strides: Shape, offset: sint, mask: Mask | None, contiguous: bool) -> View:
        found = _views.get((shape, strides, offset, mask, contiguous))
        if found is not None:
            return found

        static = is_static(shape, strides, offset, mask)
        _check_fields(shape, strides, offset, mask, contiguous and static)
        return _intern(shape, strides, offset, mask, contiguous, static)

    @staticmethod
    def create(shape: Shape, strides: Shape | None = None, offset: sint = 0, mask: Mask | None = None) -> View:
        """The canonical view of these fields; without strides, row-major ones.

        An axis along which one element at most is reached has stride 0, a mask that hides nothing is None, one that
        hides everything is empty on each axis.
        """
        return _create(shape, strides, offset, mask)

    def canonical(self) -> View:
        """The view in the form that `create` gives; every view made by a movement op is in it already."""
        return _create(self.shape, self.strides, self.offset, self.mask)

    def __repr__(self) -> str:
        fields = f"shape={tuple_text(self.shape)},strides={tuple_text(self.strides)},offset={self.offset}"
        mask = None if self.mask is None else ranges_text(self.mask)
        return f"View({fields},mask={mask},contiguous={self.contiguous})"

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a View is stored as portable rows (core.ir.rows), never pickled")

    # ---- asking ---------------------------------------------------------------------------------------------------

    @property
    def size(self) -> sint:
        """The number of its elements, masked ones included."""
        return ssimplify(sint_prod(self.shape))

    @property
    def empty(self) -> bool:
        """Whether its mask hides everything."""
        return self.mask is not None and _hides_all(self.mask)

    def variables(self) -> list[UOp]:
        """The kernel's variables in any of its entries, sorted by name."""
        if self.static:
            return []
        entries = [*self.shape, *self.strides, self.offset, *(bound for part in self.mask or () for bound in part)]
        found = {variable: None for entry in entries if isinstance(entry, UOp) for variable in entry.variables()}
        return sorted(found, key=lambda variable: cast(tuple[str, int, int], variable.arg))

    # ---- movement ops ---------------------------------------------------------------------------------------------

    def permute(self, axes: tuple[int, ...]) -> View:
        """Axis `k` of the result is axis `axes[k]` of this view."""
        if sorted(axes) != [*range(len(self.shape))]:
            raise ShapeError(f"cannot permute {len(self.shape)} axes by {tuple_text(axes)}: not each axis once")
        mask = self.mask
        return _create(
            tuple([self.shape[axis] for axis in axes]),
            tuple([self.strides[axis] for axis in axes]),
            self.offset,
            None if mask is None else tuple([mask[axis] for axis in axes]),
        )

    def expand(self, shape: Shape) -> View:
        """Repeats axes of size 1 to the sizes in `shape`."""
        _check_expand(self.shape, shape)
        mask = self.mask
        if mask is not None:
            axes = zip(self.shape, shape, mask, strict=True)
            mask = tuple([(0, new) if old == 1 and part == (0, 1) else part for old, new, part in axes])
        return _create(shape, self.strides, self.offset, mask)

    def shrink(self, ranges: Mask) -> View:
        """Keeps elements `low <= i < high` of each axis, `ranges[axis] = (low, high)`."""
        _check_rank("shrink", self.shape, ranges)
        for size, (low, high) in zip(self.shape, ranges, strict=True):
            if not (can_be_at_most(0, low) and can_be_at_most(low, high) and can_be_at_most(high, size)):
                raise ShapeError(f"cannot shrink {tuple_text(self.shape)} to {ranges_text(ranges)}: out of range")
        return self._window(ranges, None)

    def pad(self, amounts: Mask) -> View:
        """Adds `amounts[axis] = (before, after)` masked elements to each axis."""
        _check_rank("pad", self.shape, amounts)
        if any(not can_be_at_most(0, amount) for part in amounts for amount in part):
            raise ShapeError(f"cannot pad {tuple_text(self.shape)} by {ranges_text(amounts)}: an amount is negative")
        if all(part == (0, 0) for part in amounts):
            return self
        axes = list(zip(self.shape, amounts, strict=True))
        window = tuple([(-before, size + after) for size, (before, after) in axes])
        return self._window(window, tuple([(before, size + before) for size, (before, _) in axes]))

    def stride(self, steps: tuple[int, ...]) -> View:
        """Every `abs(steps[axis])`-th element of each axis, backwards from its end where the step is negative."""
        _check_rank("step through", self.shape, steps)
        if 0 in steps:
            raise ShapeError(f"cannot step through {tuple_text(self.shape)} by {tuple_text(steps)}: a step is 0")
        offset = self.offset
        for size, stride, step in zip(self.shape, self.strides, steps, strict=True):
            if step < 0:
                offset = offset + (size - 1) * stride
        mask = self.mask
        return _create(
            tuple([_ceildiv(size, abs(step)) for size, step in zip(self.shape, steps, strict=True)]),
            tuple([stride * step for stride, step in zip(self.strides, steps, strict=True)]),
            offset,
            mask and tuple([_step_range(*axis) for axis in zip(self.shape, mask, steps, strict=True)]),
        )

    def flip(self, axes: Iterable[int]) -> View:
        """The elements of `axes` in reverse order."""
        return self.stride(flip_steps(self.shape, axes))

    def reshape(self, shape: Shape) -> View | None:
        """The same elements in row-major order as `shape`, or None where one view cannot say so."""
        from core.shape.reshape import reshape_view

        return reshape_view(self, shape)

    def _window(self, ranges: Mask, valid: Mask | None) -> View:
        """Elements `low <= i < high` of each axis, beyond either end too; `valid` limits what may be seen of it."""
        shape = tuple([high - low for low, high in ranges])
        offset = self.offset
        for stride, (low, _) in zip(self.strides, ranges, strict=True):
            offset = offset + low * stride
        if self.mask is not None:
            axes = zip(self.mask, ranges, shape, strict=True)
            moved = tuple([(_clamp(a - low, size), _clamp(b - low, size)) for (a, b), (low, _), size in axes])
            valid = moved if valid is None else _intersection(moved, valid)
        return _create(shape, self.strides, offset, valid)


_views: WeakValueDictionary[tuple[object, ...], View] = WeakValueDictionary()


def _intern(shape: Shape, strides: Shape, offset: sint, mask: Mask | None, contiguous: bool, static: bool) -> View:
    key = (shape, strides, offset, mask, contiguous)
    view = _views.get(key)
    if view is None:
        view = _views[key] = object.__new__(View)
        view.shape, view.strides, view.offset, view.mask, view.contiguous = key
        view.static = static
    return view


@lru_cache(MEMO_SIZE)
def _create(shape: Shape, strides: Shape | None, offset: sint, mask: Mask | None) -> View:
    static = is_static(shape, strides or (), offset, mask)
    if not static:
        shape, offset = simplified(shape), ssimplify(offset)
        strides = None if strides is None else simplified(strides)
        mask = None if mask is None else tuple([(ssimplify(low), ssimplify(high)) for low, high in mask])
    check_sizes(shape)
    if 0 in shape:
        return _intern(shape, (0,) * len(shape), 0, None, True, static)

    if strides is None:
        strides = row_major(shape)
    else:
        _check_rank("give strides to", shape, strides)
        if 1 in shape:
            strides = tuple([0 if size == 1 else stride for size, stride in zip(shape, strides, strict=True)])
    if mask is not None:
        _check_rank("mask", shape, mask)
        strides, offset, mask = _fold_mask(shape, strides, offset, mask)
    contiguous = mask is None and offset == 0 and strides == row_major(shape)
    return _intern(shape, strides, offset, mask, contiguous, static)


def _fold_mask(shape: Shape, strides: Shape, offset: sint, mask: Mask) -> tuple[Shape, sint, Mask | None]:
    """Drops a mask that hides nothing; moves the stride of an axis whose mask leaves one element into the offset."""
    if all(low == 0 and same(high, size) for (low, high), size in zip(mask, shape, strict=True)):
        return strides, offset, None
    if _hides_all(mask):
        return (0,) * len(strides), 0, ((0, 0),) * len(strides)
    kept = list(strides)
    for axis, (low, high) in enumerate(mask):
        if same(high - low, 1):
            offset = offset + low * kept[axis]
            kept[axis] = 0
    return tuple(kept), ssimplify(offset), mask


def _hides_all(mask: Mask) -> bool:
    return any(not can_be_at_most(low + 1, high) for low, high in mask)


def flip_steps(shape: Shape, axes: Iterable[int]) -> tuple[int, ...]:
    """The steps that `View.stride` needs to reverse `axes`."""
    chosen = set(axes)
    if not chosen <= set(range(len(shape))):
        raise ShapeError(f"cannot flip axes {tuple_text(sorted(chosen))} of {tuple_text(shape)}: no such axis")
    return tuple([-1 if axis in chosen else 1 for axis in range(len(shape))])


def _check_fields(shape: Shape, strides: Shape, offset: sint, mask: Mask | None, contiguous: bool) -> None:
    if len(strides) != len(shape) or (mask is not None and len(mask) != len(shape)):
        raise ShapeError(f"a view of {tuple_text(shape)} needs a stride and, if masked, a range for each axis")
    if contiguous and (offset != 0 or mask is not None):
        raise ShapeError(f"a contiguous view of {tuple_text(shape)} has no offset and no mask")
    if contiguous and 0 not in shape and strides != row_major(shape):
        raise ShapeError(f"a contiguous view of {tuple_text(shape)} has no strides {tuple_text(strides)}")


def _check_rank(what: str, shape: Shape, given: Sequence[object]) -> None:
    if len(given) != len(shape):
        raise ShapeError(f"cannot {what} {tuple_text(shape)}: {len(given)} entries given for {len(shape)} axes")


def _check_expand(old: Shape, new: Shape) -> None:
    _check_rank("expand", old, new)
    for before, after in zip(old, new, strict=True):
        if not same(before, after) and not (before == 1 and can_be_at_most(0, after)):
            reason = "only an axis of size 1 can grow"
            raise ShapeError(f"cannot expand {tuple_text(old)} to {tuple_text(new)}: {reason}")


def _ceildiv(value: sint, divisor: int) -> sint:
    return value if divisor == 1 else (value + (divisor - 1)) // divisor


def _clamp(value: sint, size: sint) -> sint:
    return smax(0, smin(value, size))


def _intersection(first: Mask, second: Mask) -> Mask:
    return tuple([(smax(a, c), smin(b, d)) for (a, b), (c, d) in zip(first, second, strict=True)])


def _step_range(size: sint, part: tuple[sint, sint], step: int) -> tuple[sint, sint]:
    low, high = part
    if step < 0:
        low, high = size - high, size - low
    return _ceildiv(low, abs(step)), _ceildiv(high, abs(step))
