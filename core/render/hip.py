"""Backend `hip`: a kernel in HIP C++, for AMD's compilers, which are clang: hipcc and hipRTC.

A half is clang's own `_Float16` and a bfloat16 its `__bf16`, so that no header but HIP's is needed. Compile it without
fast math.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final, NamedTuple

from core.dtype import DType
from core.errors import RenderError
from core.ir.ops import Ops
from core.ir.uop import UOp
from core.opt.tensor_core import CDNA, RDNA3, TensorCore
from core.render.cstyle import lane_names
from core.render.cuda import CUDARenderer
from core.render.matrix import Product
from core.render.operators import Expr, Operator, Rank, call, wrapped
from core.render.wrapping import wrapping_operators

__all__ = ["HIPRenderer"]

_TYPES: Final = {**CUDARenderer.type_names, "half": "_Float16", "bfloat16": "__bf16"}


class _Unit(NamedTuple):
    """A builtin of clang for a matrix product, with the arguments that follow A, B and C."""

    builtin: str
    rest: str = ""
    ab: str = ""
    """The type of the elements that the builtin takes for A and B, where it is not theirs: the bits are the same."""
    spread: bool = False
    """C has its elements in every second place of a vector twice as long."""


# RDNA3 Instruction Set Architecture, "Wave Matrix Multiply Accumulate"; a wave has 32 threads
_RDNA3: Final = {
    ((16, 16, 16), "half", "float"): _Unit("__builtin_amdgcn_wmma_f32_16x16x16_f16_w32"),
    ((16, 16, 16), "half", "half"): _Unit("__builtin_amdgcn_wmma_f16_16x16x16_f16_w32", ", false", spread=True),
    ((16, 16, 16), "bfloat16", "float"): _Unit("__builtin_amdgcn_wmma_f32_16x16x16_bf16_w32", ab="short"),
}
# AMD Instinct MI200 and CDNA3 Instruction Set Architecture, "Matrix Arithmetic Instructions"; a wave has 64 threads
_CDNA: Final = {
    ((16, 16, 16), "half", "float"): _Unit("__builtin_amdgcn_mfma_f32_16x16x16f16", ", 0, 0, 0"),
    ((16, 16, 16), "bfloat16", "float"): _Unit("__builtin_amdgcn_mfma_f32_16x16x16bf16_1k", ", 0, 0, 0", ab="short"),
}
_UNITS: Final = {"gfx1100": _RDNA3, "gfx90a": _CDNA, "gfx942": _CDNA}


class HIPRenderer(CUDARenderer):
    name = "hip"
    device = "HIP"
    default_arch = "gfx1100"
    archs = tuple(_UNITS)
    tensor_cores_of: ClassVar[Mapping[str | None, tuple[TensorCore, ...]]] = {
        "gfx1100": RDNA3,
        "gfx90a": CDNA,
        "gfx942": CDNA,
    }
    shared_max = 65536

    type_names = _TYPES
    infinity = "__builtin_inff()"
    nan = '__builtin_nanf("")'
    code_for_op: ClassVar[Mapping[Ops, Operator]] = {
        **wrapping_operators(_TYPES),
        **{
            op: call(
                half=f"(_Float16){name}f((float){{}})",
                bfloat16=f"(__bf16){name}f((float){{}})",
                float=f"{name}f",
                double=name,
            )
            for op, name in ((Ops.SQRT, "sqrt"), (Ops.EXP2, "exp2"), (Ops.LOG2, "log2"), (Ops.SIN, "sin"))
        },
    }
    class_floats = frozenset()
    own_vectors = frozenset()
    vector_bitcasts = True

    def headers(self, uops: Sequence[UOp]) -> list[str]:
        return ["#include <hip/hip_runtime.h>"]

    def vector_declaration(self, dtype: DType) -> list[str]:
        """A vector of clang: HIP's own are classes, which the builtins do not take. A bool in a vector is a byte."""
        name, lanes = self.type_name(dtype), lane_names(dtype.count)
        scalar = self.type_names["uchar" if dtype.is_bool else dtype.name]
        parameters = ", ".join([f"{scalar} {lane}" for lane in lanes])
        return [
            f"typedef {scalar} {name} __attribute__((ext_vector_type({dtype.count})));",
            f"inline __device__ {name} make_{name}({parameters}) {{ return {{{', '.join(lanes)}}}; }}",
        ]

    def bitcast(self, dtype: DType, source: DType, value: Expr) -> Expr:
        # of `vector.y` clang 22 takes the bits of `vector.x`, unless that is converted to a value of its own
        exact = value.text if value.text.isidentifier() else f"({self.type_name(source)}){wrapped(value, Rank.UNARY)}"
        return Expr(f"__builtin_bit_cast({self.type_name(dtype)}, {exact})", Rank.ATOM, value.depth + 1)

    def matrix_function(self, name: str, product: Product) -> list[str]:
        assert self.arch is not None
        unit = _UNITS[self.arch].get(product.key)
        if unit is None:
            raise RenderError(self.name, product.name, f"architecture {self.arch} multiplies no such matrices")
        a, b, c = [self.type_name(dtype) for dtype in (product.a, product.b, product.c)]
        head = f"static inline __device__ {c} {name}({a} a, {b} b, {c} c) {{"
        if unit.ab:
            return [
                head,
                f"  typedef {unit.ab} bits __attribute__((ext_vector_type({product.a.count})));",
                f"  return {unit.builtin}(__builtin_bit_cast(bits, a), __builtin_bit_cast(bits, b), c{unit.rest});",
                "}",
            ]
        if not unit.spread:
            return [head, f"  return {unit.builtin}(a, b, c{unit.rest});", "}"]
        return [
            head,
            f"  {a} d = {{}};",
            f"  for (int i = 0; i < {product.c.count}; i++) d[i*2] = c[i];",
            f"  d = {unit.builtin}(a, b, d{unit.rest});",
            f"  for (int i = 0; i < {product.c.count}; i++) c[i] = d[i*2];",
            "  return c;",
            "}",
        ]
