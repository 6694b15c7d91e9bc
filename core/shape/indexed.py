"""The position that a ShapeTracker reads, and whether it reads one, as UOps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from core.dtype import DType, dtypes
from core.ir.linear_form import LinearForm
from core.ir.ops import Ops
from core.ir.uop import UOp, folded, sint
from core.shape.affine import Affine, Limits, Quotient
from core.shape.index import full_limits, static_index
from core.shape.sizes import Shape, ShapeError, lower_bound, row_major, same, tuple_text, upper_bound
from core.shape.view import View

if TYPE_CHECKING:
    from core.shape.shapetracker import ShapeTracker

__all__ = ["default_indices", "indexed_uops"]

# what a sum may be made of
_SUMS: Final = frozenset({Ops.ADD, Ops.MUL, Ops.CONST})
TRUE = UOp.const(dtypes.bool, True)
FALSE = UOp.const(dtypes.bool, False)


def default_indices(shape: Shape) -> tuple[UOp, ...]:
    """A RANGE for each axis, numbered by axis; 0 for an axis of size 1."""
    return tuple(
        [
            _constant(dtypes.int, 0) if size == 1 else UOp(Ops.RANGE, dtypes.int, (_as_uop(dtypes.int, size),), axis)
            for axis, size in enumerate(shape)
        ]
    )


def indexed_uops(tracker: ShapeTracker, idxs: tuple[UOp, ...]) -> tuple[UOp, UOp]:
    """The position as int or long, and whether there is an element, as bool."""
    if len(idxs) != len(tracker.shape):
        raise ShapeError(f"cannot index {tuple_text(tracker.shape)}: {len(idxs)} indices given")
    if any(0 in view.shape for view in tracker.views):
        return _constant(dtypes.int, 0), FALSE
    if tracker.static:
        return _static_uops(tracker.views, idxs)
    return _symbolic_uops(tuple([view.canonical() for view in tracker.views]), idxs)


# ---- static views -------------------------------------------------------------------------------------------------


def _static_uops(views: tuple[View, ...], idxs: tuple[UOp, ...]) -> tuple[UOp, UOp]:
    index = static_index(views)
    if index.never:
        return _constant(dtypes.int, 0), FALSE
    limits = full_limits(cast(tuple[int, ...], views[-1].shape))
    fits = _fits_int(index.position, limits) and all(_fits_int(form, limits) for form, _, _ in index.conditions)
    build = _Builder(dtypes.int if fits and _are_ints(idxs) else dtypes.long, idxs)
    valid = TRUE
    for form, low, high in index.conditions:
        value = build.uop(form)
        if low is not None:
            valid = valid & (value >= low)
        if high is not None:
            valid = valid & (value < high)
    return build.uop(index.position), valid


class _Builder:
    """Writes forms as UOps of one dtype."""

    def __init__(self, dtype: DType, idxs: tuple[UOp, ...]) -> None:
        self.dtype = dtype
        self.idxs = [idx.cast(dtype) for idx in idxs]
        self.quotients: dict[Quotient, UOp] = {}

    def uop(self, form: Affine) -> UOp:
        terms: dict[UOp, int] = {}
        base = form.base
        for atom, step in form.steps.items():
            node = self.idxs[atom] if isinstance(atom, int) else self._quotient(atom)
            part = LinearForm.of(node) if node.op in _SUMS else None
            if part is None:
                terms[node] = terms.get(node, 0) + step
                continue
            base += part.constant * step
            for term, factor in part.terms.items():
                terms[term] = terms.get(term, 0) + factor * step
        total = LinearForm(self.dtype, {term: factor for term, factor in terms.items() if factor}, base).to_uop()
        if total.op is Ops.ADD and any(term.op is Ops.MOD for term in terms):
            return folded(Ops.ADD, self.dtype, total.src)  # a remainder may meet its quotient
        return total

    def _quotient(self, atom: Quotient) -> UOp:
        found = self.quotients.get(atom)
        if found is None:
            form = self.uop(atom.form)
            found = form % atom.divisor if atom.remainder else form if atom.divisor == 1 else form // atom.divisor
            self.quotients[atom] = found
        return found


def _are_ints(idxs: tuple[UOp, ...]) -> bool:
    return all(idx.dtype is dtypes.int for idx in idxs)


def _fits_int(form: Affine, limits: Limits) -> bool:
    """Whether no part of the form can leave int, masked or not. Fills `limits` with those of its atoms."""
    low = high = form.base
    for atom, step in form.steps.items():
        if isinstance(atom, Quotient) and atom not in limits:
            if not _fits_int(atom.form, limits):
                return False
            least, greatest = atom.form.bounds(limits)
            reach = max(abs(least), abs(greatest)) // (1 if atom.remainder else atom.divisor)
            limits[atom] = (-reach if least < 0 else 0, min(reach, atom.divisor - 1) if atom.remainder else reach)
        least, greatest = limits[atom]
        low += min(0, least * step, greatest * step)
        high += max(0, least * step, greatest * step)
    return dtypes.int.min <= min(low, 0) and max(high, 0) <= dtypes.int.max


# ---- symbolic views -----------------------------------------------------------------------------------------------


def _symbolic_uops(views: tuple[View, ...], idxs: tuple[UOp, ...]) -> tuple[UOp, UOp]:
    fits = all(map(_view_fits_int, views)) and _are_ints(idxs)
    dtype = dtypes.int if fits else dtypes.long
    coordinates = [idx.cast(dtype) for idx in idxs]
    position, valid = _constant(dtype, 0), TRUE
    for depth, view in enumerate(reversed(views)):
        if depth:
            coordinates = _taken_apart(position, view.shape)
        if view.mask is not None:
            for value, size, (low, high) in zip(coordinates, view.shape, view.mask, strict=True):
                if low != 0:
                    valid = valid & (value >= _as_uop(dtype, low))
                if not same(high, size):
                    valid = valid & (value < _as_uop(dtype, high))
        position = _as_uop(dtype, view.offset)
        for value, size, stride in zip(coordinates, view.shape, view.strides, strict=True):
            if size != 1 and stride != 0:
                position = position + value * _as_uop(dtype, stride)
    return position, valid


def _taken_apart(position: UOp, shape: Shape) -> list[UOp]:
    coordinates = []
    for size, step in zip(shape, row_major(shape), strict=True):
        divided = position if step in (0, 1) else position // _as_uop(position.dtype, step)
        coordinates.append(_constant(position.dtype, 0) if size == 1 else divided % _as_uop(position.dtype, size))
    return coordinates


def _view_fits_int(view: View) -> bool:
    """Whether neither its positions, masked or not, nor the number of its elements can leave int."""
    least, greatest = min(0, lower_bound(view.offset)), max(0, upper_bound(view.offset))
    elements = 1
    for size, stride in zip(view.shape, view.strides, strict=True):
        last = max(upper_bound(size) - 1, 0)
        least += min(0, lower_bound(stride) * last)
        greatest += max(0, upper_bound(stride) * last)
        elements *= last + 1
    return dtypes.int.min <= least and max(greatest, elements - 1) <= dtypes.int.max


def _as_uop(dtype: DType, value: sint) -> UOp:
    return value.cast(dtype) if isinstance(value, UOp) else _constant(dtype, value)


def _constant(dtype: DType, value: int) -> UOp:
    return UOp.const(dtype, value)
