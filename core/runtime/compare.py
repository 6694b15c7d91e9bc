"""Comparing what a kernel stored with what it should have stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Difference", "compare", "wrong_elements"]


@dataclass(frozen=True, slots=True)
class Difference:
    """The first element that is wrong, and how many are."""

    index: int
    got: Any
    expected: Any
    wrong: int
    total: int

    def __str__(self) -> str:
        return (
            f"element {self.index} is {self.got}, expected {self.expected}"
            f" ({self.wrong} of {self.total} elements differ)"
        )


def wrong_elements(
    got: NDArray[Any], expected: NDArray[Any], rtol: float, atol: float | NDArray[Any]
) -> NDArray[np.bool_]:
    """Where |got - expected| > atol + rtol * |expected|. nan equals nan; an infinity only itself; bool is exact.

    An element whose `atol` is inf is never wrong.
    """
    differs: NDArray[np.bool_] = (got != expected) & ~((got != got) & (expected != expected))
    if got.dtype.kind == "b" or not differs.any():
        return differs
    with np.errstate(all="ignore"):
        # integers of 64 bits are exact in a long double, where the machine has one
        target = expected.astype(np.longdouble)
        apart = np.abs(got.astype(np.longdouble) - target)
        allowed = atol + (rtol * np.abs(np.where(np.isfinite(target), target, 0)) if rtol else 0)
        wrong: NDArray[np.bool_] = differs & ~((apart <= allowed) | np.isposinf(allowed))
        return wrong


def compare(got: NDArray[Any], expected: NDArray[Any], rtol: float = 0.0, atol: float = 0.0) -> Difference | None:
    """What is wrong with `got`, both flat and of the same length, or None."""
    wrong = wrong_elements(got, expected, rtol, atol)
    count = int(np.count_nonzero(wrong))
    if count == 0:
        return None
    index = int(np.argmax(wrong))
    return Difference(index, got[index].item(), expected[index].item(), count, got.size)
