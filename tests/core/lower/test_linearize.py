"""The linearizer: every loop opened and closed once, accumulators around their loops, each node where it belongs."""

from __future__ import annotations

from core.dtype import dtypes
from core.ir.ops import Ops
from core.ir.spec import program_spec, type_verify
from core.ir.uop import UOp
from core.lower.linearize import linearize
from tests.core.lower.graphs import buffer, load, loop, reduce, store

DEEP = 20_000


def linear(*stores: UOp) -> list[UOp]:
    uops = linearize(UOp.sink(*stores))
    type_verify(uops, program_spec)
    return uops


def outline(uops: list[UOp]) -> str:
    """The loops and what stores or accumulates in them: `for0 acc for1 set end store end`."""
    words = {
        Ops.RANGE: lambda u: f"for{u.arg}",
        Ops.ENDRANGE: lambda u: "end",
        Ops.DEFINE_ACC: lambda u: "acc",
        Ops.ASSIGN: lambda u: "set",
        Ops.STORE: lambda u: "store",
        Ops.IF: lambda u: "if",
        Ops.ENDIF: lambda u: "endif",
        Ops.LOAD: lambda u: "load",
    }
    return " ".join([words[u.op](u) for u in uops if u.op in words])


def test_a_copy() -> None:
    row = loop(0, 8)
    assert outline(linear(store(buffer(0), row, load(buffer(1), row)))) == "for0 load store end"


def test_loops_of_the_output_nest_by_axis() -> None:
    row, column = loop(0, 8), loop(1, 4)
    index = row * 4 + column
    assert outline(linear(store(buffer(0), index, load(buffer(1), index)))) == "for0 for1 load store end end"


def test_a_reduce_stands_inside_what_it_depends_on() -> None:
    row, inner = loop(0, 8), loop(1, 16)
    total = reduce(Ops.ADD, load(buffer(1), row * 16 + inner), inner)
    assert outline(linear(store(buffer(0), row, total))) == "for0 acc for1 load set end store end"


def test_a_reduce_that_depends_on_no_loop_stands_outside() -> None:
    row, inner = loop(0, 8), loop(1, 16)
    total = reduce(Ops.MAX, load(buffer(1), inner), inner)
    uops = linear(store(buffer(0), row, load(buffer(2), row) + total))
    assert outline(uops) == "acc for1 load set end for0 load store end"


def test_reduces_over_one_loop_share_it() -> None:
    row, inner = loop(0, 8), loop(1, 16)
    value = load(buffer(1), row * 16 + inner)
    total, greatest = reduce(Ops.ADD, value, inner), reduce(Ops.MAX, value, inner)
    uops = linear(store(buffer(0), row, total * greatest))
    assert outline(uops) == "for0 acc acc for1 load set set end store end"


def test_reduces_that_share_a_loop_run_inside_all_that_any_depends_on() -> None:
    row, inner = loop(0, 8), loop(1, 16)
    alone = reduce(Ops.ADD, load(buffer(1), inner), inner)
    total = reduce(Ops.ADD, load(buffer(2), row * 16 + inner), inner)
    assert outline(linear(store(buffer(0), row, alone + total))).startswith("for0 acc acc for1")


def test_a_reduce_of_a_value_from_outside_of_its_loop() -> None:
    row, inner = loop(0, 8), loop(1, 16)
    uops = linear(store(buffer(0), row, reduce(Ops.ADD, load(buffer(1), row), inner)))
    assert outline(uops) == "for0 load acc for1 set end store end"


def test_a_reduce_over_two_loops_has_one_accumulator() -> None:
    row, outer, inner = loop(0, 8), loop(1, 4), loop(2, 4)
    total = reduce(Ops.ADD, load(buffer(1), row * 16 + outer * 4 + inner), outer, inner)
    assert outline(linear(store(buffer(0), row, total))) == "for0 acc for1 for2 load set end end store end"


def test_a_reduce_of_a_reduce_is_nested() -> None:
    outer, inner = loop(1, 4), loop(2, 4)
    rows = reduce(Ops.MAX, load(buffer(1), outer * 4 + inner), inner)
    total = reduce(Ops.ADD, rows, outer)
    assert (
        outline(linear(store(buffer(0), UOp.const(dtypes.int, 0), total)))
        == "acc for1 acc for2 load set end set end store"
    )


def test_accumulators_start_from_the_identity_of_their_op() -> None:
    inner = loop(1, 4)
    for op, dtype, start in (
        (Ops.ADD, dtypes.float, 0.0),
        (Ops.MUL, dtypes.float, 1.0),
        (Ops.MAX, dtypes.float, float("-inf")),
        (Ops.MAX, dtypes.int, -(2**31)),
        (Ops.MAX, dtypes.uchar, 0),
        (Ops.MAX, dtypes.bool, False),
    ):
        total = reduce(op, load(buffer(1, dtype), inner), inner)
        uops = linear(store(buffer(0, dtype), UOp.const(dtypes.int, 0), total))
        assert [u.src[0].arg for u in uops if u.op is Ops.DEFINE_ACC] == [start]


def test_stores_under_one_gate_share_an_if() -> None:
    row = loop(0, 8)
    stores = [store(buffer(n), row, load(buffer(5), row + n), gate=row < 5) for n in range(3)]
    assert outline(linear(*stores)) == "for0 load load load if store store store endif end"


def test_stores_under_one_gate_share_an_if_though_others_stand_between() -> None:
    row = loop(0, 8)
    stores = [store(buffer(n), row, load(buffer(5), row), gate=row < n % 2 + 2) for n in range(4)]
    assert outline(linear(*stores)) == "for0 load if store store endif if store store endif end"


def test_stores_under_different_gates_do_not() -> None:
    row = loop(0, 8)
    stores = [store(buffer(n), row, load(buffer(5), row), gate=row < n + 2) for n in range(2)]
    assert outline(linear(*stores)) == "for0 load if store endif if store endif end"


def test_parameters_come_first_and_in_order() -> None:
    n = UOp.variable("n", 1, 8)
    row = UOp(Ops.RANGE, dtypes.int, (n,), 0)
    uops = linear(store(buffer(0), row, load(buffer(2), row) + load(buffer(1), row)))
    assert [(u.op, u.arg) for u in uops[:4]] == [
        (Ops.DEFINE_GLOBAL, 0),
        (Ops.DEFINE_GLOBAL, 1),
        (Ops.DEFINE_GLOBAL, 2),
        (Ops.DEFINE_VAR, ("n", 1, 8)),
    ]


def test_a_deep_graph_needs_no_recursion() -> None:
    row = loop(0, 8)
    value = load(buffer(1), row)
    for _ in range(DEEP):
        value = UOp(Ops.SIN, dtypes.float, (value,))
    assert sum(u.op is Ops.SIN for u in linearize(UOp.sink(store(buffer(0), row, value)))) == DEEP
