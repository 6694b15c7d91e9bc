"""What all tests share: the data handed over, and property tests that run the same way every time."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

REPOSITORY = Path(__file__).resolve().parents[1]

# A test must not pass or fail by chance, nor by how busy the machine is.
settings.register_profile(
    "deterministic", derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("deterministic")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder with `asts.txt.gz`, `cases.jsonl` and `reference-opts.jsonl.gz`, which are not in the repository.

    `PROCESS_REPLAY_SHARED` names it; by default it is `../shared/data` beside the repository.
    """
    named = os.environ.get("PROCESS_REPLAY_SHARED")
    folder = Path(named) if named else REPOSITORY.parent / "shared" / "data"
    if folder.is_dir():
        return folder
    if named:
        pytest.fail(f"PROCESS_REPLAY_SHARED names {named}, which is not a folder")
    pytest.skip("no ../shared/data beside the repository; PROCESS_REPLAY_SHARED can name another folder")
