"""`Expr`: a numpy-like expression over named buffers, from which `kernel` makes an AST."""

from __future__ import annotations

import math
from typing import Any, ClassVar, Final, NamedTuple, TypeAlias

from core.builder.error import BuildError
from core.builder.movable import Axes, Movable
from core.builder.movement import broadcast_shape, is_one, shape_text
from core.builder.promote import (
    Scalar,
    checked_dtype,
    checked_value,
    fraction_dtype,
    promoted,
    scalar_dtype,
    sum_dtype,
)
from core.dtype import DType, dtypes
from core.ir.ops import GroupOp, Ops
from core.ir.uop import UOp, sint_prod
from core.shape.view import Shape, same

__all__ = ["Expr", "Operand", "Reduction", "const", "maximum", "minimum", "where"]

# what an operator takes beside an expression: a number, or a symbolic integer of the kernel's variables
Operand: TypeAlias = "Expr | UOp | bool | int | float"

LOG2_E: Final = 1 / math.log(2)


class Reduction(NamedTuple):
    """How a REDUCE_AXIS reduces. `recompute`: it may be computed again for each element it is repeated to."""

    op: Ops
    axes: tuple[int, ...]
    recompute: bool


class Expr(Movable):
    """An expression of `shape` and `dtype`, immutable. Operators work element by element and broadcast as numpy's do.

    Operands are brought to one dtype by `core.builder.promote`; a Python number takes that of the expression beside it.
    What does not fit raises BuildError.
    """

    __slots__ = ()
    src: tuple[Expr, ...]
    __array_ufunc__: ClassVar[None] = None  # numpy's scalars leave the operators to this class
    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"Expr({self.op.name}, {self.dtype}, {shape_text(self.shape)})"

    def __bool__(self) -> bool:
        raise BuildError("the truth of an expression is not known before its kernel has run; choose with where()")

    # ---- arithmetic -------------------------------------------------------------------------------------------------

    def __add__(self, other: Operand) -> Expr:
        """Integers wrap; bool + bool is OR."""
        return _binary(Ops.ADD, self, other)

    def __radd__(self, other: Operand) -> Expr:
        return _binary(Ops.ADD, other, self)

    def __sub__(self, other: Operand) -> Expr:
        """`self + -other`."""
        return _subtract(self, other)

    def __rsub__(self, other: Operand) -> Expr:
        return _subtract(other, self)

    def __mul__(self, other: Operand) -> Expr:
        """Integers wrap; bool * bool is AND."""
        return _binary(Ops.MUL, self, other)

    def __rmul__(self, other: Operand) -> Expr:
        return _binary(Ops.MUL, other, self)

    def __neg__(self) -> Expr:
        """`self * -1`. Integers wrap; -bool is int."""
        value = self.cast(dtypes.int) if self.dtype.is_bool else self
        return _alu(Ops.MUL, value.dtype, value, _minus_one(value.dtype))

    def __truediv__(self, other: Operand) -> Expr:
        """`self * (1 / other)`, which rounds twice; integers are divided in float."""
        return _divide(self, other)

    def __rtruediv__(self, other: Operand) -> Expr:
        return _divide(other, self)

    def __floordiv__(self, other: Operand) -> Expr:
        """The quotient of integers truncated toward zero, as in C and unlike Python; 0 for a divisor of 0."""
        return _binary(Ops.IDIV, self, other, "iu")

    def __rfloordiv__(self, other: Operand) -> Expr:
        return _binary(Ops.IDIV, other, self, "iu")

    def __mod__(self, other: Operand) -> Expr:
        """The remainder of `//`, with the sign of the dividend; 0 for a divisor of 0."""
        return _binary(Ops.MOD, self, other, "iu")

    def __rmod__(self, other: Operand) -> Expr:
        return _binary(Ops.MOD, other, self, "iu")

    def __and__(self, other: Operand) -> Expr:
        return _binary(Ops.AND, self, other, "iub")

    def __rand__(self, other: Operand) -> Expr:
        return _binary(Ops.AND, other, self, "iub")

    def __or__(self, other: Operand) -> Expr:
        return _binary(Ops.OR, self, other, "iub")

    def __ror__(self, other: Operand) -> Expr:
        return _binary(Ops.OR, other, self, "iub")

    def __xor__(self, other: Operand) -> Expr:
        return _binary(Ops.XOR, self, other, "iub")

    def __rxor__(self, other: Operand) -> Expr:
        return _binary(Ops.XOR, other, self, "iub")

    def __invert__(self) -> Expr:
        """The bits of an integer, or a bool, the other way round."""
        if self.dtype.is_bool:
            return _alu(Ops.CMPNE, dtypes.bool, self, const(True))
        return _binary(Ops.XOR, self, _minus_one(self.dtype), "iu")

    def __abs__(self) -> Expr:
        """`where(self < 0, -self, self)`: -0.0 stays -0.0, the least integer the least integer."""
        return self if self.dtype.is_unsigned else where(self < 0, -self, self)

    # ---- comparisons: of nan they are false, but for != -------------------------------------------------------------

    def __lt__(self, other: Operand) -> Expr:
        return _binary(Ops.CMPLT, self, other)

    def __gt__(self, other: Operand) -> Expr:
        return _binary(Ops.CMPLT, other, self)

    def __le__(self, other: Operand) -> Expr:
        a, b = _paired(self, other)
        return (a < b) | (a == b) if a.dtype.is_float else ~(b < a)

    def __ge__(self, other: Operand) -> Expr:
        a, b = _paired(self, other)
        return (b < a) | (a == b) if a.dtype.is_float else ~(a < b)

    def __ne__(self, other: Operand) -> Expr:  # type: ignore[override]
        return _binary(Ops.CMPNE, self, other)

    def __eq__(self, other: Operand) -> Expr:  # type: ignore[override]
        return ~_binary(Ops.CMPNE, self, other)

    def maximum(self, other: Operand) -> Expr:
        return maximum(self, other)

    def minimum(self, other: Operand) -> Expr:
        return minimum(self, other)

    # ---- functions: of integers and bool they are computed in float -------------------------------------------------

    def exp2(self) -> Expr:
        return self._function(Ops.EXP2)

    def log2(self) -> Expr:
        return self._function(Ops.LOG2)

    def sin(self) -> Expr:
        return self._function(Ops.SIN)

    def sqrt(self) -> Expr:
        return self._function(Ops.SQRT)

    def reciprocal(self) -> Expr:
        return self._function(Ops.RECIP)

    def exp(self) -> Expr:
        return (self * LOG2_E).exp2()

    def log(self) -> Expr:
        return self.log2() * (1 / LOG2_E)

    def sigmoid(self) -> Expr:
        return (1 + (-self._fraction()).exp()).reciprocal()

    def tanh(self) -> Expr:
        return 2 * (2 * self._fraction()).sigmoid() - 1

    def relu(self) -> Expr:
        return self.maximum(0)

    def _function(self, op: Ops) -> Expr:
        value = self._fraction()
        return _alu(op, value.dtype, value)

    def _fraction(self) -> Expr:
        return self.cast(fraction_dtype(self.dtype))

    # ---- conversions ------------------------------------------------------------------------------------------------

    def cast(self, dtype: DType) -> Expr:
        """Converted as C does: a float is truncated to an integer (undefined out of range), integers wrap, to bool is
        `!= 0`."""
        return self if self.dtype is checked_dtype(dtype) else Expr(Ops.CAST, dtype, self.shape, (self,))

    def bitcast(self, dtype: DType) -> Expr:
        """The bits of each element read as another type of the same size."""
        if checked_dtype(dtype).bits != self.dtype.bits:
            raise BuildError(f"a bitcast from {self.dtype} to {dtype} would change the number of bits")
        return self if self.dtype is dtype else Expr(Ops.BITCAST, dtype, self.shape, (self,))

    # ---- reduces ----------------------------------------------------------------------------------------------------

    def sum(self, axis: Axes = None, keepdims: bool = False, *, recompute: bool = False) -> Expr:
        """The sum along `axis`. Of bool and integers below 32 bits it is int or uint, and wraps; of half and bfloat16
        it is added up in float and rounded once.

        A kernel that repeats a reduced value along an axis would compute it again for each element. It is refused,
        unless `recompute` says that it is meant so.
        """
        return self._added(Ops.ADD, axis, keepdims, recompute)

    def prod(self, axis: Axes = None, keepdims: bool = False, *, recompute: bool = False) -> Expr:
        """The product along `axis`, in the dtype that `sum` has."""
        return self._added(Ops.MUL, axis, keepdims, recompute)

    def max(self, axis: Axes = None, keepdims: bool = False, *, recompute: bool = False) -> Expr:
        """The greatest element along `axis`. A nan does not count, and where there is nothing else it is -inf; an axis
        of one element is left as it is."""
        if self.dtype.is_bool:
            return self.cast(dtypes.uchar).max(axis, keepdims, recompute=recompute).cast(dtypes.bool)
        return self._reduced(Ops.MAX, axis, keepdims, recompute)

    def min(self, axis: Axes = None, keepdims: bool = False, *, recompute: bool = False) -> Expr:
        """The least element along `axis`: `-max(-self)`, of integers and bool `~max(~self)`."""
        if self.dtype.is_float:
            return -(-self).max(axis, keepdims, recompute=recompute)
        return ~(~self).max(axis, keepdims, recompute=recompute)

    def mean(self, axis: Axes = None, keepdims: bool = False, *, recompute: bool = False) -> Expr:
        """`sum * (1 / number of elements)` in float, of double in double; of half and bfloat16 rounded once to that."""
        axes = self.axes(axis)
        count = sint_prod([self.shape[axis] for axis in axes])
        wide = self.cast(promoted(self.dtype, dtypes.float))
        return (wide.sum(axes, keepdims, recompute=recompute) / count).cast(fraction_dtype(self.dtype))

    def _added(self, op: Ops, axis: Axes, keepdims: bool, recompute: bool) -> Expr:
        dtype = sum_dtype(self.dtype)
        wide = dtypes.float if dtype.is_float and dtype.bits < 32 else dtype
        return self.cast(wide)._reduced(op, axis, keepdims, recompute).cast(dtype)

    def _reduced(self, op: Ops, axis: Axes, keepdims: bool, recompute: bool) -> Expr:
        axes = self.axes(axis)
        result = self
        # an axis of one element has nothing to reduce
        if reduced := tuple([axis for axis in axes if not is_one(self.shape[axis])]):
            shape = tuple([1 if axis in reduced else size for axis, size in enumerate(self.shape)])
            result = Expr(Ops.REDUCE_AXIS, self.dtype, shape, (self,), Reduction(op, reduced, recompute))
        return result if keepdims else result.reshape([size for i, size in enumerate(result.shape) if i not in axes])

    def __matmul__(self, other: Expr) -> Expr:
        """The matrix product as numpy has it: of the last two axes, the others broadcast; with one axis, of a vector.

        Elements are multiplied in the common dtype and added up as `sum` does.
        """
        a, b = self, other if other.ndim < 2 else other.transpose()
        if not a.shape or not b.shape or not same(a.shape[-1], b.shape[-1]):
            shapes = f"{shape_text(self.shape)} and {shape_text(other.shape)}"
            raise BuildError(f"there is no matrix product of the shapes {shapes}")
        if a.ndim > 1 and b.ndim > 1:
            b = b.reshape(*b.shape[:-2], 1, *b.shape[-2:])
        if b.ndim > 1:
            a = a.reshape(*a.shape[:-1], 1, a.shape[-1])
        return (a * b).sum(-1)


