"""The rules that hold for an AST and for a linear program alike: buffers, constants, casts and arithmetic."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from typing import Any, Final

from core.dtype import DType, ImageDType, PtrDType, dtypes
from core.ir.limits import INT_MAX, INT_MIN
from core.ir.ops import GroupOp, Ops
from core.ir.spec.rule import Rule
from core.ir.uop import UOp

__all__ = [
    "ALU_RULES",
    "BUFFER_RULES",
    "CONST_RULE",
    "VARIABLE_RULE",
    "WRAPPING_CONST_RULE",
    "is_identifier",
    "is_value",
    "name_clash",
]

_IDENTIFIER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_IMAGE_CHANNELS: Final = 4

_SHIFTS: Final = frozenset({Ops.SHL, Ops.SHR})
_CASTS: Final = (Ops.CAST, Ops.BITCAST)
_ARITY: Final = {
    **dict.fromkeys(GroupOp.Unary, 1),
    **dict.fromkeys(GroupOp.Binary, 2),
    **dict.fromkeys(GroupOp.Ternary, 3),
    **dict.fromkeys(_CASTS, 1),
}

# the letters of DType.kind for which an op is defined; of the ops that are not here, every value
_KINDS: Final = {
    **dict.fromkeys((Ops.EXP2, Ops.LOG2, Ops.SIN, Ops.SQRT, Ops.RECIP, Ops.FDIV), "f"),
    **dict.fromkeys((Ops.IDIV, Ops.MOD, Ops.SHL, Ops.SHR), "iu"),
    **dict.fromkeys((Ops.AND, Ops.OR, Ops.XOR), "iub"),
    Ops.THREEFRY: "u",
}


def is_identifier(name: object) -> bool:
    """Whether `name` can be written into a source as it is. Names come from captures: this keeps code out of them."""
    return isinstance(name, str) and _IDENTIFIER.fullmatch(name) is not None


def is_value(dtype: DType) -> bool:
    """Whether something of this type can be computed with: no pointer, not void."""
    return dtype.bits > 0 and not isinstance(dtype, PtrDType)


def name_clash(ops: Collection[Ops], name: Callable[[UOp], Any]) -> Callable[[Sequence[UOp]], UOp | None]:
    """Finds a node of `ops` that has the op and the name of another one."""

    wanted = frozenset(ops)

    def offender(uops: Sequence[UOp]) -> UOp | None:
        named: dict[Any, UOp] = {}
        for node in uops:
            if node.op in wanted and named.setdefault((node.op, name(node)), node) is not node:
                return node
        return None

    return offender


# ---- leaves -------------------------------------------------------------------------------------------------------


def _is_global(node: UOp) -> bool:
    dtype = node.dtype
    return isinstance(dtype, PtrDType) and not dtype.local and is_value(dtype.base) and dtype.size >= -1


def _is_local(node: UOp) -> bool:
    dtype = node.dtype
    return isinstance(dtype, PtrDType) and dtype.local and is_value(dtype.base) and dtype.size > 0


def _is_image_of_texels(node: UOp) -> bool:
    dtype = node.dtype
    return not isinstance(dtype, ImageDType) or (min(dtype.shape) > 0 and dtype.shape[2] == _IMAGE_CHANNELS)


BUFFER_RULES: Final = (
    Rule(
        "buffer",
        (Ops.DEFINE_GLOBAL,),
        "a buffer is a global pointer to values, has a number and no sources",
        lambda node: _is_global(node) and not node.src and node.arg.__class__ is int and node.arg >= 0,
    ),
    Rule("image", (Ops.DEFINE_GLOBAL,), "an image has a height, a width and 4 channels", _is_image_of_texels),
    Rule(
        "local-buffer",
        (Ops.DEFINE_LOCAL,),
        "a local buffer is a local pointer to a known number of values, has an identifier as name and no sources",
        lambda node: _is_local(node) and not node.src and is_identifier(node.arg),
    ),
)


def _constant(bounds: Callable[[DType], tuple[float, float]]) -> Callable[[UOp], bool]:
    def holds(node: UOp) -> bool:
        dtype, arg = node.dtype, node.arg
        if not is_value(dtype):
            return False
        if not dtype.is_int:
            return arg.__class__ is (float if dtype.is_float else bool)
        low, high = bounds(dtype)
        return arg.__class__ is int and bool(low <= arg <= high)

    return holds


CONST_RULE: Final = Rule(
    "const",
    (Ops.CONST,),
    "a constant's arg is what its dtype says: a float, a bool, or an integer that the dtype can hold",
    _constant(lambda dtype: (dtype.min, dtype.max)),
)
WRAPPING_CONST_RULE: Final = Rule(
    "const",
    (Ops.CONST,),
    "a constant's arg is what its dtype says: a float, a bool, or an integer of 64 bits, which wraps",
    _constant(lambda dtype: (INT_MIN, INT_MAX)),
)


def _is_variable(node: UOp) -> bool:
    dtype, arg = node.dtype, node.arg
    if not (dtype.is_int and is_value(dtype) and dtype.count == 1 and arg.__class__ is tuple and len(arg) == 3):
        return False
    name, low, high = arg
    return is_identifier(name) and low.__class__ is high.__class__ is int and dtype.min <= low <= high <= dtype.max


VARIABLE_RULE: Final = Rule(
    "variable",
    (Ops.DEFINE_VAR,),
    "a variable is an integer with (name, least value, greatest value) as arg, the name an identifier",
    _is_variable,
)


# ---- arithmetic ---------------------------------------------------------------------------------------------------


def _kind_fits(node: UOp) -> bool:
    dtype = node.dtype
    return dtype.kind in _KINDS[node.op] and (node.op is not Ops.THREEFRY or dtype.scalar() is dtypes.ulong)


def _has_operands(node: UOp) -> bool:
    return len(node.src) == _ARITY[node.op] and node.arg is None and is_value(node.dtype)


def _operands_alike(node: UOp) -> bool:
    dtype = node.dtype
    for source in node.src:  # noqa: SIM110 - a generator costs more than all the rest of the rule
        if source.dtype is not dtype:
            return False
    return True


def _is_comparison(node: UOp) -> bool:
    dtype, (first, second) = node.dtype, node.src
    return is_value(first.dtype) and first.dtype is second.dtype and dtype.is_bool and dtype.count == first.dtype.count


def _is_choice(node: UOp) -> bool:
    dtype, (gate, yes, no) = node.dtype, node.src
    return _is_bool(gate.dtype) and gate.dtype.count == dtype.count and yes.dtype is no.dtype is dtype


def _is_bool(dtype: DType) -> bool:
    return dtype.is_bool and is_value(dtype)


def _is_shift(node: UOp) -> bool:
    dtype, (value, amount) = node.dtype, node.src
    return value.dtype is dtype and amount.dtype.is_int and is_value(amount.dtype) and amount.dtype.count == dtype.count


def _is_conversion(node: UOp) -> bool:
    source = node.src[0].dtype
    return is_value(source) and source.count == node.dtype.count


ALU_RULES: Final = (
    Rule(
        "operands",
        (*GroupOp.ALU, *_CASTS),
        "as many sources as the op has operands, no arg, and a value as result",
        _has_operands,
    ),
    Rule(
        "operand-dtypes",
        tuple(GroupOp.ALU - GroupOp.Comparison - _SHIFTS - {Ops.WHERE}),
        "the operands have the dtype of the result",
        _operands_alike,
    ),
    Rule(
        "comparison",
        tuple(GroupOp.Comparison),
        "a comparison of two values of one dtype gives a bool",
        _is_comparison,
    ),
    Rule("where", (Ops.WHERE,), "a WHERE picks by a bool one of two values of its own dtype", _is_choice),
    Rule("shift", tuple(_SHIFTS), "a shift moves a value of its own dtype by an integer", _is_shift),
    Rule("cast", _CASTS, "a cast is of one value, scalar to scalar or vector to vector of as many", _is_conversion),
    Rule(
        "operand-kind",
        tuple(_KINDS),
        "transcendental ops and fractions are of floats, integer division and bit ops are not, THREEFRY is of ulong",
        _kind_fits,
    ),
    Rule(
        "bitcast-size",
        (Ops.BITCAST,),
        "a BITCAST keeps the number of bits",
        lambda node: node.dtype.bits == node.src[0].dtype.bits,
    ),
)
