"""`UOp`: the node of every graph from the AST down to the linear program.

Nodes are hash-consed: building the same node twice gives the same object, so equality is identity. They are immutable
by convention. `UOp(op, dtype, src, arg)` builds exactly that node; the arithmetic operators and `alu` fold what a rule
of `core.ir.symbolic` can fold at once.
"""

from __future__ import annotations

import math
import struct
import weakref
import zlib
from collections.abc import Callable, Iterable
from typing import Any, Final, TypeAlias, TypeGuard

from core.dtype import DType, dtypes
from core.ir.bounds import bounds
from core.ir.ops import GroupOp, Ops

__all__ = ["UOp", "all_int", "install_folder", "resolve", "sint", "sint_prod", "smax", "smin", "ssimplify"]

ConstType: TypeAlias = "int | float | bool"

MAX_ORDERED_DEPTH: Final = 40


class _Reference(weakref.ref["UOp"]):
    """A weak reference that knows the key it is stored under, so that the table forgets a node when it dies."""

    __slots__ = ("key",)
    key: tuple[object, ...]


_table: dict[tuple[object, ...], _Reference] = {}


def _forget(reference: _Reference) -> None:
    if _table.get(reference.key) is reference:
        del _table[reference.key]


def _no_folding(node: UOp) -> UOp | None:
    return None


_fold: Callable[[UOp], UOp | None] = _no_folding


def install_folder(fold: Callable[[UOp], UOp | None]) -> None:
    """Set what `alu` applies to each node it builds: the rules of `core.ir.symbolic`."""
    global _fold
    _fold = fold


def _arg_key(arg: Any) -> object:
    """`arg` as part of a table key: 0.0, -0.0, 0 and False must stay apart, every nan must be the same."""
    kind = arg.__class__
    if kind is float:
        return struct.pack("<d", math.nan if arg != arg else arg)
    if kind is tuple:
        return tuple([_arg_key(item) for item in arg])
    return (kind, arg) if kind is bool or kind is Ops else arg


