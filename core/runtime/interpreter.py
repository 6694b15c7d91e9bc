"""The reference interpreter: an AST evaluated with numpy, node by node.

It shares no code with the lowering, the index arithmetic of `core.shape` or the symbolic rules, and is meant to be more
exact than what it judges: see `core.runtime.alu` for what each op means. Loads see the buffers as they were before the
kernel, so a kernel may store to a buffer that it reads. A masked view reads 0, and stores only where its mask allows.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from core.errors import RuntimeFailure
from core.ir.ops import GroupOp, Ops
from core.runtime.alu import Adjustment, Reduction, apply, bitcast, cast, numpy_dtype, reduce
from core.runtime.buffers import buffer_sizes, checked_array
from core.runtime.views import (
    DEFAULT_LIMIT,
    BoolArray,
    IntArray,
    element_index,
    tracker_shape,
    variable_value,
)

if TYPE_CHECKING:
    from core.ir.uop import UOp
    from core.shape.shapetracker import ShapeTracker

__all__ = ["interpret"]

Array: TypeAlias = "NDArray[Any]"
Shape: TypeAlias = "tuple[int, ...]"


def interpret(
    ast: UOp,
    inputs: Mapping[int, Array],
    variables: Mapping[str, int] | None = None,
    *,
    limit: int = DEFAULT_LIMIT,
    adjust: Adjustment | None = None,
    reduction: Reduction = reduce,
) -> dict[int, Array]:
    """The contents of every buffer that `ast` stores to, flat, by buffer number. `inputs` are left as they are.

    `ast` is one that `core.ir.spec.verify_ast` accepts, or an optimised one.

    `inputs` holds the buffers by number, in any shape; one that is missing is zeros. `variables` are the kernel's by
    name. `adjust` and `reduction` change the results of floats and how they are reduced, for `core.runtime.tolerance`.
    Raises RuntimeFailure when a buffer or a variable does not fit the kernel, when a view leaves its buffer, and when a
    shape has more than `limit` elements.
    """
    evaluation = _Evaluation(ast, inputs, variables or {}, limit, adjust, reduction)
    with np.errstate(all="ignore"):
        return evaluation.run()


class _Evaluation:
    """One evaluation. A value has its node's rank; an axis along which it does not change may have length 1."""

    def __init__(
        self,
        ast: UOp,
        inputs: Mapping[int, Array],
        variables: Mapping[str, int],
        limit: int,
        adjust: Adjustment | None,
        reduction: Reduction,
    ) -> None:
        self.ast, self.variables, self.limit = ast, variables, limit
        self.adjust, self.reduction = adjust, reduction
        self.buffers: dict[int, Array] = {}
        for number, (dtype, size) in buffer_sizes(ast, variables).items():
            given = inputs.get(number)
            if given is None:
                self.buffers[number] = np.zeros(size, numpy_dtype(dtype))
            else:
                self.buffers[number] = checked_array(number, given, dtype, size).ravel()
        self.stored: dict[UOp, Array] = {}
        self.outputs: dict[int, Array] = {}
        self.values: dict[UOp, Array] = {}
        self.shapes: dict[UOp, Shape] = {}
        self.indices: dict[ShapeTracker, tuple[IntArray, BoolArray]] = {}

    def run(self) -> dict[int, Array]:
        order = self.ast.toposort()
        uses = Counter(source for node in order for source in node.src)
        for node in order:
            self.evaluate(node)
            for source in node.src:
                uses[source] -= 1
                if uses[source] == 0:
                    self.values.pop(source, None)
        return self.outputs

    def evaluate(self, node: UOp) -> None:
        op = node.op
        if op in (Ops.SINK, Ops.VIEW, Ops.DEFINE_GLOBAL, Ops.DEFINE_LOCAL):
            return
        if op is Ops.STORE:
            self.store(node)
        elif op is Ops.LOAD:
            self.put(node, *self.load(node))
        elif op in (Ops.CONST, Ops.VALID, Ops.DEFINE_VAR):
            self.put(node, *self.leaf(node))
        elif op is Ops.REDUCE_AXIS:
            self.put(node, *self.reduce(node))
        else:
            shape = np.broadcast_shapes(*[self.shapes[source] for source in node.src])
            self.put(node, self.elementwise(node, [self.values[source] for source in node.src]), shape)

    def put(self, node: UOp, value: Array, shape: Shape) -> None:
        if math.prod(shape) > self.limit:
            raise RuntimeFailure(f"the shape {shape} has more than {self.limit} elements, too many for the interpreter")
        self.values[node], self.shapes[node] = value, shape

    def elementwise(self, node: UOp, operands: Sequence[Array]) -> Array:
        if node.op is Ops.CAST:
            return cast(operands[0], node.dtype)
        if node.op is Ops.BITCAST:
            return bitcast(operands[0], node.dtype)
        if node.op is Ops.BIND:
            return operands[0]
        if node.op in GroupOp.ALU:
            return apply(node.op, node.dtype, operands, self.adjust)
        raise RuntimeFailure(f"the interpreter cannot evaluate {node.op.name}: it is no op of an AST")

    def leaf(self, node: UOp) -> tuple[Array, Shape]:
        """CONST and DEFINE_VAR, 0 where their view is masked; VALID, the mask itself. Without a view, a scalar."""
        view = node.src[0].arg if node.src else None
        valid: BoolArray = np.ones((), np.bool_)
        shape: Shape = ()
        if view is not None:
            valid, shape = self.index(view)[1], tracker_shape(view, self.variables)
        if node.op is Ops.VALID:
            return valid, shape
        value = node.arg if node.op is Ops.CONST else variable_value(node, self.variables)
        scalar = np.asarray(value).astype(numpy_dtype(node.dtype))
        return np.where(valid, scalar, np.zeros_like(scalar)), shape

    def load(self, node: UOp) -> tuple[Array, Shape]:
        buffer, view = node.src[0], node.src[1].arg
        if buffer.op is Ops.DEFINE_LOCAL:
            return self.staged(node)
        contents = self.stored[node.src[2]] if len(node.src) > 2 else self.buffers[buffer.arg]
        index, valid = self.index(view)
        self.check_reach("reads", buffer, index, valid, len(contents))
        if not len(contents):  # every position is masked, or the shape is empty
            contents = np.zeros(1, contents.dtype)
        value = contents[index].astype(numpy_dtype(node.dtype), copy=False)
        if not valid.all():
            value = np.where(valid, value, value.dtype.type(0))
        return value, tracker_shape(view, self.variables)

    def staged(self, node: UOp) -> tuple[Array, Shape]:
        """What a LOAD reads back from local memory: through the view of its STORE that is the stored value itself."""
        if len(node.src) < 3 or node.src[2].src[:2] != node.src[:2]:
            raise RuntimeFailure("the interpreter reads local memory only through the view that it was stored through")
        value = node.src[2].src[2]
        return self.stored[node.src[2]], self.shapes[value]

    def reduce(self, node: UOp) -> tuple[Array, Shape]:
        op, axes = node.arg
        source = node.src[0]
        shape = self.shapes[source]
        value = self.reduction(op, np.broadcast_to(self.values[source], shape), axes)
        return value, tuple([1 if axis in axes else size for axis, size in enumerate(shape)])

    def store(self, node: UOp) -> None:
        buffer, view, source = node.src[0], node.src[1].arg, node.src[2]
        if buffer.op is Ops.DEFINE_LOCAL:
            self.stored[node] = self.values[source]
            return
        contents = self.outputs.get(buffer.arg)
        if contents is None:
            contents = self.outputs[buffer.arg] = self.buffers[buffer.arg].copy()
        shape = np.broadcast_shapes(tracker_shape(view, self.variables), self.shapes[source])
        index, valid = self.index(view)
        index, valid = np.broadcast_to(index, shape), np.broadcast_to(valid, shape)
        self.check_reach("writes", buffer, index, valid, len(contents))
        value = np.broadcast_to(self.values[source], shape)
        contents[index[valid]] = value[valid].astype(contents.dtype, copy=False)
        self.stored[node] = contents

    def index(self, view: ShapeTracker) -> tuple[IntArray, BoolArray]:
        found = self.indices.get(view)
        if found is None:
            found = self.indices[view] = element_index(view, self.variables, self.limit)
        return found

    def check_reach(self, does: str, buffer: UOp, index: IntArray, valid: BoolArray, size: int) -> None:
        outside = valid & ((index < 0) | (index >= size))
        if outside.any():
            element = int(np.broadcast_to(index, outside.shape)[outside][0])
            raise RuntimeFailure(f"the kernel {does} element {element} of buffer {buffer.arg}, which has {size}")
