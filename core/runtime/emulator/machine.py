"""The machine: a linear program as a list of steps, each of which one numpy call does for all lanes at once.

A value that is the same in all lanes is a numpy scalar, any other an array with an element a lane, and a vector a tuple
of these. Threads run in lockstep: an IF whose gate differs between them masks what is inside, and loops run equally
often for all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from core.dtype import ImageDType, PtrDType
from core.errors import RuntimeFailure
from core.ir.ops import GroupOp, Ops
from core.ir.uop import UOp
from core.runtime.alu import numpy_dtype
from core.runtime.emulator.fragments import multiplier
from core.runtime.emulator.grid import Grid
from core.runtime.emulator.memory import Fault, GlobalMemory, LocalMemory
from core.runtime.emulator.operations import Value, constant, operation, variable

__all__ = ["MAX_STEPS", "Machine"]

# does its part, and gives the number of the step that is next if it is not the following one
Step: TypeAlias = Callable[[], "int | None"]
Mask: TypeAlias = "NDArray[np.bool_] | None"

MAX_STEPS: Final = 1 << 27
MAX_BYTES: Final = 1 << 30  # of one block
CHUNK_BYTES: Final = 1 << 25  # of the blocks that run at once


class Machine:
    """Runs one launch of one program. Raises RuntimeFailure for what the program may not ask for."""

    def __init__(
        self,
        name: str,
        uops: Sequence[UOp],
        buffers: Mapping[int, NDArray[Any]],
        variables: Mapping[str, int],
        max_steps: int = MAX_STEPS,
    ) -> None:
        self.max_steps = max_steps
        self.name, self.uops, self.variables = name, uops, variables
        self.grid = Grid.of(uops, variables)
        self.slots = {node: slot for slot, node in enumerate(uops)}
        self.values: list[Value] = [None] * len(uops)
        self.memories: dict[UOp, GlobalMemory | LocalMemory] = {}
        self.locals: list[LocalMemory] = []
        self.ends: dict[UOp, int] = {}
        self.steps: list[Step] = []
        self.lines: list[int] = []
        self.mask: Mask = None
        self.masks: list[Mask] = []
        self.first = self.blocks = self.lanes = self.done = 0

        for slot, node in enumerate(uops):
            if node.op in (Ops.DEFINE_GLOBAL, Ops.DEFINE_LOCAL):
                self._define(node, buffers)
            elif (step := self._step(node, slot)) is not None:
                self.steps.append(step)
                self.lines.append(slot)

    def run(self) -> None:
        """All blocks, as many at once as fit."""
        total, threads = self.grid.block_count, self.grid.thread_count
        # a vector of pointers there is not: what has a size here is a value
        lane_bytes = sum([node.dtype.itemsize for node in self.uops if not isinstance(node.dtype, PtrDType)])
        local_bytes = sum([memory.size * (memory.dtype.itemsize + 9) for memory in self.locals])
        block_bytes = lane_bytes * threads + local_bytes
        if block_bytes > MAX_BYTES:
            raise RuntimeFailure(f"kernel {self.name}: a block of {threads} threads needs {block_bytes} bytes")
        at_once = max(1, CHUNK_BYTES // max(block_bytes, 1))
        for first in range(0, total, at_once):
            self._run_blocks(first, min(at_once, total - first))

    def _run_blocks(self, first: int, blocks: int) -> None:
        threads = self.grid.thread_count
        self.first, self.blocks, self.lanes = first, blocks, blocks * threads
        self.mask, self.masks = None, []
        for memory in self.locals:
            memory.allocate(blocks, threads)

        steps, at, end = self.steps, 0, len(self.steps)
        self._count(end)
        try:
            while at < end:
                jump = steps[at]()
                at = at + 1 if jump is None else jump
        except Fault as fault:
            raise RuntimeFailure(f"{self._line(at)}: {fault}, by {self.grid.name(fault.lane, first)}") from None

    def _line(self, step: int) -> str:
        """Where the program is, for messages."""
        slot = self.lines[step]
        return f"kernel {self.name}, %{slot} {self.uops[slot].op.name}"

    def _count(self, steps: int) -> None:
        self.done += steps
        if self.done > self.max_steps:
            raise RuntimeFailure(f"kernel {self.name} does not end within {self.max_steps} steps")

    # ---- building ---------------------------------------------------------------------------------------------------

    def _define(self, node: UOp, buffers: Mapping[int, NDArray[Any]]) -> None:
        pointer = node.dtype
        assert isinstance(pointer, PtrDType)
        if isinstance(pointer, ImageDType):
            raise RuntimeFailure(f"buffer {node.arg} of kernel {self.name} is {pointer}: there are no images here")
        if node.op is Ops.DEFINE_GLOBAL:
            array = buffers[node.arg]
            size = pointer.size if pointer.size >= 0 else array.size
            self.memories[node] = GlobalMemory(node.arg, array, size)
        else:
            memory = self.memories[node] = LocalMemory(node.arg, pointer.size, numpy_dtype(pointer.base))
            self.locals.append(memory)

    def _step(self, node: UOp, slot: int) -> Step | None:
        """What is to be done for `node` whenever it is its turn; None where that is nothing."""
        if node.op is Ops.CONST:
            self.values[slot] = constant(node)
            return None
        if node.op is Ops.DEFINE_VAR:
            self.values[slot] = variable(node, self.variables)
            return None
        if node.op is Ops.INDEX:
            return None
        if node.op in GroupOp.ALU or node.op in (Ops.CAST, Ops.BITCAST):
            return self._arithmetic(node, slot)
        build = _BUILDERS.get(node.op)
        if build is None:
            raise RuntimeFailure(f"kernel {self.name}, %{slot}: {node.op.name} of {node.dtype} cannot be run")
        return build(self, node, slot)

    def _operands(self, node: UOp) -> list[int]:
        return [self.slots[source] for source in node.src]

    def _arithmetic(self, node: UOp, slot: int) -> Step:
        values, function, operands = self.values, operation(node), self._operands(node)
        if len(operands) == 1:
            (one,) = operands

            def unary() -> None:
                values[slot] = function(values[one])

            return unary
        if len(operands) == 2:
            left, right = operands

            def binary() -> None:
                values[slot] = function(values[left], values[right])

            return binary

        def step() -> None:
            values[slot] = function(*[values[operand] for operand in operands])

        return step

    def _special(self, node: UOp, slot: int) -> Step:
        def step() -> None:
            self.values[slot] = self.grid.index(node, self.first, self.blocks)

        return step

    def _vectorize(self, node: UOp, slot: int) -> Step:
        values, operands = self.values, self._operands(node)

        def step() -> None:
            values[slot] = tuple([values[operand] for operand in operands])

        return step

    def _element(self, node: UOp, slot: int) -> Step:
        values, (vector,), element = self.values, self._operands(node), node.arg

        def step() -> None:
            values[slot] = values[vector][element]

        return step

    # ---- accumulators -----------------------------------------------------------------------------------------------

    def _accumulator(self, node: UOp, slot: int) -> Step:
        values, (start,) = self.values, self._operands(node)

        def step() -> None:
            values[slot] = values[start]

        return step

    def _assign(self, node: UOp, slot: int) -> Step:
        values, (accumulator, value) = self.values, self._operands(node)

        def step() -> None:
            new = values[value]
            if self.mask is not None:
                new = _chosen(self.mask, new, values[accumulator])
            values[slot] = values[accumulator] = new

        return step

    # ---- memory -----------------------------------------------------------------------------------------------------

    def _load(self, node: UOp, slot: int) -> Step:
        values, address, count = self.values, node.src[0], node.dtype.count
        memory, index = self.memories[address.src[0]], self.slots[address.src[1]]
        zero = constant(UOp.const(node.dtype, 0))
        alternative, gate = self._operands(node)[1:] if len(node.src) == 3 else (None, None)

        def step() -> None:
            otherwise = zero if alternative is None else values[alternative]
            active = self.mask if gate is None else self._narrowed(values[gate])
            if active is None:
                values[slot] = memory.load(values[index], count, None, self.lanes, otherwise)
            elif active.any():
                values[slot] = memory.load(values[index], count, active, self.lanes, otherwise)
            else:
                values[slot] = otherwise

        return step

    def _store(self, node: UOp, slot: int) -> Step:
        values, address = self.values, node.src[0]
        memory, index, value = self.memories[address.src[0]], self.slots[address.src[1]], self.slots[node.src[1]]

        def step() -> None:
            stored = values[value]
            memory.store(values[index], stored if isinstance(stored, tuple) else (stored,), self.mask, self.lanes)

        return step

    def _narrowed(self, gate: Value) -> Mask:
        """The lanes that run and whose gate is true; None for all."""
        if gate.ndim == 0:
            return self.mask if gate else np.zeros(self.lanes, np.bool_)
        mask: NDArray[np.bool_] = gate if self.mask is None else gate & self.mask
        return None if mask.all() else mask

    def _barrier(self, node: UOp, slot: int) -> Step:
        def step() -> None:
            blocks: Any = None
            if self.mask is not None:
                running = self.mask.reshape(self.blocks, -1)
                blocks = running.all(axis=1)
                torn = running.any(axis=1) & ~blocks
                if torn.any():
                    block = int(np.argmax(torn))
                    lane = block * self.grid.thread_count + int(np.argmin(running[block]))
                    raise Fault("not every thread of the block reaches this barrier: it is not reached", lane)
            for memory in self.locals:
                memory.synchronise(blocks)

        return step

    # ---- control flow -----------------------------------------------------------------------------------------------

    def _range(self, node: UOp, slot: int) -> Step:
        values, (end,), to, ends = self.values, self._operands(node), numpy_dtype(node.dtype), self.ends

        def step() -> int | None:
            if self._uniform(values[end]) <= 0:
                return ends[node] + 1
            values[slot] = to.type(0)
            return None

        return step

    def _end_range(self, node: UOp, slot: int) -> Step:
        values, loop = self.values, self.slots[node.src[0]]
        end, to = self.slots[node.src[0].src[0]], numpy_dtype(node.src[0].dtype).type
        self.ends[node.src[0]] = len(self.steps)
        body = self.lines.index(loop) + 1
        length = len(self.steps) + 1 - body

        def step() -> int | None:
            following = int(values[loop]) + 1
            if following >= self._uniform(values[end]):
                return None
            self._count(length)
            values[loop] = to(following)
            return body

        return step

    def _uniform(self, value: Value) -> int:
        """The end of a loop."""
        if value.ndim == 0:
            return int(value)
        if (differs := value != value[0]).any():
            raise Fault(
                f"the loop ends at {value[0]} for one thread and at {value[differs][0]}", int(np.argmax(differs))
            )
        return int(value[0])

    def _if(self, node: UOp, slot: int) -> Step:
        values, (gate,), ends = self.values, self._operands(node), self.ends

        def step() -> int | None:
            mask = self._narrowed(values[gate])
            self.masks.append(self.mask)
            self.mask = mask
            return ends[node] if mask is not None and not mask.any() else None

        return step

    def _end_if(self, node: UOp, slot: int) -> Step:
        self.ends[node.src[0]] = len(self.steps)

        def step() -> None:
            self.mask = self.masks.pop()

        return step

    # ---- matrix units -----------------------------------------------------------------------------------------------

    def _product(self, node: UOp, slot: int) -> Step:
        values, operands, multiply, threads = self.values, self._operands(node), multiplier(node), node.arg[5]
        if self.grid.thread_count % threads:
            raise RuntimeFailure(
                f"kernel {self.name}, %{slot} WMMA: {threads} threads drive the matrix unit, and a block of "
                f"{self.grid.thread_count} cannot be divided by that"
            )

        def step() -> None:
            self._refuse_torn_warps(threads)
            vectors = [[np.broadcast_to(e, (self.lanes,)) for e in values[operand]] for operand in operands]
            values[slot] = tuple(multiply(*[np.array(vector) for vector in vectors]))

        return step

    def _refuse_torn_warps(self, threads: int) -> None:
        if self.mask is None:
            return
        running = self.mask.reshape(-1, threads)
        if (torn := running.any(axis=1) & ~running.all(axis=1)).any():
            warp = int(np.argmax(torn))
            lane = warp * threads + int(np.argmin(running[warp]))
            raise Fault("a matrix product needs all threads of its warp: it is not reached", lane)


_BUILDERS: Final[dict[Ops, Callable[[Machine, UOp, int], Step]]] = {
    Ops.SPECIAL: Machine._special,
    Ops.VECTORIZE: Machine._vectorize,
    Ops.GEP: Machine._element,
    Ops.DEFINE_ACC: Machine._accumulator,
    Ops.ASSIGN: Machine._assign,
    Ops.LOAD: Machine._load,
    Ops.STORE: Machine._store,
    Ops.BARRIER: Machine._barrier,
    Ops.RANGE: Machine._range,
    Ops.ENDRANGE: Machine._end_range,
    Ops.IF: Machine._if,
    Ops.ENDIF: Machine._end_if,
    Ops.WMMA: Machine._product,
}


def _chosen(mask: NDArray[np.bool_], new: Value, old: Value) -> Value:
    """`new` in the lanes that run, `old` in the others."""
    if isinstance(new, tuple):
        return tuple([np.where(mask, a, b) for a, b in zip(new, old, strict=True)])
    return np.where(mask, new, old)
