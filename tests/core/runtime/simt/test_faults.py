"""Accesses where a kernel has no business: outside of buffers and shared arrays, and vectors out of place."""

from __future__ import annotations

import numpy as np
import pytest

from core.dtype import dtypes
from core.errors import RuntimeFailure
from core.ir.ops import Ops
from core.ir.uop import UOp
from core.runtime.simt.memory import GuardedBuffer
from tests.core.render.gpu_programs import ZERO
from tests.core.render.programs import buffer, index, load, program, store
from tests.core.runtime.simt.launches import BACKENDS, launch

OUTSIDE = r"kernel k: an access outside of buffer 1, at byte -?\d+ of \d+, by thread 0 of block 0"


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("size", "at"), [(64, -1), (64, -100), (64, 64), (64, 5000), (3, 3), (5, 5), (1, 1), (1500, 1500), (1500, -1)]
)
def test_an_element_outside_of_a_buffer(backend: str, size: int, at: int) -> None:
    reading = program(store(buffer(0, dtypes.float), ZERO, load(buffer(1, dtypes.float), at)))
    writing = program(store(buffer(1, dtypes.float), at, load(buffer(0, dtypes.float), ZERO)))
    for uops in (reading, writing):
        with pytest.raises(RuntimeFailure, match=OUTSIDE):
            launch(backend, uops, np.zeros(1, np.float32), np.zeros(size, np.float32))


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_byte_outside_of_a_buffer(backend: str) -> None:
    uops = program(store(buffer(0, dtypes.char), 0, load(buffer(1, dtypes.char), 3)))
    with pytest.raises(RuntimeFailure, match=OUTSIDE):
        launch(backend, uops, np.zeros(1, np.int8), np.zeros(3, np.int8))


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_lies_between_the_end_of_a_buffer_of_vectors_and_its_page(backend: str) -> None:
    """Six floats, of which four are accessed as a vector: the page ends two floats behind them."""
    out, data = buffer(0, dtypes.float), buffer(1, dtypes.float)
    four = store(out, ZERO, load(data, ZERO, 4))
    arrays = np.zeros(6, np.float32), np.ones(6, np.float32)
    with pytest.raises(RuntimeFailure, match=r"buffer 0 depends on .* or on what lies behind the end of a buffer"):
        launch(backend, program(four, store(out, 5, load(data, 6))), *arrays)
    with pytest.raises(RuntimeFailure, match="kernel k writes behind the end of buffer 0"):
        launch(backend, program(four, store(out, 6, load(data, 5))), *arrays)
    launch(backend, program(four, store(out, 5, load(data, 5))), *arrays)
    assert arrays[0].tolist() == [1, 1, 1, 1, 0, 1]


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_vector_that_is_not_at_a_multiple_of_its_size(backend: str) -> None:
    out, data = buffer(0, dtypes.float), buffer(1, dtypes.float)
    for uops in (program(store(out, 0, load(data, 2, 4))), program(store(out, 2, load(data, 0, 4)))):
        with pytest.raises(
            RuntimeFailure, match="kernel k: a vector is accessed that is not at a multiple of its size"
        ):
            launch(backend, uops, np.zeros(8, np.float32), np.zeros(8, np.float32))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("at", "count"),
    [(-1, 1), (16, 1), (5000, 1), (1 << 22, 1), (-(1 << 22), 1), (-4, 4), (-2, 4), (14, 4), (16, 4), (20, 4)],
)
def test_an_access_outside_of_a_shared_array(backend: str, at: int, count: int) -> None:
    """At an index that only the run knows."""
    shared = UOp(Ops.DEFINE_LOCAL, dtypes.float.ptr(16, local=True), (), "temp0")
    place, values = load(buffer(2, dtypes.int), ZERO), load(buffer(1, dtypes.float), ZERO, count)
    read = UOp(Ops.LOAD, values.dtype, (index(shared, place),))
    reading = program(shared, place, read, store(buffer(0, dtypes.float), ZERO, read))
    copied = store(buffer(0, dtypes.float), ZERO, values)
    writing = program(shared, place, values, store(shared, place, values), copied)
    for uops in (reading, writing):
        arrays = np.zeros(4, np.float32), np.zeros(4, np.float32), np.full(1, at, np.int32)
        with pytest.raises(
            RuntimeFailure, match="kernel k: an access outside of a shared array, by thread 0 of block 0"
        ):
            launch(backend, uops, *arrays)


@pytest.mark.parametrize("backend", BACKENDS)
def test_an_instruction_that_traps_ends_the_run_only(backend: str) -> None:
    uops = program(store(buffer(0, dtypes.int), ZERO, load(buffer(1, dtypes.int), ZERO)))
    arrays = np.zeros(1, np.int32), np.ones(1, np.int32)
    with pytest.raises(RuntimeFailure, match="kernel k: an operation that traps, by thread 0 of block 0"):
        launch(backend, uops, *arrays, rewrite=lambda source: source.replace("{\n", "{\n  __builtin_trap();\n", 1))
    launch(backend, uops, *arrays)
    assert arrays[0][0] == 1


def test_buffers_lie_at_either_end_of_their_pages() -> None:
    array = np.arange(5, dtype=np.float32)
    for at_end, alignment, behind in ((False, 4, None), (True, 4, 0), (True, 16, 12)):
        held = GuardedBuffer(0, array, alignment=alignment, fill=7, at_end=at_end)
        assert held.address % alignment == 0
        assert held.contents() == array.tobytes()
        assert not held.overrun()
        assert held.holds(held.address - 1)
        assert behind is None or (held.address + array.nbytes + behind) % 4096 == 0
