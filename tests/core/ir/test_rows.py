"""Rows hold a graph without loss and identify it in every process; bad rows are refused naming the field."""

from __future__ import annotations

import copy
import hashlib
import json
import math
import os
import struct
import subprocess
import sys
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.dtype import dtypes
from core.errors import RecordError
from core.ir import limits
from core.ir.kernel_info import KernelInfo
from core.ir.ops import Ops
from core.ir.rows import ast_digest, from_rows, to_rows
from core.ir.text import format_uop, parse_uop
from core.ir.uop import UOp
from core.shape import ShapeTracker, View
from tests.core.ir.dags import ARGS, RealAsts, chain, const, dags

DEEP = 20_000


def node(arg: Any = None, *src: UOp) -> UOp:
    return UOp(Ops.SINK, dtypes.void, src, arg)


def row_of(arg: Any) -> list[Any]:
    return ["SINK", "void", [], arg]


# ---- round trips --------------------------------------------------------------------------------------------------


def test_every_real_ast_survives(real_asts: RealAsts) -> None:
    for ast in real_asts.asts:
        assert from_rows(msgspec.msgpack.decode(msgspec.msgpack.encode(to_rows(ast)))) is ast


def test_every_real_ast_has_a_digest_of_its_own(real_asts: RealAsts) -> None:
    assert len({ast_digest(ast) for ast in real_asts.asts}) == len(set(real_asts.asts))


@given(dags())
def test_any_graph_survives_in_msgpack_and_in_json(graph: UOp) -> None:
    rows = to_rows(graph)
    assert from_rows(msgspec.msgpack.decode(msgspec.msgpack.encode(rows))) is graph
    assert from_rows(json.loads(json.dumps(rows))) is graph
    assert to_rows(from_rows(rows)) == rows


@given(ARGS)
def test_any_arg_survives(arg: Any) -> None:
    graph = node(arg)
    assert from_rows(to_rows(graph)) is graph


@given(st.floats())
def test_floats_survive_bit_by_bit(value: float) -> None:
    read = from_rows(json.loads(json.dumps(to_rows(node(value))))).arg
    assert math.isnan(read) if math.isnan(value) else struct.pack("<d", read) == struct.pack("<d", value)


def test_a_deep_graph_survives() -> None:
    graph = chain(DEEP)
    rows = to_rows(graph)
    assert len(rows) == DEEP
    assert from_rows(rows) is graph
    assert ast_digest(graph) == ast_digest(from_rows(rows))


# ---- the layout ---------------------------------------------------------------------------------------------------


def test_rows_come_operands_first_and_a_view_after_its_symbolic_integers() -> None:
    variable = UOp.variable("i", 1, 10)
    view = View((variable, 3), (3, 1), 0, ((0, variable), (0, 3)), False)
    graph = node(None, const(4), UOp(Ops.VIEW, dtypes.void, (), ShapeTracker((view,))))
    assert to_rows(graph) == [
        ["CONST", "int", [], ["i", 4]],
        ["DEFINE_VAR", "int", [], ["t", [["s", "i"], ["i", 1], ["i", 10]]]],
        ["VIEW", "void", [], ["view", [[[["u", 1], 3], [3, 1], 0, [[0, ["u", 1]], [0, 3]], False]]]],
        ["SINK", "void", [0, 2], None],
    ]


@pytest.mark.parametrize(
    ("arg", "packed"),
    [
        (None, None),
        (True, ["b", True]),
        (5, ["i", 5]),
        (3.0, ["f", "0x1.8p+1"]),
        (-0.0, ["f", "-0x0p+0"]),
        (1024.0, ["f", "0x1p+10"]),
        (math.inf, ["f", "inf"]),
        (-math.inf, ["f", "-inf"]),
        (math.nan, ["f", "nan"]),
        (5e-324, ["f", "0x0.0000000000001p-1022"]),
        ("i", ["s", "i"]),
        ((1, (2,)), ["t", [["i", 1], ["t", [["i", 2]]]]]),
        (Ops.ADD, ["op", "ADD"]),
        (dtypes.half.ptr(9, local=True), ["d", "half.ptr(9,local=True)"]),
        (KernelInfo(1, 2, True), ["kernel_info", 1, 2, True]),
        (ShapeTracker((View.create((2, 3)),)), ["view", [[[2, 3], [3, 1], 0, None, True]]]),
    ],
)
def test_the_kinds_of_args(arg: Any, packed: Any) -> None:
    assert to_rows(node(arg)) == [row_of(packed)]
    assert from_rows([row_of(packed)]) is node(arg)