# ---- operands -----------------------------------------------------------------------------------------------------


def const(value: Scalar | UOp, dtype: DType | None = None) -> Expr:
    """A scalar, of shape (): a number, or a symbolic integer of the kernel's variables. It broadcasts to any shape.

    Without `dtype` it is a bool, int or float, as the value is.
    """
    if isinstance(value, UOp):
        symbolic = _from_symbolic(value)
        return symbolic if dtype is None else symbolic.cast(dtype)
    if not isinstance(value, bool | int | float):
        raise BuildError(f"{value!r} is no operand; expressions, numbers and symbolic integers are")
    dtype = scalar_dtype(value) if dtype is None else checked_dtype(dtype)
    return Expr(Ops.CONST, dtype, (), (), checked_value(value, dtype))


def where(condition: Operand, yes: Operand, no: Operand) -> Expr:
    """`yes` where `condition` is true (or not 0), else `no`. Both are computed."""
    choice = _lifted(condition, None)
    choice = choice if choice.dtype.is_bool else choice != 0
    a, b = _paired(yes, no)
    return _alu(Ops.WHERE, a.dtype, choice, a, b)


def maximum(a: Operand, b: Operand) -> Expr:
    """`where(a < b, b, a)`: a nan of `a` stays, one of `b` does not count."""
    first, second = _paired(a, b)
    return first | second if first.dtype.is_bool else _alu(Ops.MAX, first.dtype, first, second)


