"""Comparing outputs."""

from __future__ import annotations

import numpy as np

from core.runtime.compare import compare, wrong_elements

nan, inf = np.nan, np.inf


def test_equal_arrays():
    assert compare(np.array([1.0, nan, inf, -inf]), np.array([1.0, nan, inf, -inf])) is None
    assert compare(np.zeros(0), np.zeros(0)) is None


def test_the_first_wrong_element_is_told():
    difference = compare(np.array([1, 2, 4, 5]), np.array([1, 2, 3, 4]))
    assert str(difference) == "element 2 is 4, expected 3 (2 of 4 elements differ)"


def test_tolerances():
    assert compare(np.array([1.1]), np.array([1.0]), atol=0.2) is None
    assert compare(np.array([11.0]), np.array([10.0]), rtol=0.2) is None
    assert compare(np.array([11.0]), np.array([10.0]), rtol=0.01) is not None


def test_infinities_and_nan_match_only_themselves():
    got, expected = np.array([inf, inf, 1.0, nan, 1.0]), np.array([-inf, 1.0, inf, 1.0, nan])
    assert wrong_elements(got, expected, 0.5, 0.5).tolist() == [True] * 5


def test_what_is_left_open_is_never_wrong():
    allowed = np.array([inf, inf, 0.0])
    assert wrong_elements(np.array([nan, 5.0, 1.0]), np.array([1.0, nan, 2.0]), 0.0, allowed).tolist() == [
        False,
        False,
        True,
    ]


def test_bool_is_exact():
    assert compare(np.array([True]), np.array([False]), rtol=1.0, atol=1.0) is not None


def test_integers_of_64_bits():
    assert compare(np.array([2**63 + 1], np.uint64), np.array([2**63], np.uint64)) is not None
    assert compare(np.array([0], np.uint64), np.array([1], np.uint64), atol=1.0) is None
