"""Folding changes no value: every rule and random expressions against brute force, negative values included."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.dtype import DType, dtypes
from core.ir.ops import Ops
from core.ir.symbolic import SYMBOLIC
from core.ir.trace import tracing
from core.ir.uop import UOp, folded, rebuild

CONSTANTS = (0, 1, 2, 3, 4, 5, 7, 8, 11, 12, 16, 32, -1, -2, -3, -4, -8, -10)
DIVISORS = (1, 2, 3, 4, 6, 8, 11, 12, -1, -2, -3, -4)


def c_div(a: int, b: int) -> int:
    """Division as in C; what C leaves undefined, dividing by zero, is 0 here."""
    if b == 0:
        return 0
    return abs(a) // abs(b) * (-1 if (a < 0) != (b < 0) else 1)


def wrapped(dtype: DType, value: int) -> int:
    if dtype is dtypes.bool:
        return int(value != 0)
    value %= 1 << dtype.bits
    return value if dtype.is_unsigned or value < 1 << (dtype.bits - 1) else value - (1 << dtype.bits)


def oracle(root: UOp, values: Mapping[UOp, int]) -> int:
    """The value of an integer or bool expression in C, by an evaluator that shares no code with the compiler."""
    done: dict[UOp, int] = {}
    for node in root.toposort():
        s = [done[source] for source in node.src]
        match node.op:
            case Ops.CONST:
                result = int(node.arg)
            case Ops.ADD:
                result = s[0] + s[1]
            case Ops.MUL:
                result = s[0] * s[1]
            case Ops.IDIV:
                result = c_div(s[0], s[1])
            case Ops.MOD:
                result = s[0] - c_div(s[0], s[1]) * s[1] if s[1] else 0
            case Ops.MAX:
                result = max(s)
            case Ops.CMPLT:
                result = int(s[0] < s[1])
            case Ops.CMPNE:
                result = int(s[0] != s[1])
            case Ops.AND:
                result = s[0] & s[1]
            case Ops.OR:
                result = s[0] | s[1]
            case Ops.XOR:
                result = s[0] ^ s[1]
            case Ops.WHERE:
                result = s[1] if s[0] else s[2]
            case Ops.CAST:
                result = s[0]
            case _:
                result = values[node]
        done[node] = wrapped(node.dtype, result)
    return done[root]


def assignments(variables: list[UOp]) -> Iterator[dict[UOp, int]]:
    for values in itertools.product(*[range(v.arg[1], v.arg[2] + 1) for v in variables]):
        yield dict(zip(variables, values, strict=True))


def assert_same_value(raw: UOp, simpler: UOp) -> None:
    for values in assignments(raw.variables()):
        expected = oracle(raw, values)
        assert oracle(simpler, values) == expected, (raw.render(), simpler.render(), values)
        assert raw.vmin <= expected <= raw.vmax, (raw.render(), values)
        assert simpler.vmin <= expected <= simpler.vmax, (simpler.render(), values)


# ---- random expressions -------------------------------------------------------------------------------------------


@st.composite
def variables(draw: Any, dtype: DType) -> list[UOp]:
    low = [0 if dtype.is_unsigned else draw(st.sampled_from((0, 0, -3, -7))) for _ in "abc"]
    return [UOp.variable(name, n, n + draw(st.integers(0, 6)), dtype) for name, n in zip("abc", low, strict=True)]


def integers(dtype: DType, leaves: list[UOp], depth: int) -> st.SearchStrategy[UOp]:
    """Raw, unfolded integer expressions."""
    constants = st.sampled_from(CONSTANTS).map(lambda value: UOp.const(dtype, value))
    leaf = st.sampled_from(leaves) | constants
    if depth == 0:
        return leaf
    inner = st.deferred(lambda: integers(dtype, leaves, depth - 1))
    divisor = st.sampled_from(DIVISORS).map(lambda value: UOp.const(dtype, value))

    def node(*operands: st.SearchStrategy[Any]) -> st.SearchStrategy[UOp]:
        return st.tuples(*operands).map(lambda parts: UOp(parts[0], dtype, parts[1:]))

    return (
        leaf
        | node(st.just(Ops.ADD), inner, inner)
        | node(st.just(Ops.MUL), inner, constants)
        | node(st.sampled_from((Ops.IDIV, Ops.MOD)), inner, divisor)
        | node(st.just(Ops.MAX), inner, inner)
        | node(st.just(Ops.WHERE), conditions(dtype, leaves, depth - 1), inner, inner)
    )


def conditions(dtype: DType, leaves: list[UOp], depth: int) -> st.SearchStrategy[UOp]:
    """Raw, unfolded bool expressions."""
    inner = integers(dtype, leaves, depth)
    compared = st.tuples(st.sampled_from((Ops.CMPLT, Ops.CMPNE)), inner, inner)
    single = compared.map(lambda parts: UOp(parts[0], dtypes.bool, parts[1:]))
    if depth == 0:
        return single
    either = st.deferred(lambda: conditions(dtype, leaves, depth - 1))
    joined = st.tuples(st.sampled_from((Ops.AND, Ops.OR, Ops.CMPNE)), either, either)
    return single | joined.map(lambda parts: UOp(parts[0], dtypes.bool, parts[1:]))


@st.composite
def expressions(draw: Any) -> UOp:
    dtype = draw(st.sampled_from((dtypes.int, dtypes.int, dtypes.long, dtypes.char, dtypes.uchar, dtypes.uint)))
    leaves = draw(variables(dtype))
    depth = draw(st.integers(1, 4))
    result: UOp = draw(integers(dtype, leaves, depth) | conditions(dtype, leaves, depth))
    return result


@settings(max_examples=200)
@given(expressions())
def test_a_folded_expression_has_the_value_of_the_raw_one(raw: UOp) -> None:
    assert_same_value(raw, rebuild(raw))


@pytest.mark.long
@settings(max_examples=3000)
@given(expressions())
def test_many_folded_expressions_have_the_value_of_the_raw_ones(raw: UOp) -> None:
    assert_same_value(raw, rebuild(raw))


# ---- single rules -------------------------------------------------------------------------------------------------

A = UOp.variable("a", 0, 20)
B = UOp.variable("b", -7, 9)
N = UOp.variable("n", -30, 30)
U = UOp.variable("u", 0, 200, dtypes.uchar)


def raw(op: Ops, *operands: UOp | int) -> UOp:
    """An unfolded node; numbers are constants of the other operands' dtype."""
    like = next(operand for operand in operands if isinstance(operand, UOp) and not operand.dtype.is_bool)
    src = tuple([operand if isinstance(operand, UOp) else UOp.const(like.dtype, operand) for operand in operands])
    return UOp(op, dtypes.bool if op in (Ops.CMPLT, Ops.CMPNE) else src[-1].dtype, src)


