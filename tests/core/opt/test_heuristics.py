"""The heuristics choose as tinygrad 0.10.1 does. Expected names and opts were found by running it on the same ASTs."""

from __future__ import annotations

import re

import pytest

from core.context import Context
from core.dtype import dtypes, image_dtype
from core.errors import KernelOptError
from core.ir.ops import Ops
from core.ir.uop import UOp
from core.opt import Kernel, Opt, OptOps
from core.opt.heuristics import STEPS
from tests.core.opt.small_asts import (
    CPU,
    GPU,
    Limits,
    elementwise,
    image_matmul,
    image_sum,
    interleaved,
    load,
    matmul,
    matvec,
    nested_sums,
    row_sum,
    sink,
    stacked,
    store,
    strided_copy,
    tracker,
    two_outputs,
    variance_like,
    window_sum,
)


def opts_of(text: str) -> list[Opt]:
    return [Opt(OptOps[op], int(axis), int(arg)) for op, axis, arg in re.findall(r"(\w+)\((\d+),(\d+)\)", text)]


@pytest.mark.parametrize(
    ("ast", "target", "name", "opts"),
    [
        (image_sum(4, 64), CPU, "r_4_16_4_4", "UNROLL(0,4) UNROLL(0,4)"),
        (image_sum(4, 64), GPU, "r_4_64_4", "GROUPTOP(0,256) UNROLL(0,4)"),
        (image_sum(4, 1024), CPU, "r_4_256_4_4", "UNROLL(0,4) UNROLL(0,4)"),
        (image_sum(4, 1024), GPU, "r_4_256_4_4", "GROUPTOP(0,256) UNROLL(1,4)"),
        (image_sum(100,64), CPU, "r_100_16_4_4", "UNROLL(0,4) UNROLL(0,4)"),
        (image_sum(100,64), GPU, "r_100_16_4_4", "GROUPTOP(0,16) UNROLL(1,4)"),
        (matvec(64, 64), CPU, "r_64_16_4", "UNROLL(0,4)"),
        (matvec(64, 64), GPU, "r_4_4_8_8_4", "GROUP(0,8) LOCAL(0,4) UPCAST(0,4)"),
        (matvec(64, 60), CPU, "r_64_15_4", "UNROLL(0,4)"),
        (matvec(64, 60), GPU, "r_2_32_15_4", "UNROLL(0,4) LOCAL(0,32)"),
        (row_sum(8, 4096), CPU, "r_8_1024_4", "UNROLL(0,4)"),
        (row_sum(8, 4096), GPU, "r_8_256_16", "GROUPTOP(0,256)"),
        (row_sum(64, 4096), CPU, "r_64_1024_4", "UNROLL(0,4)"),
        (row_sum(64, 4096), GPU, "r_64_16_256", "GROUPTOP(0,16)"),
        (row_sum(4096, 64), CPU, "r_4096_16_4", "UNROLL(0,4)"),
        (row_sum(4096, 64), GPU, "r_128_32_16_4", "UNROLL(0,4) LOCAL(0,32)"),
        (row_sum(4096, 33), CPU, "r_4096_33", ""),
        (row_sum(4096, 33), GPU, "r_128_32_33", "LOCAL(0,32)"),
        (row_sum(4096, 36), CPU, "r_4096_9_4", "UNROLL(0,4)"),
        (row_sum(4096, 36), GPU, "r_128_32_9_4", "UNROLL(0,4) LOCAL(0,32)"),
        (matmul(64, 64, 64), CPU, "r_16_16_16_4_4_4", "UPCAST(1,4) UPCAST(0,4) UNROLL(0,4)"),
        (matmul(64, 64, 64), GPU, "r_2_8_16_16_4_4_4", "UPCAST(1,4) UPCAST(0,4) UNROLL(0,4) LOCAL(0,8) LOCAL(1,16)"),
        (matmul(96, 33, 7), CPU, "r_32_11_3_3_7", "UPCAST(1,3) UPCAST(0,3) UNROLL(0,0)"),
        (matmul(96, 33, 7), GPU, "r_11_32_3_3_7", "UPCAST(1,3) UPCAST(0,3) UNROLL(0,0) LOCAL(0,32)"),
        (window_sum(64, 64, 3, 3), CPU, "r_64_16_4_3_3", "UPCAST(1,4) UNROLL(1,0) UNROLL(0,0)"),
        (window_sum(64, 64, 3, 3), GPU, "r_8_8_16_4_3_3", "UPCAST(1,4) UNROLL(1,0) UNROLL(0,0) LOCAL(0,8) LOCAL(1,16)"),
        (window_sum(64, 64, 2, 9), CPU, "r_64_16_2_4_9", "UPCAST(1,4) UNROLL(1,0)"),
        (window_sum(64, 64, 2, 9), GPU, "r_8_8_16_2_4_9", "UPCAST(1,4) UNROLL(1,0) LOCAL(0,8) LOCAL(1,16)"),
        (interleaved(100, 3), CPU, "E_100_3", "UPCAST(1,0)"),
        (interleaved(100, 3), GPU, "E_25_4_3", "UPCAST(1,0) LOCAL(0,4)"),
        (interleaved(100, 8), CPU, "E_100_2_4", "UPCAST(1,4)"),
        (interleaved(100, 8), GPU, "E_25_4_2_4", "UPCAST(1,4) LOCAL(0,4) LOCAL(1,2)"),
        (elementwise(64, 64), CPU, "E_1024_4", "UPCAST(0,4)"),
        (elementwise(64, 64), GPU, "E_32_32_4", "UPCAST(0,4) LOCAL(0,32)"),
        (elementwise(7, 9), CPU, "E_63", ""),
        (elementwise(7, 9), GPU, "E_21_3", "LOCAL(0,3)"),
        (elementwise(5, 32), CPU, "E_40_4", "UPCAST(0,4)"),
        (elementwise(5, 32), GPU, "E_5_8_4", "UPCAST(0,4) LOCAL(0,8)"),
        (image_matmul(16, 8, 6), CPU, "r_16_8_6_4_4", "UPCAST(2,4) UNROLL(0,4)"),
        (image_matmul(16, 8, 6), GPU, "r_16_8_6_4_4", "UPCAST(2,4) UNROLL(0,4) LOCAL(0,16) LOCAL(0,8)"),
        (image_matmul(2, 3, 64), CPU, "r_2_3_64_4_4", "UPCAST(2,4) UNROLL(0,4)"),
        (image_matmul(2, 3, 64), GPU, "r_2_3_64_4_4", "UPCAST(2,4) UNROLL(0,4) LOCAL(0,2) LOCAL(0,3)"),
        (nested_sums(4, 6, 8), CPU, "r_4_6_8", "UNROLL(1,0)"),
        (nested_sums(4, 6, 8), GPU, "r_4_6_8", "UNROLL(1,0) LOCAL(0,4)"),
        (nested_sums(4, 32, 8), CPU, "r_4_32_8", "UNROLL(1,0)"),
        (nested_sums(4, 32, 8), GPU, "r_4_16_2_8", "GROUPTOP(0,16)"),
        (variance_like(8, 64), CPU, "r_8_16_4", "UNROLL(0,4)"),
        (variance_like(8, 64), GPU, "r_8_16_4", "UNROLL(0,4) LOCAL(0,8)"),
        (two_outputs(16, 24), CPU, "E2_96_4", "UPCAST(0,4)"),
        (two_outputs(16, 24), GPU, "E2_3_32_4", "UPCAST(0,4) LOCAL(0,32)"),
        (stacked(64), CPU, "E_16_4", "UPCAST(0,4)"),
        (stacked(64), GPU, "E_16_4", "UPCAST(0,4) LOCAL(0,16)"),
        (strided_copy((64, 48), (1, 64)), CPU, "E_64_12_4", "UPCAST(1,4)"),
        (strided_copy((64, 48), (1, 64)), GPU, "E_2_3_32_4_4", "UPCAST(1,4) LOCAL(0,32) LOCAL(1,4)"),
        (strided_copy((16, 12, 20), (1, 320, 16)), CPU, "E_16_60_4", "UPCAST(1,4)"),
        (strided_copy((16, 12, 20), (1, 320, 16)), GPU, "E_15_16_4_4", "UPCAST(1,4) LOCAL(0,16) LOCAL(0,4)"),
    ],
)  # fmt: skip
def test_choices(ast: UOp, target: Limits, name: str, opts: str) -> None:
    kernel = Kernel(ast, target).hand_coded_optimizations()
    assert kernel.applied_opts == opts_of(opts)
    assert kernel.name == name


