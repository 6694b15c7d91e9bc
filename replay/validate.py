"""Acceptance by real compilers: `replay diff --validate` shows them both sides of what changed.

The compiler under test says which judges a backend has; what they said of a source is remembered by the source's digest
and the judges' versions. A judge that is missing or dies makes the verdict *not run, because …*, never an acceptance.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from replay import record
from replay.adapters import Adapter
from replay.figures import pair_figures
from replay.finding import Finding
from replay.memo import Memo
from replay.outcome import Result, Status

__all__ = ["refused", "validate", "verdicts_of"]

BATCH = 50

Progress = Callable[[str, int, int], None]
Sides = tuple[Result | None, Result | None]


def validate(
    findings: Sequence[Finding],
    sides: Callable[[Finding], Sides],
    adapter: Adapter,
    memo: Memo,
    progress: Progress = lambda stage, done, total: None,
) -> list[Finding]:
    """The findings with `validation` and the static figures of both sides, as far as there are two sources.

    `sides` gives the results of base and head, None where one is not known any more.
    """
    wanted: dict[str, dict[str, str]] = {}
    sources: dict[int, tuple[str, str]] = {}
    for place, finding in enumerate(findings):
        results = sides(finding)
        for result in results:
            if result is not None and result.status is Status.OK:
                wanted.setdefault(finding.backend, {})[record.digest_of(result.src.encode())] = result.src
        sources[place] = tuple(_digest(result) for result in results)  # type: ignore[assignment]
    known = _judge_all(wanted, adapter, memo, progress)
    return [_with(finding, sources[place], known.get(finding.backend, {})) for place, finding in enumerate(findings)]


def _digest(result: Result | None) -> str:
    return "" if result is None or result.status is not Status.OK else record.digest_of(result.src.encode())


def _judge_all(
    wanted: Mapping[str, Mapping[str, str]], adapter: Adapter, memo: Memo, progress: Progress
) -> dict[str, dict[str, dict[str, Any]]]:
    """By backend and digest of the source, its verdict."""
    total, done = sum(map(len, wanted.values())), 0
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for backend, by_digest in wanted.items():
        found[backend] = {}
        judges = adapter.judges(backend)
        new = []
        for digest in by_digest:
            verdict = memo.verdict(digest, backend, judges)
            if verdict is None:
                new.append(digest)
            else:
                found[backend][digest] = verdict
        done += len(by_digest) - len(new)
        for first in range(0, len(new), BATCH):
            progress("validating", done, total)
            batch = new[first : first + BATCH]
            answers = verdicts_of(adapter, backend, [by_digest[digest] for digest in batch])
            for digest, verdict in zip(batch, answers, strict=True):
                found[backend][digest] = verdict
                if verdict["accepted"] is not None:
                    memo.remember_verdict(digest, backend, judges, verdict)
            done += len(batch)
    progress("validating", total, total)
    return found


def verdicts_of(adapter: Adapter, backend: str, sources: Sequence[str]) -> list[dict[str, Any]]:
    """One verdict a source: of several judges the one that matters most, a refusal before *not run*."""
    return [_worst(row) for row in adapter.judge(backend, sources)]


def _worst(verdicts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    rank = {False: 0, None: 1, True: 2}
    chosen = min(verdicts, key=lambda verdict: rank[verdict["accepted"]])
    figures = {name: value for verdict in verdicts for name, value in verdict["figures"].items()}
    tools = chosen["tool"] if chosen["accepted"] is not True else ", ".join(verdict["tool"] for verdict in verdicts)
    return {"tool": tools, "accepted": chosen["accepted"], "message": chosen["message"], "figures": figures}


def _with(finding: Finding, digests: tuple[str, str], verdicts: Mapping[str, dict[str, Any]]) -> Finding:
    named = zip(("base", "head"), digests, strict=True)
    validation = {side: verdicts[digest] for side, digest in named if digest in verdicts}
    if not validation:
        return finding
    base, head = (validation.get(side, {}).get("figures", {}) for side in ("base", "head"))
    return replace(finding, validation=validation, figures=pair_figures(base, head) | finding.figures)


def refused(finding: Finding) -> bool:
    """Whether the head's source is refused, and the base's was not."""
    sides = finding.validation or {}
    head, base = sides.get("head", {}), sides.get("base", {})
    return head.get("accepted") is False and base.get("accepted") is not False
