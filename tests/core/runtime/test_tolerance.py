"""Tolerances: tight where results are exact or well-conditioned, wide where a right kernel may differ."""

from __future__ import annotations

import numpy as np

from core.dtype import dtypes
from core.ir.ops import Ops
from core.runtime.tolerance import spread, tolerance
from tests.core.runtime.graphs import const, kernel, load, node, plain, reduced, same, store

FLOAT = dtypes.float


def test_integers_are_exact():
    assert tolerance(dtypes.int, 1000) == (0.0, 0.0)
    ast = kernel(store(0, plain(1), reduced(Ops.ADD, load(1, dtypes.int, plain(100)), 0)))
    _, allowed = spread(ast, {1: np.arange(100, dtype=np.int32)})[0]
    assert allowed.tolist() == [0]


def test_tolerance_grows_with_the_terms_and_shrinks_with_the_precision():
    assert tolerance(FLOAT, 1) < tolerance(FLOAT, 100) < tolerance(dtypes.half, 100)
    assert tolerance(dtypes.double) < tolerance(FLOAT)
    assert tolerance(dtypes.half) < tolerance(dtypes.bfloat16)


def test_exact_sums_leave_only_the_floor():
    ast = kernel(store(0, plain(1), reduced(Ops.ADD, load(1, FLOAT, plain(64)), 0)))
    result, allowed = spread(ast, {1: np.arange(64, dtype=np.float32)})[0]
    assert result.tolist() == [2016]
    assert allowed.tolist() == [4 * np.spacing(np.float32(2016))]


def test_sums_in_any_order_are_within_the_spread():
    values = np.random.default_rng(0).standard_normal(2000).astype(np.float32)
    ast = kernel(store(0, plain(1), reduced(Ops.ADD, load(1, FLOAT, plain(2000)), 0)))
    result, allowed = spread(ast, {1: values})[0]
    rng = np.random.default_rng(1)
    for _ in range(50):
        total = np.add.accumulate(rng.permutation(values))[-1]
        assert abs(total - result[0]) <= allowed[0] < 1e-3


def test_cancellation_widens_the_spread():
    third = node(Ops.RECIP, FLOAT, load(1, FLOAT, plain(64)))
    total = node(Ops.ADD, FLOAT, node(Ops.MUL, FLOAT, third, const(FLOAT, 3.0, same(64))), const(FLOAT, -1.0, same(64)))
    _, allowed = spread(kernel(store(0, plain(64), total)), {1: np.full(64, 3.0, np.float32)})[0]
    assert 1e-8 < np.median(allowed) < 1e-5


def test_a_choice_that_hangs_on_the_last_bit_is_left_open():
    almost = node(Ops.MUL, FLOAT, node(Ops.RECIP, FLOAT, load(1, FLOAT, plain(64))), const(FLOAT, 3.0, same(64)))
    less = node(Ops.CMPLT, dtypes.bool, almost, const(FLOAT, 1.0, same(64)))
    picked = node(Ops.WHERE, FLOAT, less, const(FLOAT, float("nan"), same(64)), const(FLOAT, 2.0, same(64)))
    _, allowed = spread(kernel(store(0, plain(64), picked)), {1: np.full(64, 3.0, np.float32)}, samples=8)[0]
    assert np.isinf(allowed).any()


def test_the_same_seed_gives_the_same_spread():
    ast = kernel(store(0, plain(8), node(Ops.EXP2, FLOAT, load(1, FLOAT, plain(8)))))
    values = np.linspace(0.1, 1, 8, dtype=np.float32)
    first, second = (spread(ast, {1: values}, seed=5)[0][1] for _ in range(2))
    assert first.tolist() == second.tolist()
    assert np.all(first < 1e-5)
