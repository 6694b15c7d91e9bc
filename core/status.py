"""What this machine can do with each backend: every backend is rendered, some are judged and some are run here."""

from __future__ import annotations

from typing import TypedDict

from core.render import BACKENDS
from core.runtime import available
from core.toolchain import found

__all__ = ["BackendStatus", "backend_status"]


class BackendStatus(TypedDict):
    """Of one backend. `version` and `validator` are None, and `reason` and `missing` say why, where it is not so."""

    backend: str
    rendered: bool
    validated: bool
    validator: str | None
    missing: str | None
    runs: bool
    version: str | None
    reason: str | None


def backend_status() -> list[BackendStatus]:
    """All backends, in the order of `BACKENDS`."""
    runtimes = available()
    statuses: list[BackendStatus] = []
    for name in BACKENDS:
        judged, run = found(name), runtimes.get(name)
        runs = run is not None and run.ok
        detail = run.detail if run is not None else "nothing here runs its programs"
        statuses.append(
            {
                "backend": name,
                "rendered": True,
                "validated": judged.ok,
                "validator": judged.detail if judged.ok else None,
                "missing": None if judged.ok else judged.detail,
                "runs": runs,
                "version": detail if runs else None,
                "reason": None if runs else detail,
            }
        )
    return statuses
