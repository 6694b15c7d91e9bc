"""The emulator: it runs launches, shared reduces and matrix units, and finds what a GPU would let pass."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from core.builder import buffer, kernel
from core.compiler import compile_ast, to_program
from core.context import Context
from core.dtype import dtypes
from core.errors import RuntimeFailure
from core.ir.ops import Ops
from core.ir.uop import UOp
from core.opt import Kernel, Opt, OptOps
from core.opt.tensor_core import TensorCore
from core.render import get_renderer
from core.render.program import ProgramSpec
from core.runtime import get_runtime
from core.runtime.buffers import aligned_zeros, buffer_sizes, random_inputs
from core.runtime.interpreter import interpret

Arrays = dict[int, np.ndarray[Any, Any]]
PLAIN = get_renderer("python")
MATRIX_UNITS = [
    (arch, number, unit)
    for arch in ("cuda_sm75", "cuda_sm80", "hip_gfx1100", "hip_gfx942", "metal", "intel", "amx")
    for number, unit in enumerate(get_renderer(f"python:{arch}").tensor_cores)
    if unit.dtype_in is not dtypes.bfloat16  # numpy has none
]


def ran(ast: UOp, program: ProgramSpec) -> tuple[Arrays, Arrays]:
    """What the emulator and what the interpreter make of random inputs."""
    inputs = random_inputs(ast, np.random.default_rng(0))
    buffers = {n: aligned_zeros(size, dtype.numpy()) for n, (dtype, size) in buffer_sizes(ast).items()}
    for number, values in inputs.items():
        buffers[number][:] = values
    get_runtime("python").run(program, buffers)
    return buffers, interpret(ast, inputs)


def assert_right(ast: UOp, made: Kernel) -> list[UOp]:
    program = to_program(made)
    buffers, expected = ran(ast, program)
    for number, values in expected.items():
        np.testing.assert_array_equal(buffers[number], values)
    return list(program.uops)


@pytest.mark.parametrize("mode", [1, 2, 3])
@pytest.mark.parametrize(
    ("arch", "number", "unit"), MATRIX_UNITS, ids=[f"{arch}-{unit}" for arch, _, unit in MATRIX_UNITS]
)
def test_matrix_units_compute_the_product(arch: str, number: int, unit: TensorCore, mode: int) -> None:
    """The layouts of the vendors, in the emulator, judge how the optimiser lays out the axes: small sums are exact."""
    n, m, k = unit.dims
    a = buffer("a", (2 * m, 1, 4 * k), unit.dtype_in)
    b = buffer("b", (1, 2 * n, 4 * k), unit.dtype_in)
    ast = kernel((a * b).cast(unit.dtype_out).sum(axis=2))
    with Context(USE_TC=mode):
        made = Kernel(ast, get_renderer(f"python:{arch}"))
        applied = made.apply_tensor_cores(mode, tc_select=number)
        if unit.dtype_in is dtypes.half is unit.dtype_out:
            assert not applied  # the builder adds halves up as floats
            return
        assert applied
        ops = {node.op for node in assert_right(ast, made)}
    assert (Ops.WMMA in ops) == (mode == 1)
    assert (Ops.BARRIER in ops) == (mode == 3)


@pytest.mark.parametrize("arch", ["cuda_sm80", "hip_gfx1100", "metal", "intel"])
def test_axes_that_are_no_multiple_of_the_unit_are_padded(arch: str) -> None:
    renderer = get_renderer(f"python:{arch}")
    unit = next(unit for unit in renderer.tensor_cores if unit.dtype_in is dtypes.half)
    n, m, k = unit.dims
    a, b = buffer("a", (2 * m - 3, 1, 4 * k - 1), dtypes.half), buffer("b", (1, 2 * n - 1, 4 * k - 1), dtypes.half)
    ast = kernel((a * b).cast(unit.dtype_out).sum(axis=2))
    made = Kernel(ast, renderer)
    assert not made.apply_tensor_cores(tc_opt=1)
    assert made.apply_tensor_cores(tc_opt=2)
    assert Ops.WMMA in [node.op for node in assert_right(ast, made)]


@pytest.mark.parametrize(
    "opts",
    [
        [Opt(OptOps.LOCAL, 0, 4)],
        [Opt(OptOps.GROUP, 0, 8)],
        [Opt(OptOps.GROUPTOP, 0, 8)],
        [Opt(OptOps.GROUP, 0, 0)],
        [Opt(OptOps.GROUP, 0, 4), Opt(OptOps.LOCAL, 0, 4), Opt(OptOps.UPCAST, 0, 2), Opt(OptOps.UNROLL, 0, 2)],
        [Opt(OptOps.PADTO, 0, 32), Opt(OptOps.LOCAL, 0, 8)],
        [Opt(OptOps.NOLOCALS)],
    ],
    ids=str,
)
def test_threads_of_a_block(opts: list[Opt]) -> None:
    ast = kernel(buffer("a", (24, 64), dtypes.int).sum(axis=1))
    made = Kernel(ast, PLAIN)
    for opt in opts:
        made.apply_opt(opt)
    ops = [node.op for node in assert_right(ast, made)]
    assert (Ops.BARRIER in ops) == any(opt.op in (OptOps.GROUP, OptOps.GROUPTOP) for opt in opts)


def test_more_axes_than_a_launch_has_dimensions() -> None:
    ast = kernel(buffer("a", (2, 3, 4, 5, 2), dtypes.int).permute((4, 1, 3, 0, 2)))
    assert_right(ast, Kernel(ast, PLAIN))


def summed() -> tuple[UOp, ProgramSpec]:
    ast = kernel(buffer("a", (8, 32), dtypes.int).sum(axis=1))
    made = Kernel(ast, PLAIN)
    made.apply_opt(Opt(OptOps.GROUP, 0, 8))
    return ast, to_program(made)


def with_source(program: ProgramSpec, source: str) -> ProgramSpec:
    assert source != program.src
    program.src = source
    return program


def test_what_runs_is_the_source() -> None:
    ast = kernel(buffer("a", (4,), dtypes.int) + 1)
    program = compile_ast(ast, PLAIN, "none")
    assert program.src.count("CONST int arg=1\n") == 1
    changed = with_source(program, program.src.replace("CONST int arg=1\n", "CONST int arg=5\n"))
    buffers, expected = ran(ast, changed)
    np.testing.assert_array_equal(buffers[0], expected[0] + 4)


def test_an_access_outside_of_a_buffer_is_found() -> None:
    ast = kernel(buffer("a", (8,), dtypes.int) + 1)
    program = compile_ast(ast, PLAIN, "none")
    with pytest.raises(RuntimeFailure, match="buffer 1"):
        get_runtime("python").run(
            program, {0: aligned_zeros(8, np.dtype("int32")), 1: aligned_zeros(4, np.dtype("int32"))}
        )


@pytest.mark.parametrize(
    "source", ["", "nonsense", "0 FROB int [] -", "\x00" * 100], ids=["empty", "words", "op", "nul"]
)
def test_a_source_that_is_none_is_refused(source: str) -> None:
    ast, program = summed()
    with pytest.raises(RuntimeFailure):
        ran(ast, with_source(program, source))
