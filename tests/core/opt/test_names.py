"""Names and colours of kernels."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from core.dtype import dtypes
from core.ir.uop import UOp
from core.opt import Kernel, Opt, OptOps
from core.opt.names import colored, plain
from tests.core.opt.small_asts import (
    CPU,
    GPU,
    elementwise,
    load,
    matmul,
    row_sum,
    sink,
    store,
    strided_copy,
    tracker,
    two_outputs,
)

REPOSITORY = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize(
    ("ast", "name"),
    [
        (matmul(8, 16, 32), "r_8_16_32"),
        (elementwise(4, 6), "E_24"),
        (strided_copy((4, 6), (6, 1)), "E_24"),
        (two_outputs(4, 6), "E2_24"),
        (row_sum(1, 6), "r_6"),
    ],
)
def test_names(ast: UOp, name: str) -> None:
    assert Kernel(ast, CPU).name == name


def test_symbolic_sizes_are_written_as_expressions() -> None:
    size = UOp.variable("start_pos", 1, 10) + 1
    value = load(1, tracker(4, size, strides=(11, 1)), dtypes.float)
    assert Kernel(sink(store(value, 4, size)), CPU).name == "E_4_(start_pos+1)"


def test_the_same_kernel_gets_the_same_name_every_time() -> None:
    names = {Kernel(matmul(8, 16, 32), CPU).hand_coded_optimizations().name for _ in range(3)}
    assert names == {"r_8_16_32"}


def test_a_name_does_not_depend_on_the_hash_seed() -> None:
    script = (
        "from core.opt import Kernel; from tests.core.opt.small_asts import GPU, matmul\n"
        "print(Kernel(matmul(64, 64, 64), GPU).hand_coded_optimizations().colored_name)"
    )
    names = {
        subprocess.run(
            [sys.executable, "-c", script],
            cwd=REPOSITORY,
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(names) == 1


def test_colors_say_the_kind_of_each_axis() -> None:
    kernel = Kernel(matmul(8, 16, 64), GPU)
    for opt in (Opt(OptOps.LOCAL, 0, 4), Opt(OptOps.UPCAST, 1, 2), Opt(OptOps.GROUP, 0, 8), Opt(OptOps.UNROLL, 1, 2)):
        kernel.apply_opt(opt)
    assert kernel.colors() == ["blue", "blue", "cyan", "green", "red", "yellow", "magenta"]
    assert kernel.full_shape == (2, 8, 4, 8, 4, 2, 2)
    assert kernel.colored_name == (
        "r_\x1b[34m2\x1b[0m\x1b[90m_\x1b[0m\x1b[34m8\x1b[0m\x1b[90m_\x1b[0m\x1b[36m4\x1b[0m\x1b[90m_\x1b[0m"
        "\x1b[32m8\x1b[0m\x1b[90m_\x1b[0m\x1b[31m4\x1b[0m\x1b[90m_\x1b[0m\x1b[33m2\x1b[0m\x1b[90m_\x1b[0m\x1b[35m2\x1b[0m"
    )
    assert kernel.name == plain(kernel.colored_name) == "r_2_8_4_8_4_2_2"


def test_global_axes_are_bright_without_locals() -> None:
    kernel = Kernel(matmul(8, 16, 32), GPU)
    kernel.apply_opt(Opt(OptOps.NOLOCALS))
    assert kernel.colors() == ["BLUE", "BLUE", "red"]


def test_the_shape_in_columns() -> None:
    text = Kernel(matmul(8, 16, 32), GPU).colored_shape(pad=20)
    assert plain(text) == "   8   16   32" + " " * 6


def test_colored() -> None:
    assert colored("x", "red") == "\x1b[31mx\x1b[0m"
    assert colored("x", "BLACK") == "\x1b[90mx\x1b[0m"