def minimum(a: Operand, b: Operand) -> Expr:
    """`where(b < a, b, a)`: a nan of `a` stays, one of `b` does not count."""
    first, second = _paired(a, b)
    return first & second if first.dtype.is_bool else where(second < first, second, first)


def _from_symbolic(value: UOp) -> Expr:
    made: dict[UOp, Expr] = {}
    for node in value.toposort():
        if node.op is Ops.DEFINE_VAR or node.op is Ops.CONST:
            made[node] = Expr(node.op, node.dtype, (), (), node.arg)
        elif node.op in GroupOp.ALU or node.op is Ops.CAST:
            made[node] = Expr(node.op, node.dtype, (), tuple([made[source] for source in node.src]))
        else:
            raise BuildError(f"{node.op.name} is no part of a symbolic integer")
    return made[value]


def _lifted(operand: Operand, other: Operand | None) -> Expr:
    """`operand` as an expression; a number beside `other` takes its dtype."""
    if isinstance(operand, Expr):
        return operand
    if isinstance(operand, bool | int | float):
        return const(operand, scalar_dtype(operand, other.dtype if isinstance(other, Expr) else None))
    return const(operand)


def _paired(a: Operand, b: Operand) -> tuple[Expr, Expr]:
    """Both as expressions of their common dtype."""
    first, second = _lifted(a, b), _lifted(b, a)
    dtype = promoted(first.dtype, second.dtype)
    return first.cast(dtype), second.cast(dtype)


