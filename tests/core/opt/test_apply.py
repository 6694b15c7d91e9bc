"""Every optimisation keeps what a kernel computes; one that does not apply says why and changes nothing."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from core.dtype import dtypes
from core.errors import KernelOptError
from core.ir.ops import Ops
from core.ir.uop import UOp
from core.opt import Kernel, Opt, OptOps
from tests.core.opt.evaluate_ast import outputs
from tests.core.opt.small_asts import (
    CPU,
    GPU,
    Limits,
    alu,
    counted,
    elementwise,
    inner_reduce_first,
    load,
    matmul,
    nested_sums,
    row_sum,
    sink,
    stacked,
    store,
    strided_copy,
    tracker,
    two_outputs,
    variance_like,
)

ASTS = {
    "elementwise": elementwise(6, 8),
    "row_sum": row_sum(6, 16),
    "matmul": matmul(4, 6, 12),
    "nested_sums": nested_sums(4, 6, 8),
    "inner_reduce_first": inner_reduce_first(4, 6, 8),
    "variance_like": variance_like(6, 12),
    "counted": counted(6, 10),
    "stacked": stacked(24),
    "two_outputs": two_outputs(6, 8),
    "transpose": strided_copy((4, 6, 8), (1, 4, 24)),
}
AMOUNTS = (0, 1, 2, 3, 4, 8)
ELEMENTS = 1024


def buffers(seed: int) -> dict[int, np.ndarray]:
    generator = np.random.default_rng(seed)
    return {number: generator.integers(-9, 10, ELEMENTS) for number in (1, 2)}


def results(ast: UOp, global_dims: int = 0) -> dict[int, np.ndarray]:
    return outputs(ast, buffers(1), {0: ELEMENTS, 3: ELEMENTS}, global_dims)


def assert_unchanged_meaning(ast: UOp, kernel: Kernel) -> None:
    expected, got = results(ast), results(kernel.get_optimized_ast(), kernel.global_dims)
    for number, values in expected.items():
        np.testing.assert_array_equal(got[number], values, err_msg=str(kernel.applied_opts))


def every_opt(op: OptOps) -> list[Opt]:
    if op is OptOps.NOLOCALS:
        return [Opt(op)]
    return [Opt(op, axis, amount) for axis, amount in itertools.product(range(4), AMOUNTS)]


def apply_if_possible(kernel: Kernel, opt: Opt) -> bool:
    before, refused = described(kernel), False
    try:
        kernel.apply_opt(opt)
    except KernelOptError:
        refused = True
    assert (described(kernel) == before) is refused, f"{opt} was refused: {refused}"
    return not refused


def described(kernel: Kernel) -> tuple[object, ...]:
    return *kernel.layout, tuple(kernel.applied_opts), tuple(kernel.opt_steps)


@pytest.mark.parametrize("op", [op for op in OptOps if op is not OptOps.TC], ids=lambda op: op.name)
def test_each_opt_keeps_the_meaning(op: OptOps) -> None:
    applied = 0
    for ast, opt in itertools.product(ASTS.values(), every_opt(op)):
        kernel = Kernel(ast, GPU)
        if apply_if_possible(kernel, opt):
            assert_unchanged_meaning(ast, kernel)
            applied += 1
    assert applied >= 3


@pytest.mark.parametrize("name", ASTS)
def test_sequences_of_opts_keep_the_meaning(name: str) -> None:
    generator = random.Random(name)
    candidates = [opt for op in OptOps for opt in every_opt(op)]
    lengths = set()
    for _ in range(40):
        kernel = Kernel(ASTS[name], GPU)
        for opt in generator.sample(candidates, 40):
            apply_if_possible(kernel, opt)
        assert_unchanged_meaning(ASTS[name], kernel)
        lengths.add(len(kernel.applied_opts))
    assert max(lengths) >= 3


def test_the_heuristics_keep_the_meaning() -> None:
    for ast in ASTS.values():
        for target in (CPU, GPU):
            assert_unchanged_meaning(ast, Kernel(ast, target).hand_coded_optimizations())


# ---- where the axes go ----------------------------------------------------------------------------------------------


def layout_after(ast: UOp, *opts: Opt) -> tuple[tuple[object, ...], str]:
    """The sizes of the axes, and a letter for the colour of each."""
    kernel = Kernel(ast, GPU)
    for opt in opts:
        kernel.apply_opt(opt)
    return kernel.full_shape, "".join(color[0] for color in kernel.colors())


@pytest.mark.parametrize(
    ("opts", "shape", "colors"),
    [
        ((), (8, 16, 32), "bbr"),
        ((Opt(OptOps.UPCAST, 0, 4),), (2, 16, 32, 4), "bbry"),
        ((Opt(OptOps.UPCAST, 0, 0),), (16, 32, 8), "bry"),
        ((Opt(OptOps.UNROLL, 0, 4),), (8, 16, 8, 4), "bbrm"),
        ((Opt(OptOps.UNROLL, 0, 0),), (8, 16, 32), "bbm"),
        ((Opt(OptOps.LOCAL, 1, 4),), (8, 4, 4, 32), "bbcr"),
        ((Opt(OptOps.LOCAL, 0, 0),), (16, 8, 32), "bcr"),
        ((Opt(OptOps.GROUP, 0, 4),), (8, 16, 4, 8), "bbgr"),
        ((Opt(OptOps.GROUPTOP, 0, 0),), (8, 16, 32), "bbg"),
        ((Opt(OptOps.NOLOCALS),), (8, 16, 32), "BBr"),
        ((Opt(OptOps.SWAP, 0, 1),), (16, 8, 32), "bbr"),
        ((Opt(OptOps.PADTO, 0, 5),), (10, 16, 32), "bbr"),
        # an axis that is used up leaves its group
        ((Opt(OptOps.LOCAL, 0, 4), Opt(OptOps.UPCAST, 2, 0)), (2, 16, 32, 4), "bbry"),
        ((Opt(OptOps.GROUP, 0, 4), Opt(OptOps.UNROLL, 0, 0)), (8, 16, 8, 4), "bbrm"),
        ((Opt(OptOps.LOCAL, 0, 4), Opt(OptOps.GROUP, 0, 4), Opt(OptOps.UNROLL, 1, 0)), (2, 16, 4, 4, 8), "bbcgm"),
    ],
)
def test_where_the_axes_go(opts: tuple[Opt, ...], shape: tuple[int, ...], colors: str) -> None:
    assert layout_after(matmul(8, 16, 32), *opts) == (shape, colors)


def test_unroll_and_group_count_from_the_first_reduce_axis() -> None:
    kernel = Kernel(matmul(8, 16, 32), GPU)
    kernel.apply_opt(Opt(OptOps.GROUP, 0, 4))
    assert Opt(OptOps.UNROLL, 0, 2).real_axis(kernel) == 2
    assert Opt(OptOps.GROUPTOP, 0, 2).real_axis(kernel) == 3
    assert Opt(OptOps.UPCAST, 1, 2).real_axis(kernel) == 1
    assert Opt(OptOps.NOLOCALS).real_axis(kernel) == -1


# ---- refusals -------------------------------------------------------------------------------------------------------

SYMBOLIC = sink(
    store(
        alu(Ops.ADD, *[load(n, tracker(UOp.variable("n", 1, 64), 8, strides=(1, 64))) for n in (1, 2)]),
        UOp.variable("n", 1, 64),
        8,
    )
)
MEAN_LIKE = sink(
    store(UOp(Ops.REDUCE_AXIS, dtypes.float, (alu(Ops.RECIP, load(1, tracker(6, 10))),), (Ops.ADD, (1,))), 6, 1)
)


@pytest.mark.parametrize(
    ("ast", "target", "opts", "message"),
    [
        (matmul(8, 16, 32), GPU, [Opt(OptOps.UPCAST, 3, 4)], "invalid axis, the kernel has 3 axes"),
        (matmul(8, 16, 32), GPU, [Opt(OptOps.UNROLL, 1, 4)], "invalid axis"),
        (matmul(8, 16, 32), GPU, [Opt(OptOps.UPCAST, -1, 4)], "needs an axis"),
        (matmul(8, 16, 32), GPU, [Opt(OptOps.UPCAST, None, 4)], "needs an axis"),
        (matmul(8, 16, 32), GPU, [Opt(OptOps.UPCAST, 0, None)], "arg should be int"),
        (matmul(8, 16, 32), GPU, [Opt(OptOps.UPCAST, 0, (1, 2))], "arg should be int"),
        (matmul(8, 16, 32), GPU, [Opt(OptOps.UPCAST, 0, 1)], "an amount of 1 is meaningless"),
        (matmul(8, 16, 32), GPU, [Opt(OptOps.UPCAST, 0, -4)], "an amount of -4 is meaningless"),
        (matmul(8, 16, 32), GPU, [Opt(OptOps.UPCAST, 0, 3)], "axis 0 has size 8, not a multiple of 3"),
        (matmul(8, 16, 32), GPU, [Opt(OptOps.UPCAST, 2, 4)], "upcast is for non-reduce"),
        (matmul(32, 16, 32), GPU, [Opt(OptOps.UPCAST, 0, 32)], "don't upcast more than 16"),
        (matmul(8, 16, 64), GPU, [Opt(OptOps.UNROLL, 0, 64)], "don't unroll more than 32"),
        (matmul(8, 16, 32), GPU, [Opt(OptOps.UNROLL, 0, 4), Opt(OptOps.UNROLL, 1, 2)], "it is upcast already"),
        (matmul(8, 16, 32), CPU, [Opt(OptOps.LOCAL, 0, 4)], "target cpu does not support local"),
        (matmul(8, 16, 32), GPU, [Opt(OptOps.LOCAL, 2, 4)], "local is for globals"),
        (matmul(8, 16, 32), GPU, [Opt(OptOps.LOCAL, 0, 4), Opt(OptOps.LOCAL, 2, 2)], "local is for globals"),
        (matmul(8, 16, 32), GPU, [Opt(OptOps.NOLOCALS), Opt(OptOps.LOCAL, 0, 4)], "not using locals"),
        (matmul(8, 16, 32), GPU, [Opt(OptOps.NOLOCALS), Opt(OptOps.GROUP, 0, 4)], "not using locals"),
        (matmul(8, 16, 32), GPU, [Opt(OptOps.NOLOCALS), Opt(OptOps.NOLOCALS)], "NOLOCALS is meaningless"),
        (matmul(8, 16, 32), CPU, [Opt(OptOps.NOLOCALS)], "NOLOCALS is meaningless"),
        (matmul(8, 16, 32), GPU, [Opt(OptOps.LOCAL, 0, 4), Opt(OptOps.NOLOCALS)], "can't have no locals with locals"),
        (matmul(8, 16, 32), GPU, [Opt(OptOps.NOLOCALS, 0, 4)], "takes no axis and no arg"),
        (matmul(8, 16, 32), CPU, [Opt(OptOps.GROUP, 0, 4)], "does not support local or shared mem"),
        (matmul(8, 16, 32), Limits(has_shared=False), [Opt(OptOps.GROUP, 0, 4)], "not support local or shared mem"),
        (matmul(8, 16, 32), GPU, [Opt(OptOps.UNROLL, 0, 4), Opt(OptOps.GROUP, 1, 2)], "must be reduce axis to group"),
        (variance_like(6, 12), GPU, [Opt(OptOps.GROUP, 0, 4)], "can't group with parallel reduces"),
        (nested_sums(4, 6, 8), GPU, [Opt(OptOps.GROUP, 1, 4)], "a later reduce needs the result in every thread"),
        (inner_reduce_first(4, 6, 8), GPU, [Opt(OptOps.GROUP, 0, 2)], "a later reduce needs the result"),
        (matmul(8, 16, 32), GPU, [Opt(OptOps.SWAP, 1, 0)], "swap is only for globals with axis < arg"),
        (matmul(8, 16, 32), GPU, [Opt(OptOps.SWAP, 0, 2)], "swap is only for globals with axis < arg"),
        (matmul(8, 16, 32), GPU, [Opt(OptOps.PADTO, 0, 4)], "nothing was padded"),
        (matmul(8, 16, 32), GPU, [Opt(OptOps.PADTO, 0, 64)], "pad adds more than quadruple the work"),
        (matmul(8, 16, 32), GPU, [Opt(OptOps.UPCAST, 0, 4), Opt(OptOps.PADTO, 3, 3)], "cannot pad upcasted axis 3"),
        (variance_like(6, 12), GPU, [Opt(OptOps.PADTO, 1, 8)], "reduced by MAX"),
        (MEAN_LIKE, GPU, [Opt(OptOps.PADTO, 1, 8)], "the padding would go through RECIP"),
        (SYMBOLIC, GPU, [Opt(OptOps.PADTO, 1, 16)], "does not work with symbolic shape"),
        (SYMBOLIC, GPU, [Opt(OptOps.UPCAST, 0, 4)], "axis 0 has size n, not a multiple of 4"),
        (SYMBOLIC, GPU, [Opt(OptOps.UPCAST, 0, 0)], "an amount of n is meaningless"),
        (elementwise(65536), GPU, [Opt(OptOps.UPCAST, 0, 16)] * 4, "unroll 65536 steps"),
        (matmul(8, 16, 32), GPU, [Opt(OptOps.TC, 0, (-1, 0))], "gpu has no tensor cores, or USE_TC is 0"),
    ],
)  # fmt: skip
def test_what_does_not_apply_is_refused(ast: UOp, target: Limits, opts: list[Opt], message: str) -> None:
    kernel = Kernel(ast, target)
    for opt in opts[:-1]:
        kernel.apply_opt(opt)
    before = described(kernel)
    with pytest.raises(KernelOptError) as refusal:
        kernel.apply_opt(opts[-1])
    assert message in str(refusal.value)
    assert str(refusal.value).startswith(f"{opts[-1]!r} does not apply: ")
    assert described(kernel) == before


def test_shared_memory_is_limited_and_counted_exactly() -> None:
    # 8 threads a row, 4 rows a workgroup, 4 upcast, of 4 bytes each
    opts = [Opt(OptOps.GROUP, 0, 8), Opt(OptOps.LOCAL, 0, 4), Opt(OptOps.UPCAST, 0, 4)]
    enough, too_little = (
        Kernel(row_sum(64, 64), Limits(shared_max=512)),
        Kernel(row_sum(64, 64), Limits(shared_max=511)),
    )
    for opt in opts[:-1]:
        enough.apply_opt(opt)
        too_little.apply_opt(opt)
    enough.apply_opt(opts[-1])
    with pytest.raises(KernelOptError, match="exceeds maximum shared memory size: needs 512 bytes, gpu has 511"):
        too_little.apply_opt(opts[-1])
    assert too_little.upcasted == 0
    (buffer,) = [node for node in enough.get_optimized_ast().toposort() if node.op is Ops.DEFINE_LOCAL]
    assert (buffer.arg, str(buffer.dtype)) == ("temp0", "float.ptr(128,local=True)")


def test_unrolling_a_shared_reduce_takes_no_more_memory() -> None:
    kernel = Kernel(row_sum(64, 64), Limits(shared_max=32))
    kernel.apply_opt(Opt(OptOps.GROUP, 0, 8))
    kernel.apply_opt(Opt(OptOps.UNROLL, 1, 4))
    assert kernel.name == "r_64_8_2_4"


def test_a_whole_reduce_can_be_shared() -> None:
    ast = row_sum(6, 16)
    kernel = Kernel(ast, GPU)
    kernel.apply_opt(Opt(OptOps.GROUP, 0, 0))
    assert kernel.group_for_reduces == 1
    assert_unchanged_meaning(ast, kernel)
    reduces = [node.arg for node in kernel.get_optimized_ast().toposort() if node.op is Ops.REDUCE_AXIS]
    assert reduces == [(Ops.ADD, (1,))]


def test_the_outer_of_two_reduces_can_be_shared() -> None:
    ast = nested_sums(4, 6, 8)
    kernel = Kernel(ast, GPU)
    kernel.apply_opt(Opt(OptOps.GROUP, 0, 2))
    assert_unchanged_meaning(ast, kernel)


def test_padding_a_reduce_that_multiplies_and_adds_constants() -> None:
    ast = counted(6, 10)
    kernel = Kernel(ast, GPU)
    kernel.apply_opt(Opt(OptOps.PADTO, 1, 16))
    assert kernel.full_shape == (6, 16)
    assert_unchanged_meaning(ast, kernel)
