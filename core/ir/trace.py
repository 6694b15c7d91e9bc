"""A switchable trace of rewrites: which rule fired on which node, in which pass. Switched off it costs nothing."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.ir.uop import UOp

__all__ = ["Rewrite", "Trace", "active", "stage", "tracing"]


@dataclass(frozen=True, slots=True)
class Rewrite:
    """`rule` of `table` turned `before` into `after` during `stage`."""

    stage: str
    table: str
    rule: str
    before: UOp
    after: UOp


@dataclass(slots=True)
class Trace:
    """The rewrites of one compilation in the order in which they happened."""

    rewrites: list[Rewrite] = field(default_factory=list)
    stage: str = ""

    def record(self, table: str, rule: str, before: UOp, after: UOp) -> None:
        self.rewrites.append(Rewrite(self.stage, table, rule, before, after))


_active: Trace | None = None


def active() -> Trace | None:
    """The trace being recorded, or None."""
    return _active


@contextlib.contextmanager
def tracing() -> Iterator[Trace]:
    """Record every rewrite made inside the `with` block."""
    global _active
    outer, _active = _active, Trace()
    try:
        yield _active
    finally:
        _active = outer


def stage(name: str) -> None:
    """Say that what follows belongs to the pass `name`."""
    if _active is not None:
        _active.stage = name
