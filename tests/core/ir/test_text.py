"""The text form is read and printed without loss, whatever the depth, and bad text is refused with its column."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.dtype import dtypes
from core.errors import ParseError
from core.ir import limits
from core.ir.kernel_info import KernelInfo
from core.ir.ops import Ops
from core.ir.text import format_uop, parse_uop
from core.ir.uop import UOp
from core.shape import ShapeTracker, View
from tests.core.ir.dags import ARGS, RealAsts, chain, const, dags

DEEP = 20_000
# seconds of CPU; reading all lines took a quarter of it where it was measured
SECONDS_FOR_ALL = 20

VIEW = "View(shape=(2,3),strides=(3,1),offset=0,mask=None,contiguous=True)"
ON_VIEW = f"UOp(Ops.VIEW,dtypes.void,arg=ShapeTracker(views=({VIEW},)),src=())"
VARIABLE = "UOp(Ops.DEFINE_VAR,dtypes.int,arg=('i',1,10),src=())"


def with_arg(arg: str, dtype: str = "int") -> str:
    return f"UOp(Ops.CONST,dtypes.{dtype},arg={arg},src=())"


# ---- round trips --------------------------------------------------------------------------------------------------


def test_every_real_ast_is_printed_as_it_was_written(real_asts: RealAsts) -> None:
    printed = [format_uop(ast) for ast in real_asts.asts]
    assert [i for i, line in enumerate(real_asts.lines) if printed[i] != line] == []


def test_reading_the_real_asts_is_fast(real_asts: RealAsts) -> None:
    assert real_asts.seconds < SECONDS_FOR_ALL


def test_real_asts_are_read_back_from_many_lines(real_asts: RealAsts) -> None:
    for ast in real_asts.asts[::20]:
        assert parse_uop(format_uop(ast, multiline=True)) is ast


@given(dags())
def test_any_graph_is_read_back(graph: UOp) -> None:
    assert parse_uop(format_uop(graph)) is graph
    assert parse_uop(format_uop(graph, multiline=True)) is graph


@given(ARGS)
def test_any_arg_is_read_back(arg: Any) -> None:
    node = UOp(Ops.SINK, dtypes.void, (), arg)
    assert parse_uop(format_uop(node)) is node


def test_a_repr_is_the_text_form() -> None:
    assert repr(const(5)) == "UOp(Ops.CONST,dtypes.int,arg=5,src=())"


def test_a_deep_graph_is_read_and_printed() -> None:
    graph = chain(DEEP)
    text = format_uop(graph)
    assert parse_uop(text) is graph
    assert parse_uop(format_uop(graph, multiline=True)) is graph
    assert text.count("UOp(") == DEEP


def test_indentation_of_a_deep_graph_stays_bounded() -> None:
    lines = format_uop(chain(1000), multiline=True).splitlines()
    assert len(lines) == 1000
    assert max(len(line) - len(line.lstrip()) for line in lines) <= 80


# ---- what is printed ----------------------------------------------------------------------------------------------


def test_a_shared_node_is_written_once_and_numbered_by_its_place_below_the_root() -> None:
    shared = const(7)
    total = UOp(Ops.ADD, dtypes.int, (UOp(Ops.NEG, dtypes.int, (shared,)), shared))
    assert format_uop(total) == (
        "UOp(Ops.ADD,dtypes.int,arg=None,src=(UOp(Ops.NEG,dtypes.int,arg=None,"
        "src=(x1:=UOp(Ops.CONST,dtypes.int,arg=7,src=()),)),x1,))"
    )


def test_a_node_that_is_twice_a_source_of_one_node_is_shared() -> None:
    assert format_uop(UOp(Ops.ADD, dtypes.int, (const(), const()))).endswith(
        "src=(x0:=UOp(Ops.CONST,dtypes.int,arg=1,src=()),x0,))"
    )


@pytest.mark.parametrize(
    ("arg", "text"),
    [
        (None, "None"),
        (True, "True"),
        (-5, "-5"),
        (-0.0, "-0.0"),
        (math.inf, "inf"),
        (-math.inf, "-inf"),
        (math.nan, "nan"),
        (1e-5, "1e-05"),
        ("a b", "'a b'"),
        ("it's", '"it\'s"'),
        ((1,), "(1,)"),
        ((Ops.ADD, (0, 2)), "(Ops.ADD,(0,2))"),
        (dtypes.half.vec(4), "dtypes.half.vec(4)"),
        (KernelInfo(1, 2, True), "KernelInfo(local_dims=1,upcasted=2,dont_use_locals=True)"),
        (ShapeTracker((View.create((2, 3)),)), f"ShapeTracker(views=({VIEW},))"),
    ],
)
def test_args_are_printed_without_spaces_as_python_writes_them(arg: Any, text: str) -> None:
    assert f",arg={text},src=()" in format_uop(UOp(Ops.SINK, dtypes.void, (), arg))


# ---- what is read -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["inf", "-inf", "nan", "-0.0", "0.0", "1e-08", "5e-324", "-1.5e+300"])
def test_floats_are_read_exactly(text: str) -> None:
    read = parse_uop(with_arg(text, "float")).arg
    assert read.__class__ is float
    assert repr(read) == text


def test_numbers_keep_their_kind() -> None:
    kinds = [parse_uop(with_arg(text)).arg.__class__ for text in ("1", "1.0", "True", "(1,)")]
    assert kinds == [int, float, bool, tuple]


def test_arguments_may_come_by_place_or_by_name_in_any_order_or_not_at_all() -> None:
    node = const(3)
    for text in (
        "UOp(Ops.CONST, dtypes.int, (), 3)",
        "UOp(arg=3, dtype=dtypes.int, op=Ops.CONST)",
        "UOp(Ops.CONST,dtypes.int,src=(),arg=3,)",
    ):
        assert parse_uop(text) is node
    assert parse_uop("UOp(Ops.SINK)") is UOp(Ops.SINK)


def test_space_is_read_over() -> None:
    assert parse_uop(
        "\n UOp ( Ops.CONST ,\r\n\tdtypes.int.ptr(4, local=True) , arg = ( 1 , 2 ) , src = ( ) ) \n"
    ) is UOp(Ops.CONST, dtypes.int.ptr(4, local=True), (), (1, 2))


def test_images_are_read() -> None:
    buffer = parse_uop("UOp(Ops.DEFINE_GLOBAL,dtypes.imageh((16,320,4)),arg=0,src=())")
    assert str(buffer.dtype) == "imageh((16,320,4))"


def test_a_symbolic_integer_in_a_view_has_names_of_its_own() -> None:
    doubled = f"UOp(Ops.ADD,dtypes.int,arg=None,src=(x0:={VARIABLE},x0,))"
    view = (
        f"UOp(Ops.VIEW,dtypes.void,arg=ShapeTracker(views=({VIEW.replace('offset=0', f'offset={doubled}')},)),src=())"
    )
    text = (
        "UOp(Ops.SINK,dtypes.void,arg=None,src=(x0:=UOp(Ops.CONST,dtypes.int,arg=1,src=()),"
        f"{view.replace('contiguous=True', 'contiguous=False')},x0,))"
    )
    graph = parse_uop(text)
    assert graph.src[2] is const(1)
    assert graph.src[1].arg.views[0].offset.src[0].op is Ops.DEFINE_VAR
    assert format_uop(graph) == text


def test_the_names_of_a_graph_are_not_known_inside_its_views() -> None:
    view = ON_VIEW.replace("offset=0", "offset=UOp(Ops.NEG,dtypes.int,arg=None,src=(x0,))")
    with pytest.raises(ParseError, match="no x0:= stands before this x0"):
        parse_uop(f"UOp(Ops.SINK,dtypes.void,arg=None,src=(x0:={VARIABLE},{view}))")


# ---- what is refused ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("", 1, r"expected UOp\(...\), found the end of the text"),
        ("hello", 1, r"expected UOp\(...\), found 'hello'"),
        ("x1:=5", 5, r"expected UOp\(...\), found '5'"),
        ("UOp()", 5, r"expected op= in UOp, found '\)'"),
        ("UOp(Ops.CONST", 14, r"expected ',' or '\)', found the end of the text"),
        ("UOp(Ops.CONST,", 15, "expected a value, found the end of the text"),
        ("UOp(Ops.CONST dtypes.int)", 15, r"expected ',' or '\)', found 'dtypes.int\)'"),
        ("UOp(Ops.FROB,dtypes.int)", 9, "unknown op 'FROB'"),
        ("UOp(Ops.ADD,dtypes.frob)", 20, "unknown dtype 'frob'"),
        ("UOp(Ops.ADD,dtypes.int.vec(999))", 20, "no vector of 999 of int"),
        ("UOp(dtypes.int)", 12, "expected an op such as Ops.ADD as the op of UOp"),
        ("UOp(Ops.ADD,5)", 13, "expected a dtype such as dtypes.float as the dtype of UOp"),
        ("UOp(Ops.ADD,dtypes.int,src=(1,2))", 29, "expected a tuple of nodes as the src of UOp"),
        ("UOp(Ops.ADD,dtypes.int,src=5)", 28, "expected a tuple of nodes as the src of UOp"),
        ("UOp(Ops.ADD,dtypes.int,src=)", 28, r"expected a value, found '\)'"),
        ("UOp(Ops.ADD,frob=5)", 18, "expected dtype= or src= or arg= in UOp"),
        ("UOp(Ops.ADD,op=Ops.MUL)", 20, "expected dtype= or src= or arg= in UOp"),
        ("UOp(Ops.ADD,arg=1,arg=2)", 23, "expected dtype= or src= in UOp"),
        ("UOp(Ops.ADD,dtypes.int,(),5,6)", 29, r"expected '\)', found '6\)'"),
        ("UOp(Ops.ADD,arg=1,dtypes.int)", 26, "expected dtype= or src= in UOp"),
        ("UOp(Ops.ADD,dtypes.int,src=(x7,))", 30, "no x7:= stands before this x7"),
        (with_arg("(1)"), 32, r"expected ',', found '\),src"),
        (with_arg("(a=1,)"), 33, "expected a value without a name"),
        (with_arg("1 2"), 32, r"expected ',' or '\)', found '2,src"),
        (with_arg("x1:=5"), 34, r"expected UOp\(...\) after x1:="),
        (with_arg("__import__('os')"), 30, "expected a value, found"),
        (with_arg("[1,2]"), 30, "expected a value, found"),
        (with_arg("1;2"), 31, r"expected ',' or '\)'"),
        (with_arg("9" * 41), 30, "expected a number of at most 40 digits"),
        (with_arg("9" * 40), 30, "expected a number that 64 bits can hold"),
        (with_arg(str(1 << 64)), 30, "expected a number that 64 bits can hold"),
        (with_arg(str(-(1 << 63) - 1)), 30, "expected a number that 64 bits can hold"),
        (with_arg("1e999", "float"), 32, "expected a number that 64 bits can hold"),
        (with_arg("'abc"), 30, "expected a value"),
        (with_arg(r"'\q'"), 30, r"expected an escape that is known, not \\q"),
        (with_arg(r"'\ud800'"), 30, "half of a surrogate pair"),
        (with_arg(r"'\Uffffffff'"), 30, "expected a character of Unicode"),
        (with_arg(f"'{'a' * 257}'"), 30, "a string of 257 characters; at most 256"),
        (
            with_arg("KernelInfo(local_dims=-1,upcasted=0,dont_use_locals=True)"),
            52,
            "expected a count as the local_dims",
        ),
        (with_arg("KernelInfo(local_dims=1)"), 53, "expected upcasted= or dont_use_locals= in KernelInfo"),
        (with_arg("ShapeTracker(views=())"), 30, "a ShapeTracker has 1 to 64 views, not 0"),
        (with_arg("ShapeTracker(views=(1,2))"), 50, "expected a tuple of views as the views of ShapeTracker"),
        (f"{with_arg('1')} {with_arg('1')}", 40, "expected the end of the text, found 'UOp"),
        (f"{with_arg('1')},", 39, "expected the end of the text, found ','"),
        (f"{with_arg('1')})", 39, r"expected the end of the text, found '\)'"),
        (with_arg("\u0661"), 30, r"expected a value, found '\\u0661,src"),
    ],
)
def test_malformed_text_is_refused_with_the_column_and_what_was_expected(text: str, column: int, message: str) -> None:
    with pytest.raises(ParseError, match=message) as refused:
        parse_uop(text)
    assert str(refused.value).startswith(f"column {column}: ")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("(3,1)", "(3,)", "a view of 2 dimensions has 1 strides"),
        ("(3,1)", "3", "the strides of a view is not a tuple"),
        ("(2,3)", "(2.0,3)", "the shape of a view holds something other than integers"),
        ("(2,3)", "(2,-3)", "a dimension of a view is negative"),
        ("(2,3)", "(2,True)", "the shape of a view holds something other than integers"),
        ("(2,3)", f"(2,{1 << 63})", "needs more than 64 bits"),
        ("(2,3)", f"(2,{with_arg('1.0', 'float')})", "in the shape of a view has the dtype float"),
        ("offset=0", f"offset=UOp(Ops.LOAD,dtypes.int,src=({ON_VIEW},))", "a view holds the op LOAD|holds the op VIEW"),
        ("mask=None", "mask=((0,2),)", "a view of 2 dimensions has a mask of 1"),
        ("mask=None", "mask=((0,2),(1,4))", r"the mask \(1,4\) does not lie in a dimension of 3"),
        ("mask=None", "mask=(0,2)", "the mask of a view is neither None nor a tuple of pairs"),
        ("True", "False", "contiguous=False contradicts the rest of the view"),
        ("True", "1", "contiguous is neither True nor False"),
        ("offset=0", "offset=1", "contiguous"),
        (",mask=None", "", "expected mask= in View"),
    ],
)
def test_malformed_views_are_refused(old: str, new: str, message: str) -> None:
    assert parse_uop(ON_VIEW).arg.shape == (2, 3)
    assert old in ON_VIEW
    with pytest.raises(ParseError, match=message):
        parse_uop(ON_VIEW.replace(old, new))


def test_views_have_a_bounded_number_of_dimensions() -> None:
    many = ",".join(["1"] * (limits.MAX_RANK + 1))
    view = f"View(shape=({many}),strides=({many}),offset=0,mask=None,contiguous=False)"
    with pytest.raises(ParseError, match="a view of 257 dimensions; at most 256"):
        parse_uop(with_arg(f"ShapeTracker(views=({view},))"))


def test_an_error_in_a_later_line_says_which() -> None:
    with pytest.raises(ParseError, match=r"^line 2, column 7: expected a value, found '@'$"):
        parse_uop("UOp(Ops.ADD,\n  arg=@")


def test_a_name_may_be_given_once() -> None:
    named = f"x1:={with_arg('1')}"
    with pytest.raises(ParseError, match="expected another name: x1 names a node already"):
        parse_uop(f"UOp(Ops.SINK,dtypes.void,arg=None,src=({named},{named},))")


@pytest.mark.parametrize("opening", ["(", "UOp(Ops.SINK,dtypes.void,arg=", "ShapeTracker(views=(", "(1,("])
def test_args_inside_each_other_are_bounded(opening: str) -> None:
    with pytest.raises(ParseError, match="expected no more than 16 tuples and views inside each other"):
        parse_uop(with_arg(opening * 10_000))


def test_the_number_of_nodes_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.ir.text_reader.MAX_NODES", 100)
    assert parse_uop(format_uop(chain(100))) is chain(100)
    with pytest.raises(ParseError, match="expected no more than 100 nodes"):
        parse_uop(format_uop(chain(101)))


def test_the_length_of_the_text_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.ir.text.MAX_TEXT", 100)
    with pytest.raises(ParseError, match="the text of an AST has 101 characters; at most 100 are read"):
        parse_uop("x" * 101)


@pytest.mark.parametrize(
    "text",
    [
        "a" * 1_000_000,
        " " * 1_000_000,
        "(" * 1_000_000,
        with_arg("9" * 1_000_000),
        with_arg("1." + "9" * 1_000_000),
        with_arg("'" + "\\" * 1_000_000),
        with_arg("(" + "1," * 500_000),
        with_arg("(" + "(1," * 500_000),
        with_arg("x" + "1" * 1_000_000),
        "UOp(" * 250_000,
        "UOp(Ops.SINK,dtypes.void,arg=None,src=(" * 30_000,
    ],
)
def test_long_nonsense_is_refused_in_linear_time(text: str) -> None:
    started = time.process_time()
    with pytest.raises(ParseError):
        parse_uop(text)
    assert time.process_time() - started < 5


@given(st.text(alphabet="UOpsView.(),=:x01-9'dtypint ADCNST\\\n", max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    for candidate in (text, with_arg(text)):
        try:
            graph = parse_uop(candidate)
        except ParseError:
            continue
        assert parse_uop(format_uop(graph)) is graph


@given(dags(), st.data())
def test_a_damaged_text_is_read_or_refused(graph: UOp, data: st.DataObject) -> None:
    text = format_uop(graph)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 10)))
    damaged = text[:start] + data.draw(st.sampled_from(["", ",", ")", "(", "x0", "1"])) + text[end:]
    refusal = None
    try:
        parse_uop(damaged)
    except ParseError as refused:
        refusal = str(refused)
    assert refusal is None or refusal.startswith(("column ", "line "))


# ---- determinism --------------------------------------------------------------------------------------------------

_PRINT = """
from core.ir.text import format_uop, parse_uop
import sys
ast = parse_uop(sys.stdin.read())
print(format_uop(ast))
print(format_uop(ast, multiline=True))
"""


def test_the_text_does_not_depend_on_the_hash_seed() -> None:
    variable = UOp.variable("i", 1, 10)
    shared = UOp(Ops.ADD, dtypes.int, (variable, const(2)))
    view = UOp(Ops.VIEW, dtypes.void, (), ShapeTracker((View((shared, 4), (4, shared), variable, None, False),)))
    loads = tuple(
        [UOp(Ops.LOAD, dtypes.float, (UOp(Ops.DEFINE_GLOBAL, dtypes.float.ptr(9), (), i), view)) for i in range(9)]
    )
    text = format_uop(UOp(Ops.SINK, dtypes.void, loads + loads))
    printed = {
        subprocess.run(
            [sys.executable, "-c", _PRINT],
            input=text,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "12345")
    }
    assert len(printed) == 1
    assert printed.pop().splitlines()[0] == text
