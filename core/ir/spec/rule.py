"""What a spec is made of: named rules, found by a node's op, each with a line that says what it demands."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Final, NoReturn

from core.errors import SpecError
from core.ir.ops import Ops
from core.ir.uop import UOp

__all__ = ["GraphRule", "Rule", "Spec", "broken"]

SHOWN_ARG: Final = 160
SHOWN_SOURCES: Final = 6


@dataclass(frozen=True, slots=True)
class Rule:
    """What each node of `ops` must fulfil. Of the rules of one op, a later one may rely on those before it."""

    name: str
    ops: Collection[Ops]
    demands: str
    holds: Callable[[UOp], bool]


@dataclass(frozen=True, slots=True)
class GraphRule:
    """What the nodes must fulfil together. `offender` gives the first node that does not, or None."""

    name: str
    demands: str
    offender: Callable[[Sequence[UOp]], UOp | None]


class Spec:
    """A set of rules. An op for which there is no rule may not occur at all."""

    def __init__(self, name: str, rules: Sequence[Rule], graph_rules: Sequence[GraphRule] = ()) -> None:
        self.name, self.rules, self.graph_rules = name, tuple(rules), tuple(graph_rules)
        by_op: dict[Ops, list[Rule]] = {}
        for rule in rules:
            for op in rule.ops:
                by_op.setdefault(op, []).append(rule)
        self._by_op = {op: tuple(found) for op, found in by_op.items()}

    def verify(self, uops: Sequence[UOp]) -> None:
        """Raise SpecError for the first rule that `uops`, operands before their users, break."""
        by_op = self._by_op
        for node in uops:
            rules = by_op.get(node.op)
            if rules is None:
                broken(self.name, "known-op", f"an op that may stand in {self.name}", node)
            for rule in rules:
                if not rule.holds(node):
                    broken(self.name, rule.name, rule.demands, node)

        for graph_rule in self.graph_rules:
            offender = graph_rule.offender(uops)
            if offender is not None:
                broken(self.name, graph_rule.name, graph_rule.demands, offender)


def broken(spec: str, rule: str, demands: str, node: UOp) -> NoReturn:
    raise SpecError(f"{spec} breaks the rule {rule!r} ({demands}) with {_shown(node)}")


def _shown(node: UOp) -> str:
    """The node on one short line, its operands by op and dtype only."""
    arg = repr(node.arg)
    if len(arg) > SHOWN_ARG:
        arg = f"{arg[:SHOWN_ARG]}…"
    sources = [f"{source.op.name} {source.dtype}" for source in node.src[:SHOWN_SOURCES]]
    if len(node.src) > SHOWN_SOURCES:
        sources.append(f"… {len(node.src)} in all")
    return f"{node.op.name} {node.dtype}, arg {arg}, sources ({', '.join(sources)})"
