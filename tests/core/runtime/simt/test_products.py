"""Matrix units: all threads of a warp multiply what each of them holds a part of."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from core.compiler import to_program
from core.dtype import DType, dtypes
from core.errors import RuntimeFailure
from core.ir.ops import Ops
from core.ir.uop import UOp
from core.opt import Kernel
from core.opt.tensor_core import TensorCore
from core.render import get_renderer
from core.runtime import get_runtime
from core.runtime.emulator.fragments import UNITS
from tests.core.opt.small_asts import alu, load, reduce, sink, store, tracker
from tests.core.render import gpu_programs
from tests.core.runtime.machine import usable_runtime
from tests.core.runtime.simt.launches import launch


class Product(NamedTuple):
    backend: str
    dims: tuple[int, int, int]
    dtype_in: DType
    dtype_out: DType
    threads: int
    counts: tuple[int, int, int]


HALF, FLOAT, BFLOAT16 = dtypes.half, dtypes.float, dtypes.bfloat16
PRODUCTS = [
    *[Product("cuda", (8, 16, 16), HALF, out, 32, (8, 4, 4)) for out in (FLOAT, HALF)],
    *[Product("cuda:sm_75", (8, 16, 8), HALF, out, 32, (4, 2, 4)) for out in (FLOAT, HALF)],
    *[Product("hip", (16, 16, 16), HALF, out, 32, (16, 16, 8)) for out in (FLOAT, HALF)],
    Product("hip:gfx942", (16, 16, 16), HALF, FLOAT, 64, (4, 4, 4)),
    *[Product("metal", (8, 8, 8), source, FLOAT, 32, (2, 2, 2)) for source in (FLOAT, HALF)],
    Product("metal", (8, 8, 8), HALF, HALF, 32, (2, 2, 2)),
]


def fragments(given: Product) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A and B of two products as the threads hold them, and the sum of the products."""
    n, m, k = given.dims
    unit = UNITS[given.dims, given.threads]
    rng = np.random.default_rng(3)
    a, b = rng.integers(-3, 4, (2, m, k)), rng.integers(-3, 4, (2, k, n))
    thread, holds = np.arange(given.threads)[:, None], [np.arange(count)[None, :] for count in given.counts]
    left = np.stack([a[step][unit.a(thread, holds[0])] for step in range(2)]).ravel()
    right = np.stack([b[step][unit.b(thread, holds[1])] for step in range(2)]).ravel()
    wanted = (a[0] @ b[0] + a[1] @ b[1])[unit.c(thread, holds[2])].ravel()
    return left.astype(given.dtype_in.numpy()), right.astype(given.dtype_in.numpy()), wanted


@pytest.mark.parametrize("given", PRODUCTS, ids=str)
def test_a_warp_multiplies_matrices(given: Product) -> None:
    left, right, wanted = fragments(given)
    got = np.zeros(wanted.size, given.dtype_out.numpy())
    launch(given.backend, gpu_programs.matrix_product(*given[1:]), got, left, right)
    assert np.array_equal(got.astype(np.float64), wanted)


@pytest.mark.parametrize("matrix", [0, 1])
def test_threads_that_hold_the_same_element_have_to_agree(matrix: int) -> None:
    """Of RDNA3 the threads 16 to 31 have copies of A and B."""
    given = next(product for product in PRODUCTS if product.backend == "hip")
    held = fragments(given)
    held[matrix][20 * 16 + 3] += 1
    with pytest.raises(
        RuntimeFailure, match="that several threads hold is not the same in all, by thread 20 of block 0"
    ):
        launch("hip", gpu_programs.matrix_product(*given[1:]), np.zeros(256, np.float32), *held[:2])


@pytest.mark.parametrize("given", PRODUCTS, ids=str)
def test_a_warp_that_is_not_whole(given: Product) -> None:
    few = given.threads - 1
    uops = gpu_programs.matrix_product(*given[1:4], few, given.counts)
    left, right, wanted = fragments(given)
    with pytest.raises(RuntimeFailure, match="not all threads come to where others wait for them"):
        launch(given.backend, uops, np.zeros(wanted.size, given.dtype_out.numpy()), left, right)


TARGETS = ("cuda:sm_75", "cuda:sm_80", "cuda:sm_90", "hip:gfx1100", "hip:gfx90a", "hip:gfx942", "metal:simdgroup")
EVERY = [(target, number, unit) for target in TARGETS for number, unit in enumerate(get_renderer(target).tensor_cores)]


def matmul(m: int, n: int, k: int, unit: TensorCore) -> UOp:
    """A product in the types of `unit`, of and to floats where numpy has no such types."""

    def factor(number: int, strides: tuple[int, ...]) -> UOp:
        stored = FLOAT if unit.dtype_in is BFLOAT16 else unit.dtype_in
        value = load(number, tracker(m, n, k, strides=strides), stored)
        return value if stored is unit.dtype_in else UOp(Ops.CAST, unit.dtype_in, (value,))

    value = alu(Ops.MUL, factor(1, (k, 0, 1)), factor(2, (0, 1, n)))
    if unit.dtype_in is not unit.dtype_out:
        value = UOp(Ops.CAST, unit.dtype_out, (value,))
    total = reduce(Ops.ADD, value, 2)
    return sink(store(UOp(Ops.CAST, FLOAT, (total,)) if unit.dtype_out is BFLOAT16 else total, m, n, 1))


@pytest.mark.parametrize(("target", "number", "unit"), EVERY, ids=[f"{target}-{unit}" for target, _, unit in EVERY])
def test_every_unit_of_every_table_multiplies_matrices(target: str, number: int, unit: TensorCore) -> None:
    """A kernel from its AST on, with the layouts of the optimiser and more than one warp's work, against numpy."""
    usable_runtime(target.partition(":")[0])
    m, n, k = 2 * unit.dims[1], 4 * unit.dims[0], 2 * unit.dims[2]
    kernel = Kernel(matmul(m, n, k, unit), get_renderer(target))
    assert kernel.apply_tensor_cores(1, tc_select=number, tc_opt=1)
    made = to_program(kernel)
    assert Ops.WMMA in [node.op for node in made.uops]

    rng = np.random.default_rng(number)
    a, b = rng.integers(-2, 3, (m, k)), rng.integers(-2, 3, (k, n))
    kind_in, kind_out = [np.float16 if dtype is HALF else np.float32 for dtype in (unit.dtype_in, unit.dtype_out)]
    out = np.zeros(m * n, kind_out)
    buffers = {0: out, 1: a.astype(kind_in).ravel(), 2: b.astype(kind_in).ravel()}
    get_runtime(made.backend).run(made, buffers)
    assert np.array_equal(out.reshape(m, n), a @ b)
