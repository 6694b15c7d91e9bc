"""What the opts made of the AST, compared: whether a change begins before lowering.

The smallest member of each cluster is looked at. Both sides give the optimised AST as rows; the installed compiler puts
both into words, so that another way of writing a node is no difference.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
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
MAX_NODES = 1000  # aligning them takes time that grows with their square
MAX_CHANGES = 6
_PARTS = ("op", "dtype", "arg")
_WORDS = {"values_changed": "changed", "dictionary_item_added": "added", "dictionary_item_removed": "removed"}

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
    if max(len(before), len(after)) > MAX_NODES:
        return [] if before == after else [f"it has {len(before)} -> {len(after)} nodes"]
    from deepdiff.diff import DeepDiff  # takes long to import

    old, new = _aligned(before, after)
    difference = DeepDiff(old, new, view="tree", threshold_to_diff_deeper=0)
    found = list(dict.fromkeys([_words(kind, change) for kind in _WORDS for change in difference.get(kind, [])]))
    rest = len(found) - MAX_CHANGES
    return found[:MAX_CHANGES] + ([f"{rest} more"] if rest > 0 else [])


def _aligned(before: Sequence[Node], after: Sequence[Node]) -> tuple[dict[int, Any], dict[int, Any]]:
    """The nodes by numbers: those that stand for each other, as the order of the ops has it, by the same one."""
    matcher = SequenceMatcher(None, [node[0] for node in before], [node[0] for node in after], autojunk=False)
    old: dict[int, Any] = {}
    new: dict[int, Any] = {}
    number = 0
    for what, start, end, other_start, other_end in matcher.get_opcodes():
        for offset in range(max(end - start, other_end - other_start)):
            if offset < end - start:
                old[number] = dict(zip(_PARTS, before[start + offset], strict=True))
            number += what != "equal"  # ops that are not the same do not stand for each other
            if offset < other_end - other_start:
                new[number] = dict(zip(_PARTS, after[other_start + offset], strict=True))
            number += 1
    return old, new


def _words(kind: str, change: Any) -> str:
    if kind == "values_changed":
        return f"{change.up.t1['op']} {change.path(output_format='list')[-1]}: {change.t1} -> {change.t2}"
    node = change.t2 if kind == "dictionary_item_added" else change.t1
    return f"{' '.join([node[part] for part in _PARTS if node[part]])} {_WORDS[kind]}"
