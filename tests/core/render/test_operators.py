"""Expressions: what random trees of ops evaluate to, and their parentheses."""

from __future__ import annotations

import pytest

from core.dtype import dtypes
from core.ir.ops import Ops
from core.ir.uop import UOp
from core.render import get_renderer
from tests.core.render import native, values
from tests.core.render.c_grammar import Reader, Unreadable, needless, tokens
from tests.core.render.programs import alu, buffer, const, end, program, store
from tests.core.render.trees import STEPS, Tree

TREES = 150


def uops_of(tree: Tree) -> list[UOp]:
    return program(store(buffer(0, tree.dtype), STEPS, tree.root), end(STEPS))


def expressions(source: str) -> list[str]:
    """What stands right of each assignment, but loads of vectors and literals of them."""
    return [
        line.partition(" = ")[2].rstrip(";") for line in source.splitlines() if " = " in line and "for (" not in line
    ]


@pytest.fixture(scope="module")
def trees() -> list[Tree]:
    return [Tree(seed) for seed in range(TREES)]


@pytest.mark.parametrize("backend", ["c", "llvm"])
def test_random_expressions_have_their_value(backend: str, trees: list[Tree]) -> None:
    renderer = get_renderer(backend)
    sources = {f"tree{i}": renderer.render(f"tree{i}", uops_of(tree)) for i, tree in enumerate(trees)}
    # random comparisons are often always true, which is no fault of the source
    kernels = native.build_c(sources, ["-w"]) if backend == "c" else native.build_llvm(sources)
    for i, tree in enumerate(trees):
        wanted = tree.value()
        got = wanted.copy()
        got.view("u1")[:] = 0x55
        kernels(f"tree{i}", got, *tree.inputs.values())
        assert values.same(got, wanted).all(), sources[f"tree{i}"]


def test_no_parentheses_are_needless(trees: list[Tree]) -> None:
    renderer = get_renderer("c")
    written = [text for i, tree in enumerate(trees) for text in expressions(renderer.render(f"tree{i}", uops_of(tree)))]
    assert sum(text.count("(") for text in written) > TREES
    for text in written:
        assert needless(text) == [], text


@pytest.mark.parametrize(
    ("text", "without"),
    [
        ("(a+b)*c", []),
        ("a+(b*c)", ["a+b*c"]),
        ("-(-a)", []),
        ("a-(b-c)", []),
        ("(a-b)-c", ["a-b-c"]),
        ("(int)(a)", ["(int)a"]),
        ("a<b?(c?d:e):f", ["a<b?c?d:e:f"]),
        ("(a?b:c)?d:e", []),
        ("f((a+b))", ["f(a+b)"]),
        ("(a<b)<c", []),
    ],
)
def test_the_reader_of_the_test_knows_needless_ones(text: str, without: list[str]) -> None:
    assert needless(text) == without


def test_the_reader_of_the_test_reads_as_c_does() -> None:
    assert Reader(tokens("a+b<<1&c")).tree == ("&", ("<<", ("+", "a", "b"), "1"), "c")
    with pytest.raises(Unreadable):
        Reader(tokens("a--b"))


A, B, C = (UOp(Ops.DEFINE_VAR, dtypes.int, (), (name, -100, 100)) for name in "abc")
P, Q = (UOp(Ops.DEFINE_VAR, dtypes.bool, (), (name, 0, 1)) for name in "pq")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (alu(Ops.MUL, alu(Ops.ADD, A, B), C), "(a+b)*c"),
        (alu(Ops.ADD, A, alu(Ops.ADD, B, C)), "a+b+c"),
        (alu(Ops.ADD, A, const(dtypes.int, -3)), "a-3"),
        (alu(Ops.ADD, A, const(dtypes.int, -(2**31))), "a+(-2147483647-1)"),
        (alu(Ops.SUB, A, const(dtypes.int, -3)), "a-(-3)"),
        (alu(Ops.SUB, A, alu(Ops.NEG, B)), "a-(-b)"),
        (alu(Ops.SUB, A, alu(Ops.SUB, B, C)), "a-(b-c)"),
        (alu(Ops.NEG, alu(Ops.NEG, A)), "-(-a)"),
        (alu(Ops.MUL, A, const(dtypes.int, -1)), "a*-1"),
        (alu(Ops.MUL, A, alu(Ops.IDIV, B, const(dtypes.int, 3))), "a*(b/3)"),
        (alu(Ops.IDIV, A, B), "b==0?0:a/b"),
        (alu(Ops.IDIV, UOp(Ops.DEFINE_VAR, dtypes.int, (), ("n", -(2**31), 5)), B), "b==0?0:b==-1?-n:n/b"),
        (alu(Ops.MOD, alu(Ops.ADD, A, B), const(dtypes.int, 7)), "(a+b)%7"),
        (alu(Ops.SHL, A, const(dtypes.int, 4)), "a<<4"),
        (alu(Ops.SHL, A, B), "0<=b&&b<32?a<<b:0"),
        (alu(Ops.AND, alu(Ops.AND, A, B), alu(Ops.OR, B, C)), "a&b&(b|c)"),
        (alu(Ops.MAX, A, B), "a<b?b:a"),
        (alu(Ops.WHERE, alu(Ops.CMPLT, A, B), A, alu(Ops.WHERE, P, B, C)), "a<b?a:p?b:c"),
        (alu(Ops.WHERE, alu(Ops.CMPNE, P, const(dtypes.bool, True)), A, B), "!p?a:b"),
        (alu(Ops.CMPNE, alu(Ops.CMPLT, A, B), const(dtypes.bool, True)), "!(a<b)"),
        (alu(Ops.CMPLT, alu(Ops.CMPLT, A, B), P), "(a<b)<p"),
        (alu(Ops.CMPLT, P, alu(Ops.CMPLT, A, B)), "p<(a<b)"),
        (alu(Ops.ADD, P, Q), "p|q"),
        (alu(Ops.MUL, P, alu(Ops.CMPLT, A, B)), "p&a<b"),
    ],
)
def test_how_expressions_are_written(value: UOp, text: str) -> None:
    source = get_renderer("c").render("k", program(store(buffer(0, value.dtype), 0, value)))
    assert f"  data0[0] = {text};\n" in source
