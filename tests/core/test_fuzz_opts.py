"""Random sequences of opts on random kernels: whatever is applied, the kernel computes what the AST says.

The oracle is the reference interpreter on the AST as it was before any opt.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.builder import Expr, buffer, kernel, where
from core.compiler import to_program
from core.dtype import dtypes
from core.errors import KernelOptError
from core.ir.uop import UOp
from core.opt import Kernel, Opt, OptOps
from core.render import BACKENDS, get_renderer
from core.runtime import get_runtime
from core.runtime.buffers import aligned_zeros, buffer_sizes, random_inputs
from core.runtime.interpreter import interpret

SIZES = (1, 2, 3, 4, 6, 8, 8, 12, 16, 16)
DTYPES = (dtypes.int, dtypes.int, dtypes.float, dtypes.half, dtypes.uchar, dtypes.long)
MAX_OPTS = 6
AMOUNTS = {
    OptOps.UPCAST: (0, 2, 3, 4),
    OptOps.UNROLL: (0, 2, 3, 4),
    OptOps.LOCAL: (2, 3, 4, 8),
    OptOps.GROUP: (0, 2, 4, 8),
    OptOps.GROUPTOP: (0, 2, 4, 8),
    OptOps.PADTO: (4, 8, 32),
    OptOps.SWAP: (1, 2, 3),
}
BACKENDS_RUN = [backend for backend in ("llvm", "python") if backend in BACKENDS]
APPLIED: Counter[OptOps] = Counter()


# ---- kernels ------------------------------------------------------------------------------------------------------


@st.composite
def asts(draw: Any) -> UOp:
    """Products summed up, rows reduced, padded and moved copies: what opts have something to do with."""
    make = draw(st.sampled_from((matrix_product, rows, moved, two_reduces, two_outputs)))
    result: UOp = make(draw)
    return result


def size(draw: Any) -> int:
    return int(draw(st.sampled_from(SIZES)))


def source(draw: Any, name: str, shape: tuple[int, ...], dtype: Any = None) -> Expr:
    return buffer(name, shape, dtype or draw(st.sampled_from(DTYPES)))


def matrix_product(draw: Any) -> UOp:
    m, n, k, dtype = size(draw), size(draw), size(draw), draw(st.sampled_from(DTYPES))
    return kernel(source(draw, "a", (m, k), dtype) @ source(draw, "b", (k, n), dtype))


def rows(draw: Any) -> UOp:
    shape = (size(draw), size(draw), size(draw))
    axes = draw(st.sampled_from(((2,), (1, 2), (0,), (0, 2), (1,))))
    value = source(draw, "a", shape, draw(st.sampled_from((dtypes.int, dtypes.float))))
    value = draw(st.sampled_from((value, value * value, value + 1, where(value < 1, value, 2))))
    return kernel(value.sum(axis=axes) if draw(st.booleans()) else value.max(axis=axes))


def moved(draw: Any) -> UOp:
    shape = (size(draw), size(draw))
    value = source(draw, "a", shape)
    for _ in range(draw(st.integers(1, 3))):
        step = draw(st.sampled_from(("pad", "flip", "permute", "shrink", "add")))
        if step == "pad":
            value = value.pad([(draw(st.integers(0, 2)), draw(st.integers(0, 2))) for _ in value.shape])
        elif step == "flip":
            value = value.flip(draw(st.sampled_from((0, 1))))
        elif step == "permute":
            value = value.permute((1, 0))
        elif step == "shrink" and all(isinstance(n, int) and n > 2 for n in value.shape):
            value = value[1:, :-1]
        else:
            value = value + 3
    return kernel(value)


def two_reduces(draw: Any) -> UOp:
    value = source(draw, "a", (size(draw), size(draw)), dtypes.int)
    return kernel(value.sum(axis=1) * value.max(axis=1))


def two_outputs(draw: Any) -> UOp:
    shape = (size(draw), size(draw))
    a, b = source(draw, "a", shape, dtypes.int), source(draw, "b", shape, dtypes.int)
    return kernel({"sum": a + b, "product": a * b})


# ---- opts ---------------------------------------------------------------------------------------------------------

ALL_OPS = [op for op in OptOps if op is not OptOps.TC]
# drawn evenly from a seed: what hypothesis draws by itself leans towards few and early ones
OPS = st.builds(
    lambda seed, count: random.Random(seed).choices(ALL_OPS, k=count),
    st.integers(0, 2**32),
    st.integers(1, MAX_OPTS),
)


def variants(op: OptOps, choose: random.Random) -> list[Opt]:
    """Every opt of one kind, shuffled."""
    if op is OptOps.NOLOCALS:
        return [Opt(op)]
    opts = [Opt(op, axis, amount) for axis in range(4) for amount in AMOUNTS[op]]
    choose.shuffle(opts)
    return opts


def optimised(ast: UOp, backend: str, ops: list[OptOps], seed: int) -> Kernel:
    """The kernel with an opt of each kind in `ops`, as far as one applies."""
    made, choose = Kernel(ast, get_renderer(backend)), random.Random(seed)
    for op in ops:
        for opt in variants(op, choose):
            try:
                made.apply_opt(opt)
            except KernelOptError:
                continue
            APPLIED[op] += 1
            break
    return made


def check(ast: UOp, backend: str, ops: list[OptOps], seed: int) -> None:
    made = optimised(ast, backend, ops, seed)
    inputs = random_inputs(ast, np.random.default_rng(seed))
    buffers = {n: aligned_zeros(count, dtype.numpy()) for n, (dtype, count) in buffer_sizes(ast).items()}
    for number, values in inputs.items():
        buffers[number][:] = values
    get_runtime(backend).run(to_program(made), buffers)

    for number, expected in interpret(ast, inputs).items():
        tolerance = {2: 2e-2, 4: 1e-5, 8: 1e-12}[expected.itemsize] if expected.dtype.kind == "f" else 0
        np.testing.assert_allclose(
            buffers[number].astype(np.float64),
            expected.astype(np.float64),
            rtol=tolerance,
            atol=tolerance,
            err_msg=f"buffer {number} on {backend} after {made.applied_opts}",
        )


CASE = given(asts(), st.sampled_from((*BACKENDS_RUN, BACKENDS_RUN[-1])), OPS, st.integers(0, 999))


@settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow])
@CASE
def test_opts_keep_the_meaning(ast: UOp, backend: str, ops: list[OptOps], seed: int) -> None:
    check(ast, backend, ops, seed)


@pytest.mark.long
@settings(max_examples=2000, suppress_health_check=[HealthCheck.too_slow])
@CASE
def test_many_opts_keep_the_meaning(ast: UOp, backend: str, ops: list[OptOps], seed: int) -> None:
    check(ast, backend, ops, seed)


def test_each_opt_is_drawn_often() -> None:
    """Runs after the fuzz tests of this file: they must have had something to do with each opt that a backend has."""
    if not APPLIED:
        test_opts_keep_the_meaning()
    wanted = set(AMOUNTS) | {OptOps.NOLOCALS} if "python" in BACKENDS_RUN else {OptOps.UPCAST, OptOps.UNROLL}
    assert {op: APPLIED[op] for op in wanted if APPLIED[op] < 5} == {}
