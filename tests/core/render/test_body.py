"""What becomes a variable, and what is written where it is used."""

from __future__ import annotations

from core.dtype import dtypes
from core.ir.ops import Ops
from core.ir.uop import UOp
from core.render import get_renderer
from core.render.body import MAX_DEPTH, MAX_LENGTH
from tests.core.render.programs import alu, buffer, cast, const, elementwise, end, index, load, loop, program, store

A, B = (UOp(Ops.DEFINE_VAR, dtypes.int, (), (name, 0, 9)) for name in "ab")
OUT = buffer(0, dtypes.int)


def lines(*parts: UOp) -> list[str]:
    """The statements of the function."""
    return [line.strip() for line in get_renderer("c").render("k", program(*parts)).splitlines()[1:-1]]


def test_what_is_used_once_has_no_variable() -> None:
    assert lines(store(OUT, alu(Ops.MUL, A, B), alu(Ops.ADD, A, B))) == ["data0[a*b] = a+b;"]


def test_what_is_used_twice_has_one() -> None:
    total = alu(Ops.ADD, A, B)
    assert lines(store(OUT, 0, alu(Ops.MUL, total, total))) == ["int alu0 = a+b;", "data0[0] = alu0*alu0;"]


def test_what_an_expression_repeats_has_one() -> None:
    greater = alu(Ops.MAX, alu(Ops.ADD, A, B), alu(Ops.MUL, A, B))
    wanted = ["int alu0 = a+b;", "int alu1 = a*b;", "data0[0] = alu0<alu1?alu1:alu0;"]
    assert lines(store(OUT, 0, greater)) == wanted


def test_literals_and_lanes_are_repeated() -> None:
    vector = load(buffer(1, dtypes.int), 0, 2)
    lane = UOp(Ops.GEP, dtypes.int, (vector,), 1)
    wanted = ["int2 val0 = *(int2*)&data1[0];", "data0[0] = val0[1]*val0[1]+7*7;"]
    # the typedef stands before the function
    seven = const(dtypes.int, 7)
    value = alu(Ops.ADD, alu(Ops.MUL, lane, lane), alu(Ops.MUL, seven, seven))
    assert lines(OUT, vector, store(OUT, 0, value))[1:] == wanted


def test_an_address_that_is_used_twice_has_a_variable_for_its_index() -> None:
    address = index(OUT, alu(Ops.ADD, A, B))
    found = UOp(Ops.LOAD, dtypes.int, (address,))
    written = UOp(Ops.STORE, dtypes.void, (address, alu(Ops.ADD, found, A)))
    assert lines(written) == ["int alu0 = a+b;", "int val0 = data0[alu0];", "data0[alu0] = val0+a;"]


def test_loads_keep_their_place() -> None:
    """A load is not written where its value is used, for a store may stand between."""
    found = load(OUT, 0)
    wanted = ["int val0 = data0[0];", "data0[0] = a;", "data0[1] = val0;"]
    assert lines(found, store(OUT, 0, A), store(OUT, 1, found)) == wanted


def test_narrow_integers_wrap_where_they_are_operands() -> None:
    def build(x: UOp, y: UOp) -> UOp:
        return alu(Ops.IDIV, alu(Ops.ADD, x, y), const(dtypes.uchar, 3))

    source = get_renderer("c").render("k", elementwise(dtypes.uchar, [dtypes.uchar] * 2, build, 4))
    assert "data0[ridx0] = (unsigned char)(val0+val1)/3;" in source


def test_halves_round_where_they_are_operands() -> None:
    def build(x: UOp, y: UOp) -> UOp:
        return alu(Ops.MUL, alu(Ops.ADD, x, y), y)

    source = get_renderer("c").render("k", elementwise(dtypes.half, [dtypes.half] * 2, build, 4))
    assert "data0[ridx0] = (_Float16)(val0+val1)*val1;" in source


def test_vector_types_are_aligned_to_their_elements_and_declared_once() -> None:
    source = get_renderer("c").render(
        "k",
        elementwise(
            dtypes.half, [dtypes.float, dtypes.float], lambda x, y: cast(alu(Ops.ADD, x, y), dtypes.half.vec(4)), 8, 4
        ),
    )
    assert source.splitlines()[:2] == [
        "typedef _Float16 half4 __attribute__((vector_size(8), aligned(2), may_alias));",
        "typedef float float4 __attribute__((vector_size(16), aligned(4), may_alias));",
    ]


def test_expressions_are_bounded_in_depth_and_length() -> None:
    """clang refuses more than 256 brackets within each other."""
    value = A
    for i in range(2000):
        value = alu(Ops.XOR, alu(Ops.ADD, B, value), const(dtypes.int, i))
    written = lines(store(OUT, 0, value))
    assert max(map(len, written)) < 3 * MAX_LENGTH
    assert max(line.count("(") for line in written) <= 2 * MAX_DEPTH

    nested = alu(Ops.CMPLT, A, B)
    for _ in range(100):
        nested = alu(Ops.CMPNE, nested, const(dtypes.bool, True))
    assert max(line.count("!") for line in lines(store(buffer(0, dtypes.bool), 0, nested))) <= MAX_DEPTH + 1


def test_wide_vectors_take_their_long_lanes_from_variables() -> None:
    inputs = [load(buffer(1, dtypes.int), i) for i in range(64)]
    lanes = tuple([alu(Ops.MUL, alu(Ops.ADD, A, value), alu(Ops.ADD, B, value)) for value in inputs])
    written = lines(store(OUT, 0, UOp(Ops.VECTORIZE, dtypes.int.vec(64), lanes)))
    assert max(map(len, written)) < 64 * len("alu63,") + 60


def test_what_no_one_uses_is_not_written() -> None:
    dropped = alu(Ops.ADD, A, B)
    assert lines(dropped, store(OUT, 0, A)) == ["data0[0] = a;"]


def test_loops_are_indented() -> None:
    outer, inner = loop(A, 0), loop(3, 1)
    body = store(OUT, alu(Ops.ADD, outer, inner), inner)
    source = get_renderer("c").render("k", program(outer, inner, body, end(inner), end(outer)))
    assert source == (
        "void k(int* restrict data0, const int a) {\n"
        "  for (int ridx0 = 0; ridx0 < a; ridx0++) {\n"
        "    for (int ridx1 = 0; ridx1 < 3; ridx1++) {\n"
        "      data0[ridx0+ridx1] = ridx1;\n"
        "    }\n"
        "  }\n"
        "}\n"
    )
