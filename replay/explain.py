"""Why a kernel came out otherwise: two traces of one record aligned pass by pass.

The first pass whose result differs is named; in the passes up to it the first rewrite that differs; and the functions
that ran there and whose code, or the constants that they see, is another on the two sides. A rule that one side lacks
shows as a rewrite that only the other makes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from replay.errors import ReplayError
from replay.verify import apart

__all__ = ["Divergence", "Explanation", "Function", "Rewrite", "Wrong", "explain", "first_wrong"]

ANOTHER_RESULT = "the rule gives another result"


@dataclass(frozen=True, slots=True)
class Rewrite:
    """`rule` (`table.name`), defined at file and line, turned `before` into `after`."""

    rule: str
    file: str
    line: int
    before: str
    after: str

    @property
    def what(self) -> tuple[str, str, str]:
        return self.rule, self.before, self.after


@dataclass(frozen=True, slots=True)
class Function:
    """A function that ran and is another on the two sides; a side that does not run it has no place."""

    name: str
    base: str
    head: str


@dataclass(frozen=True, slots=True)
class Divergence:
    """The first rewrites that differ. `culprit` is the rule that one side changed, lacks or has besides."""

    stage: str
    base: Rewrite | None
    head: Rewrite | None
    culprit: str
    verdict: str


@dataclass(frozen=True, slots=True)
class Wrong:
    """The first pass after which the two sides compute something else, and where, as `replay.verify` says it.

    `unseen` are the passes right before it that could not be interpreted: it may be one of these.
    """

    stage: str
    facts: dict[str, Any]
    unseen: tuple[str, ...] = ()


@dataclass
class Explanation:
    """What two traces say together. `stage` is the first pass that differs, None if none does: whose result is another,
    or with `wrong`, after which other results are computed."""

    stage: str | None
    wrong: Wrong | None = None
    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    rewrite: Divergence | None = None
    functions: list[Function] = field(default_factory=list)
    rules_lost: list[str] = field(default_factory=list)
    rules_new: list[str] = field(default_factory=list)
    errors: dict[str, dict[str, str]] = field(default_factory=dict)

    @property
    def suspects(self) -> list[str]:
        """The rule or the functions to look at, the likeliest first."""
        named = [self.rewrite.culprit] if self.rewrite is not None else []
        rules = [*self.rules_lost, *self.rules_new]
        surely = self.rewrite is not None and self.wrong is not None and self.rewrite.verdict == ANOTHER_RESULT
        first = [rule for rule in named if rule in rules or surely]
        functions = [function.name for function in self.functions]
        return list(dict.fromkeys([*first, *rules, *functions, *named]))


def first_wrong(base: dict[str, Any], head: dict[str, Any]) -> Wrong | None:
    """The first pass after which two runs of all passes differ by more than rounding; None if none does.

    Raises ReplayError if they cannot be compared.
    """
    if base["inputs"] != head["inputs"]:
        raise ReplayError("the two revisions do not draw the same inputs: their results cannot be compared")
    old, new = _by_name(base), _by_name(head)
    reference = base["passes"][0].get("outputs")
    unseen: list[str] = []
    for name in [name for name in old if name in new]:
        if "outputs" not in old[name] or "outputs" not in new[name]:
            unseen.append(name)
            continue
        if old[name]["digest"] != new[name]["digest"]:
            kind, facts = apart(old[name] | {"reference": reference}, new[name])
            if kind == "different":
                return Wrong(name, facts, tuple(unseen))
        unseen = []
    return None


def explain(base: dict[str, Any], head: dict[str, Any], wrong: Wrong | None = None) -> Explanation:
    """Align two traces: up to the first pass whose result is another, or up to the one that is `wrong`.

    Raises ReplayError for traces of different layouts.
    """
    if wrong is not None:
        return _explain_wrong(base, head, wrong)
    old, new = _by_name(base), _by_name(head)
    order = [name for name in old if name in new]
    if not order:
        raise ReplayError("the two revisions have no pass of one name")
    found = Explanation(next((name for name in order if old[name]["lines"] != new[name]["lines"]), None))
    for side, trace in (("base", base), ("head", head)):
        if trace.get("error"):
            found.errors[side] = trace["error"]
    if found.stage is None and found.errors:
        found.stage = next(iter(found.errors.values()))["pass"]
    if found.stage is None:
        return found
    upto = order[: order.index(found.stage) + 1] if found.stage in order else order
    found.before, found.after = old.get(found.stage, {}).get("lines", []), new.get(found.stage, {}).get("lines", [])
    found.rules_lost, found.rules_new = _rules(base, head)
    found.rewrite = _first_rewrite(upto, old, new)
    found.functions = _functions(upto, old, new)
    return found


def _explain_wrong(base: dict[str, Any], head: dict[str, Any], wrong: Wrong) -> Explanation:
    """What differs in the pass that is wrong, and not in those before it, whose results are right all the same."""
    old, new = _by_name(base), _by_name(head)
    nearest = [name for name in (*wrong.unseen, wrong.stage) if name in old and name in new]
    before, after = old.get(wrong.stage, {}), new.get(wrong.stage, {})
    found = Explanation(wrong.stage, wrong, before.get("lines", []), after.get("lines", []))
    fired = {rewrite["rule"] for trace in (old, new) for name in nearest for rewrite in trace[name]["rewrites"]}
    found.rules_lost, found.rules_new = ([rule for rule in rules if rule in fired] for rules in _rules(base, head))
    order = list(old)[: list(old).index(wrong.stage) + 1]
    upto = [name for name in order if name in new]
    found.rewrite = _first_rewrite(nearest, old, new) or _first_rewrite(upto, old, new)
    found.functions = _functions(upto, old, new)
    return found


def _by_name(trace: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {one["name"]: one for one in trace["passes"]}


def _rules(base: dict[str, Any], head: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Rules by `table.name` that only the base has, and only the head."""
    old, new = (
        {f"{table}.{rule}" for table, rules in trace["rules"].items() for rule in rules} for trace in (base, head)
    )
    return sorted(old - new), sorted(new - old)


