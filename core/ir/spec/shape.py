"""`shape_spec`: how the shapes of an AST fit together, before its optimisation. There is no implicit broadcasting."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from core.ir.ops import Ops
from core.ir.spec.rule import broken
from core.ir.uop import UOp, sint, sint_prod
from core.shape import ShapeTracker
from core.shape.view import same

__all__ = ["ShapeRule", "ShapeSpec", "ast_shapes", "shape_spec"]

Shape: TypeAlias = "tuple[sint, ...]"
Shapes: TypeAlias = "dict[UOp, Shape]"

_BUFFERS: Final = frozenset({Ops.DEFINE_GLOBAL, Ops.DEFINE_LOCAL})


def ast_shapes(ast: UOp) -> Shapes:
    """The shape of every node of `ast` that has one: not the buffers, the SINK, or constants without a VIEW.

    A VIEW has the shape of its ShapeTracker, a REDUCE_AXIS that of its source with 1 on its axes, and everything else
    that of its first source with a shape. `ast` is one that `tensor_spec` accepts.
    """
    return _shapes(ast.toposort())


def _shapes(uops: Iterable[UOp]) -> Shapes:
    shapes: Shapes = {}
    for node in uops:
        if node.op is Ops.VIEW:
            shapes[node] = node.arg.shape
            continue
        shape = next((shapes[source] for source in node.src if source in shapes), None)
        if shape is None or node.op is Ops.SINK:
            continue
        if node.op is Ops.REDUCE_AXIS:
            axes = node.arg[1]
            shape = tuple([1 if axis in axes else size for axis, size in enumerate(shape)])
        shapes[node] = shape
    return shapes


@dataclass(frozen=True, slots=True)
class ShapeRule:
    """What the nodes and their shapes must fulfil. `offender` gives the first node that does not, or None."""

    name: str
    demands: str
    offender: Callable[[Sequence[UOp], Shapes], UOp | None]


class ShapeSpec:
    """A set of rules on shapes. Each may rely on those before it, and all of them on `tensor_spec`."""

    def __init__(self, name: str, rules: Sequence[ShapeRule]) -> None:
        self.name, self.rules = name, tuple(rules)

    def verify(self, uops: Sequence[UOp]) -> None:
        """Raise SpecError for the first rule that the AST `uops`, its root last, breaks."""
        shapes: Shapes = {}
        for rule in self.rules:
            offender = rule.offender(uops, shapes)
            if offender is not None:
                broken(self.name, rule.name, rule.demands, offender)


def _misplaced_sink(uops: Sequence[UOp], shapes: Shapes) -> UOp | None:
    root = uops[-1]
    if root.op is not Ops.SINK or not all(source.op is Ops.STORE for source in root.src):
        return root
    return next((node for node in uops[:-1] if node.op is Ops.SINK), None)


def _view_with_sources(uops: Sequence[UOp], shapes: Shapes) -> UOp | None:
    for node in uops:
        if node.op is Ops.VIEW and (node.src or node.arg.__class__ is not ShapeTracker):
            return node
    shapes.update(_shapes(uops))
    return None


def _unshaped(uops: Sequence[UOp], shapes: Shapes) -> UOp | None:
    for node in uops:
        if node.op is Ops.SINK or node.op is Ops.BIND:
            continue
        for source in node.src:
            if source not in shapes and source.op not in _BUFFERS:
                return node
    return None


def _differently_shaped(uops: Sequence[UOp], shapes: Shapes) -> UOp | None:
    for node in uops:
        if node.op is Ops.REDUCE_AXIS or node not in shapes:
            continue
        shape = shapes[node]
        for source in node.src:
            other = shapes.get(source)
            if other is not None and other is not shape and not _same_shape(other, shape):
                return node
    return None


def _same_shape(a: Shape, b: Shape) -> bool:
    return a == b or (len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True)))


def _reduce_out_of_rank(uops: Sequence[UOp], shapes: Shapes) -> UOp | None:
    for node in uops:
        if node.op is Ops.REDUCE_AXIS and any(axis >= len(shapes[node]) for axis in node.arg[1]):
            return node
    return None


def _differing_output(uops: Sequence[UOp], shapes: Shapes) -> UOp | None:
    first, *others = uops[-1].src
    size = sint_prod(shapes[first])
    for store in others:
        if shapes[store] != shapes[first] and not same(sint_prod(shapes[store]), size):
            return store
    return None


def _beyond_one_or_n(uops: Sequence[UOp], shapes: Shapes) -> UOp | None:
    full: list[sint] | None = None
    checked: set[Shape] = set()
    for node in uops:
        shape = shapes.get(node)
        if shape is None or shape in checked:
            continue
        checked.add(shape)
        if full is None:
            full = list(shape)
            continue
        if len(shape) != len(full):
            return node
        for axis, size in enumerate(shape):
            if size.__class__ is int and size == 1:
                continue
            known = full[axis]
            if known.__class__ is int and known == 1:
                full[axis] = size
            elif known is not size and not same(known, size):
                return node
    return None


shape_spec: Final = ShapeSpec(
    "an AST",
    (
        ShapeRule("root-is-sink", "the root is a SINK of STOREs, and there is no other", _misplaced_sink),
        ShapeRule("view-without-sources", "a VIEW has a ShapeTracker and no sources", _view_with_sources),
        ShapeRule("shaped-operands", "every operand has a shape: constants and variables stand on a VIEW", _unshaped),
        ShapeRule(
            "same-shape", "the sources of a node have one shape: no implicit reshape or expand", _differently_shaped
        ),
        ShapeRule("reduce-axes", "a REDUCE_AXIS turns axes that its source has into 1", _reduce_out_of_rank),
        ShapeRule("outputs-same-size", "all outputs have as many elements", _differing_output),
        ShapeRule("one-or-n", "all shapes have one rank, and in each dimension 1 or one size", _beyond_one_or_n),
    ),
)
