"""The reference interpreter against plain numpy expressions."""

from __future__ import annotations

import numpy as np
import pytest

from core.dtype import dtypes, image_dtype
from core.errors import RuntimeFailure
from core.ir.ops import Ops
from core.ir.uop import UOp
from core.runtime.cases import read_case
from core.runtime.compare import compare
from core.runtime.interpreter import interpret
from core.runtime.lines import numbered_lines
from core.shape import View
from tests.core.runtime.graphs import (
    buffer,
    const,
    kernel,
    load,
    node,
    plain,
    reduced,
    same,
    store,
    strided,
    tracker,
    view,
)

FLOAT = dtypes.float


def random(*shape: int, dtype: object = np.float32, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def test_elementwise():
    a, b = random(3, 4), random(3, 4, seed=1)
    product = node(Ops.MUL, FLOAT, load(1, FLOAT, plain(3, 4)), load(2, FLOAT, plain(3, 4)))
    result = interpret(kernel(store(0, plain(3, 4), product)), {1: a, 2: b})
    assert list(result) == [0]
    assert np.array_equal(result[0], (a * b).ravel())


def matmul(m: int, k: int, n: int, dtype=FLOAT) -> UOp:
    left = load(1, dtype, strided((m, n, k), (k, 0, 1)))
    right = load(2, dtype, strided((m, n, k), (0, 1, n)))
    return reduced(Ops.ADD, node(Ops.MUL, dtype, left, right), 2)


def test_matmul():
    a, b = random(5, 7), random(7, 6, seed=1)
    result = interpret(kernel(store(0, strided((5, 6, 1), (6, 1, 0)), matmul(5, 7, 6))), {1: a, 2: b})[0]
    assert np.allclose(result, (a.astype(np.float64) @ b).ravel(), rtol=1e-6, atol=1e-6)


def test_softmax_like_two_reduces():
    a = random(4, 5)
    x = load(1, FLOAT, plain(4, 5))
    greatest = reduced(Ops.MAX, x, 1)
    total = reduced(Ops.ADD, node(Ops.EXP2, FLOAT, x), 1)
    result = interpret(kernel(store(0, plain(4, 1), node(Ops.MUL, FLOAT, greatest, total))), {1: a})[0]
    expected = a.max(axis=1) * np.exp2(a.astype(np.float64)).astype(np.float32).astype(np.float64).sum(axis=1)
    assert np.allclose(result, expected, rtol=1e-6)


def test_convolution_through_padded_views():
    image, weights = random(8, 8), random(3, 3, seed=1)
    # windows[y, x, dy, dx] = padded[y + dy, x + dx], the padded image being 10 by 10
    padded = View((10, 10), (8, 1), -9, ((1, 9), (1, 9)), False)
    windows = View((8, 8, 3, 3), (10, 1, 10, 1), 0, None, False)
    pixel = load(1, FLOAT, tracker(padded, windows))
    weight = load(2, FLOAT, strided((8, 8, 3, 3), (0, 0, 3, 1)))
    total = reduced(Ops.ADD, node(Ops.MUL, FLOAT, pixel, weight), 2, 3)
    result = interpret(kernel(store(0, strided((8, 8, 1, 1), (8, 1, 0, 0)), total)), {1: image, 2: weights})[0]

    around = np.pad(image, 1).astype(np.float64)
    expected = sum(around[y : y + 8, x : x + 8] * weights[y, x] for y in range(3) for x in range(3))
    assert np.allclose(result, expected.ravel(), rtol=1e-5, atol=1e-6)


def test_padding_is_what_valid_and_where_make_it():
    padded = strided((6,), (1,), -1, ((1, 5),))
    inside = node(Ops.VALID, dtypes.bool, view(strided((6,), (0,), 0, ((1, 5),))))
    picked = node(Ops.WHERE, FLOAT, inside, load(1, FLOAT, padded), const(FLOAT, 9.0, same(6)))
    assert interpret(kernel(store(0, plain(6), picked)), {1: np.ones(4, np.float32)})[0].tolist() == [9, 1, 1, 1, 1, 9]


def test_a_masked_constant_is_0_outside_of_its_mask():
    masked = const(FLOAT, 3.0, strided((4,), (0,), 0, ((1, 3),)))
    assert interpret(kernel(store(0, plain(4), masked)), {})[0].tolist() == [0, 3, 3, 0]


def test_a_masked_store_leaves_the_rest_as_it_was():
    given = np.full(6, 7, np.float32)
    value = load(1, FLOAT, strided((6,), (1,), -1, ((1, 5),)))
    result = interpret(kernel(store(0, strided((6,), (1,), 0, ((1, 5),)), value)), {0: given, 1: random(4)})[0]
    assert result.tolist() == [7, *random(4).tolist(), 7]
    assert given.tolist() == [7] * 6


def test_a_sum_over_an_axis_along_which_nothing_changes():
    total = reduced(Ops.ADD, const(dtypes.int, 3, same(2, 5)), 1)
    assert interpret(kernel(store(0, plain(2, 1), total)), {})[0].tolist() == [15, 15]


def test_several_outputs():
    x = load(2, FLOAT, plain(4))
    ast = kernel(store(0, plain(4), x), store(1, strided((4,), (-1,), 3), node(Ops.ADD, FLOAT, x, x)))
    result = interpret(ast, {2: np.arange(4, dtype=np.float32)})
    assert {number: array.tolist() for number, array in result.items()} == {0: [0, 1, 2, 3], 1: [6, 4, 2, 0]}


def test_a_kernel_reads_what_was_in_the_buffer_that_it_stores_to():
    flipped = load(0, FLOAT, strided((4,), (-1,), 3))
    given = np.arange(4, dtype=np.float32)
    assert interpret(kernel(store(0, plain(4), flipped)), {0: given})[0].tolist() == [3, 2, 1, 0]
    assert given.tolist() == [0, 1, 2, 3]


def test_a_load_after_a_store_reads_what_was_stored():
    first = store(0, plain(2), const(FLOAT, 5.0, same(2)))
    again = node(Ops.LOAD, FLOAT, buffer(0, FLOAT), view(plain(2)), first)
    assert interpret(kernel(store(1, plain(2), again)), {})[1].tolist() == [5, 5]


def test_local_memory_gives_back_what_was_stored():
    x = load(1, FLOAT, plain(2, 4))
    local = UOp(Ops.DEFINE_LOCAL, FLOAT.ptr(4, local=True), (), "temp0")
    stage = view(strided((1, 4), (0, 1)))
    staged = node(Ops.LOAD, FLOAT, local, stage, node(Ops.STORE, dtypes.void, local, stage, x))
    result = interpret(kernel(store(0, plain(2, 1), reduced(Ops.ADD, staged, 1))), {1: np.arange(8, dtype=np.float32)})
    assert result[0].tolist() == [6, 22]


def test_variables_as_values_and_in_shapes():
    n = UOp.variable("n", 1, 8)
    shape = tracker(View((n,), (1,), 0, None, True))
    value = node(Ops.DEFINE_VAR, dtypes.int, view(tracker(View((n,), (0,), 0, None, False))), arg=n.arg)
    ast = kernel(store(0, shape, node(Ops.ADD, dtypes.int, load(1, dtypes.int, shape), value)))
    assert interpret(ast, {1: np.array([1, 2, 3], np.int32)}, {"n": 3})[0].tolist() == [4, 5, 6]
    with pytest.raises(RuntimeFailure, match="variable 'n' has no value"):
        interpret(ast, {})


def test_images_are_stored_as_half():
    image = UOp(Ops.DEFINE_GLOBAL, image_dtype("imageh", (1, 1, 4)), (), 0)
    value = node(Ops.MUL, FLOAT, load(1, FLOAT, plain(4)), const(FLOAT, 0.1, same(4)))
    result = interpret(kernel(node(Ops.STORE, dtypes.void, image, view(plain(4)), value)), {1: np.ones(4, np.float32)})[
        0
    ]
    assert result.dtype == np.float16
    assert result.tolist() == [float(np.float16(0.1))] * 4


def test_a_deep_ast():
    depth = 20_000
    value = load(1, dtypes.int, plain(2))
    one = const(dtypes.int, 1, same(2))
    for _ in range(depth):
        value = node(Ops.ADD, dtypes.int, value, one)
    assert interpret(kernel(store(0, plain(2), value)), {1: np.zeros(2, np.int32)})[0].tolist() == [depth, depth]


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({1: np.zeros(3, np.float32)}, "buffer 1 has 3 elements; the kernel needs 4"),
        ({1: np.zeros(4, np.float64)}, "buffer 1 holds float64; the kernel expects float32"),
    ],
)
def test_inputs_that_do_not_fit(inputs, message):
    with pytest.raises(RuntimeFailure, match=message):
        interpret(kernel(store(0, plain(4), load(1, FLOAT, plain(4)))), inputs)