def _alu(op: Ops, dtype: DType, *operands: Expr) -> Expr:
    """`op` on `operands`, broadcast to one shape."""
    shape = broadcast_shape(*[operand.shape for operand in operands])
    return Expr(op, dtype, shape, tuple([_broadcast(operand, shape) for operand in operands]))


def _broadcast(operand: Expr, shape: Shape) -> Expr:
    return operand.reshape((1,) * (len(shape) - operand.ndim) + operand.shape).expand(shape)


def _binary(op: Ops, a: Operand, b: Operand, kinds: str = "iubf") -> Expr:
    """`op` on two operands whose common dtype must be of one of `kinds`, letters of DType.kind."""
    first, second = _paired(a, b)
    if first.dtype.kind not in kinds:
        raise BuildError(f"{op.name} is not defined on {first.dtype}; it takes {' or '.join(_KINDS[k] for k in kinds)}")
    return _alu(op, dtypes.bool if op in GroupOp.Comparison else first.dtype, first, second)


_KINDS: Final = {"i": "integers", "u": "unsigned ones", "b": "bool", "f": "floats"}


def _subtract(a: Operand, b: Operand) -> Expr:
    first, second = _paired(a, b)
    return first + -second


def _divide(a: Operand, b: Operand) -> Expr:
    if isinstance(b, int | float) and not isinstance(b, bool) and b != 0:
        return _fraction_of(a) * (1 / b)
    if isinstance(a, int | float) and a == 1:
        return _lifted(b, None).reciprocal()
    first, second = _paired(a, b)
    return _fraction_of(first) * second.reciprocal()


def _fraction_of(operand: Operand) -> Expr:
    value = _lifted(operand, None)
    return value.cast(fraction_dtype(value.dtype))


def _minus_one(dtype: DType) -> Expr:
    """The constant with all bits set, or -1.0."""
    value: Any = dtype.max if dtype.is_unsigned else -1
    return const(value, dtype)
