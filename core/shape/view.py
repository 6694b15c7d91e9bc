"""`View`: a strided, possibly masked window onto a flat run of elements, and the movement ops on it.

Element `(i0, i1, ...)` of a view is element `offset + i0 * strides[0] + i1 * strides[1] + ...` of what lies below it,
where every `mask[axis] = (low, high)` has `low <= i < high`; elsewhere it is 0. Views are interned: equal fields give
the same object, so they are compared with `is` and hashed by identity. Entries are ints or, where a kernel has
variables, symbolic integers (`sint`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, Final, TypeAlias
from weakref import WeakValueDictionary

from core.errors import CompileError
from core.ir.uop import UOp, resolve, sint, sint_prod, smax, smin, ssimplify

__all__ = ["MEMO_SIZE", "Mask", "Shape", "ShapeError", "View", "row_major", "same", "tuple_text"]

Shape: TypeAlias = "tuple[sint, ...]"
Mask: TypeAlias = "tuple[tuple[sint, sint], ...]"

# Bounds what the memos of this package keep alive; a large kernel asks for some thousands of views.
MEMO_SIZE: Final = 1 << 14


class ShapeError(CompileError, ValueError):
    """A movement op does not fit the shape it is applied to, or a view's fields do not fit each other."""


class View:
    """One window: `shape`, `strides`, `offset`, `mask` and whether it is the plain row-major one (`contiguous`).

    `View(...)` takes exactly these fields; `View.create` brings them into the form in which equal windows are equal.
    """

    __slots__ = ("__weakref__", "contiguous", "mask", "offset", "shape", "static", "strides")

    shape: Shape
    strides: Shape
    offset: sint
    mask: Mask | None
    contiguous: bool
    static: bool  # no entry is symbolic

    def __new__(cls, shape: Shape, strides: Shape, offset: sint, mask: Mask | None, contiguous: bool) -> View:
        key = (shape, strides, offset, mask, contiguous)
        found = _views.get(key)
        if found is not None:
            return found

        view = object.__new__(cls)
        view.shape, view.strides, view.offset, view.mask, view.contiguous = key
        view.static = _is_static(shape, strides, offset, mask)
        _check_fields(view)
        _views[key] = view
        return view

    @staticmethod
    def create(shape: Shape, strides: Shape | None = None, offset: sint = 0, mask: Mask | None = None) -> View:
        """The canonical view of these fields; without strides, row-major ones.

        An axis along which one element at most is reached has stride 0, a mask that hides nothing is None, one that
        hides everything is empty on each axis.
        """
        return _create(shape, strides, offset, mask)

    def __repr__(self) -> str:
        return _text(self.shape, self.strides, self.offset, self.mask, self.contiguous)

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a View is stored as portable rows (core.ir.rows), never pickled")

    @property
    def size(self) -> sint:
        """The number of its elements, masked ones included."""
        return ssimplify(sint_prod(self.shape))

    @property
    def empty(self) -> bool:
        """Whether its mask hides everything."""
        return self.mask is not None and any(not resolve(low < high) for low, high in self.mask)

    def variables(self) -> list[UOp]:
        """The kernel's variables in any of its entries, sorted by name."""
        if self.static:
            return []
        entries = [*self.shape, *self.strides, self.offset, *(bound for part in self.mask or () for bound in part)]
        found = {variable: None for entry in entries if isinstance(entry, UOp) for variable in entry.variables()}
        return sorted(found, key=lambda variable: variable.arg)

    def permute(self, axes: tuple[int, ...]) -> View:
        """Axis `k` of the result is axis `axes[k]` of this view."""
        if sorted(axes) != list(range(len(self.shape))):
            raise ShapeError(f"cannot permute {len(self.shape)} axes by {tuple_text(axes)}: not each axis once")
        shape = tuple([self.shape[axis] for axis in axes])
        strides = tuple([self.strides[axis] for axis in axes])
        return _create(shape, strides, self.offset, self.mask and tuple([self.mask[axis] for axis in axes]))

    def expand(self, shape: Shape) -> View:
        """Repeats axes of size 1 to the sizes in `shape`."""
        if len(shape) != len(self.shape):
            raise ShapeError(
                f"cannot expand {tuple_text(self.shape)} to {tuple_text(shape)}: the axes differ in number"
            )
        for old, new in zip(self.shape, shape, strict=True):
            if not same(old, new) and not (old == 1 and resolve(_at_least(new, 0), False)):
                raise ShapeError(
                    f"cannot expand {tuple_text(self.shape)} to {tuple_text(shape)}: only an axis of size 1 can grow"
                )
        if self.mask is None:
            return _create(shape, self.strides, self.offset, None)
        axes = zip(self.shape, shape, self.mask, strict=True)
        mask = tuple([(0, new) if old == 1 and part == (0, 1) else part for old, new, part in axes])
        return _create(shape, self.strides, self.offset, mask)

    def shrink(self, ranges: Mask) -> View:
        """Keeps elements `low <= i < high` of each axis, `ranges[axis] = (low, high)`."""
        _check_rank("shrink", self.shape, ranges)
        for size, (low, high) in zip(self.shape, ranges, strict=True):
            if not (resolve(_at_least(low, 0)) and resolve(_at_least(high, low)) and resolve(_at_least(size, high))):
                raise ShapeError(f"cannot shrink {tuple_text(self.shape)} to {_ranges_text(ranges)}: out of range")
        return self._window(ranges, None)

    def pad(self, amounts: Mask) -> View:
        """Adds `amounts[axis] = (before, after)` masked elements to each axis."""
        _check_rank("pad", self.shape, amounts)
        if any(not resolve(_at_least(amount, 0)) for part in amounts for amount in part):
            raise ShapeError(f"cannot pad {tuple_text(self.shape)} by {_ranges_text(amounts)}: an amount is negative")
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
        shape = tuple([_ceildiv(size, abs(step)) for size, step in zip(self.shape, steps, strict=True)])
        strides = tuple([stride * step for stride, step in zip(self.strides, steps, strict=True)])
        offset = self.offset
        for size, stride, step in zip(self.shape, self.strides, steps, strict=True):
            if step < 0:
                offset = offset + (size - 1) * stride
        mask = self.mask and tuple([_step_range(*axis) for axis in zip(self.shape, self.mask, steps, strict=True)])
        return _create(shape, strides, offset, mask)

    def flip(self, axes: Iterable[int]) -> View:
        """The elements of `axes` in reverse order."""
        return self.stride(flip_steps(self.shape, axes))

    def reshape(self, shape: Shape) -> View | None:
        """The same elements in row-major order as `shape`, or None where one view cannot say so."""
        from core.shape.reshape import reshape_view

        return self if shape == self.shape else reshape_view(self, shape)

    def _window(self, ranges: Mask, valid: Mask | None) -> View:
        """Elements `low <= i < high` of each axis, beyond either end too; `valid` limits what may be seen of it."""
        shape = tuple([high - low for low, high in ranges])
        offset = self.offset
        for stride, (low, _) in zip(self.strides, ranges, strict=True):
            offset = offset + low * stride
        if self.mask is not None:
            axes = zip(self.mask, ranges, shape, strict=True)
            moved = tuple([(_clamp(a - low, size), _clamp(b - low, size)) for (a, b), (low, _), size in axes])
            valid = moved if valid is None else _intersect(moved, valid)
        return _create(shape, self.strides, offset, valid)


