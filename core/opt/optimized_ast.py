"""The AST rebuilt with the views that a kernel's layout gives its buffers and reduces."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from core.dtype import dtypes
from core.ir.kernel_info import KernelInfo
from core.ir.ops import GroupOp, Ops
from core.ir.uop import UOp, sint
from core.opt.grouping import two_stage_reduce
from core.opt.matrix import SHAPE_ONLY, matrix_product
from core.opt.simplify import differ
from core.shape import ShapeTracker, View

if TYPE_CHECKING:
    from core.opt.kernel import Kernel

__all__ = ["optimized_ast"]


def optimized_ast(kernel: Kernel) -> UOp:
    """`kernel.ast` over the axes of `kernel`; its SINK has a KernelInfo that says what kind each axis is.

    A constant whose view got a mask by padding becomes a choice between itself and 0. A variable used as a value loses
    its view, for it has no axes.
    """
    reduce_index = {reduceop: index for index, reduceop in enumerate(kernel.reduceops)}
    done: dict[UOp, UOp] = {}
    for node in kernel.ast.toposort():
        src = tuple([done[source] for source in node.src])
        if node.op in GroupOp.Buffer:
            done[node] = _buffer(node, src, kernel.sts[kernel.buf_index[node]])
        elif node.op is Ops.REDUCE_AXIS:
            done[node] = _reduce(kernel, reduce_index[node], src[0])
        elif node.op is Ops.SINK:
            info = KernelInfo(kernel.local_dims, kernel.upcasted, kernel.dont_use_locals)
            done[node] = node.replace(src=src, arg=info)
        elif node.op is Ops.DEFINE_VAR:
            done[node] = node.replace(src=())
        else:
            done[node] = node if src == node.src else node.replace(src=src)
    return done[kernel.ast]


def _buffer(node: UOp, src: tuple[UOp, ...], st: ShapeTracker) -> UOp:
    if node.op is Ops.CONST and any(view.mask is not None for view in st.views):
        unmasked = _unmasked(st.shape)
        value, zero = node.replace(src=(unmasked,)), UOp.const(node.dtype, 0).replace(src=(unmasked,))
        valid = UOp(Ops.VALID, dtypes.bool, (st.to_uop(),))
        return UOp(Ops.WHERE, node.dtype, (valid, value, zero))
    view = st.to_uop()
    return node.replace(src=tuple([view if source.op is Ops.VIEW else source for source in src]))


@lru_cache(maxsize=1024)
def _unmasked(shape: tuple[sint, ...]) -> UOp:
    """The view of a single element that fills `shape`."""
    return ShapeTracker((View.create(shape, (0,) * len(shape)),)).to_uop()


def _reduce(kernel: Kernel, index: int, operand: UOp) -> UOp:
    """The reduce over the axes it has now, in two stages if threads share it."""
    reduceop = kernel.reduceops[index]
    result, full = kernel.reduce_shapes(index)
    axes = tuple([axis for axis in range(kernel.first_reduce, kernel.shape_len) if differ(result[axis], full[axis])])
    if kernel.tensor_core is not None and kernel.use_tensor_cores != SHAPE_ONLY:
        operand, done = matrix_product(kernel, operand)
        axes = tuple([axis for axis in axes if axis not in done])
        return operand if not axes else UOp(Ops.REDUCE_AXIS, reduceop.dtype, (operand,), (reduceop.arg[0], axes))
    grouped = kernel.first_reduce + kernel.group_for_reduces
    own = tuple([axis for axis in axes if axis >= grouped])
    partial = UOp(Ops.REDUCE_AXIS, reduceop.dtype, (operand,), (reduceop.arg[0], own)) if own else operand
    return partial if own == axes else two_stage_reduce(kernel, partial)
