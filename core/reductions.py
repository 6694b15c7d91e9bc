"""Smaller kernels than a given one: what `replay reduce` tries.

Every proposal is a kernel that fulfils the specs of an AST and stays within its buffers. Whether it still shows what is
looked for is not asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Final, TypeVar

from core.dtype import DType, ImageDType, PtrDType, dtypes
from core.errors import CompileError
from core.ir.ops import GroupOp, Ops
from core.ir.spec import verify_ast
from core.ir.spec.shape import ast_shapes
from core.ir.uop import UOp, all_int, sint, ssimplify
from core.opt.opt import Opt
from core.shape.shapetracker import ShapeTracker
from core.shape.view import View

__all__ = ["Proposal", "proposals", "size_of"]

Proposal = tuple[UOp, list[Opt]]
Made = Iterator[Callable[[], UOp]]
T = TypeVar("T")

SMALL_SIZES: Final = (1, 2, 3, 4, 8)
SMALL_VALUES: Final = (0, 1, 2)
PLAIN_DTYPES: Final = (dtypes.float, dtypes.int)
SPREAD: Final = 32
_VALUES: Final = frozenset({*GroupOp.ALU, Ops.CAST, Ops.BITCAST, Ops.REDUCE_AXIS, Ops.LOAD, Ops.VALID, Ops.WHERE})


def size_of(ast: UOp) -> int:
    """The nodes of an AST, without those that only say where something lies: buffers and views."""
    return sum(node.op not in (Ops.DEFINE_GLOBAL, Ops.VIEW) for node in ast.toposort())


def proposals(ast: UOp, opts: Sequence[Opt]) -> Iterator[Proposal]:
    """Smaller or plainer kernels, each once. Every kind of cut has its turn, and begins with its largest."""
    seen = {(ast, tuple(opts))}
    for make, given in _all(ast, list(opts)):
        try:
            made = _within_buffers(make())
        except CompileError:  # a movement that the views of this kernel do not allow
            continue
        if (made, tuple(given)) in seen:
            continue
        seen.add((made, tuple(given)))
        try:
            verify_ast(made)
        except CompileError:
            continue
        yield made, given


def _all(ast: UOp, opts: list[Opt]) -> Iterator[tuple[Callable[[], UOp], list[Opt]]]:
    half = len(opts) // 2
    fewer = [
        [],
        opts[:half],
        opts[half:],
        *[opts[:number] + opts[number + 1 :] for number in reversed(range(len(opts)))],
    ]
    for given in fewer if opts else []:
        yield partial(_same, ast), given
    kinds = (_outputs, _alone, _operands, _axes, _loads, _sizes, _views, _dtypes, _variables, _constants, _tidy)
    for make in _in_turn([kind(ast) for kind in kinds]):
        yield make, opts
        if opts:  # axes that opts name may be gone
            yield make, []


def _same(ast: UOp) -> UOp:
    return ast


def _in_turn(sources: Sequence[Iterator[T]]) -> Iterator[T]:
    left = list(sources)
    while left:
        going = []
        for source in left:
            for item in source:
                going.append(source)
                yield item
                break
        left = going


def _mapped(ast: UOp, change: Callable[[UOp, tuple[UOp, ...]], UOp | None]) -> UOp:
    """The AST with each node replaced by what `change(node, new sources)` gives, None for no change. Nothing folds."""
    made: dict[UOp, UOp] = {}
    for node in ast.toposort():
        src = tuple([made[source] for source in node.src])
        new = change(node, src)
        if new is None:
            new = node if src == node.src else UOp(node.op, node.dtype, src, node.arg)
        made[node] = new
    return made[ast]


def _with(ast: UOp, mapping: dict[UOp, UOp]) -> UOp:
    """The AST with nodes replaced."""
    return _mapped(ast, lambda node, src: mapping.get(node))


def _nodes(ast: UOp, *ops: Ops) -> list[UOp]:
    """Nodes from the root down: those of `ops`, or all that compute a value."""
    wanted = ops or _VALUES
    return [node for node in reversed(ast.toposort()) if node.op in wanted]


# ---- outputs and expressions ----------------------------------------------------------------------------------------


def _outputs(ast: UOp) -> Made:
    """One of several stores."""
    if len(ast.src) > 1:
        for store in ast.src:
            yield partial(ast.replace, src=(store,))


def _alone(ast: UOp) -> Made:
    """A value from within as the only output. Of a large AST, values at all depths come first."""
    shapes = ast_shapes(ast)
    inner = [node for node in _nodes(ast) if node in shapes]
    step = max(1, len(inner) // SPREAD)
    first = inner[::step]
    for node in dict.fromkeys([*first, *inner]):
        yield partial(_stored, ast, node, shapes[node])


def _stored(ast: UOp, value: UOp, shape: tuple[sint, ...]) -> UOp:
    read = {node.arg for node in value.toposort() if node.op is Ops.DEFINE_GLOBAL}
    number = 0 if 0 not in read else _free_number(ast)
    buffer = UOp(Ops.DEFINE_GLOBAL, value.dtype.ptr(_count(shape)), (), number)
    view = ShapeTracker.from_shape(shape).to_uop()
    return ast.replace(src=(UOp(Ops.STORE, dtypes.void, (buffer, view, value)),))


def _count(shape: tuple[sint, ...]) -> int:
    """The elements of a shape; -1, as in the dtype of a pointer, where that is not known."""
    return ShapeTracker.from_shape(shape).real_size() if all_int(shape) else -1


def _free_number(ast: UOp) -> int:
    return 1 + max((node.arg for node in ast.toposort() if node.op is Ops.DEFINE_GLOBAL), default=-1)


def _operands(ast: UOp) -> Made:
    """A value in the place of one that it goes into, with a cast where their types differ."""
    shapes = ast_shapes(ast)
    for node in _nodes(ast):
        for source in node.src:
            if (source.op not in _VALUES and source.op is not Ops.CONST) or shapes.get(source) != shapes.get(node):
                continue
            if source.dtype is node.dtype:
                yield partial(_with, ast, {node: source})
            elif node.op is not Ops.CAST:
                yield partial(_with, ast, {node: UOp(Ops.CAST, node.dtype, (source,))})


def _loads(ast: UOp) -> Made:
    """What a new buffer holds, in the place of a value."""
    shapes, number = ast_shapes(ast), _free_number(ast)
    for node in _nodes(ast):
        shape = shapes.get(node)
        if shape is not None and node.op is not Ops.LOAD:
            buffer = UOp(Ops.DEFINE_GLOBAL, node.dtype.ptr(_count(shape)), (), number)
            view = ShapeTracker.from_shape(shape).to_uop()
            yield partial(_with, ast, {node: UOp(Ops.LOAD, node.dtype, (buffer, view))})


def _constants(ast: UOp) -> Made:
    """0, 1 or 2 in the place of a value."""
    shapes = ast_shapes(ast)
    for node in _nodes(ast, *_VALUES, Ops.CONST):
        shape = shapes.get(node)
        if shape is None:
            continue
        view = node.src[0] if node.op is Ops.CONST else _broadcast(shape).to_uop()
        for value in SMALL_VALUES if node.dtype is not dtypes.bool else SMALL_VALUES[:2]:
            constant = UOp(Ops.CONST, node.dtype, (view,), UOp.const(node.dtype, value).arg)
            yield partial(_with, ast, {node: constant})


def _broadcast(shape: tuple[sint, ...]) -> ShapeTracker:
    return ShapeTracker.from_shape(tuple([1] * len(shape))).expand(shape)


# ---- shapes ---------------------------------------------------------------------------------------------------------


def _full_shape(views: Iterable[UOp]) -> list[int | None]:
    """The size of each axis, None where it is symbolic; empty where the views have not one rank."""
    sizes: list[int | None] = []
    for view in views:
        shape = view.arg.shape
        sizes = sizes or [1] * len(shape)
        if len(shape) != len(sizes):
            return []
        for axis, size in enumerate(shape):
            known = sizes[axis]
            sizes[axis] = max(known, size) if known is not None and isinstance(size, int) else None
    return sizes


def _sizes(ast: UOp) -> Made:
    """An axis made shorter in all views: to a small size, by half, or by a quarter."""
    for axis, size in enumerate(_full_shape(_nodes(ast, Ops.VIEW))):
        if size is not None:
            smaller = {*SMALL_SIZES, size // 2, size - size // 4}
            for stop in sorted(one for one in smaller if 0 < one < size):
                yield partial(_shrunk, ast, axis, size, 0, stop)


def _shrunk(ast: UOp, axis: int, size: int, start: int, stop: int) -> UOp:
    def change(node: UOp, src: tuple[UOp, ...]) -> UOp | None:
        if node.op is not Ops.VIEW or node.arg.shape[axis] != size:
            return None
        ranges = [(0, length) for length in node.arg.shape]
        ranges[axis] = (start, stop)
        made: UOp = node.arg.shrink(tuple(ranges)).to_uop()
        return made

    return _mapped(ast, change)


def _axes(ast: UOp) -> Made:
    """Without an axis: only its first element, or its last."""
    sizes = _full_shape(_nodes(ast, Ops.VIEW))
    for axis, size in enumerate(sizes):
        if size and len(sizes) > 1:
            for start in sorted({0, size - 1}):
                yield partial(_dropped, ast, axis, size, start)


def _dropped(ast: UOp, axis: int, size: int, start: int) -> UOp:
    def change(node: UOp, src: tuple[UOp, ...]) -> UOp | None:
        if node.op is Ops.VIEW:
            shape = node.arg.shape
            made: UOp = node.arg.reshape(shape[:axis] + shape[axis + 1 :]).to_uop()
            return made
        if node.op is Ops.REDUCE_AXIS:
            op, axes = node.arg
            kept = tuple([one - (one > axis) for one in axes if one != axis])
            return UOp(node.op, node.dtype, src, (op, kept)) if kept else src[0]
        return None

    return _mapped(_shrunk(ast, axis, size, start, start + 1) if size > 1 else ast, change)


def _views(ast: UOp) -> Made:
    """Plainer views: all in the order of their buffers, then one by one."""
    users: dict[UOp, set[Ops]] = {}
    for node in ast.toposort():
        for source in node.src:
            if source.op is Ops.VIEW:
                users.setdefault(source, set()).add(node.op)
    accesses = [view for view in users if users[view] <= {Ops.LOAD, Ops.STORE}]
    yield partial(_with, ast, {view: ShapeTracker.from_shape(view.arg.shape).to_uop() for view in accesses})
    for view in users:
        constant = users[view] <= {Ops.CONST, Ops.DEFINE_VAR}
        for plainer in [_broadcast(view.arg.shape)] if constant else _plainer(view.arg):
            yield partial(_with, ast, {view: plainer.to_uop()})


def _plainer(tracker: ShapeTracker) -> Iterator[ShapeTracker]:
    """Views of the same shape that reach no element before the first: in order, the last alone, without its mask."""
    last = tracker.views[-1]
    yield ShapeTracker.from_shape(tracker.shape)
    if len(tracker.views) > 1:
        yield ShapeTracker((last,))
    if all_int(last.strides) and min(last.strides, default=0) >= 0:
        yield ShapeTracker((View.create(last.shape, last.strides),))


def _variables(ast: UOp) -> Made:
    """A number in the place of a variable."""
    for variable in ast.variables():
        name, low, high = variable.arg
        for value in sorted({min(max(low, 2), high), low, high}):
            yield partial(_bound, ast, name, value)


def _bound(ast: UOp, name: str, value: int) -> UOp:
    def number(node: UOp, src: tuple[UOp, ...]) -> UOp | None:
        if node.op is Ops.DEFINE_VAR and node.arg[0] == name:
            return UOp(Ops.CONST, node.dtype, src, value)
        if node.op is Ops.BIND and node.src[0].arg[0] == name:
            return src[0]
        return None

    def entry(one: sint) -> sint:
        return ssimplify(_mapped(one, number)) if isinstance(one, UOp) else one

    def view(old: View) -> View:
        mask = old.mask and tuple([(entry(low), entry(high)) for low, high in old.mask])
        return View.create(tuple(map(entry, old.shape)), tuple(map(entry, old.strides)), entry(old.offset), mask)

    def change(node: UOp, src: tuple[UOp, ...]) -> UOp | None:
        if node.op is Ops.VIEW and not node.arg.static:
            return ShapeTracker(tuple(map(view, node.arg.views))).to_uop()
        return number(node, src)

    return _mapped(ast, change)


# ---- types and buffers ----------------------------------------------------------------------------------------------


def _dtypes(ast: UOp) -> Made:
    """Float or int in the place of another type, everywhere."""
    used = {node.dtype: None for node in ast.toposort() if node.op in _VALUES or node.op is Ops.CONST}
    for old in sorted(used, key=str):
        for new in PLAIN_DTYPES:
            if old is not new and old is not dtypes.bool and old.count == 1:
                yield partial(_retyped, ast, old, new)


def _retyped(ast: UOp, old: DType, new: DType) -> UOp:
    def change(node: UOp, src: tuple[UOp, ...]) -> UOp | None:
        dtype = node.dtype
        if isinstance(dtype, ImageDType) or (dtype.base is not old and node.op not in (Ops.CAST, Ops.BITCAST)):
            return None
        if isinstance(dtype, PtrDType):
            return node.replace(dtype=new.ptr(dtype.size, dtype.local), src=src)
        dtype = new if dtype is old else dtype
        if node.op in (Ops.CAST, Ops.BITCAST) and src[0].dtype is dtype:
            return src[0]
        arg = UOp.const(new, _whole(node.arg)).arg if node.op is Ops.CONST else node.arg
        return UOp(node.op, dtype, src, arg)

    return _mapped(ast, change)


def _whole(value: float) -> float:
    """A constant that any type can hold as it is: infinities and nan become 1."""
    return value if abs(value) < 1 << 24 else 1


def _tidy(ast: UOp) -> Made:
    """Buffers numbered from 0 in the order in which they are met, and no larger than needed."""
    needed = _needed(ast)
    numbers: dict[int, int] = {}
    for store in ast.src:
        numbers.setdefault(store.src[0].arg, len(numbers))
    for buffer in needed:
        numbers.setdefault(buffer.arg, len(numbers))
    made = {
        buffer: UOp(Ops.DEFINE_GLOBAL, _sized(buffer.dtype, size), (), numbers[buffer.arg])
        for buffer, size in needed.items()
    }
    yield partial(_with, ast, made)


def _needed(ast: UOp) -> dict[UOp, int]:
    """How many elements of each buffer are reached."""
    sizes: dict[UOp, int] = {}
    for node in ast.toposort():
        if node.op in (Ops.LOAD, Ops.STORE) and node.src[0].op is Ops.DEFINE_GLOBAL:
            buffer = node.src[0]
            sizes[buffer] = max(sizes.get(buffer, 0), node.src[1].arg.real_size())
    return sizes


def _sized(dtype: DType, size: int) -> DType:
    known = isinstance(dtype, PtrDType) and not isinstance(dtype, ImageDType) and dtype.size >= 0
    return dtype.base.ptr(size) if known else dtype


def _within_buffers(ast: UOp) -> UOp:
    """The AST with every buffer as large as what is reached of it, where it says its size."""
    small = {}
    for buffer, size in _needed(ast).items():
        if isinstance(buffer.dtype, PtrDType) and 0 <= buffer.dtype.size < size:
            if isinstance(buffer.dtype, ImageDType):
                raise CompileError("an image is as large as it is")
            small[buffer] = buffer.replace(dtype=_sized(buffer.dtype, size))
    return _with(ast, small) if small else ast
