"""Backends `opencl`, `intel` and `qcom`: a kernel in OpenCL C 1.2, with halves, doubles and images where it uses them.

Nothing depends on how it is compiled but whether products and sums are contracted, which OpenCL leaves to the compiler.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

from core.dtype import DType, ImageDType
from core.errors import RenderError
from core.ir.ops import Ops
from core.ir.uop import UOp
from core.opt.tensor_core import INTEL, TensorCore
from core.render.cstyle import CStyleRenderer
from core.render.matrix import Product
from core.render.operators import Expr, Operator, Rank, call
from core.render.wrapping import wrapping_operators

__all__ = ["IntelRenderer", "OpenCLRenderer", "QCOMRenderer"]

_NAMES: Final = (
    "bool", "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "float", "double"
)  # fmt: skip
_EXTENSIONS: Final = {"half": "cl_khr_fp16", "double": "cl_khr_fp64"}
_SAMPLER: Final = "const sampler_t smp = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;"


class OpenCLRenderer(CStyleRenderer):
    name = "opencl"
    device = "GPU"
    slow_division = True
    has_images = True
    shared_max = 32768

    type_names: ClassVar[Mapping[str, str]] = {name: name for name in _NAMES}
    suffixes: ClassVar[Mapping[str, str]] = {"uint": "u", "long": "l", "ulong": "ul", "float": "f", "half": "h"}
    signed_wraps = False
    code_for_op: ClassVar[Mapping[Ops, Operator]] = {
        **wrapping_operators(type_names),
        **{
            op: call(half=name, float=name, double=name)
            for op, name in ((Ops.SQRT, "sqrt"), (Ops.EXP2, "exp2"), (Ops.LOG2, "log2"), (Ops.SIN, "sin"))
        },
    }

    kernel_prefix = "__kernel void "
    buffer_parameter = "__global {type}* {name}"
    image_parameter = "{access}_only image2d_t {name}"
    image_read = "read_imagef({image}, smp, {at})"
    image_write = "write_imagef({image}, {at}, {value})"
    vector_literal = "({type})({lanes})"
    vector_literal_rank = Rank.UNARY
    vector_lane = "{vector}.{letter}"
    global_space = "__global "
    local_space = "__local "
    workitems: ClassVar[Mapping[str, str]] = {
        "gidx": "get_group_id({dimension})",
        "lidx": "get_local_id({dimension})",
        "idx": "get_global_id({dimension})",
    }
    local_array = "__local {type} {name}[{size}] __attribute__((aligned({align})));"
    barrier = "barrier(CLK_LOCAL_MEM_FENCE);"

    def headers(self, uops: Sequence[UOp]) -> list[str]:
        used = {node.dtype.name for node in uops}
        lines = [
            f"#pragma OPENCL EXTENSION {extension} : enable" for name, extension in _EXTENSIONS.items() if name in used
        ]
        reads_image = any(node.op is Ops.LOAD and isinstance(node.src[0].dtype, ImageDType) for node in uops)
        return [*lines, _SAMPLER] if reads_image else lines

    def type_name(self, dtype: DType) -> str:
        """A bool in a vector is a byte."""
        return f"uchar{dtype.count}" if dtype.count > 1 and dtype.is_bool else super().type_name(dtype)

    def bitcast(self, dtype: DType, source: DType, value: Expr) -> Expr:
        return Expr(f"as_{self.type_name(dtype)}({self.exact(source, value).text})", Rank.ATOM, value.depth + 1)


class IntelRenderer(OpenCLRenderer):
    """With the matrix units of Intel's GPUs (XMX), by cl_intel_subgroup_matrix_multiply_accumulate: A and B are sixteen
    halves a work item, the eight work items of a subgroup multiply 8×16 by 16×8."""

    name = "intel"
    has_images = False
    tensor_cores_of: ClassVar[Mapping[str | None, tuple[TensorCore, ...]]] = {None: INTEL}

    def prefix(self, uops: Sequence[UOp]) -> str:
        subgroup = "__attribute__((intel_reqd_sub_group_size(8))) " if any(n.op is Ops.WMMA for n in uops) else ""
        return f"{subgroup}{self.kernel_prefix}"

    def matrix_function(self, name: str, product: Product) -> list[str]:
        if product.key != ((8, 8, 16), "half", "float"):
            raise RenderError(self.name, product.name, "the matrix unit multiplies 8×16 by 16×8 halves into floats")
        a, b, c = [self.type_name(dtype) for dtype in (product.a, product.b, product.c)]
        return [
            f"{c} {name}({a} a, {b} b, {c} c) {{",
            "  return intel_sub_group_f16_f16_matrix_mad_k16(as_int8(a), as_int8(b), c);",
            "}",
        ]


class QCOMRenderer(OpenCLRenderer):
    """For Adreno GPUs, which have no doubles."""

    name = "qcom"
    device = "QCOM"
    type_names: ClassVar[Mapping[str, str]] = {name: name for name in _NAMES if name != "double"}