def add(*operands: UOp | int) -> UOp:
    return raw(Ops.ADD, *operands)


def mul(*operands: UOp | int) -> UOp:
    return raw(Ops.MUL, *operands)


def div(*operands: UOp | int) -> UOp:
    return raw(Ops.IDIV, *operands)


def mod(*operands: UOp | int) -> UOp:
    return raw(Ops.MOD, *operands)


def lt(*operands: UOp | int) -> UOp:
    return raw(Ops.CMPLT, *operands)


@pytest.mark.parametrize(
    "expression",
    [
        div(add(div(add(A, -10), 2), 10), 2),
        div(add(A, -2), 4),
        div(add(256, mul(A, -1)), 2),
        div(mul(A, -10), 11),
        div(add(mul(A, -4), 4), 8),
        mod(add(mul(A, -4), 4), 8),
        div(mul(N, -10), 11),
        mod(mul(N, -10), 11),
        div(add(mul(N, 4), 2), 4),
        mod(add(mul(N, 4), 2), 4),
        div(add(mul(N, 6), 3), 9),
        mod(add(mul(N, 6), 3), 9),
        div(div(N, 3), 2),
        div(div(N, -3), 2),
        mod(mod(N, 12), 4),
        mod(mod(N, -12), 4),
        add(mod(N, 5), mul(div(N, 5), 5)),
        add(mod(N, 5), mul(mod(div(N, 5), 3), 5)),
        div(mul(U, 2), 2),
        mod(mul(U, 3), 3),
        lt(mul(U, 2), 100),
        lt(add(N, 3), -5),
        lt(mul(N, -3), 7),
        lt(-7, mul(N, -3)),
        lt(div(N, 4), 2),
        lt(div(N, 4), -1),
        lt(add(mul(N, 4), A), 8),
        lt(add(mul(N, 4), mod(A, 4)), -8),
        lt(3, add(mul(N, 4), mod(A, 4))),
        raw(Ops.CMPNE, mul(N, 3), 9),
        raw(Ops.CMPNE, mul(N, 3), 10),
        raw(Ops.CMPNE, mul(U, 2), 10),
    ],
    ids=lambda node: node.render(),
)
def test_division_and_comparison_by_brute_force(expression: UOp) -> None:
    assert_same_value(expression, rebuild(expression))


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (div(add(mul(A, 4), mod(A * A, 4)), 4), "a"),
        (mod(add(mul(A, 4), 3), 4), "3"),
        (div(add(mul(A, 32), UOp.variable("r", 0, 31)), 64), "(a//2)"),
        (add(mul(div(A, 4), 4), mod(A, 4)), "a"),
        (add(A, mul(A, 3)), "(a*4)"),
        (add(A, mul(A, -1)), "0"),
        (div(div(A, 2), 3), "(a//6)"),
        (lt(add(A, 3), 8), "(a<5)"),
        (lt(A, 21), "True"),
        (lt(A, 0), "False"),
        (mul(add(A, B), 2), "((a*2)+(b*2))"),
        (raw(Ops.WHERE, lt(A, 50), A, B), "a"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.render(),
)
def test_what_is_simplified_and_to_what(expression: UOp, expected: str) -> None:
    assert rebuild(expression).render() == expected


