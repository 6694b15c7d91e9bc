"""The buffers of a kernel: how long each must be, whether one that is given fits, and random ones for tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from core.dtype import DType, ImageDType, PtrDType, dtypes
from core.errors import RuntimeFailure
from core.ir.ops import GroupOp, Ops
from core.runtime.alu import numpy_dtype
from core.runtime.views import extent

if TYPE_CHECKING:
    from core.ir.uop import UOp

__all__ = ["aligned_zeros", "buffer_sizes", "checked_array", "outputs_of", "random_inputs", "random_variables"]

ALIGNMENT: Final = 64  # bytes: a cache line, and the widest vector of x86


def buffer_sizes(ast: UOp, variables: Mapping[str, int] | None = None) -> dict[int, tuple[DType, int]]:
    """(type of an element as stored, number of elements) of each buffer of `ast`, by number in ascending order.

    A size that the AST does not say (-1) is what the views reach, with every variable at its greatest value where
    `variables` are not given. Buffers that no view touches have 0 elements then.
    """
    nodes = ast.toposort()
    if variables is None:
        variables = {variable.arg[0]: variable.arg[2] for variable in ast.variables()}

    sizes = {node.arg: _declared(node) for node in nodes if node.op is Ops.DEFINE_GLOBAL}
    for node in nodes:
        if node.op not in (Ops.LOAD, Ops.STORE) or node.src[0].op is not Ops.DEFINE_GLOBAL:
            continue
        buffer = node.src[0]
        if isinstance(buffer.dtype, PtrDType) and buffer.dtype.size < 0:
            dtype, size = sizes[buffer.arg]
            sizes[buffer.arg] = dtype, max(size, extent(node.src[1].arg, variables))
    return dict(sorted(sizes.items()))


def _declared(buffer: UOp) -> tuple[DType, int]:
    pointer = buffer.dtype
    if not isinstance(pointer, PtrDType):
        raise RuntimeFailure(f"buffer {buffer.arg} has the type {pointer}, which is no pointer")
    if isinstance(pointer, ImageDType):
        return (dtypes.half if pointer.itemsize == 2 else dtypes.float), pointer.size
    return pointer.base, max(pointer.size, 0)


def outputs_of(ast: UOp) -> list[int]:
    """The numbers of the buffers that `ast` stores to, ascending."""
    stores = [node for node in ast.toposort() if node.op is Ops.STORE and node.src[0].op is Ops.DEFINE_GLOBAL]
    return sorted({node.src[0].arg for node in stores})


def checked_array(number: int, array: NDArray[Any], dtype: DType, size: int) -> NDArray[Any]:
    """`array`, when it can be buffer `number` of `size` elements of `dtype`; else RuntimeFailure says why not."""
    if array.dtype != numpy_dtype(dtype):
        raise RuntimeFailure(f"buffer {number} holds {array.dtype}; the kernel expects {numpy_dtype(dtype)}")
    if array.size < size:
        raise RuntimeFailure(f"buffer {number} has {array.size} elements; the kernel needs {size}")
    return array


def aligned_zeros(size: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Zeros that start at a multiple of 64 bytes."""
    raw = np.zeros(size * dtype.itemsize + ALIGNMENT, np.uint8)
    start = -raw.ctypes.data % ALIGNMENT
    return raw[start : start + size * dtype.itemsize].view(dtype)


# ---- random contents ----------------------------------------------------------------------------------------------


def random_variables(ast: UOp, rng: np.random.Generator) -> dict[str, int]:
    """A value within its range for each variable of `ast`."""
    return {name: int(rng.integers(low, high + 1)) for name, low, high in (node.arg for node in ast.variables())}


def random_inputs(
    ast: UOp, rng: np.random.Generator, variables: Mapping[str, int] | None = None
) -> dict[int, NDArray[Any]]:
    """Contents for each buffer that `ast` loads, chosen so that most kernels stay finite and exact.

    Floats are multiples of 1/16 in [-2, 2], so that short sums of products are exact in any order; signed integers are
    in [-8, 8]; unsigned ones are below 16, one in eight of them anything. What is divided by, or what a root, logarithm
    or reciprocal is taken of, is positive.
    """
    tame = _reach_a_divisor(ast)
    sizes = buffer_sizes(ast, variables)
    loaded: dict[int, bool] = {}
    for node in ast.toposort():
        if node.op is Ops.LOAD and node.src[0].op is Ops.DEFINE_GLOBAL:
            loaded[node.src[0].arg] = loaded.get(node.src[0].arg, False) or node in tame
    return {number: _random(*sizes[number], rng, positive=loaded[number]) for number in sorted(loaded)}


def _random(dtype: DType, size: int, rng: np.random.Generator, *, positive: bool) -> NDArray[Any]:
    to = numpy_dtype(dtype)
    if dtype.is_bool:
        return rng.integers(0, 2, size).astype(to)
    if dtype.is_float:
        return (rng.integers(1 if positive else -32, 33, size) / 16).astype(to)
    if not dtype.is_unsigned:
        return rng.integers(1 if positive else -8, 9, size).astype(to)
    small = rng.integers(1 if positive else 0, 16, size).astype(to)
    anything = rng.integers(1 if positive else 0, np.iinfo(to).max, size, dtype=to, endpoint=True)
    return np.where(rng.integers(0, 8, size) == 0, anything, small)


# by op, the operands that must be kept away from 0
_DIVISORS: Final[dict[Ops, tuple[int, ...]]] = {
    Ops.RECIP: (0,),
    Ops.SQRT: (0,),
    Ops.LOG2: (0,),
    Ops.IDIV: (1,),
    Ops.MOD: (1,),
    Ops.FDIV: (1,),
}


def _reach_a_divisor(ast: UOp) -> set[UOp]:
    """The nodes whose sign a divisor, a root or a logarithm depends on."""
    found: set[UOp] = set()
    for node in reversed(ast.toposort()):
        found.update(node.src[operand] for operand in _DIVISORS.get(node.op, ()))
        if node not in found or node.op in GroupOp.Comparison or node.op is Ops.EXP2:
            continue
        if node.op is Ops.MUL and node.src[0] is node.src[1]:
            continue
        found.update(node.src[1:] if node.op is Ops.WHERE else node.src)
    return found