def test_a_view_that_leaves_its_buffer():
    ast = kernel(store(0, plain(4), load(1, FLOAT, strided((4,), (1,), 2), size=5)))
    with pytest.raises(RuntimeFailure, match="reads element 5 of buffer 1, which has 5"):
        interpret(ast, {})
    ast = kernel(store(0, strided((4,), (1,), 2), load(1, FLOAT, plain(4)), size=5))
    with pytest.raises(RuntimeFailure, match="writes element 5 of buffer 0, which has 5"):
        interpret(ast, {})


def test_the_limit_holds_for_what_is_broadcast_too():
    ast = kernel(store(0, strided((64, 64, 1), (64, 1, 0)), matmul(64, 64, 64)))
    with pytest.raises(RuntimeFailure, match="more than 100000 elements"):
        interpret(ast, {}, limit=100_000)
    assert interpret(ast, {}, limit=1 << 18)[0].tolist() == [0.0] * 4096


def test_an_op_that_no_ast_has():
    barrier = node(Ops.BARRIER, FLOAT, load(1, FLOAT, plain(4)))
    with pytest.raises(RuntimeFailure, match="cannot evaluate BARRIER"):
        interpret(kernel(store(0, plain(4), barrier)), {})


def test_the_cases_that_were_handed_over(shared_data):
    count = 0
    for line in numbered_lines(str(shared_data / "cases.jsonl")):
        case = read_case(line)
        result = interpret(case.ast, case.inputs, case.variables)
        for number, expected in case.outputs.items():
            assert compare(result[number], expected, case.rtol, case.atol) is None, case.name
        count += 1
    assert count == 18
