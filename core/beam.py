"""Beam search: of all sequences of opts, the one whose kernel runs fastest here, kept `BEAM` wide.

Candidates are compiled, built and timed with the backend's runtime on this machine; one that does not compile or run is
dropped. What was found is kept in SQLite by the AST, the backend and the settings, so that a kernel is searched once.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sqlite_utils import Database

from core.context import Context, snapshot
from core.errors import CompileError, RuntimeFailure
from core.ir.rows import ast_digest
from core.ir.uop import UOp
from core.opt.actions import successors
from core.opt.kernel import Kernel
from core.opt.opt import Opt, OptOps
from core.runtime import Runtime, get_runtime
from core.runtime.buffers import aligned_zeros, buffer_sizes, random_inputs

__all__ = ["beam_search", "cache_path"]

TABLE: Final = "beam"
RUNS: Final = 3
# a step that gains less is noise
LEAST_GAIN: Final = 0.99
MAX_STEPS: Final = 12
SEED: Final = 0


def cache_path() -> Path:
    """The database of what was found: $PROCESS_REPLAY_BEAM, or beam.db in the user's cache."""
    given = os.environ.get("PROCESS_REPLAY_BEAM")
    if given:
        return Path(given)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "process-replay" / "beam.db"


def beam_search(kernel: Kernel, width: int) -> Kernel:
    """`kernel` with the opts under which it runs fastest, of those that a search `width` wide comes upon.

    Raises RuntimeFailure if the programs of the backend are not run on this machine, or not even the first one runs.
    """
    runtime = get_runtime(kernel.opts.name)
    key = _key(kernel, width)
    path = cache_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    database = Database(str(path))
    try:
        found = _recall(database, key, kernel)
        if found is None:
            with Context(CAPTURE_PROCESS_REPLAY=0):  # a candidate is not what the program compiles
                found = _search(kernel, width, runtime)
            database.table(TABLE).insert({"key": key, "opts": _to_json(found)}, pk="key", replace=True)
        return found
    finally:
        database.conn.close()


def _key(kernel: Kernel, width: int) -> str:
    """What a result is kept under: AST, backend, settings, and the steps already applied."""
    parts = (ast_digest(kernel.ast), kernel.opts.options(), width, dict(snapshot()), _to_json(kernel))
    return hashlib.blake2b(json.dumps(parts, sort_keys=True).encode(), digest_size=16).hexdigest()


def _to_json(kernel: Kernel) -> str:
    return json.dumps([[opt.op.name, opt.axis, opt.arg] for opt in kernel.applied_opts])


def _recall(database: Database, key: str, kernel: Kernel) -> Kernel | None:
    """The kernel with the opts found before; None if there are none, or if they no longer apply."""
    if TABLE not in database.table_names():
        return None
    rows = list(database.table(TABLE).rows_where("key = ?", [key]))
    if not rows:
        return None
    try:
        rows_of_opts = json.loads(str(rows[0]["opts"]))
        opts = [Opt(OptOps[op], axis, tuple(a) if isinstance(a, list) else a) for op, axis, a in rows_of_opts]
        found = kernel.copy()
        for opt in opts[len(kernel.applied_opts) :]:
            found.apply_opt(opt)
    except (CompileError, KeyError, TypeError, ValueError):
        return None
    return found


def _search(kernel: Kernel, width: int, runtime: Runtime) -> Kernel:
    buffers, variables = _workload(kernel.ast)
    best = _timed(kernel, runtime, buffers, variables)
    if best is None:
        raise RuntimeFailure(f"BEAM: kernel {kernel.name} does not run on backend {kernel.opts.name} even without opts")

    beam, seen = [(best, kernel)], {_source(kernel), None}
    for _ in range(MAX_STEPS):
        candidates: list[tuple[float, Kernel]] = []
        for _, parent in beam:
            for child in successors(parent):
                source = _source(child)
                if source in seen:
                    continue
                seen.add(source)
                taken = _timed(child, runtime, buffers, variables)
                if taken is not None:
                    candidates.append((taken, child))
        candidates.sort(key=lambda candidate: candidate[0])
        if not candidates or candidates[0][0] > beam[0][0] * LEAST_GAIN:
            break
        beam = sorted([*candidates, beam[0]], key=lambda candidate: candidate[0])[:width]
    return beam[0][1]


def _workload(ast: UOp) -> tuple[dict[int, NDArray[Any]], dict[str, int]]:
    """Buffers and variables to run a kernel with: random inputs, variables in the middle of their range."""
    variables = {variable.arg[0]: (variable.arg[1] + variable.arg[2] + 1) // 2 for variable in ast.variables()}
    inputs = random_inputs(ast, np.random.default_rng(SEED), variables)
    buffers = {n: aligned_zeros(size, dtype.numpy()) for n, (dtype, size) in buffer_sizes(ast, variables).items()}
    for number, values in inputs.items():
        buffers[number][: len(values)] = values
    return buffers, variables


def _source(kernel: Kernel) -> str | None:
    """The source of the kernel, under one name whatever its opts, so that equal candidates are seen; None if none."""
    try:
        return kernel.copy().to_program("candidate").src
    except CompileError:
        return None


def _timed(
    kernel: Kernel, runtime: Runtime, buffers: Mapping[int, NDArray[Any]], variables: Mapping[str, int]
) -> float | None:
    """Seconds that a run takes, the least of several; None if it does not compile or run."""
    try:
        program = kernel.copy().to_program("candidate")
        times = []
        for _ in range(RUNS + 1):  # the first one builds the program
            started = time.perf_counter()
            runtime.run(program, buffers, variables)
            times.append(time.perf_counter() - started)
    except CompileError:
        return None
    return min(times[1:])
