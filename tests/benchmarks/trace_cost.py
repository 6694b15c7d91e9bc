"""How much longer a compilation takes with the trace on: `python tests/benchmarks/trace_cost.py [--rounds N]`.

Both compile the committed captures in this process, one after the other in each round, after one round to warm up.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from core.process_replay import replay, trace
from replay.corpus import Corpus
from replay.reduce import as_raw

CAPTURES = Path(__file__).parents[2] / "captures"


def seconds(act: Callable[[dict[str, Any]], dict[str, object]], records: list[dict[str, Any]]) -> float:
    started = time.process_time()
    for record in records:
        act(record)
    return time.process_time() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    with Corpus.read(sorted(CAPTURES.glob("*.db"))) as corpus:
        records = [as_raw(corpus.payload(digest)) for digest in corpus.kernels]
    for number in range(rounds + 1):
        plain, traced = seconds(replay, records), seconds(trace, records)
        if number:
            print(f"{len(records)} kernels: {plain:.3f} s, traced {traced:.3f} s, ratio {traced / plain:.2f}")


if __name__ == "__main__":
    main()