class UOp:
    """A node: what it does (`op`), the type of its result (`dtype`), its operands (`src`) and a constant (`arg`)."""

    __slots__ = ("__weakref__", "_bounds", "_order", "_toposort", "arg", "dtype", "op", "src")

    op: Ops
    dtype: DType
    src: tuple[UOp, ...]
    arg: Any
    _bounds: tuple[Any, Any] | None
    _order: tuple[Any, ...] | None
    _toposort: tuple[UOp, ...] | None

    def __new__(cls, op: Ops, dtype: DType = dtypes.void, src: tuple[UOp, ...] = (), arg: Any = None) -> UOp:
        key = (op, dtype, src, arg if arg is None or arg.__class__ is int else _arg_key(arg))
        reference = _table.get(key)
        if reference is not None and (found := reference()) is not None:
            return found

        node = object.__new__(cls)
        node.op, node.dtype, node.src, node.arg = op, dtype, src, arg
        node._bounds = node._order = node._toposort = None
        reference = _Reference(node, _forget)
        reference.key = key
        _table[key] = reference
        return node

    def __repr__(self) -> str:
        from core.ir.text import format_uop

        return format_uop(self)

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a UOp is stored as portable rows (core.ir.rows), never pickled")

    def __bool__(self) -> bool:
        if self.op is Ops.CONST:
            return bool(self.arg)
        raise TypeError("the truth of a symbolic expression is not known; use resolve()")

    # ---- building -------------------------------------------------------------------------------------------------

    def replace(self, **fields: Any) -> UOp:
        """The node with some of `op`, `dtype`, `src`, `arg` changed, unfolded."""
        return UOp(
            fields.get("op", self.op),
            fields.get("dtype", self.dtype),
            fields.get("src", self.src),
            fields.get("arg", self.arg),
        )

    @staticmethod
    def const(dtype: DType, value: ConstType) -> UOp:
        """A constant, brought into the range of its dtype as C would: integers wrap, floats round when rendered."""
        if dtype.is_float:
            return UOp(Ops.CONST, dtype, (), float(value))
        if dtype.is_int:
            return UOp(Ops.CONST, dtype, (), wrap(dtype, int(value)))
        return UOp(Ops.CONST, dtype, (), bool(value))

    @staticmethod
    def variable(name: str, low: int, high: int, dtype: DType = dtypes.int) -> UOp:
        """A variable of the kernel that takes values in [low, high]."""
        return UOp(Ops.DEFINE_VAR, dtype, (), (name, low, high))

    @staticmethod
    def sink(*stores: UOp) -> UOp:
        return UOp(Ops.SINK, dtypes.void, stores)

    def alu(self, op: Ops, *others: UOp) -> UOp:
        """`op` on this node and `others`, folded. Comparisons give bool, everything else the last operand's dtype."""
        src = (self, *others)
        dtype = src[-1].dtype
        if op is Ops.CMPLT or op is Ops.CMPNE:
            dtype = dtypes.bool.vec(dtype.count) if dtype.count > 1 else dtypes.bool
        return folded(op, dtype, src)

    def like(self, value: UOp | ConstType) -> UOp:
        """`value` as a node of this node's dtype."""
        return value if isinstance(value, UOp) else UOp.const(self.dtype, value)

    def cast(self, dtype: DType) -> UOp:
        return self if dtype is self.dtype else folded(Ops.CAST, dtype, (self,))

    def where(self, yes: UOp, no: UOp) -> UOp:
        return folded(Ops.WHERE, yes.dtype, (self, yes, no))

    def maximum(self, other: UOp | ConstType) -> UOp:
        return self.alu(Ops.MAX, self.like(other))

    def minimum(self, other: UOp | ConstType) -> UOp:
        other = self.like(other)
        return (self < other).where(self, other)

    def ne(self, other: UOp | ConstType) -> UOp:
        return self.alu(Ops.CMPNE, self.like(other))

    def eq(self, other: UOp | ConstType) -> UOp:
        return self.ne(other).logical_not()

    def logical_not(self) -> UOp:
        return self.alu(Ops.CMPNE, UOp.const(dtypes.bool, True))

    def __add__(self, other: UOp | ConstType) -> UOp:
        return self.alu(Ops.ADD, self.like(other))

    def __radd__(self, other: ConstType) -> UOp:
        return self.alu(Ops.ADD, self.like(other))

    def __sub__(self, other: UOp | ConstType) -> UOp:
        return self + self.like(other) * -1

    def __rsub__(self, other: ConstType) -> UOp:
        return self.like(other) + self * -1

    def __neg__(self) -> UOp:
        return self * -1

    def __mul__(self, other: UOp | ConstType) -> UOp:
        return self.alu(Ops.MUL, self.like(other))

    def __rmul__(self, other: ConstType) -> UOp:
        return self.alu(Ops.MUL, self.like(other))

    def __floordiv__(self, other: UOp | ConstType) -> UOp:
        """IDIV: truncates toward zero, unlike Python's own //; the two agree where nothing is negative."""
        return self.alu(Ops.IDIV, self.like(other))

    def __mod__(self, other: UOp | ConstType) -> UOp:
        """MOD: the remainder of IDIV, with the sign of the dividend."""
        return self.alu(Ops.MOD, self.like(other))

    def __and__(self, other: UOp | ConstType) -> UOp:
        return self.alu(Ops.AND, self.like(other))

    def __or__(self, other: UOp | ConstType) -> UOp:
        return self.alu(Ops.OR, self.like(other))

    def __xor__(self, other: UOp | ConstType) -> UOp:
        return self.alu(Ops.XOR, self.like(other))

    def __lshift__(self, other: UOp | ConstType) -> UOp:
        return self.alu(Ops.SHL, self.like(other))

    def __rshift__(self, other: UOp | ConstType) -> UOp:
        return self.alu(Ops.SHR, self.like(other))

    def __lt__(self, other: UOp | ConstType) -> UOp:
        return self.alu(Ops.CMPLT, self.like(other))

    def __gt__(self, other: UOp | ConstType) -> UOp:
        return self.like(other).alu(Ops.CMPLT, self)

    def __ge__(self, other: UOp | ConstType) -> UOp:
        return (self < other).logical_not()

    def __le__(self, other: UOp | ConstType) -> UOp:
        return (self > other).logical_not()

    # ---- asking ---------------------------------------------------------------------------------------------------

    def toposort(self) -> tuple[UOp, ...]:
        """Every node this one depends on, operands first, itself last; each once, in a fixed order."""
        if self._toposort is None:
            self._toposort = tuple(toposort((self,)))
        return self._toposort

    @property
    def vmin(self) -> Any:
        """The least value this node can take; of a type that is not tracked, the least of its dtype."""
        return (self._bounds or bounds(self))[0]

    @property
    def vmax(self) -> Any:
        """The greatest value this node can take."""
        return (self._bounds or bounds(self))[1]

    @property
    def order(self) -> tuple[Any, ...]:
        """A key that puts nodes in a fixed order, whatever the process or the order in which they were built."""
        if self._order is None:
            _fill_order(self)
        assert self._order is not None
        return self._order

    def variables(self) -> list[UOp]:
        """The kernel's variables below this node, those inside views included, sorted by name."""
        found: dict[UOp, None] = {}
        for node in self.toposort():
            if node.op is Ops.DEFINE_VAR:
                found[node] = None
            elif node.op is Ops.VIEW:
                found.update(dict.fromkeys(node.arg.variables()))
        return sorted(found, key=lambda variable: variable.arg)

    def substitute(self, mapping: dict[UOp, UOp]) -> UOp:
        """This graph with every node of `mapping` replaced, and all that depends on them folded anew."""
        replaced: dict[UOp, UOp] = {}
        for node in self.toposort():
            if node in mapping:
                replaced[node] = mapping[node]
                continue
            src = tuple([replaced[s] for s in node.src])
            replaced[node] = node if src == node.src else folded(node.op, node.dtype, src, node.arg)
        return replaced[self]

    def render(self) -> str:
        """A symbolic integer as an infix expression, for names and messages: `start_pos+1`."""
        from core.ir.infix import infix

        return infix(self)


