"""The value of every arithmetic op and conversion, in numpy, as C defines it on arrays of one dtype.

Integers wrap, IDIV and MOD truncate toward zero and are 0 for a divisor of 0, comparisons give bool, arithmetic on bool
is that of C's _Bool (ADD is OR, MUL is AND). Results of floats are the correctly rounded ones: EXP2, LOG2 and SIN are
computed in a wider type and rounded once, those of doubles as exactly as numpy's long double functions are.

THREEFRY is Threefry-2x32 with 20 rounds (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011): the
low half of the 64-bit operands and of the result is word 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from core.dtype import DType
from core.errors import RuntimeFailure
from core.ir.ops import GroupOp, Ops

__all__ = ["Adjustment", "Reduction", "apply", "bitcast", "cast", "numpy_dtype", "reduce", "wide"]

Array: TypeAlias = "NDArray[Any]"
# makes another result of floats out of the rounded one and the one in the wider type
Adjustment: TypeAlias = Callable[[Array, Array], Array]
# what reduces a value by an op along axes, which stay with length 1
Reduction: TypeAlias = "Callable[[Ops, Array, tuple[int, ...]], Array]"

_TWO_63: Final = 2.0**63
_TWO_64: Final = 2.0**64


def numpy_dtype(dtype: DType) -> np.dtype[Any]:
    """numpy's name of a scalar. Raises RuntimeFailure where it has none."""
    try:
        return dtype.scalar().numpy()
    except TypeError as error:
        raise RuntimeFailure(f"{error}: the interpreter cannot evaluate it") from None


