"""The rewrite driver: a table of rules applied to a whole graph until nothing changes, without recursion."""

from __future__ import annotations

from core.ir.pattern import PatternMatcher
from core.ir.uop import UOp, folded

__all__ = ["graph_rewrite"]

VISIT, REBUILD, RESULT = range(3)


def graph_rewrite(root: UOp, matcher: PatternMatcher) -> UOp:
    """`root` with the rules of `matcher` applied, operands before their users, each result rewritten again.

    Every node is visited once; a rule's result that is new is visited in turn. Rebuilt nodes fold as they are built.
    """
    done: dict[UOp, UOp] = {}
    stack: list[tuple[int, UOp, UOp]] = [(VISIT, root, root)]

    while stack:
        step, key, node = stack.pop()
        if step == VISIT:
            if node in done:
                continue
            stack.append((REBUILD, node, node))
            stack.extend([(VISIT, source, source) for source in reversed(node.src) if source not in done])
            continue
        if step == RESULT:
            done[key] = done[node]
            continue

        src = tuple([done[source] for source in node.src])
        rebuilt = node if src == node.src else folded(node.op, node.dtype, src, node.arg)
        result = matcher.rewrite(rebuilt)
        if result is None and rebuilt is node:
            done[key] = node
            continue

        follow = rebuilt if result is None else result
        if follow in done:
            done[key] = done[follow]
        else:
            stack.append((RESULT, key, follow))
            stack.append((VISIT, follow, follow))
    return done[root]
