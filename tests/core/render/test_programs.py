"""Loops, accumulators, gates, vectors and variables: small programs, run on both backends."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from core.dtype import DType, dtypes
from core.ir.ops import Ops
from core.ir.uop import UOp
from core.render import get_renderer
from tests.core.render import native
from tests.core.render.programs import (
    alu,
    buffer,
    cast,
    const,
    elementwise,
    end,
    gated_load,
    index,
    load,
    loop,
    program,
    store,
)

pytestmark = pytest.mark.parametrize("backend", ["c", "llvm"])

ONE, TWO = const(dtypes.int, 1), const(dtypes.int, 2)


def run(backend: str, uops: list[UOp], *arguments: NDArray[Any] | int | None) -> str:
    """Build a program, run it, and give its source."""
    source = get_renderer(backend).render("k", uops)
    native.BUILDERS[backend]({"k": source})("k", *arguments)
    return source


def accumulator(number: int, start: UOp) -> UOp:
    return UOp(Ops.DEFINE_ACC, start.dtype, (start,), number)


def assign(target: UOp, value: UOp) -> UOp:
    return UOp(Ops.ASSIGN, target.dtype, (target, value))


def condition(gate: UOp) -> UOp:
    return UOp(Ops.IF, dtypes.void, (gate,))


def test_a_sum_over_two_loops(backend: str) -> None:
    out, data = buffer(0, dtypes.float), buffer(1, dtypes.float)
    rows, columns = loop(3, 0), loop(5, 1)
    total = accumulator(0, const(dtypes.float, 0.0))
    at = alu(Ops.ADD, alu(Ops.MUL, rows, const(dtypes.int, 5)), columns)
    updated = assign(total, alu(Ops.ADD, total, load(data, at)))
    uops = program(out, data, rows, total, columns, updated, end(columns), store(out, rows, total), end(rows))

    values, sums = np.arange(15, dtype=np.float32), np.zeros(3, np.float32)
    run(backend, uops, sums, values)
    assert sums.tolist() == values.reshape(3, 5).sum(1).tolist()


def test_a_loop_that_runs_as_often_as_a_variable_says(backend: str) -> None:
    out, times = buffer(0, dtypes.int), UOp(Ops.DEFINE_VAR, dtypes.int, (), ("times", 0, 10))
    total = accumulator(0, const(dtypes.int, 0))
    steps = loop(alu(Ops.ADD, times, times))
    uops = program(
        out, times, total, steps, assign(total, alu(Ops.ADD, total, steps)), end(steps), store(out, 0, total)
    )
    for count in (0, 1, 4):
        got = np.array([-1], np.int32)
        run(backend, uops, got, count)
        assert got.tolist() == [sum(range(2 * count))]


def test_what_reads_an_accumulator_reads_it_where_it_stands(backend: str) -> None:
    """Fibonacci: both new values are of the old ones, though one accumulator is assigned before the other."""
    out = buffer(0, dtypes.int)
    a, b = accumulator(0, const(dtypes.int, 0)), accumulator(1, const(dtypes.int, 1))
    steps = loop(10)
    swapped, added = alu(Ops.ADD, b, const(dtypes.int, 0)), alu(Ops.ADD, a, b)
    body = [swapped, added, assign(a, swapped), assign(b, added)]
    uops = program(out, a, b, steps, *body, end(steps), store(out, 0, a), store(out, 1, b))
    got = np.zeros(2, np.int32)
    run(backend, uops, got)
    assert got.tolist() == [55, 89]


def test_what_was_read_before_a_loop_is_not_read_again_in_it(backend: str) -> None:
    out, total = buffer(0, dtypes.int), accumulator(0, const(dtypes.int, 5))
    before = alu(Ops.MUL, total, TWO)
    steps = loop(3)
    uops = program(
        out, total, before, steps, assign(total, alu(Ops.ADD, total, before)), end(steps), store(out, 0, total)
    )
    got = np.zeros(1, np.int32)
    run(backend, uops, got)
    assert got.tolist() == [35]


def test_an_address_that_an_accumulator_gave_stays(backend: str) -> None:
    out, data, total = buffer(0, dtypes.int), buffer(1, dtypes.int), accumulator(0, const(dtypes.int, 2))
    address = index(data, total)
    found = UOp(Ops.LOAD, dtypes.int, (address,))
    uops = program(out, data, total, address, assign(total, const(dtypes.int, 0)), store(out, 0, found))
    got = np.zeros(1, np.int32)
    run(backend, uops, got, np.array([7, 8, 9], np.int32))
    assert got.tolist() == [9]


def test_an_assignment_stands_for_its_accumulator(backend: str) -> None:
    out, total = buffer(0, dtypes.int), accumulator(0, const(dtypes.int, 5))
    doubled = assign(total, alu(Ops.MUL, total, TWO))
    uops = program(out, total, doubled, assign(doubled, alu(Ops.ADD, doubled, ONE)), store(out, 0, total))
    got = np.zeros(1, np.int32)
    run(backend, uops, got)
    assert got.tolist() == [11]


@pytest.mark.parametrize("dtype", [dtypes.float, dtypes.bool, dtypes.half], ids=str)
@pytest.mark.parametrize("lanes", [1, 4])
def test_a_gated_load_does_not_touch_memory(backend: str, dtype: DType, lanes: int) -> None:
    out, data, limit = buffer(0, dtype), buffer(1, dtype), UOp(Ops.DEFINE_VAR, dtypes.int, (), ("limit", 0, 4))
    steps = loop(4)
    vector = dtype.vec(lanes)
    at = alu(Ops.MUL, steps, const(dtypes.int, lanes))
    value = gated_load(data, at, const(vector, 1), alu(Ops.CMPLT, steps, limit))
    uops = program(out, data, limit, store(out, at, value), end(steps))

    got = np.zeros(4 * lanes, dtype.numpy())
    run(backend, uops, got, None, 0)
    assert got.tolist() == [1] * (4 * lanes)

    run(backend, uops, got, np.zeros(2 * lanes, dtype.numpy()), 2)
    assert got.tolist() == [0] * (2 * lanes) + [1] * (2 * lanes)


def test_a_gated_store_writes_where_the_gate_is_true(backend: str) -> None:
    out, steps = buffer(0, dtypes.int), loop(8)
    gate = condition(alu(Ops.CMPLT, steps, const(dtypes.int, 5)))
    uops = program(out, steps, gate, store(out, steps, alu(Ops.MUL, steps, steps)), end(gate), end(steps))
    got = np.full(8, -1, np.int32)
    run(backend, uops, got)
    assert got.tolist() == [0, 1, 4, 9, 16, -1, -1, -1]


def test_a_gated_load_in_a_gate_in_a_loop(backend: str) -> None:
    """Branches within branches: every join must know the block it comes from."""
    out, data, outer, inner = buffer(0, dtypes.int), buffer(1, dtypes.int), loop(4, 0), loop(3, 1)
    gate = condition(alu(Ops.CMPNE, outer, ONE))
    total = accumulator(0, const(dtypes.int, 100))
    found = gated_load(data, outer, const(dtypes.int, -1), alu(Ops.CMPLT, outer, TWO))
    again = gated_load(data, inner, found, alu(Ops.CMPLT, ONE, inner))
    body = [gate, total, found, inner, again, assign(total, alu(Ops.ADD, total, again)), end(inner)]
    uops = program(out, data, outer, *body, store(out, outer, total), end(gate), end(outer))
    got, values = np.zeros(4, np.int32), np.array([10, 20, 30], np.int32)
    run(backend, uops, got, values)
    assert got.tolist() == [100 + 10 + 10 + 30, 0, 100 - 1 - 1 + 30, 100 - 1 - 1 + 30]


@pytest.mark.parametrize("dtype", [dtypes.float, dtypes.uchar, dtypes.half, dtypes.double, dtypes.bool], ids=str)
def test_vectors_stand_at_any_element(backend: str, dtype: DType) -> None:
    """Loads and stores of vectors that are aligned to their elements only, their lanes taken apart and put together."""
    out, data, at = buffer(0, dtype), buffer(1, dtype), UOp(Ops.DEFINE_VAR, dtypes.int, (), ("at", 0, 3))
    vector = load(data, at, 4)
    lanes = [UOp(Ops.GEP, dtype, (vector,), lane) for lane in (3, 1, 0, 2)]
    shuffled = UOp(Ops.VECTORIZE, dtype.vec(4), tuple(lanes))
    uops = program(out, data, at, store(out, alu(Ops.ADD, at, ONE), shuffled))
    values = np.array([0, 1, 2, 3, 4, 5, 6, 7], np.uint8).astype(dtype.numpy())
    for offset in range(4):
        got = np.zeros(9, dtype.numpy())
        run(backend, uops, got, values, offset)
        assert got[offset + 1 : offset + 5].tolist() == values[offset:][[3, 1, 0, 2]].tolist()
        assert np.count_nonzero(got) == np.count_nonzero(got[offset + 1 : offset + 5])


def test_an_accumulator_of_vectors(backend: str) -> None:
    out, data, steps = buffer(0, dtypes.float), buffer(1, dtypes.float), loop(3)
    total = accumulator(0, const(dtypes.float.vec(4), 0.5))
    found = load(data, alu(Ops.MUL, steps, const(dtypes.int, 4)), 4)
    updated = assign(total, alu(Ops.ADD, total, alu(Ops.MUL, found, const(dtypes.float.vec(4), 2.0))))
    uops = program(out, data, total, steps, updated, end(steps), store(out, 0, total))
    got, values = np.zeros(4, np.float32), np.arange(12, dtype=np.float32)
    run(backend, uops, got, values)
    assert got.tolist() == (0.5 + 2 * values.reshape(3, 4).sum(0)).tolist()


def test_a_lane_of_an_accumulator_is_of_the_moment(backend: str) -> None:
    out, total = buffer(0, dtypes.float), accumulator(0, const(dtypes.float.vec(2), 3.0))
    lane = UOp(Ops.GEP, dtypes.float, (total,), 1)
    updated = assign(total, alu(Ops.ADD, total, total))
    uops = program(out, total, lane, updated, store(out, 0, lane), store(out, 1, alu(Ops.ADD, lane, lane)))
    got = np.zeros(2, np.float32)
    run(backend, uops, got)
    assert got.tolist() == [3.0, 6.0]


def test_a_vector_chosen_by_one_condition(backend: str) -> None:
    out, data, flag = buffer(0, dtypes.float), buffer(1, dtypes.float), UOp(Ops.DEFINE_VAR, dtypes.int, (), ("f", 0, 1))
    chosen = alu(Ops.WHERE, cast(flag, dtypes.bool), load(data, 0, 4), const(dtypes.float.vec(4), -1.0))
    for given, wanted in ((0, [-1] * 4), (1, [0, 1, 2, 3])):
        got = np.zeros(4, np.float32)
        run(backend, program(out, data, flag, store(out, 0, chosen)), got, np.arange(4, dtype=np.float32), given)
        assert got.tolist() == wanted


def test_a_masked_division_by_zero_does_not_trap(backend: str) -> None:
    def build(n: UOp, d: UOp) -> UOp:
        zero = const(dtypes.int, 0)
        return alu(Ops.WHERE, alu(Ops.CMPNE, d, zero), alu(Ops.IDIV, n, d), const(dtypes.int, -7))

    n, d = np.array([5, 6, -(2**31)], np.int32), np.array([0, 4, -1], np.int32)
    got = np.zeros(3, np.int32)
    run(backend, elementwise(dtypes.int, [dtypes.int, dtypes.int], build, 3), got, n, d)
    assert got.tolist() == [-7, 1, -(2**31)]


def test_a_float_beyond_the_integers_chooses_a_branch_all_the_same(backend: str) -> None:
    """What the conversion gives is not said; the gates that hang on it must be one thing or the other."""
    out, data = buffer(0, dtypes.int), buffer(1, dtypes.float)
    whole = cast(load(data, 0), dtypes.int)
    gate = alu(Ops.CMPLT, whole, const(dtypes.int, 0))
    first, second = gated_load(data, 0, const(dtypes.float, -1.0), gate), condition(gate)
    uops = program(out, data, store(out, 0, cast(first, dtypes.bool)), second, store(out, 1, ONE), end(second))
    for value in (np.nan, np.inf, 1e20):
        got = np.zeros(2, np.int32)
        run(backend, uops, got, np.array([value], np.float32))
        assert got[0] == 1
        assert got[1] in (0, 1)


def test_a_kernel_that_stores_into_what_it_loads(backend: str) -> None:
    data, steps = buffer(0, dtypes.int), loop(4)
    uops = program(data, steps, store(data, steps, alu(Ops.ADD, load(data, steps), ONE)), end(steps))
    values = np.arange(4, dtype=np.int32)
    run(backend, uops, values)
    assert values.tolist() == [1, 2, 3, 4]


def test_indices_of_64_bits(backend: str) -> None:
    out, data = buffer(0, dtypes.int), buffer(1, dtypes.int)
    far = alu(Ops.MUL, const(dtypes.long, 1 << 40), const(dtypes.long, 1 << 10))
    at = alu(Ops.ADD, alu(Ops.SUB, far, const(dtypes.long, 1 << 50)), const(dtypes.long, 2))
    got = np.zeros(1, np.int32)
    run(backend, program(out, data, store(out, 0, load(data, at))), got, np.arange(4, dtype=np.int32))
    assert got.tolist() == [2]


def test_parameters_are_buffers_by_number_then_variables_by_name(backend: str) -> None:
    b, a = (UOp(Ops.DEFINE_VAR, dtypes.int, (), (name, 0, 9)) for name in "ba")
    value = alu(Ops.ADD, alu(Ops.MUL, b, const(dtypes.int, 10)), alu(Ops.ADD, a, load(buffer(11, dtypes.int), 0)))
    uops = program(b, a, store(buffer(2, dtypes.int), 0, value))
    got = np.zeros(1, np.int32)
    source = run(backend, uops, got, np.array([100], np.int32), 3, 4)
    assert got.tolist() == [143]
    assert source == get_renderer(backend).render("k", uops)


def test_a_sum_of_two_thousand_terms(backend: str) -> None:
    """No expression may grow without bound, whether it leans to the left or to the right."""
    out, data = buffer(0, dtypes.float), buffer(1, dtypes.float)
    left = right = load(data, 0)
    for i in range(1, 1000):
        left, right = alu(Ops.ADD, left, load(data, i)), alu(Ops.ADD, load(data, i), right)
    got, values = np.zeros(2, np.float32), np.ones(1000, np.float32)
    source = run(backend, program(out, data, store(out, 0, left), store(out, 1, right)), got, values)
    assert got.tolist() == [1000, 1000]
    assert max(len(line) for line in source.splitlines()) < 300
