"""How far a right kernel may be from the reference interpreter.

A kernel may sum in another order, round in other places and take its exp2 from another library. `tolerance` is a rule
of thumb for well-conditioned results. `spread` measures, for one kernel and one set of inputs, what such freedom does
to each element: it evaluates the AST several times with inexact results moved at random by a unit in the last place and
with sums taken one after the other in random order (stochastic arithmetic: J. Vignes, "A stochastic arithmetic for
reliable scientific computation", 1993).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from core.dtype import DType
from core.ir.ops import Ops
from core.runtime.alu import reduce
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

    The result is that of `interpret`. An element that is not finite in the result or in a sample must be matched by any
    value when they disagree (its allowed difference is inf), and exactly when all agree.
    """
    exact = interpret(ast, inputs, variables, limit=limit)
    least = {number: result.copy() for number, result in exact.items()}
    most = {number: result.copy() for number, result in exact.items()}
    unsure = {number: np.zeros(result.shape, np.bool_) for number, result in exact.items()}

    for sample in range(samples):
        moved = _Moved(np.random.default_rng([seed, sample]))
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
    """The results of floats, and their sums, as another implementation might get them."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng

    def adjust(self, rounded: Array, exacter: Array) -> Array:
        """`rounded`, moved to a neighbour in two of three cases where it is not exact."""
        if exacter.dtype.itemsize > rounded.dtype.itemsize:
            inexact = np.asarray(exacter != rounded)
        else:  # long double is no wider than double here: nothing is known to be exact
            inexact = np.ones(rounded.shape, np.bool_)
        if not inexact.any():
            return rounded
        directions = np.array([-np.inf, 0.0, np.inf], rounded.dtype)[self.rng.integers(0, 3, rounded.shape)]
        return np.where(inexact & (directions != 0), np.nextafter(rounded, directions), rounded)

    def reduction(self, op: Ops, value: Array, axes: tuple[int, ...]) -> Array:
        """Floats are added and multiplied in their own type, one after the other, in random order."""
        if value.dtype.kind != "f" or op is Ops.MAX or value.size == 0:
            return reduce(op, value, axes)
        kept = [size for axis, size in enumerate(value.shape) if axis not in axes]
        rows = np.moveaxis(value, axes, range(-len(axes), 0)).reshape(*kept, -1)
        shuffled = rows[..., self.rng.permutation(rows.shape[-1])]
        ufunc = np.add if op is Ops.ADD else np.multiply
        total = ufunc.accumulate(shuffled, axis=-1, dtype=value.dtype)[..., -1]
        return total.reshape([1 if axis in axes else size for axis, size in enumerate(value.shape)])