@pytest.mark.parametrize(
    ("ast", "steps"),
    [
        (matvec(64, 64), ["matvec", "matvec", "matvec"]),
        (row_sum(8, 4096), ["group"]),
        (image_sum(4, 64), ["group", "image_float4"]),
        (image_matmul(16, 8, 6), ["required", "image_float4", "locals", "locals"]),
        (interleaved(100, 3), ["upcast_masked", "locals"]),
        (matmul(64, 64, 64), ["upcast_reused", "upcast_reused", "unroll_reduce", "locals", "locals"]),
        (elementwise(64, 64), ["upcast_something", "locals"]),
    ],
)
def test_each_opt_is_traced_to_its_step(ast: UOp, steps: list[str]) -> None:
    kernel = Kernel(ast, GPU).hand_coded_optimizations()
    assert kernel.opt_steps == steps
    assert kernel.opt_step == "given"
    assert set(steps) <= {step.name for step in STEPS}


def test_given_opts_are_traced_as_given() -> None:
    kernel = Kernel(matmul(64, 64, 64), CPU)
    kernel.apply_opt(Opt(OptOps.UPCAST, 0, 4))
    assert kernel.hand_coded_optimizations().opt_steps[0] == "given"


def test_settings_switch_heuristics_off() -> None:
    with Context(MATVEC=0):
        assert Kernel(matvec(64, 64), GPU).hand_coded_optimizations().applied_opts[0].op is not OptOps.GROUP
    with Context(NOLOCALS=1):
        kernel = Kernel(elementwise(64, 64), GPU).hand_coded_optimizations()
        assert kernel.applied_opts == [Opt(OptOps.UPCAST, 0, 4), Opt(OptOps.NOLOCALS)]
        assert kernel.dont_use_locals
        assert Kernel(elementwise(64, 64), CPU).hand_coded_optimizations().applied_opts == [Opt(OptOps.UPCAST, 0, 4)]


