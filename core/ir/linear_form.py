"""Integer sums as linear forms: coefficients of distinct terms, and a constant.

Adding integers is associative and commutative even where it wraps, so a sum may always be taken apart and put together
again. What is true of the value only while nothing wraps (dividing, comparing) has to look at `LinearForm.bounds`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Final

from core.dtype import DType
from core.ir.ops import Ops
from core.ir.uop import UOp

__all__ = ["LinearForm"]

# the value of these comes from data: sums of them are left in the order in which they were written
_DATA: Final = frozenset(
    {Ops.LOAD, Ops.REDUCE, Ops.GEP, Ops.BITCAST, Ops.WMMA, Ops.DEFINE_ACC, Ops.UNROLL, Ops.CONTRACT}
)


class LinearForm:
    """`constant` + the sum of coefficient * term, all of one integer dtype."""

    __slots__ = ("constant", "dtype", "terms")

    def __init__(self, dtype: DType, terms: dict[UOp, int], constant: int) -> None:
        self.dtype, self.terms, self.constant = dtype, terms, constant

    @staticmethod
    def of(node: UOp) -> LinearForm | None:
        """The linear form of an integer expression, or None for a sum of data."""
        terms: dict[UOp, int] = {}
        constant = 0
        stack = [(node, 1)]
        while stack:
            top, factor = stack.pop()
            op = top.op
            if op is Ops.ADD:
                stack.append((top.src[1], factor))
                stack.append((top.src[0], factor))
            elif op is Ops.CONST:
                constant += factor * top.arg
            elif op is Ops.MUL and top.src[1].op is Ops.CONST:
                stack.append((top.src[0], factor * top.src[1].arg))
            elif op in _DATA or (op is Ops.CAST and top.src[0].op in _DATA):
                return None
            else:
                terms[top] = terms.get(top, 0) + factor
        return LinearForm(node.dtype, {term: factor for term, factor in terms.items() if factor}, constant)

    def bounds(self) -> tuple[int, int]:
        """The mathematical range of the sum, which may lie outside the dtype."""
        low = high = self.constant
        for term, factor in self.terms.items():
            a, b = term.vmin * factor, term.vmax * factor
            low += min(a, b)
            high += max(a, b)
        return low, high

    def fits(self) -> bool:
        """Whether no partial sum can wrap, in whatever order it is added up."""
        low = high = self.constant
        for term, factor in self.terms.items():
            a, b = term.vmin * factor, term.vmax * factor
            low += min(a, b, 0)
            high += max(a, b, 0)
        return bool(self.dtype.min <= min(low, 0) and max(high, 0) <= self.dtype.max)

    def part(self, keep: Callable[[int], bool], constant: int) -> LinearForm:
        """The terms whose coefficient `keep` accepts, with another constant."""
        return LinearForm(self.dtype, {term: f for term, f in self.terms.items() if keep(f)}, constant)

    def map(self, change: Callable[[int], int], constant: int) -> LinearForm:
        """Every coefficient changed, those that become 0 dropped."""
        changed = {term: change(f) for term, f in self.terms.items()}
        return LinearForm(self.dtype, {term: f for term, f in changed.items() if f}, constant)

    def negated(self) -> LinearForm:
        return self.map(lambda factor: -factor, -self.constant)

    def to_uop(self) -> UOp:
        """The sum in its canonical order: the largest coefficients first, the constant last."""
        dtype = self.dtype
        ordered = self.terms.items()
        pieces = [_scaled(term, factor) for term, factor in _sorted(ordered)]
        if self.constant or not pieces:
            pieces.append(UOp.const(dtype, self.constant))

        total = pieces[0]
        for piece in pieces[1:]:
            total = UOp(Ops.ADD, dtype, (total, piece))
        return total


def _sorted(terms: Iterable[tuple[UOp, int]]) -> list[tuple[UOp, int]]:
    by_size = sorted(terms, key=_by_size)
    groups = [list(group) for _, group in itertools.groupby(by_size, key=_by_size)]
    return [item for group in groups for item in (group if len(group) == 1 else sorted(group, key=_by_order))]


def _by_size(item: tuple[UOp, int]) -> tuple[int, bool]:
    return -abs(item[1]), item[1] < 0


def _by_order(item: tuple[UOp, int]) -> tuple[object, ...]:
    return item[0].order


def _scaled(term: UOp, factor: int) -> UOp:
    return term if factor == 1 else UOp(Ops.MUL, term.dtype, (term, UOp.const(term.dtype, factor)))
