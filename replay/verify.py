"""Running both sides of what changed: `replay diff --verify`.

The compiler of each revision runs what it compiles, on the same inputs, edge values among them. A change is then
`equivalent` (bit-identical, every nan being the same), `close` (within the tolerance of the outputs' types) or
`different`; of what is different the reference interpreter says who is right. What is not run here stays `unverified`,
with the reason.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from replay.cluster import cluster_findings
from replay.executor import Executor, Lane, Task
from replay.finding import Finding
from replay.outcome import Outcome, Result, Status
from replay.plan import Pair

__all__ = ["MEMBERS", "SEED", "apart", "compare_runs", "task_of", "verify"]

MEMBERS = 3
"""How many members of each cluster are run, the smallest first, unless all are wanted."""
SEED = 20240  # of the inputs
OPTIONS = msgspec.json.encode({"seed": SEED, "reference": True}).decode()

Progress = Callable[[str, int, int], None]


def verify(
    findings: Sequence[Finding],
    pairs: Mapping[tuple[str, str, str], Pair],
    sides: tuple[Lane, Lane],
    executor: Executor,
    payload: Callable[[str], bytes],
    *,
    everything: bool,
    progress: Progress = lambda stage, done, total: None,
) -> list[Finding]:
    """The findings, those that were run with their `kind` and `verification`. Cosmetic changes are not run."""
    chosen = _chosen(findings, everything)
    tasks = {}
    for finding in chosen:
        pair = pairs[finding.record, finding.backend, finding.mode]
        for lane in sides:
            tasks[task_of(pair, lane)] = finding
    results: dict[int, dict[Lane, Result]] = {}
    for done, (task, result) in enumerate(executor.run(list(tasks), payload)):
        progress("verifying", done, len(tasks))
        results.setdefault(id(tasks[task]), {})[task.lane] = result
    return [
        _verified(finding, results[id(finding)][sides[0]], results[id(finding)][sides[1]])
        if id(finding) in results
        else finding
        for finding in findings
    ]


def _chosen(findings: Sequence[Finding], everything: bool) -> list[Finding]:
    able = [
        finding
        for finding in findings
        if finding.outcome is Outcome.CHANGED and finding.kind == "unverified" and finding.error is None
    ]
    if everything:
        return able
    return [finding for cluster in cluster_findings(able) for finding in cluster.findings[:MEMBERS]]


def _verified(finding: Finding, base: Result, head: Result) -> Finding:
    kind, found = compare_runs(base, head)
    return replace(finding, kind=kind, verification=found)


def compare_runs(base: Result, head: Result) -> tuple[str, dict[str, Any]]:
    """(kind, what was found) of two results of the action `run`."""
    if base.status is not Status.OK:
        return "unverified", {"not_run": base.message or str(base.status)}
    if head.status is Status.ERROR:
        return "different", {"failed": head.message or head.type}
    if head.status is not Status.OK:
        return "unverified", {"not_run": head.message or str(head.status)}
    if base.data["inputs"] != head.data["inputs"]:
        return "unverified", {"not_run": "the two revisions do not draw the same inputs"}
    if base.data["digest"] == head.data["digest"]:
        return "equivalent", {}
    return apart(base.data, head.data)


def apart(base: Mapping[str, Any], head: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """(kind, what was found) of two sets of outputs that are not bit-identical."""
    worst = {"ulp": 0, "relative": 0.0}
    for number, ours in base["outputs"].items():
        theirs = head["outputs"].get(number)
        if theirs is None or theirs["dtype"] != ours["dtype"]:
            return "different", {"failed": f"output {number} is there on one side only, or of another type"}
        old, new = _array(ours), _array(theirs)
        if old.shape != new.shape:
            return "different", {"failed": f"output {number} has {new.size} elements instead of {old.size}"}
        wrong = _beyond(old, new, ours["rtol"], ours["atol"])
        if wrong.any():
            at = int(np.argmax(wrong))
            expected = (base.get("reference") or {}).get(number)
            return "different", {
                "output": int(number),
                "index": at,
                "base": _plain(old[at]),
                "head": _plain(new[at]),
                "wrong": int(np.count_nonzero(wrong)),
                "agrees": _who(old[at], new[at], expected, at),
            }
        ulp, relative = _distance(old, new)
        worst = {"ulp": max(worst["ulp"], ulp), "relative": max(worst["relative"], relative)}
    return "close", worst


def _array(output: Mapping[str, Any]) -> NDArray[Any]:
    return np.frombuffer(output["bytes"], np.dtype(output["dtype"]))


def _beyond(old: NDArray[Any], new: NDArray[Any], rtol: float, atol: float) -> NDArray[np.bool_]:
    """Where the two are further apart than the tolerance. nan equals nan, an infinity only itself."""
    differs: NDArray[np.bool_] = (old != new) & ~((old != old) & (new != new))
    if old.dtype.kind != "f":
        return differs
    with np.errstate(all="ignore"):
        apart = np.abs(old.astype(np.longdouble) - new.astype(np.longdouble))
        size = np.where(np.isfinite(old), np.abs(old), 0).astype(np.longdouble)
        return differs & ~(apart <= atol + rtol * size)


def _distance(old: NDArray[Any], new: NDArray[Any]) -> tuple[int, float]:
    """The largest (ULP, relative difference) of elements that differ and are finite."""
    if old.dtype.kind != "f":
        return 0, 0.0
    finite = np.isfinite(old) & np.isfinite(new) & (old != new)
    if not finite.any():
        return 0, 0.0
    one, other = old[finite], new[finite]
    ordered = [_ordered(values) for values in (one, other)]
    ulp = max(abs(a - b) for a, b in zip(*ordered, strict=True))
    with np.errstate(all="ignore"):
        apart = np.abs(one.astype(np.float64) - other.astype(np.float64))
        return ulp, float((apart / np.maximum(np.abs(one), np.finfo(one.dtype).tiny)).max())


def _ordered(values: NDArray[Any]) -> list[int]:
    """Floats as integers in the order of their values, neighbours being one apart."""
    bits = values.view(f"i{values.dtype.itemsize}").tolist()
    top = 1 << (8 * values.dtype.itemsize - 1)
    return [number if number >= 0 else -(number + top) for number in bits]


def _who(old: Any, new: Any, expected: Mapping[str, Any] | None, at: int) -> str:
    """Which side has what the interpreter has: `base`, `head`, `both`, `neither`, or `unknown` without one."""
    if expected is None:
        return "unknown"
    right = _array(expected)[at : at + 1]
    tolerance = (expected["rtol"], expected["atol"])
    base, head = (not _beyond(right, np.array([value], right.dtype), *tolerance)[0] for value in (old, new))
    return ("both" if head else "base") if base else ("head" if head else "neither")


def _plain(value: Any) -> Any:
    """A number that JSON takes; infinities and nan as text."""
    number = value.item()
    return number if not isinstance(number, float) or np.isfinite(number) else str(number)


def task_of(pair: Pair, lane: Lane) -> Task:
    """The run of one side of a pair, as `verify` does it."""
    return replace(pair.task(lane), action="run", options=OPTIONS)
