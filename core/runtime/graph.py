"""The reference for lowered graphs: a SINK of STOREs over loops, launch dimensions and lanes, evaluated with numpy.

Each RANGE, SPECIAL and LANE is an axis of the arrays, so nothing is put in an order: a value that does not change along
an axis has length 1 there. It shares no code with what comes after these graphs, the linearizer and the renderers.
Loads see the buffers as they were before the kernel, and local memory as the stores left it that a load depends on.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from core.dtype import ImageDType, PtrDType, dtypes
from core.errors import RuntimeFailure
from core.ir.ops import GroupOp, Ops
from core.ir.uop import UOp
from core.runtime.alu import apply, bitcast, cast, numpy_dtype, reduce
from core.runtime.emulator.operations import launch_size
from core.runtime.views import variable_value

__all__ = ["evaluate_graph"]

Array: TypeAlias = "NDArray[Any]"
# of a vector a tuple of arrays
Value: TypeAlias = "Array | tuple[Array, ...]"

MAX_ELEMENTS: Final = 1 << 22
_AXES: Final = (Ops.RANGE, Ops.SPECIAL, Ops.LANE)
_SILENT: Final = (Ops.SINK, Ops.DEFINE_GLOBAL, Ops.DEFINE_LOCAL, Ops.INDEX, Ops.BARRIER)


def evaluate_graph(
    sink: UOp, buffers: Mapping[int, Array], variables: Mapping[str, int], *, limit: int = MAX_ELEMENTS
) -> dict[int, Array]:
    """The contents of every buffer that `sink` stores to, by number; `buffers` are flat and left as they are.

    Raises RuntimeFailure for an access outside of a buffer, for a value of more than `limit` elements, and for images
    and products of matrices, which are evaluated once they are a linear program.
    """
    with np.errstate(all="ignore"):
        return _Evaluation(sink, buffers, variables, limit).run()


class _Evaluation:
    def __init__(self, sink: UOp, buffers: Mapping[int, Array], variables: Mapping[str, int], limit: int) -> None:
        self.order, self.variables, self.limit = sink.toposort(), variables, limit
        self.sizes = {axis: self._size(axis) for node in self.order for axis in self.axes(node)}
        self.places = {axis: place for place, axis in enumerate(self.sizes)}
        self.rank = max(len(self.sizes), 1)
        # of local memory every block has its own
        self.blocks = [axis for axis in self.sizes if axis.op is Ops.SPECIAL and axis.arg[0].startswith("g")]
        self.memories: dict[UOp, Array] = {}
        self.outputs: dict[int, Array] = {}
        self.buffers = buffers
        self.values: dict[UOp, Value] = {}

    def run(self) -> dict[int, Array]:
        # an address is no value: what it is made of is used by the access
        uses = Counter(source for node in self.order for source in self.operands(node))
        for node in self.order:
            if node.op is Ops.STORE:
                self.store(node)
            elif node.op not in _SILENT:
                self.values[node] = self.value(node)
            for source in self.operands(node):
                uses[source] -= 1
                if uses[source] == 0:
                    self.values.pop(source, None)
        return self.outputs

    @staticmethod
    def operands(node: UOp) -> tuple[UOp, ...]:
        if node.op is Ops.INDEX:
            return ()
        return (*node.src[0].src, *node.src[1:]) if node.op in (Ops.LOAD, Ops.STORE) else node.src

    @staticmethod
    def axes(node: UOp) -> list[UOp]:
        """The axes that a node brings in: a reduce may be over lanes on which nothing depends."""
        if node.op is Ops.REDUCE:
            return [*node.src[1:], *[UOp(Ops.LANE, dtypes.int, (), lane) for lane in node.arg[1]]]
        return [node] if node.op in _AXES else []

    def _size(self, axis: UOp) -> int:
        if axis.op is Ops.LANE:
            return int(axis.arg[1])
        return launch_size(axis.src[0] if axis.op is Ops.RANGE else axis.arg[1], self.variables)

    # ---- values -----------------------------------------------------------------------------------------------------

    def value(self, node: UOp) -> Value:
        op = node.op
        if op in _AXES:
            return self.along(node, np.arange(self.sizes[node], dtype=numpy_dtype(node.dtype)))
        if op is Ops.CONST:
            scalar = self.scalar(node.arg, node)
            return scalar if node.dtype.count == 1 else (scalar,) * node.dtype.count
        if op is Ops.DEFINE_VAR:
            return self.scalar(variable_value(node, self.variables), node)
        if op is Ops.LOAD:
            return self.load(node)
        if op is Ops.REDUCE:
            return self.reduced(node)
        if op is Ops.VECTORIZE:
            return tuple([self.array(source) for source in node.src])
        if op is Ops.GEP:
            element: Array = self.elements(node.src[0])[node.arg]
            return element
        if op in GroupOp.ALU or op in (Ops.CAST, Ops.BITCAST):
            return self.elementwise(node)
        raise RuntimeFailure(f"{op.name} of {node.dtype} is not evaluated in a graph")

    def along(self, axis: UOp, values: Array) -> Array:
        return values.reshape([-1 if place == self.places[axis] else 1 for place in range(self.rank)])

    def scalar(self, number: object, node: UOp) -> Array:
        return np.full((1,) * self.rank, number).astype(numpy_dtype(node.dtype))

    def elements(self, node: UOp) -> tuple[Array, ...]:
        value = self.values[node]
        return value if isinstance(value, tuple) else (value,)

    def array(self, node: UOp) -> Array:
        (value,) = self.elements(node)
        return value

    def elementwise(self, node: UOp) -> Value:
        dtype = node.dtype.scalar()

        def one(*operands: Array) -> Array:
            self.check_size(operands)
            if node.op is Ops.CAST:
                return cast(operands[0], dtype)
            return bitcast(operands[0], dtype) if node.op is Ops.BITCAST else apply(node.op, dtype, operands)

        found = tuple([one(*operands) for operands in zip(*map(self.elements, node.src), strict=True)])
        return found[0] if node.dtype.count == 1 else found

    def reduced(self, node: UOp) -> Value:
        reduced = {self.places[axis]: self.sizes[axis] for axis in self.axes(node)}
        found = []
        for value in self.elements(node.src[0]):
            whole = [reduced.get(place, size) for place, size in enumerate(value.shape)]
            self.check_shape(whole)
            found.append(reduce(node.arg[0], np.broadcast_to(value, whole), tuple(reduced)))
        return found[0] if node.dtype.count == 1 else tuple(found)

    def check_size(self, operands: Sequence[Array]) -> None:
        self.check_shape(np.broadcast_shapes(*[operand.shape for operand in operands]))

    def check_shape(self, shape: Sequence[int]) -> None:
        if math.prod(shape) > self.limit:
            raise RuntimeFailure(f"a value of the graph has {math.prod(shape)} elements; at most {self.limit} are held")

    # ---- memory -----------------------------------------------------------------------------------------------------

    def load(self, node: UOp) -> Value:
        address, count = node.src[0], node.dtype.count
        memory, index = self.memory(address.src[0]), self.array(address.src[1]).astype(np.int64)
        gate = self.array(node.src[2]) if len(node.src) == 3 else np.ones((1,) * self.rank, np.bool_)
        self.check_reach(address, index, gate, count)
        index = index + self.base(address.src[0])
        found = []
        for element in range(count):
            self.check_size((index, gate))
            value = memory[np.where(gate, index + element, 0)] if memory.size else np.zeros_like(index, memory.dtype)
            if len(node.src) == 3:
                value = np.where(gate, value, self.elements(node.src[1])[element])
            found.append(value.astype(numpy_dtype(node.dtype.scalar()), copy=False))
        return found[0] if count == 1 else tuple(found)

    def store(self, node: UOp) -> None:
        address, values = node.src[0], self.elements(node.src[1])
        buffer, index = address.src[0], self.array(address.src[1]).astype(np.int64)
        gate = self.array(node.src[2]) if len(node.src) == 3 else np.ones((1,) * self.rank, np.bool_)
        self.check_reach(address, index, gate, len(values))
        memory = self.memory(buffer)
        if buffer.op is Ops.DEFINE_GLOBAL:
            memory = self.outputs.setdefault(buffer.arg, memory.copy())
        index = index + self.base(buffer)
        for element, value in enumerate(values):
            self.check_size((index, gate, value))
            at, where, what = np.broadcast_arrays(index + element, gate, value)
            memory[at[where]] = what[where].astype(memory.dtype, copy=False)

    def memory(self, buffer: UOp) -> Array:
        pointer = buffer.dtype
        assert isinstance(pointer, PtrDType)
        if isinstance(pointer, ImageDType):
            raise RuntimeFailure(f"buffer {buffer.arg} is {pointer}: images are not evaluated in a graph")
        if buffer.op is Ops.DEFINE_GLOBAL:
            return self.buffers[buffer.arg]
        if buffer not in self.memories:
            total = pointer.size * math.prod([self.sizes[axis] for axis in self.blocks])
            self.check_shape((total,))
            self.memories[buffer] = np.zeros(total, numpy_dtype(pointer.base))
        return self.memories[buffer]

    def base(self, buffer: UOp) -> Array:
        """Where a block's part of a local buffer begins, for each block."""
        start = np.zeros((1,) * self.rank, np.int64)
        if buffer.op is Ops.DEFINE_LOCAL:
            assert isinstance(buffer.dtype, PtrDType)
            step = buffer.dtype.size
            for axis in self.blocks:
                start = start + self.along(axis, np.arange(self.sizes[axis], dtype=np.int64) * step)
                step *= self.sizes[axis]
        return start

    def check_reach(self, address: UOp, index: Array, gate: Array, count: int) -> None:
        buffer = address.src[0]
        assert isinstance(buffer.dtype, PtrDType)
        size = self.memory(buffer).size if buffer.op is Ops.DEFINE_GLOBAL else buffer.dtype.size
        outside = gate & ((index < 0) | (index > size - count))
        if outside.any():
            element = int(np.broadcast_to(index, outside.shape)[outside][0])
            raise RuntimeFailure(f"element {element} of buffer {buffer.arg} is accessed, which has {size}")
