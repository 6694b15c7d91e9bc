"""Tensor cores: the tables, when one applies, and that the kernel computes the same with the fragments exchanged."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from core.context import Context
from core.dtype import DType, dtypes
from core.errors import KernelOptError
from core.ir.ops import Ops
from core.ir.spec import tensor_spec, type_verify
from core.ir.uop import UOp
from core.opt import Kernel, Opt, OptOps
from core.opt.tensor_core import AMX, CDNA, CUDA_SM75, CUDA_SM80, INTEL, METAL, RDNA3, TensorCore
from tests.core.opt.small_asts import GPU, Limits, alu, elementwise, load, matmul, reduce, sink, store, tracker
from tests.core.opt.test_apply import assert_unchanged_meaning

TABLES = {
    "sm75": CUDA_SM75,
    "sm80": CUDA_SM80,
    "rdna3": RDNA3,
    "cdna": CDNA,
    "metal": METAL,
    "intel": INTEL,
    "amx": AMX,
}
EVERY = [(name, unit) for name, units in TABLES.items() for unit in units]
METAL_LIKE = replace(GPU, tensor_cores=METAL)


def product(m: int, n: int, k: int, unit: TensorCore) -> UOp:
    """A matrix product in the types of `unit`."""
    left = load(1, tracker(m, n, k, strides=(k, 0, 1)), unit.dtype_in)
    right = load(2, tracker(m, n, k, strides=(0, 1, n)), unit.dtype_in)
    value = alu(Ops.MUL, left, right)
    if unit.dtype_in is not unit.dtype_out:
        value = UOp(Ops.CAST, unit.dtype_out, (value,))
    return sink(store(reduce(Ops.ADD, value, 2), m, n, 1))


def one(unit: TensorCore) -> Limits:
    return replace(GPU, tensor_cores=(unit,))


def names(kernel: Kernel) -> list[tuple[str, object, object]]:
    return [(opt.op.name, opt.axis, opt.arg) for opt in kernel.applied_opts]


@pytest.mark.parametrize(("table", "unit"), EVERY, ids=[f"{name}-{unit}" for name, unit in EVERY])
def test_every_unit_splits_the_axes_of_its_own_product(table: str, unit: TensorCore) -> None:
    n, m, k = unit.dims
    kernel = Kernel(product(2 * m, 2 * n, 2 * k, unit), one(unit))
    kernel.apply_opt(Opt(OptOps.TC, 0, (-1, 0)))
    locals_, upcasts, halves = len(unit.local_axes), len(unit.upcast_axes), len(unit.reduce_axes)
    assert kernel.full_shape == (2, 2, *[2] * locals_, 2, *[2] * (halves + upcasts))
    assert (kernel.local_dims, kernel.upcasted) == (locals_, halves + upcasts)

    ast = kernel.get_optimized_ast()
    type_verify(ast.toposort(), tensor_spec)
    (wmma,) = [node for node in ast.toposort() if node.op is Ops.WMMA]
    assert tuple(source.dtype.count for source in wmma.src) == unit.elements_per_thread
    assert wmma.arg[:6] == (str(unit), unit.dims, unit.dtype_in, unit.dtype_out, "GPU", unit.threads)


@pytest.mark.parametrize("mode", [2, 3])
@pytest.mark.parametrize("unit", [METAL[0], CUDA_SM80[0], RDNA3[0], INTEL[0], CDNA[0]], ids=str)
def test_without_the_unit_the_kernel_computes_the_same(unit: TensorCore, mode: int) -> None:
    """Mode 2 splits the axes only; mode 3 takes the fragments through local memory, swizzled as the unit has them."""
    n, m, k = unit.dims
    ints = replace(unit, dtype_in=dtypes.int, dtype_out=dtypes.int)  # so that any order of adding is exact
    ast = product(m, 2 * n, 2 * k, ints)
    with Context(USE_TC=mode):
        kernel = Kernel(ast, replace(one(ints), shared_max=1 << 20))
        assert kernel.apply_tensor_cores(mode)
    assert_unchanged_meaning(ast, kernel)
    ops = [node.op for node in kernel.get_optimized_ast().toposort()]
    assert Ops.WMMA not in ops
    assert (Ops.DEFINE_LOCAL in ops) == (mode == 3)


def test_tiles_are_upcast_and_shared_around_the_unit() -> None:
    kernel = Kernel(matmul(64, 64, 64), METAL_LIKE)
    assert kernel.apply_tensor_cores()
    assert names(kernel) == [("TC", 0, (-1, 0)), ("UPCAST", 0, 4), ("UPCAST", 1, 4), ("LOCAL", 1, 2)]


def test_other_opts_may_follow_instead() -> None:
    kernel = Kernel(matmul(64, 64, 64), METAL_LIKE)
    assert kernel.apply_tensor_cores(extra_opts=[Opt(OptOps.UPCAST, 0, 2)])
    assert names(kernel) == [("TC", 0, (-1, 0)), ("UPCAST", 0, 2)]


def test_padding_is_a_matter_of_the_level() -> None:
    kernel = Kernel(matmul(60, 60, 60), METAL_LIKE)
    assert not kernel.apply_tensor_cores(tc_opt=1)
    assert kernel.applied_opts == []
    assert kernel.full_shape == (60, 60, 60)
    assert kernel.apply_tensor_cores(tc_opt=2)
    assert kernel.applied_opts[0].arg == (-1, 2)


def test_casts_of_loads_are_a_matter_of_the_level() -> None:
    half = next(unit for unit in METAL if (unit.dtype_in, unit.dtype_out) == (dtypes.half, dtypes.half))

    def cast_load(number: int, strides: tuple[int, ...]) -> UOp:
        return UOp(Ops.CAST, dtypes.half, (load(number, tracker(16, 16, 16, strides=strides), dtypes.float),))

    value = alu(Ops.MUL, cast_load(1, (16, 0, 1)), cast_load(2, (0, 1, 16)))
    ast = sink(store(reduce(Ops.ADD, value, 2), 16, 16, 1))
    assert not Kernel(ast, one(half)).apply_tensor_cores(tc_opt=0)
    assert Kernel(ast, one(half)).apply_tensor_cores(tc_opt=1)


@pytest.mark.parametrize(
    ("ast", "opt", "before", "message"),
    [
        (matmul(64, 64, 64), Opt(OptOps.TC, 0, (-1, 0)), [Opt(OptOps.UPCAST, 0, 4)], "tensor core opts must be first"),
        (matmul(64, 64, 64), Opt(OptOps.TC, None, (-1, 0)), [], "must have an axis"),
        (matmul(64, 64, 64), Opt(OptOps.TC, 0, 4), [], "must have tc_select and tc_opt"),
        (matmul(64, 64, 64), Opt(OptOps.TC, 0, (9, 0)), [], "tc_select must lie between -1 and 4"),
        (matmul(64, 64, 64), Opt(OptOps.TC, 0, (0, 3)), [], "tc_opt must be 0, 1 or 2"),
        (matmul(64, 64, 64), Opt(OptOps.TC, 7, (0, 0)), [], "no tensor core available"),
        (matmul(64, 64, 64, dtypes.double), Opt(OptOps.TC, 0, (-1, 0)), [], "no tensor core available"),
        (matmul(60, 64, 64), Opt(OptOps.TC, 0, (-1, 0)), [], "no tensor core available"),
        (elementwise(64, 64), Opt(OptOps.TC, 0, (-1, 0)), [], "first reduce is not a sum"),
        (matmul(64, 64, 64), Opt(OptOps.UPCAST, 2, 2), [Opt(OptOps.TC, 0, (-1, 0))], "can't upcast TC locals"),
        (matmul(64, 64, 64), Opt(OptOps.GROUP, 0, 2), [Opt(OptOps.TC, 0, (-1, 0))], "can't group with tensor cores"),
    ],
)
def test_what_does_not_apply_is_refused_and_changes_nothing(
    ast: UOp, opt: Opt, before: list[Opt], message: str
) -> None:
    kernel = Kernel(ast, METAL_LIKE)
    for given in before:
        kernel.apply_opt(given)
    layout, applied = kernel.layout, list(kernel.applied_opts)
    with pytest.raises(KernelOptError, match=message):
        kernel.apply_opt(opt)
    assert kernel.layout == layout
    assert kernel.applied_opts == applied


def test_without_tensor_cores_or_with_use_tc_0_none_applies() -> None:
    assert not Kernel(matmul(64, 64, 64), GPU).apply_tensor_cores()
    assert not Kernel(matmul(64, 64, 64), METAL_LIKE).apply_tensor_cores(0)


def test_a_table_that_does_not_add_up_is_refused() -> None:
    good = METAL[0]
    for change, message in (
        ({"dims": (16, 8, 8)}, "do not split N x M"),
        ({"threads": 64}, "do not make 64 threads"),
        ({"elements_per_thread": (2, 2, 4)}, "do not make 4 elements"),
        ({"swizzle": (((0, 1, 2, 3, 4), (5, 6, 7, 7)), None)}, "not a permutation"),
    ):
        with pytest.raises(ValueError, match=message):
            replace(good, **change)


def test_the_types_of_a_table_are_told_apart() -> None:
    for units in TABLES.values():
        keys: list[tuple[object, DType, DType]] = [(unit.dims, unit.dtype_in, unit.dtype_out) for unit in units]
        assert all(a != b for a, b in itertools.combinations(keys, 2))