def test_rows_hold_plain_data_only() -> None:
    rows = to_rows(node((True, Ops.ADD, dtypes.int), const()))
    assert json.loads(json.dumps(rows)) == rows


def test_floats_may_be_written_with_all_their_zeros() -> None:
    assert from_rows([row_of(["f", (3.0).hex()])]).arg == 3.0


@pytest.mark.parametrize("arg", [1 << 64, -(1 << 63) - 1, "a" * 257, "\ud800", {"a": 1}, (1, [2]), View.create((2,))])
def test_what_no_row_can_hold_is_refused(arg: Any) -> None:
    # past the constructor, which refuses some of these itself
    graph = object.__new__(UOp)
    graph.op, graph.dtype, graph.src, graph.arg = Ops.SINK, dtypes.void, (), arg
    graph._toposort = (graph,)
    with pytest.raises(RecordError, match=r"^ast\[0\].arg: "):
        to_rows(graph)


# ---- the digest ---------------------------------------------------------------------------------------------------


def test_the_digest_is_that_of_the_msgpack_of_the_rows() -> None:
    graph = node(None, const())
    expected = hashlib.blake2b(msgspec.msgpack.encode(to_rows(graph)), digest_size=32).hexdigest()
    assert ast_digest(graph) == expected


def test_the_digest_never_changes() -> None:
    text = (
        "UOp(Ops.SINK,dtypes.void,arg=None,src=(UOp(Ops.STORE,dtypes.void,arg=None,src=("
        "UOp(Ops.DEFINE_GLOBAL,dtypes.float.ptr(-1),arg=0,src=()),UOp(Ops.VIEW,dtypes.void,arg=ShapeTracker(views=("
        "View(shape=(2,3),strides=(3,1),offset=0,mask=None,contiguous=True),)),src=()),"
        "UOp(Ops.CONST,dtypes.float,arg=nan,src=()),)),))"
    )
    assert ast_digest(parse_uop(text)) == "ef219ae6c03b75dac17c85676f71796d034ac389cac32cac9ea4fb5d922369ff"


@settings(max_examples=50)
@given(dags(), dags())
def test_graphs_that_differ_have_digests_that_differ(a: UOp, b: UOp) -> None:
    assert (ast_digest(a) == ast_digest(b)) == (a is b)


_DIGEST = """
import sys
from core.ir.rows import ast_digest, to_rows
from core.ir.text import parse_uop
for line in sys.stdin:
    ast = parse_uop(line)
    print(ast_digest(ast), to_rows(ast))
"""


def test_rows_and_digest_do_not_depend_on_the_process() -> None:
    variables = [UOp.variable(name, 0, 9) for name in "dacb"]
    view = ShapeTracker((View(tuple(variables), (1, 2, variables[1], 3), variables[3], None, False),))
    graphs = [node(None, *[const(i) for i in (3, 1, 2)]), node(view, *variables[::-1])]
    printed = {
        subprocess.run(
            [sys.executable, "-c", _DIGEST],
            input="\n".join(map(format_uop, graphs)),
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "12345")
    }
    assert printed == {"".join(f"{ast_digest(graph)} {to_rows(graph)}\n" for graph in graphs)}


# ---- hostile input ------------------------------------------------------------------------------------------------

CONST = ["CONST", "int", [], ["i", 1]]
VIEW = [[2, 3], [3, 1], 0, None, True]


