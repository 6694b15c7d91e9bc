"""A reduce that the threads of a workgroup share: the local memory through which their partial results pass.

Each thread reduces its part into its own element of a local buffer; after a barrier the elements along the grouped axes
are reduced. Only the last reduce of a kernel can be shared so: what an earlier one gives is needed by every thread.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.dtype import dtypes
from core.ir.ops import Ops
from core.ir.uop import UOp, sint, sint_prod
from core.shape import ShapeTracker

if TYPE_CHECKING:
    from core.opt.kernel import Kernel

__all__ = ["local_bytes", "two_stage_reduce"]


def partial_shape(kernel: Kernel) -> tuple[sint, ...]:
    """The shape of a workgroup's partial results: its threads, and what each of them computes at once."""
    full, output = kernel.full_shape, kernel.output_shape
    loops = kernel.first_reduce + kernel.group_for_reduces
    return (*(1,) * kernel.global_dims, *full[kernel.global_dims : loops], *output[loops:])


def local_bytes(kernel: Kernel) -> int:
    """The local memory that the grouped reduce of `kernel` takes."""
    if not kernel.group_for_reduces:
        return 0
    elements = sint_prod(partial_shape(kernel))
    assert isinstance(elements, int)  # local, grouped and upcast axes are never symbolic
    return elements * kernel.reduceops[-1].dtype.itemsize


def two_stage_reduce(kernel: Kernel, partial: UOp) -> UOp:
    """The result of the grouped reduce, of which `partial` is a thread's part."""
    reduceop = kernel.reduceops[-1]
    st = ShapeTracker.from_shape(partial_shape(kernel))
    buffer_dtype = reduceop.dtype.ptr(local_bytes(kernel) // reduceop.dtype.itemsize, local=True)
    buffer = UOp(Ops.DEFINE_LOCAL, buffer_dtype, (), f"temp{len(kernel.reduceops) - 1}")
    stored = UOp(Ops.STORE, dtypes.void, (buffer, st.to_uop(), partial))
    staged = UOp(Ops.LOAD, reduceop.dtype, (buffer, st.to_uop(), stored))
    axes = tuple(range(kernel.first_reduce, kernel.first_reduce + kernel.group_for_reduces))
    return UOp(Ops.REDUCE_AXIS, reduceop.dtype, (staged,), (reduceop.arg[0], axes))
