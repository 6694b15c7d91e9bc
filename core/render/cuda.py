"""Backend `cuda`: a kernel in CUDA C++, for NVRTC and nvcc, as a function with C linkage.

It includes the headers for halves and bfloat16s where it uses them, and nothing else. Compile it without fast math.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final, NamedTuple

from core.dtype import DType, dtypes
from core.errors import RenderError
from core.ir.ops import Ops
from core.ir.uop import UOp
from core.opt.tensor_core import CUDA_SM75, CUDA_SM80, TensorCore
from core.render.cstyle import CStyleRenderer, lane_names
from core.render.matrix import Product
from core.render.operators import Expr, Operator, Rank, call, wrapped
from core.render.wrapping import wrapping_operators

__all__ = ["CUDARenderer"]

_TYPES: Final = {
    "bool": "bool",
    "char": "signed char",
    "uchar": "unsigned char",
    "short": "short",
    "ushort": "unsigned short",
    "int": "int",
    "uint": "unsigned int",
    "long": "long long",
    "ulong": "unsigned long long",
    "half": "half",
    "bfloat16": "nv_bfloat16",
    "float": "float",
    "double": "double",
}
_HEADERS: Final = {"half": "cuda_fp16.h", "bfloat16": "cuda_bf16.h"}
_CLASSES: Final = frozenset(_HEADERS)
# the vectors that CUDA has, as float4 and make_float4, with the alignment that one access needs
_OWN_VECTORS: Final = frozenset(
    {
        *((name, count) for name in ("char", "uchar", "short", "ushort", "int", "uint", "float") for count in (2, 4)),
        ("double", 2),
        ("half", 2),
    }
)
# functions for the bits of a value: of a float type by the type of its bits and the other way round
_BITS: Final = {
    ("half", "short"): "__half_as_short",
    ("half", "ushort"): "__half_as_ushort",
    ("short", "half"): "__short_as_half",
    ("ushort", "half"): "__ushort_as_half",
    ("bfloat16", "short"): "__bfloat16_as_short",
    ("bfloat16", "ushort"): "__bfloat16_as_ushort",
    ("short", "bfloat16"): "__short_as_bfloat16",
    ("ushort", "bfloat16"): "__ushort_as_bfloat16",
    ("float", "int"): "__float_as_int",
    ("float", "uint"): "__float_as_uint",
    ("int", "float"): "__int_as_float",
    ("uint", "float"): "__uint_as_float",
    ("double", "long"): "__double_as_longlong",
    ("double", "ulong"): "(unsigned long long)__double_as_longlong",
    ("long", "double"): "__longlong_as_double",
    ("ulong", "double"): "__longlong_as_double",
}


def _reciprocal(node: UOp, args: Sequence[Expr]) -> Expr:
    """Of a class type, 1 is one too."""
    (value,) = args
    one = f"({_TYPES[node.dtype.name]})1.0f" if node.dtype.name in _CLASSES else "1"
    return Expr(f"{one}/{wrapped(value, Rank.MUL + 1)}", Rank.MUL, value.depth + 1)


class _Mma(NamedTuple):
    """A matrix instruction: its types in the order D, A, B, C, and how many 32-bit registers of a thread each takes."""

    types: str
    a: int
    b: int
    c: int
    since: int
    """The first architecture that has it: 80 for sm_80."""


# PTX ISA, "Warp-level matrix instructions using mma"
_MMA: Final = {
    ((8, 16, 16), "half", "float"): _Mma("f32.f16.f16.f32", 4, 2, 4, 80),
    ((8, 16, 16), "bfloat16", "float"): _Mma("f32.bf16.bf16.f32", 4, 2, 4, 80),
    ((8, 16, 16), "half", "half"): _Mma("f16.f16.f16.f16", 4, 2, 2, 80),
    ((8, 16, 8), "half", "float"): _Mma("f32.f16.f16.f32", 2, 1, 4, 75),
    ((8, 16, 8), "half", "half"): _Mma("f16.f16.f16.f16", 2, 1, 2, 75),
}


class CUDARenderer(CStyleRenderer):
    name = "cuda"
    device = "CUDA"
    slow_division = True
    default_arch = "sm_80"
    archs: ClassVar[tuple[str, ...]] = ("sm_75", "sm_80", "sm_89", "sm_90")
    tensor_cores_of: ClassVar[Mapping[str | None, tuple[TensorCore, ...]]] = {
        "sm_75": CUDA_SM75,
        **dict.fromkeys(("sm_80", "sm_89", "sm_90"), CUDA_SM80),
    }
    global_max = (2147483647, 65535, 65535)
    local_max = (1024, 1024, 64)
    shared_max = 49152

    type_names = _TYPES
    suffixes: ClassVar[Mapping[str, str]] = {"uint": "u", "long": "ll", "ulong": "ull", "float": "f"}
    cast_literals = frozenset({"half", "bfloat16"})
    infinity = "__int_as_float(0x7f800000)"
    nan = "__int_as_float(0x7fc00000)"
    signed_wraps = False
    code_for_op: ClassVar[Mapping[Ops, Operator]] = {
        **wrapping_operators(_TYPES),
        Ops.RECIP: _reciprocal,
        **{
            op: call(
                half=f"(half){name}f((float){{}})",
                bfloat16=f"(nv_bfloat16){name}f((float){{}})",
                float=f"{name}f",
                double=name,
            )
            for op, name in ((Ops.SQRT, "sqrt"), (Ops.EXP2, "exp2"), (Ops.LOG2, "log2"), (Ops.SIN, "sin"))
        },
    }

    class_floats: ClassVar[frozenset[str]] = _CLASSES
    """Float dtypes that are classes, which convert to other types in more than one way."""
    own_vectors: ClassVar[frozenset[tuple[str, int]]] = _OWN_VECTORS
    """The vector types, by scalar and size, that the language has; others are declared before the kernel."""
    vector_literal = "make_{type}({lanes})"
    vector_bitcasts = False
    vector_lane = "{vector}.{letter}"
    workitems: ClassVar[Mapping[str, str]] = {
        "gidx": "blockIdx.{axis}",
        "lidx": "threadIdx.{axis}",
        "idx": "blockIdx.{axis}*blockDim.{axis}+threadIdx.{axis}",
    }
    local_array = "alignas({align}) __shared__ {type} {name}[{size}];"
    barrier = "__syncthreads();"

    def headers(self, uops: Sequence[UOp]) -> list[str]:
        used = {node.dtype.name for node in uops}
        return [f"#include <{header}>" for name, header in _HEADERS.items() if name in used]

    def prefix(self, uops: Sequence[UOp]) -> str:
        """With the number of threads of a block, where it is known: the compiler leaves registers for so many."""
        threads = 1
        for name, size in [node.arg for node in uops if node.op is Ops.SPECIAL and not node.arg[0].startswith("g")]:
            if name.startswith("idx") or not isinstance(size, int):
                return 'extern "C" __global__ void '
            threads *= size
        return f'extern "C" __global__ void __launch_bounds__({threads}) '

    # ---- types ------------------------------------------------------------------------------------------------------

    def type_name(self, dtype: DType) -> str:
        if dtype.count == 1:
            return self.type_names[dtype.name]
        own = (dtype.name, dtype.count) in self.own_vectors
        return f"{dtype.name}{dtype.count}" if own else f"{dtype.name}x{dtype.count}"

    def preamble(self, vectors: Sequence[DType]) -> list[str]:
        declared = [dtype for dtype in vectors if (dtype.name, dtype.count) not in self.own_vectors]
        return [line for dtype in declared for line in self.vector_declaration(dtype)]

    def vector_declaration(self, dtype: DType) -> list[str]:
        """The type of a vector that the language does not have, and the function that makes one."""
        name, scalar, lanes = self.type_name(dtype), self.type_names[dtype.name], lane_names(dtype.count)
        parameters = ", ".join([f"{scalar} {lane}" for lane in lanes])
        return [
            f"struct alignas({min(dtype.itemsize, 16)}) {name} {{ {scalar} {', '.join(lanes)}; }};",
            f"__device__ __forceinline__ {name} make_{name}({parameters}) {{ return {{{', '.join(lanes)}}}; }}",
        ]

    # ---- halves and bfloat16s, which are classes --------------------------------------------------------------------

    def cast(self, dtype: DType, source: DType, value: Expr) -> Expr:
        if source.name in self.class_floats and dtype.name != "float":
            value = Expr(f"(float){wrapped(value, Rank.UNARY)}", Rank.UNARY, value.depth + 1)
            source = dtypes.float
        return super().cast(dtype, source, value)

    def bitcast(self, dtype: DType, source: DType, value: Expr) -> Expr:
        function = _BITS.get((source.name, dtype.name))
        if function is None:
            return self.cast(dtype, source, value)
        return Expr(f"{function}({value.text})", Rank.ATOM if function[0] == "_" else Rank.UNARY, value.depth + 1)

    # ---- matrix units -----------------------------------------------------------------------------------------------

    def matrix_function(self, name: str, product: Product) -> list[str]:
        """One instruction of PTX. What a thread has of each matrix is passed in 32-bit registers."""
        assert self.arch is not None
        mma = _MMA.get(product.key)
        if mma is None or int(self.arch.removeprefix("sm_")) < mma.since:
            raise RenderError(self.name, product.name, f"architecture {self.arch} multiplies no such matrices")
        n, m, k = product.dims
        form, register = ("f", "float") if product.c.bits == 32 else ("r", "unsigned int")
        first_b = mma.c + mma.a
        results = ", ".join([f'"+{form}"(regs_c[{i}])' for i in range(mma.c)])
        factors = [f'"r"(regs_a[{i}])' for i in range(mma.a)] + [f'"r"(regs_b[{i}])' for i in range(mma.b)]
        d, a, b = _numbered(0, mma.c), _numbered(mma.c, first_b), _numbered(first_b, first_b + mma.b)
        type_a, type_b, type_c = [self.type_name(dtype) for dtype in (product.a, product.b, product.c)]
        return [
            f"static __device__ __forceinline__ {type_c} {name}({type_a} a, {type_b} b, {type_c} c) {{",
            "  const unsigned int *regs_a = (const unsigned int*)&a, *regs_b = (const unsigned int*)&b;",
            f"  {register} *regs_c = ({register}*)&c;",
            f'  asm volatile("mma.sync.aligned.m{m}n{n}k{k}.row.col.{mma.types} {d}, {a}, {b}, {d};"',
            f"               : {results} : {', '.join(factors)});",
            "  return c;",
            "}",
        ]


def _numbered(start: int, end: int) -> str:
    """The operands of inline assembly from one number to before another: `{%0, %1}`."""
    return f"{{{', '.join([f'%{i}' for i in range(start, end)])}}}"
