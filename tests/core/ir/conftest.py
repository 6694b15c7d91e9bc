"""The real ASTs, read once for all tests of this folder."""

from __future__ import annotations

import gzip
import time
from pathlib import Path

import pytest

from core.ir.text import parse_uop
from tests.core.ir.dags import RealAsts


@pytest.fixture(scope="session")
def real_asts(shared_data: Path) -> RealAsts:
    with gzip.open(shared_data / "asts.txt.gz", "rt", encoding="utf-8") as stream:
        lines = stream.read().splitlines()
    started = time.process_time()
    asts = [parse_uop(line) for line in lines]
    return RealAsts(lines, asts, time.process_time() - started)
