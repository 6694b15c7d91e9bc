"""Divisions by a constant without dividing: for every value of a range, negative ones included, what C gives."""

from __future__ import annotations

import pytest

from core.dtype import DType, dtypes
from core.ir.ops import Ops
from core.ir.uop import UOp
from core.lower.decompose import decompose
from tests.core.ir.test_symbolic import oracle
from tests.core.lower.graphs import Target, buffer, store

SLOW = Target(slow_division=True, code_for_op=dict.fromkeys(Ops))
ZERO = UOp.const(dtypes.int, 0)


def without_division(op: Ops, x: UOp, divisor: int) -> UOp:
    raw = UOp(op, x.dtype, (x, UOp.const(x.dtype, divisor)))
    return decompose(UOp.sink(store(buffer(0, x.dtype), ZERO, raw)), SLOW).src[0].src[1]


def values_of(root: UOp, x: UOp, value: int) -> int:
    """The value of `root` in C. The oracle of the rules has no subtraction and shifts; they are put in terms of it."""
    done: dict[UOp, int] = {x: value}
    for node in root.toposort():
        if node in done:
            continue
        operands = [done[source] for source in node.src]
        match node.op:
            case Ops.SHR:
                done[node] = operands[0] >> operands[1]
            case Ops.SUB | Ops.NEG:
                left = operands[0] if node.op is Ops.SUB else 0
                done[node] = wrap(node.dtype, left - operands[-1])
            case _:
                leaves = [UOp.variable(f"v{i}", 0, 0, source.dtype) for i, source in enumerate(node.src)]
                single = UOp(node.op, node.dtype, tuple(leaves), node.arg)
                done[node] = oracle(single, dict(zip(leaves, operands, strict=True)))
    return done[root]


def wrap(dtype: DType, value: int) -> int:
    value %= 1 << dtype.bits
    return value if dtype.is_unsigned or value < 1 << (dtype.bits - 1) else value - (1 << dtype.bits)


def expected(op: Ops, a: int, b: int) -> int:
    quotient = abs(a) // b * (-1 if a < 0 else 1)
    return quotient if op is Ops.IDIV else a - quotient * b


@pytest.mark.parametrize("op", [Ops.IDIV, Ops.MOD])
@pytest.mark.parametrize(
    ("dtype", "low", "high"), [(dtypes.char, -128, 127), (dtypes.char, -9, 40), (dtypes.uchar, 0, 255)]
)
def test_every_value_and_divisor_of_eight_bits(op: Ops, dtype: DType, low: int, high: int) -> None:
    x = UOp.variable("x", low, high, dtype)
    for divisor in range(2, 128):
        made = without_division(op, x, divisor)
        for value in range(low, high + 1):
            assert values_of(made, x, value) == expected(op, value, divisor), (made.render(), value)


@pytest.mark.parametrize("op", [Ops.IDIV, Ops.MOD])
@pytest.mark.parametrize(
    ("dtype", "low", "high"), [(dtypes.int, 0, 65535), (dtypes.int, -3000, 5000), (dtypes.int, -(2**31), 2**31 - 1)]
)
def test_the_edges_of_larger_ranges(op: Ops, dtype: DType, low: int, high: int) -> None:
    x = UOp.variable("x", low, high, dtype)
    for divisor in (2, 3, 5, 7, 8, 9, 28, 49, 64, 100, 641, 1024, 1 << 30):
        made = without_division(op, x, divisor)
        edges = {low, high, -1, 0, 1, *(k * divisor + d for k in (-2, -1, 1, 2, high // divisor) for d in (-1, 0, 1))}
        for value in sorted(edge for edge in edges if low <= edge <= high):
            assert values_of(made, x, value) == expected(op, value, divisor), (made.render(), value)


def test_what_is_written_instead() -> None:
    index, any_int = UOp.variable("i", 0, 1000), UOp.variable("n", -(2**31), 2**31 - 1)
    assert without_division(Ops.IDIV, index, 8).render() == "(i>>3)"
    assert without_division(Ops.MOD, index, 8).render() == "(i&7)"
    assert without_division(Ops.IDIV, index, 3).render() == "((i*683)>>11)"
    assert without_division(Ops.IDIV, any_int, 4).render() == "((n+((n>>31)&3))>>2)"
    assert without_division(Ops.IDIV, any_int, 3).op is Ops.IDIV  # the product would not fit


def test_other_backends_divide() -> None:
    index = UOp.variable("i", 0, 1000)
    raw = UOp(Ops.IDIV, dtypes.int, (index, index.like(8)))
    sink = UOp.sink(store(buffer(0, dtypes.int), ZERO, raw))
    assert decompose(sink, Target(code_for_op=dict.fromkeys(Ops))) is sink
