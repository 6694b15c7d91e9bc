"""Sizes of buffers, and random contents for them."""

from __future__ import annotations

import numpy as np
import pytest

from core.dtype import dtypes, image_dtype
from core.errors import RuntimeFailure
from core.ir.ops import Ops
from core.ir.uop import UOp
from core.runtime.buffers import aligned_zeros, buffer_sizes, outputs_of, random_inputs, random_variables
from core.shape import View
from tests.core.runtime.graphs import const, kernel, load, node, plain, same, store, strided, tracker, view

FLOAT = dtypes.float


def test_declared_sizes_win_over_what_is_reached():
    ast = kernel(store(0, plain(4), load(1, FLOAT, plain(4), size=10), size=6))
    assert buffer_sizes(ast) == {0: (FLOAT, 6), 1: (FLOAT, 10)}


def test_undeclared_sizes_are_what_the_views_reach():
    both = node(Ops.ADD, FLOAT, load(1, FLOAT, strided((4,), (2,), 1)), load(1, FLOAT, strided((4,), (-1,), 3)))
    assert buffer_sizes(kernel(store(0, plain(4), both))) == {0: (FLOAT, 4), 1: (FLOAT, 8)}


def test_images_have_the_size_of_their_texels():
    image = UOp(Ops.DEFINE_GLOBAL, image_dtype("imageh", (3, 5, 4)), (), 1)
    ast = kernel(store(0, plain(4), node(Ops.LOAD, FLOAT, image, view(plain(4)))))
    assert buffer_sizes(ast)[1] == (dtypes.half, 60)


def test_symbolic_sizes_are_for_the_given_or_the_greatest_values():
    n = UOp.variable("n", 1, 8)
    shape = tracker(View((n, 3), (3, 1), 0, None, True))
    ast = kernel(store(0, shape, load(1, FLOAT, shape)))
    assert buffer_sizes(ast) == {0: (FLOAT, 24), 1: (FLOAT, 24)}
    assert buffer_sizes(ast, {"n": 2}) == {0: (FLOAT, 6), 1: (FLOAT, 6)}
    assert {random_variables(ast, np.random.default_rng(seed))["n"] for seed in range(50)} == set(range(1, 9))


def test_a_buffer_that_is_no_pointer():
    no_pointer = UOp(Ops.DEFINE_GLOBAL, FLOAT, (), 0)
    ast = kernel(node(Ops.STORE, dtypes.void, no_pointer, view(plain(1)), const(FLOAT, 1.0, same(1))))
    with pytest.raises(RuntimeFailure, match="buffer 0 has the type float"):
        buffer_sizes(ast)


def test_outputs_are_ascending():
    one = const(FLOAT, 1.0, same(2))
    assert outputs_of(kernel(store(3, plain(2), one), store(1, plain(2), one))) == [1, 3]


@pytest.mark.parametrize("size", [1, 100])
def test_aligned_zeros(size):
    array = aligned_zeros(size, np.dtype(np.float32))
    assert array.ctypes.data % 64 == 0
    assert array.dtype == np.float32
    assert array.tolist() == [0.0] * size


def test_random_inputs_are_tame_and_the_same_for_the_same_seed():
    divisor = node(Ops.CAST, dtypes.int, load(2, dtypes.uchar, plain(300)))
    quotient = node(Ops.IDIV, dtypes.int, load(1, dtypes.int, plain(300)), divisor)
    root = node(Ops.SQRT, FLOAT, node(Ops.ADD, FLOAT, load(3, FLOAT, plain(300)), load(4, FLOAT, plain(300))))
    ast = kernel(store(0, plain(300), quotient), store(5, plain(300), root))
    inputs = random_inputs(ast, np.random.default_rng(3))
    assert list(inputs) == [1, 2, 3, 4]
    assert (inputs[1].min(), inputs[1].max()) == (-8, 8)
    assert inputs[2].min() > 0
    assert inputs[2].max() > 16
    assert inputs[3].min() > 0
    again = random_inputs(ast, np.random.default_rng(3))
    assert all(np.array_equal(inputs[number], again[number]) for number in inputs)


def test_random_floats_are_of_both_signs_where_they_may_be():
    ast = kernel(store(0, plain(300), node(Ops.ADD, FLOAT, load(1, FLOAT, plain(300)), load(2, FLOAT, plain(300)))))
    values = random_inputs(ast, np.random.default_rng(0))[1]
    assert (values.min(), values.max()) == (-2.0, 2.0)
    assert np.array_equal(values * 16, np.round(values * 16))


def test_bool_inputs():
    ast = kernel(store(0, plain(50), load(1, dtypes.bool, plain(50))))
    values = random_inputs(ast, np.random.default_rng(0))[1]
    assert values.dtype == np.bool_
    assert 0 < values.sum() < 50


def test_a_buffer_that_nothing_reads_has_no_random_contents():
    assert random_inputs(kernel(store(0, plain(2), const(FLOAT, 1.0, same(2)))), np.random.default_rng(0)) == {}
