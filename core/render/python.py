"""Backend `python`: the linear program itself as text, a line a UOp, for `core.runtime.emulator` to read and run.

    kernel E_8
    %0 = DEFINE_GLOBAL float.ptr(8) arg=0
    %1 = SPECIAL int arg=("gidx0", 8)
    %2 = INDEX float.ptr(8) %0 %1
    %3 = CONST float arg=1.0
    %4 = STORE void %2 %3

A line has a number, an op, a dtype, the numbers of the sources, and an arg where there is one: integers, floats (which
always have a point, an exponent or a name), booleans, names in quotes, dtypes, nodes by their number, and tuples of
these. A node that only an arg refers to, as the size of a launch may, comes on a line before.

An architecture gives the backend the matrix units of another one, whose WMMAs the emulator computes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final

from core.dtype import DType
from core.errors import RenderError
from core.ir.checked import arg_uops
from core.ir.limits import MAX_STRING
from core.ir.ops import GroupOp, Ops
from core.ir.uop import UOp
from core.opt.tensor_core import AMX, CDNA, CUDA_SM75, CUDA_SM80, INTEL, METAL, RDNA3, TensorCore
from core.render.base import Renderer
from core.render.matrix import Product

__all__ = ["PythonRenderer"]

INDENT: Final = "  "

_STRUCTURE: Final = frozenset(
    {
        Ops.DEFINE_GLOBAL,
        Ops.DEFINE_LOCAL,
        Ops.DEFINE_VAR,
        Ops.DEFINE_ACC,
        Ops.SPECIAL,
        Ops.CONST,
        Ops.RANGE,
        Ops.ENDRANGE,
        Ops.IF,
        Ops.ENDIF,
        Ops.ASSIGN,
        Ops.INDEX,
        Ops.LOAD,
        Ops.STORE,
        Ops.BARRIER,
        Ops.VECTORIZE,
        Ops.GEP,
        Ops.CAST,
        Ops.BITCAST,
        Ops.WMMA,
    }
)
_OPENS: Final = (Ops.RANGE, Ops.IF)
_ENDS: Final = (Ops.ENDRANGE, Ops.ENDIF)


def _mnemonic(node: UOp) -> str:
    return node.op.name


class PythonRenderer(Renderer):
    name = "python"
    device = "PYTHON"
    default_arch = "plain"
    archs = ("plain", "cuda_sm75", "cuda_sm80", "hip_gfx1100", "hip_gfx942", "metal", "intel", "amx")
    tensor_cores_of: ClassVar[Mapping[str | None, tuple[TensorCore, ...]]] = {
        "cuda_sm75": CUDA_SM75,
        "cuda_sm80": CUDA_SM80,
        "hip_gfx1100": RDNA3,
        "hip_gfx942": CDNA,
        "metal": METAL,
        "intel": INTEL,
        "amx": AMX,
    }
    # as a GPU of today has them, so that its kernels are launched as theirs
    global_max = (2147483647, 65535, 65535)
    local_max = (1024, 1024, 64)
    shared_max = 65536

    # THREEFRY is expressed by the others on every backend, and MULACC rounds once on some and twice on others
    code_for_op: ClassVar[Mapping[Ops, Any]] = dict.fromkeys(
        sorted(GroupOp.ALU - {Ops.THREEFRY, Ops.MULACC}), _mnemonic
    )

    def render(self, name: str, uops: Sequence[UOp]) -> str:
        self.check(uops)
        lines = [f"kernel {name}"]
        numbers: dict[UOp, int] = {}
        depth = 0
        for node in _with_arg_nodes(uops):
            depth -= node.op in _ENDS
            lines.append(INDENT * depth + self._line(node, numbers))
            depth += node.op in _OPENS
        return "\n".join(lines) + "\n"

    def _line(self, node: UOp, numbers: dict[UOp, int]) -> str:
        """The line of `node`, whose number is the next one."""
        if node.op is Ops.WMMA:
            Product.of(node, self.name)
        if node.op in _STRUCTURE:
            op = node.op.name
        elif node.op in self.code_for_op:
            op = self.code_for_op[node.op](node)
        else:
            what = f"{node.op.name} of {node.dtype}" if node.op in GroupOp.ALU else node.op.name
            raise RenderError(self.name, what, "the backend has no such op")

        sources = "".join([f" %{numbers[source]}" for source in node.src])
        arg = "" if node.arg is None else f" arg={self._literal(node.arg, numbers)}"
        number = numbers[node] = len(numbers)
        return f"%{number} = {op} {node.dtype}{sources}{arg}"

    def _literal(self, arg: Any, numbers: Mapping[UOp, int]) -> str:
        kind = arg.__class__
        if kind is tuple:
            items = [self._literal(item, numbers) for item in arg]
            return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"
        if kind is str and arg.isidentifier() and arg.isascii() and len(arg) <= MAX_STRING:
            return f'"{arg}"'
        if kind is UOp:
            return f"%{numbers[arg]}"
        if kind in (int, float, bool):
            return repr(arg)
        if isinstance(arg, DType):
            return str(arg)
        raise RenderError(self.name, f"the arg {arg!r}"[:MAX_STRING], "it is neither a number, a name nor a dtype")


def _with_arg_nodes(uops: Sequence[UOp]) -> Iterator[UOp]:
    """The program, each node once, and before each what only its arg refers to."""
    seen: set[UOp] = set()
    for node in uops:
        for inner in arg_uops(node.arg):
            for below in inner.toposort():
                if below not in seen:
                    seen.add(below)
                    yield below
        if node not in seen:
            seen.add(node)
            yield node
