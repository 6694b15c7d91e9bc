"""Random expressions: what numpy makes of them, step by step, against the interpreter on the AST of the builder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from core.builder import BuildError, Expr, arange, buffer, kernel, kernel_buffers, maximum, minimum, where
from core.dtype import DType, dtypes
from core.runtime.interpreter import interpret

Array = NDArray[Any]
DTYPES = (dtypes.float, dtypes.half, dtypes.int, dtypes.long, dtypes.uchar, dtypes.short, dtypes.uint, dtypes.bool)
SIZES = (1, 2, 3, 4)
MAX_ELEMENTS = 200


@dataclass
class Pair:
    """An expression and its value."""

    expr: Expr
    value: Array


@dataclass
class Program:
    """Draws expressions. `arrays` are the contents of the buffers by name."""

    draw: Callable[..., Any]
    arrays: dict[str, Array] = field(default_factory=dict)

    def choice(self, items: Any) -> Any:
        return self.draw(st.sampled_from(items))

    # ---- leaves -----------------------------------------------------------------------------------------------------

    def leaf(self, shape: tuple[int, ...] | None = None) -> Pair:
        if shape is None:
            shape = tuple(self.draw(st.lists(st.sampled_from(SIZES), max_size=3)))
            if not shape or self.draw(st.integers(0, 7)):
                return self.buffer(shape)
            start, step = self.draw(st.integers(-5, 5)), self.choice((-3, -1, 1, 2))
            values = np.arange(start, start + shape[0] * step, step, dtype=np.int32)
            return Pair(arange(start, start + shape[0] * step, step), values)
        return self.buffer(shape)

    def buffer(self, shape: tuple[int, ...]) -> Pair:
        dtype = self.choice(DTYPES)
        name = f"b{len(self.arrays)}"
        rng = np.random.default_rng(self.draw(st.integers(0, 1000)))
        if dtype.is_float:
            array = rng.integers(-32, 33, shape) / 16
        elif dtype.is_bool:
            array = rng.integers(0, 2, shape)
        else:
            array = rng.integers(0 if dtype.is_unsigned else -9, 10, shape)
        self.arrays[name] = np.asarray(array).astype(dtype.numpy())
        return Pair(buffer(name, shape, dtype), self.arrays[name])

    # ---- steps ------------------------------------------------------------------------------------------------------

    def step(self, pair: Pair) -> Pair:
        kind = self.choice(("move", "move", "binary", "binary", "unary", "reduce"))
        return {"move": self.move, "binary": self.binary, "unary": self.unary, "reduce": self.reduce}[kind](pair)

    def move(self, pair: Pair) -> Pair:
        expr, value = pair.expr, pair.value
        kind = self.choice(("reshape", "permute", "expand", "pad", "flip", "index", "newaxis"))
        if kind == "reshape":
            shape = self.choice(factorings(value.size))
            return Pair(expr.reshape(shape), value.reshape(shape))
        if kind == "permute":
            order = self.draw(st.permutations(range(value.ndim)))
            return Pair(expr.permute(order), value.transpose(order))
        if kind == "expand":
            sizes = [self.choice(SIZES) if size == 1 else size for size in value.shape]
            return Pair(expr.expand(sizes), np.broadcast_to(value, sizes))
        if kind == "pad":
            amounts = [(self.draw(st.integers(0, 2)), self.draw(st.integers(0, 1))) for _ in value.shape]
            return Pair(expr.pad(amounts), np.pad(value, amounts) if amounts else value)
        if kind == "flip":
            axes = tuple([axis for axis in range(value.ndim) if self.draw(st.booleans())])
            return Pair(expr.flip(axes), np.flip(value, axes))
        if kind == "newaxis":
            return Pair(expr[..., None], value[..., None])
        key = tuple([self.index(size) for size in value.shape])
        return Pair(expr[key], value[key])

    def index(self, size: int) -> int | slice:
        first, second = self.draw(st.integers(0, size - 1)), self.draw(st.integers(0, size - 1))
        step = self.draw(st.integers(1, 2))
        low, high = min(first, second), max(first, second)
        return self.choice(
            (first, first - size, slice(low, high + 1, step), slice(None, None, -step), slice(low, None))
        )

    def unary(self, pair: Pair) -> Pair:
        expr, value = pair.expr, pair.value
        kind = self.choice(("neg", "abs", "cast", "cast", "invert", "scalar", "sqrt", "reciprocal", "bitcast"))
        if kind == "cast":
            dtype = self.choice(DTYPES)
            return Pair(expr.cast(dtype), as_c_casts(value, dtype)) if castable(value, dtype) else pair
        if kind == "scalar":
            number = self.draw(st.integers(0, 7))
            return Pair(number + expr * number, wrapped(value, value.dtype, lambda v, n: n + v * n, number))
        if kind == "bitcast":
            other = {dtypes.float: dtypes.uint, dtypes.uint: dtypes.int, dtypes.half: dtypes.short}.get(expr.dtype)
            return pair if other is None else Pair(expr.bitcast(other), value.view(other.numpy()))
        if kind == "invert":
            return pair if expr.dtype.is_float else Pair(~expr, ~value)
        if kind in ("sqrt", "reciprocal"):
            wide = value if value.dtype.kind == "f" else value.astype(np.float32)
            made = expr.sqrt() if kind == "sqrt" else expr.reciprocal()
            return Pair(made, np.sqrt(wide) if kind == "sqrt" else (1 / wide).astype(wide.dtype))
        if kind == "abs":
            return Pair(abs(expr), np.where(value < 0, -value, value) if value.dtype.kind in "if" else value)
        number = value.astype(np.int32) if value.dtype.kind == "b" else value
        return Pair(-expr, -number)

    def binary(self, pair: Pair) -> Pair:
        other = self.leaf() if self.draw(st.booleans()) else self.leaf(self.broadcastable(pair.value.shape))
        if self.draw(st.booleans()):
            other = self.move(other)
        try:
            shape = np.broadcast_shapes(pair.value.shape, other.value.shape)
        except ValueError:
            with pytest.raises(BuildError, match="do not fit each other"):
                _ = pair.expr + other.expr
            return pair
        if np.prod(shape) > MAX_ELEMENTS:
            return pair
        a, b = (pair, other) if self.draw(st.booleans()) else (other, pair)
        x, y = brought_together(a.value, b.value)
        integral = x.dtype.kind != "f"
        names = ["add", "sub", "mul", "max", "min", "lt", "le", "gt", "ge", "eq", "ne", "where", "div"]
        names += ["and", "or", "xor"] * integral + ["idiv", "mod"] * (x.dtype.kind in "iu")
        name = self.choice(names)
        return Pair(BUILD[name](a.expr, b.expr), COMPUTE[name](x, y))

    def broadcastable(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        kept = shape[self.draw(st.integers(0, len(shape))) :]
        return tuple([1 if self.draw(st.integers(0, 3)) == 0 else size for size in kept])

    def reduce(self, pair: Pair) -> Pair:
        expr, value = pair.expr, pair.value
        axes = tuple([axis for axis in range(value.ndim) if self.draw(st.booleans())])
        keepdims, name = self.draw(st.booleans()), self.choice(("sum", "max", "min", "prod"))
        made = getattr(expr, name)(axes, keepdims, recompute=self.draw(st.integers(0, 3)) > 0)
        if name in ("max", "min"):
            if value.dtype.kind == "b":
                return Pair(made, (np.any if name == "max" else np.all)(value, axis=axes, keepdims=keepdims))
            if all(value.shape[axis] == 1 for axis in axes):  # there is nothing to choose from, a nan stays
                return Pair(made, value if keepdims else np.squeeze(value, axes))
            best = np.fmax if name == "max" else np.fmin
            worst = extreme(value.dtype, name)
            return Pair(made, best.reduce(value, axis=axes, keepdims=keepdims, initial=worst))
        return Pair(made, added(np.sum if name == "sum" else np.prod, value, axes, keepdims))


# ---- what each operation is, in numpy -----------------------------------------------------------------------------

BUILD: dict[str, Callable[[Expr, Expr], Expr]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "idiv": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "max": maximum,
    "min": minimum,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "where": lambda a, b: where(a, b, a),
}


def divided(a: Array, b: Array) -> Array:
    """Truncated toward zero, of a divisor of 0 it is 0; in Python's integers."""
    quotient = [0 if y == 0 else abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1) for x, y in flat_pairs(a, b)]
    return as_integers(quotient, a, b)


