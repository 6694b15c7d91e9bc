"""The Metal Shading Language. Its compiler runs on macOS only: sources are compared with its specification."""

from __future__ import annotations

import pytest

from core.dtype import DType, dtypes
from core.errors import RenderError
from core.ir.uop import UOp
from core.opt.tensor_core import METAL
from core.render import get_renderer
from tests.core.render.golden_programs import symbolic
from tests.core.render.gpu_programs import (
    bits,
    eight_halves,
    flat,
    group_sum,
    matrix_product,
    shared_vectors,
    wrapping,
)
from tests.core.render.programs import buffer, cast, const, load, program, store

HALF_FLOAT = ((8, 8, 8), dtypes.half, dtypes.float, 32, (2, 2, 2))


def statements(uops: list[UOp]) -> list[str]:
    return [line.strip() for line in get_renderer("metal").render("k", uops).splitlines()]


def test_threadgroups_share_memory_and_wait() -> None:
    assert get_renderer("metal").render("k", group_sum()) == (
        "#include <metal_stdlib>\n"
        "using namespace metal;\n"
        "kernel void k(device float* data0, device float* data1, uint3 gid [[threadgroup_position_in_grid]], "
        "uint3 lid [[thread_position_in_threadgroup]]) {\n"
        "  int gidx0 = gid.x; /* 8 */\n"
        "  int lidx0 = lid.x; /* 16 */\n"
        "  alignas(16) threadgroup float temp0[16];\n"
        "  float val0 = data1[gidx0*16+lidx0];\n"
        "  temp0[lidx0] = val0;\n"
        "  threadgroup_barrier(mem_flags::mem_threadgroup);\n"
        "  float acc0 = 0.0f;\n"
        "  for (int ridx0 = 0; ridx0 < 16; ridx0++) {\n"
        "    float val1 = temp0[ridx0];\n"
        "    acc0 = acc0+val1;\n"
        "  }\n"
        "  if (lidx0<1) {\n"
        "    data0[gidx0] = acc0;\n"
        "  }\n"
        "}\n"
    )


def test_matrices_of_a_simdgroup() -> None:
    lines = get_renderer("metal").render("k", matrix_product(*HALF_FLOAT)).splitlines()
    assert lines[2:14] == [
        "static float2 wmma_8_8_8_half_float(half2 a, half2 b, float2 c) {",
        "  simdgroup_matrix<half, 8, 8> mat_a, mat_b;",
        "  simdgroup_matrix<float, 8, 8> mat_c;",
        "  mat_a.thread_elements()[0] = a.x;",
        "  mat_a.thread_elements()[1] = a.y;",
        "  mat_b.thread_elements()[0] = b.x;",
        "  mat_b.thread_elements()[1] = b.y;",
        "  mat_c.thread_elements()[0] = c.x;",
        "  mat_c.thread_elements()[1] = c.y;",
        "  simdgroup_multiply_accumulate(mat_c, mat_a, mat_b, mat_c);",
        "  return float2(mat_c.thread_elements()[0], mat_c.thread_elements()[1]);",
        "}",
    ]
    assert "    acc0 = wmma_8_8_8_half_float(val0, val1, acc0);" in lines


def test_architectures() -> None:
    assert get_renderer("metal").tensor_cores == get_renderer("metal:simdgroup").tensor_cores == METAL
    assert get_renderer("metal:nosimd").tensor_cores == ()
    with pytest.raises(RenderError, match="wmma_8_8_8_half_float: architecture nosimd multiplies no such matrices"):
        get_renderer("metal:nosimd").render("k", matrix_product(*HALF_FLOAT))
    with pytest.raises(RenderError, match="for architecture 'apple1': choose from simdgroup, nosimd"):
        get_renderer("metal:apple1")


def test_what_is_refused() -> None:
    double = program(store(buffer(0, dtypes.double), 0, const(dtypes.double, 1.0)))
    with pytest.raises(RenderError, match="metal cannot render double: the backend has no such type"):
        get_renderer("metal").render("k", double)
    with pytest.raises(RenderError, match=r"metal cannot render half.vec\(8\): a vector has 2, 4 elements"):
        get_renderer("metal").render("k", eight_halves())
    assert get_renderer("metal").max_vector == 4


def test_variables_are_constant_references() -> None:
    assert statements(symbolic())[2] == (
        "kernel void symbolic(device char* data0, constant int& heads, constant int& start_pos) {".replace(
            "symbolic", "k"
        )
    )


def test_threads_without_groups() -> None:
    lines = statements(flat())
    assert lines[2] == "kernel void k(device int* data0, uint3 tid [[thread_position_in_grid]]) {"
    assert lines[3:6] == ["int idx1 = tid.y; /* 3 */", "int idx0 = tid.x; /* 10 */", "data0[idx1*10+idx0] = idx1;"]


def test_pointers_to_vectors_name_their_address_space() -> None:
    lines = statements(shared_vectors(dtypes.long))
    assert "alignas(32) threadgroup long temp0[16];" in lines
    assert "*(threadgroup long4*)&temp0[alu0] = val0;" in lines
    assert "*(device long4*)&data0[alu0] = val1;" in lines


def test_sums_that_may_overflow_are_unsigned() -> None:
    assert "int alu0 = (uint)val0*val1+val0-(-(uint)val1);" in statements(wrapping())


@pytest.mark.parametrize(
    ("to", "source", "text"),
    [
        (dtypes.half, dtypes.short, "as_type<half>((short)val0.y)"),
        (dtypes.uint, dtypes.float, "as_type<uint>(val0.y)"),
        (dtypes.ushort, dtypes.bfloat16, "as_type<ushort>(val0.y)"),
    ],
    ids=str,
)
def test_bitcasts(to: DType, source: DType, text: str) -> None:
    assert f"data0[0] = {text};" in statements(bits(to, source))


def test_bfloat16s() -> None:
    half = load(buffer(1, dtypes.half), 0)
    assert "data0[0] = (bfloat)(float)val0;" in statements(
        program(store(buffer(0, dtypes.bfloat16), 0, cast(half, dtypes.bfloat16)))
    )
    constant = const(dtypes.bfloat16.vec(2), 0.1)
    assert "*(device bfloat2*)&data0[0] = bfloat2((bfloat)0.100097656f,(bfloat)0.100097656f);" in statements(
        program(store(buffer(0, dtypes.bfloat16), 0, constant))
    )
