"""The rewrite driver reaches every node, rewrites results again, and stands any depth."""

from __future__ import annotations

from core.dtype import dtypes
from core.ir.ops import Ops
from core.ir.pattern import PatternMatcher, Rule, UPat
from core.ir.rewrite import graph_rewrite
from core.ir.uop import UOp

DEPTH = 50_000


def chain(op: Ops, length: int) -> UOp:
    node = UOp.variable("a", 0, 1, dtypes.float)
    for _ in range(length):
        node = UOp(op, dtypes.float, (node,))
    return node


def swap(old: Ops, new: Ops) -> Rule:
    return Rule(
        f"{old.name}_to_{new.name}",
        "one op for another",
        UPat(old, src=(UPat.var("x"),)),
        lambda x: UOp(new, x.dtype, (x,)),
    )


def test_every_node_of_a_deep_graph_is_rewritten_without_recursion() -> None:
    table = PatternMatcher("test", [swap(Ops.SIN, Ops.SQRT)])
    assert graph_rewrite(chain(Ops.SIN, DEPTH), table) is chain(Ops.SQRT, DEPTH)


def test_a_result_is_rewritten_again() -> None:
    table = PatternMatcher("test", [swap(Ops.SIN, Ops.SQRT), swap(Ops.SQRT, Ops.EXP2)])
    assert graph_rewrite(chain(Ops.SIN, 3), table) is chain(Ops.EXP2, 3)


def test_a_shared_node_is_rewritten_once() -> None:
    calls: list[UOp] = []

    def note(x: UOp) -> None:
        calls.append(x)

    table = PatternMatcher("test", [Rule("note", "counts", UPat(Ops.SIN, name="x"), note)])
    shared = chain(Ops.SIN, 1)
    graph_rewrite(UOp.sink(shared, UOp(Ops.SQRT, dtypes.float, (shared,)), shared), table)
    assert calls == [shared]


def test_a_graph_that_nothing_matches_stays_the_same_object() -> None:
    root = UOp.sink(chain(Ops.SIN, 10))
    assert graph_rewrite(root, PatternMatcher("test", [swap(Ops.SQRT, Ops.SIN)])) is root
