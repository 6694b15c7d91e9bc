"""Index lowering: every view becomes the address it reaches and the condition under which it may be reached.

The axes of the kernel become indices: loops (RANGE) or the launch's dimensions (SPECIAL), and for the unrolled axes a
LANE, which the expander takes apart. A REDUCE_AXIS becomes a REDUCE over the RANGEs and LANEs of its axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.dtype import PtrDType, dtypes
from core.ir.kernel_info import KernelInfo
from core.ir.ops import GroupOp, Ops
from core.ir.spec import ast_shapes
from core.ir.uop import UOp, folded, resolve, sint
from core.lower.launch import launch_indices
from core.lower.memory import load, store
from core.lower.target import LoweringTarget
from core.shape.shapetracker import ShapeTracker

__all__ = ["Axes", "axes_of", "lower_indices"]


@dataclass(frozen=True, slots=True)
class Axes:
    """How the axes of a kernel run: [0, first_reduce) over the output, the last `local_dims` of them local; then
    `grouped` reduce axes shared by the threads of a block; reduce loops; and from `first_upcast` on unrolled ones."""

    full_shape: tuple[sint, ...]
    first_reduce: int
    first_upcast: int
    grouped: int
    info: KernelInfo


def axes_of(ast: UOp) -> Axes:
    """Read the roles of the axes off an optimised AST."""
    shapes = ast_shapes(ast)
    info = ast.arg if isinstance(ast.arg, KernelInfo) else KernelInfo()
    output = ast.src[0].src[1].arg.shape
    full = _full_shape(output, [shape for shape in shapes.values() if len(shape) == len(output)])

    first_upcast = len(full) - info.upcasted
    reduced = [i for i in range(first_upcast) if resolve(_differs(output[i], full[i]))]
    first_reduce = reduced[0] if reduced else first_upcast

    local_loads = [n for n in ast.toposort() if n.op is Ops.LOAD and n.src[0].op is Ops.DEFINE_LOCAL]
    local_shapes = [load.src[1].arg.shape for load in local_loads]
    grouped = sum(
        any(resolve(_differs(shape[i], output[i])) for shape in local_shapes) for i in range(first_reduce, first_upcast)
    )
    return Axes(full, first_reduce, first_upcast, grouped, info)


def _differs(a: sint, b: sint) -> bool | UOp:
    if isinstance(a, int) and isinstance(b, int):
        return a != b
    return a is not b and (a.ne(b) if isinstance(a, UOp) else UOp.const(dtypes.int, a).ne(b))


def _full_shape(output: tuple[sint, ...], shapes: Sequence[tuple[sint, ...]]) -> tuple[sint, ...]:
    full = list(output)
    for shape in shapes:
        for i, size in enumerate(shape):
            if not isinstance(full[i], UOp) and full[i] == 1:
                full[i] = size
    return tuple(full)


class _IndexLowering:
    """Lowers one AST. A node is lowered once for each set of indices under which it is used."""

    def __init__(self, ast: UOp, target: LoweringTarget) -> None:
        self.axes = axes = axes_of(ast)
        outer = launch_indices(axes, target)
        loops = tuple([self._range(axis) for axis in range(len(outer), axes.first_upcast)])
        lanes = tuple(
            [
                UOp(Ops.LANE, dtypes.int, (), (i, axes.full_shape[i]))
                for i in range(axes.first_upcast, len(axes.full_shape))
            ]
        )
        # the first stage of a grouped reduce runs over the threads of the block, the second over what they left
        self.threads = (*outer, *loops, *lanes)
        late = tuple(
            [self._range(axis, late=True) for axis in range(axes.first_reduce, axes.first_reduce + axes.grouped)]
        )
        self.late = (*self.threads[: axes.first_reduce], *late, *self.threads[axes.first_reduce + axes.grouped :])
        self.views: dict[tuple[ShapeTracker, bool], tuple[UOp, UOp]] = {}

    def _range(self, axis: int, late: bool = False) -> UOp:
        size = self.axes.full_shape[axis]
        if isinstance(size, int) and size == 1:
            return UOp.const(dtypes.int, 0)
        end = size if isinstance(size, UOp) else UOp.const(dtypes.int, size)
        return UOp(Ops.RANGE, dtypes.int, (end,), axis + (len(self.axes.full_shape) if late else 0))

    def address(self, view: ShapeTracker, late: bool) -> tuple[UOp, UOp]:
        """The element that `view` reaches, and whether it reaches one at all."""
        found = self.views.get((view, late))
        if found is None:
            found = self.views[view, late] = view.to_indexed_uops(self.late if late else self.threads)
        return found

    def lower(self, root: UOp) -> UOp:
        done: dict[tuple[UOp, bool], UOp] = {}
        stack = [(root, True, False)]
        while stack:
            node, late, ready = stack.pop()
            if ready:
                src = tuple([done[source, late and not _first_stage(node, i)] for i, source in enumerate(node.src)])
                done[node, late] = self._lowered(node, src, late)
            elif (node, late) not in done:
                stack.append((node, late, True))
                stack.extend(
                    [
                        (source, late and not _first_stage(node, i), False)
                        for i, source in reversed(tuple(enumerate(node.src)))
                        if source.op is not Ops.VIEW
                    ]
                )
                done.update({((source, late), source) for source in node.src if source.op is Ops.VIEW})
        return done[root, True]

    def _lowered(self, node: UOp, src: tuple[UOp, ...], late: bool) -> UOp:
        match node.op:
            case Ops.LOAD:
                return self._load(node, src, late)
            case Ops.STORE:
                return self._store(node, src, late)
            case Ops.VALID:
                return self.address(node.src[0].arg, late)[1]
            case Ops.CONST:
                return UOp.const(node.dtype, node.arg)
            case Ops.REDUCE_AXIS:
                return self._reduce(node, src[0], late)
            case Ops.BIND:
                return src[0]
            case Ops.SINK:
                return UOp(Ops.SINK, dtypes.void, src)
            case op if op in GroupOp.ALU or op in (Ops.CAST, Ops.BITCAST):
                return folded(op, node.dtype, src, node.arg)
            case _:
                return node if src == node.src else UOp(node.op, node.dtype, src, node.arg)

    def _load(self, node: UOp, src: tuple[UOp, ...], late: bool) -> UOp:
        index, valid = self.address(node.src[1].arg, late)
        after = (UOp(Ops.BARRIER, dtypes.void, (src[2],)),) if len(src) > 2 else ()
        address = UOp(Ops.INDEX, src[0].dtype, (src[0], index, *after))
        return load(node.dtype, (address, UOp.const(node.dtype, 0), valid))

    def _store(self, node: UOp, src: tuple[UOp, ...], late: bool) -> UOp:
        buffer, value = src[0], src[2]
        index, valid = self.address(node.src[1].arg, late)
        assert isinstance(buffer.dtype, PtrDType)
        if not buffer.dtype.local:
            # of the threads that shared a reduce, one stores the result
            for axis in range(self.axes.first_reduce, self.axes.first_reduce + self.axes.grouped):
                valid = valid & self.threads[axis].eq(0)
        address = UOp(Ops.INDEX, buffer.dtype, (buffer, index))
        return store((address, value.cast(buffer.dtype.base), valid))

    def _reduce(self, node: UOp, value: UOp, late: bool) -> UOp:
        op, axes = node.arg
        indices = self.late if late else self.threads
        ranges = tuple([indices[axis] for axis in axes if indices[axis].op is Ops.RANGE])
        lanes = tuple([indices[axis].arg for axis in axes if indices[axis].op is Ops.LANE])
        return UOp(Ops.REDUCE, node.dtype, (value, *ranges), (op, lanes)) if ranges or lanes else value


def _first_stage(node: UOp, operand: int) -> bool:
    """Whether the operand is the store into local memory that ends the first stage of a grouped reduce."""
    return node.op is Ops.LOAD and operand == 2


def lower_indices(ast: UOp, target: LoweringTarget) -> UOp:
    """The optimised AST as a SINK of STOREs over addresses, RANGEs, SPECIALs and LANEs."""
    return _IndexLowering(ast, target).lower(ast)
