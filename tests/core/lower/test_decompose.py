"""Decompositions: ops that a backend lacks are gone afterwards, and what stands for them computes the same."""

from __future__ import annotations

import pytest

from core.dtype import dtypes
from core.ir.ops import Ops
from core.ir.uop import UOp
from core.lower.decompose import decompose, threefry2x32
from tests.core.lower.graphs import Target, buffer, load, store

ZERO = UOp.const(dtypes.int, 0)
X, Y = load(buffer(1), ZERO), load(buffer(2), ZERO)


BARE = Target(code_for_op=dict.fromkeys((Ops.ADD, Ops.MUL, Ops.CMPLT, Ops.WHERE, Ops.FDIV)))
RICH = Target(code_for_op=dict.fromkeys(Ops))


def value_on(target: Target, value: UOp) -> UOp:
    return decompose(UOp.sink(store(buffer(0), ZERO, value)), target).src[0].src[1]


def test_max_is_a_comparison_where_there_is_no_max() -> None:
    assert value_on(BARE, X.maximum(Y)) is (X < Y).where(Y, X)
    assert value_on(RICH, X.maximum(Y)).op is Ops.MAX


def test_a_reciprocal_is_a_division_where_there_is_none() -> None:
    assert value_on(BARE, X.alu(Ops.RECIP)) is UOp.const(dtypes.float, 1.0).alu(Ops.FDIV, X)
    assert value_on(RICH, X.alu(Ops.RECIP)).op is Ops.RECIP


def test_subtraction_and_negation_where_the_backend_has_them() -> None:
    assert value_on(RICH, X + Y * -1).op is Ops.SUB
    assert value_on(RICH, X * -1).op is Ops.NEG
    assert value_on(BARE, X + Y * -1).op is Ops.ADD


# Random123 1.14, tests/kat_vectors: threefry 2x32 20, counter words, key words, result words
@pytest.mark.parametrize(
    ("counter", "key", "expected"),
    [
        ((0x00000000, 0x00000000), (0x00000000, 0x00000000), (0x6B200159, 0x99BA4EFE)),
        ((0xFFFFFFFF, 0xFFFFFFFF), (0xFFFFFFFF, 0xFFFFFFFF), (0x1CB996FC, 0xBB002BE7)),
        ((0x243F6A88, 0x85A308D3), (0x13198A2E, 0x03707344), (0xC4923A9C, 0x483DF7A0)),
    ],
)
def test_threefry_gives_the_published_words(
    counter: tuple[int, int], key: tuple[int, int], expected: tuple[int, int]
) -> None:
    x, y = (UOp.const(dtypes.ulong, low | high << 32) for low, high in (counter, key))
    folded = threefry2x32(x, y)
    assert folded.op is Ops.CONST
    assert (folded.arg & 0xFFFFFFFF, folded.arg >> 32) == expected
