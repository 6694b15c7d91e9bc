from __future__ import annotations

import math
import re

import numpy as np
import pytest

from core.dtype import DType, dtypes
from core.render import get_renderer
from core.render.literals import decimal, float_bits, rounded
from tests.core.render import native, values
from tests.core.render.programs import buffer, const, program, store


def test_every_half_is_read_back_from_the_float_that_its_digits_are() -> None:
    """C has no literals of half: the digits are read as float and converted, which must not round twice."""
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    halves = halves[np.isfinite(halves)]
    read = np.array([np.float32(decimal(dtypes.half, float(half))) for half in halves]).astype(np.float16)
    assert (read.view(np.uint16) == halves.view(np.uint16)).all()


def test_floats_and_doubles_are_read_back() -> None:
    generator = np.random.default_rng(0)
    for dtype, raw in ((dtypes.float, np.uint32), (dtypes.double, np.uint64)):
        data = generator.integers(0, np.iinfo(raw).max, 20_000, dtype=raw, endpoint=True).view(dtype.numpy())
        for value in [*data[np.isfinite(data)].tolist(), *values.edges(dtype).tolist()]:
            if math.isfinite(value):
                text = decimal(dtype, value)
                assert dtype.numpy().type(text).tobytes() == dtype.numpy().type(value).tobytes()
                assert re.fullmatch(r"-?\d+(\.\d+|\.\d+e[-+]\d+|e[-+]\d+)", text)


def test_the_digits_are_the_fewest() -> None:
    assert decimal(dtypes.float, 0.1) == "0.1"
    assert decimal(dtypes.float, float(np.float32(0.1))) == "0.1"
    assert decimal(dtypes.double, float(np.float32(0.1))) == "0.10000000149011612"
    assert decimal(dtypes.half, 1 / 3) == "0.3333"


def test_zeros_keep_their_sign() -> None:
    assert [decimal(dtypes.float, value) for value in (0.0, -0.0, 0.0)] == ["0.0", "-0.0", "0.0"]


@pytest.mark.parametrize(
    ("dtype", "value", "result"),
    [
        (dtypes.half, 65519.0, 65504.0),
        (dtypes.half, 65520.0, math.inf),
        (dtypes.half, -1e30, -math.inf),
        (dtypes.float, 1e39, math.inf),
        (dtypes.float, 1e-50, 0.0),
        (dtypes.double, 1e300, 1e300),
        (dtypes.float, math.inf, math.inf),
    ],
    ids=str,
)
def test_values_are_rounded_to_their_type(dtype: DType, value: float, result: float) -> None:
    assert rounded(dtype, value) == result


def test_bits() -> None:
    assert float_bits(dtypes.half, 1.0) == 0x3C00
    assert float_bits(dtypes.float, -0.0) == 0x80000000
    assert float_bits(dtypes.double, math.nan) == 0x7FF8000000000000
    assert float_bits(dtypes.float, math.copysign(math.nan, -1)) == 0x7FC00000


# ---- in the sources ---------------------------------------------------------------------------------------------

CONSTANTS = [(dtype, value) for dtype in values.ALL for value in values.edges(dtype).tolist()]


@pytest.mark.parametrize("backend", ["c", "llvm"])
def test_constants_arrive_to_the_bit(backend: str) -> None:
    sources = {}
    for dtype in values.ALL:
        for lanes in (1, 2):
            stores = [
                store(buffer(0, dtype), lanes * i, const(dtype.vec(lanes), value))
                for i, value in enumerate(values.edges(dtype).tolist())
            ]
            sources[f"{dtype}_{lanes}"] = get_renderer(backend).render(f"{dtype}_{lanes}", program(*stores))
    kernels = native.BUILDERS[backend](sources)
    for dtype in values.ALL:
        wanted = values.edges(dtype)
        for lanes in (1, 2):
            got = np.zeros(wanted.size * lanes, dtype.numpy())
            kernels(f"{dtype}_{lanes}", got)
            assert values.same(got, np.repeat(wanted, lanes)).all()


@pytest.mark.parametrize(
    ("dtype", "value", "text"),
    [
        (dtypes.bool, True, "1"),
        (dtypes.char, -128, "-128"),
        (dtypes.int, -(2**31), "-2147483647-1"),
        (dtypes.uint, 2**32 - 1, "4294967295u"),
        (dtypes.long, -(2**63), "-9223372036854775807ll-1"),
        (dtypes.ulong, 2**64 - 1, "18446744073709551615ull"),
        (dtypes.float, 1.0, "1.0f"),
        (dtypes.float, -0.0, "-0.0f"),
        (dtypes.float, math.inf, "__builtin_inff()"),
        (dtypes.double, -math.inf, "(double)-__builtin_inff()"),
        (dtypes.double, 1e22, "1e+22"),
        (dtypes.half, 0.1, "(_Float16)0.1f"),
        (dtypes.half, math.nan, '(_Float16)__builtin_nanf("")'),
        (dtypes.float.vec(2), 1.5, "(float2){1.5f,1.5f}"),
    ],
    ids=str,
)
def test_how_c_writes_constants(dtype: DType, value: float, text: str) -> None:
    source = get_renderer("c").render("k", program(store(buffer(0, dtype.scalar()), 0, const(dtype, value))))
    assert f" = {text};\n" in source
