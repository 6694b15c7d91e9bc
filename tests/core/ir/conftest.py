"""The real ASTs, read once for all tests of this folder."""

from __future__ import annotations

import gzip
import time
from pathlib import Path
from typing import NamedTuple

import pytest

from core.ir.text import parse_uop
from core.ir.uop import UOp


class RealAsts(NamedTuple):
    """The lines, the graph of each, and the seconds of CPU that reading them took."""

    lines: list[str]
    asts: list[UOp]
    seconds: float


@pytest.fixture(scope="session")
def real_asts(shared_data: Path) -> RealAsts:
    with gzip.open(shared_data / "asts.txt.gz", "rt", encoding="utf-8") as stream:
        lines = stream.read().splitlines()
    started = time.process_time()
    asts = [parse_uop(line) for line in lines]
    return RealAsts(lines, asts, time.process_time() - started)