sint: TypeAlias = "int | UOp"


def folded(op: Ops, dtype: DType, src: tuple[UOp, ...], arg: Any = None) -> UOp:
    """The node, or what a rule makes of it."""
    node = UOp(op, dtype, src, arg)
    simpler = _fold(node)
    return node if simpler is None else simpler


def toposort(roots: Iterable[UOp]) -> list[UOp]:
    """All nodes that `roots` depend on, operands before their users, each once."""
    seen: set[UOp] = set()
    order: list[UOp] = []
    stack: list[tuple[UOp, bool]] = [(root, False) for root in reversed(tuple(roots))]

    while stack:
        node, ready = stack.pop()
        if ready:
            order.append(node)
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack.extend([(source, False) for source in reversed(node.src) if source not in seen])
    return order


def wrap(dtype: DType, value: int) -> int:
    """`value` modulo 2 to the width of the integer `dtype`."""
    if dtype.min <= value <= dtype.max:
        return value
    value &= (1 << dtype.bits) - 1
    return value if dtype.is_unsigned or value <= dtype.max else value - (1 << dtype.bits)


def _fill_order(root: UOp) -> None:
    """Give every node below `root` its key: depth, op, dtype, arg, the operands' keys, last a checksum of them all.

    Comparing nested tuples recurses, so a deep node's key has the checksum alone for its operands.
    """
    for node in toposort((root,)):
        if node._order is None:
            sources: tuple[Any, ...] = tuple([source._order for source in node.src])
            depth = 1 + max((source[0] for source in sources), default=0)
            own = (depth, node.op.name, str(node.dtype), repr(node.arg))
            checksum = zlib.crc32(repr((own, [source[-1] for source in sources])).encode())
            node._order = (*own, *(sources if depth <= MAX_ORDERED_DEPTH else ()), checksum)


# ---- symbolic integers --------------------------------------------------------------------------------------------


def all_int(values: Iterable[sint]) -> TypeGuard[tuple[int, ...]]:
    return all(isinstance(value, int) for value in values)


def resolve(condition: bool | UOp, default: bool = True) -> bool:
    """A condition on symbolic integers as a bool: what holds for all values of the variables, else `default`."""
    if not isinstance(condition, UOp):
        return condition
    low, high = condition.vmin, condition.vmax
    return bool(low) if low == high else default


def ssimplify(value: sint) -> sint:
    """A symbolic integer folded; an int where its value is known."""
    if isinstance(value, int):
        return value
    value = value.substitute({}) if value.op is Ops.CONST else rebuild(value)
    return int(value.arg) if value.op is Ops.CONST else value


def rebuild(root: UOp) -> UOp:
    """`root` built anew from its leaves, so that every node is folded."""
    done: dict[UOp, UOp] = {}
    for node in root.toposort():
        src = tuple([done[source] for source in node.src])
        done[node] = folded(node.op, node.dtype, src, node.arg) if node.op in GroupOp.ALU or src != node.src else node
    return done[root]


def sint_prod(values: Iterable[sint]) -> sint:
    product: sint = 1
    for value in values:
        product = value * product if isinstance(value, UOp) else product * value
    return product


def smax(*values: sint) -> sint:
    """The greatest of symbolic integers."""
    if all_int(values):
        return max(values)
    result = values[0]
    for value in values[1:]:
        result = result.maximum(value) if isinstance(result, UOp) else _as_uop(result).maximum(value)
    return ssimplify(result)


def smin(*values: sint) -> sint:
    """The least of symbolic integers."""
    if all_int(values):
        return min(values)
    result = values[0]
    for value in values[1:]:
        result = _as_uop(result).minimum(value)
    return ssimplify(result)


def _as_uop(value: sint) -> UOp:
    return value if isinstance(value, UOp) else UOp.const(dtypes.int, value)
