"""OpenCL C, with what Intel's and Qualcomm's devices have or lack."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from core.compiler import compile_ast
from core.dtype import DType, dtypes, image_dtype
from core.errors import RenderError
from core.ir.ops import Ops
from core.ir.text import parse_uop
from core.ir.uop import UOp
from core.opt.tensor_core import INTEL
from core.render import get_renderer
from tests.core.render.compilers import complaints
from tests.core.render.golden_programs import EVERY, source
from tests.core.render.gpu_programs import (
    bits,
    eight_halves,
    flat,
    group_sum,
    matrix_product,
    negate_image,
    shared_vectors,
    wrapping,
)
from tests.core.render.programs import buffer, cast, const, index, load, program, store

PRODUCT = ((8, 8, 16), dtypes.half, dtypes.float, 8, (16, 16, 8))


def render(uops: list[UOp], backend: str = "opencl") -> str:
    return get_renderer(backend).render("k", uops)


def statements(uops: list[UOp]) -> list[str]:
    return [line.strip() for line in render(uops).splitlines()]


def test_groups_share_memory_and_wait() -> None:
    assert render(group_sum()) == (
        "__kernel void k(__global float* data0, __global float* data1) {\n"
        "  int gidx0 = get_group_id(0); /* 8 */\n"
        "  int lidx0 = get_local_id(0); /* 16 */\n"
        "  __local float temp0[16] __attribute__((aligned(16)));\n"
        "  float val0 = data1[gidx0*16+lidx0];\n"
        "  temp0[lidx0] = val0;\n"
        "  barrier(CLK_LOCAL_MEM_FENCE);\n"
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


def test_images_are_read_and_written_by_column_and_row() -> None:
    assert render(negate_image()) == (
        "const sampler_t smp = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n"
        "__kernel void k(write_only image2d_t data0, read_only image2d_t data1) {\n"
        "  int gidx0 = get_group_id(0); /* 8 */\n"
        "  int gidx1 = get_group_id(1); /* 4 */\n"
        "  int2 cast0 = (int2)(gidx0,gidx1);\n"
        "  float4 val0 = gidx1<3?read_imagef(data1, smp, cast0):(float4)(1.0f,1.0f,1.0f,1.0f);\n"
        "  write_imagef(data0, cast0, (float4)(-val0.x,-val0.y,-val0.z,-val0.w));\n"
        "}\n"
    )
    assert render(negate_image(), "qcom") == render(negate_image())


def test_matrix_units_of_intel() -> None:
    lines = render(matrix_product(*PRODUCT), "intel").splitlines()
    assert lines[:5] == [
        "#pragma OPENCL EXTENSION cl_khr_fp16 : enable",
        "float8 wmma_8_8_16_half_float(half16 a, half16 b, float8 c) {",
        "  return intel_sub_group_f16_f16_matrix_mad_k16(as_int8(a), as_int8(b), c);",
        "}",
        "__attribute__((intel_reqd_sub_group_size(8))) "
        "__kernel void k(__global float* data0, __global half* data1, __global half* data2) {",
    ]
    assert "    acc0 = wmma_8_8_16_half_float(val0, val1, acc0);" in lines
    assert get_renderer("intel").tensor_cores == INTEL
    assert get_renderer("opencl").tensor_cores == ()


def test_threads_without_groups() -> None:
    assert statements(flat())[1:4] == [
        "int idx1 = get_global_id(1); /* 3 */",
        "int idx0 = get_global_id(0); /* 10 */",
        "data0[idx1*10+idx0] = idx1;",
    ]


def test_long_vectors_name_their_elements_by_number() -> None:
    assert "(half8)(val0.s7,val0.s6,val0.s5,val0.s4,val0.s3,val0.s2,val0.s1,val0.s0);" in render(eight_halves())


def test_an_element_of_a_vector_that_has_no_name() -> None:
    pair = UOp(Ops.VECTORIZE, dtypes.half.vec(2), (const(dtypes.half, 0.5), const(dtypes.half, 0.25)))
    uops = program(store(buffer(0, dtypes.half), 0, UOp(Ops.GEP, dtypes.half, (pair,), 1)))
    assert "data0[0] = ((half2)(0.5h,0.25h)).y;" in statements(uops)


def test_vectors_in_shared_memory_are_aligned_to_their_size() -> None:
    lines = statements(shared_vectors(dtypes.long))
    assert "__local long temp0[16] __attribute__((aligned(32)));" in lines
    assert "*(__local long4*)&temp0[alu0] = val0;" in lines


def test_sums_that_may_overflow_are_unsigned() -> None:
    lines = statements(wrapping())
    assert "int alu0 = (uint)val0*val1+val0-(-(uint)val1);" in lines
    assert "int alu1 = val1==0?0:val1==-1?(int)-(uint)val0:val0/val1;" in lines


@pytest.mark.parametrize(
    ("to", "source", "text"),
    [
        (dtypes.half, dtypes.short, "as_half((short)val0.y)"),
        (dtypes.short, dtypes.half, "as_short(val0.y)"),
        (dtypes.float, dtypes.uint, "as_float(val0.y)"),
        (dtypes.ulong, dtypes.double, "as_ulong(val0.y)"),
        (dtypes.char, dtypes.bool, "(char)val0.y"),
        (dtypes.bool, dtypes.uchar, "val0.y!=0"),
    ],
    ids=str,
)
def test_bitcasts(to: DType, source: DType, text: str) -> None:
    assert f"data0[0] = {text};" in statements(bits(to, source))


@pytest.mark.parametrize(
    ("dtype", "extensions"),
    [(dtypes.half, ["cl_khr_fp16"]), (dtypes.double, ["cl_khr_fp64"]), (dtypes.float, []), (dtypes.long, [])],
    ids=str,
)
def test_extensions_are_enabled_where_they_are_used(dtype: DType, extensions: list[str]) -> None:
    uops = program(store(buffer(0, dtypes.float), 0, cast(load(buffer(1, dtype), 0), dtypes.float)))
    enabled = [line for line in render(uops).splitlines() if line.startswith("#pragma")]
    assert enabled == [f"#pragma OPENCL EXTENSION {extension} : enable" for extension in extensions]


def refusal(uops: list[UOp], backend: str = "opencl") -> str:
    with pytest.raises(RenderError) as caught:
        render(uops, backend)
    return str(caught.value)


def test_what_is_refused() -> None:
    image = UOp(Ops.DEFINE_GLOBAL, image_dtype("imagef", (2, 2, 4)), (), 0)
    place = index(image, UOp(Ops.VECTORIZE, dtypes.int.vec(2), (const(dtypes.int, 0), const(dtypes.int, 1))))
    texel = UOp(Ops.LOAD, dtypes.float.vec(4), (place,))
    both = program(UOp(Ops.STORE, dtypes.void, (place, texel)))
    assert refusal(both) == "opencl cannot render buffer 0: a kernel cannot both read and write an image"
    by_element = program(store(buffer(1, dtypes.float), 0, load(image, 0)))
    assert refusal(by_element) == "opencl cannot render an image: its address is not a column and a row"
    assert refusal(negate_image(), "intel") == "intel cannot render imageh((4,8,4)): the backend has no images"

    double = program(store(buffer(0, dtypes.double), 0, const(dtypes.double, 1.0)))
    assert refusal(double, "qcom") == "qcom cannot render double: the backend has no such type"
    triple = program(store(buffer(0, dtypes.float), 0, load(buffer(1, dtypes.float), 0, 3)))
    assert refusal(triple) == "opencl cannot render float.vec(3): a vector has 2, 4, 8, 16 elements"
    assert refusal(matrix_product(*PRODUCT)) == "opencl cannot render WMMA: the backend has no such op"
    other = matrix_product((8, 8, 16), dtypes.half, dtypes.half, 8, (16, 16, 8))
    assert refusal(other, "intel").startswith("intel cannot render wmma_8_8_16_half_half: the matrix unit multiplies")


@pytest.mark.parametrize("backend", ["opencl", "intel", "qcom"])
def test_clang_accepts_the_sources(backend: str) -> None:
    programs = [group_sum(), flat(), eight_halves(), wrapping(), shared_vectors(dtypes.long)]
    programs += [matrix_product(*PRODUCT)] if backend == "intel" else [negate_image()]
    sources = [source(backend, name) for of, name in EVERY if of == backend]
    assert complaints(backend, [*sources, *[render(uops, backend) for uops in programs]]) == []


@pytest.mark.long
@pytest.mark.parametrize("backend", ["opencl", "qcom"])
def test_every_real_kernel_with_images_is_rendered(backend: str, shared_data: Path) -> None:
    with gzip.open(shared_data / "asts.txt.gz", "rt") as stream:
        texts = [text for text in stream if "dtypes.image" in text]
    assert len(texts) == 219
    for text in texts:
        assert "_imagef(" in compile_ast(parse_uop(text.strip()), get_renderer(backend)).src
