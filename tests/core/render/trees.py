"""Random expressions of all ops and most types, and their values."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.dtype import DType, dtypes
from core.ir.ops import GroupOp, Ops
from core.ir.uop import UOp
from tests.core.render import values
from tests.core.render.programs import alu, buffer, cast, const, index, loop

ROWS = 24
STEPS = loop(ROWS)

_ARITHMETIC = [Ops.ADD, Ops.SUB, Ops.MUL, Ops.NEG, Ops.MAX]
_INTEGER = [*_ARITHMETIC, Ops.IDIV, Ops.MOD, Ops.AND, Ops.OR, Ops.XOR, Ops.SHL, Ops.SHR]
_FLOAT = [*_ARITHMETIC, Ops.FDIV, Ops.RECIP, Ops.SQRT]
_BOOL = [Ops.ADD, Ops.MUL, Ops.MAX, Ops.AND, Ops.OR, Ops.XOR, Ops.CMPLT, Ops.CMPNE]
TYPES = [dtypes.int, dtypes.uint, dtypes.long, dtypes.ulong, dtypes.char, dtypes.ushort, dtypes.half, dtypes.float]


class Tree:
    """An expression over inputs, each used once or, now and then, again."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.inputs: dict[UOp, NDArray[Any]] = {}
        self.dtype = self.random.choice([*TYPES, dtypes.bool])
        self.root = self.expression(self.dtype, self.random.randint(2, 6))

    def expression(self, dtype: DType, depth: int) -> UOp:
        if depth == 0 or self.random.random() < 0.1:
            return self.leaf(dtype)
        if self.random.random() < 0.15:
            choices = self.expression(dtype, depth - 1), self.expression(dtype, depth - 1)
            return alu(Ops.WHERE, self.expression(dtypes.bool, depth - 1), *choices)
        if dtype.is_bool:
            return self.condition(depth)
        if self.random.random() < 0.15:
            sources = [source for source in TYPES if dtype.is_float or not source.is_float]
            return cast(self.expression(self.random.choice(sources), depth - 1), dtype)

        op = self.random.choice(_FLOAT if dtype.is_float else _INTEGER)
        operand = self.expression(dtype, depth - 1)
        if op in (Ops.NEG, Ops.RECIP, Ops.SQRT):
            return alu(op, operand)
        if op in (Ops.SHL, Ops.SHR) and self.random.random() < 0.7:
            return alu(op, operand, const(dtype, self.random.randrange(dtype.bits)))
        return alu(op, operand, operand if self.random.random() < 0.05 else self.expression(dtype, depth - 1))

    def condition(self, depth: int) -> UOp:
        op = self.random.choice(_BOOL)
        operands = dtypes.bool
        if op in (Ops.CMPLT, Ops.CMPNE):
            operands = self.random.choice([*TYPES, dtypes.bool])
        left = self.expression(operands, depth - 1)
        if op is Ops.CMPNE and operands.is_bool and self.random.random() < 0.5:
            return alu(op, left, const(dtypes.bool, True))
        return alu(op, left, self.expression(operands, depth - 1))

    def leaf(self, dtype: DType) -> UOp:
        if self.random.random() < 0.25:
            return const(dtype, self.random.choice(values.edges(dtype).tolist()))
        if (again := [node for node in self.inputs if node.dtype is dtype]) and self.random.random() < 0.1:
            return self.random.choice(again)
        pointer = buffer(len(self.inputs) + 1, dtype)
        node = UOp(Ops.LOAD, dtype, (index(pointer, STEPS),))
        edges = values.edges(dtype)
        self.inputs[node] = edges[[self.random.randrange(edges.size) for _ in range(ROWS)]]
        return node

    def value(self) -> NDArray[Any]:
        done: dict[UOp, NDArray[Any]] = {}
        for node in self.root.toposort():
            if node in self.inputs:
                done[node] = self.inputs[node]
            elif node.op is Ops.CONST:
                done[node] = np.full(ROWS, node.arg, node.dtype.numpy())
            elif node.op is Ops.CAST:
                done[node] = values.converted(node.dtype, done[node.src[0]])
            elif node.op in GroupOp.ALU:
                done[node] = values.expected(node.op, node.src[-1].dtype, [done[source] for source in node.src])
        return done[self.root]
