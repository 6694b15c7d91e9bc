"""`program_spec`: what a renderer may expect of a linear program, a list of UOps in the order in which they run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from core.dtype import ImageDType, PtrDType, dtypes
from core.ir.ops import Ops
from core.ir.spec.matrix import PRODUCT_RULE
from core.ir.spec.rule import GraphRule, Rule, Spec
from core.ir.spec.values import ALU_RULES, BUFFER_RULES, CONST_RULE, VARIABLE_RULE, is_value, name_clash
from core.ir.uop import UOp

__all__ = ["program_spec"]

_BUFFERS: Final = frozenset({Ops.DEFINE_GLOBAL, Ops.DEFINE_LOCAL})
_OPENS: Final = {Ops.ENDRANGE: Ops.RANGE, Ops.ENDIF: Ops.IF}
_INDICES: Final = (dtypes.int, dtypes.long)
_TEXEL_INDEX: Final = dtypes.int.vec(2)
_TEXEL: Final = 4
_DIMENSION: Final = re.compile(r"[gl]?idx[0-9]{1,2}")


def _is_special(node: UOp) -> bool:
    arg = node.arg
    if node.dtype not in _INDICES or node.src or arg.__class__ is not tuple or len(arg) != 2:
        return False
    name, size = arg
    if name.__class__ is not str or not _DIMENSION.fullmatch(name):
        return False
    return (size.__class__ is int and size > 0) or (size.__class__ is UOp and size.dtype in _INDICES)


def _is_range(node: UOp) -> bool:
    if node.dtype not in _INDICES or node.arg.__class__ is not int or node.arg < 0:
        return False
    return len(node.src) == 1 and node.src[0].dtype is node.dtype


def _is_end(node: UOp) -> bool:
    return _is_effect(node) and len(node.src) == 1 and node.src[0].op is _OPENS[node.op]


def _is_effect(node: UOp) -> bool:
    return node.dtype is dtypes.void and node.arg is None


def _is_accumulator(node: UOp) -> bool:
    if len(node.src) != 1 or node.src[0].dtype is not node.dtype or not is_value(node.dtype):
        return False
    return node.arg.__class__ is int and node.arg >= 0


def _is_assignment(node: UOp) -> bool:
    if len(node.src) != 2 or node.src[0].op is not Ops.DEFINE_ACC or node.arg is not None:
        return False
    return node.src[0].dtype is node.src[1].dtype is node.dtype


def _is_address(node: UOp) -> bool:
    src = node.src
    if not 2 <= len(src) <= 3 or src[0].op not in _BUFFERS or node.dtype is not src[0].dtype or node.arg is not None:
        return False
    if isinstance(node.dtype, ImageDType) and src[1].op is Ops.VECTORIZE:
        return len(src) == 2 and src[1].dtype is _TEXEL_INDEX
    return src[1].dtype in _INDICES and (len(src) == 2 or src[2].op is Ops.BARRIER)


def _reaches(node: UOp, value: UOp) -> bool:
    """Whether `value` is an element, or a vector of elements, of the buffer that `node` addresses."""
    if not node.src or node.src[0].op is not Ops.INDEX or node.arg is not None:
        return False
    pointer, index = node.src[0].dtype, node.src[0].src[1]
    if not isinstance(pointer, PtrDType) or not is_value(value.dtype) or value.dtype.scalar() is not pointer.base:
        return False
    return index.dtype is not _TEXEL_INDEX or value.dtype.count == _TEXEL


def _is_gated(node: UOp) -> bool:
    if len(node.src) == 1:
        return True
    return len(node.src) == 3 and node.src[1].dtype is node.dtype and node.src[2].dtype is dtypes.bool


def _is_vector(node: UOp) -> bool:
    if node.arg is not None or not is_value(node.dtype) or node.dtype.count != len(node.src) or len(node.src) < 2:
        return False
    scalar = node.dtype.scalar()
    return all(source.dtype is scalar for source in node.src)


def _is_element(node: UOp) -> bool:
    if len(node.src) != 1 or not is_value(node.src[0].dtype) or node.src[0].dtype.scalar() is not node.dtype:
        return False
    return node.arg.__class__ is int and 0 <= node.arg < node.src[0].dtype.count


# ---- the list as a whole ------------------------------------------------------------------------------------------


def _out_of_order(uops: Sequence[UOp]) -> UOp | None:
    seen: set[UOp] = set()
    for node in uops:
        if node in seen or not seen.issuperset(node.src):
            return node
        seen.add(node)
    return None


def _badly_nested(uops: Sequence[UOp]) -> UOp | None:
    opened: list[UOp] = []
    for node in uops:
        if node.op is Ops.RANGE or node.op is Ops.IF:
            opened.append(node)
        elif node.op in _OPENS and (not opened or opened.pop() is not node.src[0]):
            return node
    return opened[-1] if opened else None


def _used_after_block(uops: Sequence[UOp]) -> UOp | None:
    # the block in which each value is computed; constants are written where they are used
    block_of: dict[UOp, UOp] = {}
    opened: list[UOp] = []
    running: set[UOp] = set()
    for node in uops:
        for source in node.src:
            block = block_of.get(source)
            if block is not None and block not in running:
                return node
        if node.op is Ops.RANGE or node.op is Ops.IF:
            opened.append(node)
            running.add(node)
        elif node.op in _OPENS:
            running.discard(opened.pop())
        if opened and node.dtype is not dtypes.void and node.op is not Ops.CONST:
            block_of[node] = opened[-1]
    return None


def _name(node: UOp) -> Any:
    return node.arg[0] if node.arg.__class__ is tuple else node.arg


program_spec: Final = Spec(
    "a program",
    (
        *BUFFER_RULES,
        VARIABLE_RULE,
        CONST_RULE,
        Rule(
            "leaf-source",
            (Ops.CONST, Ops.DEFINE_VAR),
            "a constant or variable has no sources",
            lambda node: not node.src,
        ),
        Rule(
            "special",
            (Ops.SPECIAL,),
            "a SPECIAL is an int or a long, has (gidx, lidx or idx with its number, size) as arg and no sources",
            _is_special,
        ),
        Rule("range", (Ops.RANGE,), "a RANGE has the dtype of its end, int or long, and its number as arg", _is_range),
        Rule("end", tuple(_OPENS), "an ENDRANGE ends a RANGE and an ENDIF an IF; both are void", _is_end),
        Rule(
            "if",
            (Ops.IF,),
            "an IF is void and has a bool as source",
            lambda node: _is_effect(node) and len(node.src) == 1 and node.src[0].dtype is dtypes.bool,
        ),
        Rule("barrier", (Ops.BARRIER,), "a BARRIER is void", _is_effect),
        Rule(
            "accumulator",
            (Ops.DEFINE_ACC,),
            "an accumulator has a first value of its dtype as source and its number as arg",
            _is_accumulator,
        ),
        Rule(
            "assign",
            (Ops.ASSIGN,),
            "an ASSIGN has an accumulator and a value as sources, both of its dtype",
            _is_assignment,
        ),
        Rule(
            "index",
            (Ops.INDEX,),
            "an INDEX has the dtype of its buffer, and as sources the buffer, an int or long, and at most a BARRIER; "
            "that of an image may have a VECTORIZE of two ints instead, column and row",
            _is_address,
        ),
        Rule(
            "load",
            (Ops.LOAD,),
            "a LOAD gives an element, or a vector of elements, of the buffer behind an INDEX; by column and row, four",
            lambda node: _reaches(node, node),
        ),
        Rule("load-gate", (Ops.LOAD,), "a gated LOAD has an alternative of its dtype and a bool as gate", _is_gated),
        Rule(
            "store",
            (Ops.STORE,),
            "a STORE is void and has an INDEX and an element, or a vector of elements, of its buffer as sources",
            lambda node: node.dtype is dtypes.void and len(node.src) == 2 and _reaches(node, node.src[1]),
        ),
        Rule("vectorize", (Ops.VECTORIZE,), "a VECTORIZE has its elements as sources, of its scalar dtype", _is_vector),
        Rule("gep", (Ops.GEP,), "a GEP has its source's scalar dtype and an index into it as arg", _is_element),
        PRODUCT_RULE,
        *ALU_RULES,
    ),
    (
        GraphRule("sources-first", "a node comes once, and after all of its sources", _out_of_order),
        GraphRule("blocks-nest", "all blocks end, the one opened last first", _badly_nested),
        GraphRule("used-in-block", "what is computed in a block is not used after its end", _used_after_block),
        GraphRule(
            "distinct-names",
            "buffers, variables, dimensions, loops and accumulators have names or numbers of their own",
            name_clash(
                (Ops.DEFINE_GLOBAL, Ops.DEFINE_LOCAL, Ops.DEFINE_VAR, Ops.SPECIAL, Ops.RANGE, Ops.DEFINE_ACC), _name
            ),
        ),
    ),
)
