"""`ProgramSpec`: a rendered kernel, and all that is needed to run it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from core.ir.ops import Ops
from core.ir.uop import UOp, sint
from core.render.base import parameters
from core.render.estimates import Estimates
from core.render.names import function_name

if TYPE_CHECKING:
    from core.opt.opt import Opt

__all__ = ["ProgramSpec"]

LAUNCH_DIMENSIONS: Final = 3


@dataclass(slots=True)
class ProgramSpec:
    """The source of a kernel for one backend. What is not given is read from its linear program."""

    name: str
    src: str
    backend: str
    uops: Sequence[UOp]
    applied_opts: list[Opt] = field(default_factory=list)
    estimates: Estimates = field(default_factory=Estimates)
    has_local: bool = False
    """Whether the backend launches its kernels over dimensions, be they all 1."""

    global_size: list[sint] | None = field(init=False)
    """Groups in each launch dimension; None where kernels are called as functions."""
    local_size: list[sint] | None = field(init=False)
    """Threads of a group in each dimension; None too where the backend chooses groups by itself."""
    globals: list[UOp] = field(init=False)
    """The DEFINE_GLOBALs by number: the first parameters."""
    vars: list[UOp] = field(init=False)
    """The DEFINE_VARs by name: the parameters after those."""
    outs: list[int] = field(init=False)
    """The numbers of the buffers that are stored to."""
    ins: list[int] = field(init=False)
    """The numbers of the buffers that are loaded from."""

    def __post_init__(self) -> None:
        params = parameters(self.uops)
        self.globals = [node for node in params if node.op is Ops.DEFINE_GLOBAL]
        self.vars = [node for node in params if node.op is Ops.DEFINE_VAR]
        self.outs = _buffers(self.uops, Ops.STORE)
        self.ins = _buffers(self.uops, Ops.LOAD)
        self.global_size, self.local_size = _launch_sizes(self.uops, self.has_local)

    @property
    def function_name(self) -> str:
        """The name of the function in `src`."""
        return function_name(self.name)

    def to_dict(self) -> dict[str, object]:
        """What the command line and the records show, as plain data. Symbolic sizes are expressions in text."""
        return {
            "name": self.name,
            "applied_opts": [
                [opt.op.name, opt.axis, list(opt.arg) if isinstance(opt.arg, tuple) else opt.arg]
                for opt in self.applied_opts
            ],
            "src": self.src,
            "global_size": _plain_sizes(self.global_size),
            "local_size": _plain_sizes(self.local_size),
            "vars": [list(node.arg) for node in self.vars],
            "estimates": self.estimates.to_dict(),
        }


def _buffers(uops: Sequence[UOp], access: Ops) -> list[int]:
    """The buffers that an access goes to, each once, in ascending order."""
    buffers = {node.src[0].src[0] for node in uops if node.op is access}
    return sorted({buffer.arg for buffer in buffers if buffer.op is Ops.DEFINE_GLOBAL})


def _launch_sizes(uops: Sequence[UOp], has_local: bool) -> tuple[list[sint] | None, list[sint] | None]:
    """(global, local) launch dimensions, the sizes of SPECIALs `gidx` (or, without groups, `idx`) and `lidx`."""
    specials = [node.arg for node in uops if node.op is Ops.SPECIAL]
    if not specials and not has_local:
        return None, None

    sizes: dict[str, list[sint]] = {}
    for name, size in specials:
        sizes.setdefault(name[:-1], [1] * LAUNCH_DIMENSIONS)[int(name[-1])] = size
    if "idx" in sizes:
        return sizes["idx"], None
    return sizes.get("gidx", [1] * LAUNCH_DIMENSIONS), sizes.get("lidx", [1] * LAUNCH_DIMENSIONS)


def _plain_sizes(sizes: list[sint] | None) -> list[int | str] | None:
    return None if sizes is None else [size if isinstance(size, int) else size.render() for size in sizes]
