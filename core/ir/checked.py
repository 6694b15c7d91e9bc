"""Views and shape trackers made from fields that came from outside, checked before anything relies on them.

The text form and the portable rows both end here. Every function raises ValueError with what is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

from core.dtype import DType, dtype_from_name
from core.ir.limits import INT_MAX, INT_MIN, MAX_RANK, MAX_STRING, MAX_SYMBOLIC
from core.ir.ops import GroupOp, Ops
from core.ir.uop import UOp
from core.shape import ShapeTracker, View
from core.shape.view import row_major

__all__ = ["arg_uops", "checked_string", "checked_view", "named_dtype", "named_op", "symbolic_entries"]

# what a symbolic integer is made of
INDEX_OPS: Final = GroupOp.ALU | {Ops.CONST, Ops.DEFINE_VAR, Ops.BIND, Ops.CAST}

_OPS: Final = {op.name: op for op in Ops}
_MEMO_SIZE: Final = 1 << 12


def named_op(name: str) -> Ops:
    op = _OPS.get(name)
    if op is None:
        raise ValueError(f"unknown op {name[:MAX_STRING]!r}")
    return op


@lru_cache(_MEMO_SIZE)
def named_dtype(name: str) -> DType:
    if len(name) > MAX_STRING:
        raise ValueError(f"unknown dtype {name[:MAX_STRING]!r}")
    return dtype_from_name(name)


def checked_string(value: str) -> str:
    if len(value) > MAX_STRING:
        raise ValueError(f"a string of {len(value)} characters; at most {MAX_STRING} are allowed")
    if not value.isascii() and any("\ud800" <= character <= "\udfff" for character in value):
        raise ValueError("a string with half of a surrogate pair")
    return value


def checked_view(shape: Any, strides: Any, offset: Any, mask: Any, contiguous: Any) -> View:
    """The view of exactly these fields, whose types are not yet known."""
    for name, field in (("shape", shape), ("strides", strides)):
        if field.__class__ is not tuple:
            raise ValueError(f"the {name} of a view is not a tuple")
        for entry in field:
            _check_entry(name, entry)
    if len(shape) > MAX_RANK:
        raise ValueError(f"a view of {len(shape)} dimensions; at most {MAX_RANK} are allowed")
    if len(strides) != len(shape):
        raise ValueError(f"a view of {len(shape)} dimensions has {len(strides)} strides")
    if any(size.__class__ is int and size < 0 for size in shape):
        raise ValueError("a dimension of a view is negative")
    _check_entry("offset", offset)
    if mask is not None:
        _check_mask(shape, mask)
    if contiguous.__class__ is not bool:
        raise ValueError("contiguous is neither True nor False")

    view = View(shape, strides, offset, mask, contiguous)
    plain = offset == 0 and mask is None and strides == row_major(shape)
    if view.static and 0 not in shape and contiguous is not plain:
        raise ValueError(f"contiguous={contiguous} contradicts the rest of the view")
    return view


def _check_entry(name: str, entry: Any) -> None:
    if entry.__class__ is int:
        # one sign bit more than an unsigned entry would have, as indices are signed
        if not INT_MIN <= entry <= INT_MAX >> 1:
            raise ValueError(f"an integer in the {name} of a view needs more than 64 bits")
    elif entry.__class__ is not UOp:
        raise ValueError(f"the {name} of a view holds something other than integers")
    elif fault := _symbolic_fault(entry):
        raise ValueError(f"a symbolic integer in the {name} of a view {fault}")


@lru_cache(_MEMO_SIZE)
def _symbolic_fault(entry: UOp) -> str | None:
    if not entry.dtype.is_int:
        return f"has the dtype {entry.dtype}"
    nodes = entry.toposort()
    if len(nodes) > MAX_SYMBOLIC:
        return f"has {len(nodes)} nodes; at most {MAX_SYMBOLIC} are allowed"
    return next((f"holds the op {node.op.name}" for node in nodes if node.op not in INDEX_OPS), None)


def _check_mask(shape: tuple[Any, ...], mask: Any) -> None:
    if mask.__class__ is not tuple or any(part.__class__ is not tuple or len(part) != 2 for part in mask):
        raise ValueError("the mask of a view is neither None nor a tuple of pairs")
    if len(mask) != len(shape):
        raise ValueError(f"a view of {len(shape)} dimensions has a mask of {len(mask)}")
    for size, (low, high) in zip(shape, mask, strict=True):
        _check_entry("mask", low)
        _check_entry("mask", high)
        if size.__class__ is low.__class__ is high.__class__ is int and not 0 <= low <= high <= size:
            raise ValueError(f"the mask ({low},{high}) does not lie in a dimension of {size}")


@lru_cache(_MEMO_SIZE)
def symbolic_entries(tracker: ShapeTracker) -> tuple[UOp, ...]:
    """The symbolic integers in the views of `tracker`, in the order in which they are written."""
    return tuple(
        [
            entry
            for view in tracker.views
            if not view.static
            for entry in (*view.shape, *view.strides, view.offset, *[end for part in view.mask or () for end in part])
            if isinstance(entry, UOp)
        ]
    )


def arg_uops(arg: Any) -> Iterator[UOp]:
    """The nodes inside an arg, in the order in which they are written."""
    kind = arg.__class__
    if kind is ShapeTracker:
        yield from symbolic_entries(arg)
    elif kind is tuple:
        for item in arg:
            yield from arg_uops(item)
    elif kind is UOp:
        yield arg
