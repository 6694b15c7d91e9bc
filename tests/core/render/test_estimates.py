from __future__ import annotations

import pytest

from core.dtype import dtypes
from core.ir.ops import Ops
from core.ir.uop import UOp
from core.render.estimates import Estimates
from tests.core.render.programs import alu, buffer, cast, const, end, gated_load, load, loop, program, store

OUT, DATA = buffer(0, dtypes.float), buffer(1, dtypes.float)
ONE = const(dtypes.float, 1.0)


def test_operations_and_bytes_of_one_store() -> None:
    total = alu(Ops.MUL, alu(Ops.ADD, load(DATA, 0), load(DATA, 1)), ONE)
    assert Estimates.from_uops(program(store(OUT, 0, total)), 17) == Estimates(flops=2, lds=12, mem=17)


def test_loops_repeat_what_is_in_them() -> None:
    outer, inner = loop(3, 0), loop(5, 1)
    start = alu(Ops.MUL, load(DATA, outer), ONE)
    total = UOp(Ops.DEFINE_ACC, dtypes.float, (start,), 0)
    updated = UOp(Ops.ASSIGN, dtypes.float, (total, alu(Ops.ADD, total, load(DATA, inner))))
    uops = program(outer, total, inner, updated, end(inner), store(OUT, outer, total), end(outer))
    assert Estimates.from_uops(uops) == Estimates(flops=3 * (1 + 5), lds=3 * (4 + 5 * 4 + 4))


def test_addresses_gates_and_ends_of_loops_are_not_counted() -> None:
    length = UOp(Ops.DEFINE_VAR, dtypes.int, (), ("length", 1, 9))
    steps = loop(alu(Ops.ADD, length, const(dtypes.int, 0)))
    at = alu(Ops.MUL, steps, const(dtypes.int, 7))
    gate = alu(Ops.CMPLT, at, const(dtypes.int, 20))
    gathered = cast(gated_load(DATA, at, ONE, gate), dtypes.int)
    opened = UOp(Ops.IF, dtypes.void, (alu(Ops.CMPNE, steps, length),))
    stored = store(OUT, at, load(DATA, alu(Ops.ADD, gathered, at)))
    uops = program(steps, opened, stored, end(opened), end(steps))
    assert Estimates.from_uops(uops).flops == 0


def test_an_index_that_is_a_value_too_is_counted() -> None:
    steps = loop(4)
    at = alu(Ops.MUL, steps, const(dtypes.int, 7))
    uops = program(store(OUT, at, cast(alu(Ops.ADD, at, steps), dtypes.float)), end(steps))
    assert Estimates.from_uops(uops) == Estimates(flops=8, lds=16)


def test_the_alternative_of_a_load_is_a_value() -> None:
    value = gated_load(DATA, 0, alu(Ops.ADD, load(DATA, 1), ONE), const(dtypes.bool, True))
    assert Estimates.from_uops(program(store(OUT, 0, value))).flops == 1


def test_vectors_count_each_lane() -> None:
    vector = load(DATA, 0, 4)
    uops = program(store(OUT, 0, alu(Ops.MULACC, vector, vector, vector)))
    assert Estimates.from_uops(uops) == Estimates(flops=8, lds=32)


def test_every_thread_counts() -> None:
    group, thread = (UOp(Ops.SPECIAL, dtypes.int, (), (name, size)) for name, size in (("gidx0", 8), ("lidx0", 4)))
    at = alu(Ops.ADD, group, thread)
    uops = program(group, thread, store(OUT, at, alu(Ops.MUL, load(DATA, at), ONE)))
    assert Estimates.from_uops(uops) == Estimates(flops=32, lds=256)


@pytest.mark.parametrize("op", [Ops.RANGE, Ops.SPECIAL])
def test_symbolic_sizes_make_symbolic_estimates(op: Ops) -> None:
    """Beyond 2^31 as well: the product is of 64 bits."""
    length = UOp(Ops.DEFINE_VAR, dtypes.int, (), ("length", 1, 1 << 30))
    extent = alu(Ops.ADD, length, const(dtypes.int, 1))
    inner = loop(1000, 1)
    steps = loop(extent) if op is Ops.RANGE else UOp(Ops.SPECIAL, dtypes.int, (), ("gidx0", extent))
    closed = [end(inner), *([end(steps)] if op is Ops.RANGE else [])]
    uops = program(steps, inner, store(OUT, steps, alu(Ops.ADD, load(DATA, inner), ONE)), *closed)
    found = Estimates.from_uops(uops)
    assert isinstance(found.flops, UOp)
    assert found.flops.vmax == ((1 << 30) + 1) * 1000
    assert isinstance(found.lds, UOp)
    assert found.lds.vmax == ((1 << 30) + 1) * 8000
    assert found.to_dict() == {"flops": found.flops.render(), "lds": found.lds.render(), "mem": 0}
    assert "cast" not in found.flops.render()