def _first_rewrite(order: Sequence[str], old: dict[str, Any], new: dict[str, Any]) -> Divergence | None:
    for name in order:
        left = [Rewrite(**rewrite) for rewrite in old[name]["rewrites"]]
        right = [Rewrite(**rewrite) for rewrite in new[name]["rewrites"]]
        for place in range(max(len(left), len(right))):
            one = left[place] if place < len(left) else None
            other = right[place] if place < len(right) else None
            if one is None or other is None or one.what != other.what:
                return _judged(name, one, other, left, right)
    return None


def _judged(
    stage: str, one: Rewrite | None, other: Rewrite | None, left: Sequence[Rewrite], right: Sequence[Rewrite]
) -> Divergence:
    """Which of the two first rewrites that differ is the cause, as far as they tell."""
    if one is not None and other is not None and one.before == other.before:
        if one.rule == other.rule:
            return Divergence(stage, one, other, one.rule, ANOTHER_RESULT)
        return Divergence(stage, one, other, one.rule, f"{one.rule} rewrites the node on base, {other.rule} on head")
    here, there = {rewrite.what for rewrite in left}, {rewrite.what for rewrite in right}
    if one is not None and one.what not in there:
        return Divergence(stage, one, None, one.rule, "only the base makes this rewrite")
    if other is not None and other.what not in here:
        return Divergence(stage, None, other, other.rule, "only the head makes this rewrite")
    first = one or other
    assert first is not None
    return Divergence(stage, one, other, first.rule, "the same rewrites come in another order")


def _functions(order: Sequence[str], old: dict[str, Any], new: dict[str, Any]) -> list[Function]:
    """Functions that differ, of the last pass first: what ran nearest to the difference."""
    found: dict[str, Function] = {}
    for name in reversed(order):
        left, right = old[name]["functions"], new[name]["functions"]
        for function in [*left, *[other for other in right if other not in left]]:
            one, other = left.get(function), right.get(function)
            if one is not None and other is not None and one["digest"] != other["digest"]:
                found.setdefault(function, Function(function, _place(one), _place(other)))
    if found:
        return list(found.values())
    # none is another: then what ran on one side only, where it is called from has to be looked for there
    for name in reversed(order):
        left, right = old[name]["functions"], new[name]["functions"]
        for function in sorted(set(left) ^ set(right)):
            found.setdefault(function, Function(function, _place(left.get(function)), _place(right.get(function))))
    return list(found.values())[:10]


def _place(function: dict[str, Any] | None) -> str:
    return "" if function is None else f"{function['file']}:{function['line']}"
