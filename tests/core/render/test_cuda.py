"""CUDA C++: what is not in every language of the family, and what NVRTC says of it."""

from __future__ import annotations

import pytest

from core.dtype import DType, dtypes, scalar_dtypes
from core.errors import RenderError
from core.ir.ops import Ops
from core.ir.uop import UOp
from core.opt.tensor_core import CUDA_SM75, CUDA_SM80
from core.render import get_renderer
from tests.core.render.compilers import complaints
from tests.core.render.golden_programs import EVERY, source
from tests.core.render.gpu_programs import (
    bits,
    eight_halves,
    flat,
    group_sum,
    matrix_product,
    ops_of_a_float,
    shared_vectors,
    special,
    wrapping,
)
from tests.core.render.programs import alu, buffer, cast, const, load, program, store

HALF_FLOAT = ((8, 16, 16), dtypes.half, dtypes.float, 32, (8, 4, 4))
PRODUCTS = [
    HALF_FLOAT,
    ((8, 16, 16), dtypes.bfloat16, dtypes.float, 32, (8, 4, 4)),
    ((8, 16, 16), dtypes.half, dtypes.half, 32, (8, 4, 4)),
    ((8, 16, 8), dtypes.half, dtypes.float, 32, (4, 2, 4)),
    ((8, 16, 8), dtypes.half, dtypes.half, 32, (4, 2, 4)),
]


def render(uops: list[UOp], backend: str = "cuda") -> str:
    return get_renderer(backend).render("k", uops)


def statements(uops: list[UOp]) -> list[str]:
    return [line.strip() for line in render(uops).splitlines()]


