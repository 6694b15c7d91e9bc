"""Backend `metal`: a kernel in the Metal Shading Language 3, for Apple's GPUs.

Compile it without fast math: that would take infinities and nans for values that cannot occur. The architecture
`simdgroup` has matrix units (Apple7 and later), `nosimd` has none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

from core.dtype import DType
from core.errors import RenderError
from core.ir.ops import Ops
from core.ir.uop import UOp
from core.opt.tensor_core import METAL, TensorCore
from core.render.cstyle import CStyleRenderer
from core.render.matrix import Product
from core.render.operators import Expr, Operator, Rank, call
from core.render.wrapping import wrapping_operators

__all__ = ["MetalRenderer"]

_NAMES: Final = ("bool", "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "float")
# of the operands and of the sum
_MATRICES: Final = frozenset(
    {("float", "float"), ("half", "float"), ("half", "half"), ("bfloat16", "float"), ("bfloat16", "bfloat16")}
)


class MetalRenderer(CStyleRenderer):
    name = "metal"
    device = "METAL"
    slow_division = True
    default_arch = "simdgroup"
    archs = ("simdgroup", "nosimd")
    tensor_cores_of: ClassVar[Mapping[str | None, tuple[TensorCore, ...]]] = {"simdgroup": METAL}
    max_vector = 4
    shared_max = 32768

    type_names: ClassVar[Mapping[str, str]] = {**{name: name for name in _NAMES}, "bfloat16": "bfloat"}
    vector_sizes = frozenset({2, 4})
    suffixes: ClassVar[Mapping[str, str]] = {"uint": "u", "long": "l", "ulong": "ul", "float": "f", "half": "h"}
    cast_literals = frozenset({"bfloat16"})
    signed_wraps = False
    code_for_op: ClassVar[Mapping[Ops, Operator]] = {
        **wrapping_operators(type_names),
        Ops.SQRT: call(half="sqrt", float="precise::sqrt", bfloat16="(bfloat)precise::sqrt((float){})"),
        Ops.EXP2: call(half="exp2", float="precise::exp2", bfloat16="(bfloat)precise::exp2((float){})"),
        Ops.LOG2: call(half="log2", float="precise::log2", bfloat16="(bfloat)precise::log2((float){})"),
        Ops.SIN: call(half="sin", float="precise::sin", bfloat16="(bfloat)precise::sin((float){})"),
    }

    kernel_prefix = "kernel void "
    buffer_parameter = "device {type}* {name}"
    variable_parameter = "constant {type}& {name}"
    vector_literal = "{type}({lanes})"
    vector_lane = "{vector}.{letter}"
    global_space = "device "
    local_space = "threadgroup "
    workitems: ClassVar[Mapping[str, str]] = {"gidx": "gid.{axis}", "lidx": "lid.{axis}", "idx": "tid.{axis}"}
    launch_parameters: ClassVar[Mapping[str, str]] = {
        "gidx": "uint3 gid [[threadgroup_position_in_grid]]",
        "lidx": "uint3 lid [[thread_position_in_threadgroup]]",
        "idx": "uint3 tid [[thread_position_in_grid]]",
    }
    local_array = "alignas({align}) threadgroup {type} {name}[{size}];"
    barrier = "threadgroup_barrier(mem_flags::mem_threadgroup);"

    def headers(self, uops: Sequence[UOp]) -> list[str]:
        return ["#include <metal_stdlib>", "using namespace metal;"]

    def type_name(self, dtype: DType) -> str:
        name = self.type_names[dtype.name]
        return name if dtype.count == 1 else f"{name}{dtype.count}"

    def bitcast(self, dtype: DType, source: DType, value: Expr) -> Expr:
        return Expr(f"as_type<{self.type_name(dtype)}>({self.exact(source, value).text})", Rank.ATOM, value.depth + 1)

    def matrix_function(self, name: str, product: Product) -> list[str]:
        dims, dtype_in, dtype_out = product.key
        if self.arch == "nosimd" or dims != (8, 8, 8) or (dtype_in, dtype_out) not in _MATRICES:
            raise RenderError(self.name, product.name, f"architecture {self.arch} multiplies no such matrices")
        a, b, c = [self.type_name(dtype) for dtype in (product.a, product.b, product.c)]
        of_in, of_out = self.type_names[dtype_in], self.type_names[dtype_out]
        fill = [
            f"  mat_{matrix}.thread_elements()[{i}] = {matrix}.{letter};"
            for matrix in "abc"
            for i, letter in enumerate("xy")
        ]
        return [
            f"static {c} {name}({a} a, {b} b, {c} c) {{",
            f"  simdgroup_matrix<{of_in}, 8, 8> mat_a, mat_b;",
            f"  simdgroup_matrix<{of_out}, 8, 8> mat_c;",
            *fill,
            "  simdgroup_multiply_accumulate(mat_c, mat_a, mat_b, mat_c);",
            f"  return {c}(mat_c.thread_elements()[0], mat_c.thread_elements()[1]);",
            "}",
        ]
