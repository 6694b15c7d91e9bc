"""Values at the edges of each type, and what each op makes of them, by Python's integers and numpy's floats."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.dtype import DType, dtypes
from core.ir.ops import Ops

INTEGERS = [
    dtypes.char, dtypes.uchar, dtypes.short, dtypes.ushort, dtypes.int, dtypes.uint, dtypes.long, dtypes.ulong
]  # fmt: skip
FLOATS = [dtypes.half, dtypes.float, dtypes.double]
ALL = [dtypes.bool, *INTEGERS, *FLOATS]


def edges(dtype: DType) -> NDArray[Any]:
    """Zeros, ones, the least and greatest values and their neighbours; of floats subnormals, infinities and nan too."""
    numpy_dtype = dtype.numpy()
    if dtype.is_bool:
        return np.array([False, True])
    if dtype.is_int:
        low, high = int(dtype.min), int(dtype.max)
        values = {low, low + 1, low // 2, -100, -8, -7, -2, -1, 0, 1, 2, 3, 7, 8, 31, 100, high // 2, high - 1, high}
        return np.array(sorted(value for value in values if low <= value <= high), numpy_dtype)
    info = np.finfo(numpy_dtype)
    values = [
        0.0,
        0.1,
        0.5,
        1.0,
        1.5,
        2.0,
        3.0,
        7.0,
        100.25,
        1 / 3,
        info.max,
        info.tiny,
        info.smallest_subnormal,
        np.inf,
    ]
    positive = np.array(values, numpy_dtype)
    return np.concatenate([positive, -positive, np.array([np.nan], numpy_dtype)])


def combinations(*arrays: NDArray[Any]) -> list[NDArray[Any]]:
    """Every combination of the arrays' values, an array for each operand."""
    grids = np.meshgrid(*arrays, indexing="ij")
    return [np.ascontiguousarray(grid.reshape(-1)) for grid in grids]


def wrapped(dtype: DType, value: int) -> int:
    value &= (1 << dtype.bits) - 1
    return value if dtype.is_unsigned or not value >> (dtype.bits - 1) else value - (1 << dtype.bits)


def quotient(a: int, b: int) -> int:
    """Truncated toward zero; by zero 0."""
    if b == 0:
        return 0
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def remainder(a: int, b: int) -> int:
    return 0 if b == 0 else a - quotient(a, b) * b


def integer_result(op: Ops, dtype: DType, operands: Sequence[int]) -> int | bool:
    """One op on Python's integers, wrapped to the width of `dtype`, the type of the operands."""
    bits = dtype.bits
    meaning: dict[Ops, Callable[..., int | bool]] = {
        Ops.ADD: lambda a, b: a + b,
        Ops.SUB: lambda a, b: a - b,
        Ops.MUL: lambda a, b: a * b,
        Ops.NEG: lambda a: -a,
        Ops.IDIV: quotient,
        Ops.MOD: remainder,
        Ops.MAX: max,
        Ops.AND: lambda a, b: a & b,
        Ops.OR: lambda a, b: a | b,
        Ops.XOR: lambda a, b: a ^ b,
        Ops.SHL: lambda a, b: a << b if 0 <= b < bits else 0,
        Ops.SHR: lambda a, b: a >> b if 0 <= b < bits else -1 if a < 0 else 0,
        Ops.CMPLT: lambda a, b: a < b,
        Ops.CMPNE: lambda a, b: a != b,
        Ops.WHERE: lambda condition, a, b: a if condition else b,
    }
    result = meaning[op](*operands)
    if op in (Ops.CMPLT, Ops.CMPNE):
        return bool(result)
    return bool(result) if dtype.is_bool else wrapped(dtype, result)


FLOAT_RESULTS: dict[Ops, Callable[..., Any]] = {
    Ops.ADD: np.add,
    Ops.SUB: np.subtract,
    Ops.MUL: np.multiply,
    Ops.NEG: np.negative,
    Ops.FDIV: np.divide,
    Ops.RECIP: lambda a: a.dtype.type(1) / a,
    Ops.SQRT: np.sqrt,
    Ops.EXP2: np.exp2,
    Ops.LOG2: np.log2,
    Ops.SIN: np.sin,
    Ops.MAX: lambda a, b: np.where(a < b, b, a),
    Ops.CMPLT: np.less,
    Ops.CMPNE: np.not_equal,
    Ops.WHERE: np.where,
}


def expected(op: Ops, dtype: DType, operands: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """What `op` gives for arrays of `dtype` (the first of WHERE is bool)."""
    if dtype.is_float:
        with np.errstate(all="ignore"):
            return np.asarray(FLOAT_RESULTS[op](*operands))
    results = [integer_result(op, dtype, row) for row in zip(*[operand.tolist() for operand in operands], strict=True)]
    comparison = op in (Ops.CMPLT, Ops.CMPNE)
    return np.array(results, np.bool_ if comparison else dtype.numpy())


def representable(dtype: DType, values: NDArray[Any]) -> NDArray[Any]:
    """Those of the float `values` whose truncation is in the range of the integer `dtype`."""
    low, high = int(dtype.min), int(dtype.max)
    fits = [bool(np.isfinite(value)) and low <= int(value) <= high for value in values]
    return values[np.array(fits)]


def converted(dtype: DType, values: NDArray[Any]) -> NDArray[Any]:
    """A cast, of Python's integers where both sides are integers."""
    if values.dtype.kind in "iub" and dtype.is_int:
        return np.array([wrapped(dtype, int(value)) for value in values], dtype.numpy())
    if dtype.is_bool:
        return np.array([value != 0 for value in values.tolist()], np.bool_)
    if dtype.is_int:
        return np.array([int(value) for value in values.tolist()], dtype.numpy())
    with np.errstate(all="ignore"):
        return values.astype(dtype.numpy())


def same(got: NDArray[Any], wanted: NDArray[Any]) -> NDArray[np.bool_]:
    """Where the two are equal to the bit; any nan equals any other."""
    if wanted.dtype.kind != "f":
        return np.asarray(got == wanted)
    raw = np.dtype(f"u{wanted.dtype.itemsize}")
    return np.asarray((got.view(raw) == wanted.view(raw)) | (np.isnan(got) & np.isnan(wanted)))


def close(got: NDArray[Any], wanted: NDArray[Any]) -> NDArray[np.bool_]:
    """Within the few last places by which libraries of transcendental functions differ."""
    epsilon = np.finfo(wanted.dtype).eps
    with np.errstate(all="ignore"):
        near = np.abs(got - wanted) <= 4 * epsilon * np.maximum(np.abs(wanted), epsilon)
    return np.asarray(near | (got == wanted) | (np.isnan(got) & np.isnan(wanted)))


def operand_types(op: Ops, dtype: DType) -> list[DType]:
    if op is Ops.WHERE:
        return [dtypes.bool, dtype, dtype]
    return [dtype] * (1 if op in (Ops.NEG, Ops.RECIP, Ops.SQRT, Ops.EXP2, Ops.LOG2, Ops.SIN) else 2)


def cases(ops: Sequence[Ops], types: Sequence[DType]) -> list[tuple[Ops, DType]]:
    return list(itertools.product(ops, types))
