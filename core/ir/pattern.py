"""Patterns over graphs, and tables of named rewrite rules.

A pattern is compiled once to a closure. A table finds the rules for a node by its op, its dtype and the ops of its
operands, so that a rule is tried only where these allow it.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from core.dtype import DType
from core.ir import trace
from core.ir.ops import Ops
from core.ir.uop import UOp

__all__ = ["PatternMatcher", "Rule", "UPat"]

Captures: TypeAlias = "list[Any]"
Match: TypeAlias = Callable[[UOp, Captures], bool]


class UPat:
    """A pattern of one node.

    `op`: an op or several; None for any. `src`: a tuple matches the operands in order, a list in any order, a single
    pattern every operand; None leaves them unchecked. `kind`: letters of `DType.kind` that the dtype may have. `arg`:
    what `arg` must equal. `only`: ops outside of which no operand's op may lie, for rules that take any number of them.
    `name`: the name under which the node is handed to the rule; a name used twice must match the same node.
    """

    __slots__ = ("arg", "dtype", "kind", "name", "only", "ops", "src")

    def __init__(
        self,
        op: Ops | Collection[Ops] | None = None,
        *,
        src: tuple[UPat, ...] | list[UPat] | UPat | None = None,
        kind: str | None = None,
        dtype: DType | None = None,
        arg: Any = None,
        only: Collection[Ops] | None = None,
        name: str | None = None,
    ) -> None:
        self.ops = None if op is None else frozenset((op,) if isinstance(op, Ops) else op)
        self.src, self.kind, self.dtype, self.arg, self.only, self.name = src, kind, dtype, arg, only, name

    @staticmethod
    def var(name: str, kind: str | None = None) -> UPat:
        """Any node."""
        return UPat(name=name, kind=kind)

    @staticmethod
    def const(name: str | None = None, value: Any = None) -> UPat:
        """A constant, of that value if one is given."""
        return UPat(Ops.CONST, arg=value, name=name)

    def operands(self) -> Sequence[UPat]:
        """The patterns of single operands, where they are told apart."""
        return self.src if isinstance(self.src, (tuple, list)) else ()

    def admits(self, op: Ops, dtype: DType) -> bool:
        """Whether a node of this op and dtype can match the root of this pattern."""
        if self.ops is not None and op not in self.ops:
            return False
        if self.dtype is not None and dtype is not self.dtype:
            return False
        return self.kind is None or dtype.kind in self.kind

    def admits_operands(self, present: int) -> bool:
        """Whether a node can match whose operands have the ops in the bit mask `present`."""
        if self.only is not None and (not present or present & ~_mask(self.only)):
            return False
        single = [next(iter(operand.ops)) for operand in self.operands() if operand.ops and len(operand.ops) == 1]
        return not _mask(single) & ~present


def _mask(ops: Iterable[Ops]) -> int:
    mask = 0
    for op in ops:
        mask |= 1 << op
    return mask


@dataclass(frozen=True)
class Rule:
    """What `pattern` matches becomes `rewrite(...)`, or stays if that gives None.

    `rewrite` names its parameters after the pattern's captures. `doc` is one line of what the rule does.
    """

    name: str
    doc: str
    pattern: UPat
    rewrite: Callable[..., UOp | None]


_Entry: TypeAlias = "tuple[Match, Callable[[Captures], UOp | None], int, Rule]"


TABLES: dict[str, PatternMatcher] = {}
"""Every table by its name, for those who ask where a rule is."""


class PatternMatcher:
    """A table of rules, tried in order; the first that gives a node wins."""

    def __init__(self, name: str, rules: Sequence[Rule]) -> None:
        names = [rule.name for rule in rules]
        if len(set(names)) != len(names):
            raise ValueError(f"table {name} has two rules of one name")
        rootless = [rule.name for rule in rules if rule.pattern.ops is None]
        if rootless:
            raise ValueError(f"rule {name}.{rootless[0]} names no root op: it would be tried on every node")

        self.name, self.rules = name, tuple(rules)
        TABLES[name] = self
        self._compiled = [(rule, *_compile_rule(name, rule)) for rule in rules]
        # by op, by dtype, by the ops of the operands: filled as they come up
        self._dispatch: dict[Ops, dict[DType, dict[int, tuple[_Entry, ...]]]] = {
            op: {} for rule in rules for op in rule.pattern.ops or ()
        }

    def __add__(self, other: PatternMatcher) -> PatternMatcher:
        return PatternMatcher(f"{self.name}+{other.name}", (*self.rules, *other.rules))

    def rewrite(self, node: UOp) -> UOp | None:
        """What the first applicable rule makes of `node`, or None."""
        by_dtype = self._dispatch.get(node.op)
        if by_dtype is None:
            return None
        present = 0
        for source in node.src:
            present |= 1 << source.op

        by_operands = by_dtype.get(node.dtype)
        if by_operands is None:
            by_operands = by_dtype[node.dtype] = {}
        entries = by_operands.get(present)
        if entries is None:
            entries = by_operands[present] = self._entries(node.op, node.dtype, present)

        for match, call, size, rule in entries:
            captures: Captures = [None] * size
            if match(node, captures) and (result := call(captures)) is not None and result is not node:
                recording = trace.active()
                if recording is not None:
                    recording.record(self.name, rule.name, node, result)
                return result
        return None

    def _entries(self, op: Ops, dtype: DType, present: int) -> tuple[_Entry, ...]:
        return tuple(
            [
                (match, call, size, rule)
                for rule, match, call, size in self._compiled
                if rule.pattern.admits(op, dtype) and rule.pattern.admits_operands(present)
            ]
        )


def _compile_rule(table: str, rule: Rule) -> tuple[Match, Callable[[Captures], UOp | None], int]:
    slots: dict[str, int] = {}
    match = _compile(rule.pattern, slots, root=True)

    wanted = list(inspect.signature(rule.rewrite).parameters)
    unknown = [name for name in wanted if name not in slots]
    if unknown:
        raise ValueError(f"rule {table}.{rule.name} asks for {unknown[0]!r}, which its pattern does not capture")

    rewrite, positions = rule.rewrite, [slots[name] for name in wanted]
    if positions == list(range(len(slots))):
        return match, lambda captures: rewrite(*captures), len(slots)
    return match, lambda captures: rewrite(*[captures[i] for i in positions]), len(slots)


def _compile(pattern: UPat, slots: dict[str, int], root: bool = False) -> Match:
    """The closure that matches `pattern`. The root's op and dtype are checked by the table's dispatch."""
    checks: list[Match] = []
    if not root:
        checks.extend(_type_checks(pattern))
    if pattern.arg is not None:
        wanted = pattern.arg
        checks.append(lambda node, _: bool(node.arg == wanted))
    if pattern.name is not None:
        checks.append(_capture(pattern.name, slots))
    if pattern.src is not None:
        checks.append(_operand_check(pattern, slots))
    return _all(checks)


def _type_checks(pattern: UPat) -> list[Match]:
    checks: list[Match] = []
    if pattern.ops is not None:
        ops = pattern.ops
        single = next(iter(ops)) if len(ops) == 1 else None
        checks.append((lambda node, _: node.op is single) if single is not None else (lambda node, _: node.op in ops))
    if pattern.dtype is not None:
        dtype = pattern.dtype
        checks.append(lambda node, _: node.dtype is dtype)
    if pattern.kind is not None:
        kind = pattern.kind
        checks.append(lambda node, _: node.dtype.kind in kind)
    return checks


def _capture(name: str, slots: dict[str, int]) -> Match:
    if name in slots:
        slot = slots[name]
        return lambda node, captures: captures[slot] is node

    slot = slots[name] = len(slots)

    def capture(node: UOp, captures: Captures) -> bool:
        captures[slot] = node
        return True

    return capture


def _operand_check(pattern: UPat, slots: dict[str, int]) -> Match:
    if isinstance(pattern.src, UPat):
        each = _compile(pattern.src, slots)
        return lambda node, captures: all(each(source, captures) for source in node.src)

    operands = [_compile(operand, slots) for operand in pattern.operands()]
    count = len(operands)

    if isinstance(pattern.src, tuple):
        if count == 2:
            first, second = operands
            return lambda node, captures: (
                len(node.src) == 2 and first(node.src[0], captures) and second(node.src[1], captures)
            )
        return lambda node, captures: (
            len(node.src) == count and all(match(s, captures) for match, s in zip(operands, node.src, strict=True))
        )

    orders = list(itertools.permutations(range(count)))

    def in_any_order(node: UOp, captures: Captures) -> bool:
        return len(node.src) == count and any(
            all(match(node.src[i], captures) for match, i in zip(operands, order, strict=True)) for order in orders
        )

    return in_any_order


def _all(checks: list[Match]) -> Match:
    if not checks:
        return lambda node, captures: True
    if len(checks) == 1:
        return checks[0]
    if len(checks) == 2:
        first, second = checks
        return lambda node, captures: first(node, captures) and second(node, captures)

    def every(node: UOp, captures: Captures) -> bool:
        for check in checks:  # noqa: SIM110 - a generator costs more than the checks
            if not check(node, captures):
                return False
        return True

    return every
