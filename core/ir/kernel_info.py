"""What an optimised AST says about the dimensions of its kernel: the `arg` of its SINK."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["KernelInfo"]


@dataclass(frozen=True, slots=True)
class KernelInfo:
    """How the axes of an optimised AST are executed.

    The axes stand in the order global, local, grouped reduce, reduce loop, upcast. Where the reduces begin is seen from
    the shapes of the stores; the rest is said here.
    """

    local_dims: int = 0
    """How many of the axes before the first reduce, counted from its end, are local dimensions."""
    upcasted: int = 0
    """How many axes, counted from the end, are unrolled into the kernel's body."""
    dont_use_locals: bool = False
    """The global axes become work items of one thread each, with no local dimensions at all."""
