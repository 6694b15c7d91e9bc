from __future__ import annotations

import json

from core.dtype import dtypes
from core.ir.ops import Ops
from core.ir.uop import UOp
from core.opt.opt import Opt, OptOps
from core.render.estimates import Estimates
from core.render.program import ProgramSpec
from tests.core.render.programs import alu, buffer, const, end, load, loop, program, store

LENGTH = UOp(Ops.DEFINE_VAR, dtypes.int, (), ("length", 1, 9))
FIRST = UOp(Ops.DEFINE_VAR, dtypes.int, (), ("first", 0, 3))


def cpu_program() -> list[UOp]:
    steps = loop(LENGTH)
    value = alu(Ops.ADD, load(buffer(2, dtypes.int), steps), alu(Ops.ADD, load(buffer(1, dtypes.int), FIRST), steps))
    return program(store(buffer(3, dtypes.int), steps, value), store(buffer(0, dtypes.int), steps, steps), end(steps))


def launched(*sizes: tuple[str, int | UOp]) -> list[UOp]:
    indices = [UOp(Ops.SPECIAL, dtypes.int, (), size) for size in sizes]
    return program(*indices, store(buffer(0, dtypes.int), indices[0] if indices else 0, const(dtypes.int, 1)))


def test_what_a_program_needs_is_read_from_its_uops() -> None:
    spec = ProgramSpec("\x1b[34mr_\x1b[0m(length)", "source", "c", cpu_program())
    assert [node.arg for node in spec.globals] == [0, 1, 2, 3]
    assert [node.arg[0] for node in spec.vars] == ["first", "length"]
    assert (spec.outs, spec.ins) == ([0, 3], [1, 2])
    assert (spec.global_size, spec.local_size) == (None, None)
    assert spec.function_name == "r_28length29"


def test_launch_sizes() -> None:
    half = alu(Ops.IDIV, LENGTH, const(dtypes.int, 2))
    for sizes, wanted in (
        ((("gidx0", 8), ("gidx1", 3), ("lidx0", 4)), ([8, 3, 1], [4, 1, 1])),
        ((("lidx2", 4),), ([1, 1, 1], [1, 1, 4])),
        ((("idx0", 64), ("idx1", 2)), ([64, 2, 1], None)),
        ((("gidx0", half),), ([half, 1, 1], [1, 1, 1])),
        ((), (None, None)),
    ):
        spec = ProgramSpec("k", "", "opencl", launched(*sizes))
        assert (spec.global_size, spec.local_size) == wanted


def test_a_launched_kernel_without_dimensions_is_launched_once() -> None:
    spec = ProgramSpec("k", "", "opencl", launched(), has_local=True)
    assert (spec.global_size, spec.local_size) == ([1, 1, 1], [1, 1, 1])


def test_as_plain_data() -> None:
    opts = [Opt(OptOps.UNROLL, 0, 4), Opt(OptOps.TC, 0, (-1, 2)), Opt(OptOps.NOLOCALS)]
    double = alu(Ops.MUL, LENGTH, const(dtypes.int, 2))
    spec = ProgramSpec("k", "source", "opencl", launched(("gidx0", double)), opts, Estimates(1, double, 3))
    described = spec.to_dict()
    assert json.loads(json.dumps(described)) == described
    assert described == {
        "name": "k",
        "applied_opts": [["UNROLL", 0, 4], ["TC", 0, [-1, 2]], ["NOLOCALS", None, None]],
        "src": "source",
        "global_size": ["(length*2)", 1, 1],
        "local_size": [1, 1, 1],
        "vars": [["length", 1, 9]] if any(node is LENGTH for node in spec.uops) else [],
        "estimates": {"flops": 1, "lds": "(length*2)", "mem": 3},
    }
    assert ProgramSpec("k", "", "c", cpu_program()).to_dict()["vars"] == [["first", 0, 3], ["length", 1, 9]]
