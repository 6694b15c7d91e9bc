"""Comparing two results of one record: the outcome, a unified diff, and the facts besides the source that differ."""

import difflib
from typing import Any

from replay.outcome import CHANGES, Outcome, Result, Status

__all__ = ["confirmed", "describe_failure", "facts_changed", "judge", "unified"]

MAX_DIFF_LINES = 20_000
_WORST_FIRST = (
    (Status.CRASH, Outcome.CRASH),
    (Status.TIMEOUT, Outcome.TIMEOUT),
    (Status.MISSING, Outcome.MISSING),
    (Status.UNSUPPORTED, Outcome.UNSUPPORTED),
)


def judge(base: Result, head: Result) -> Outcome:
    """What the two results say together. Two different failures are a change, like two different sources."""
    for status, outcome in _WORST_FIRST:
        if status in (base.status, head.status):
            return outcome
    if base.status is Status.ERROR and head.status is Status.ERROR:
        return Outcome.SAME_ERROR if base.identity == head.identity else Outcome.CHANGED
    if head.status is Status.ERROR:
        return Outcome.ERROR
    if base.status is Status.ERROR:
        return Outcome.FIXED
    return Outcome.SAME if base.identity == head.identity else Outcome.CHANGED


def confirmed(outcome: Outcome, first: tuple[Result, Result], again: tuple[Result, Result]) -> Outcome:
    """The outcome after both sides, each given as (base, head), were compiled a second time with another hash seed."""
    if outcome not in CHANGES:
        return outcome
    second = judge(*again)
    if second in (Outcome.CRASH, Outcome.TIMEOUT, Outcome.MISSING):
        return second
    stable = all(one.identity == other.identity for one, other in zip(first, again, strict=True))
    return outcome if stable else Outcome.FLAKY


def unified(base: Result, head: Result) -> str:
    """A unified diff from base to head, with launch dims as a first line where they differ."""
    launch = (base.global_size, base.local_size) != (head.global_size, head.local_size)
    before, after = _lines(base, launch), _lines(head, launch)
    if max(len(before), len(after)) > MAX_DIFF_LINES:
        return f"@@ too long to compare line by line: {len(before)} lines before, {len(after)} after @@"
    return "\n".join(difflib.unified_diff(before, after, "base", "head", lineterm=""))


def _lines(result: Result, launch: bool) -> list[str]:
    if result.status is not Status.OK:
        return [f"{result.type}: {result.message}"]
    sizes = [f"launch: global {result.global_size}, local {result.local_size}"] if launch else []
    return sizes + result.src.split("\n")


def facts_changed(base: Result, head: Result) -> list[str]:
    """What differs besides the source, in words, such as `local_size[0]: 16 -> 32`."""
    if base.status is not Status.OK or head.status is not Status.OK:
        return []
    from deepdiff.diff import DeepDiff  # takes longer to import than a small diff to run, and most find nothing to say

    difference = DeepDiff(_facts(base), _facts(head), verbose_level=2, view="text", threshold_to_diff_deeper=0)
    found = []
    for kind in ("values_changed", "type_changes"):
        for place, change in difference.get(kind, {}).items():
            found.append(f"{_place(place)}: {change['old_value']} -> {change['new_value']}")
    for kind, word in (("iterable_item_added", "added"), ("dictionary_item_added", "added"),
                       ("iterable_item_removed", "removed"), ("dictionary_item_removed", "removed")):  # fmt: skip
        found += [f"{_place(place)}: {value} {word}" for place, value in difference.get(kind, {}).items()]
    return sorted(found)


def _facts(result: Result) -> dict[str, Any]:
    return {
        "applied_opts": [_opt(opt) for opt in result.applied_opts],
        "global_size": result.global_size,
        "local_size": result.local_size,
        "vars": result.vars,
        "estimates": result.estimates,
    }


def _opt(opt: Any) -> str:
    name, *arguments = opt if isinstance(opt, list) and opt else [opt]
    return f"{name}({', '.join(map(str, arguments))})"


def _place(path: str) -> str:
    return path.removeprefix("root").replace("['", ".").replace("']", "").removeprefix(".")


def describe_failure(base: Result, head: Result) -> dict[str, str] | None:
    """Why there is no source: the head's reason, else the base's; `side` says whose (`both` if they agree)."""
    if base.status is Status.OK and head.status is Status.OK:
        return None
    both = base.status is not Status.OK and base.identity == head.identity
    side, result = ("base", base) if head.status is Status.OK else ("head", head)
    failure = {"side": "both" if both else side, "type": result.type or str(result.status), "message": result.message}
    return failure | ({"field": result.field} if result.field else {})
