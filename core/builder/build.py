"""`kernel`: the AST of the kernel that computes some expressions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from core.builder.error import BuildError
from core.builder.expr import Expr
from core.builder.lower import Lowering
from core.builder.movement import is_one, shape_text
from core.ir.ops import GroupOp, Ops
from core.ir.spec import ast_shapes, verify_ast
from core.ir.uop import UOp, sint
from core.shape.view import Shape

__all__ = ["kernel", "kernel_buffers"]


def kernel(outputs: Expr | Mapping[str, Expr]) -> UOp:
    """The AST of the kernel that computes `outputs`: one expression, or several of one shape by name.

    Buffers are numbered: the outputs in their order, then the inputs in the order in which the AST reads them
    (`kernel_buffers` tells which is which). Raises BuildError where one kernel cannot compute them.
    """
    return _built(outputs)[0]


def kernel_buffers(outputs: Expr | Mapping[str, Expr]) -> dict[str, int]:
    """The number of each buffer of `kernel(outputs)` by its name; a single output is called `out`."""
    return _built(outputs)[1]


def _built(outputs: Expr | Mapping[str, Expr]) -> tuple[UOp, dict[str, int]]:
    named = {"out": outputs} if isinstance(outputs, Expr) else dict(outputs)
    nodes = _checked(named)
    base = _stored_shape(list(named.values()))
    lowering = Lowering(base, max([node.arg for node in nodes if node.op is Ops.RANGE], default=0))
    for name, expr in named.items():
        lowering.output(name, expr)
    ast = UOp.sink(*[lowering.store(name, expr) for name, expr in named.items()])
    ast = _with_rank(ast, len(lowering.frame))
    _check_nesting(ast, lowering.frame)
    verify_ast(ast)
    return ast, {name: buffer.arg for name, buffer in lowering.buffers.items()}


def _checked(named: Mapping[str, Expr]) -> list[Expr]:
    """All nodes of the outputs. Raises BuildError where the outputs do not make one kernel."""
    if not named:
        raise BuildError("a kernel needs an output")
    (first, expected), *others = named.items()
    for name, expr in others:
        if expr.shape != expected.shape:
            shapes = f"{first!r} has {shape_text(expected.shape)}, {name!r} {shape_text(expr.shape)}"
            raise BuildError(f"the outputs of one kernel have one shape: {shapes}")
    nodes = list(_nodes(named.values()))
    for node in nodes:
        if node.op is Ops.DEFINE_GLOBAL and node.arg in named:
            raise BuildError(f"buffer {node.arg!r} is read; the output needs a name of its own")
    return nodes


def _nodes(roots: Iterable[Expr]) -> Iterator[Expr]:
    pending, seen = list(roots)[::-1], set[Expr]()
    while pending:
        node = pending.pop()
        if node not in seen:
            seen.add(node)
            yield node
            pending.extend(reversed(node.src))


def _stored_shape(outputs: list[Expr]) -> Shape:
    """The shape in which the outputs are stored: that of the first reduce whose result is but reshaped, so that the
    kernel has the axes of what it reduces; else their own."""
    pending, seen = outputs[::-1], set[Expr]()
    while pending:
        node = pending.pop()
        if node in seen:
            continue
        seen.add(node)
        if node.op is Ops.REDUCE_AXIS:
            return node.shape
        if node.op is not Ops.VIEW or node.arg.kind == "reshape":
            pending.extend(reversed(node.src))
    return outputs[0].shape


def _with_rank(ast: UOp, rank: int) -> UOp:
    """`ast` with axes of size 1 at the end of every view that has fewer than `rank`."""
    done: dict[UOp, UOp] = {}
    for node in ast.toposort():
        if node.op is Ops.VIEW:
            shape = node.arg.shape
            done[node] = node.arg.reshape((*shape, *[1] * (rank - len(shape)))).to_uop()
        else:
            done[node] = node.replace(src=tuple([done[source] for source in node.src]))
    return done[ast]


def _check_nesting(ast: UOp, frame: list[sint]) -> None:
    """Raise BuildError where the first reduce reads nothing along all axes: a kernel is one nest of loops."""
    shapes = ast_shapes(ast)
    reduce = next((node for node in ast.toposort() if node.op is Ops.REDUCE_AXIS), None)
    if reduce is None:
        return
    shape = next((shapes[node] for node in reduce.toposort() if node.op in GroupOp.Buffer), (1,) * len(frame))
    lacking = [size for size, own in zip(frame, shape, strict=True) if is_one(own) and not is_one(size)]
    if lacking:
        raise BuildError(
            "reduces of this kernel stand side by side instead of one within the other: the first that is computed "
            f"has no axis for {shape_text(lacking)}; give each a kernel of its own"
        )
