"""Every rule of the AST specs refuses a graph that breaks it, by its name, and no real AST breaks any."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from core.dtype import DType, dtypes, image_dtype
from core.errors import SpecError
from core.ir.kernel_info import KernelInfo
from core.ir.ops import Ops
from core.ir.spec import ast_shapes, shape_spec, tensor_spec, type_verify, verify_ast
from core.ir.uop import UOp
from core.shape import ShapeTracker, View
from tests.core.ir.dags import RealAsts, chain

# of CPU, on the mean: a tenth of a compile of 10 ms; a twentieth of that is what it took where it was measured
SECONDS_FOR_ONE = 0.001
DEEP = 20_000

N = UOp.variable("n", 1, 10)
VIEW = UOp(Ops.VIEW, dtypes.void, (), ShapeTracker((View.create((4, 3)),)))
SCALAR = UOp(Ops.VIEW, dtypes.void, (), ShapeTracker((View.create((4, 1)),)))


def view(*shape: Any, offset: Any = 0) -> UOp:
    return UOp(Ops.VIEW, dtypes.void, (), ShapeTracker((View(shape, (0,) * len(shape), offset, None, False),)))


def node(op: Ops, dtype: DType, *src: UOp, arg: Any = None) -> UOp:
    return UOp(op, dtype, src, arg)


def buffer(number: int, dtype: DType = dtypes.float) -> UOp:
    return node(Ops.DEFINE_GLOBAL, dtype.ptr(), arg=number)


def load(dtype: DType = dtypes.float, on: UOp = VIEW) -> UOp:
    return node(Ops.LOAD, dtype, buffer(100 if dtype is dtypes.float else 101, dtype), on)


def const(value: Any = 1.0, dtype: DType = dtypes.float, on: UOp = VIEW) -> UOp:
    return node(Ops.CONST, dtype, on, arg=value)


def store(value: UOp, number: int = 0, on: UOp = VIEW, into: UOp | None = None) -> UOp:
    return node(Ops.STORE, dtypes.void, buffer(number, value.dtype) if into is None else into, on, value)


def kernel(*values: UOp, on: UOp = VIEW) -> UOp:
    return UOp.sink(*[store(value, number, on) for number, value in enumerate(values)])


def alu(op: Ops, *src: UOp, dtype: DType = dtypes.float) -> UOp:
    return kernel(node(op, dtype, *src))


LOCAL = node(Ops.DEFINE_LOCAL, dtypes.float.ptr(12, local=True), arg="temp0")
SUM = node(Ops.REDUCE_AXIS, dtypes.float, load(), arg=(Ops.ADD, (1,)))
INT, BOOL = load(dtypes.int), node(Ops.VALID, dtypes.bool, VIEW)

PAIR = ((1, 2),)
FRAGMENT = node(Ops.CONTRACT, dtypes.float.vec(2), load(), arg=PAIR)
ZERO = node(Ops.CONST, dtypes.float.vec(2), arg=0.0)
MATRIX_ARG = ("WMMA", (8, 8, 8), dtypes.float, dtypes.float, "METAL", 32, (PAIR, PAIR, PAIR), (1,))


def product(**fields: Any) -> UOp:
    """A kernel that stores a product of fragments, some of its fields changed."""
    wmma = node(Ops.WMMA, dtypes.float.vec(2), FRAGMENT, FRAGMENT, ZERO, arg=MATRIX_ARG).replace(**fields)
    return kernel(node(Ops.UNROLL, wmma.dtype.scalar(), wmma, arg=((1, wmma.dtype.count),)))


GOOD: dict[str, UOp] = {
    "copy": kernel(load()),
    "sum": kernel(SUM, on=SCALAR),
    "several outputs": kernel(load(), const(), INT),
    "sum over no axes": kernel(node(Ops.REDUCE_AXIS, dtypes.float, load(), arg=(Ops.MAX, ()))),
    "where": alu(Ops.WHERE, BOOL, load(), const()),
    "compare": alu(Ops.CMPLT, load(), const(), dtype=dtypes.bool),
    "cast": alu(Ops.CAST, INT),
    "bitcast": alu(Ops.BITCAST, load(), dtype=dtypes.int),
    "shift": alu(Ops.SHL, INT, const(1, dtypes.uint), dtype=dtypes.int),
    "constant that wraps": kernel(const(-1, dtypes.uchar)),
    "variable": kernel(node(Ops.DEFINE_VAR, dtypes.int, VIEW, arg=("n", 1, 10))),
    "binding": kernel(
        node(
            Ops.BIND,
            dtypes.int,
            node(Ops.DEFINE_VAR, dtypes.int, VIEW, arg=("n", 1, 10)),
            node(Ops.CONST, dtypes.int, arg=10),
        )
    ),
    "symbolic shape": kernel(
        load(on=view(N + 1, 3)), on=view(UOp(Ops.ADD, dtypes.int, (UOp.const(dtypes.int, 1), N)), 3)
    ),
    "image": UOp.sink(store(load(), into=node(Ops.DEFINE_GLOBAL, image_dtype("imageh", (1, 3, 4)), arg=0))),
    "in local memory": kernel(node(Ops.LOAD, dtypes.float, LOCAL, VIEW, store(load(), into=LOCAL))),
    "optimised": kernel(load()).replace(arg=KernelInfo(1, 1, False)),
}

# rule -> graphs that break it, and no rule before it
BAD_NODES: dict[str, list[UOp]] = {
    "known-op": [kernel(node(Ops.GEP, dtypes.float, load(), arg=0)), node(Ops.ENDIF, dtypes.void)],
    "sink": [
        node(Ops.SINK, dtypes.void),
        node(Ops.SINK, dtypes.int, store(load())),
        node(Ops.SINK, dtypes.void, load()),
        node(Ops.SINK, dtypes.void, store(load()), arg=5),
    ],
    "store": [
        UOp.sink(node(Ops.STORE, dtypes.void, buffer(0), VIEW)),
        UOp.sink(node(Ops.STORE, dtypes.float, buffer(0), VIEW, load())),
        UOp.sink(node(Ops.STORE, dtypes.void, VIEW, buffer(0), load())),
        UOp.sink(node(Ops.STORE, dtypes.void, buffer(0), VIEW, load(), load())),
        UOp.sink(node(Ops.STORE, dtypes.void, buffer(0), VIEW, load(), arg=1)),
    ],
    "store-dtype": [UOp.sink(store(load(), into=buffer(0, dtypes.half)))],
    "load": [
        kernel(node(Ops.LOAD, dtypes.float, buffer(1))),
        kernel(node(Ops.LOAD, dtypes.float, VIEW, buffer(1))),
        kernel(node(Ops.LOAD, dtypes.float, buffer(1), VIEW, load())),
        kernel(node(Ops.LOAD, dtypes.float, buffer(1), VIEW, store(load(), into=LOCAL))),
        kernel(node(Ops.LOAD, dtypes.float, buffer(1), VIEW, arg=0)),
    ],
    "load-dtype": [
        kernel(node(Ops.LOAD, dtypes.int, buffer(1), VIEW)),
        kernel(node(Ops.LOAD, dtypes.half, node(Ops.DEFINE_GLOBAL, image_dtype("imageh", (1, 3, 4)), arg=1), VIEW)),
    ],
    "buffer": [
        UOp.sink(store(load(), into=node(Ops.DEFINE_GLOBAL, dtypes.float, arg=0))),
        UOp.sink(store(load(), into=node(Ops.DEFINE_GLOBAL, dtypes.void.ptr(), arg=0))),
        UOp.sink(store(load(), into=node(Ops.DEFINE_GLOBAL, dtypes.float.ptr(4, local=True), arg=0))),
        UOp.sink(store(load(), into=node(Ops.DEFINE_GLOBAL, dtypes.float.ptr(), arg=-1))),
        UOp.sink(store(load(), into=node(Ops.DEFINE_GLOBAL, dtypes.float.ptr(), arg="a"))),
        UOp.sink(store(load(), into=node(Ops.DEFINE_GLOBAL, dtypes.float.ptr(), arg=True))),
        UOp.sink(store(load(), into=node(Ops.DEFINE_GLOBAL, dtypes.float.ptr(), VIEW, arg=0))),
    ],
    "image": [
        UOp.sink(store(load(), into=node(Ops.DEFINE_GLOBAL, image_dtype("imageh", (1, 3, 3)), arg=0))),
        UOp.sink(store(load(), into=node(Ops.DEFINE_GLOBAL, image_dtype("imageh", (0, 3, 4)), arg=0))),
    ],
    "local-buffer": [
        UOp.sink(store(load(), into=node(Ops.DEFINE_LOCAL, dtypes.float.ptr(4), arg="temp0"))),
        UOp.sink(store(load(), into=node(Ops.DEFINE_LOCAL, dtypes.float.ptr(-1, local=True), arg="temp0"))),
        UOp.sink(store(load(), into=node(Ops.DEFINE_LOCAL, dtypes.float.ptr(4, local=True), arg="a; system(0)"))),
        UOp.sink(store(load(), into=node(Ops.DEFINE_LOCAL, dtypes.float.ptr(4, local=True), arg=0))),
    ],
    "view": [
        kernel(load(on=node(Ops.VIEW, dtypes.void, load(), arg=VIEW.arg))),
        kernel(load(on=node(Ops.VIEW, dtypes.float, arg=VIEW.arg))),
        kernel(load(on=node(Ops.VIEW, dtypes.void, arg=(4, 3)))),
    ],
    "view-entries": [
        kernel(load(on=view(4, 3, offset=node(Ops.DEFINE_VAR, dtypes.int, arg=("a b", 0, 1))))),
        kernel(load(on=view(4, 3, offset=node(Ops.DEFINE_VAR, dtypes.int, VIEW, arg=("n", 0, 1))))),
        kernel(load(on=view(4, 3, offset=node(Ops.CONST, dtypes.int, arg=1 << 40)))),
        kernel(load(on=view(4, 3, offset=node(Ops.ADD, dtypes.int, N)))),
        kernel(load(on=view(4, 3, offset=node(Ops.CAST, dtypes.int, UOp.const(dtypes.float, 1))))),
        kernel(load(on=view(4, 3, offset=INT))),
    ],
    "valid": [
        kernel(node(Ops.VALID, dtypes.int, VIEW)),
        kernel(node(Ops.VALID, dtypes.bool)),
        kernel(node(Ops.VALID, dtypes.bool, load())),
        kernel(node(Ops.VALID, dtypes.bool, VIEW, arg=1)),
    ],
    "const": [
        kernel(const(1)),
        kernel(const(1.0, dtypes.int)),
        kernel(const(True, dtypes.int)),
        kernel(const(1, dtypes.bool)),
        kernel(const(1 << 64, dtypes.ulong)),
        kernel(const(None)),
        UOp.sink(store(const(1.0, dtypes.float.ptr()), into=buffer(0))),
        UOp.sink(store(const(0, dtypes.void), into=buffer(0))),
    ],
    "variable": [
        kernel(node(Ops.DEFINE_VAR, dtype, VIEW, arg=arg))
        for dtype, arg in (
            (dtypes.float, ("n", 1, 10)),
            (dtypes.int, ("n", 10, 1)),
            (dtypes.int, ("n", 1)),
            (dtypes.int, "n"),
            (dtypes.int, ("n", 1, 1 << 31)),
            (dtypes.int, ("n", True, 10)),
            (dtypes.int, ("n;", 1, 10)),
            (dtypes.int, ("", 1, 10)),
            (dtypes.int, ("\u00e9", 1, 10)),
            (dtypes.int, ("n\n", 1, 10)),
            (dtypes.int, (5, 1, 10)),
        )
    ],
    "leaf-source": [
        kernel(const(on=load())),
        kernel(node(Ops.CONST, dtypes.float, VIEW, VIEW, arg=1.0)),
        kernel(node(Ops.DEFINE_VAR, dtypes.int, INT, arg=("n", 1, 10))),
    ],
    "bind": [
        kernel(node(Ops.BIND, dtypes.int, N)),
        kernel(node(Ops.BIND, dtypes.int, N, N)),
        kernel(node(Ops.BIND, dtypes.int, N, UOp.const(dtypes.int, 11))),
        kernel(node(Ops.BIND, dtypes.int, N, UOp.const(dtypes.long, 5))),
        kernel(node(Ops.BIND, dtypes.int, N, UOp.const(dtypes.int, 5), arg=5)),
    ],
    "reduce": [
        kernel(SUM.replace(**fields), on=SCALAR)
        for fields in (
            {"src": ()},
            {"dtype": dtypes.double},
            {"arg": None},
            {"arg": (Ops.ADD,)},
            {"arg": (Ops.SUB, (1,))},
            {"arg": ("ADD", (1,))},
            {"arg": (Ops.ADD, 1)},
            {"arg": (Ops.ADD, (-1,))},
            {"arg": (Ops.ADD, (1, 1))},
            {"arg": (Ops.ADD, (True,))},
        )
    ],
    "operands": [
        alu(Ops.ADD, load()),
        alu(Ops.SQRT, load(), load()),
        alu(Ops.WHERE, BOOL, load()),
        kernel(node(Ops.ADD, dtypes.float, load(), load(), arg=1)),
        UOp.sink(store(node(Ops.CAST, dtypes.float.ptr(), load()), into=buffer(0))),
    ],
    "operand-dtypes": [
        alu(Ops.ADD, load(), INT),
        alu(Ops.ADD, INT, INT),
        alu(Ops.ADD, load(), VIEW),
        alu(Ops.ADD, buffer(1), buffer(1)),
    ],
    "comparison": [
        alu(Ops.CMPLT, load(), load()),
        alu(Ops.CMPNE, load(), INT, dtype=dtypes.bool),
        alu(Ops.CMPNE, VIEW, VIEW, dtype=dtypes.bool),
        alu(Ops.CMPNE, load(), load(), dtype=dtypes.bool.vec(2)),
    ],
    "where": [
        alu(Ops.WHERE, INT, load(), load()),
        alu(Ops.WHERE, BOOL, load(), INT),
        alu(Ops.WHERE, BOOL, INT, load()),
        alu(Ops.WHERE, buffer(1, dtypes.bool), load(), load()),
    ],
    "shift": [
        alu(Ops.SHL, INT, load(), dtype=dtypes.int),
        alu(Ops.SHR, INT, load(), dtype=dtypes.uint),
        alu(Ops.SHR, INT, buffer(1, dtypes.int), dtype=dtypes.int),
    ],
    "cast": [
        alu(Ops.CAST, load(), dtype=dtypes.int.vec(4)),
        alu(Ops.CAST, VIEW),
        alu(Ops.BITCAST, buffer(1)),
    ],
    "operand-kind": [
        *[alu(op, INT, dtype=dtypes.int) for op in (Ops.EXP2, Ops.LOG2, Ops.SIN, Ops.SQRT, Ops.RECIP)],
        alu(Ops.FDIV, INT, INT, dtype=dtypes.int),
        *[alu(op, load(), load()) for op in (Ops.IDIV, Ops.MOD, Ops.AND, Ops.OR, Ops.XOR)],
        alu(Ops.IDIV, BOOL, BOOL, dtype=dtypes.bool),
        alu(Ops.THREEFRY, *[load(dtypes.uint)] * 2, dtype=dtypes.uint),
    ],
    "wmma": [
        product(arg=None),
        product(arg=MATRIX_ARG[:7]),
        product(arg=(*MATRIX_ARG[:1], (8, 8), *MATRIX_ARG[2:])),
        product(arg=(*MATRIX_ARG[:2], dtypes.half, *MATRIX_ARG[3:])),
        product(arg=(*MATRIX_ARG[:6], (PAIR, PAIR, ()), (1,))),
        product(dtype=dtypes.float.vec(4)),
        product(src=(FRAGMENT, FRAGMENT)),
    ],
    "contract": [
        kernel(node(Ops.UNROLL, dtypes.float, FRAGMENT.replace(**fields), arg=PAIR))
        for fields in ({"arg": None}, {"arg": ((1, 4),)}, {"arg": (1, 2)}, {"src": ()}, {"src": (INT,)})
    ],
    "unroll": [
        kernel(node(Ops.UNROLL, dtypes.float, FRAGMENT, arg=arg)) for arg in (None, ((1, 4),), ((1, -2),), ((1,),))
    ],
    "bitcast-size": [alu(Ops.BITCAST, load(), dtype=dtypes.half)],
    "scalar": [
        kernel(const(1.0, dtypes.float.vec(4))),
        alu(Ops.ADD, *[const(1.0, dtypes.float.vec(4))] * 2, dtype=dtypes.float.vec(4)),
    ],
    "one-node-per-buffer": [
        UOp.sink(store(load(), 0), store(INT, 100)),
        UOp.sink(store(load(), 0), store(INT, into=buffer(0, dtypes.int))),
    ],
    "one-range-per-variable": [
        alu(
            Ops.ADD,
            *[node(Ops.DEFINE_VAR, dtypes.int, VIEW, arg=("n", 1, high)) for high in (10, 11)],
            dtype=dtypes.int,
        ),
        kernel(load(on=view(4, 3, offset=N)), node(Ops.DEFINE_VAR, dtypes.int, VIEW, arg=("n", 1, 9))),
    ],
}

WIDE, TALL = view(3, 4), view(4, 3, 1)
BAD_SHAPES: dict[str, list[UOp]] = {
    "root-is-sink": [store(load()), load(), UOp.sink(store(kernel(load()), into=buffer(0)))],
    "view-without-sources": [
        kernel(load(on=node(Ops.VIEW, dtypes.void, load(), arg=VIEW.arg))),
        kernel(load(on=node(Ops.VIEW, dtypes.void, arg=(4, 3)))),
    ],
    "shaped-operands": [
        kernel(UOp.const(dtypes.float, 1)),
        alu(Ops.ADD, load(), UOp.const(dtypes.float, 1)),
        kernel(N),
    ],
    "same-shape": [
        kernel(load(on=WIDE)),
        kernel(load(), on=SCALAR),
        kernel(SUM),
        alu(Ops.ADD, load(), load(on=SCALAR)),
        alu(Ops.WHERE, node(Ops.VALID, dtypes.bool, SCALAR), load(), load()),
        kernel(load(on=view(N, 3)), on=view(N + 1, 3)),
    ],
    "reduce-axes": [kernel(SUM.replace(arg=(Ops.ADD, (2,))))],
    "outputs-same-size": [
        UOp.sink(store(load(), 0), store(SUM, 2, SCALAR)),
        UOp.sink(store(load(on=view(N, 3)), 0, view(N, 3)), store(load(on=view(N + 1, 3)), 2, view(N + 1, 3))),
    ],
    "one-or-n": [
        UOp.sink(store(load(), 0), store(load(on=WIDE), 2, WIDE)),
        UOp.sink(store(load(), 0), store(load(on=TALL), 2, TALL)),
        kernel(*[SUM.replace(src=(load(on=view(4, size)),)) for size in (3, 5)], on=SCALAR),
        kernel(*[SUM.replace(src=(load(on=view(4, size)),)) for size in (N, N + 1)], on=SCALAR),
    ],
}


def cases(table: dict[str, list[UOp]]) -> list[Any]:
    return [pytest.param(rule, graph, id=f"{rule}-{i}") for rule in table for i, graph in enumerate(table[rule])]


# ---- the rules ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GOOD)
def test_good_asts_pass(name: str) -> None:
    type_verify(GOOD[name].toposort(), tensor_spec, shape_spec)


def test_a_matrix_product_may_stand_in_an_optimised_ast() -> None:
    type_verify(product().toposort(), tensor_spec)


@pytest.mark.parametrize(("rule", "graph"), cases(BAD_NODES))
def test_a_broken_rule_on_nodes_is_named(rule: str, graph: UOp) -> None:
    with pytest.raises(SpecError, match=f"^an AST breaks the rule '{rule}' "):
        type_verify(graph.toposort(), tensor_spec)


@pytest.mark.parametrize(("rule", "graph"), cases(BAD_SHAPES))
def test_a_broken_rule_on_shapes_is_named(rule: str, graph: UOp) -> None:
    with pytest.raises(SpecError, match=f"^an AST breaks the rule '{rule}' "):
        type_verify(graph.toposort(), shape_spec)


def test_every_rule_has_a_graph_that_breaks_it() -> None:
    assert {"known-op", *[rule.name for rule in (*tensor_spec.rules, *tensor_spec.graph_rules)]} == set(BAD_NODES)
    assert {rule.name for rule in shape_spec.rules} == set(BAD_SHAPES)


def test_names_and_demands_are_one_line_each() -> None:
    for rule in (*tensor_spec.rules, *tensor_spec.graph_rules, *shape_spec.rules):
        assert rule.name
        assert rule.demands
        assert "\n" not in rule.demands


def test_a_message_names_the_rule_what_it_demands_and_the_node() -> None:
    with pytest.raises(SpecError) as refused:
        verify_ast(alu(Ops.ADD, load(), INT))
    assert str(refused.value) == (
        "an AST breaks the rule 'operand-dtypes' (the operands have the dtype of the result) "
        "with ADD float, arg None, sources (LOAD float, LOAD int)"
    )


def test_a_message_stays_short() -> None:
    sink = node(Ops.SINK, dtypes.void, *[load()] * 1000, arg="a" * 10_000)
    with pytest.raises(SpecError) as refused:
        verify_ast(sink)
    assert len(str(refused.value)) < 500


# ---- real ASTs ----------------------------------------------------------------------------------------------------


def test_no_real_ast_breaks_a_rule_and_checking_is_cheap(real_asts: RealAsts) -> None:
    nodes = [ast.toposort() for ast in real_asts.asts]
    started = time.process_time()
    for uops in nodes:
        type_verify(uops, tensor_spec, shape_spec)
    assert time.process_time() - started < SECONDS_FOR_ONE * len(nodes)


def test_a_deep_ast_is_checked() -> None:
    deep = load()
    for _ in range(DEEP):
        deep = node(Ops.NEG, dtypes.float, deep)
    verify_ast(kernel(deep))
    assert len(ast_shapes(kernel(deep))) == DEEP + 3
    with pytest.raises(SpecError):
        verify_ast(chain(DEEP))


# ---- shapes -------------------------------------------------------------------------------------------------------


def test_shapes_come_from_views_and_shrink_where_they_are_reduced() -> None:
    shapes = ast_shapes(kernel(SUM, on=SCALAR))
    assert shapes[VIEW] == shapes[SUM.src[0]] == (4, 3)
    assert shapes[SUM] == shapes[SCALAR] == (4, 1)


@pytest.mark.parametrize("has_none", [lambda ast: ast, lambda ast: ast.src[0].src[0]])
def test_the_sink_and_buffers_have_no_shape(has_none: Callable[[UOp], UOp]) -> None:
    ast = GOOD["copy"]
    assert has_none(ast) not in ast_shapes(ast)