@pytest.mark.parametrize(
    ("rows", "field", "reason"),
    [
        (None, "ast", "not a list of rows"),
        ([], "ast", "empty"),
        ("rows", "ast", "not a list of rows"),
        ({"0": CONST}, "ast", "not a list of rows"),
        ([5], "ast[0]", r"is not \[op, dtype, sources, arg\]"),
        ([CONST[:3]], "ast[0]", r"is not \[op, dtype, sources, arg\]"),
        ([[*CONST, 1]], "ast[0]", r"is not \[op, dtype, sources, arg\]"),
        ([["FROB", "int", [], None]], "ast[0].op", "unknown op 'FROB'"),
        ([[7, "int", [], None]], "ast[0].op", "is not a name"),
        ([["__class__", "int", [], None]], "ast[0].op", "unknown op '__class__'"),
        ([["CONST", "int128", [], None]], "ast[0].dtype", "unknown dtype 'int128'"),
        ([["CONST", "int.vec(0)", [], None]], "ast[0].dtype", "no vector of 0 of int"),
        ([["CONST", "x" * 10_000, [], None]], "ast[0].dtype", "unknown dtype 'x{256}'$"),
        ([["CONST", None, [], None]], "ast[0].dtype", "is not a name"),
        ([["CONST", "int", 0, None]], "ast[0].src", "is not a list"),
        ([["CONST", "int", "ab", None]], "ast[0].src", "is not a list"),
        ([["NEG", "int", [0], None]], "ast[0].src[0]", "is not the number of an earlier row"),
        ([CONST, ["ADD", "int", [0, 1], None]], "ast[1].src[1]", "is not the number of an earlier row"),
        ([CONST, ["NEG", "int", [-1], None]], "ast[1].src[0]", "is not the number of an earlier row"),
        ([CONST, ["NEG", "int", [False], None]], "ast[1].src[0]", "is not the number of an earlier row"),
        ([CONST, ["NEG", "int", [0.0], None]], "ast[1].src[0]", "is not the number of an earlier row"),
        ([CONST, ["NEG", "int", ["0"], None]], "ast[1].src[0]", "is not the number of an earlier row"),
        ([CONST, ["NEG", "int", [1 << 70], None]], "ast[1].src[0]", "is not the number of an earlier row"),
        ([CONST, CONST], "ast[0]", "no other row refers to it"),
        ([row_of(5)], "ast[0].arg", "is not a list"),
        ([row_of([])], "ast[0].arg", "neither null nor a list that begins with its kind"),
        ([row_of([5])], "ast[0].arg", "neither null nor a list that begins with its kind"),
        ([row_of(["pickle", "x"])], "ast[0].arg", "unknown kind of arg 'pickle'"),
        ([row_of(["i"])], "ast[0].arg", r'is not \["i", value\]'),
        ([row_of(["i", 1, 2])], "ast[0].arg", r'is not \["i", value\]'),
        ([row_of(["i", True])], "ast[0].arg", "is not an integer of 64 bits"),
        ([row_of(["i", 1.0])], "ast[0].arg", "is not an integer of 64 bits"),
        ([row_of(["i", 1 << 64])], "ast[0].arg", "is not an integer of 64 bits"),
        ([row_of(["i", -(1 << 63) - 1])], "ast[0].arg", "is not an integer of 64 bits"),
        ([row_of(["b", 1])], "ast[0].arg", "is not true or false"),
        ([row_of(["f", 1.0])], "ast[0].arg", "is not a float in hexadecimal"),
        ([row_of(["f", "1.5"])], "ast[0].arg", "is not a float in hexadecimal"),
        ([row_of(["f", " 0x1p+0"])], "ast[0].arg", "is not a float in hexadecimal"),
        ([row_of(["f", "0x1p+9999"])], "ast[0].arg", "is more than a float can hold"),
        ([row_of(["s", 5])], "ast[0].arg", "is not a name"),
        ([row_of(["s", "a" * 257])], "ast[0].arg", "a string of 257 characters; at most 256"),
        ([row_of(["s", "\ud800"])], "ast[0].arg", "half of a surrogate pair"),
        ([row_of(["t", 5])], "ast[0].arg", "is not a list"),
        ([row_of(["t", [["i", 1], ["i", "2"]]])], "ast[0].arg[1]", "is not an integer of 64 bits"),
        ([row_of(["op", "FROB"])], "ast[0].arg", "unknown op 'FROB'"),
        ([row_of(["d", "frob"])], "ast[0].arg", "unknown dtype 'frob'"),
        ([row_of(["u", 0])], "ast[0].arg", "is not the number of an earlier row"),
        ([row_of(["kernel_info", 1, 2])], "ast[0].arg", r'is not \["kernel_info", local_dims, upcasted, flag\]'),
        ([row_of(["kernel_info", True, 2, True])], "ast[0].arg", "not both counts of axes"),
        ([row_of(["kernel_info", 1, -1, True])], "ast[0].arg", "not both counts of axes"),
        ([row_of(["kernel_info", 1, 1 << 80, True])], "ast[0].arg", "not both counts of axes"),
        ([row_of(["kernel_info", 1, 2, 0])], "ast[0].arg", "dont_use_locals of kernel_info is not a bool"),
        ([row_of(["view", []])], "ast[0].arg", "a ShapeTracker has 1 to 64 views, not 0"),
        ([row_of(["view", 5])], "ast[0].arg", "is not a list"),
        ([row_of(["view", [VIEW, VIEW[:4]]])], "ast[0].arg.views[1]", r"is not \[shape, strides, offset"),
    ],
)
def test_malformed_rows_are_refused_naming_the_field(rows: object, field: str, reason: str) -> None:
    with pytest.raises(RecordError, match=reason) as refused:
        from_rows(rows)
    assert refused.value.field == field
    assert len(str(refused.value)) < 500


