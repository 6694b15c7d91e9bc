"""Rendered kernels for GPUs, run by threads that are fibers: their places, shared memory and barriers."""

from __future__ import annotations

import numpy as np
import pytest

from core.dtype import dtypes
from core.errors import RuntimeFailure
from core.ir.ops import Ops
from core.ir.uop import UOp
from core.runtime import get_runtime
from core.runtime.simt import build
from core.toolchain.verdict import ToolchainMissing
from tests.core.render.gpu_programs import ZERO, flat, group_sum, shared_vectors, special
from tests.core.render.programs import alu, buffer, const, end, index, program, store
from tests.core.runtime.simt.launches import BACKENDS, launch

BARRIERS = ("__syncthreads();", "threadgroup_barrier(mem_flags::mem_threadgroup);")


def without_barriers(source: str) -> str:
    for barrier in BARRIERS:
        source = source.replace(barrier, "")
    return source


@pytest.mark.parametrize("backend", BACKENDS)
def test_threads_share_memory_and_wait_at_barriers(backend: str) -> None:
    data, sums = np.arange(128, dtype=np.float32), np.zeros(8, np.float32)
    launch(backend, group_sum(), sums, data)
    assert np.array_equal(sums, data.reshape(8, 16).sum(axis=1))


@pytest.mark.parametrize("backend", BACKENDS)
def test_without_the_barrier_threads_read_what_is_not_written_yet(backend: str) -> None:
    with pytest.raises(RuntimeFailure, match="buffer 0 depends on shared memory that it has not written"):
        launch(backend, group_sum(), np.zeros(8, np.float32), np.ones(128, np.float32), rewrite=without_barriers)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_block_finds_nothing_of_the_block_before_it(backend: str) -> None:
    """Only the first block writes the shared array."""
    block = special("gidx0", 2)
    shared = UOp(Ops.DEFINE_LOCAL, dtypes.float.ptr(16, local=True), (), "temp0")
    first = UOp(Ops.IF, dtypes.void, (alu(Ops.CMPLT, block, const(dtypes.int, 1)),))
    written = store(shared, ZERO, const(dtypes.float, 3.0))
    read = UOp(Ops.LOAD, dtypes.float, (index(shared, ZERO),))
    uops = program(block, shared, first, written, end(first), read, store(buffer(0, dtypes.float), block, read))
    with pytest.raises(RuntimeFailure, match="depends on shared memory that it has not written"):
        launch(backend, uops, np.zeros(2, np.float32))


@pytest.mark.parametrize("backend", BACKENDS)
def test_places_of_threads(backend: str) -> None:
    rows = np.full(30, -1, np.int32)
    launch(backend, flat(), rows)
    assert np.array_equal(rows, np.repeat(np.arange(3), 10))


@pytest.mark.parametrize("backend", BACKENDS)
def test_vectors_through_shared_memory(backend: str) -> None:
    data, copy = np.arange(16, dtype=np.int64) << 40, np.zeros(16, np.int64)
    launch(backend, shared_vectors(dtypes.long), copy, data)
    assert np.array_equal(copy, data)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_barrier_that_not_all_threads_reach(backend: str) -> None:
    thread = special("lidx0", 8)
    few = UOp(Ops.IF, dtypes.void, (alu(Ops.CMPLT, thread, const(dtypes.int, 5)),))
    barrier = UOp(Ops.BARRIER, dtypes.void, ())
    uops = program(thread, few, barrier, end(few), store(buffer(0, dtypes.int), thread, thread))
    with pytest.raises(RuntimeFailure, match="kernel k, block 0: not all threads come to where others wait for them"):
        launch(backend, uops, np.zeros(8, np.int32))


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_barrier_that_only_the_source_has(backend: str) -> None:
    thread = special("lidx0", 4)
    barrier = BARRIERS[backend == "metal"]
    with pytest.raises(RuntimeFailure, match="its threads wait for each other, of which the program has no op"):
        launch(
            backend,
            program(store(buffer(0, dtypes.int), thread, thread)),
            np.zeros(4, np.int32),
            rewrite=lambda source: source.replace("{\n", f"{{\n  {barrier}\n", 1),
        )


def test_without_clang_it_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise ToolchainMissing("no clang was found: install it")

    monkeypatch.setattr(build, "find_clang", missing)
    with pytest.raises(RuntimeFailure, match="no clang was found: install it"):
        get_runtime("cuda").version()
