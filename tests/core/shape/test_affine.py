"""Dividing affine forms, against the quotients and remainders of each value they take."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.shape.affine import Affine, Division, Quotient, expand
from core.shape.steps import StepDivision

SIZES = (5, 4, 6)
FORMS = st.builds(
    lambda base, steps: Affine(base, dict(enumerate(steps))),
    st.integers(-10, 40),
    st.tuples(*[st.sampled_from([-8, -4, -1, 0, 1, 2, 3, 4, 6, 8, 12, 24]) for _ in SIZES]),
)
RANGES = st.tuples(st.integers(-5, 30), st.integers(0, 25))


def value(form: Affine, indices: tuple[int, ...]) -> int:
    return form.base + sum(
        step * (indices[atom] if isinstance(atom, int) else quotient_value(atom, indices))
        for atom, step in form.steps.items()
    )


def quotient_value(atom: Quotient, indices: tuple[int, ...]) -> int:
    inner = value(atom.form, indices)
    return inner % atom.divisor if atom.remainder else inner // atom.divisor


@pytest.mark.parametrize("kind", [Division, StepDivision])
@given(form=FORMS, other=FORMS, known=st.none() | RANGES, divisors=st.lists(st.integers(1, 12), min_size=1, max_size=3))
@settings(max_examples=200)
def test_quotients_and_remainders(
    kind: type[Division], form: Affine, other: Affine, known: tuple[int, int] | None, divisors: list[int]
) -> None:
    """What is known of another form may be used, as long as it is right wherever that holds."""
    division = kind({axis: (0, size - 1) for axis, size in enumerate(SIZES)})
    points = list(itertools.product(*map(range, SIZES)))
    joint = other
    if known is not None:
        low, high = known[0], known[0] + known[1]
        points = [point for point in points if low <= value(other, point) <= high]
        if not division.allows(other, low, high):
            assert not points
            return
        joint = division.confine(other, low, high)

    rest, exact = form.plus(joint), [value(form.plus(other), point) for point in points]
    for divisor in divisors:
        rest, remainder = division.divide(rest, divisor)
        for index, point in enumerate(points):
            assert value(remainder, point) == exact[index] % divisor
            exact[index] //= divisor
            assert value(rest, point) == value(expand(rest), point) == exact[index]
        for atom in {*rest.steps, *remainder.steps}:
            low, high = division.limits[atom]
            assert all(low <= value(Affine(0, {atom: 1}), point) <= high for point in points)


def test_terms_that_cancel_are_dropped() -> None:
    form = Affine(3, {0: 2, 1: 5}).plus(Affine(1, {0: -1, 1: 5}), -1)
    assert (form.base, form.steps) == (2, {0: 3})


def test_the_axes_of_a_form_include_those_inside_atoms() -> None:
    division = Division({0: (0, 9), 1: (0, 9), 2: (0, 9)})
    quotient, remainder = division.divide(Affine(0, {0: 3, 1: 1}), 4)
    assert quotient.axes() == remainder.axes() == {0, 1}
    assert quotient.plus(Affine(0, {2: 1})).axes() == {0, 1, 2}


def test_equal_quotients_are_one_atom() -> None:
    division = Division({0: (0, 9), 1: (0, 9)})
    first, _ = division.divide(Affine(0, {0: 3, 1: 1}), 4)
    second, _ = division.divide(Affine(0, {0: 3, 1: 1}), 4)
    assert first.plus(second, -1).steps == {}
