"""Each op on values at the edges of its dtype, against Python's own integers and fractions."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.dtype import dtypes, scalar_dtypes
from core.errors import RuntimeFailure
from core.ir.ops import Ops
from core.runtime.alu import apply, bitcast, cast, reduce, threefry

INTEGERS = [dtype for dtype in scalar_dtypes() if dtype.is_int]
FLOATS = [dtypes.half, dtypes.float, dtypes.double]


def wrapped(value: int, dtype) -> int:
    value &= (1 << dtype.bits) - 1
    return value - (1 << dtype.bits) if not dtype.is_unsigned and value >> (dtype.bits - 1) else value


def divided(a: int, b: int) -> int:
    return int(Fraction(a, b)) if b else 0


PYTHON = {
    Ops.ADD: lambda a, b: a + b,
    Ops.SUB: lambda a, b: a - b,
    Ops.MUL: lambda a, b: a * b,
    Ops.IDIV: divided,
    Ops.MOD: lambda a, b: a - divided(a, b) * b if b else 0,
    Ops.AND: lambda a, b: a & b,
    Ops.OR: lambda a, b: a | b,
    Ops.XOR: lambda a, b: a ^ b,
    Ops.MAX: max,
    Ops.CMPLT: lambda a, b: a < b,
    Ops.CMPNE: lambda a, b: a != b,
}


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
@pytest.mark.parametrize("op", PYTHON, ids=lambda op: op.name)
def test_integers(op, dtype):
    edges = [dtype.min, dtype.min + 1, dtype.max, dtype.max - 1, 0, 1, 2, 3, 7, 100]
    edges += [] if dtype.is_unsigned else [-1, -2, -7]
    a, b = (values.ravel() for values in np.meshgrid(np.array(edges, dtype.np_name), np.array(edges, dtype.np_name)))
    with np.errstate(all="ignore"):
        got = apply(op, dtypes.bool if op in (Ops.CMPLT, Ops.CMPNE) else dtype, (a, b))
    assert got.tolist() == [wrapped(PYTHON[op](x, y), dtype) for x, y in zip(a.tolist(), b.tolist(), strict=True)]


@pytest.mark.parametrize(("op", "all_out"), [(Ops.SHL, 0), (Ops.SHR, -1)], ids=["SHL", "SHR"])
def test_a_count_of_another_type_shifts_as_far_as_it_says(op, all_out):
    values = np.array([-100, -100, -100, -100, -100], np.int8)
    counts = np.array([1, 8, 256, -(2**15), 2**62 + 1], np.int64)
    within = wrapped(-200, dtypes.char) if op is Ops.SHL else -50
    assert apply(op, dtypes.char, (values, counts)).tolist() == [within, *[all_out] * 4]
    assert apply(op, dtypes.char, (values, counts.astype(np.uint64))).tolist() == [within, *[all_out] * 4]


def test_bool_arithmetic_is_that_of_c():
    a, b = np.array([False, False, True, True]), np.array([False, True, False, True])
    expected = {Ops.ADD: a | b, Ops.MUL: a & b, Ops.MAX: a | b, Ops.XOR: a ^ b, Ops.CMPLT: ~a & b, Ops.SUB: a ^ b}
    for op, value in expected.items():
        got = apply(op, dtypes.bool, (a, b))
        assert got.dtype == np.bool_
        assert got.tolist() == value.tolist(), op.name


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("op", [Ops.ADD, Ops.SUB, Ops.MUL, Ops.FDIV], ids=lambda op: op.name)
def test_floats_round_once(op, dtype):
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(500).astype(dtype.np_name) for _ in range(2))
    exact = {
        Ops.ADD: Fraction.__add__,
        Ops.SUB: Fraction.__sub__,
        Ops.MUL: Fraction.__mul__,
        Ops.FDIV: Fraction.__truediv__,
    }
    got = apply(op, dtype, (a, b))
    assert got.dtype == a.dtype
    for x, y, result in zip(a, b, got, strict=True):
        right = exact[op](Fraction(float(x)), Fraction(float(y)))
        mine = abs(Fraction(float(result)) - right)
        for neighbour in (np.nextafter(result, -np.inf, dtype=a.dtype), np.nextafter(result, np.inf, dtype=a.dtype)):
            assert mine <= abs(Fraction(float(neighbour)) - right)


@pytest.mark.parametrize(
    ("op", "function"),
    [
        (Ops.EXP2, math.exp2),
        (Ops.LOG2, math.log2),
        (Ops.SIN, math.sin),
        (Ops.SQRT, math.sqrt),
        (Ops.RECIP, lambda x: 1 / x),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_functions_of_floats(op, function):
    values = np.array([0.1, 0.5, 1.0, 3.0, 10.0, 1e-3], np.float32)
    assert apply(op, dtypes.float, (values,)).tolist() == [float(np.float32(function(x))) for x in values.tolist()]


def test_nan_and_infinities():
    nan, inf = math.nan, math.inf
    a, b = np.array([nan, 1.0, -inf, nan], np.float32), np.array([1.0, nan, inf, nan], np.float32)
    assert apply(Ops.CMPNE, dtypes.bool, (a, b)).all()
    assert apply(Ops.CMPLT, dtypes.bool, (a, b)).tolist() == [False, False, True, False]
    # (a < b) ? b : a
    assert np.array_equal(
        apply(Ops.MAX, dtypes.float, (a, b)), np.array([nan, 1.0, inf, nan], np.float32), equal_nan=True
    )


def test_where_picks_and_does_not_multiply():
    picked = apply(Ops.WHERE, dtypes.float, (np.array([True, False]), np.array([1.0, np.inf]), np.array([np.nan, 2.0])))
    assert picked.tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("counter", "key", "expected"),
    [  # Random123's kat_vectors, threefry2x32 with 20 rounds, low word first
        ((0, 0), (0, 0), (0x6B200159, 0x99BA4EFE)),
        ((0xFFFFFFFF, 0xFFFFFFFF), (0xFFFFFFFF, 0xFFFFFFFF), (0x1CB996FC, 0xBB002BE7)),
        ((0x243F6A88, 0x85A308D3), (0x13198A2E, 0x03707344), (0xC4923A9C, 0x483DF7A0)),
        # made by tinygrad 0.10.1's device PYTHON
        ((1, 0), (0x13198A2E, 0x03707344), (0x916A90D0, 0x0FC5DB96)),
        ((2, 3), (0x13198A2E, 0x03707344), (0x212C71EC, 0xB2C56F43)),
    ],
)
def test_threefry(counter, key, expected):
    def joined(words):
        return np.array([words[0] | words[1] << 32], np.uint64)

    assert threefry(joined(counter), joined(key)).tolist() == joined(expected).tolist()
    assert apply(Ops.THREEFRY, dtypes.ulong, (joined(counter), joined(key))).tolist() == joined(expected).tolist()


@given(st.floats(width=64, allow_nan=False, allow_infinity=False, min_value=-(2.0**31) + 1, max_value=2.0**31 - 1))
def test_floats_truncate_to_integers(value):
    assert cast(np.array([value]), dtypes.int).tolist() == [int(value)]
    assert cast(np.array([value]), dtypes.uchar).tolist() == [int(value) & 255]


def test_large_floats_to_unsigned():
    values = np.array([2.0**63, 2.0**64 - 2048, 1e30, np.nan, -np.inf])
    assert cast(values, dtypes.ulong).tolist() == [2**63, 2**64 - 2048, 0, 0, 0]


@pytest.mark.parametrize("to", INTEGERS, ids=str)
@pytest.mark.parametrize("source", INTEGERS, ids=str)
def test_integers_wrap_when_they_are_converted(source, to):
    values = [source.min, source.max, 0, 1, source.max // 3]
    assert cast(np.array(values, source.np_name), to).tolist() == [wrapped(value, to) for value in values]


def test_to_bool_and_back():
    assert cast(np.array([0.0, -0.0, 0.5, np.nan]), dtypes.bool).tolist() == [False, False, True, True]
    assert cast(np.array([True, False]), dtypes.float).tolist() == [1.0, 0.0]


def test_double_to_half_rounds_once():
    # just above the middle of two halves: by way of float it would become the middle, and then go down
    value = np.array([1 + 2.0**-11 + 2.0**-30])
    assert cast(value, dtypes.half).tolist() == [1 + 2.0**-10]


def test_bitcast():
    assert bitcast(np.array([1.0, -2.5], np.float32), dtypes.uint).tolist() == [0x3F800000, 0xC0200000]
    assert bitcast(np.array(1.0, np.float16), dtypes.short).tolist() == 0x3C00
    with pytest.raises(RuntimeFailure, match="changes the size"):
        bitcast(np.array([1.0]), dtypes.int)


def test_reduces_of_integers_wrap():
    values = np.array([[200, 100], [7, 9]], np.uint8)
    assert reduce(Ops.ADD, values, (1,)).tolist() == [[44], [16]]
    assert reduce(Ops.MUL, values, (0, 1)).tolist() == [[200 * 100 * 63 % 256]]
    assert reduce(Ops.MAX, values, (0,)).tolist() == [[200, 100]]
    assert reduce(Ops.MAX, np.array([-5, -3], np.int8), (0,)).tolist() == [-3]


def test_reduces_of_bool():
    values = np.array([[True, False], [True, True]])
    assert reduce(Ops.ADD, values, (1,)).tolist() == [[True], [True]]
    assert reduce(Ops.MUL, values, (1,)).tolist() == [[False], [True]]
    assert reduce(Ops.MAX, values, (0,)).tolist() == [[True, True]]


def test_floats_are_summed_more_exactly_than_their_type():
    values = np.array([1.0] + [2.0**-25] * 4096, np.float32)
    assert reduce(Ops.ADD, values, (0,)).tolist() == [1 + 2.0**-13]
    halves = np.array([2048.0] + [1.0] * 64, np.float16)
    assert reduce(Ops.ADD, halves, (0,)).tolist() == [2112.0]


def test_max_passes_over_nan():
    assert reduce(Ops.MAX, np.array([np.nan, -3.0, np.nan], np.float32), (0,)).tolist() == [-3.0]
    assert reduce(Ops.MAX, np.array([np.nan], np.float32), (0,)).tolist() == [-np.inf]


@pytest.mark.parametrize(("op", "identity"), [(Ops.ADD, 0), (Ops.MUL, 1), (Ops.MAX, -128)])
def test_a_reduce_of_nothing(op, identity):
    assert reduce(op, np.zeros((2, 0), np.int8), (1,)).tolist() == [[identity]] * 2


def test_what_has_no_meaning_is_refused():
    ones = np.ones(2, np.float32)
    with pytest.raises(RuntimeFailure, match="cannot evaluate XOR of float"):
        apply(Ops.XOR, dtypes.float, (ones, ones))
    with pytest.raises(RuntimeFailure, match="numpy has no type for bfloat16"):
        cast(ones, dtypes.bfloat16)
    with pytest.raises(RuntimeFailure, match="SHL is no reduce"):
        reduce(Ops.SHL, ones, (0,))
