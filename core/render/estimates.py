"""What a program costs, counted on its linear form."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from core.dtype import dtypes
from core.ir.ops import GroupOp, Ops
from core.ir.uop import UOp, folded, sint, ssimplify

__all__ = ["Estimates"]

# what passes the values of its operands on: the arithmetic of a value lies behind these
_CARRIERS: Final = GroupOp.ALU | {
    Ops.CAST,
    Ops.BITCAST,
    Ops.VECTORIZE,
    Ops.GEP,
    Ops.DEFINE_ACC,
    Ops.ASSIGN,
    Ops.WMMA,
}


@dataclass(frozen=True, slots=True)
class Estimates:
    """Each is an int, or a symbolic one where loops or launch dimensions are.

    Both branches of a condition count as run.
    """

    flops: sint = 0
    """Operations on values, of floats and of integers: one an element, two for MULACC. What only computes addresses,
    conditions of memory accesses or ends of loops is left out, and so are conversions."""
    lds: sint = 0
    """Bytes loaded and stored, every repetition counted."""
    mem: sint = 0
    """Bytes of memory reached, every byte counted once for loads and once for stores."""

    @staticmethod
    def from_uops(uops: Sequence[UOp], mem: sint = 0) -> Estimates:
        """The costs of a linear program. `mem` cannot be seen from it, and comes from the kernel's views."""
        counted = _value_arithmetic(uops)
        flops: sint = 0
        lds: sint = 0
        times: sint = 1
        outside: list[sint] = []

        for node in uops:
            if node.op is Ops.RANGE:
                outside.append(times)
                times = _product(times, node.src[0])
            elif node.op is Ops.ENDRANGE:
                times = outside.pop()
            elif node.op is Ops.SPECIAL:
                times = _product(times, node.arg[1])
            elif node.op is Ops.LOAD:
                lds += times * node.dtype.itemsize
            elif node.op is Ops.STORE:
                lds += times * node.src[1].dtype.itemsize
            elif node in counted and node.op in GroupOp.ALU:
                flops += times * node.dtype.count * (2 if node.op is Ops.MULACC else 1)
        return Estimates(ssimplify(flops), ssimplify(lds), ssimplify(mem))

    def to_dict(self) -> dict[str, int | str]:
        """As plain data; a symbolic estimate is an expression in text."""
        return {
            name: value if isinstance(value, int) else value.render()
            for name, value in (("flops", self.flops), ("lds", self.lds), ("mem", self.mem))
        }


def _product(times: sint, size: UOp | int) -> sint:
    """A count of repetitions, as long where it is symbolic: the product may leave the type of an index."""
    if isinstance(size, int):
        return times * size
    if size.op is Ops.CONST:
        return times * int(size.arg)
    return _as_long(size) * times


def _as_long(size: UOp) -> UOp:
    done: dict[UOp, UOp] = {}
    for node in size.toposort():
        dtype = dtypes.long if node.dtype is dtypes.int else node.dtype
        done[node] = folded(node.op, dtype, tuple([done[source] for source in node.src]), node.arg)
    return done[size]


def _value_arithmetic(uops: Iterable[UOp]) -> set[UOp]:
    """The nodes whose value is stored in the end, or chooses what is."""
    reached: set[UOp] = set()
    for node in reversed(list(uops)):
        if node.op in (Ops.STORE, Ops.ASSIGN):
            reached.add(node.src[1])
        elif node in reached:
            if node.op in _CARRIERS:
                reached.update(node.src)
            elif node.op is Ops.LOAD:
                reached.update(node.src[1:2])
    return reached
