"""Kernel: how an AST is taken apart, and how its axes are split and moved."""

from __future__ import annotations

import pytest

from core.dtype import dtypes, image_dtype
from core.errors import SpecError
from core.ir.ops import Ops
from core.ir.uop import UOp
from core.opt import Kernel, Opt, OptOps
from core.render import get_renderer
from core.shape import ShapeTracker, View
from tests.core.opt.small_asts import (
    CPU,
    GPU,
    alu,
    const,
    elementwise,
    load,
    matmul,
    nested_sums,
    reduce,
    row_sum,
    sink,
    stacked,
    store,
    tracker,
    two_outputs,
)


def test_a_matmul_is_taken_apart() -> None:
    kernel = Kernel(matmul(8, 16, 32), GPU)
    assert kernel.full_shape == (8, 16, 32)
    assert kernel.output_shape == (8, 16, 1)
    assert (kernel.first_reduce, kernel.first_upcast, kernel.shape_len, kernel.global_dims) == (2, 3, 3, 2)
    assert [buf.op for buf in kernel.bufs] == [Ops.STORE, Ops.LOAD, Ops.LOAD]
    assert [buffer.arg for buffer in kernel.membufs] == [0, 2, 1]
    assert len(kernel.sts) == 3 + 2
    assert kernel.reduceop is kernel.reduceops[0]
    assert kernel.applied_opts == []


def test_the_last_store_comes_first() -> None:
    kernel = Kernel(two_outputs(3, 5), CPU)
    assert kernel.bufs[0].src[0].arg == 3
    assert kernel.name == "E2_15"


def test_reduce_axes_move_to_the_end() -> None:
    value = load(1, tracker(4, 6, 8))
    kernel = Kernel(sink(store(reduce(Ops.ADD, value, 1), 4, 1, 8)), CPU)
    assert kernel.full_shape == (4, 8, 6)
    assert kernel.sts[1].views[-1].strides == (48, 1, 8)


def test_axes_of_size_one_go_and_neighbours_merge() -> None:
    assert Kernel(elementwise(4, 1, 6, 8), CPU).full_shape == (192,)
    transposed = load(1, tracker(4, 6, 8, strides=(48, 1, 6)))
    assert Kernel(sink(store(transposed, 4, 6, 8)), CPU).full_shape == (4, 6, 8)


def test_neighbours_do_not_merge_where_one_buffer_walks_them_apart() -> None:
    broadcast = alu(Ops.ADD, load(1, tracker(4, 6)), load(2, tracker(4, 6, strides=(0, 1))))
    assert Kernel(sink(store(broadcast, 4, 6)), CPU).full_shape == (4, 6)


def test_a_reduce_axis_does_not_merge_with_the_one_before_it() -> None:
    assert Kernel(row_sum(4, 6), CPU).full_shape == (4, 6)
    everything = sink(store(reduce(Ops.ADD, load(1, tracker(4, 6)), 0, 1), 1, 1))
    assert Kernel(everything, CPU).full_shape == (24,)


def test_axes_of_different_image_dimensions_do_not_merge() -> None:
    image = image_dtype("imagef", (2, 8, 4))
    value = load(1, tracker(2, 8, 4))
    buffer = UOp(Ops.DEFINE_GLOBAL, image, (), 0)
    ast = sink(UOp(Ops.STORE, dtypes.void, (buffer, tracker(2, 8, 4).to_uop(), value)))
    assert Kernel(ast, GPU).full_shape == (2, 8, 4)


def test_a_kernel_of_one_element_has_no_axes() -> None:
    kernel = Kernel(elementwise(), CPU)
    assert kernel.full_shape == ()
    assert kernel.hand_coded_optimizations().applied_opts == []
    assert kernel.name == "E_"


def test_variables_are_listed_once_and_without_a_view() -> None:
    size = UOp.variable("n", 1, 10)
    view = tracker(size)
    as_value = size.replace(src=(tracker(size, strides=(0,)).to_uop(),))
    ast = sink(store(alu(Ops.ADD, load(1, view, dtypes.int), as_value), size))
    kernel = Kernel(ast, CPU)
    assert kernel.vars == (size,)
    assert kernel.name == "E_n"
    assert all(node.src == () for node in kernel.get_optimized_ast().toposort() if node.op is Ops.DEFINE_VAR)


def test_two_kernels_of_one_ast_do_not_share_their_layout() -> None:
    ast = matmul(8, 16, 32)
    first, second = Kernel(ast, GPU), Kernel(ast, CPU)
    first.apply_opt(Opt(OptOps.UPCAST, 0, 4))
    assert second.full_shape == (8, 16, 32)


def test_a_copy_goes_its_own_way() -> None:
    kernel = Kernel(matmul(8, 16, 32), GPU)
    kernel.apply_opt(Opt(OptOps.LOCAL, 0, 4))
    copy = kernel.copy()
    copy.apply_opt(Opt(OptOps.UPCAST, 1, 4))
    assert kernel.applied_opts == [Opt(OptOps.LOCAL, 0, 4)]
    assert kernel.opt_steps == ["given"]
    assert (kernel.upcasted, copy.upcasted, copy.local_dims) == (0, 1, 1)
    assert copy.applied_opts == [Opt(OptOps.LOCAL, 0, 4), Opt(OptOps.UPCAST, 1, 4)]


