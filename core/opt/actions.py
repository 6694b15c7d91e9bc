"""The steps that the beam search tries on a kernel."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from core.errors import KernelOptError
from core.ir.uop import sint_prod
from core.opt.opt import Opt, OptOps

if TYPE_CHECKING:
    from core.opt.kernel import Kernel

__all__ = ["ACTIONS", "successors"]

# amounts as the seed's search has them: 0 is the whole axis, odd ones fit convolutions
_AMOUNTS: Final[dict[OptOps, tuple[range, tuple[int, ...]]]] = {
    OptOps.UPCAST: (range(6), (0, 2, 3, 4, 5, 7)),
    OptOps.UNROLL: (range(5), (0, 4, 7)),
    OptOps.LOCAL: (range(6), (2, 3, 4, 8, 13, 16, 29, 32)),
    OptOps.GROUPTOP: (range(3), (13, 16, 28, 29, 32, 49, 64, 256)),
    OptOps.GROUP: (range(3), (0, 4, 8, 16)),
    OptOps.PADTO: (range(7), (32,)),
}
MAX_SWAPPED: Final = 5
# larger bodies and groups are hardly ever faster, and take long to compile
MAX_BODY: Final = 256
MAX_THREADS: Final = 1024

ACTIONS: Final = (
    Opt(OptOps.TC, 0, (-1, 2)),
    *[Opt(op, axis, amount) for op, (axes, amounts) in _AMOUNTS.items() for axis in axes for amount in amounts],
    *[Opt(OptOps.SWAP, a, b) for a in range(MAX_SWAPPED) for b in range(a + 1, MAX_SWAPPED)],
    Opt(OptOps.NOLOCALS),
)
"""Every step, in the order in which they are tried."""


def successors(kernel: Kernel) -> Iterator[Kernel]:
    """`kernel` with one more step, for each that applies and keeps it within bounds."""
    for action in ACTIONS:
        other = kernel.copy()
        try:
            other.apply_opt(action)
        except KernelOptError:
            continue
        body = sint_prod(other.full_shape[other.first_upcast :])
        threads = sint_prod(other.full_shape[other.global_dims : other.first_reduce + other.group_for_reduces])
        if isinstance(body, int) and isinstance(threads, int) and body <= MAX_BODY and threads <= MAX_THREADS:
            yield other
