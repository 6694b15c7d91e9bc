"""Patterns match what they say, tables find the right rule, and a mistake in a table is found when it is made."""

from __future__ import annotations

import pytest

from core.dtype import dtypes
from core.ir.ops import Ops
from core.ir.pattern import PatternMatcher, Rule, UPat
from core.ir.trace import tracing
from core.ir.uop import UOp

A, B = UOp.variable("a", 0, 5), UOp.variable("b", 0, 5)
F = UOp.variable("f", 0, 1, dtypes.float)


def raw(op: Ops, *src: UOp) -> UOp:
    return UOp(op, src[-1].dtype, src)


def matcher(pattern: UPat, *captures: str) -> PatternMatcher:
    """A table of one rule that gives the first capture."""
    functions = {0: lambda: A, 1: lambda x: x, 2: lambda x, y: x}
    return PatternMatcher("test", [Rule("only", "gives x", pattern, functions[len(captures)])])


def test_operands_in_order() -> None:
    table = matcher(UPat(Ops.ADD, src=(UPat(Ops.MUL, name="x"), UPat.var("y"))), "x", "y")
    product = raw(Ops.MUL, A, B)
    assert table.rewrite(raw(Ops.ADD, product, A)) is product
    assert table.rewrite(raw(Ops.ADD, A, product)) is None


def test_operands_in_any_order() -> None:
    table = matcher(UPat(Ops.ADD, src=[UPat(Ops.MUL, name="x"), UPat.var("y")]), "x", "y")
    product = raw(Ops.MUL, A, B)
    assert table.rewrite(raw(Ops.ADD, product, A)) is product
    assert table.rewrite(raw(Ops.ADD, A, product)) is product


def test_every_operand() -> None:
    table = matcher(UPat(Ops.SINK, src=UPat(Ops.DEFINE_VAR)))
    assert table.rewrite(UOp.sink(A, B)) is A
    assert table.rewrite(UOp.sink(A, raw(Ops.ADD, A, B))) is None


def test_a_name_used_twice_must_be_the_same_node() -> None:
    table = matcher(UPat(Ops.ADD, src=(UPat.var("x"), UPat.var("x"))), "x")
    assert table.rewrite(raw(Ops.ADD, A, A)) is A
    assert table.rewrite(raw(Ops.ADD, A, B)) is None


def test_a_number_of_operands_that_differs_does_not_match() -> None:
    table = matcher(UPat(Ops.SINK, src=(UPat.var("x"), UPat.var("y"))), "x", "y")
    assert table.rewrite(UOp.sink(A, B)) is A
    assert table.rewrite(UOp.sink(A)) is None
    assert table.rewrite(UOp.sink(A, B, A)) is None


def test_kind_and_dtype_of_the_root() -> None:
    ints = matcher(UPat(Ops.ADD, kind="iu", src=(UPat.var("x"), UPat.var("y"))), "x", "y")
    assert ints.rewrite(raw(Ops.ADD, A, B)) is A
    assert ints.rewrite(raw(Ops.ADD, F, F)) is None
    floats = matcher(UPat(Ops.ADD, dtype=dtypes.float, src=(UPat.var("x"), UPat.var("y"))), "x", "y")
    assert floats.rewrite(raw(Ops.ADD, F, F)) is F
    assert floats.rewrite(raw(Ops.ADD, A, B)) is None


def test_arg_of_a_constant() -> None:
    table = matcher(UPat(Ops.ADD, src=(UPat.var("x"), UPat.const(value=3))), "x")
    assert table.rewrite(raw(Ops.ADD, A, A.like(3))) is A
    assert table.rewrite(raw(Ops.ADD, A, A.like(4))) is None


def test_the_first_rule_that_gives_a_node_wins() -> None:
    pattern = UPat(Ops.ADD, src=(UPat.var("x"), UPat.var("y")))
    table = PatternMatcher(
        "test",
        [
            Rule("declines", "never", pattern, lambda x, y: None),
            Rule("second", "gives y", pattern, lambda x, y: y),
            Rule("third", "gives x", pattern, lambda x, y: x),
        ],
    )
    with tracing() as trace:
        assert table.rewrite(raw(Ops.ADD, A, B)) is B
    assert [(rewrite.table, rewrite.rule) for rewrite in trace.rewrites] == [("test", "second")]


def test_nothing_is_recorded_without_a_trace() -> None:
    with tracing() as outer:
        pass
    matcher(UPat(Ops.ADD, src=(UPat.var("x"), UPat.var("y"))), "x", "y").rewrite(raw(Ops.ADD, A, B))
    assert outer.rewrites == []


def test_a_rule_without_a_root_op_is_refused() -> None:
    with pytest.raises(ValueError, match=r"rule test\.only names no root op"):
        matcher(UPat.var("x"), "x")


def test_two_rules_of_one_name_are_refused() -> None:
    rule = Rule("twice", "gives x", UPat(Ops.ADD, name="x"), lambda x: x)
    with pytest.raises(ValueError, match="table test has two rules of one name"):
        PatternMatcher("test", [rule, rule])


def test_a_rule_that_asks_for_what_its_pattern_does_not_capture_is_refused() -> None:
    with pytest.raises(ValueError, match=r"rule test\.wrong asks for 'z'"):
        PatternMatcher("test", [Rule("wrong", "gives z", UPat(Ops.ADD, name="x"), lambda z: z)])
