"""Decompositions: ops that a backend does not have, expressed by ops that it has.

Each rule is for one op and takes part only where the renderer's table lacks it.
"""

from __future__ import annotations

import functools
from typing import Final

from core.context import TRANSCENDENTAL
from core.dtype import dtypes
from core.ir.ops import Ops
from core.ir.pattern import PatternMatcher, Rule, UPat
from core.ir.rewrite import graph_rewrite
from core.ir.uop import UOp, folded
from core.lower.division import DIVISION_RULES
from core.lower.target import LoweringTarget
from core.lower.transcendental import TRANSCENDENTAL_RULES

__all__ = ["DECOMPOSITIONS", "decompose", "threefry2x32"]

# Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC'11: Threefry-2x32 with 20 rounds
_THREEFRY_ROTATIONS: Final = ((13, 15, 26, 6), (17, 29, 16, 24))
_THREEFRY_PARITY: Final = 0x1BD11BDA
_LOW_WORD: Final = 0xFFFFFFFF

X, Y = UPat.var("x"), UPat.var("y")


def threefry2x32(x: UOp, y: UOp) -> UOp:
    """Threefry-2x32 of the counter `x` under the key `y`, both ulong: the low word first."""
    low, high = _word(x), _word(x // (1 << 32))
    key_low, key_high = _word(y), _word(y // (1 << 32))
    keys = (key_high, key_low ^ key_high ^ _THREEFRY_PARITY, key_low)

    words = [low + keys[-1], high + keys[0]]
    for i in range(5):
        for rotation in _THREEFRY_ROTATIONS[i % 2]:
            mixed = words[0] + words[1]
            rotated = words[1] * (1 << rotation) + words[1] // (1 << (32 - rotation))
            words = [mixed, mixed ^ rotated]
        words = [words[0] + keys[i % 3], words[1] + keys[(i + 1) % 3] + (i + 1)]
    return words[1].cast(dtypes.ulong) * (1 << 32) | words[0].cast(dtypes.ulong)


def _word(x: UOp) -> UOp:
    return (x & _LOW_WORD).cast(dtypes.uint)


def greater(x: UOp, y: UOp) -> UOp:
    return x.alu(Ops.CMPLT, y).where(y, x)


def reciprocal(x: UOp) -> UOp:
    return UOp.const(x.dtype, 1.0).alu(Ops.FDIV, x)


DECOMPOSITIONS: Final[dict[Ops, Rule]] = {
    Ops.THREEFRY: Rule("threefry", "Threefry-2x32 in 20 rounds", UPat(Ops.THREEFRY, src=(X, Y)), threefry2x32),
    Ops.MAX: Rule("max_by_comparing", "y where x < y, else x", UPat(Ops.MAX, src=(X, Y)), greater),
    Ops.RECIP: Rule("reciprocal_by_dividing", "1/x by dividing", UPat(Ops.RECIP, src=(X,)), reciprocal),
}

# ops that no rule above builds and that make a program easier to read and cheaper to run where the backend has them
IMPROVEMENTS: Final[dict[Ops, tuple[Rule, ...]]] = {
    Ops.SUB: (
        Rule(
            "subtract",
            "x + y * -1 is x - y",
            UPat(Ops.ADD, src=[X, UPat(Ops.MUL, src=(Y, UPat.const(value=-1)))], kind="iuf"),
            lambda x, y: folded(Ops.SUB, x.dtype, (x, y)),
        ),
        Rule(
            "subtract_negated",
            "x + -y is x - y",
            UPat(Ops.ADD, src=[X, UPat(Ops.NEG, src=(Y,))], kind="iuf"),
            lambda x, y: folded(Ops.SUB, x.dtype, (x, y)),
        ),
    ),
    Ops.NEG: (
        Rule(
            "negate",
            "x * -1 is -x",
            UPat(Ops.MUL, src=(X, UPat.const(value=-1)), kind="iuf"),
            lambda x: folded(Ops.NEG, x.dtype, (x,)),
        ),
    ),
}


@functools.lru_cache(maxsize=64)
def _tables(target: LoweringTarget, approximate: bool) -> tuple[PatternMatcher, ...]:
    """The tables that apply to a backend, in order; with `approximate`, EXP2, LOG2 and SIN even where it has them."""
    available = target.code_for_op.keys()
    rules = [rule for op, rule in TRANSCENDENTAL_RULES.items() if approximate or op not in available]
    rules += [rule for op, rule in DECOMPOSITIONS.items() if op not in available]
    rules += DIVISION_RULES if target.slow_division else ()
    rules += [rule for op, rules in IMPROVEMENTS.items() if op in available for rule in rules]
    every = (target.pre_matcher, PatternMatcher("decompose", rules), target.extra_matcher)
    return tuple([table for table in every if table is not None and table.rules])


def decompose(sink: UOp, target: LoweringTarget) -> UOp:
    """`sink` in ops that the backend has. What cannot be decomposed is left for the renderer to refuse."""
    for table in _tables(target, TRANSCENDENTAL.value >= 2):
        sink = graph_rewrite(sink, table)
    return sink