def wide(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The type that holds more of the exact results of the float type `dtype`, where the machine has one."""
    return np.dtype(np.longdouble) if dtype.itemsize == 8 else np.dtype(np.float64)


# ---- arithmetic ---------------------------------------------------------------------------------------------------


def apply(op: Ops, dtype: DType, operands: Sequence[Array], adjust: Adjustment | None = None) -> Array:
    """`op` on `operands`, which broadcast; `dtype` is that of the result."""
    if op is Ops.WHERE:
        return np.where(operands[0], operands[1], operands[2])
    if op in GroupOp.Comparison or op is Ops.MAX:
        return _ORDER[op](*operands)
    if op is Ops.THREEFRY:
        return threefry(*operands)
    if op is Ops.MULACC:
        product = apply(Ops.MUL, dtype, operands[:2], adjust)
        return apply(Ops.ADD, dtype, (product, operands[2]), adjust)

    to = numpy_dtype(dtype)
    if dtype.is_float:
        if op in _FLOAT:
            return _float(op, to, operands, adjust)
    elif (in_integers := _INTEGER.get(op)) is not None:
        if dtype.is_bool:
            return np.asarray(in_integers(*[operand.astype(np.int32) for operand in operands]) != 0)
        if op in (Ops.SHL, Ops.SHR):
            return in_integers(operands[0].astype(to, copy=False), _shift_count(operands[1], to))
        return in_integers(*[operand.astype(to, copy=False) for operand in operands])
    raise RuntimeFailure(f"the interpreter cannot evaluate {op.name} of {dtype}")


def _float(op: Ops, to: np.dtype[Any], operands: Sequence[Array], adjust: Adjustment | None) -> Array:
    function = _FLOAT[op]
    if op in _ROUNDED and adjust is None:
        return function(*operands)
    exacter = function(*[operand.astype(wide(to)) for operand in operands])
    rounded = function(*operands) if op in _ROUNDED else exacter.astype(to)
    return rounded if adjust is None else adjust(rounded, exacter)


def _shift_count(count: Array, to: np.dtype[Any]) -> Array:
    """A shift count in the type of what is shifted: all that it has no bits for, negative ones too, shifts all out."""
    bits, whole = to.itemsize * 8, count.astype(np.int64)
    return np.where((whole < 0) | (whole >= bits), bits, whole).astype(to)


def _idiv(a: Array, b: Array) -> Array:
    zero, minus_one = b == 0, b == -1 if b.dtype.kind == "i" else np.False_
    # the two divisors for which numpy's own division warns or overflows
    divisor = np.where(zero | minus_one, b.dtype.type(1), b)
    quotient = a // divisor
    inexact = quotient * divisor != a
    quotient = quotient + (inexact & ((a < 0) != (divisor < 0))).astype(b.dtype)
    return np.asarray(np.where(zero, b.dtype.type(0), np.where(minus_one, -a, quotient)))


def _mod(a: Array, b: Array) -> Array:
    return np.asarray(np.where(b == 0, b.dtype.type(0), a - _idiv(a, b) * b))


def threefry(counter: Array, key: Array) -> Array:
    """Threefry-2x32-20 of 64-bit counters and keys."""
    mask, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    words = [(counter & mask).astype(np.uint32), (counter >> half).astype(np.uint32)]
    keys = [(key & mask).astype(np.uint32), (key >> half).astype(np.uint32)]
    keys.append(keys[0] ^ keys[1] ^ np.uint32(0x1BD11BDA))

    x, y = words[0] + keys[0], words[1] + keys[1]
    for group in range(5):
        for rotation in ((13, 15, 26, 6), (17, 29, 16, 24))[group % 2]:
            x = x + y
            y = (y << np.uint32(rotation) | y >> np.uint32(32 - rotation)) ^ x
        x = x + keys[(group + 1) % 3]
        y = y + keys[(group + 2) % 3] + np.uint32(group + 1)
    result: Array = y.astype(np.uint64) << half | x.astype(np.uint64)
    return result


_ORDER: Final[dict[Ops, Callable[..., Array]]] = {
    Ops.CMPLT: lambda a, b: a < b,
    Ops.CMPNE: lambda a, b: a != b,
    Ops.MAX: lambda a, b: np.asarray(np.where(a < b, b, a)),
}
_FLOAT: Final[dict[Ops, Callable[..., Array]]] = {
    Ops.ADD: np.add,
    Ops.SUB: np.subtract,
    Ops.MUL: np.multiply,
    Ops.FDIV: np.divide,
    Ops.NEG: np.negative,
    Ops.RECIP: lambda a: 1 / a,
    Ops.SQRT: np.sqrt,
    Ops.EXP2: np.exp2,
    Ops.LOG2: np.log2,
    Ops.SIN: np.sin,
}
# what IEEE 754 and numpy round correctly
_ROUNDED: Final = frozenset(_FLOAT) - {Ops.EXP2, Ops.LOG2, Ops.SIN}
_INTEGER: Final[dict[Ops, Callable[..., Array]]] = {
    Ops.ADD: np.add,
    Ops.SUB: np.subtract,
    Ops.MUL: np.multiply,
    Ops.NEG: np.negative,
    Ops.IDIV: _idiv,
    Ops.MOD: _mod,
    Ops.AND: np.bitwise_and,
    Ops.OR: np.bitwise_or,
    Ops.XOR: np.bitwise_xor,
    Ops.SHL: np.left_shift,
    Ops.SHR: np.right_shift,
}


# ---- conversions --------------------------------------------------------------------------------------------------


def cast(value: Array, dtype: DType) -> Array:
    """`value` converted. Floats truncate to integers, modulo 2^64 first; nan and what is beyond 2^64 give 0."""
    to = numpy_dtype(dtype)
    if to.kind == "b":
        return np.asarray(value != 0)
    if value.dtype.kind == "f" and to.kind in "iu":
        return _truncate(value.astype(np.float64)).astype(to)
    return value.astype(to)


def _truncate(value: NDArray[np.float64]) -> NDArray[np.int64]:
    whole = np.trunc(value)
    # C leaves what does not fit undefined: any value will do, as long as it is always the same
    whole = np.where((whole >= -_TWO_63) & (whole < _TWO_64), whole, 0.0)
    return np.where(whole >= _TWO_63, whole - _TWO_64, whole).astype(np.int64)


def bitcast(value: Array, dtype: DType) -> Array:
    """The bits of `value` read as another type of the same size."""
    to = numpy_dtype(dtype)
    if value.dtype.itemsize != to.itemsize:
        raise RuntimeFailure(f"a BITCAST from {value.dtype} to {dtype} changes the size of its elements")
    bits = value.view(np.uint8 if to.kind == "b" else to)
    return np.asarray(bits != 0) if to.kind == "b" else bits


# ---- reduces ------------------------------------------------------------------------------------------------------


def reduce(op: Ops, value: Array, axes: tuple[int, ...]) -> Array:
    """`value` reduced along `axes`, which stay with length 1.

    Floats are summed and multiplied in the wider type and rounded at the end. MAX starts below every value and keeps
    the greater by `(a < b) ? b : a`, so it passes over nan.
    """
    ufuncs = {Ops.ADD: np.add, Ops.MUL: np.multiply, Ops.MAX: np.fmax}
    if op not in ufuncs:
        raise RuntimeFailure(f"{op.name} is no reduce; ADD, MUL and MAX are")
    ufunc, kind = ufuncs[op], value.dtype.kind
    if kind == "b":
        anded = op is Ops.MUL
        return np.asarray((value.all if anded else value.any)(axis=axes, keepdims=True))
    if op is Ops.MAX:
        lowest = -np.inf if kind == "f" else np.iinfo(value.dtype).min
        return np.asarray(ufunc.reduce(value, axis=axes, keepdims=True, initial=value.dtype.type(lowest)))
    if kind == "f":
        total = ufunc.reduce(value, axis=axes, dtype=wide(value.dtype), keepdims=True)
        return np.asarray(total).astype(value.dtype)
    return np.asarray(ufunc.reduce(value, axis=axes, dtype=value.dtype, keepdims=True))
