"""Real kernels, compiled on each CPU backend and run on random inputs, against the reference interpreter.

An element may differ by what another order of summation and another exp2 can make of it: `core.runtime.tolerance`
measures that for each. Most elements of most kernels are exact or nearly so, and the test asks for that too.
"""

from __future__ import annotations

import gzip
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.compiler import compile_ast
from core.ir.ops import Ops
from core.ir.text import parse_uop
from core.ir.uop import UOp
from core.render import get_renderer
from core.render.program import ProgramSpec
from core.runtime import get_runtime, runtime_backends
from core.runtime.base import arguments, signature
from core.runtime.buffers import aligned_zeros, buffer_sizes, random_inputs, random_variables
from core.runtime.clang import build_library
from core.runtime.compare import wrong_elements
from core.runtime.tolerance import spread
from core.runtime.views import tracker_shape
from tests.core.runtime.machine import usable_runtime

MAX_POSITIONS = 4096  # of the largest view of a kernel
MAX_ELEMENTS = 1 << 16  # of its largest buffer
SEED = 20240
# in one translation unit: most of the time of a C compiler goes into starting it
BATCH = 50


@dataclass
class Kernel:
    """One line of the data: a kernel with inputs, and what it must store (each with the difference allowed)."""

    line: int
    ast: UOp
    inputs: dict[int, np.ndarray]
    variables: dict[str, int]
    expected: dict[int, tuple[np.ndarray, np.ndarray]]

    def buffers(self) -> dict[int, np.ndarray]:
        made = {}
        for number, (dtype, size) in buffer_sizes(self.ast, self.variables).items():
            made[number] = aligned_zeros(size, dtype.numpy())
            if number in self.inputs:
                made[number][:] = self.inputs[number]
        return made

    def wrong(self, buffers: dict[int, np.ndarray]) -> str | None:
        for number, (result, allowed) in self.expected.items():
            wrong = np.flatnonzero(wrong_elements(buffers[number], result, 0.0, allowed))
            if len(wrong):
                at = wrong[0]
                return (
                    f"line {self.line}: element {at} of buffer {number} is {buffers[number][at]}, expected {result[at]}"
                    f" within {allowed[at]:.3g} ({len(wrong)} of {len(result)} differ)"
                )
        return None


def small_kernels(folder: Path, count: int, seed: int) -> Iterator[Kernel]:
    """`count` kernels drawn from the lines whose views and buffers are small."""
    with gzip.open(folder / "asts.txt.gz", "rt") as stream:
        texts = [(line, text) for line, text in enumerate(stream) if fits(text)]
    order = np.random.default_rng(seed).permutation(len(texts))
    found = 0
    for position in order:
        line, text = texts[position]
        ast = parse_uop(text.strip())
        rng = np.random.default_rng([seed, line])
        variables = random_variables(ast, rng)
        if not small(ast, variables):
            continue
        inputs = random_inputs(ast, rng, variables)
        yield Kernel(line, ast, inputs, variables, spread(ast, inputs, variables, seed=line))
        found += 1
        if found == count:
            return


def fits(text: str) -> bool:
    """A first guess from the text alone, which is faster than reading it: no images, and no large shape in digits."""
    shapes = re.findall(r"View\(shape=\(([\d,]*)\)", text)
    return "dtypes.image" not in text and all(
        math.prod(int(size) for size in shape.split(",") if size) <= MAX_POSITIONS for shape in shapes
    )


def small(ast: UOp, variables: dict[str, int]) -> bool:
    views = [node.arg for node in ast.toposort() if node.op is Ops.VIEW]
    return all(math.prod(tracker_shape(view, variables)) <= MAX_POSITIONS for view in views) and all(
        size <= MAX_ELEMENTS for _, size in buffer_sizes(ast, variables).values()
    )


def run_c(kernels: list[Kernel], programs: list[ProgramSpec]) -> Iterator[tuple[Kernel, dict[int, np.ndarray]]]:
    """The buffers after each kernel ran, all of them built at once."""
    library: Any = build_library("\n".join([program.src for program in programs]))
    for kernel, program in zip(kernels, programs, strict=True):
        function = library[program.function_name]
        function.argtypes, function.restype = signature(program), None
        buffers = kernel.buffers()
        function(*arguments(program, buffers, kernel.variables))
        yield kernel, buffers


def run_each(kernels: list[Kernel], programs: list[ProgramSpec]) -> Iterator[tuple[Kernel, dict[int, np.ndarray]]]:
    for kernel, program in zip(kernels, programs, strict=True):
        buffers = kernel.buffers()
        get_runtime(program.backend).run(program, buffers, kernel.variables)
        yield kernel, buffers


RUN = dict.fromkeys(runtime_backends(), run_each) | {"c": run_c}
FEW = 300  # kernels, where each takes its compiler some hundredths of a second
QUICK = ("c", "llvm", "python")


def check(kernels: Iterable[Kernel], backend: str) -> None:
    usable_runtime(backend)
    source, total = iter(kernels), 0
    problems: list[str] = []
    while drawn := list(islice(source, BATCH)):
        total += len(drawn)
        batch, programs = [], []
        for kernel in drawn:
            try:
                programs.append(compile_ast(kernel.ast, get_renderer(backend), name_override=f"k{kernel.line}"))
                batch.append(kernel)
            except Exception as error:  # all of them shall be told
                problems.append(f"line {kernel.line}: {type(error).__name__}: {error}"[:200])
        problems += [problem for kernel, after in RUN[backend](batch, programs) if (problem := kernel.wrong(after))]
    assert not problems, f"{len(problems)} of {total} kernels:\n" + "\n".join(problems[:20])


@pytest.fixture(scope="module")
def kernels(shared_data: Path) -> list[Kernel]:
    return list(small_kernels(shared_data, 520, SEED))


def test_the_sample_judges_what_it_runs(kernels):
    """Tolerances that let everything pass would prove nothing."""
    assert len(kernels) == 520
    results = [pair for kernel in kernels for pair in kernel.expected.values()]
    tight = [
        np.mean(allowed <= 1e-3 * np.maximum(np.abs(result), 1e-3)) > 0.9
        for result, allowed in results
        if result.dtype.kind == "f" and result.size
    ]
    whole = [not allowed.any() for result, allowed in results if result.dtype.kind != "f"]
    finite = [np.isfinite(result).mean() > 0.9 for result, _ in results if result.dtype.kind == "f" and result.size]
    assert min(np.mean(tight), np.mean(whole), np.mean(finite)) > 0.9


@pytest.mark.parametrize("backend", list(RUN))
def test_real_asts(kernels, backend):
    check(kernels if backend in QUICK else kernels[:FEW], backend)


@pytest.mark.long
@pytest.mark.parametrize("backend", list(RUN))
def test_every_small_real_ast(shared_data, backend):
    check(small_kernels(shared_data, 100_000, SEED + 1), backend)
