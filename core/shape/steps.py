"""Along which axes the position that stacked views read grows by one fixed step.

The position is taken apart as if nothing were masked; then each mask in turn simplifies what it says something of. What
several masks say together is not put together, although that would settle more steps (`core.shape.index` does it for
the index itself): the optimiser's choices hang on what is known here, and shall be those of the seed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias, cast

from core.shape.affine import Affine, Division, Limits, Quotient, expand
from core.shape.index import full_limits, with_fewer_axes
from core.shape.view import View

__all__ = ["StepDivision", "position_steps"]


class _Clause(NamedTuple):
    """`low <= form <= high`; None where that side is open. The form has no base."""

    form: Affine
    low: int | None
    high: int | None


_Sizes: TypeAlias = "tuple[int, ...]"


class StepDivision(Division):
    """Divides as Python does, also what may be negative, and big divisors factor by factor."""

    def divide(self, form: Affine, divisor: int) -> tuple[Affine, Affine]:
        if divisor == 1:
            return form, Affine(0, {})
        quotient = self._exact(form, divisor)
        if quotient is not None:
            return quotient, form.plus(quotient, -divisor)
        quotient = next(self._splits(form, divisor))
        rest = form.plus(quotient, -divisor)
        return quotient.plus(self._by_factors(rest, divisor)), self._remainder(rest, divisor)

    def _exact(self, form: Affine, divisor: int) -> Affine | None:
        low, high = form.bounds(self.limits)
        if low >= 0 and high < divisor:
            return Affine(0, {})
        for quotient in self._splits(form, divisor):
            low, high = form.plus(quotient, -divisor).bounds(self.limits)
            if low >= 0 and low // divisor == high // divisor:
                return quotient.plus(Affine(low // divisor, {}))
        return None

    def _splits(self, form: Affine, divisor: int) -> Iterator[Affine]:
        items = form.steps.items()
        yield Affine(form.base // divisor, {atom: step // divisor for atom, step in items if step % divisor == 0})
        yield Affine(form.base // divisor, {atom: step // divisor for atom, step in items})

    def _by_factors(self, form: Affine, divisor: int) -> Affine:
        """`form // divisor`, the smallest step that divides the divisor first."""
        factors = [abs(step) for step in form.steps.values() if abs(step) > 1 and divisor % abs(step) == 0]
        factor = min(factors, default=divisor)
        if factor < divisor:
            return self.divide(self.divide(form, factor)[0], divisor // factor)[0]
        low, high = form.bounds(self.limits)
        return self._quotient(form, divisor, low // divisor, high // divisor)

    def _atom(self, form: Affine, divisor: int, remainder: bool, limits: tuple[int, int]) -> Affine:
        return super()._atom(form if divisor == 1 else expand(form), divisor, remainder, limits)

    def rebuilt(self, form: Affine, part: Affine | None = None, instead: Affine | None = None) -> Affine:
        """The form divided anew under the limits known here, with `instead` in place of its `part`."""
        done: dict[Quotient, tuple[Affine, Affine]] = {}

        def rebuild(form: Affine) -> Affine:
            result = Affine(form.base, {})
            for atom, step in form.steps.items():
                if isinstance(atom, int):
                    low, high = self.limits[atom]
                    result = result.plus(Affine(low, {}) if low == high else Affine(0, {atom: 1}), step)
                else:
                    if atom not in done:
                        done[atom] = self.divide(rebuild(atom.form), atom.divisor)
                    result = result.plus(done[atom][atom.remainder], step)
            if part is not None and instead is not None and _has_terms(result, part):
                return result.plus(part, -1).plus(instead)
            return result

        return rebuild(form)


def position_steps(views: tuple[View, ...], masked: bool) -> tuple[int | None, ...]:
    """The step of each axis of the last of some static views; None where there is not one. `masked` uses the masks."""
    shape = cast(_Sizes, views[-1].shape)
    if any(view.empty or 0 in view.shape for view in views):
        return (0,) * len(shape)
    position, clauses = _taken_apart(views, shape)
    if masked and clauses:
        position = _given(position, _in_order(clauses, shape), shape)
    carried = frozenset().union(*[atom.axes for atom in position.quotients()])
    return tuple([None if axis in carried else position.steps.get(axis, 0) for axis in range(len(shape))])


def _taken_apart(views: tuple[View, ...], shape: _Sizes) -> tuple[Affine, list[_Clause]]:
    """The position, and what the masks say from the last view to the first."""
    division = StepDivision(full_limits(shape))
    coordinates = [Affine(0, {axis: 1} if size > 1 else {}) for axis, size in enumerate(shape)]
    position = Affine(0, {})
    clauses: list[_Clause] = []
    for depth, view in enumerate(reversed(views)):
        if depth:
            view = with_fewer_axes(view)
            coordinates = []
            inner = 1
            for size in reversed(cast(_Sizes, view.shape)):
                coordinates.append(division.divide(division.divide(position, inner)[0], size)[1])
                inner *= size
            coordinates.reverse()
        for form, (low, high) in zip(coordinates, cast(tuple[tuple[int, int], ...], view.mask or ()), strict=False):
            if not form.steps:
                continue
            least, greatest = form.bounds(division.limits)
            if low > least:
                part, bound = _smallest(division, form, low)
                clauses.append(_Clause(part, bound, None))
            if high <= greatest:
                part, bound = _smallest(division, form, high)
                clauses.append(_Clause(part, None, bound - 1))
        position = Affine(cast(int, view.offset), {})
        for form, stride in zip(coordinates, cast(_Sizes, view.strides), strict=True):
            position = position.plus(form, stride)
    return position, clauses


def _smallest(division: Division, form: Affine, bound: int) -> tuple[Affine, int]:
    """The smallest form that reaches a bound just where `form` reaches `bound`, and that bound."""
    form, bound = Affine(0, form.steps), bound - form.base
    small = division.negligible(form, bound)
    if small is None or not (large := form.plus(small[1], -1)).steps:
        return form, bound
    unit = small[0]
    return Affine(0, {atom: step // unit for atom, step in large.steps.items()}), bound // unit


def _in_order(clauses: list[_Clause], shape: _Sizes) -> list[_Clause]:
    """The clauses in the order in which they are used: the newest first, but for the first two.

    Where those on which most others build simplify any of the others, they come first instead.
    """
    clauses = clauses[:1:-1] + clauses[:2]
    mentions = {clause: sum(_mentions(other.form, clause.form) for other in clauses) for clause in clauses}
    simplified: list[_Clause] = []
    changed = False
    for clause in sorted(clauses, key=lambda clause: -mentions[clause]):
        form = _given(clause.form, simplified, shape)
        changed = changed or form.signature != clause.form.signature
        simplified.append(_Clause(form, clause.low, clause.high))
    return simplified if changed else clauses


def _mentions(form: Affine, part: Affine) -> bool:
    """Whether `part` is a part of the form, or of one inside it."""
    axis = next(iter(part.steps))
    if len(part.steps) == 1 and isinstance(axis, int):
        return axis in form.axes()
    seen: set[Quotient] = set()
    stack = [form]
    while stack:
        top = stack.pop()
        if _has_terms(top, part):
            return True
        inside = [atom for atom in top.quotients() if atom not in seen]
        seen.update(inside)
        stack.extend([atom.form for atom in inside])
    return False


def _has_terms(form: Affine, part: Affine) -> bool:
    return all(form.steps.get(atom) == step for atom, step in part.steps.items())


def _given(form: Affine, clauses: list[_Clause], shape: _Sizes) -> Affine:
    """The form simplified by one clause after the other; two bounds of the same form are one clause."""
    together: dict[int, _Clause] = {}
    for clause in clauses:
        key = clause.form.signature
        _, low, high = together.get(key, clause)
        together[key] = _Clause(clause.form, clause.low if low is None else low, clause.high if high is None else high)
    limits = full_limits(shape)
    for clause in together.values():
        form = _given_one(form, clause, dict(limits))
    return form


def _given_one(form: Affine, clause: _Clause, limits: Limits) -> Affine:
    division = StepDivision(limits)
    known = expand(division.rebuilt(clause.form))
    least, greatest = known.bounds(limits)
    low = least if clause.low is None else max(least, clause.low)
    high = greatest if clause.high is None else min(greatest, clause.high)
    known, low, high = Affine(0, known.steps), low - known.base, high - known.base
    if len(known.steps) == 1:
        division.confine(known, low, high)
        return expand(division.rebuilt(form))
    return expand(division.rebuilt(form, known, division.joint(known, low, high)))
