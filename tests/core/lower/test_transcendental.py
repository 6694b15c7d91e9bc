"""EXP2, LOG2 and SIN by arithmetic: within a few units in the last place of the right value over the whole range."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from core.builder import Expr, buffer, kernel
from core.compiler import compile_ast
from core.context import Context
from core.dtype import DType, dtypes
from core.ir.ops import Ops
from core.render import get_renderer
from core.runtime import get_runtime
from core.runtime.buffers import aligned_zeros

Array = NDArray[Any]
COUNT = 1 << 16
FUNCTIONS = {"exp2": np.exp2, "log2": np.log2, "sin": np.sin}


def computed(function: str, values: Array, dtype: DType = dtypes.float) -> Array:
    """What the llvm backend makes of `values` with the approximation."""
    x = buffer("x", (len(values),), dtype)
    expression: Expr = getattr(x, function)()
    with Context(TRANSCENDENTAL=2):
        program = compile_ast(kernel(expression), get_renderer("llvm"))
    assert not {node.op for node in program.uops} & {Ops.EXP2, Ops.LOG2, Ops.SIN}
    result, source = aligned_zeros(len(values), dtype.numpy()), aligned_zeros(len(values), dtype.numpy())
    source[:] = values
    get_runtime("llvm").run(program, {0: result, 1: source})
    return result


def every_exponent() -> Array:
    """Random floats of all bit patterns, infinities, nans and denormals among them."""
    bits = np.random.default_rng(1).integers(0, 1 << 32, COUNT, dtype=np.uint32)
    return bits.view(np.float32)


def units(result: Array, exact: Array) -> Array:
    """The distance in units of the last place of the exact value; where both are the same special value, 0."""
    with np.errstate(all="ignore"):
        nearest = exact.astype(result.dtype)
    same = (result == nearest) | (np.isnan(result) & np.isnan(nearest))
    with np.errstate(all="ignore"):
        unit = np.spacing(np.abs(nearest)).astype(np.float64)
        distance = np.abs(result.astype(np.float64) - exact) / unit
    return np.where(same, 0.0, np.where(np.isfinite(distance), distance, np.inf))


@pytest.mark.parametrize(
    ("function", "values", "most"),
    [
        ("exp2", np.linspace(-151, 129, COUNT), 2.0),
        ("exp2", every_exponent(), 2.0),
        ("log2", every_exponent(), 3.2),
        ("log2", np.linspace(0.5, 2.0, COUNT), 3.2),
        ("log2", 2.0 ** np.linspace(-149, 127, COUNT), 3.2),
        ("sin", every_exponent(), 2.4),
        ("sin", np.linspace(-10, 10, COUNT), 2.4),
        ("sin", np.linspace(-1e5, 1e5, COUNT), 2.4),
        ("sin", np.arange(COUNT) * (np.pi / 2), 2.4),
    ],
)
def test_units_in_the_last_place(function: str, values: Array, most: float) -> None:
    with np.errstate(all="ignore"):
        values = values.astype(np.float32)
        exact = FUNCTIONS[function](values.astype(np.float64))
    assert units(computed(function, values), exact).max() <= most


@pytest.mark.parametrize(
    ("function", "value", "expected"),
    [
        ("sin", 1e5, 0.03574879797201650931),
        ("sin", 1e10, -0.48750602507627314),
        ("sin", 3.4028234663852886e38, -0.5218765),
        ("sin", -0.0, -0.0),
        ("sin", np.inf, np.nan),
        ("exp2", 0.0, 1.0),
        ("exp2", -np.inf, 0.0),
        ("exp2", np.inf, np.inf),
        ("exp2", np.nan, np.nan),
        ("exp2", 10.0, 1024.0),
        ("log2", 0.0, -np.inf),
        ("log2", -0.0, -np.inf),
        ("log2", -1.0, np.nan),
        ("log2", np.inf, np.inf),
        ("log2", 1.0, 0.0),
        ("log2", 2.0**-149, -149.0),
    ],
)
def test_single_values(function: str, value: float, expected: float) -> None:
    (result,) = computed(function, np.array([value], np.float32))
    np.testing.assert_allclose(result, expected, rtol=3e-7)
    assert np.signbit(result) == np.signbit(np.float32(expected)) or np.isnan(expected)


@pytest.mark.parametrize("function", list(FUNCTIONS))
def test_every_half(function: str) -> None:
    values = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    with np.errstate(all="ignore"):
        exact = FUNCTIONS[function](values.astype(np.float64))
    assert units(computed(function, values, dtypes.half), exact).max() <= 1.0


def test_a_double_is_left_to_the_backend() -> None:
    with Context(TRANSCENDENTAL=2):
        program = compile_ast(kernel(buffer("x", (4,), dtypes.double).sin()), get_renderer("llvm"))
    assert Ops.SIN in {node.op for node in program.uops}
