"""Backend `c`: one C function a kernel, for gcc 12 and later and clang 14 and later (half: 15), with no headers.

Compile it with `CRenderer.compile_flags` and link it with `CRenderer.link_flags`: only if the compiler is told so do
integers wrap, and is no product fused with a sum.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

from core.dtype import DType
from core.ir.ops import Ops
from core.render.cstyle import CStyleRenderer
from core.render.operators import C_OPERATORS, Expr, Operator, Rank, call

__all__ = ["CRenderer"]

_SIZES: Final = frozenset(1 << power for power in range(1, 9))


class CRenderer(CStyleRenderer):
    name = "c"
    device = "CLANG"
    has_local = False
    has_shared = False

    compile_flags: ClassVar[tuple[str, ...]] = ("-fwrapv", "-ffp-contract=off", "-fno-math-errno")
    """What the sources need for their results to be defined: integers that wrap and floats that round after each op."""
    link_flags: ClassVar[tuple[str, ...]] = ("-lm",)

    code_for_op: ClassVar[Mapping[Ops, Operator]] = {
        **C_OPERATORS,
        **{
            op: call(half=f"__builtin_{name}f", float=f"__builtin_{name}f", double=f"__builtin_{name}")
            for op, name in ((Ops.SQRT, "sqrt"), (Ops.EXP2, "exp2"), (Ops.LOG2, "log2"), (Ops.SIN, "sin"))
        },
    }

    type_names: ClassVar[Mapping[str, str]] = {
        "bool": "_Bool",
        "char": "signed char",
        "uchar": "unsigned char",
        "short": "short",
        "ushort": "unsigned short",
        "int": "int",
        "uint": "unsigned int",
        "long": "long long",
        "ulong": "unsigned long long",
        "half": "_Float16",
        "float": "float",
        "double": "double",
    }
    suffixes: ClassVar[Mapping[str, str]] = {"uint": "u", "long": "ll", "ulong": "ull", "float": "f"}
    vector_sizes = _SIZES
    wide_floats = frozenset({"half"})
    cast_literals = frozenset({"half"})
    infinity = "__builtin_inff()"
    nan = '__builtin_nanf("")'
    buffer_parameter = "{type}* restrict {name}"

    def refuses(self, dtype: DType) -> str | None:
        if dtype.count > 1 and dtype.count not in _SIZES:
            return "a vector of C has a power of two of elements"
        return super().refuses(dtype)

    def preamble(self, vectors: Sequence[DType]) -> list[str]:
        """Vector types that may stand at any element and share memory with scalars. A bool in a vector is a byte."""
        return [
            f"typedef {self.type_names['uchar' if dtype.is_bool else dtype.name]} {self.type_name(dtype)} "
            f"__attribute__((vector_size({dtype.itemsize}), aligned({dtype.scalar().itemsize}), may_alias));"
            for dtype in vectors
        ]

    def bitcast(self, dtype: DType, source: DType, value: Expr) -> Expr:
        if dtype.count == source.count == 1 and not dtype.is_float and not source.is_float:
            return self.cast(dtype, source, value)
        union = f"union{{{self.type_name(source)} a;{self.type_name(dtype)} b;}}"
        return Expr(f"({union}){{{value.text}}}.b", Rank.ATOM, value.depth + 1)