def test_blocks_share_memory_and_wait() -> None:
    assert render(group_sum()) == (
        'extern "C" __global__ void __launch_bounds__(16) k(float* data0, float* data1) {\n'
        "  int gidx0 = blockIdx.x; /* 8 */\n"
        "  int lidx0 = threadIdx.x; /* 16 */\n"
        "  alignas(16) __shared__ float temp0[16];\n"
        "  float val0 = data1[gidx0*16+lidx0];\n"
        "  temp0[lidx0] = val0;\n"
        "  __syncthreads();\n"
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


def test_a_matrix_product_is_an_instruction_of_ptx() -> None:
    lines = render(matrix_product(*HALF_FLOAT)).splitlines()
    start = next(i for i, line in enumerate(lines) if "wmma_8_16_16_half_float(halfx8" in line)
    assert lines[start : start + 7] == [
        "static __device__ __forceinline__ float4 wmma_8_16_16_half_float(halfx8 a, halfx4 b, float4 c) {",
        "  const unsigned int *regs_a = (const unsigned int*)&a, *regs_b = (const unsigned int*)&b;",
        "  float *regs_c = (float*)&c;",
        '  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 '
        '{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"',
        '               : "+f"(regs_c[0]), "+f"(regs_c[1]), "+f"(regs_c[2]), "+f"(regs_c[3]) '
        ': "r"(regs_a[0]), "r"(regs_a[1]), "r"(regs_a[2]), "r"(regs_a[3]), "r"(regs_b[0]), "r"(regs_b[1]));',
        "  return c;",
        "}",
    ]
    assert "    acc0 = wmma_8_16_16_half_float(val0, val1, acc0);" in lines


def test_a_product_that_is_used_twice_has_one_function() -> None:
    first = matrix_product(*HALF_FLOAT)
    product = next(node for node in first if node.op is Ops.WMMA)
    vectors = [UOp(Ops.CONST, operand.dtype, (), 1.0) for operand in product.src]
    once = UOp(Ops.WMMA, product.dtype, tuple(vectors), product.arg)
    twice = UOp(Ops.WMMA, product.dtype, (*vectors[:2], once), product.arg)
    text = render(program(store(buffer(0, dtypes.float), 0, twice)))
    assert text.count("asm volatile") == 1
    assert text.count("wmma_8_16_16_half_float(") == 3


@pytest.mark.parametrize(
    ("arch", "units"), [("sm_75", CUDA_SM75), ("sm_80", CUDA_SM80), ("sm_89", CUDA_SM80), ("sm_90", CUDA_SM80)]
)
def test_architectures_have_their_units(arch: str, units: object) -> None:
    assert get_renderer(f"cuda:{arch}").tensor_cores == units
    assert get_renderer(f"cuda:{arch}").options() == {"backend": "cuda", "arch": arch}


def test_what_is_refused() -> None:
    with pytest.raises(RenderError, match="wmma_8_16_16_half_float: architecture sm_75 multiplies no such matrices"):
        render(matrix_product(*HALF_FLOAT), "cuda:sm_75")
    with pytest.raises(RenderError, match="wmma_8_8_8_float_float: architecture sm_80 multiplies no such matrices"):
        render(matrix_product((8, 8, 8), dtypes.float, dtypes.float, 32, (2, 2, 2)))
    with pytest.raises(RenderError, match="for architecture 'sm_61': choose from sm_75, sm_80, sm_89, sm_90"):
        get_renderer("cuda:sm_61")


def test_bounds_of_a_launch_are_those_that_are_known() -> None:
    count = UOp(Ops.DEFINE_VAR, dtypes.int, (), ("n", 1, 8))

    def prefix(*specials: UOp) -> str:
        total = specials[0]
        for other in specials[1:]:
            total = alu(Ops.ADD, total, other)
        return render(program(count, store(buffer(0, dtypes.int), total, total))).splitlines()[0].partition(" k(")[0]

    assert prefix(special("gidx0", count), special("lidx0", 8), special("lidx1", 4)).endswith("__launch_bounds__(32)")
    assert prefix(special("gidx0", 4), special("lidx0", count)) == 'extern "C" __global__ void'
    assert prefix(special("idx0", 4)) == 'extern "C" __global__ void'
    assert "int idx1 = blockIdx.y*blockDim.y+threadIdx.y; /* 3 */" in statements(flat())


def test_vectors_that_cuda_does_not_have_are_declared() -> None:
    lines = render(eight_halves()).splitlines()
    assert lines[:2] == [
        "#include <cuda_fp16.h>",
        "struct alignas(16) halfx8 { half s0, s1, s2, s3, s4, s5, s6, s7; };",
    ]
    assert lines[2].startswith("__device__ __forceinline__ halfx8 make_halfx8(half s0, half s1, ")
    assert "make_halfx8(val0.s7,val0.s6,val0.s5,val0.s4,val0.s3,val0.s2,val0.s1,val0.s0);" in lines[-2]
    assert "  alignas(32) __shared__ long long temp0[16];" in render(shared_vectors(dtypes.long)).splitlines()
    assert "struct" not in render(shared_vectors(dtypes.float))


@pytest.mark.parametrize(
    ("to", "source", "text"),
    [
        (dtypes.half, dtypes.short, "__short_as_half(val0.y)"),
        (dtypes.ushort, dtypes.bfloat16, "__bfloat16_as_ushort(val0.y)"),
        (dtypes.float, dtypes.uint, "__uint_as_float(val0.y)"),
        (dtypes.ulong, dtypes.double, "(unsigned long long)__double_as_longlong(val0.y)"),
        (dtypes.uint, dtypes.int, "(unsigned int)val0.y"),
    ],
    ids=str,
)
def test_bitcasts(to: DType, source: DType, text: str) -> None:
    assert f"data0[0] = {text};" in statements(bits(to, source))


def test_halves_are_converted_by_way_of_float() -> None:
    def written(build: UOp) -> str:
        return statements(program(store(buffer(0, build.dtype), 0, build)))[-2]

    half = load(buffer(1, dtypes.half), 0)
    assert written(cast(half, dtypes.uchar)) == "data0[0] = (unsigned char)(int)(float)val0;"
    assert written(cast(half, dtypes.bfloat16)) == "data0[0] = (nv_bfloat16)(float)val0;"
    assert written(cast(half, dtypes.bool)) == "data0[0] = (float)val0!=0;"
    assert written(alu(Ops.RECIP, half)) == "data0[0] = (half)1.0f/val0;"
    assert written(alu(Ops.SIN, half)) == "data0[0] = (half)sinf((float)val0);"
    assert written(alu(Ops.ADD, half, const(dtypes.half, float("inf")))) == (
        "data0[0] = val0+(half)__int_as_float(0x7f800000);"
    )


@pytest.mark.parametrize("arch", ["sm_75", "sm_80", "sm_90"])
def test_nvrtc_accepts_the_sources(arch: str) -> None:
    backend = f"cuda:{arch}"
    programs = [group_sum(), flat(), eight_halves(), wrapping(), shared_vectors(dtypes.long)]
    programs += [matrix_product(*product) for product in (PRODUCTS[3:] if arch == "sm_75" else PRODUCTS)]
    programs += [*ops_of_a_float(dtypes.half, scalar_dtypes()), *ops_of_a_float(dtypes.bfloat16, scalar_dtypes())]
    sources = [source(f"cuda:{arch}", name) for of, name in EVERY if of == "cuda"]
    assert complaints(backend, [*sources, *[render(uops, backend) for uops in programs]]) == []
