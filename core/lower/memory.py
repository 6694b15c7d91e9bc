"""Memory accesses: gates that are known are resolved, and accesses of neighbouring elements are joined to vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from core.dtype import DType, PtrDType, dtypes
from core.ir.linear_form import LinearForm
from core.ir.ops import Ops
from core.ir.uop import UOp, folded
from core.lower.target import LoweringTarget

__all__ = ["load", "load_lanes", "store", "store_lanes"]

# the elements a vector access may have, the widest first
_WIDTHS: Final = (4, 2)
_HALF_WIDTHS: Final = (8, 4, 2)


class _Base(NamedTuple):
    """What neighbouring accesses have in common: all of the address but a constant, and what else they hang on."""

    buffer: UOp
    variable: UOp | None
    rest: tuple[UOp, ...]


def load(dtype: DType, src: tuple[UOp, ...]) -> UOp:
    """LOAD with `src` (address, or address, alternative, gate); a gate that is known is resolved."""
    if len(src) == 3 and src[2].op is Ops.CONST:
        return UOp(Ops.LOAD, dtype, src[:1]) if src[2].arg else src[1]
    return UOp(Ops.LOAD, dtype, src)


def store(src: tuple[UOp, ...]) -> UOp:
    """STORE with `src` (address, value, or address, value, gate); a gate that is always true is dropped."""
    if len(src) == 3 and src[2].op is Ops.CONST and src[2].arg:
        src = src[:2]
    return UOp(Ops.STORE, dtypes.void, src)


def load_lanes(dtype: DType, columns: Sequence[Sequence[UOp]], target: LoweringTarget) -> list[UOp]:
    """The loads of all lanes, as elements of vector loads where neighbours can be read at once."""
    lanes = [load(dtype, src) for src in zip(*columns, strict=True)]
    if not target.supports_float4:
        return lanes

    groups: dict[_Base, dict[int, UOp]] = {}
    for lane in dict.fromkeys(lanes):
        if lane.op is Ops.LOAD:
            base, offset = _split(lane.src[0], lane.src[1:])
            groups.setdefault(base, {})[offset] = lane

    joined: dict[UOp, UOp] = {}
    for base, by_offset in groups.items():
        for run in _runs(base, sorted(by_offset), _widths(dtype, target)):
            vector = _vector_load(dtype, by_offset[run[0]], len(run))
            for i, offset in enumerate(run):
                joined[by_offset[offset]] = UOp(Ops.GEP, dtype, (vector,), i)
    return [joined.get(lane, lane) for lane in lanes] if joined else lanes


def store_lanes(columns: Sequence[Sequence[UOp]], target: LoweringTarget) -> list[UOp]:
    """The stores of all lanes, each once, neighbours joined to vector stores; what is never stored is dropped."""
    lanes = [lane for lane in dict.fromkeys([store(src) for src in zip(*columns, strict=True)]) if not _never(lane)]
    if not target.supports_float4:
        return lanes

    groups: dict[_Base, dict[int, UOp]] = {}
    for lane in lanes:
        base, offset = _split(lane.src[0], lane.src[2:])
        groups.setdefault(base, {})[offset] = lane

    joined: dict[UOp, UOp | None] = {}
    for base, by_offset in groups.items():
        for run in _runs(base, sorted(by_offset), _widths(lanes[0].src[1].dtype, target)):
            members = [by_offset[offset] for offset in run]
            joined.update(dict.fromkeys(members))
            joined[members[0]] = _vector_store(members)
    return [kept for lane in lanes if (kept := joined.get(lane, lane)) is not None]


def _never(lane: UOp) -> bool:
    return len(lane.src) == 3 and lane.src[2].op is Ops.CONST and not lane.src[2].arg


def _widths(dtype: DType, target: LoweringTarget) -> tuple[int, ...]:
    if dtype.count > 1 or dtype.is_bool:
        return ()
    return _HALF_WIDTHS if dtype is dtypes.half and target.max_vector >= _HALF_WIDTHS[0] else _WIDTHS


def _split(address: UOp, rest: tuple[UOp, ...]) -> tuple[_Base, int]:
    """The address as a base and a constant number of elements beyond it."""
    buffer, index, after = address.src[0], address.src[1], address.src[2:]
    if index.op is Ops.CONST:
        return _Base(buffer, None, (*after, *rest)), index.arg
    if index.op is Ops.ADD and index.src[1].op is Ops.CONST:
        return _Base(buffer, index.src[0], (*after, *rest)), index.src[1].arg
    return _Base(buffer, index, (*after, *rest)), 0


def _runs(base: _Base, offsets: Sequence[int], widths: tuple[int, ...]) -> list[list[int]]:
    """Runs of consecutive offsets that one aligned vector access covers."""
    assert isinstance(base.buffer.dtype, PtrDType)
    alignment = next((width for width in widths if _divisible(base.variable, width)), 1)
    runs: list[list[int]] = []
    position = 0
    while position < len(offsets):
        start = offsets[position]
        for width in widths:
            run = list(offsets[position : position + width])
            if width <= alignment and start % width == 0 and run == list(range(start, start + width)):
                runs.append(run)
                position += width
                break
        else:
            position += 1
    return runs


def _divisible(index: UOp | None, width: int) -> bool:
    """Whether `index` is a multiple of `width` whatever its variables are."""
    form = None if index is None else LinearForm.of(index)
    if index is None:
        return True
    return form is not None and form.constant % width == 0 and all(f % width == 0 for f in form.terms.values())


def _vector_load(dtype: DType, first: UOp, width: int) -> UOp:
    alternative = (UOp.const(dtype.vec(width), first.src[1].arg), first.src[2]) if len(first.src) == 3 else ()
    return UOp(Ops.LOAD, dtype.vec(width), (first.src[0], *alternative))


def _vector_store(members: Sequence[UOp]) -> UOp:
    values = tuple([member.src[1] for member in members])
    vector = folded(Ops.VECTORIZE, values[0].dtype.vec(len(values)), values)
    return UOp(Ops.STORE, dtypes.void, (members[0].src[0], vector, *members[0].src[2:]))
