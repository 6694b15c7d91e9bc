"""What this machine can run."""

from __future__ import annotations

import os

import pytest

from core.errors import RuntimeFailure
from core.runtime import Runtime, get_runtime


def usable_runtime(backend: str) -> Runtime:
    """The runtime of `backend`; where what it needs is missing the test is skipped, and fails in CI."""
    runtime = get_runtime(backend)
    try:
        runtime.version()
    except RuntimeFailure as failure:
        if os.environ.get("CI") or os.environ.get("REQUIRE_TOOLCHAINS"):
            pytest.fail(str(failure))
        pytest.skip(str(failure))
    return runtime
