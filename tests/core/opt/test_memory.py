"""The estimate of the global memory that a kernel moves."""

from __future__ import annotations

from core.dtype import dtypes
from core.ir.ops import Ops
from core.ir.uop import UOp
from core.opt import Kernel, memory_bytes
from tests.core.opt.small_asts import CPU, alu, image_sum, load, matmul, sink, store, tracker, two_outputs


def test_each_buffer_counts_as_far_as_it_is_reached() -> None:
    assert memory_bytes(matmul(8, 16, 32)) == 4 * (8 * 16 + 8 * 32 + 16 * 32)
    assert memory_bytes(matmul(8, 16, 32, dtypes.half)) == 2 * (8 * 16 + 8 * 32 + 16 * 32)
    assert Kernel(matmul(8, 16, 32), CPU).mem_estimate() == memory_bytes(matmul(8, 16, 32))


def test_of_several_loads_of_a_buffer_the_furthest_counts() -> None:
    """And it does not matter which other buffers are loaded in between."""
    near, far, other = load(1, tracker(8)), load(1, tracker(8, strides=(3,))), load(2, tracker(8))
    ast = sink(store(alu(Ops.ADD, alu(Ops.ADD, near, other), far), 8))
    assert memory_bytes(ast) == 4 * (8 + 22 + 8)


def test_a_buffer_that_is_read_and_written_counts_twice() -> None:
    ast = sink(store(alu(Ops.ADD, load(0, tracker(8)), load(1, tracker(8))), 8))
    assert memory_bytes(ast) == 4 * 3 * 8


def test_every_output_counts() -> None:
    assert memory_bytes(two_outputs(4, 6)) == 4 * 4 * 24


def test_constants_and_images() -> None:
    assert memory_bytes(image_sum(4, 8)) == 4 * (4 * 8 * 4) + 4 * 4


def test_variables_are_taken_at_their_greatest() -> None:
    size = UOp.variable("n", 1, 10)
    assert memory_bytes(sink(store(load(1, tracker(4, size, strides=(10, 1))), 4, size))) == 4 * 2 * 40
