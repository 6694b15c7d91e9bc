"""The vocabulary of optimisations: `Opt(op, axis, arg)`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, auto
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.opt.kernel import Kernel

__all__ = ["Opt", "OptOps"]


class OptOps(IntEnum):
    """What an optimisation does to a kernel's axes. Written by name wherever it is stored."""

    TC = auto()
    """Tensor cores: split M, N and K into the shape of one, arg = (which, how far to go for it)."""
    UPCAST = auto()
    """Unroll `arg` steps of a non-reduce axis into the kernel's body."""
    UNROLL = auto()
    """Unroll `arg` steps of a reduce axis into the kernel's body."""
    LOCAL = auto()
    """Make `arg` steps of a global axis threads of one workgroup."""
    GROUP = auto()
    """Share a reduce axis between `arg` threads, each taking every `arg`-th step."""
    GROUPTOP = auto()
    """As GROUP, each of the `arg` threads taking one contiguous part of the axis."""
    NOLOCALS = auto()
    """Use no local dimensions."""
    PADTO = auto()
    """Pad an axis to a multiple of `arg`."""
    SWAP = auto()
    """Exchange two global axes, `axis` and `arg`."""


@dataclass(frozen=True, slots=True)
class Opt:
    """One step. `axis` counts from the first axis the op may act on: for UNROLL the first reduce axis, for GROUP and
    GROUPTOP the first reduce axis that is not grouped yet, else the first axis of all.

    `arg` is an amount (0 for the whole axis), for SWAP the other axis, for TC (tc_select, tc_opt).
    """

    op: OptOps
    axis: int | None = None
    arg: int | tuple[int, ...] | None = None

    def real_axis(self, kernel: Kernel) -> int:
        """The axis of `kernel` that is meant; -1 for none."""
        if self.axis is None:
            return -1
        if self.op is OptOps.UNROLL:
            return kernel.first_reduce + self.axis
        if self.op is OptOps.GROUP or self.op is OptOps.GROUPTOP:
            return kernel.first_reduce + kernel.group_for_reduces + self.axis
        return self.axis

    def __repr__(self) -> str:
        return f"Opt(op=OptOps.{self.op.name}, axis={self.axis}, arg={self.arg})"
