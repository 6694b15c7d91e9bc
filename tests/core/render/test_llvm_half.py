"""Halves in LLVM's IR: rounded once, on processors with and without instructions for them."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from core.dtype import DType, dtypes
from core.render import get_renderer
from tests.core.render import native, values
from tests.core.render.programs import cast, elementwise

EVERY_HALF = np.arange(1 << 16, dtype=np.uint16).view(np.float16)


def between_halves() -> NDArray[np.float64]:
    """Doubles on, and by the least step beside, every half and every tie of two, and the floats beside those."""
    halves = np.unique(EVERY_HALF[np.isfinite(EVERY_HALF)].astype(np.float64))
    ties = np.concatenate([(halves[1:] + halves[:-1]) / 2, [65520.0, -65520.0]])
    near = np.concatenate([halves, ties])
    steps = [near, np.nextafter(near, np.inf), np.nextafter(near, -np.inf)]
    steps += [near * (1 + 2.0**-26), near * (1 - 2.0**-26), near.astype(np.float32).astype(np.float64)]
    return np.concatenate(steps)


def doubles() -> NDArray[np.float64]:
    generator = np.random.default_rng(0)
    anything = generator.integers(0, 1 << 64, 100_000, dtype=np.uint64).view(np.float64)
    moderate = generator.normal(size=100_000) * 10.0 ** generator.integers(-9, 6, 100_000)
    edges = values.edges(dtypes.double)
    found = np.concatenate([between_halves(), anything, moderate, edges, -edges])
    return np.resize(found, -(-found.size // 4) * 4)


@pytest.fixture(scope="module", params=[True, False], ids=["this processor", "no instructions for halves"])
def kernels(request: pytest.FixtureRequest) -> native.Kernels:
    sources = {}
    for to, source in ((dtypes.half, dtypes.double), (dtypes.half, dtypes.float), (dtypes.float, dtypes.half)):
        for lanes in (1, 4):
            size = (EVERY_HALF if source is dtypes.half else doubles()).size
            uops = elementwise(to, [source], lambda x, to=to: cast(x, to.vec(x.dtype.count)), size, lanes)
            sources[f"{source}_{to}_{lanes}"] = get_renderer("llvm").render(f"{source}_{to}_{lanes}", uops)
    return native.build_llvm(sources, host=request.param)


@pytest.mark.parametrize("source", [dtypes.double, dtypes.float], ids=str)
def test_floats_round_to_half_as_numpy_rounds_them(kernels: native.Kernels, source: DType) -> None:
    with np.errstate(all="ignore"):
        data = doubles().astype(source.numpy())
        wanted = data.astype(np.float16)
    for lanes in (1, 4):
        got = np.zeros_like(wanted)
        kernels(f"{source}_half_{lanes}", got, data)
        right = values.same(got, wanted)
        assert right.all(), (data[~right][:5], got[~right][:5], wanted[~right][:5])


def test_every_half_becomes_its_float(kernels: native.Kernels) -> None:
    wanted = EVERY_HALF.astype(np.float32)
    for lanes in (1, 4):
        got = np.zeros_like(wanted)
        kernels(f"half_float_{lanes}", got, EVERY_HALF)
        assert values.same(got, wanted).all()


def test_c_rounds_doubles_to_half_as_numpy_does() -> None:
    data = doubles()
    uops = elementwise(dtypes.half, [dtypes.double], lambda x: cast(x, dtypes.half), data.size)
    with np.errstate(all="ignore"):
        wanted = data.astype(np.float16)
    got = np.zeros_like(wanted)
    native.build_c({"k": get_renderer("c").render("k", uops)})("k", got, data)
    assert values.same(got, wanted).all()
