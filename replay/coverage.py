"""Which of the changed lines the corpus runs: how far a diff without differences can be trusted.

The head compiles the corpus once more with its changed files watched line by line. Of a line that no kernel reaches the
diff says nothing.
"""

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import CodeType

import msgspec

from replay.executor import Executor, Task
from replay.outcome import Status

__all__ = ["Coverage", "changed_lines", "measure"]

SHOWN = 10
BATCH = 100
Lines = dict[str, set[int]]


@dataclass
class Coverage:
    """How many of the changed lines that can run were run, and the rest as `core/ir/uop.py:12-14`."""

    changed: int = 0
    reached: int = 0
    missed: list[str] = field(default_factory=list)

    @property
    def sentence(self) -> str:
        """What a report says."""
        never = self.changed - self.reached
        if not self.changed:
            return "no line that runs was changed: comments, texts and what is removed only"
        if not never:
            return f"the corpus runs all {self.changed} changed lines"
        rest = f" and {len(self.missed) - SHOWN} more places" if len(self.missed) > SHOWN else ""
        places = ", ".join(self.missed[:SHOWN]) + rest
        return f"{never} of {self.changed} changed lines were never run by the corpus: {places}"


def changed_lines(base: Path, head: Path, folder: str) -> Lines:
    """The lines of the head's files that the base has not, as far as they can run; by path from the root."""
    found: Lines = {}
    for file in sorted((head / folder).rglob("*.py")):
        name = str(file.relative_to(head))
        old = base / name
        before = old.read_text(encoding="utf-8", errors="replace") if old.is_file() else ""
        after = file.read_text(encoding="utf-8", errors="replace")
        if before != after and (lines := _new(before, after) & _runnable(after, name)):
            found[name] = lines
    return found


def _new(before: str, after: str) -> set[int]:
    lines: set[int] = set()
    matcher = difflib.SequenceMatcher(None, before.splitlines(), after.splitlines(), autojunk=False)
    for tag, _, _, start, end in matcher.get_opcodes():
        if tag in ("replace", "insert"):
            lines |= set(range(start + 1, end + 1))
    return lines


def _runnable(text: str, name: str) -> set[int]:
    """The lines that have code, but for docstrings and what is run when a module is imported."""
    try:
        pending: list[CodeType] = [compile(text, name, "exec", dont_inherit=True)]
    except (SyntaxError, ValueError):
        return set()
    module, lines = pending[0], set()
    while pending:
        code = pending.pop()
        pending += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
        if code is not module:
            lines |= {line for _, _, line in code.co_lines() if line is not None and line != code.co_firstlineno}
    return lines


def measure(
    changed: Lines,
    tasks: Sequence[Task],
    executor: Executor,
    payload: Callable[[str], bytes],
    progress: Callable[[str, int, int], None] = lambda stage, done, total: None,
) -> Coverage:
    """Run the tasks on the head with the changed files watched."""
    options = msgspec.json.encode({"files": sorted(changed)}).decode()
    reached: Lines = {name: set() for name in changed}
    watched = [replace(task, action="watch", options=options) for task in tasks]
    missed, done = dict(changed), 0
    while done < len(watched) and any(missed.values()):  # most lines are reached by the first kernels
        for _, result in executor.run(watched[done : done + BATCH], payload):
            if result.status is Status.OK and isinstance(result.data, Mapping):
                for name, lines in result.data.items():
                    reached.setdefault(name, set()).update(lines)
        done += BATCH
        progress("watching changed lines", min(done, len(watched)), len(watched))
        missed = {name: lines - reached[name] for name, lines in changed.items()}
    total = sum(map(len, changed.values()))
    places = [f"{name}:{span}" for name, lines in sorted(missed.items()) for span in _spans(lines)]
    return Coverage(total, total - sum(map(len, missed.values())), places)


def _spans(lines: Iterable[int]) -> list[str]:
    """`12-14`, `20`"""
    spans: list[list[int]] = []
    for line in sorted(lines):
        if spans and line == spans[-1][1] + 1:
            spans[-1][1] = line
        else:
            spans.append([line, line])
    return [str(first) if first == last else f"{first}-{last}" for first, last in spans]
