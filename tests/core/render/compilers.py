"""The real compilers as judges in tests. A missing one skips the test, or fails it if `REQUIRE_TOOLCHAINS` is set."""

from __future__ import annotations

import os
from collections.abc import Sequence

import pytest

from core.toolchain import check

__all__ = ["complaints", "missing"]


def missing(reason: str) -> None:
    """End the test, for something is not installed."""
    if os.environ.get("REQUIRE_TOOLCHAINS"):
        pytest.fail(f"REQUIRE_TOOLCHAINS is set, and {reason}")
    pytest.skip(reason)


def complaints(backend: str, sources: Sequence[str]) -> list[str]:
    """What the compilers of `backend` (NAME or NAME:ARCH) say of the sources that they refuse."""
    found = []
    for row in check(backend, sources):
        for verdict in row:
            if verdict.accepted is None:
                missing(f"{verdict.tool} was not run: {verdict.message}")
            if not verdict.accepted:
                found.append(f"{verdict.tool}: {verdict.message[:1000]}")
    return found