def remainder(a: Array, b: Array) -> Array:
    rest = [0 if y == 0 else abs(x) % abs(y) * (-1 if x < 0 else 1) for x, y in flat_pairs(a, b)]
    return as_integers(rest, a, b)


def flat_pairs(a: Array, b: Array) -> list[tuple[int, int]]:
    x, y = np.broadcast_arrays(a, b)
    return list(zip(x.ravel().tolist(), y.ravel().tolist(), strict=True))


def as_integers(values: list[int], a: Array, b: Array) -> Array:
    bits = 8 * a.dtype.itemsize
    unsigned = [value & (1 << bits) - 1 for value in values]
    return np.array(unsigned, np.uint64).astype(a.dtype).reshape(np.broadcast_shapes(a.shape, b.shape))


def quotient(a: Array, b: Array) -> Array:
    if a.dtype.kind != "f":
        a, b = a.astype(np.float32), b.astype(np.float32)
    return a * (1 / b).astype(a.dtype)


COMPUTE: dict[str, Callable[[Array, Array], Array]] = {
    "add": np.add,
    "sub": lambda a, b: a.astype(np.int32) - b if a.dtype.kind == "b" else a - b,
    "mul": np.multiply,
    "div": quotient,
    "idiv": divided,
    "mod": remainder,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "max": lambda a, b: np.where(a < b, b, a),
    "min": lambda a, b: np.where(b < a, b, a),
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "eq": np.equal,
    "ne": np.not_equal,
    "where": lambda a, b: np.where(a != 0, b, a),
}


