"""Rendered kernels for GPUs, run by threads that are fibers: results, barriers, matrix units and faults."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from core.dtype import DType, dtypes
from core.errors import RuntimeFailure
from core.ir.ops import Ops
from core.ir.uop import UOp
from core.render import get_renderer
from core.render.program import ProgramSpec
from core.runtime import get_runtime
from core.runtime.emulator.fragments import UNITS
from core.runtime.simt.memory import GuardedBuffer
from tests.core.render.gpu_programs import ZERO, flat, group_sum, matrix_product, shared_vectors, special
from tests.core.render.programs import alu, buffer, const, end, index, load, loop, program, store
from tests.core.runtime.machine import usable_runtime

BACKENDS = ("cuda", "hip", "metal")
OUTSIDE = r"outside of buffer 1, at byte -?\d+ of 256, by thread 0 of block 0|writes behind the end of buffer 1"


def spec(backend: str, uops: Sequence[UOp]) -> ProgramSpec:
    family = backend.partition(":")[0]
    usable_runtime(family)
    return ProgramSpec("k", get_renderer(backend).render("k", uops), family, tuple(uops), has_local=True)


def run(backend: str, uops: Sequence[UOp], *arrays: np.ndarray) -> None:
    get_runtime(backend.partition(":")[0]).run(spec(backend, uops), dict(enumerate(arrays)))


@pytest.mark.parametrize("backend", BACKENDS)
def test_threads_share_memory_and_wait_at_barriers(backend: str) -> None:
    data, sums = np.arange(128, dtype=np.float32), np.zeros(8, np.float32)
    run(backend, group_sum(), sums, data)
    assert np.array_equal(sums, data.reshape(8, 16).sum(axis=1))


@pytest.mark.parametrize("backend", BACKENDS)
def test_without_the_barrier_the_sums_are_wrong(backend: str) -> None:
    program_ = spec(backend, group_sum())
    lines = [line for line in program_.src.splitlines() if "barrier" not in line and "__syncthreads" not in line]
    broken = ProgramSpec("k", "\n".join(lines) + "\n", program_.backend, program_.uops, has_local=True)
    data, sums = np.arange(128, dtype=np.float32) + 1, np.zeros(8, np.float32)
    get_runtime(backend).run(broken, {0: sums, 1: data})
    assert not np.array_equal(sums, data.reshape(8, 16).sum(axis=1))


@pytest.mark.parametrize("backend", BACKENDS)
def test_places_of_threads(backend: str) -> None:
    rows = np.full(30, -1, np.int32)
    run(backend, flat(), rows)
    assert np.array_equal(rows, np.repeat(np.arange(3), 10))


@pytest.mark.parametrize("backend", BACKENDS)
def test_vectors_through_shared_memory(backend: str) -> None:
    data, copy = np.arange(16, dtype=np.int64) << 40, np.zeros(16, np.int64)
    run(backend, shared_vectors(dtypes.long), copy, data)
    assert np.array_equal(copy, data)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_barrier_that_not_all_threads_reach(backend: str) -> None:
    thread = special("lidx0", 8)
    few = UOp(Ops.IF, dtypes.void, (alu(Ops.CMPLT, thread, const(dtypes.int, 5)),))
    barrier = UOp(Ops.BARRIER, dtypes.void, ())
    uops = program(thread, few, barrier, end(few), store(buffer(0, dtypes.int), thread, thread))
    with pytest.raises(RuntimeFailure, match="kernel k, block 0: not all threads come to where others wait for them"):
        run(backend, uops, np.zeros(8, np.int32))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("at", [-1, -100, 64, 5000], ids=str)
def test_a_read_or_write_outside_of_a_buffer(backend: str, at: int) -> None:
    reading = program(store(buffer(0, dtypes.float), ZERO, load(buffer(1, dtypes.float), const(dtypes.int, at))))
    writing = program(store(buffer(1, dtypes.float), const(dtypes.int, at), load(buffer(0, dtypes.float), ZERO)))
    for uops in (reading, writing):
        one, many = np.zeros(64, np.float32), np.zeros(64, np.float32)
        with pytest.raises(RuntimeFailure, match=OUTSIDE):
            run(backend, uops, one, many)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_write_just_behind_a_buffer_that_does_not_end_with_its_page(backend: str) -> None:
    uops = program(store(buffer(0, dtypes.char), const(dtypes.int, 3), load(buffer(1, dtypes.char), ZERO)))
    with pytest.raises(RuntimeFailure, match="kernel k writes behind the end of buffer 0"):
        run(backend, uops, np.zeros(3, np.int8), np.zeros(3, np.int8))


@pytest.mark.parametrize("backend", BACKENDS)
def test_an_access_outside_of_a_shared_array(backend: str) -> None:
    shared = UOp(Ops.DEFINE_LOCAL, dtypes.float.ptr(16, local=True), (), "temp0")
    steps = loop(40)
    filled = store(shared, steps, const(dtypes.float, 1.0))
    read = UOp(Ops.LOAD, dtypes.float, (index(shared, ZERO),))
    uops = program(shared, steps, filled, end(steps), store(buffer(0, dtypes.float), ZERO, read))
    with pytest.raises(RuntimeFailure, match="an access outside of a shared array"):
        run(backend, uops, np.zeros(1, np.float32))


# backend, (N, M, K), dtypes of factors and sums, threads, and elements of each matrix that one of them holds
Product = tuple[str, tuple[int, int, int], DType, DType, int, tuple[int, int, int]]
PRODUCTS: list[Product] = [
    ("cuda", (8, 16, 16), dtypes.half, dtypes.float, 32, (8, 4, 4)),
    ("cuda", (8, 16, 16), dtypes.half, dtypes.half, 32, (8, 4, 4)),
    ("cuda:sm_75", (8, 16, 8), dtypes.half, dtypes.float, 32, (4, 2, 4)),
    ("cuda:sm_75", (8, 16, 8), dtypes.half, dtypes.half, 32, (4, 2, 4)),
    ("hip", (16, 16, 16), dtypes.half, dtypes.float, 32, (16, 16, 8)),
    ("hip", (16, 16, 16), dtypes.half, dtypes.half, 32, (16, 16, 8)),
    ("hip:gfx942", (16, 16, 16), dtypes.half, dtypes.float, 64, (4, 4, 4)),
    ("metal", (8, 8, 8), dtypes.float, dtypes.float, 32, (2, 2, 2)),
    ("metal", (8, 8, 8), dtypes.half, dtypes.float, 32, (2, 2, 2)),
]


@pytest.mark.parametrize(
    ("backend", "dims", "dtype_in", "dtype_out", "threads", "counts"), PRODUCTS, ids=lambda value: str(value)
)
def test_a_warp_multiplies_matrices(
    backend: str,
    dims: tuple[int, int, int],
    dtype_in: DType,
    dtype_out: DType,
    threads: int,
    counts: tuple[int, int, int],
) -> None:
    """Two products added up, of small whole numbers, against numpy's."""
    n, m, k = dims
    unit = UNITS[dims, threads]
    rng = np.random.default_rng(3)
    a, b = rng.integers(-3, 4, (2, m, k)), rng.integers(-3, 4, (2, k, n))
    t, holds = np.arange(threads)[:, None], [np.arange(count)[None, :] for count in counts]
    left = np.stack([a[step][unit.a(t, holds[0])] for step in range(2)])
    right = np.stack([b[step][unit.b(t, holds[1])] for step in range(2)])
    wanted = (a[0] @ b[0] + a[1] @ b[1])[unit.c(t, holds[2])].ravel()

    got = np.zeros(wanted.size, dtype_out.numpy())
    arrays = (got, left.ravel().astype(dtype_in.numpy()), right.ravel().astype(dtype_in.numpy()))
    run(backend, matrix_product(dims, dtype_in, dtype_out, threads, counts), *arrays)
    assert np.array_equal(got.astype(np.float64), wanted)


def test_buffers_lie_at_either_end_of_their_pages() -> None:
    array = np.arange(5, dtype=np.float32)
    for at_end in (False, True):
        held = GuardedBuffer(0, array, at_end=at_end)
        assert held.address % 32 == 0
        assert np.array_equal(held.contents(array.dtype), array)
        assert not held.overrun()
        assert held.holds(held.address - 1)
