"""HIP C++: where it differs from CUDA's, and what clang says of it."""

from __future__ import annotations

import pytest

from core.dtype import DType, dtypes, scalar_dtypes
from core.errors import RenderError
from core.opt.tensor_core import CDNA, RDNA3
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
    wrapping,
)
from tests.core.render.programs import buffer, const, program, store

RDNA3_PRODUCTS = [
    ((16, 16, 16), dtypes.half, dtypes.float, 32, (16, 16, 8)),
    ((16, 16, 16), dtypes.half, dtypes.half, 32, (16, 16, 8)),
    ((16, 16, 16), dtypes.bfloat16, dtypes.float, 32, (16, 16, 8)),
]
CDNA_PRODUCTS = [
    ((16, 16, 16), dtypes.half, dtypes.float, 64, (4, 4, 4)),
    ((16, 16, 16), dtypes.bfloat16, dtypes.float, 64, (4, 4, 4)),
]
PRODUCTS = {"gfx1100": RDNA3_PRODUCTS, "gfx90a": CDNA_PRODUCTS, "gfx942": CDNA_PRODUCTS}


def function(backend: str, number: int) -> list[str]:
    """The function that stands for a matrix product of `backend`."""
    product = PRODUCTS[backend.partition(":")[2]][number]
    lines = get_renderer(backend).render("k", matrix_product(*product)).splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("static inline __device__"))
    return lines[start : lines.index("}", start) + 1]


def test_vectors_are_those_of_clang() -> None:
    lines = get_renderer("hip").render("k", shared_vectors(dtypes.float)).splitlines()
    assert lines == [
        "#include <hip/hip_runtime.h>",
        "typedef float floatx4 __attribute__((ext_vector_type(4)));",
        "inline __device__ floatx4 make_floatx4(float x, float y, float z, float w) { return {x, y, z, w}; }",
        'extern "C" __global__ void __launch_bounds__(4) k(float* data0, float* data1) {',
        "  alignas(16) __shared__ float temp0[16];",
        "  int lidx0 = threadIdx.x; /* 4 */",
        "  int alu0 = lidx0*4;",
        "  floatx4 val0 = *(floatx4*)&data1[alu0];",
        "  *(floatx4*)&temp0[alu0] = val0;",
        "  __syncthreads();",
        "  floatx4 val1 = *(floatx4*)&temp0[alu0];",
        "  *(floatx4*)&data0[alu0] = val1;",
        "}",
    ]


def test_a_bool_in_a_vector_is_a_byte() -> None:
    text = get_renderer("hip").render("k", program(store(buffer(0, dtypes.bool), 0, const(dtypes.bool.vec(2), True))))
    assert "typedef unsigned char boolx2 __attribute__((ext_vector_type(2)));" in text


def test_matrix_products_are_builtins() -> None:
    assert function("hip:gfx1100", 0) == [
        "static inline __device__ floatx8 wmma_16_16_16_half_float(halfx16 a, halfx16 b, floatx8 c) {",
        "  return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, c);",
        "}",
    ]
    assert function("hip:gfx942", 0) == [
        "static inline __device__ floatx4 wmma_16_16_16_half_float(halfx4 a, halfx4 b, floatx4 c) {",
        "  return __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, c, 0, 0, 0);",
        "}",
    ]


def test_a_sum_of_halves_lies_in_every_second_place() -> None:
    assert function("hip:gfx1100", 1) == [
        "static inline __device__ halfx8 wmma_16_16_16_half_half(halfx16 a, halfx16 b, halfx8 c) {",
        "  halfx16 d = {};",
        "  for (int i = 0; i < 8; i++) d[i*2] = c[i];",
        "  d = __builtin_amdgcn_wmma_f16_16x16x16_f16_w32(a, b, d, false);",
        "  for (int i = 0; i < 8; i++) c[i] = d[i*2];",
        "  return c;",
        "}",
    ]


def test_bfloat16s_are_passed_as_their_bits() -> None:
    assert function("hip:gfx942", 1)[1:3] == [
        "  typedef short bits __attribute__((ext_vector_type(4)));",
        "  return __builtin_amdgcn_mfma_f32_16x16x16bf16_1k("
        "__builtin_bit_cast(bits, a), __builtin_bit_cast(bits, b), c, 0, 0, 0);",
    ]


@pytest.mark.parametrize(("arch", "units"), [("gfx1100", RDNA3), ("gfx90a", CDNA), ("gfx942", CDNA)])
def test_architectures_have_their_units(arch: str, units: object) -> None:
    assert get_renderer(f"hip:{arch}").tensor_cores == units
    assert get_renderer("hip").tensor_cores == RDNA3


def test_what_is_refused() -> None:
    with pytest.raises(RenderError, match="wmma_16_16_16_half_half: architecture gfx942 multiplies no such matrices"):
        get_renderer("hip:gfx942").render("k", matrix_product(*RDNA3_PRODUCTS[1]))
    with pytest.raises(RenderError, match="for architecture 'gfx906': choose from gfx1100, gfx90a, gfx942"):
        get_renderer("hip:gfx906")


@pytest.mark.parametrize(
    ("to", "source", "text"),
    [
        (dtypes.half, dtypes.short, "__builtin_bit_cast(_Float16, (short)val0.y)"),
        (dtypes.float, dtypes.int, "__builtin_bit_cast(float, (int)val0.y)"),
    ],
    ids=str,
)
def test_the_bits_of_an_element_are_not_those_of_the_first(to: DType, source: DType, text: str) -> None:
    """clang 22 takes the bits of `val0.x` for those of `val0.y`, unless it is converted to a value of its own."""
    assert f"  data0[0] = {text};\n" in get_renderer("hip").render("k", bits(to, source))


@pytest.mark.parametrize("arch", PRODUCTS)
def test_clang_accepts_the_sources(arch: str) -> None:
    renderer = get_renderer(f"hip:{arch}")
    programs = [group_sum(), flat(), eight_halves(), wrapping(), shared_vectors(dtypes.long)]
    programs += [matrix_product(*product) for product in PRODUCTS[arch]]
    if arch == "gfx1100":
        for dtype in (dtypes.half, dtypes.bfloat16, dtypes.float):
            programs += ops_of_a_float(dtype, scalar_dtypes())
    sources = [source(f"hip:{arch}", name) for of, name in EVERY if of == "hip"]
    assert complaints(f"hip:{arch}", [*sources, *[renderer.render("k", uops) for uops in programs]]) == []
