"""Which reduces may be padded."""

from __future__ import annotations

import pytest

from core.dtype import dtypes
from core.ir.ops import Ops
from core.ir.uop import UOp
from core.opt.padding import padding_fault
from tests.core.opt.small_asts import alu, const, load, reduce, tracker

VALUE = load(1, tracker(4, 8))
LONG = load(1, tracker(4, 8), dtypes.ulong)


@pytest.mark.parametrize("op", [Ops.SQRT, Ops.SIN, Ops.NEG])
def test_what_keeps_zero_may_be_padded(op: Ops) -> None:
    assert padding_fault(reduce(Ops.ADD, alu(op, VALUE), 1)) is None


@pytest.mark.parametrize(
    ("value", "named"),
    [
        (alu(Ops.EXP2, VALUE), "EXP2"),
        (alu(Ops.MUL, VALUE, alu(Ops.RECIP, VALUE)), "RECIP"),
        (alu(Ops.SQRT, alu(Ops.LOG2, VALUE)), "LOG2"),
        (alu(Ops.FDIV, VALUE, VALUE), "FDIV"),
        (alu(Ops.IDIV, LONG, LONG), "IDIV"),
        (alu(Ops.MOD, LONG, LONG), "MOD"),
        (alu(Ops.THREEFRY, LONG, LONG), "THREEFRY"),
        (alu(Ops.MUL, VALUE, UOp.variable("n", 1, 9).cast(dtypes.float)), "variable"),
    ],
)
def test_what_does_not_keep_zero_may_not(value: UOp, named: str) -> None:
    fault = padding_fault(reduce(Ops.ADD, value, 1))
    assert fault is not None
    assert named in fault


@pytest.mark.parametrize("op", [Ops.MAX, Ops.MUL])
def test_only_sums_may_be_padded(op: Ops) -> None:
    fault = padding_fault(reduce(op, VALUE, 1))
    assert fault is not None
    assert op.name in fault


def test_constants_may_stand_below_a_padded_sum() -> None:
    assert padding_fault(reduce(Ops.ADD, alu(Ops.ADD, VALUE, const(3, (4, 8))), 1)) is None