def test_a_kernel_without_locals_gets_none() -> None:
    kernel = Kernel(elementwise(64, 64), GPU)
    kernel.apply_opt(Opt(OptOps.NOLOCALS))
    assert kernel.hand_coded_optimizations().local_dims == 0


def test_a_matvec_that_does_not_fit_is_left_to_the_other_steps() -> None:
    little = Limits(shared_max=64)
    kernel = Kernel(matvec(64, 64), little).hand_coded_optimizations()
    assert kernel.opt_steps == ["group"]


def test_a_reduce_of_one_element_has_no_reduce_axis() -> None:
    kernel = Kernel(matmul(16, 32, 1), GPU).hand_coded_optimizations()
    assert kernel.first_reduce == kernel.first_upcast
    assert [node.op for node in kernel.get_optimized_ast().toposort() if node.op is Ops.REDUCE_AXIS] == []


def test_symbolic_axes_are_not_split() -> None:
    size = UOp.variable("n", 1, 64)
    value = load(1, tracker(size, 8, strides=(1, 64)))
    kernel = Kernel(sink(store(value, size, 8)), GPU).hand_coded_optimizations()
    assert kernel.name == "E_n_2_4"
    assert kernel.applied_opts == [Opt(OptOps.UPCAST, 1, 4), Opt(OptOps.LOCAL, 1, 2)]


def test_an_image_is_stored_four_elements_at_a_time_or_refused() -> None:
    kernel = Kernel(image_matmul(16, 8, 6), CPU)
    assert kernel.required_optimizations().applied_opts == [Opt(OptOps.UPCAST, 2, 4)]
    assert kernel.required_optimizations().applied_opts == [Opt(OptOps.UPCAST, 2, 4)]

    buffer = UOp(Ops.DEFINE_GLOBAL, image_dtype("imagef", (2, 3, 4)), (), 0)
    transposed = tracker(2, 3, 4, strides=(1, 2, 6)).to_uop()
    ast = sink(UOp(Ops.STORE, dtypes.void, (buffer, transposed, load(1, tracker(2, 3, 4)))))
    with pytest.raises(KernelOptError, match="image of buffer 0 needs an axis of stride 1"):
        Kernel(ast, CPU).required_optimizations()


def test_the_steps_are_named_and_described() -> None:
    names = [step.name for step in STEPS]
    assert len(set(names)) == len(names)
    assert all(step.does for step in STEPS)
