"""Another language of the family is other tables: a small one, with launch dimensions and shared memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from core.dtype import DType, dtypes
from core.ir.ops import Ops
from core.ir.uop import UOp
from core.render.cstyle import CStyleRenderer
from core.render.operators import C_OPERATORS, Expr, Operator, Rank, call
from core.render.program import ProgramSpec
from tests.core.render.programs import alu, buffer, const, load, program, store


class KernelLanguage(CStyleRenderer):
    name = "toy"
    device = "TOY"
    type_names: ClassVar[Mapping[str, str]] = {
        "bool": "bool",
        "int": "int",
        "uint": "uint",
        "float": "float",
        "half": "half",
    }
    suffixes: ClassVar[Mapping[str, str]] = {"uint": "u", "float": "f", "half": "h"}
    kernel_prefix = "__kernel void "
    buffer_parameter = "__global {type}* {name}"
    vector_literal = "({type})({lanes})"
    vector_lane = "{vector}.s{lane}"
    workitems: ClassVar[Mapping[str, str]] = {"gidx": "get_group_id({dimension})", "lidx": "get_local_id({dimension})"}
    local_array = "__local {type} {name}[{size}];"
    barrier = "barrier(CLK_LOCAL_MEM_FENCE);"
    code_for_op: ClassVar[Mapping[Ops, Operator]] = {**C_OPERATORS, Ops.SQRT: call(half="sqrt", float="sqrt")}

    def preamble(self, vectors: Sequence[DType]) -> list[str]:
        return ["#pragma toy"]

    def bitcast(self, dtype: DType, source: DType, value: Expr) -> Expr:
        return Expr(f"as_{self.type_name(dtype)}({value.text})", Rank.ATOM, value.depth + 1)


def test_a_subclass_of_tables() -> None:
    group, thread = (UOp(Ops.SPECIAL, dtypes.int, (), (name, size)) for name, size in (("gidx0", 8), ("lidx0", 4)))
    shared = UOp(Ops.DEFINE_LOCAL, dtypes.float.ptr(4, local=True), (), "temp0")
    at = alu(Ops.ADD, alu(Ops.MUL, group, const(dtypes.int, 4)), thread)
    filled = store(shared, thread, alu(Ops.SQRT, load(buffer(1, dtypes.float), at)))
    barrier = UOp(Ops.BARRIER, dtypes.void, (filled,))
    neighbour = UOp(Ops.INDEX, shared.dtype, (shared, alu(Ops.XOR, thread, const(dtypes.int, 1)), barrier))
    found = UOp(Ops.LOAD, dtypes.float, (neighbour,))
    pair = UOp(Ops.VECTORIZE, dtypes.half.vec(2), (const(dtypes.half, 0.5), const(dtypes.half, 0.25)))
    bits = UOp(Ops.BITCAST, dtypes.uint, (found,))
    lane = UOp(Ops.GEP, dtypes.half, (pair,), 1)
    uops = program(
        group, thread, filled, barrier, store(buffer(0, dtypes.uint), at, bits), store(buffer(2, dtypes.half), at, lane)
    )

    source = KernelLanguage().render("r_8_4", uops)
    assert source == (
        "#pragma toy\n"
        "__kernel void r_8_4(__global uint* data0, __global float* data1, __global half* data2) {\n"
        "  int gidx0 = get_group_id(0); /* 8 */\n"
        "  int lidx0 = get_local_id(0); /* 4 */\n"
        "  __local float temp0[4];\n"
        "  int alu0 = gidx0*4+lidx0;\n"
        "  float val0 = data1[alu0];\n"
        "  temp0[lidx0] = sqrt(val0);\n"
        "  barrier(CLK_LOCAL_MEM_FENCE);\n"
        "  float val1 = temp0[lidx0^1];\n"
        "  data0[alu0] = as_uint(val1);\n"
        "  data2[alu0] = (half2)(0.5h,0.25h).s1;\n"
        "}\n"
    )
    spec = ProgramSpec("r_8_4", source, "toy", uops)
    assert (spec.global_size, spec.local_size) == ([8, 1, 1], [4, 1, 1])
    assert (spec.outs, spec.ins) == ([0, 2], [1])
