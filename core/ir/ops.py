"""The ops of the graph, and the groups of them that passes ask for."""

from __future__ import annotations

from enum import IntEnum, auto
from typing import Final

__all__ = ["GroupOp", "Ops"]


class Ops(IntEnum):
    """What a node does. An IntEnum because it hashes fast; written by name wherever it is stored."""

    # structure of an AST
    SINK = auto()
    STORE = auto()
    LOAD = auto()
    VIEW = auto()
    VALID = auto()
    REDUCE_AXIS = auto()

    # leaves
    CONST = auto()
    DEFINE_GLOBAL = auto()
    DEFINE_LOCAL = auto()
    DEFINE_VAR = auto()
    BIND = auto()
    SPECIAL = auto()
    RANGE = auto()
    LANE = auto()

    # conversions
    CAST = auto()
    BITCAST = auto()

    # unary
    EXP2 = auto()
    LOG2 = auto()
    SIN = auto()
    SQRT = auto()
    RECIP = auto()
    NEG = auto()

    # binary
    ADD = auto()
    MUL = auto()
    IDIV = auto()
    MOD = auto()
    MAX = auto()
    CMPLT = auto()
    CMPNE = auto()
    XOR = auto()
    OR = auto()
    AND = auto()
    SHL = auto()
    SHR = auto()
    SUB = auto()
    FDIV = auto()
    THREEFRY = auto()

    # ternary
    WHERE = auto()
    MULACC = auto()

    # lowered
    INDEX = auto()
    REDUCE = auto()
    CONTRACT = auto()
    UNROLL = auto()
    VECTORIZE = auto()
    GEP = auto()
    WMMA = auto()
    BARRIER = auto()

    # linear only
    DEFINE_ACC = auto()
    ASSIGN = auto()
    ENDRANGE = auto()
    IF = auto()
    ENDIF = auto()


class GroupOp:
    """Sets of ops."""

    Unary: Final = frozenset({Ops.EXP2, Ops.LOG2, Ops.SIN, Ops.SQRT, Ops.RECIP, Ops.NEG})
    Binary: Final = frozenset(
        {
            Ops.ADD,
            Ops.MUL,
            Ops.IDIV,
            Ops.MOD,
            Ops.MAX,
            Ops.CMPLT,
            Ops.CMPNE,
            Ops.XOR,
            Ops.OR,
            Ops.AND,
            Ops.SHL,
            Ops.SHR,
            Ops.SUB,
            Ops.FDIV,
            Ops.THREEFRY,
        }
    )
    Ternary: Final = frozenset({Ops.WHERE, Ops.MULACC})
    ALU: Final = Unary | Binary | Ternary
    Commutative: Final = frozenset({Ops.ADD, Ops.MUL, Ops.MAX, Ops.CMPNE, Ops.XOR, Ops.OR, Ops.AND})
    Comparison: Final = frozenset({Ops.CMPLT, Ops.CMPNE})
    Reduce: Final = frozenset({Ops.ADD, Ops.MUL, Ops.MAX})
    # what reads or writes memory through a view in an AST; the seed's GroupOp.Buffer
    Buffer: Final = frozenset({Ops.LOAD, Ops.STORE, Ops.VALID, Ops.CONST})
    # f(0) is not 0: what may not stand between a padded load and a sum (the seed's UnsafePad)
    UnsafePad: Final = frozenset({Ops.RECIP, Ops.LOG2, Ops.EXP2, Ops.IDIV})