def test_shift_to_splits_neighbouring_or_distant_steps_off() -> None:
    kernel = Kernel(row_sum(4, 24), GPU)
    assert not kernel.copy().shift_to(1, 6)
    near, far = kernel.copy(), kernel.copy()
    near.shift_to(1, 6, insert_before=1)
    far.shift_to(1, 6, top=True, insert_before=1)
    assert near.full_shape == far.full_shape == (4, 6, 4)
    assert near.sts[1].views[-1].strides == (24, 1, 6)
    assert far.sts[1].views[-1].strides == (24, 4, 1)
    assert near.output_shape == (4, 1, 1)


@pytest.mark.parametrize(
    ("insert_before", "shape"), [(0, (6, 2, 4)), (1, (2, 6, 4)), (2, (2, 6, 4)), (None, (2, 4, 6))]
)
def test_shift_to_moves_a_whole_axis_without_leaving_one(insert_before: int | None, shape: tuple[int, ...]) -> None:
    transposed = load(1, tracker(2, 6, 4, strides=(24, 1, 6)))
    kernel = Kernel(sink(store(transposed, 2, 6, 4)), GPU)
    assert kernel.shift_to(1, 6, insert_before=insert_before)
    assert kernel.full_shape == shape


def test_upcast_axes_are_described_by_size_stride_and_reduction() -> None:
    kernel = Kernel(matmul(8, 16, 32), GPU)
    kernel.apply_opt(Opt(OptOps.UPCAST, 1, 4))
    kernel.apply_opt(Opt(OptOps.UNROLL, 0, 8))
    right, left = 1, 2
    assert kernel.upcasted_axis(right) == [(4, 1, False), (8, 16, True)]
    assert kernel.upcasted_axis(left) == [(4, 0, False), (8, 1, True)]
    assert kernel.float4_axis(right) == [0]
    assert kernel.float4_axis(left) == [1]
    assert kernel.full_unupcasted_shape == (8, 4, 4)


def test_which_reduce_reduces_an_axis() -> None:
    kernel = Kernel(nested_sums(3, 4, 5), GPU)
    assert [kernel.reduced_by(axis) for axis in range(3)] == [(), (1,), (0,)]


def test_a_constant_that_is_padded_becomes_a_choice() -> None:
    ast = sink(store(alu(Ops.ADD, load(1, tracker(6)), const(3, (6,))), 6))
    kernel = Kernel(ast, GPU)
    kernel.apply_opt(Opt(OptOps.PADTO, 0, 4))
    nodes = kernel.get_optimized_ast().toposort()
    (where,) = [node for node in nodes if node.op is Ops.WHERE]
    valid, value, zero = where.src
    assert valid.op is Ops.VALID
    assert valid.src[0].arg.views[-1].mask == ((0, 6),)
    assert (value.arg, zero.arg) == (3.0, 0.0)
    assert value.src[0].arg.views[-1].mask is None


def test_an_ast_that_breaks_a_spec_is_refused() -> None:
    with pytest.raises(SpecError, match="root-is-sink"):
        Kernel(load(1, tracker(4)), CPU)
    with pytest.raises(SpecError, match="same-shape"):
        Kernel(sink(store(load(1, tracker(4)), 5)), CPU)


def test_reduces_that_share_no_iteration_are_refused() -> None:
    left = reduce(Ops.ADD, load(1, tracker(3, 4, 1)), 1)
    right = reduce(Ops.ADD, load(2, tracker(3, 1, 5)), 2)
    with pytest.raises(SpecError, match="one-iteration"):
        Kernel(sink(store(alu(Ops.ADD, left, right), 3, 1, 1)), CPU)


def test_outputs_of_different_shapes_are_refused() -> None:
    value = load(1, tracker(6, 6))
    rows, columns = reduce(Ops.ADD, value, 1), reduce(Ops.ADD, value, 0)
    with pytest.raises(SpecError, match="outputs-same-shape"):
        Kernel(sink(store(rows, 6, 1), store(columns, 1, 6, number=2)), CPU)


def test_masks_and_several_views_survive() -> None:
    kernel = Kernel(stacked(12), CPU)
    kernel.apply_opt(Opt(OptOps.UPCAST, 0, 4))
    masked = kernel.sts[2]
    assert isinstance(masked, ShapeTracker)
    assert masked.shape == (3, 4)
    assert any(isinstance(view, View) and view.mask is not None for view in masked.views)


def test_a_kernel_becomes_a_program() -> None:
    kernel = Kernel(elementwise(4, 6), get_renderer("c"))
    kernel.apply_opt(Opt(OptOps.UPCAST, 0, 4))
    assert kernel.linearize() is kernel
    assert kernel.uops
    program = kernel.to_program(name_override="sum_of_two")
    assert program.name == "sum_of_two"
    assert program.applied_opts == [Opt(OptOps.UPCAST, 0, 4)]
    assert "sum_of_two(" in program.src


def test_a_long_chain_does_not_recurse() -> None:
    value = load(1, tracker(4))
    for _ in range(5000):
        value = alu(Ops.ADD, value, load(2, tracker(4)))
    kernel = Kernel(sink(store(value, 4)), CPU).hand_coded_optimizations()
    assert kernel.get_optimized_ast().op is Ops.SINK
