"""`Renderer`: what the rest of the compiler knows of a backend, and how a linear program becomes its source."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Final

from core.dtype import DType, ImageDType, PtrDType, dtypes
from core.errors import RenderError
from core.ir.ops import Ops
from core.ir.pattern import PatternMatcher
from core.ir.uop import UOp
from core.opt.tensor_core import TensorCore

__all__ = ["Renderer", "parameters"]

# the letters of `DType.kind` that the operands of an op may have; an op that is not here takes every kind
_OPERAND_KINDS: Final[dict[Ops, str]] = {
    **dict.fromkeys((Ops.EXP2, Ops.LOG2, Ops.SIN, Ops.SQRT, Ops.RECIP, Ops.FDIV), "f"),
    **dict.fromkeys((Ops.IDIV, Ops.MOD, Ops.SHL, Ops.SHR), "iu"),
    **dict.fromkeys((Ops.AND, Ops.OR, Ops.XOR), "iub"),
    **dict.fromkeys((Ops.SUB, Ops.NEG), "fiu"),
}


class Renderer:
    """A backend: its limits, the ops that it has, and its way to write a program down. Rendering opens no device.

    A renderer holds nothing but its options, so one serves any number of kernels and threads.
    """

    name: ClassVar[str]
    """The backend's name on the command line and in records."""
    device: ClassVar[str]
    """The seed's name of the device."""
    default_arch: ClassVar[str | None] = None
    """The architecture that is meant when none is named; None for a backend that has no choice of them."""
    archs: ClassVar[tuple[str, ...]] = ()
    """The architectures to choose from; none for a backend that takes any, or has no choice."""

    has_local: ClassVar[bool] = True
    """Kernels are launched over global and local dimensions."""
    has_shared: ClassVar[bool] = True
    """The threads of a group share memory."""
    has_images: ClassVar[bool] = False
    """Images are read and written, four elements at a time."""
    supports_float4: ClassVar[bool] = True
    """Loads and stores of several consecutive elements at once."""
    max_vector: ClassVar[int] = 8
    """The most elements that one load or store has."""
    slow_division: ClassVar[bool] = False
    """Dividing integers costs so much that shifts and multiplications are worth their place in the source."""
    global_max: ClassVar[tuple[int, ...] | None] = None
    """The greatest launch dimensions, in groups; None for no limit."""
    local_max: ClassVar[tuple[int, ...] | None] = None
    """The greatest dimensions of a group, in threads; None for no limit."""
    shared_max: ClassVar[int] = 0
    """Bytes of memory that a group can share."""
    tensor_cores: tuple[TensorCore, ...] = ()
    """The matrix units that `Kernel.apply_tensor_cores` may choose from."""
    tensor_cores_of: ClassVar[Mapping[str | None, tuple[TensorCore, ...]]] = {}
    """The same for each architecture that has some; None where the backend has no choice of architectures."""

    code_for_op: ClassVar[Mapping[Ops, Callable[..., Any]]] = {}
    """What writes each ALU op. The keys are the ops it has; `core.lower` expresses the others by these."""
    pre_matcher: ClassVar[PatternMatcher | None] = None
    """Rules applied before the ops that the backend lacks are decomposed."""
    extra_matcher: ClassVar[PatternMatcher | None] = None
    """Rules applied last, to the program that is about to be linearised."""

    def __init__(self, arch: str | None = None) -> None:
        """`arch` names the architecture. Raises RenderError for one that the backend does not have."""
        if arch is not None and self.default_arch is None:
            raise RenderError(
                self.name, f"for architecture {arch!r}", "this backend has no architectures to choose from"
            )
        if arch is not None and self.archs and arch not in self.archs:
            raise RenderError(self.name, f"for architecture {arch!r}", f"choose from {', '.join(self.archs)}")
        self.arch: str | None = self.default_arch if arch is None else arch
        self.tensor_cores = self.tensor_cores_of.get(self.arch, self.tensor_cores)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({'' if self.arch is None else repr(self.arch)})"

    def options(self) -> dict[str, object]:
        """What a record keeps of the renderer: enough to make the same one again."""
        return {"backend": self.name, "arch": self.arch}

    def render(self, name: str, uops: Sequence[UOp]) -> str:
        """The source of the linear program `uops` as a function called `name`.

        The function's parameters are those of `parameters(uops)`. Raises RenderError for a dtype or an op that the
        backend cannot express.
        """
        raise NotImplementedError

    def check(self, uops: Sequence[UOp]) -> None:
        """Raise RenderError for the first node with a dtype or an op that this backend does not have."""
        for dtype in dict.fromkeys([node.dtype for node in uops]):
            if isinstance(dtype, ImageDType) and not self.has_images:
                raise RenderError(self.name, str(dtype), "the backend has no images")
            if (reason := self.refuses(dtype.base)) is not None:
                raise RenderError(self.name, str(dtype.base), reason)

        for node in uops:
            kinds = _OPERAND_KINDS.get(node.op)
            if kinds is not None and (operand := node.src[0].dtype).kind not in kinds:
                raise RenderError(
                    self.name, f"{node.op.name} of {operand}", f"{node.op.name} is not an op of that type"
                )

    def refuses(self, dtype: DType) -> str | None:
        """Why the backend cannot express a scalar or vector, or None if it can."""
        return "the backend has no such type" if dtype.scalar() is dtypes.bfloat16 else None


def parameters(uops: Sequence[UOp]) -> list[UOp]:
    """The parameters of a kernel in order: the buffers by number, then the variables by name."""
    buffers = [node for node in dict.fromkeys(uops) if node.op is Ops.DEFINE_GLOBAL]
    variables = [node for node in dict.fromkeys(uops) if node.op is Ops.DEFINE_VAR]
    assert all(isinstance(buffer.dtype, PtrDType) for buffer in buffers)
    return sorted(buffers, key=lambda node: node.arg) + sorted(variables, key=lambda node: node.arg[0])
