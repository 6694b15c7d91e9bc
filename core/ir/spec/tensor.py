"""`tensor_spec`: which ops, with which dtypes and sources, may stand in an AST, be it optimised or not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from core.dtype import PtrDType, dtypes
from core.ir.checked import INDEX_OPS, symbolic_entries
from core.ir.kernel_info import KernelInfo
from core.ir.ops import GroupOp, Ops
from core.ir.spec.matrix import FRAGMENT_RULES, PRODUCT_RULE
from core.ir.spec.rule import GraphRule, Rule, Spec
from core.ir.spec.values import ALU_RULES, BUFFER_RULES, CONST_RULE, VARIABLE_RULE, WRAPPING_CONST_RULE, name_clash
from core.ir.uop import UOp
from core.shape import ShapeTracker

__all__ = ["tensor_spec"]

_BUFFERS: Final = frozenset({Ops.DEFINE_GLOBAL, Ops.DEFINE_LOCAL})
_COMPUTED: Final = GroupOp.ALU | {Ops.CAST, Ops.BITCAST}


def _is_sink(node: UOp) -> bool:
    if not node.src or node.dtype is not dtypes.void or not (node.arg is None or node.arg.__class__ is KernelInfo):
        return False
    return all(source.op is Ops.STORE for source in node.src)


def _on_buffer(node: UOp) -> bool:
    return node.arg is None and len(node.src) >= 2 and node.src[0].op in _BUFFERS and node.src[1].op is Ops.VIEW


def _is_load(node: UOp) -> bool:
    if not _on_buffer(node) or len(node.src) > 3:
        return False
    return len(node.src) == 2 or (node.src[2].op is Ops.STORE and node.src[2].src[0] is node.src[0])


def _element_dtype(node: UOp, value: UOp) -> bool:
    buffer = node.src[0].dtype
    return isinstance(buffer, PtrDType) and value.dtype is buffer.base


def _on_view(node: UOp) -> bool:
    return len(node.src) == 1 and node.src[0].op is Ops.VIEW


def _is_binding(node: UOp) -> bool:
    if len(node.src) != 2 or node.arg is not None:
        return False
    variable, value = node.src
    if variable.op is not Ops.DEFINE_VAR or value.op is not Ops.CONST:
        return False
    return bool(node.dtype is variable.dtype is value.dtype and variable.arg[1] <= value.arg <= variable.arg[2])


def _is_reduce(node: UOp) -> bool:
    arg = node.arg
    if len(node.src) != 1 or node.src[0].dtype is not node.dtype:
        return False
    if arg.__class__ is not tuple or len(arg) != 2 or arg[0].__class__ is not Ops or arg[0] not in GroupOp.Reduce:
        return False
    axes = arg[1]
    if axes.__class__ is not tuple or not all(axis.__class__ is int and axis >= 0 for axis in axes):
        return False
    return len(set(axes)) == len(axes)


# ---- symbolic integers --------------------------------------------------------------------------------------------


def _index_nodes(node: UOp) -> Iterator[UOp]:
    """The nodes of the symbolic integers in a VIEW."""
    for entry in symbolic_entries(node.arg):
        yield from entry.toposort()


def _has_index_entries(node: UOp) -> bool:
    return all(
        below.op in INDEX_OPS
        and below.dtype.count == 1
        and not below.dtype.is_float
        and all(rule.holds(below) for rule in _INDEX_RULES if below.op in rule.ops)
        for below in _index_nodes(node)
    )


def _differing_variable(uops: Sequence[UOp]) -> UOp | None:
    """A variable that has the name of another one and not its range."""
    named: dict[str, tuple[object, ...]] = {}
    for node in uops:
        for variable in _index_nodes(node) if node.op is Ops.VIEW else (node,):
            if variable.op is Ops.DEFINE_VAR:
                known = (variable.dtype, *variable.arg)
                if named.setdefault(variable.arg[0], known) != known:
                    return variable
    return None


_BIND_RULE: Final = Rule(
    "bind", (Ops.BIND,), "a variable and a constant of its dtype that lies in its range; no arg", _is_binding
)
_INDEX_RULES: Final = (
    CONST_RULE,
    VARIABLE_RULE,
    _BIND_RULE,
    *ALU_RULES,
    Rule("bare", (Ops.CONST, Ops.DEFINE_VAR), "no sources", lambda node: not node.src),
)

tensor_spec: Final = Spec(
    "an AST",
    (
        Rule("sink", (Ops.SINK,), "a SINK has STOREs as sources, is void, and has no arg or a KernelInfo", _is_sink),
        Rule(
            "store",
            (Ops.STORE,),
            "a STORE is void and has a buffer, a VIEW and a value as sources",
            lambda node: _on_buffer(node) and len(node.src) == 3 and node.dtype is dtypes.void,
        ),
        Rule(
            "store-dtype",
            (Ops.STORE,),
            "a value that is stored has the dtype of the buffer's elements",
            lambda node: _element_dtype(node, node.src[2]),
        ),
        Rule(
            "load",
            (Ops.LOAD,),
            "a LOAD has a buffer and a VIEW as sources, and after them at most the STORE into that buffer it waits for",
            _is_load,
        ),
        Rule(
            "load-dtype",
            (Ops.LOAD,),
            "a LOAD has the dtype of the buffer's elements",
            lambda node: _element_dtype(node, node),
        ),
        *BUFFER_RULES,
        Rule(
            "view",
            (Ops.VIEW,),
            "a VIEW is void, has no sources, and has a ShapeTracker as arg",
            lambda node: not node.src and node.dtype is dtypes.void and node.arg.__class__ is ShapeTracker,
        ),
        Rule(
            "view-entries",
            (Ops.VIEW,),
            "symbolic integers are integer arithmetic on constants and variables",
            _has_index_entries,
        ),
        Rule(
            "valid",
            (Ops.VALID,),
            "a VALID is a bool, has a VIEW as source and no arg",
            lambda node: _on_view(node) and node.dtype is dtypes.bool and node.arg is None,
        ),
        WRAPPING_CONST_RULE,
        VARIABLE_RULE,
        Rule(
            "leaf-source",
            (Ops.CONST, Ops.DEFINE_VAR),
            "a constant or variable has no sources but at most one VIEW",
            lambda node: not node.src or _on_view(node),
        ),
        _BIND_RULE,
        Rule(
            "reduce",
            (Ops.REDUCE_AXIS,),
            "a REDUCE_AXIS has one source of its own dtype, and ADD, MUL or MAX with distinct axes as arg",
            _is_reduce,
        ),
        PRODUCT_RULE,
        *FRAGMENT_RULES,
        *ALU_RULES,
        Rule(
            "scalar",
            (*_COMPUTED, Ops.LOAD, Ops.REDUCE_AXIS, Ops.STORE),
            "an AST computes with scalars, but for the fragments of a WMMA",
            lambda node: (node.src[2] if node.op is Ops.STORE else node).dtype.count == 1,
        ),
    ),
    (
        GraphRule(
            "one-node-per-buffer",
            "a buffer has one dtype",
            name_clash((Ops.DEFINE_GLOBAL, Ops.DEFINE_LOCAL), lambda node: node.arg),
        ),
        GraphRule("one-range-per-variable", "a variable has one dtype and one range", _differing_variable),
    ),
)