_views: WeakValueDictionary[tuple[object, ...], View] = WeakValueDictionary()


@lru_cache(MEMO_SIZE)
def _create(shape: Shape, strides: Shape | None, offset: sint, mask: Mask | None) -> View:
    if not _is_static(shape, strides or (), offset, mask):
        shape, offset = _simplified(shape), ssimplify(offset)
        strides = None if strides is None else _simplified(strides)
        mask = None if mask is None else tuple([(ssimplify(low), ssimplify(high)) for low, high in mask])
    plain = row_major(shape)
    if strides is None:
        strides = plain
    if any([not resolve(_at_least(size, 0)) for size in shape]):
        raise ShapeError(f"a shape has no negative sizes: {tuple_text(shape)}")
    if 0 in shape:
        return View(shape, (0,) * len(shape), 0, None, True)

    strides = tuple([0 if size == 1 else stride for size, stride in zip(shape, strides, strict=True)])
    if mask is not None and all([low == 0 and same(high, size) for (low, high), size in zip(mask, shape, strict=True)]):
        mask = None
    if mask is not None:
        strides, offset, mask = _fold_mask(strides, offset, mask)
    return View(shape, strides, offset, mask, mask is None and offset == 0 and strides == plain)


def _fold_mask(strides: Shape, offset: sint, mask: Mask) -> tuple[Shape, sint, Mask]:
    """Moves the stride of an axis whose mask leaves one element into the offset."""
    if any([not resolve(low < high) for low, high in mask]):
        return (0,) * len(strides), 0, ((0, 0),) * len(strides)
    kept = list(strides)
    for axis, (low, high) in enumerate(mask):
        if same(high - low, 1):
            offset = offset + low * kept[axis]
            kept[axis] = 0
    return tuple(kept), ssimplify(offset), mask


