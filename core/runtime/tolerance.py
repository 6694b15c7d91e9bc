"""How far a right kernel may be from the reference interpreter.

A kernel may sum in another order, round in other places and take its exp2 from another library. `tolerance` is a rule
of thumb for well-conditioned results. `spread` measures, for one kernel and one set of inputs, what such freedom does
to each element: it evaluates the AST several times with inexact results moved by a unit in the last place, and sums
taken one term after the other in another order (stochastic arithmetic: J. Vignes, "A stochastic arithmetic for reliable
scientific computation", 1993).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from core.dtype import DType
from core.ir.ops import Ops
from core.runtime.alu import reduce, wide
from core.runtime.interpreter import interpret
from core.runtime.views import DEFAULT_LIMIT

if TYPE_CHECKING:
    from core.ir.uop import UOp

__all__ = ["spread", "tolerance"]

Array: TypeAlias = "NDArray[Any]"

# what a difference seen in a few samples is multiplied by, to cover what the samples missed
SAFETY: Final = 4.0
# in units of the last place of the result: for the elements on which all samples agree
FLOOR: Final = 4.0


def tolerance(dtype: DType, terms: int = 1) -> tuple[float, float]:
    """(rtol, atol) for results of `dtype` that each add up `terms` terms of magnitude about 1; 0 but for floats."""
    if not dtype.is_float:
        return 0.0, 0.0
    unit = 2.0 ** -{16: 10, 32: 23, 64: 52}[dtype.bits]
    if dtype.name == "bfloat16":
        unit = 2.0**-7
    error = 8 * unit * math.sqrt(max(terms, 1))
    return error, error


def spread(
    ast: UOp,
    inputs: Mapping[int, Array],
    variables: Mapping[str, int] | None = None,
    *,
    samples: int = 3,
    seed: int = 0,
    limit: int = DEFAULT_LIMIT,
) -> dict[int, tuple[Array, Array]]:
    """(result, largest difference allowed), element by element, of every buffer that `ast` stores to.

    The result is that of `interpret`. The AST is evaluated twice more with all inexact results moved up and down, and
    `samples` times with each moved at random. Where these do not even agree on what is infinite or nan, the difference
    allowed is inf.
    """
    exact = interpret(ast, inputs, variables, limit=limit)
    least = {number: result.copy() for number, result in exact.items()}
    most = {number: result.copy() for number, result in exact.items()}
    unsure = {number: np.zeros(result.shape, np.bool_) for number, result in exact.items()}

    for sample, direction in enumerate([1, -1, *[0] * samples]):
        moved = _Moved(direction, np.random.default_rng([seed, sample]))
        results = interpret(ast, inputs, variables, limit=limit, adjust=moved.adjust, reduction=moved.reduction)
        for number, result in results.items():
            unsure[number] |= np.isnan(result) != np.isnan(exact[number])
            np.fmin(least[number], result, out=least[number])
            np.fmax(most[number], result, out=most[number])
    return {
        number: (result, _allowed(result, least[number], most[number], unsure[number]))
        for number, result in exact.items()
    }


def _allowed(result: Array, least: Array, most: Array, unsure: NDArray[np.bool_]) -> Array:
    with np.errstate(all="ignore"):
        difference = np.where(least == most, 0.0, most.astype(np.longdouble) - least.astype(np.longdouble))
        allowed = SAFETY * difference
        if result.dtype.kind == "f":
            finite = np.where(np.isfinite(result), result, 0)
            allowed = allowed + FLOOR * np.spacing(np.abs(finite)).astype(np.longdouble)
        return np.where(unsure | ~np.isfinite(difference), np.inf, allowed)


class _Moved:
    """The results of floats, and their sums, as another implementation might get them.

    `direction` moves every inexact result up (1) or down (-1); 0 moves each at random, and sums in random order.
    """

    def __init__(self, direction: int, rng: np.random.Generator) -> None:
        self.direction, self.rng = direction, rng

    def adjust(self, rounded: Array, exacter: Array) -> Array:
        """`rounded`, moved to a neighbour where it is not exact; at random, in two of three cases."""
        if exacter.dtype.itemsize > rounded.dtype.itemsize:
            inexact = np.asarray(exacter != rounded)
        else:  # long double is no wider than double here: nothing is known to be exact
            inexact = np.ones(rounded.shape, np.bool_)
        if not inexact.any():
            return rounded
        steps = self.direction or self.rng.integers(-1, 2, rounded.shape)
        target = np.array([0.0, np.inf, -np.inf], rounded.dtype)[steps]
        return np.where(inexact & (target != 0), np.nextafter(rounded, target), rounded)

    def reduction(self, op: Ops, value: Array, axes: tuple[int, ...]) -> Array:
        """Floats are added and multiplied in their own type, one after the other."""
        if value.dtype.kind != "f" or op is Ops.MAX or value.size == 0:
            return reduce(op, value, axes)
        kept = [size for axis, size in enumerate(value.shape) if axis not in axes]
        rows = np.moveaxis(value, axes, range(-len(axes), 0)).reshape(*kept, -1)
        ufunc = np.add if op is Ops.ADD else np.multiply
        if self.direction == 0:
            rows = rows[..., self.rng.permutation(rows.shape[-1])]
        partial = ufunc.accumulate(rows, axis=-1, dtype=value.dtype)
        total = partial[..., -1]
        if self.direction != 0:
            inexact = (partial != ufunc.accumulate(rows, axis=-1, dtype=wide(value.dtype))).any(axis=-1)
            total = np.where(inexact, self._moved_total(op, partial), total)
        return total.reshape([1 if axis in axes else size for axis, size in enumerate(value.shape)])

    def _moved_total(self, op: Ops, partial: Array) -> Array:
        """Rounding errors of n steps add up to about sqrt(n) / 4 units of the largest partial result."""
        total = partial[..., -1].astype(wide(partial.dtype))
        largest = np.abs(partial).max(axis=-1) if op is Ops.ADD else np.abs(partial[..., -1])
        units = max(1.0, math.sqrt(partial.shape[-1]) / 4)
        return np.asarray(total + self.direction * units * np.spacing(largest)).astype(partial.dtype)
