"""Affine forms over a kernel's axes, and what division makes of them.

A form is `base + sum(steps[atom] * atom)`. An atom is an axis, by number, or a quotient or remainder that could not be
taken apart. Forms stand for positions and coordinates: where nothing is masked they are not negative, so that it does
not matter how a division rounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import gcd
from typing import TypeAlias

__all__ = ["Affine", "Atom", "Division", "Limits", "Quotient", "expand"]

Atom: TypeAlias = "int | Quotient"
# the least and the greatest value of each atom
Limits: TypeAlias = "dict[Atom, tuple[int, int]]"


class Affine:
    """`base + sum(steps[atom] * atom)`; no step is 0."""

    __slots__ = ("base", "steps")

    def __init__(self, base: int, steps: Mapping[Atom, int]) -> None:
        self.base = base
        self.steps = {atom: step for atom, step in steps.items() if step}

    def plus(self, other: Affine, factor: int = 1) -> Affine:
        """`self + other * factor`."""
        steps = dict(self.steps)
        for atom, step in other.steps.items():
            steps[atom] = steps.get(atom, 0) + step * factor
        return Affine(self.base + other.base * factor, steps)

    def bounds(self, limits: Limits) -> tuple[int, int]:
        """Its least and its greatest value."""
        low = high = self.base
        for atom, step in self.steps.items():
            least, greatest = limits[atom]
            if step > 0:
                low, high = low + step * least, high + step * greatest
            else:
                low, high = low + step * greatest, high + step * least
        return low, high

    @property
    def signature(self) -> int:
        """Equal for forms that are written the same way, in every process."""
        terms = [(atom if isinstance(atom, int) else atom.signature, step) for atom, step in self.steps.items()]
        return hash((self.base, frozenset(terms)))

    def axes(self) -> frozenset[int]:
        """Every axis it depends on."""
        return frozenset().union(*[{atom} if isinstance(atom, int) else atom.axes for atom in self.steps])

    def quotients(self) -> list[Quotient]:
        """Its atoms that are not axes."""
        return [atom for atom in self.steps if not isinstance(atom, int)]


class Quotient:
    """The atom `form // divisor`, or `form % divisor` if `remainder`. A divisor of 1 gives a form limits of its own.

    `axes` and `signature` are those of the form: it may hold atoms that hold others, many of them several times.
    """

    __slots__ = ("axes", "divisor", "form", "remainder", "signature")

    def __init__(self, form: Affine, divisor: int, remainder: bool) -> None:
        self.form, self.divisor, self.remainder = form, divisor, remainder
        self.axes = form.axes()
        # the last entry keeps a quotient apart from an axis with the same number
        self.signature = hash((form.signature, divisor, remainder, 1 << 60))


class Division:
    """Divides the forms of one index expression, of which it knows the atoms and their limits."""

    __slots__ = ("_atoms", "limits")

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._atoms: dict[tuple[object, ...], Quotient] = {}

    # ---- dividing -------------------------------------------------------------------------------------------------

    def divide(self, form: Affine, divisor: int) -> tuple[Affine, Affine]:
        """Quotient and remainder, affine where no term of the form carries into the quotient."""
        if divisor == 1:
            return form, Affine(0, {})
        quotient = self._exact(form, divisor)
        if quotient is not None:
            return quotient, form.plus(quotient, -divisor)

        # what the limits of joint forms do not settle, their terms may
        quotient = next(self._splits(form, divisor))
        rest = form.plus(quotient, -divisor)
        plain = expand(rest)
        more = self._exact(plain, divisor) if plain is not rest else None
        if more is not None:
            low, high = rest.bounds(self.limits)
            return quotient.plus(self.joint(more, low // divisor, high // divisor)), plain.plus(more, -divisor)

        more = next(self._splits(plain, divisor))
        rest, plain = rest.plus(more, -divisor), plain.plus(more, -divisor)
        # of an atom, the joint forms may know more than its own terms
        low, high = rest.bounds(self.limits)
        atom = self._quotient(plain, divisor, low // divisor, high // divisor)
        return quotient.plus(more).plus(atom), self._remainder(plain, divisor)

    def _exact(self, form: Affine, divisor: int) -> Affine | None:
        """The quotient where it is affine."""
        if form.bounds(self.limits)[0] < 0:
            return None
        for quotient in self._splits(form, divisor):
            if form.plus(quotient, -divisor).bounds(self.limits)[1] < divisor:
                return quotient
        return None

    def _splits(self, form: Affine, divisor: int) -> Iterator[Affine]:
        """Quotients that leave a remainder that is not negative: of the terms that it divides, then of all terms."""
        items = form.steps.items()
        for steps in (
            {atom: step // divisor for atom, step in items if step % divisor == 0},
            {atom: step // divisor for atom, step in items},
        ):
            low = form.plus(Affine(0, steps), -divisor).bounds(self.limits)[0]
            yield Affine(low // divisor, steps)

    def _quotient(self, form: Affine, divisor: int, low: int, high: int) -> Affine:
        """`form // divisor`, known to lie in [low, high], as an atom of the smallest form that has this quotient."""
        small = self.negligible(form, divisor)
        if small is not None:
            unit, form = small[0], form.plus(small[1], -1)
            form = Affine(form.base // unit, {atom: step // unit for atom, step in form.steps.items()})
            divisor //= unit
        if form.base == 0 and len(form.steps) == 1:
            ((atom, step),) = form.steps.items()
            if isinstance(atom, Quotient) and step == 1 and not atom.remainder:
                form, divisor = atom.form, divisor * atom.divisor
        least, greatest = form.bounds(self.limits)
        return self._atom(form, divisor, False, (max(low, least // divisor), min(high, greatest // divisor)))

    def _remainder(self, form: Affine, divisor: int) -> Affine:
        low, high = form.bounds(self.limits)
        return self._atom(form, divisor, True, (0, min(high, divisor - 1) if low >= 0 else divisor - 1))

    def negligible(self, form: Affine, bound: int) -> tuple[int, Affine] | None:
        """A unit of `bound`, and the part of the form below it that cannot change how the form compares with `bound`.

        The part that is left is a multiple of the unit, and the largest possible one is found.
        """
        for unit in sorted({gcd(bound, step) for step in form.steps.values()} - {1}, reverse=True):
            small = Affine(form.base % unit, {atom: step for atom, step in form.steps.items() if step % unit})
            low, high = small.bounds(self.limits)
            if low >= 0 and high < unit:
                return unit, small
        return None

    # ---- learning -------------------------------------------------------------------------------------------------

    def allows(self, form: Affine, low: int, high: int) -> bool:
        """Whether `low <= form <= high` may hold."""
        least, greatest = form.bounds(self.limits)
        return least <= high and low <= greatest

    def confine(self, form: Affine, low: int, high: int) -> Affine:
        """Learns that `low <= form <= high`, which may hold; what to use for the form from now on."""
        least, greatest = form.bounds(self.limits)
        for atom, step in form.steps.items():
            first, last = self.limits[atom]
            # how far the atom may be from the end where the form is least, and from the one where it is greatest
            up, down = (high - least) // abs(step), (greatest - low) // abs(step)
            if step < 0:
                up, down = down, up
            self.limits[atom] = (max(first, last - down), min(last, first + up))
        return self.joint(form, low, high)

    def joint(self, form: Affine, low: int, high: int) -> Affine:
        """The form, as an atom with limits of its own where `low <= form <= high` says more than its terms do."""
        least, greatest = form.bounds(self.limits)
        if len(form.steps) < 2 or (low <= least and greatest <= high):
            return form
        return self._atom(form, 1, False, (max(low, least), min(high, greatest)))

    def _atom(self, form: Affine, divisor: int, remainder: bool, limits: tuple[int, int]) -> Affine:
        key = (form.base, frozenset(form.steps.items()), divisor, remainder)
        atom = self._atoms.get(key)
        if atom is None:
            atom = self._atoms[key] = Quotient(form, divisor, remainder)
            self.limits[atom] = limits
        else:
            low, high = self.limits[atom]
            self.limits[atom] = (max(low, limits[0]), min(high, limits[1]))
        return Affine(0, {atom: 1})


def expand(form: Affine) -> Affine:
    """The form with what only has limits of its own written out."""
    for atom in form.quotients():
        if atom.divisor == 1:
            step = form.steps[atom]
            form = form.plus(Affine(0, {atom: -step})).plus(expand(atom.form), step)
    return form