def test_negative_zero_and_nan_are_not_simplified_away() -> None:
    x = UOp(Ops.LOAD, dtypes.float, (UOp(Ops.DEFINE_GLOBAL, dtypes.float.ptr(4), (), 0),))
    assert (x + 0.0).op is Ops.ADD  # -0.0 + 0.0 is 0.0
    assert (x * 0.0).op is Ops.MUL  # inf * 0.0 is nan
    assert x.ne(x).op is Ops.CMPNE  # nan is not itself
    assert x * 1.0 is x


def test_a_choice_between_constants_compared_with_one() -> None:
    x = UOp.variable("x", -5, 5)
    condition = x < 2
    chosen = condition.where(x.like(3), x.like(5))
    assert chosen.ne(5) is condition
    assert chosen.ne(3) is condition.logical_not()
    assert chosen.ne(4) is UOp.const(dtypes.bool, True)
    assert condition.where(x.like(3), x.like(3) * 1).ne(3) is UOp.const(dtypes.bool, False)
    floats = condition.where(UOp.const(dtypes.float, float("nan")), UOp.const(dtypes.float, 1.0))
    assert floats.ne(1.0).op is Ops.CMPNE


def test_every_rule_fires_somewhere_and_is_documented() -> None:
    """A rule that nothing reaches is dead: each one has an expression here on which it fires."""
    x, y = UOp.variable("x", -5, 5), UOp.variable("y", 0, 9)
    condition, other = x < 2, y < 4
    data = UOp(Ops.LOAD, dtypes.int, (UOp(Ops.DEFINE_GLOBAL, dtypes.int.ptr(4), (), 0),))
    pair = UOp(Ops.VECTORIZE, dtypes.int.vec(2), (x, y))
    four = UOp.const(dtypes.float.vec(4), 1.0)
    with tracing() as trace:
        _ = (
            UOp.const(dtypes.int, 3) + 4,
            UOp.const(dtypes.int, 3).cast(dtypes.float),
            folded(Ops.MAX, dtypes.int, (x.like(3), x)),
        )
        _ = y // 10, data + 0, data * 1, data // 1, data | 0, data ^ 0, data << 0
        _ = condition & True, condition & condition, data ^ data, y + x + y, (data + 1) + 2
        _ = (
            (data * 2) * 3,
            (x + y) * 2,
            data // 2 // 3,
            (y * 4) // 2,
            data % 6 % 3,
            (y * 4 + y * y) % 4,
            (x * 4 + y) % 4,
        )
        _ = data < data, data.ne(data), (data // 3) < 2, (x + 1) < 3, UOp.const(dtypes.int, 2) < x + 1, (data + 1).ne(3)
        _ = (x * 2).ne(4), (x < 1) & (x < 3), condition.ne(False), condition.logical_not().logical_not()
        _ = folded(Ops.WHERE, dtypes.int, (UOp.const(dtypes.bool, True), x, y)), condition.where(data, data)
        _ = condition.where(x.like(3), x.like(5)).ne(3)
        _ = condition.where(x.eq(1).like(True), UOp.const(dtypes.bool, False)), condition.logical_not().where(x, y)
        _ = condition.where(condition.where(x, y), data), x.maximum(y + 9), folded(Ops.CAST, dtypes.int, (x,))
        _ = x.cast(dtypes.long).cast(dtypes.short), folded(Ops.GEP, dtypes.int, (pair,), 0)
        _ = folded(Ops.GEP, dtypes.float, (four,), 2), other
    fired = {rewrite.rule for rewrite in trace.rewrites}
    assert {rule.name for rule in SYMBOLIC.rules} - fired == set()
    assert all(rule.doc and "\n" not in rule.doc for rule in SYMBOLIC.rules)
