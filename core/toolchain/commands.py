"""Running a tool once for each source, a few at a time."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

__all__ = ["Ran", "each", "first_line", "run"]

TIMEOUT_S = 120.0
Item = TypeVar("Item")
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Ran:
    """How a tool ended: `failure` says why it could not give an answer at all, and is empty otherwise."""

    code: int
    output: str
    errors: str
    failure: str = ""


def run(command: Sequence[str], source: str = "") -> Ran:
    """Run a tool with `source` as its input."""
    try:
        ran = subprocess.run(
            command, input=source.encode(), capture_output=True, timeout=TIMEOUT_S, check=False, cwd=os.sep
        )
    except subprocess.TimeoutExpired:
        return Ran(-1, "", "", f"{command[0]} did not finish within {TIMEOUT_S:g} s")
    except OSError as error:
        return Ran(-1, "", "", f"{command[0]} cannot be run: {error.strerror}")
    output, errors = ran.stdout.decode(errors="replace"), ran.stderr.decode(errors="replace")
    crashed = ran.returncode < 0 or "PLEASE submit a bug report" in errors
    return Ran(ran.returncode, output, errors, f"{command[0]} crashed" if crashed else "")


def each(judge: Callable[[Item], Answer], items: Sequence[Item]) -> list[Answer]:
    """`judge` of every item, on as many threads as there are cores; the tools are processes of their own."""
    if len(items) < 2:
        return [judge(item) for item in items]
    with ThreadPoolExecutor(
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    ) as pool:
        return list(pool.map(judge, items))


def first_line(text: str) -> str:
    return text.strip().partition("\n")[0]