@pytest.mark.parametrize(
    ("place", "value", "field", "reason"),
    [
        (0, [2, "3"], ".shape[1]", r'is not an integer or \["u", row\]'),
        (0, [2, True], ".shape[1]", r'is not an integer or \["u", row\]'),
        (0, [2, ["i", 3]], ".shape[1]", r'is neither an integer nor \["u", row\]'),
        (0, [2, ["u", 1]], ".shape[1]", "is not the number of an earlier row"),
        (0, 5, ".shape", "is not a list"),
        (0, [2, -3], "", "a dimension of a view is negative"),
        (0, [2, 1 << 63], "", "needs more than 64 bits"),
        (1, [3], "", "a view of 2 dimensions has 1 strides"),
        (2, None, ".offset", r'is not an integer or \["u", row\]'),
        (2, ["u", 0], "", "in the offset of a view has the dtype float"),
        (3, 5, ".mask", "is not a list"),
        (3, [[0, 2]], "", "a view of 2 dimensions has a mask of 1"),
        (3, [[0, 2], [0]], "", "neither None nor a tuple of pairs"),
        (3, [[0, 2], [0, None]], ".mask[1][1]", r'is not an integer or \["u", row\]'),
        (3, [[0, 2], [2, 1]], "", r"the mask \(2,1\) does not lie in a dimension of 3"),
        (4, False, "", "contiguous=False contradicts the rest of the view"),
        (4, None, "", "contiguous is neither True nor False"),
    ],
)
def test_malformed_views_are_refused_naming_the_field(place: int, value: object, field: str, reason: str) -> None:
    leaf = ["CONST", "float", [], ["f", "0x1p+0"]]
    view: list[Any] = copy.deepcopy(VIEW)
    assert from_rows([leaf, ["SINK", "void", [0], ["view", [view]]]]).op is Ops.SINK
    view[place] = value
    with pytest.raises(RecordError, match=reason) as refused:
        from_rows([leaf, ["SINK", "void", [0], ["view", [view]]]])
    assert refused.value.field == f"ast[1].arg.views[0]{field}"


def test_args_inside_each_other_are_bounded() -> None:
    packed: list[Any] = ["i", 1]
    for _ in range(limits.MAX_ARG_DEPTH):
        packed = ["t", [packed]]
    assert from_rows([row_of(packed)]).op is Ops.SINK
    with pytest.raises(RecordError, match="is nested more than 16 deep"):
        from_rows([row_of(["t", [packed]])])


def test_nodes_in_args_of_nodes_are_bounded() -> None:
    rows = [row_of(None)] + [row_of(["u", i]) for i in range(limits.MAX_ARG_DEPTH)]
    assert from_rows(rows).op is Ops.SINK
    with pytest.raises(RecordError, match="holds nodes in args of nodes more than 16 deep") as refused:
        from_rows([*rows, row_of(["u", limits.MAX_ARG_DEPTH])])
    assert refused.value.field == "ast[17].arg"


def test_a_symbolic_integer_in_a_view_is_bounded() -> None:
    rows: list[Any] = [CONST]
    for i in range(limits.MAX_SYMBOLIC):
        rows.append(["NEG", "int", [i], None])
    view = [[["u", len(rows) - 1]], [0], 0, None, False]
    with pytest.raises(RecordError, match="has 4097 nodes; at most 4096 are allowed"):
        from_rows([*rows, row_of(["view", [view]])])


def test_the_number_of_rows_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.ir.rows.MAX_NODES", 10)
    assert from_rows(to_rows(chain(10))) is chain(10)
    with pytest.raises(RecordError, match="has 11 rows; at most 10 are read"):
        from_rows(to_rows(chain(11)))


PLAIN = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.sampled_from("ifbstu")),
    lambda inner: st.one_of(st.lists(inner, max_size=5), st.dictionaries(st.text(max_size=3), inner, max_size=2)),
    max_leaves=12,
)


@given(dags(), st.data())
def test_damaged_rows_are_read_or_refused(graph: UOp, data: st.DataObject) -> None:
    rows = copy.deepcopy(to_rows(graph))
    target: Any = rows
    while True:
        place = data.draw(st.integers(0, len(target) - 1))
        if isinstance(target[place], list) and target[place] and data.draw(st.booleans()):
            target = target[place]
        else:
            break
    target[place] = data.draw(PLAIN)
    refused = None
    try:
        from_rows(rows)
    except RecordError as error:
        refused = error
    assert refused is None or refused.field.startswith("ast")