def row_major(shape: Shape) -> Shape:
    """The strides of a plain array of `shape`; 0 along axes of size 1."""
    strides: list[sint] = []
    step: sint = 1
    for size in reversed(shape):
        strides.append(0 if size == 1 else step)
        step = step * size
    strides.reverse()
    return tuple(strides)


def same(a: sint, b: sint) -> bool:
    """Whether two symbolic integers are known to be equal."""
    if a is b or (isinstance(a, int) and isinstance(b, int)):
        return a == b
    difference = ssimplify(a - b)
    return difference == 0 if isinstance(difference, int) else bool(difference.vmin == difference.vmax == 0)


def lower_bound(value: sint) -> int:
    """The least value that a symbolic integer can take."""
    return value if isinstance(value, int) else int(value.vmin)


def upper_bound(value: sint) -> int:
    """The greatest value that a symbolic integer can take."""
    return value if isinstance(value, int) else int(value.vmax)


def flip_steps(shape: Shape, axes: Iterable[int]) -> tuple[int, ...]:
    """The steps that `View.stride` needs to reverse `axes`."""
    reversed_axes = set(axes)
    if not reversed_axes <= set(range(len(shape))):
        raise ShapeError(f"cannot flip axes {tuple_text(sorted(reversed_axes))} of {tuple_text(shape)}: no such axis")
    return tuple([-1 if axis in reversed_axes else 1 for axis in range(len(shape))])


def tuple_text(items: Iterable[object]) -> str:
    """The items as a tuple is written, without spaces."""
    parts = [str(item) for item in items]
    return f"({parts[0]},)" if len(parts) == 1 else f"({','.join(parts)})"


def _ranges_text(ranges: Mask) -> str:
    return tuple_text([tuple_text(part) for part in ranges])


def _text(shape: Shape, strides: Shape, offset: sint, mask: Mask | None, contiguous: bool) -> str:
    fields = f"shape={tuple_text(shape)},strides={tuple_text(strides)},offset={offset}"
    return f"View({fields},mask={'None' if mask is None else _ranges_text(mask)},contiguous={contiguous})"


def _is_static(shape: Shape, strides: Shape, offset: sint, mask: Mask | None) -> bool:
    return (
        offset.__class__ is not UOp
        and not any([size.__class__ is UOp for size in shape])
        and not any([stride.__class__ is UOp for stride in strides])
        and (mask is None or not any([low.__class__ is UOp or high.__class__ is UOp for low, high in mask]))
    )


def _check_fields(view: View) -> None:
    rank = len(view.shape)
    if len(view.strides) != rank or (view.mask is not None and len(view.mask) != rank):
        raise ShapeError(f"a view needs a stride and, if masked, a range for each of its axes: {view}")
    if view.contiguous and view.static and (view.offset != 0 or view.mask is not None):
        raise ShapeError(f"a contiguous view has no offset and no mask: {view}")
    if view.contiguous and view.static and 0 not in view.shape and view.strides != row_major(view.shape):
        raise ShapeError(f"a contiguous view has row-major strides: {view}")


def _check_rank(what: str, shape: Shape, given: Sequence[object]) -> None:
    if len(given) != len(shape):
        raise ShapeError(f"cannot {what} {tuple_text(shape)}: {len(given)} entries given for {len(shape)} axes")


def _simplified(values: Shape) -> Shape:
    return tuple([ssimplify(value) for value in values])


def _at_least(value: sint, bound: sint) -> bool | UOp:
    return value >= bound


def _ceildiv(value: sint, divisor: int) -> sint:
    return value if divisor == 1 else (value + (divisor - 1)) // divisor


def _clamp(value: sint, size: sint) -> sint:
    return smax(0, smin(value, size))


def _intersect(first: Mask, second: Mask) -> Mask:
    return tuple([(smax(a, c), smin(b, d)) for (a, b), (c, d) in zip(first, second, strict=True)])


def _step_range(size: sint, part: tuple[sint, sint], step: int) -> tuple[sint, sint]:
    low, high = part
    if step < 0:
        low, high = size - high, size - low
    return _ceildiv(low, abs(step)), _ceildiv(high, abs(step))
