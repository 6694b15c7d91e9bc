"""What each op on values computes, on numpy scalars (the same in all lanes) and arrays (an element a lane).

The meaning is that of `core.runtime.alu`; the frequent ops have a short way to it here.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

import numpy as np

from core.errors import RuntimeFailure
from core.ir.bounds import truncated_div
from core.ir.ops import GroupOp, Ops
from core.ir.uop import UOp, sint, wrap
from core.runtime.alu import apply, bitcast, cast, numpy_dtype
from core.runtime.views import variable_value

__all__ = ["Value", "constant", "launch_size", "operation", "variable"]

# of a scalar dtype a numpy scalar or an array; of a vector a tuple of these
Value: TypeAlias = Any
Function: TypeAlias = Callable[..., Value]

_ARITHMETIC: Final = {Ops.ADD: np.add, Ops.SUB: np.subtract, Ops.MUL: np.multiply, Ops.NEG: np.negative}
_FLOAT: Final = {**_ARITHMETIC, Ops.FDIV: np.divide, Ops.SQRT: np.sqrt}
_BITS: Final = {Ops.AND: np.bitwise_and, Ops.OR: np.bitwise_or, Ops.XOR: np.bitwise_xor}
_COMPARISON: Final = {Ops.CMPLT: np.less, Ops.CMPNE: np.not_equal}


def constant(node: UOp) -> Value:
    """The value of a CONST."""
    scalar = numpy_dtype(node.dtype).type(node.arg)
    return scalar if node.dtype.count == 1 else (scalar,) * node.dtype.count


def variable(node: UOp, variables: Mapping[str, int]) -> Value:
    """The value of a DEFINE_VAR. Raises RuntimeFailure when it is missing or outside of its range."""
    return numpy_dtype(node.dtype).type(variable_value(node, variables))


def launch_size(size: sint, variables: Mapping[str, int]) -> int:
    """The size of a launch dimension, computed in its dtype. Raises RuntimeFailure for what no size is made of."""
    if isinstance(size, int):
        return size
    known: dict[UOp, Value] = {}
    for node in size.toposort():
        if node.op is Ops.CONST:
            known[node] = constant(node)
        elif node.op is Ops.DEFINE_VAR:
            known[node] = variable(node, variables)
        elif node.op in GroupOp.ALU or node.op is Ops.CAST:
            known[node] = operation(node)(*[known[source] for source in node.src])
        else:
            raise RuntimeFailure(f"the size of a launch dimension holds {node.op.name}")
    return int(known[size])


def operation(node: UOp) -> Function:
    """The function of the node's operands that it computes. Raises RuntimeFailure for a dtype that numpy lacks."""
    function = _scalar(node)
    if node.dtype.count == 1:
        return function
    return lambda *operands: tuple(map(function, *operands))


def _scalar(node: UOp) -> Function:
    op, dtype = node.op, node.dtype.scalar()
    to = numpy_dtype(dtype)
    if op is Ops.CAST:
        return (lambda value: value) if numpy_dtype(node.src[0].dtype) == to else lambda value: cast(value, dtype)
    if op is Ops.BITCAST:
        return lambda value: bitcast(value, dtype)
    if op is Ops.WHERE:
        return _where
    if op in _COMPARISON:
        return _COMPARISON[op]
    if op in _BITS:
        return _BITS[op]
    if dtype.is_float and op in _FLOAT:
        return _FLOAT[op]
    if dtype.is_int and op in _ARITHMETIC:
        return _ARITHMETIC[op]

    slow = functools.partial(_applied, op, node)
    if op is Ops.IDIV:
        return functools.partial(_divided, np.floor_divide, truncated_div, slow, node)
    if op is Ops.MOD:
        return functools.partial(_divided, np.remainder, lambda a, b: a - truncated_div(a, b) * b, slow, node)
    return slow


def _applied(op: Ops, node: UOp, *operands: Value) -> Value:
    return apply(op, node.dtype.scalar(), operands)


def _where(condition: Value, yes: Value, no: Value) -> Value:
    if condition.ndim == 0:
        return yes if condition else no
    return np.where(condition, yes, no)


def _divided(
    rounding_down: Function, exact: Callable[[int, int], int], slow: Function, node: UOp, a: Value, b: Value
) -> Value:
    """A quotient or remainder: rounding down and toward zero are the same where nothing is negative."""
    if b.ndim or b <= 0:
        return slow(a, b)
    if a.ndim == 0:
        return a.dtype.type(wrap(node.dtype.scalar(), exact(int(a), int(b))))
    return rounding_down(a, b) if a.dtype.kind == "u" or a.min() >= 0 else slow(a, b)
