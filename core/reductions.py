"""Smaller kernels than a given one: what `replay reduce` tries, the largest cuts first.

Every proposal is a kernel that fulfils the specs of an AST. Whether it still shows what is looked for is not asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from core.dtype import dtypes
from core.errors import CompileError
from core.ir.ops import GroupOp, Ops
from core.ir.spec import verify_ast
from core.ir.spec.shape import ast_shapes
from core.ir.uop import UOp
from core.opt.opt import Opt
from core.shape.shapetracker import ShapeTracker

__all__ = ["Proposal", "proposals", "size_of"]

Proposal = tuple[UOp, list[Opt]]
MAX_PROPOSALS: Final = 400
SMALL_SIZES: Final = (1, 2, 3, 4, 8)
_VALUES: Final = frozenset({*GroupOp.ALU, Ops.CAST, Ops.BITCAST, Ops.REDUCE_AXIS, Ops.LOAD, Ops.VALID, Ops.WHERE})


def size_of(ast: UOp) -> int:
    """The nodes of an AST, without those that only say where something lies: buffers and views."""
    return sum(node.op not in (Ops.DEFINE_GLOBAL, Ops.VIEW) for node in ast.toposort())


def proposals(ast: UOp, opts: Sequence[Opt]) -> Iterator[Proposal]:
    """Smaller kernels, each once, at most `MAX_PROPOSALS`."""
    seen = {(ast, tuple(opts))}
    for made, given in _all(ast, list(opts)):
        if (made, tuple(given)) in seen or len(seen) > MAX_PROPOSALS:
            continue
        seen.add((made, tuple(given)))
        try:
            verify_ast(made)
        except CompileError:
            continue
        yield made, given


def _all(ast: UOp, opts: list[Opt]) -> Iterator[Proposal]:
    if opts:
        yield ast, []
        yield ast, opts[: len(opts) // 2]
    for smaller in (*_outputs(ast), *_expressions(ast), *_axes(ast), *_sizes(ast), *_views(ast)):
        yield smaller, opts
        if opts:
            yield smaller, []
    for number in reversed(range(len(opts))):
        yield ast, opts[:number] + opts[number + 1 :]


def _outputs(ast: UOp) -> Iterator[UOp]:
    """One of several stores."""
    if len(ast.src) > 1:
        for store in ast.src:
            yield ast.replace(src=(store,))


# ---- expressions ----------------------------------------------------------------------------------------------------


def _expressions(ast: UOp) -> Iterator[UOp]:
    """A value in the place of one that it goes into, a constant, or what a new buffer holds; from the root down."""
    shapes = ast_shapes(ast)
    nodes = [node for node in reversed(ast.toposort()) if node.op in _VALUES]
    number = 1 + max((node.arg for node in ast.toposort() if node.op is Ops.DEFINE_GLOBAL), default=-1)
    for node in nodes:
        for source in node.src:
            able = source.op in _VALUES or source.op is Ops.CONST
            if able and source.dtype is node.dtype and shapes.get(source) == shapes.get(node):
                yield _with(ast, {node: source})
    for node in nodes:
        shape = shapes.get(node)
        if shape is None or node.op is Ops.LOAD:
            continue
        yield _with(ast, {node: _load(node, shape, number)})
    for node in nodes:
        shape = shapes.get(node)
        if shape is not None:
            view = ShapeTracker.from_shape(tuple([1] * len(shape))).expand(shape).to_uop()
            for value in (0, 1):
                yield _with(ast, {node: UOp(Ops.CONST, node.dtype, (view,), _constant(node, value))})


def _constant(node: UOp, value: int) -> float | bool:
    return bool(value) if node.dtype is dtypes.bool else float(value) if node.dtype.is_float else value


def _load(node: UOp, shape: tuple[object, ...], number: int) -> UOp:
    buffer = UOp(Ops.DEFINE_GLOBAL, node.dtype.ptr(), (), number)
    return UOp(Ops.LOAD, node.dtype, (buffer, ShapeTracker.from_shape(shape).to_uop()))  # type: ignore[arg-type]


def _with(ast: UOp, mapping: dict[UOp, UOp]) -> UOp:
    """The AST with nodes replaced, and nothing folded."""
    made: dict[UOp, UOp] = {}
    for node in ast.toposort():
        if node in mapping:
            made[node] = mapping[node]
            continue
        src = tuple([made[source] for source in node.src])
        made[node] = node if src == node.src else UOp(node.op, node.dtype, src, node.arg)
    return made[ast]


# ---- shapes ---------------------------------------------------------------------------------------------------------


def _trackers(ast: UOp) -> list[UOp]:
    return [node for node in ast.toposort() if node.op is Ops.VIEW]


def _full_shape(views: Iterable[UOp]) -> list[int] | None:
    """The size of each axis; None where one is symbolic."""
    sizes: list[int] = []
    for view in views:
        shape = view.arg.shape
        sizes = sizes or [1] * len(shape)
        if len(shape) != len(sizes) or not all(isinstance(size, int) for size in shape):
            return None
        sizes = [max(one, other) for one, other in zip(sizes, shape, strict=True)]
    return sizes


def _sizes(ast: UOp) -> Iterator[UOp]:
    """An axis made shorter in all views: to a small size, or by half."""
    views = _trackers(ast)
    sizes = _full_shape(views)
    for axis, size in enumerate(sizes or []):
        for smaller in sorted({*[small for small in SMALL_SIZES if small < size], *([size // 2] if size > 1 else [])}):
            made = {}
            for view in views:
                ranges = [(0, length) for length in view.arg.shape]
                if ranges[axis][1] == size:
                    ranges[axis] = (0, smaller)
                    made[view] = view.arg.shrink(tuple(ranges)).to_uop()
            yield _with(ast, made)


def _axes(ast: UOp) -> Iterator[UOp]:
    """Without an axis of size 1."""
    views = _trackers(ast)
    sizes = _full_shape(views)
    for axis, size in enumerate(sizes or []):
        if size != 1 or len(sizes or []) < 2:
            continue
        made: dict[UOp, UOp] = {}
        for node in ast.toposort():
            src = tuple([made[source] for source in node.src])
            if node.op is Ops.VIEW:
                shape = node.arg.shape
                made[node] = node.arg.reshape(shape[:axis] + shape[axis + 1 :]).to_uop()
            elif node.op is Ops.REDUCE_AXIS:
                op, axes = node.arg
                kept = tuple([one - (one > axis) for one in axes if one != axis])
                made[node] = UOp(node.op, node.dtype, src, (op, kept)) if kept else src[0]
            else:
                made[node] = node if src == node.src else UOp(node.op, node.dtype, src, node.arg)
        yield made[ast]


def _views(ast: UOp) -> Iterator[UOp]:
    """A view that walks its buffer in order, in the place of one that does not."""
    views = [view for view in _trackers(ast) if not view.arg.contiguous]
    plain = {view: ShapeTracker.from_shape(view.arg.shape).to_uop() for view in views}
    users = {source for node in ast.toposort() if node.op in (Ops.CONST, Ops.VALID) for source in node.src}
    free = [view for view in views if view not in users]
    if len(free) > 1:
        yield _with(ast, {view: plain[view] for view in free})
    for view in free:
        yield _with(ast, {view: plain[view]})
