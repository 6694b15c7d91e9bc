"""What the opts made of the AST, compared: whether a change begins before lowering.

The smallest member of each cluster is looked at. Both sides give the optimised AST as rows; the installed compiler puts
both into words, so that another way of writing a node is no difference.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from replay.adapters import Adapter, ImportRefused
from replay.cluster import AST, cluster_findings
from replay.executor import Executor, Lane, Task
from replay.finding import Finding
from replay.memo import Memo
from replay.outcome import Outcome, Result, Status
from replay.plan import Pair

__all__ = ["ast_changes", "compare_asts"]

ACTION = "optimized_ast"
MAX_NODES = 40  # that differ: pairing takes time that grows with their square
MAX_CHANGES = 6
_PARTS = ("op", "dtype", "arg")

Node = Sequence[str]
"""Op, dtype and arg as text."""
Progress = Callable[[str, int, int], None]


def compare_asts(
    findings: Sequence[Finding],
    pairs: Mapping[tuple[str, str, str], Pair],
    sides: tuple[Lane, Lane],
    adapter: Adapter,
    executor: Executor,
    memo: Memo,
    payload: Callable[[str], bytes],
    progress: Progress = lambda stage, done, total: None,
) -> list[Finding]:
    """The findings, the smallest of each cluster with how its optimised AST changed among its `changes`."""
    changed = [finding for finding in findings if finding.outcome is Outcome.CHANGED and finding.error is None]
    tasks: dict[int, tuple[Task, Task]] = {}
    for finding in [cluster.smallest for cluster in cluster_findings(changed)]:
        pair = pairs[finding.record, finding.backend, finding.mode]
        base, head = (replace(pair.task(side), action=ACTION) for side in sides)
        tasks[id(finding)] = base, head

    wanted = [task for both in tasks.values() for task in both]
    results = {task: known for task in wanted if (known := memo.get(task)) is not None}
    missing = [task for task in wanted if task not in results]
    for done, (task, result) in enumerate(executor.run(missing, payload)):
        progress("comparing ASTs", done, len(missing))
        memo.put(task, result)
        results[task] = result
    memo.flush()

    said = {key: _said(adapter, results[base], results[head]) for key, (base, head) in tasks.items()}
    return [replace(finding, changes=finding.changes + said.get(id(finding), [])) for finding in findings]


def _said(adapter: Adapter, base: Result, head: Result) -> list[str]:
    """What differs; nothing where a revision is from before the action, or has ops that the installed one lacks."""
    if base.status is not Status.OK or head.status is not Status.OK:
        return []
    try:
        before, after = (adapter.ast_nodes(result.data["ast"]) for result in (base, head))
    except ImportRefused:
        return []
    return [f"{AST}{change}" for change in ast_changes(before, after)]


def ast_changes(before: Sequence[Node], after: Sequence[Node]) -> list[str]:
    """How the nodes of an AST changed, in words: what of a node became another, which nodes came and went."""
    old, new = Counter(map(tuple, before)), Counter(map(tuple, after))
    gone, come = list((old - new).elements()), list((new - old).elements())
    if not gone and not come:
        return [] if list(before) == list(after) else ["the same nodes, in another order"]
    if max(len(gone), len(come)) > MAX_NODES:
        return [f"{len(before)} -> {len(after)} nodes, {len(gone)} of them gone and {len(come)} new"]
    from deepdiff.diff import DeepDiff  # takes long to import

    lost, won = ([dict(zip(_PARTS, node, strict=True)) for node in nodes] for nodes in (gone, come))
    difference = DeepDiff(
        lost,
        won,
        view="tree",
        ignore_order=True,
        report_repetition=True,
        cutoff_intersection_for_pairs=1,
        cutoff_distance_for_pairs=0.5,
    )
    found = sorted([words for kind in difference for change in difference[kind] for words in _words(kind, change)])
    rest = len(found) - MAX_CHANGES
    return found[:MAX_CHANGES] + ([f"{rest} more"] if rest > 0 else [])


def _words(kind: str, change: Any) -> Iterator[str]:
    if kind == "values_changed":
        node, part = change.up.t1, change.path(output_format="list")[-1]
        yield f"{node['op']} {part}: {change.t1} -> {change.t2}"
    elif kind == "repetition_change":
        repeats = change.additional["repetition"]
        yield f"{_text(change.t1)}: {repeats['old_repeat']} -> {repeats['new_repeat']} times"
    elif kind == "iterable_item_added":
        yield f"{_text(change.t2)} added"
    elif kind == "iterable_item_removed":
        yield f"{_text(change.t1)} removed"


def _text(node: Mapping[str, str]) -> str:
    return " ".join([node[part] for part in _PARTS if node[part]])
