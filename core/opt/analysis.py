"""What is known of an AST before any optimisation. It does not depend on the backend, and is found once an AST."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from core.dtype import ImageDType
from core.ir.ops import GroupOp, Ops
from core.ir.spec import ast_shapes, verify_ast
from core.ir.spec.rule import broken
from core.ir.uop import UOp, sint
from core.opt.simplify import differ, first_difference, map_trackers, simplify_merge_adjacent
from core.shape import ShapeTracker

__all__ = ["Analysis", "analyse"]


@dataclass(frozen=True, slots=True)
class Analysis:
    """An AST taken apart.

    `sts` has the ShapeTracker of each of `bufs`, then for each of `reduceops` those of its result and of its operand.
    """

    reduceops: tuple[UOp, ...]
    vars: tuple[UOp, ...]
    bufs: tuple[UOp, ...]
    buf_index: Mapping[UOp, int]
    full_buf_index: int
    sts: tuple[ShapeTracker, ...]


@lru_cache(maxsize=256)
def analyse(ast: UOp) -> Analysis:
    """Verify `ast`, and bring its axes into the order and number in which a kernel walks them. Raises SpecError."""
    verify_ast(ast)
    nodes = ast.toposort()
    reduceops = tuple([node for node in nodes if node.op is Ops.REDUCE_AXIS])
    shapes = ast_shapes(ast) if reduceops else {}
    # the last store comes first: its shape is the kernel's output shape
    bufs = tuple([node for node in nodes if node.op in GroupOp.Buffer][::-1])
    buf_index = {buf: i for i, buf in enumerate(bufs)}
    full_buf_index = _full_buf_index(reduceops, buf_index)

    sts = [_view(buf) for buf in bufs]
    for reduceop in reduceops:
        operand = reduceop.src[0]
        sts.append(ShapeTracker.from_shape(shapes[reduceop]))
        # a buffer that is reduced as it is counts with its strides, anything computed as contiguous
        sts.append(_view(operand) if operand.op in GroupOp.Buffer else ShapeTracker.from_shape(shapes[operand]))

    for buf, st in zip(bufs, sts, strict=False):
        if buf.op is Ops.STORE and any(map(differ, st.shape, sts[0].shape)):
            broken("an AST", "outputs-same-shape", "all outputs have the same shape", buf)
    full_shape = sts[full_buf_index].shape
    if any(_is_one(size) and not _is_one(st.shape[axis]) for axis, size in enumerate(full_shape) for st in sts):
        broken("an AST", "one-iteration", "what the first reduce reads has every axis of the kernel", reduceops[0])

    return Analysis(
        reduceops=reduceops,
        vars=_variables(ast),
        bufs=bufs,
        buf_index=buf_index,
        full_buf_index=full_buf_index,
        sts=tuple(_walked(sts, full_buf_index, _image_shape(bufs))),
    )


def _view(buf: UOp) -> ShapeTracker:
    st = next(source.arg for source in buf.src if source.op is Ops.VIEW)
    assert isinstance(st, ShapeTracker)
    return st


def _full_buf_index(reduceops: tuple[UOp, ...], buf_index: Mapping[UOp, int]) -> int:
    """The buffer whose shape is that of the whole iteration: the first that a reduce reads, else the output."""
    for reduceop in reduceops:
        for node in reduceop.src[0].toposort():
            if node in buf_index:
                return buf_index[node]
    return 0


def _variables(ast: UOp) -> tuple[UOp, ...]:
    """The kernel's variables, by name. One that is used as a value carries a VIEW in the AST; here it is without."""
    found = {node.arg: node.replace(src=()) for node in ast.variables()}
    return tuple([found[arg] for arg in sorted(found)])


def _image_shape(bufs: tuple[UOp, ...]) -> tuple[int, ...] | None:
    stored = bufs[0].src[0].dtype
    return stored.shape if isinstance(stored, ImageDType) else None


def _walked(sts: list[ShapeTracker], full_buf_index: int, image_shape: tuple[int, ...] | None) -> list[ShapeTracker]:
    """The ShapeTrackers with the reduce axes moved to the end, axes of size 1 dropped and neighbours merged."""
    full, output = sts[full_buf_index].shape, sts[0].shape
    reduced = [differ(size, out) for size, out in zip(full, output, strict=True)]
    order = tuple(sorted(range(len(full)), key=lambda axis: reduced[axis]))
    unmoved = order == tuple(range(len(full)))
    kept = [not _is_one(full[axis]) for axis in order]

    def walk(st: ShapeTracker) -> ShapeTracker:
        if not unmoved:
            st = st.permute(order)
        return st.reshape(tuple([size for size, keep in zip(st.shape, kept, strict=True) if keep]))

    sts = map_trackers(sts, walk)
    first_reduce = first_difference(sts[0].shape, sts[full_buf_index].shape, sum(kept))
    return simplify_merge_adjacent(sts, first_reduce, image_shape)


def _is_one(size: sint) -> bool:
    return size.__class__ is int and size == 1