def brought_together(a: Array, b: Array) -> tuple[Array, Array]:
    """Both in the dtype that the builder promises: numpy's for integers, the float's for an integer and a float."""
    kinds = a.dtype.kind + b.dtype.kind
    if kinds in ("fi", "fu"):
        dtype = a.dtype
    elif kinds in ("if", "uf"):
        dtype = b.dtype
    else:
        dtype = np.result_type(a.dtype, b.dtype)
    return a.astype(dtype), b.astype(dtype)


def wrapped(value: Array, dtype: np.dtype[Any], compute: Callable[[Array, Array], Array], number: int) -> Array:
    dtype = np.dtype(np.int32) if dtype.kind == "b" else dtype
    return compute(value.astype(dtype), np.array(number).astype(dtype)).astype(dtype)


def castable(value: Array, dtype: DType) -> bool:
    """Whether C defines the conversion of all of `value`."""
    if value.dtype.kind != "f" or not dtype.is_int:
        return True
    return bool(np.all(np.isfinite(value) & (value > dtype.min - 1) & (value < float(dtype.max))))


def as_c_casts(value: Array, dtype: DType) -> Array:
    return value != 0 if dtype.is_bool else value.astype(dtype.numpy())


def added(compute: Callable[..., Array], value: Array, axes: tuple[int, ...], keepdims: bool) -> Array:
    kind = value.dtype.kind
    if kind == "f":
        total = compute(value.astype(np.float64), axis=axes, keepdims=keepdims)
        return np.asarray(total).astype(np.float32).astype(value.dtype)
    dtype = value.dtype
    if kind == "b" or dtype.itemsize < 4:
        dtype = np.dtype(np.uint32 if kind == "u" else np.int32)
    return compute(value.astype(dtype), axis=axes, keepdims=keepdims, dtype=dtype)


def extreme(dtype: np.dtype[Any], name: str) -> Any:
    if dtype.kind == "f":
        return dtype.type(-np.inf if name == "max" else np.inf)
    return np.iinfo(dtype).min if name == "max" else np.iinfo(dtype).max


def factorings(size: int) -> list[tuple[int, ...]]:
    divisors = [d for d in range(1, size + 1) if size % d == 0]
    return [(size,), *[(d, size // d) for d in divisors], *[(d, 1, size // d) for d in divisors[:3]]]


# ---- the test -----------------------------------------------------------------------------------------------------


def refused(expr: Expr) -> str:
    """Why one kernel cannot compute `expr`, or nothing."""
    try:
        kernel(expr)
    except BuildError as error:
        return str(error)
    return ""


@settings(max_examples=600)
@given(st.data())
def judge(outcomes: Counter[str], data: st.DataObject) -> None:
    program = Program(data.draw)
    with np.errstate(all="ignore"):
        pair = program.leaf()
        for _ in range(data.draw(st.integers(1, 7))):
            pair = program.step(pair)
            if pair.value.size > MAX_ELEMENTS:
                break
    expr, expected = pair.expr, np.asarray(pair.value)
    assert expr.shape == expected.shape
    assert expr.dtype.numpy() == expected.dtype
    refusal = refused(expr)
    outcomes["refused" if refusal else "built"] += 1
    if refusal:
        assert "each element would compute it again" in refusal or "stand side by side" in refusal
        return

    ast, numbers = kernel(expr), kernel_buffers(expr)
    inputs = {numbers[name]: array for name, array in program.arrays.items() if name in numbers}
    result = interpret(ast, inputs)[0]
    np.testing.assert_array_equal(result.reshape(expected.shape), expected, err_msg=repr(ast))


def test_a_random_expression_is_what_numpy_makes_of_it() -> None:
    outcomes: Counter[str] = Counter()
    judge(outcomes)
    # nearly all of them are one kernel: the builder refuses little
    assert outcomes["built"] > 20 * outcomes["refused"]
