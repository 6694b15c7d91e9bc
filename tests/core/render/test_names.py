from __future__ import annotations

import numpy as np
import pytest

from core.dtype import dtypes
from core.ir.ops import Ops
from core.ir.uop import UOp
from core.render import get_renderer
from core.render.names import MAX_NAME, RESERVED, Names, function_name
from tests.core.render import native
from tests.core.render.programs import alu, buffer, load, loop, program, store


@pytest.mark.parametrize(
    ("name", "identifier"),
    [
        ("r_4_2", "r_4_2"),
        ("\x1b[34mr_4\x1b[0m\x1b[90m_\x1b[0m2", "r_4_2"),
        ("r_32_(start_pos+1)", "r_32_28start_pos2B129"),
        ("4_2", "k_4_2"),
        ("", "k_"),
        ("int", "int_"),
        ("_Bool", "k__Bool"),
        ("float4", "float4_"),
        ("WARP_SZ", "WARP_SZ_"),  # a constant of PTX
        ("exp2f", "exp2f_"),
        ("é", "E9"),
        ("x" * 1000, "x" * MAX_NAME),
    ],
)
def test_function_names(name: str, identifier: str) -> None:
    assert function_name(name) == identifier
    assert function_name(identifier) == identifier


@pytest.mark.parametrize("name", sorted(RESERVED))
def test_a_reserved_name_makes_one_that_is_not(name: str) -> None:
    assert function_name(name) not in RESERVED


def test_names_are_given_out_once() -> None:
    names = Names()
    assert [names.claim("alu1"), names.claim("alu1"), names.claim("alu1")] == ["alu1", "alu1_", "alu1__"]
    assert [names.number("alu"), names.number("alu"), names.number("val")] == ["alu0", "alu2", "val0"]


HOSTILE = [
    *("int", "restrict", "linux", "int2", "_Bool", "_Float16", "__attribute__", "__builtin_inff"),
    *("data0", "alu0", "val0", "ridx0", "k", "entry", "k_"),
    *("a b", "x){}//", "*/", "0", "", "é"),
]


@pytest.mark.parametrize("backend", ["c", "llvm"])
@pytest.mark.parametrize("name", HOSTILE)
def test_a_variable_may_be_called_anything(backend: str, name: str) -> None:
    variable = UOp(Ops.DEFINE_VAR, dtypes.int, (), (name, 0, 9))
    steps = loop(variable)
    at = alu(Ops.ADD, steps, variable)
    value = alu(Ops.MUL, alu(Ops.ADD, load(buffer(1, dtypes.int), steps), variable), at)
    closed = UOp(Ops.ENDRANGE, dtypes.void, (steps,))
    uops = program(store(buffer(0, dtypes.int), at, alu(Ops.ADD, value, value)), closed)
    kernels = native.BUILDERS[backend]({"k": get_renderer(backend).render("k", uops)})
    got = np.zeros(4, np.int32)
    kernels("k", got, np.array([5, 6], np.int32), 2)
    assert got.tolist() == [0, 0, 28, 48]
