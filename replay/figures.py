"""Figures of kernels on both sides: which got better, which got worse, and by how much altogether.

Of every metric less is better. A figure that goes from 0 to N counts like any other: ratios are never taken a kernel at
a time.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from replay.outcome import Result, Status

__all__ = ["METRICS", "Row", "Tally", "figures_of", "pair_figures", "rows_as_objects"]

METRICS: Mapping[str, str] = {
    "instructions": "instructions",
    "registers": "registers",
    "scalar_registers": "scalar registers",
    "spills": "spills",
    "shared_bytes": "bytes of shared memory",
    "code_bytes": "bytes of code",
    "flops": "operations",
    "lds": "bytes loaded and stored",
    "mem": "bytes of memory touched",
    "source_bytes": "bytes of source",
    "ms": "milliseconds to compile",
}
"""The metrics in the order of reports, in words."""
_TIMES = frozenset({"ms"})  # differ from run to run: totals only


def figures_of(result: Result) -> dict[str, float]:
    """The figures of one compilation. An estimate that depends on a variable is none."""
    if result.status is not Status.OK:
        return {}
    found: dict[str, float] = {"source_bytes": len(result.src.encode()), "ms": result.ms}
    for name in ("flops", "lds", "mem"):
        value: Any = result.estimates.get(name)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            found[name] = value
    return found


def pair_figures(base: Mapping[str, float], head: Mapping[str, float]) -> dict[str, tuple[float, float]]:
    """Both values of every metric that both sides have."""
    return {name: (base[name], head[name]) for name in METRICS if name in base and name in head}


@dataclass
class Row:
    """One metric on one backend. `worst` is the record that it rose most for."""

    backend: str
    metric: str
    helped: int = 0
    hurt: int = 0
    affected_base: float = 0.0
    affected_head: float = 0.0
    all_base: float = 0.0
    all_head: float = 0.0
    worst: str = ""
    worst_by: float = 0.0

    @property
    def moved(self) -> bool:
        """Whether any kernel differs."""
        return bool(self.helped or self.hurt)

    def add(self, record: str, base: float, head: float) -> None:
        """Take one kernel."""
        self.all_base += base
        self.all_head += head
        if base == head or self.metric in _TIMES:
            return
        self.affected_base += base
        self.affected_head += head
        if head < base:
            self.helped += 1
        else:
            self.hurt += 1
            if head - base > self.worst_by:
                self.worst, self.worst_by = record, head - base


class Tally:
    """Sums over all pairs of a diff, a row a backend and metric."""

    def __init__(self) -> None:
        self._rows: dict[tuple[str, str], Row] = {}

    def add(self, backend: str, record: str, figures: Mapping[str, tuple[float, float]]) -> None:
        """Take one pair."""
        for metric, (base, head) in figures.items():
            self._rows.setdefault((backend, metric), Row(backend, metric)).add(record, base, head)

    def rows(self) -> list[Row]:
        """By backend, metrics in the order of `METRICS`; those that differ nowhere are left out, but for times."""
        order = list(METRICS)
        kept = [row for row in self._rows.values() if row.moved or row.metric in _TIMES]
        return sorted(kept, key=lambda row: (row.backend, order.index(row.metric)))


def rows_as_objects(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """The rows as plain data."""
    return [
        {
            "backend": row.backend,
            "metric": row.metric,
            "helped": row.helped,
            "hurt": row.hurt,
            "affected": {"base": row.affected_base, "head": row.affected_head},
            "all": {"base": row.all_base, "head": row.all_head},
            "worst": {"record": row.worst, "by": row.worst_by} if row.worst else None,
        }
        for row in rows
    ]
