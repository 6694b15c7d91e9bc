"""Every rule of the program spec refuses a list of UOps that breaks it, by its name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from core.dtype import DType, dtypes, image_dtype
from core.errors import SpecError
from core.ir.ops import Ops
from core.ir.spec import program_spec, type_verify
from core.ir.uop import UOp, toposort

FLOAT4 = dtypes.float.vec(4)


def node(op: Ops, dtype: DType, *src: UOp, arg: Any = None) -> UOp:
    return UOp(op, dtype, src, arg)


def number(value: int, dtype: DType = dtypes.int) -> UOp:
    return node(Ops.CONST, dtype, arg=value)


def index(buffer: UOp, at: UOp, *after: UOp) -> UOp:
    return node(Ops.INDEX, buffer.dtype, buffer, at, *after)


def store(address: UOp, value: UOp) -> UOp:
    return node(Ops.STORE, dtypes.void, address, value)


OUT, IN = [node(Ops.DEFINE_GLOBAL, dtypes.float.ptr(64), arg=i) for i in (0, 1)]
LOCAL = node(Ops.DEFINE_LOCAL, dtypes.float.ptr(16, local=True), arg="temp0")
N = node(Ops.DEFINE_VAR, dtypes.int, arg=("n", 1, 10))
GIDX = node(Ops.SPECIAL, dtypes.int, arg=("gidx0", 16))
LOOP = node(Ops.RANGE, dtypes.int, N, arg=0)
END = node(Ops.ENDRANGE, dtypes.void, LOOP)
INNER = node(Ops.RANGE, dtypes.int, number(3), arg=1)
INNER_END = node(Ops.ENDRANGE, dtypes.void, INNER)
GATE = node(Ops.CMPLT, dtypes.bool, GIDX, number(8))
IF = node(Ops.IF, dtypes.void, GATE)
ENDIF = node(Ops.ENDIF, dtypes.void, IF)
ONE = node(Ops.CONST, dtypes.float, arg=1.0)
LOADED = node(Ops.LOAD, dtypes.float, index(IN, GIDX))
ACC = node(Ops.DEFINE_ACC, dtypes.float, ONE, arg=0)
TOTAL = node(Ops.ADD, dtypes.float, ACC, node(Ops.LOAD, dtypes.float, index(IN, LOOP)))
ASSIGN = node(Ops.ASSIGN, dtypes.float, ACC, TOTAL)
STORE = store(index(OUT, GIDX), LOADED)


def program(*nodes: UOp) -> list[UOp]:
    """`nodes` in the order given, and before each whatever of its sources is not yet there."""
    placed: dict[UOp, None] = {}
    for root in nodes:
        placed.update(dict.fromkeys(toposort((root,))))
    return list(placed)


GOOD: dict[str, list[UOp]] = {
    "nothing": [],
    "copy": program(STORE),
    "sum in a loop": program(N, ACC, LOOP, ASSIGN, END, store(index(OUT, number(0)), ACC)),
    "nested loops": program(LOOP, INNER, INNER_END, END),
    "gated store": program(LOADED, index(OUT, GIDX), IF, STORE, ENDIF),
    "gated load": program(store(index(OUT, GIDX), node(Ops.LOAD, dtypes.float, index(IN, GIDX), ONE, GATE))),
    "vectors": program(
        store(index(OUT, number(0)), node(Ops.VECTORIZE, FLOAT4, LOADED, ONE, ONE, ONE)),
        store(
            index(OUT, number(4)),
            node(Ops.GEP, dtypes.float, node(Ops.LOAD, FLOAT4, index(IN, number(0))), arg=3),
        ),
    ),
    "elementwise on vectors": program(
        node(
            Ops.WHERE,
            FLOAT4,
            node(Ops.CMPLT, dtypes.bool.vec(4), *[node(Ops.LOAD, FLOAT4, index(IN, number(0)))] * 2),
            *[node(Ops.CONST, FLOAT4, arg=2.0)] * 2,
        )
    ),
    "local memory": program(
        index(LOCAL, GIDX),
        store(index(LOCAL, GIDX), ONE),
        node(Ops.BARRIER, dtypes.void, store(index(LOCAL, GIDX), ONE)),
        index(LOCAL, number(0), node(Ops.BARRIER, dtypes.void, store(index(LOCAL, GIDX), ONE))),
    ),
    "a constant of a loop used after it": program(LOOP, number(5), END, index(OUT, number(5))),
    "a store in a loop waited for after it": program(LOOP, STORE, END, node(Ops.BARRIER, dtypes.void, STORE)),
    "long indices": program(index(OUT, node(Ops.CAST, dtypes.long, GIDX))),
    "symbolic launch": program(node(Ops.SPECIAL, dtypes.int, arg=("gidx0", UOp(Ops.ADD, dtypes.int, (N, N))))),
}

# rule -> programs that break it, and no rule before it
BAD: dict[str, list[Sequence[UOp]]] = {
    "known-op": [
        program(UOp.sink(STORE)),
        program(node(Ops.VIEW, dtypes.void)),
        program(node(Ops.REDUCE, dtypes.float, ONE, arg=(Ops.ADD, ()))),
        program(node(Ops.LANE, dtypes.int, arg=(0, 4))),
    ],
    "buffer": [program(node(Ops.DEFINE_GLOBAL, dtypes.float, arg=0))],
    "image": [program(node(Ops.DEFINE_GLOBAL, image_dtype("imagef", (2, 2, 3)), arg=0))],
    "local-buffer": [
        program(node(Ops.DEFINE_LOCAL, dtypes.float.ptr(16), arg="temp0")),
        program(node(Ops.DEFINE_LOCAL, dtypes.float.ptr(16, local=True), arg="temp 0")),
    ],
    "variable": [program(node(Ops.DEFINE_VAR, dtypes.int, arg=("n*", 1, 10)))],
    "const": [
        program(number(-1, dtypes.uint)),
        program(number(1 << 31)),
        program(node(Ops.CONST, FLOAT4, arg=1)),
        program(node(Ops.CONST, dtypes.bool, arg=1)),
    ],
    "leaf-source": [program(node(Ops.CONST, dtypes.int, GIDX, arg=1)), program(N.replace(src=(GIDX,)))],
    "special": [
        program(node(Ops.SPECIAL, dtype, *src, arg=arg))
        for dtype, src, arg in (
            (dtypes.float, (), ("gidx0", 4)),
            (dtypes.int, (ONE,), ("gidx0", 4)),
            (dtypes.int, (), ("gidx", 4)),
            (dtypes.int, (), ("gidx0;", 4)),
            (dtypes.int, (), ("gidx0", 0)),
            (dtypes.int, (), ("gidx0", 4.0)),
            (dtypes.int, (), ("gidx0", ONE)),
            (dtypes.int, (), "gidx0"),
        )
    ],
    "range": [
        program(node(Ops.RANGE, dtypes.int, arg=0)),
        program(node(Ops.RANGE, dtypes.long, number(3), arg=0)),
        program(node(Ops.RANGE, dtypes.int, number(3), arg=-1)),
        program(node(Ops.RANGE, dtypes.int, number(3), arg=(0,))),
        program(node(Ops.RANGE, dtypes.float, ONE, arg=0)),
    ],
    "end": [
        program(node(Ops.ENDRANGE, dtypes.void, GIDX)),
        program(LOOP, node(Ops.ENDRANGE, dtypes.int, LOOP)),
        program(LOOP, node(Ops.ENDIF, dtypes.void, LOOP)),
        program(LOOP, node(Ops.ENDRANGE, dtypes.void, LOOP, LOOP)),
    ],
    "if": [
        program(node(Ops.IF, dtypes.void, GIDX)),
        program(node(Ops.IF, dtypes.void)),
        program(IF.replace(dtype=dtypes.int)),
    ],
    "barrier": [program(node(Ops.BARRIER, dtypes.int))],
    "accumulator": [
        program(node(Ops.DEFINE_ACC, dtypes.float, arg=0)),
        program(node(Ops.DEFINE_ACC, dtypes.float, number(0), arg=0)),
        program(node(Ops.DEFINE_ACC, dtypes.float, ONE)),
        program(node(Ops.DEFINE_ACC, OUT.dtype, OUT, arg=0)),
    ],
    "assign": [
        program(node(Ops.ASSIGN, dtypes.float, ONE, ONE)),
        program(node(Ops.ASSIGN, dtypes.float, ACC, number(1))),
        program(node(Ops.ASSIGN, dtypes.float, ACC)),
    ],
    "index": [
        program(node(Ops.INDEX, dtypes.float, OUT, GIDX)),
        program(index(OUT, ONE)),
        program(index(ONE, GIDX)),
        program(index(OUT, GIDX, GATE)),
        program(node(Ops.INDEX, OUT.dtype, OUT)),
    ],
    "load": [
        program(node(Ops.LOAD, dtypes.float, OUT)),
        program(node(Ops.LOAD, dtypes.float)),
        program(node(Ops.LOAD, dtypes.int, index(OUT, GIDX))),
        program(node(Ops.LOAD, dtypes.int.vec(4), index(OUT, GIDX))),
        program(node(Ops.LOAD, OUT.dtype, index(OUT, GIDX))),
    ],
    "load-gate": [
        program(node(Ops.LOAD, dtypes.float, index(OUT, GIDX), ONE)),
        program(node(Ops.LOAD, dtypes.float, index(OUT, GIDX), number(0), GATE)),
        program(node(Ops.LOAD, dtypes.float, index(OUT, GIDX), ONE, GIDX)),
        program(node(Ops.LOAD, FLOAT4, index(OUT, GIDX), ONE, GATE)),
    ],
    "store": [
        program(store(OUT, ONE)),
        program(store(index(OUT, GIDX), GIDX)),
        program(node(Ops.STORE, dtypes.void, index(OUT, GIDX))),
        program(node(Ops.STORE, dtypes.void, index(OUT, GIDX), ONE, GATE)),
        program(STORE.replace(dtype=dtypes.float)),
    ],
    "vectorize": [
        program(node(Ops.VECTORIZE, FLOAT4, ONE, ONE)),
        program(node(Ops.VECTORIZE, FLOAT4, ONE, ONE, ONE, GIDX)),
        program(node(Ops.VECTORIZE, dtypes.float, ONE)),
    ],
    "gep": [
        program(node(Ops.GEP, dtypes.float, node(Ops.CONST, FLOAT4, arg=1.0), arg=4)),
        program(node(Ops.GEP, dtypes.float, node(Ops.CONST, FLOAT4, arg=1.0), arg=(0,))),
        program(node(Ops.GEP, dtypes.int, node(Ops.CONST, FLOAT4, arg=1.0), arg=0)),
    ],
    "wmma": [program(node(Ops.WMMA, FLOAT4, *[node(Ops.CONST, FLOAT4, arg=1.0)] * 3))],
    "operands": [program(node(Ops.ADD, dtypes.float, ONE))],
    "operand-dtypes": [program(node(Ops.ADD, FLOAT4, ONE, ONE))],
    "comparison": [program(node(Ops.CMPLT, dtypes.bool, GIDX, ONE))],
    "where": [program(node(Ops.WHERE, FLOAT4, GATE, *[node(Ops.CONST, FLOAT4, arg=1.0)] * 2))],
    "shift": [program(node(Ops.SHL, dtypes.int, GIDX, ONE))],
    "cast": [program(node(Ops.CAST, FLOAT4, GIDX))],
    "operand-kind": [program(node(Ops.MOD, dtypes.float, ONE, ONE))],
    "bitcast-size": [program(node(Ops.BITCAST, dtypes.double, ONE))],
    "sources-first": [program(STORE)[::-1], program(STORE) * 2, program(STORE)[1:]],
    "blocks-nest": [
        program(LOOP),
        program(LOOP, INNER, END, INNER_END),
        program(LOADED, IF),
        [*program(IF, LOOP), ENDIF, END],
    ],
    "used-in-block": [
        program(LOOP, index(IN, LOOP), END, store(index(IN, LOOP), ONE)),
        program(LOOP, node(Ops.MUL, dtypes.int, GIDX, GIDX), END, index(OUT, node(Ops.MUL, dtypes.int, GIDX, GIDX))),
        program(LOOP, INNER, ACC, INNER_END, store(index(OUT, number(0)), ACC), END),
        program(LOOP, END, index(OUT, LOOP)),
    ],
    "distinct-names": [
        program(OUT, OUT.replace(dtype=dtypes.int.ptr(64))),
        program(LOCAL, LOCAL.replace(dtype=dtypes.float.ptr(17, local=True))),
        program(N, node(Ops.DEFINE_VAR, dtypes.int, arg=("n", 1, 11))),
        program(GIDX, node(Ops.SPECIAL, dtypes.int, arg=("gidx0", 17))),
        program(
            LOOP,
            END,
            node(Ops.RANGE, dtypes.int, number(9), arg=0),
            node(Ops.ENDRANGE, dtypes.void, node(Ops.RANGE, dtypes.int, number(9), arg=0)),
        ),
        program(ACC, node(Ops.DEFINE_ACC, dtypes.int, number(0), arg=0)),
    ],
}


@pytest.mark.parametrize("name", GOOD)
def test_good_programs_pass(name: str) -> None:
    type_verify(GOOD[name], program_spec)


@pytest.mark.parametrize(
    ("rule", "uops"),
    [pytest.param(rule, uops, id=f"{rule}-{i}") for rule in BAD for i, uops in enumerate(BAD[rule])],
)
def test_a_broken_rule_is_named(rule: str, uops: Sequence[UOp]) -> None:
    with pytest.raises(SpecError, match=f"^a program breaks the rule '{rule}' "):
        type_verify(uops, program_spec)


def test_every_rule_has_a_program_that_breaks_it() -> None:
    assert {"known-op", *[rule.name for rule in (*program_spec.rules, *program_spec.graph_rules)]} == set(BAD)
    assert all(BAD.values())
