"""The AST builder: the form of its ASTs, what its operations mean, and what it refuses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from core.builder import (
    BuildError,
    Expr,
    arange,
    buffer,
    const,
    conv2d,
    full,
    kernel,
    kernel_buffers,
    maximum,
    minimum,
    variable,
    where,
    windows,
)
from core.dtype import DType, dtypes, scalar_dtypes
from core.ir.ops import Ops
from core.ir.text import parse_uop
from core.ir.uop import UOp
from core.runtime.interpreter import interpret

Array = NDArray[Any]

REPOSITORY = Path(__file__).resolve().parents[2]
RNG = np.random.default_rng(5)
A34 = (RNG.integers(-32, 33, (3, 4)) / 16).astype(np.float32)
INTEGERS = [dtype for dtype in scalar_dtypes() if dtype.is_int]
N = variable("n", 1, 6)


def run(expr: Expr, variables: dict[str, int] | None = None, **arrays: Array) -> Array:
    """What the interpreter makes of the kernel of `expr`, in its shape where that is known."""
    numbers = kernel_buffers(expr)
    result = interpret(kernel(expr), {numbers[name]: array for name, array in arrays.items()}, variables)[0]
    return result.reshape(expr.shape) if all(isinstance(size, int) for size in expr.shape) else result


def floats(name: str, *shape: int) -> Expr:
    return buffer(name, shape)


def ints(name: str, *shape: int) -> Expr:
    return buffer(name, shape, dtypes.int)


def count(ast: UOp, op: Ops) -> int:
    return sum(node.op is op for node in ast.toposort())


def views(ast: UOp) -> list[str]:
    return [f"{node.arg.views[-1].shape}{node.arg.views[-1].strides}" for node in ast.toposort() if node.op is Ops.VIEW]


# ---- the form of the AST ------------------------------------------------------------------------------------------

x4, x6 = floats("x", 4), floats("x", 6)
CASES: dict[str, Expr] = {
    "idiv_negative_scaled_arange": arange(10) * -10 // 11,
    "idiv_descending_arange": (256 + arange(256) * -1) // 2,
    "idiv_realized_negative": ints("x", 4) // 4,
    "float_open_interval": (floats("x", 5) > 1) & (floats("x", 5) < 2),
    "uint8_add_wraps": buffer("x", (4,), dtypes.uchar) + 1,
    "int32_add_wraps": ints("x", 3) + 1,
    "float_to_int_truncates": x4.cast(dtypes.int),
    "nan_not_equal_itself": x4 != x4,
    "double_to_half": buffer("x", (5,), dtypes.double).cast(dtypes.half).cast(dtypes.float),
    "flip_pad_permute": floats("x", 2, 3, 4).permute(2, 0, 1).flip(0).pad([(0, 1), (0, 0), (1, 0)]) + 1,
    "int64_large": buffer("x", (3,), dtypes.long) + (1 << 33),
    "bitcast_float_uint": floats("x", 3).bitcast(dtypes.uint),
    "sin_large": x6.sin(),
    "repeat_expand_mean": floats("x", 6, 6).reshape(6, 1, 6).expand(6, 3, 6).mean((0, 1)),
    "argmax_like_where_max": (floats("x", 6, 6) * 2).max(1),
    "shift_like_mul_pow2_unsigned": buffer("x", (3,), dtypes.uint) * 16 // 4,
}


@pytest.mark.parametrize("name", CASES)
def test_an_ast_is_the_one_in_the_data(name: str, shared_data: Path) -> None:
    lines = (shared_data / "cases.jsonl").read_text().splitlines()
    texts = {case["name"]: case["ast"] for case in map(json.loads, lines)}
    assert kernel(CASES[name]) is parse_uop(texts[name])


def test_buffers_are_numbered_outputs_first_then_as_they_are_read() -> None:
    a, b, c = floats("a", 4), floats("b", 4), floats("c", 4)
    outputs = {"sum": c + a * b, "product": b * a}
    assert kernel_buffers(outputs) == {"sum": 0, "product": 1, "c": 2, "a": 3, "b": 4}
    stores = kernel(outputs).src
    assert [store.src[0].arg for store in stores] == [0, 1]
    assert kernel_buffers(a) == {"out": 0, "a": 1}


def test_buffers_have_their_size() -> None:
    defined = [node for node in kernel(buffer("a", (N, 4)).sum(1)).toposort() if node.op is Ops.DEFINE_GLOBAL]
    assert [str(node.dtype) for node in defined] == ["float.ptr(6)", "float.ptr(24)"]


def test_a_reduce_that_is_not_moved_keeps_its_axes() -> None:
    assert views(kernel(floats("a", 3, 4).sum(0) * floats("b", 4))) == ["(1, 4)(0, 1)", "(3, 4)(4, 1)"]


def test_the_axes_of_a_moved_reduce_come_last() -> None:
    ast = kernel(floats("a", 3, 4, 5).sum(1).T)
    assert views(ast) == ["(5, 3, 1)(3, 1, 0)", "(5, 3, 4)(1, 20, 5)"]
    assert ast.src[0].src[2].arg == (Ops.ADD, (2,))


def test_reduces_over_axes_of_one_size_share_an_axis() -> None:
    a, b = floats("a", 3, 4), floats("b", 4, 3)
    ast = kernel(a.sum(1) * a.max(1) + b.sum(0)[::-1])
    assert {node.arg[1] for node in ast.toposort() if node.op is Ops.REDUCE_AXIS} == {(1,)}
    np.testing.assert_array_equal(
        run(a.sum(1) * a.max(1) + b.sum(0)[::-1], a=A34, b=A34.reshape(4, 3)),
        A34.sum(1) * A34.max(1) + A34.reshape(4, 3).sum(0)[::-1],
    )


def test_arange_of_several_lengths_counts_along_one_axis() -> None:
    triangle = where(arange(3)[:, None] >= arange(5) - 1, floats("a", 3, 5), 0)
    value = np.arange(15, dtype=np.float32).reshape(3, 5)
    np.testing.assert_array_equal(run(triangle, a=value), np.tril(value, 1))


def test_the_same_expression_is_the_same_ast_in_every_process() -> None:
    program = (
        "from core.builder import *; from core.ir.rows import ast_digest\n"
        "a, b, c = buffer('a', (4, 6)), buffer('b', (6, 4)), buffer('c', (4, 1))\n"
        "print(ast_digest(kernel({'x': (a @ b + c).max(1), 'y': a.sum(1) * b.sum(0)[::-1] + arange(4)})))"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", program],
            cwd=REPOSITORY,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(digests) == 1


def test_a_deep_expression_does_not_recurse() -> None:
    expr = x4
    for _ in range(5000):
        expr = (expr + 1)[::-1]
    np.testing.assert_array_equal(run(expr, x=np.arange(4, dtype=np.float32)), [5000, 5001, 5002, 5003])


# ---- dtypes -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("a", "b"), list(product(INTEGERS, INTEGERS)), ids=str)
def test_integers_are_promoted_as_numpy_does(a: DType, b: DType) -> None:
    expected = np.result_type(a.numpy(), b.numpy())
    if expected.kind == "f":
        with pytest.raises(BuildError, match="no integer type holds both"):
            _ = buffer("a", (2,), a) + buffer("b", (2,), b)
    else:
        assert (buffer("a", (2,), a) + buffer("b", (2,), b)).dtype.numpy() == expected


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (dtypes.bool, dtypes.uchar, dtypes.uchar),
        (dtypes.bool, dtypes.half, dtypes.half),
        (dtypes.long, dtypes.half, dtypes.half),
        (dtypes.half, dtypes.float, dtypes.float),
        (dtypes.half, dtypes.bfloat16, dtypes.float),
        (dtypes.float, dtypes.double, dtypes.double),
        (dtypes.ulong, dtypes.double, dtypes.double),
    ],
    ids=str,
)
def test_what_else_is_promoted(a: DType, b: DType, expected: DType) -> None:
    x, y = buffer("x", (2,), a), buffer("y", (2,), b)
    assert (x * y).dtype is (y * x).dtype is where(x < y, x, y).dtype is expected


@pytest.mark.parametrize(
    ("dtype", "number", "expected"),
    [
        (dtypes.half, 1.5, dtypes.half),
        (dtypes.half, 2, dtypes.half),
        (dtypes.uchar, 2, dtypes.uchar),
        (dtypes.uchar, True, dtypes.uchar),
        (dtypes.uchar, 0.5, dtypes.float),
        (dtypes.bool, 2, dtypes.int),
        (dtypes.bool, True, dtypes.bool),
        (dtypes.double, 1e300, dtypes.double),
    ],
)
def test_a_number_takes_the_dtype_of_the_expression(dtype: DType, number: float, expected: DType) -> None:
    x = buffer("x", (2,), dtype)
    assert (x * number).dtype is (number + x).dtype is maximum(number, x).dtype is expected


@pytest.mark.parametrize(
    ("dtype", "total", "mean", "fraction"),
    [
        (dtypes.bool, dtypes.int, dtypes.float, dtypes.float),
        (dtypes.short, dtypes.int, dtypes.float, dtypes.float),
        (dtypes.uchar, dtypes.uint, dtypes.float, dtypes.float),
        (dtypes.ulong, dtypes.ulong, dtypes.float, dtypes.float),
        (dtypes.half, dtypes.half, dtypes.half, dtypes.half),
        (dtypes.double, dtypes.double, dtypes.double, dtypes.double),
    ],
    ids=str,
)
def test_the_dtypes_of_reduces_and_fractions(dtype: DType, total: DType, mean: DType, fraction: DType) -> None:
    x = buffer("x", (2, 3), dtype)
    assert x.sum(0).dtype is x.prod().dtype is total
    assert x.max(1).dtype is x.min(1).dtype is dtype
    assert x.mean().dtype is mean
    assert x.sqrt().dtype is (x / 3).dtype is (1 / x).dtype is x.tanh().dtype is (x / x).dtype is fraction
    assert (x < x).dtype is dtypes.bool


def test_half_is_added_up_in_float() -> None:
    value = np.full((1, 4096), 1.0, np.float16)
    value[0, 0] = 2048
    x = buffer("x", value.shape, dtypes.half)
    assert run(x.sum(1), x=value)[0] == 6144
    assert run(x.mean(1), x=value)[0] == 1.5


# ---- values -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("build", "compute"),
    [
        (lambda x: x.exp(), np.exp),
        (lambda x: x.exp2(), np.exp2),
        (lambda x: abs(x).log(), lambda v: np.log(np.abs(v))),
        (lambda x: abs(x).log2(), lambda v: np.log2(np.abs(v))),
        (lambda x: x.sin(), np.sin),
        (lambda x: abs(x).sqrt(), lambda v: np.sqrt(np.abs(v))),
        (lambda x: x.sigmoid(), lambda v: 1 / (1 + np.exp(-v))),
        (lambda x: x.tanh(), np.tanh),
        (lambda x: x.relu(), lambda v: np.maximum(v, 0)),
        (lambda x: x / 3, lambda v: v / 3),
        (lambda x: 2 / x, lambda v: 2 / v),
        (lambda x: x.mean(1), lambda v: v.mean(1)),
        (lambda x: x - x.mean(1, keepdims=True, recompute=True), lambda v: v - v.mean(1, keepdims=True)),
    ],
)
def test_functions_are_those_of_numpy(build: Callable[[Expr], Expr], compute: Callable[[Array], Array]) -> None:
    value = A34 + np.float32(0.03125)
    np.testing.assert_allclose(run(build(floats("x", 3, 4)), x=value), compute(value.astype(np.float64)), rtol=2e-6)


def test_comparisons_with_nan_are_those_of_numpy() -> None:
    value = np.array([np.nan, -np.inf, 0, np.inf, np.nan], np.float32)
    x, y = floats("x", 5), floats("x", 5).flip()
    compare: list[Callable[[Any, Any], Any]] = [
        lambda a, b: a < b,
        lambda a, b: a <= b,
        lambda a, b: a > b,
        lambda a, b: a >= b,
        lambda a, b: a == b,
        lambda a, b: a != b,
    ]
    for one in compare:
        np.testing.assert_array_equal(run(one(x, y), x=value), one(value, value[::-1]))
        np.testing.assert_array_equal(run(one(x, 0), x=value), one(value, 0))


def test_maximum_and_minimum_keep_a_nan_of_their_first_operand() -> None:
    value = np.array([np.nan, 1], np.float32)
    x = floats("x", 2)
    np.testing.assert_array_equal(run(maximum(x, 0.5), x=value), [np.nan, 1])
    np.testing.assert_array_equal(run(maximum(0.5, x), x=value), [0.5, 1])
    np.testing.assert_array_equal(run(minimum(x, 0.5), x=value), [np.nan, 0.5])
    np.testing.assert_array_equal(run(minimum(0.5, x), x=value), [0.5, 0.5])


def test_integer_division_truncates_and_wraps() -> None:
    value = np.array([-7, 7, -1, np.iinfo(np.int32).min], np.int32)
    x = ints("x", 4)
    np.testing.assert_array_equal(run(x // 2, x=value), [-3, 3, 0, -(1 << 30)])
    np.testing.assert_array_equal(run(x % 2, x=value), [-1, 1, -1, 0])
    np.testing.assert_array_equal(run(7 // x, x=value), [-1, 1, -7, 0])
    np.testing.assert_array_equal(run(x // (x - x), x=value), [0, 0, 0, 0])
    np.testing.assert_array_equal(run(-x, x=value), [7, -7, 1, np.iinfo(np.int32).min])


def test_negation_of_unsigned_integers_and_bool() -> None:
    x, b = buffer("x", (3,), dtypes.uchar), buffer("b", (2,), dtypes.bool)
    np.testing.assert_array_equal(run(-x, x=np.array([0, 1, 255], np.uint8)), [0, 255, 1])
    np.testing.assert_array_equal(run(x - 2, x=np.array([0, 1, 255], np.uint8)), [254, 255, 253])
    np.testing.assert_array_equal(run(~b, b=np.array([True, False])), [False, True])
    np.testing.assert_array_equal(run(-b, b=np.array([True, False])), [-1, 0])


@pytest.mark.parametrize(
    ("a", "b"),
    [((3, 4), (4, 5)), ((4,), (4, 5)), ((3, 4), (4,)), ((4,), (4,)), ((2, 1, 3, 4), (6, 4, 5)), ((1, 4), (4, 1))],
)
def test_matrix_products_are_those_of_numpy(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    x, y = (RNG.integers(-32, 33, shape).astype(np.float32) for shape in (a, b))
    np.testing.assert_array_equal(run(buffer("x", a) @ buffer("y", b), x=x, y=y), x @ y)


def test_arange_is_that_of_python() -> None:
    for start, stop, step in product((-3, 0, 2), (-4, 3, 7), (-2, -1, 1, 3)):
        if len(expected := list(range(start, stop, step))):
            assert run(arange(start, stop, step)).tolist() == expected
    assert run(arange(4, dtype=dtypes.float) / 2).tolist() == [0, 0.5, 1, 1.5]
    assert run(full((2, 3), 7, dtypes.uchar)).tolist() == [[7, 7, 7]] * 2
    assert run(const(2.5)).tolist() == 2.5


def test_iterating_goes_along_the_first_axis() -> None:
    first, second, third = floats("x", 3, 4)
    np.testing.assert_array_equal(run(first + second * third, x=A34), A34[0] + A34[1] * A34[2])


def test_a_gather_is_a_sum_over_positions() -> None:
    table, index = floats("table", 7), ints("index", 5)
    picked = where(arange(7) == index[:, None], table, 0).sum(1)
    values, where_from = RNG.random(7).astype(np.float32), np.array([6, 0, 3, 3, -1], np.int32)
    expected = np.where(where_from >= 0, values[where_from], 0)
    np.testing.assert_array_equal(run(picked, table=values, index=where_from), expected)


def correlated(x: Array, w: Array, stride: int, padding: int, dilation: int, groups: int) -> Array:
    """Position by position, tap by tap."""
    x = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    batch, out, (kh, kw) = len(x), len(w), w.shape[2:]
    rows = (x.shape[2] - dilation * (kh - 1) - 1) // stride + 1
    columns = (x.shape[3] - dilation * (kw - 1) - 1) // stride + 1
    result = np.zeros((batch, out, rows, columns))
    for o, channel in product(range(out), range(w.shape[1])):
        source = o // (out // groups) * w.shape[1] + channel
        for i, j, di, dj in product(range(rows), range(columns), range(kh), range(kw)):
            taken = x[:, source, i * stride + di * dilation, j * stride + dj * dilation]
            result[:, o, i, j] += taken * w[o, channel, di, dj]
    return result


@pytest.mark.parametrize(
    ("image", "weight", "stride", "padding", "dilation", "groups"),
    [
        ((1, 1, 4, 4), (1, 1, 3, 3), 1, 0, 1, 1),
        ((2, 3, 5, 6), (4, 3, 3, 2), 1, 1, 1, 1),
        ((1, 2, 7, 7), (2, 2, 2, 2), 2, 0, 1, 1),
        ((1, 2, 7, 5), (3, 2, 2, 1), 5, 1, 1, 1),
        ((1, 2, 7, 7), (2, 2, 3, 3), 1, 1, 2, 1),
        ((1, 4, 4, 4), (6, 2, 2, 2), 1, 0, 1, 2),
        ((2, 3, 3, 3), (3, 1, 3, 3), 1, 1, 1, 3),
        ((1, 2, 3, 3), (4, 2, 1, 1), 1, 0, 1, 1),
    ],
)
def test_a_convolution_is_what_it_says(
    image: tuple[int, ...], weight: tuple[int, ...], stride: int, padding: int, dilation: int, groups: int
) -> None:
    x, w = (RNG.integers(-4, 5, shape).astype(np.float32) for shape in (image, weight))
    made = conv2d(buffer("x", image), buffer("w", weight), stride, padding, dilation, groups)
    expected = correlated(x, w, stride, padding, dilation, groups)
    assert made.shape == expected.shape
    np.testing.assert_array_equal(run(made, x=x, w=w), expected)


def test_windows_are_those_of_numpy() -> None:
    x = np.arange(2 * 5 * 7, dtype=np.float32).reshape(2, 5, 7)
    expected = np.lib.stride_tricks.sliding_window_view(x, (2, 3), axis=(1, 2))
    np.testing.assert_array_equal(run(windows(floats("x", 2, 5, 7), (2, 3)), x=x), expected)
    np.testing.assert_array_equal(run(windows(floats("x", 2, 5, 7), (2, 3), 2), x=x), expected[:, ::2, ::2])


# ---- padding ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("build", "compute", "guarded"),
    [
        (lambda x: x, lambda v: v, False),
        (lambda x: x * 2, lambda v: v * 2, False),
        (lambda x: x + x.flip(0), lambda v: v + v[::-1], False),
        (lambda x: where(x < 0, x, x * 3), lambda v: np.where(v < 0, v, v * 3), False),
        (lambda x: x.cast(dtypes.int), lambda v: v.astype(np.int32), False),
        (lambda x: x + 1, lambda v: v + 1, True),
        (lambda x: x * float("inf"), lambda v: v * np.inf, True),
        (lambda x: -x, lambda v: -v, True),  # -0.0 is not the 0 of a padding
        (lambda x: x.exp2(), np.exp2, True),
        (lambda x: x < 1, lambda v: v < 1, True),
        (lambda x: ~x.bitcast(dtypes.uint), lambda v: ~v.view(np.uint32), True),
        (lambda x: x * 0 + arange(3)[:, None], lambda v: v * 0 + np.arange(3)[:, None], True),
    ],
)
def test_a_padding_is_zero_after_the_whole_expression(
    build: Callable[[Expr], Expr], compute: Callable[[Array], Array], guarded: bool
) -> None:
    expr = build(floats("x", 3, 4)).pad([(1, 0), (2, 3)])
    with np.errstate(all="ignore"):
        expected = np.pad(compute(A34), ((1, 0), (2, 3)))
    result = run(expr, x=A34)
    np.testing.assert_array_equal(result, expected)
    np.testing.assert_array_equal(np.signbit(result[0]), np.zeros(9, np.bool_))
    outer = kernel(expr).src[0].src[2]
    assert (outer.op is Ops.WHERE and outer.src[0].op is Ops.VALID) == guarded


def test_paddings_of_paddings_and_of_reduces() -> None:
    x = floats("x", 3, 4)
    nested = (x.exp2().pad([(1, 1), (0, 0)]) + 2).sum(1).exp2().pad([(1, 0)])[::-1]
    inner = np.pad(np.exp2(A34), ((1, 1), (0, 0))) + 2
    expected = np.pad(np.exp2(inner.sum(1)), (1, 0))[::-1]
    np.testing.assert_allclose(run(nested, x=A34), expected, rtol=1e-5)


def test_a_padding_that_is_cut_off_again_needs_no_mask() -> None:
    assert count(kernel((floats("x", 3, 4) + 1).pad([(1, 1), (0, 0)])[1:4]), Ops.VALID) == 0


# ---- reduces in one kernel ----------------------------------------------------------------------------------------


def test_reduces_of_reduces() -> None:
    x = floats("x", 3, 4)
    np.testing.assert_array_equal(run(x.sum(1).max(0), x=A34), A34.sum(1).max(0))
    np.testing.assert_array_equal(run(x.sum(1, keepdims=True).max(0), x=A34), A34.sum(1, keepdims=True).max(0))
    np.testing.assert_array_equal(run((x.sum(0)[::2] * 2).min(), x=A34), (A34.sum(0)[::2] * 2).min())


def test_a_softmax_in_one_kernel_computes_its_sums_again() -> None:
    x = floats("x", 3, 4)
    shifted = (x - x.max(1, keepdims=True, recompute=True)).exp()
    softmax = shifted.sum(1, keepdims=True, recompute=True).reciprocal() * shifted
    expected = np.exp(A34 - A34.max(1, keepdims=True))
    expected /= expected.sum(1, keepdims=True)
    np.testing.assert_allclose(run(softmax, x=A34), expected, rtol=1e-5)


# ---- variables ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 3, 6])
@pytest.mark.parametrize(
    ("expr", "compute"),
    [
        (buffer("x", (N, 4)) + 1, lambda v, n: v[:n] + 1),
        (buffer("x", (N, 4)).T, lambda v, n: v[:n].T),
        (buffer("x", (N, 4)).sum(0), lambda v, n: v[:n].sum(0)),
        (buffer("x", (N, 4)).mean(), lambda v, n: v[:n].mean()),
        (buffer("x", (N, 4)) @ buffer("x", (N, 4)).T, lambda v, n: v[:n] @ v[:n].T),
        (buffer("x", (N, 4)).reshape(-1), lambda v, n: v[:n].ravel()),
        (buffer("x", (6, 4))[:N], lambda v, n: v[:n]),
        (buffer("x", (6, 4))[N - 1], lambda v, n: v[n - 1]),
        (buffer("x", (6, 4)) * N, lambda v, n: v * n),
        (buffer("x", (N, 4)).pad([(1, 0), (0, 0)]) + 1, lambda v, n: np.pad(v[:n], ((1, 0), (0, 0))) + 1),
        (arange(N) * 2 + N, lambda v, n: np.arange(n) * 2 + n),
        (arange(N, N + 3), lambda v, n: np.arange(n, n + 3)),
    ],
)
def test_symbolic_shapes_slices_and_operands(expr: Expr, compute: Callable[[Array, int], Array], n: int) -> None:
    value = np.arange(24, dtype=np.float32).reshape(6, 4)
    if "x" not in kernel_buffers(expr):
        result = run(expr, {"n": n})
    else:
        # a buffer of symbolic shape has as many elements as its variables allow
        result = run(expr, {"n": n}, x=value)
    expected = np.asarray(compute(value, n), np.float32).ravel()
    np.testing.assert_allclose(result.ravel()[: expected.size], expected, rtol=1e-6)


# ---- what is refused ----------------------------------------------------------------------------------------------

a34, h4, b2 = floats("a", 3, 4), buffer("h", (4,), dtypes.half), buffer("b", (2,), dtypes.bool)
REFUSED: list[tuple[Callable[[], object], str]] = [
    (lambda: a34 + floats("c", 3), r"the shapes \(3,4\) and \(3,\) do not fit each other"),
    (lambda: a34 @ floats("c", 3, 4), r"no matrix product of the shapes \(3,4\) and \(3,4\)"),
    (lambda: a34 @ floats("c", 1, 4), r"no matrix product of the shapes \(3,4\) and \(1,4\)"),
    (lambda: const(1) @ a34, r"no matrix product of the shapes \(\) and \(3,4\)"),
    (lambda: a34 // 2, "IDIV is not defined on float; it takes integers"),
    (lambda: b2 % 2.0, "MOD is not defined on float"),
    (lambda: a34 & 1, "AND is not defined on float"),
    (lambda: ~a34, "XOR is not defined on float"),
    (lambda: buffer("u", (2,), dtypes.uchar) + 256, "256 is out of range of uchar, 0 to 255"),
    (lambda: buffer("u", (2,), dtypes.uint) * -1, "-1 is out of range of uint"),
    (lambda: const(1.5, dtypes.int), "1.5 is no value of int"),
    (lambda: const(float("nan"), dtypes.int), "nan is no value of int"),
    (lambda: a34 + 10**400, "is out of range of float"),
    (lambda: a34 + "1", "'1' is no operand"),
    (lambda: a34.bitcast(dtypes.half), "a bitcast from float to half would change the number of bits"),
    (lambda: a34.cast(dtypes.float.vec(4)), r"not of float.vec\(4\)"),
    (lambda: buffer("x", (2,), dtypes.void), "not of void"),
    (lambda: buffer("x", (2, 0)), r"buffer 'x' of the shape \(2,0\): a size is not above 0"),
    (lambda: buffer("", (2,)), "a buffer needs a name"),
    (lambda: a34.sum(2), r"axis \(2,\) is out of range for the shape \(3,4\)"),
    (lambda: a34.sum((0, -2)), r"axis \(0,-2\) names an axis of the shape \(3,4\) twice"),
    (lambda: a34.reshape(5, 2), r"cannot reshape \(3,4\) to \(5,2\): the numbers of elements differ"),
    (lambda: a34.reshape(5, -1), r"cannot reshape \(3,4\) to \(5,-1\): nothing fits for the -1"),
    (lambda: a34.reshape(-1, -1), r"the shape \(-1,-1\) has more than one -1"),
    (lambda: a34.permute(0, 0), r"cannot permute 2 axes by \(0,0\)"),
    (lambda: a34.expand(3, 8), r"cannot expand \(3,4\) to \(3,8\)"),
    (lambda: a34.pad([(0, 0)]), r"cannot pad \(3,4\)"),
    (lambda: a34.pad([(0, -1), (0, 0)]), "an amount is negative"),
    (lambda: a34.shrink([(0, 4), (0, 4)]), r"cannot shrink \(3,4\)"),
    (lambda: a34.shrink([(1, 1), (0, 4)]), r"shrink leaves nothing of the shape \(3,4\)"),
    (lambda: a34[3], r"index 3 is out of range for an axis of 3 in the shape \(3,4\)"),
    (lambda: a34[0, 0, 0], r"3 indices are too many for the shape \(3,4\)"),
    (lambda: a34[..., ...], "2 indices are too many"),
    (lambda: a34[2:1], "takes nothing from an axis of 3"),
    (lambda: a34[::0], "the step of a slice is 0"),
    (lambda: a34[1.0], "1.0 is no index"),
    (lambda: a34[True], "True is no index"),
    (lambda: a34["a":2:1], "is no slice of integers"),
    (lambda: a34[:N:2], "a slice of symbolic size counts from the front and has step 1"),
    (lambda: list(const(1)), r"cannot iterate over the shape \(\)"),
    (lambda: list(buffer("x", (N,))), r"cannot iterate over the shape \(n,\)"),
    (lambda: bool(a34 < 1), "the truth of an expression is not known"),
    (lambda: arange(3, 3), "may be empty"),
    (lambda: arange(3, 0, 0), "the step of arange is 0"),
    (lambda: arange(N - 1), "may be empty"),
    (lambda: arange(0, N, 2), "arange of symbolic bounds has step 1"),
    (lambda: variable("2n", 1, 2), "'2n' is no name of a variable"),
    (lambda: variable("n", 3, 2), r"variable n has no range of 32-bit integers: \[3, 2\]"),
    (lambda: windows(h4, (1, 1)), r"two axes of known size, not of the shape \(4,\)"),
    (lambda: windows(a34, (4, 4)), r"windows of \(4,4\) do not fit into the shape \(3,4\)"),
    (lambda: windows(a34, (1, 1), 0), "stride 0 and dilation 1: each is at least 1"),
    (lambda: conv2d(a34, a34), "a convolution takes two arrays of four axes"),
    (lambda: conv2d(floats("x", 1, 3, 4, 4), floats("w", 4, 2, 1, 1)), "do not fit each other in 1 groups"),
    (lambda: kernel({}), "a kernel needs an output"),
    (lambda: kernel({"x": a34, "y": h4}), r"have one shape: 'x' has \(3,4\), 'y' \(4,\)"),
    (lambda: kernel({"a": a34 + 1}), "buffer 'a' is read; the output needs a name of its own"),
    (lambda: kernel(a34 + floats("a", 4)), r"buffer 'a' is used as float \(3,4\) and as float \(4,\)"),
    (lambda: kernel(h4 + buffer("h", (4,))), r"used as half \(4,\) and as float \(4,\)"),
    (lambda: kernel(a34 / a34.sum(1, keepdims=True)), r"the sum over axes \(1,\) of the shape \(3,4\) is repeated to"),
    (lambda: kernel(a34 - a34.max()), r"the maximum over axes \(0,1\) of the shape \(3,4\) is repeated to"),
    (lambda: kernel(a34.prod(0) @ floats("w", 4, 2)), "so each element would compute it again"),
    (
        lambda: kernel(a34.sum() * floats("c", 5).sum()),
        r"stand side by side instead of one within the other: the first .* has no axis for \(5,\)",
    ),
]


@pytest.mark.parametrize(("build", "message"), REFUSED, ids=[message[:40] for _, message in REFUSED])
def test_what_does_not_fit_is_refused_in_one_sentence(build: Callable[[], object], message: str) -> None:
    with pytest.raises(BuildError, match=message) as caught:
        build()
    assert "\n" not in str(caught.value)


# ---- the documentation --------------------------------------------------------------------------------------------


def test_the_examples_in_the_documentation_run() -> None:
    blocks = (REPOSITORY / "docs" / "builder.md").read_text(encoding="utf-8").split("```python\n")[1:]
    program = "".join([block.partition("```")[0] for block in blocks])
    ran = subprocess.run([sys.executable, "-c", program], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert "void r_" in ran.stdout
