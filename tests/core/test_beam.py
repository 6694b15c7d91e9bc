"""Beam search: what it finds computes the same, is remembered, is never slower by its own measure, and is pinned."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core import beam, process_replay
from core.beam import beam_search
from core.compiler import compile_ast, optimize
from core.context import Context
from core.errors import RuntimeFailure
from core.ir.uop import UOp
from core.opt import Kernel, Opt, OptOps
from core.opt.actions import ACTIONS, MAX_BODY, successors
from core.render import get_renderer
from core.runtime import get_runtime
from core.runtime.buffers import aligned_zeros, buffer_sizes, random_inputs
from core.runtime.interpreter import interpret
from tests.core.opt.small_asts import GPU, elementwise, matmul

AST = matmul(16, 16, 16)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "found" / "beam.db"
    monkeypatch.setenv("PROCESS_REPLAY_BEAM", str(path))
    return path


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[Kernel]:
    """Instead of the time a kernel takes, a number that says how good its opts are; the kernels that were timed."""
    timed: list[Kernel] = []

    def steps(kernel: Kernel, *_: Any) -> float | None:
        timed.append(kernel)
        if any(opt.op is OptOps.SWAP for opt in kernel.applied_opts):
            return None  # as if it did not compile
        good = {Opt(OptOps.UPCAST, 0, 4), Opt(OptOps.UNROLL, 0, 4)}
        return 10.0 - len(good & set(kernel.applied_opts)) + 0.1 * len(kernel.applied_opts)

    monkeypatch.setattr(beam, "_timed", steps)
    return timed


def kernel(ast: UOp = AST) -> Kernel:
    return Kernel(ast, get_renderer("llvm"))


def test_the_best_sequence_is_found(clock: list[Kernel]) -> None:
    assert set(beam_search(kernel(), 2).applied_opts) == {Opt(OptOps.UPCAST, 0, 4), Opt(OptOps.UNROLL, 0, 4)}


def test_what_was_found_is_remembered(clock: list[Kernel], cache: Path) -> None:
    first = beam_search(kernel(), 2)
    tried = len(clock)
    assert cache.exists()
    assert beam_search(kernel(), 2).applied_opts == first.applied_opts
    assert len(clock) == tried
    beam_search(kernel(elementwise(16, 16)), 2)
    assert len(clock) > tried


def test_a_memory_that_no_longer_applies_is_searched_anew(clock: list[Kernel], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beam, "_to_json", lambda _: '[["UPCAST", 0, 7]]')
    beam_search(kernel(), 1)
    tried = len(clock)
    beam_search(kernel(), 1)
    assert len(clock) > tried


def test_a_real_search_finds_a_kernel_that_computes_the_same() -> None:
    with Context(BEAM=1):
        chosen = optimize(kernel(elementwise(32, 32)))
    ast = chosen.ast
    program = chosen.to_program()
    inputs = random_inputs(ast, np.random.default_rng(1))
    buffers = {n: aligned_zeros(size, dtype.numpy()) for n, (dtype, size) in buffer_sizes(ast).items()}
    for number, values in inputs.items():
        buffers[number][:] = values
    get_runtime("llvm").run(program, buffers)
    np.testing.assert_allclose(buffers[0], interpret(ast, inputs)[0], rtol=1e-6)


def test_a_capture_pins_what_was_found_and_not_what_was_tried(
    clock: list[Kernel], monkeypatch: pytest.MonkeyPatch
) -> None:
    records: list[dict[str, Any]] = []
    monkeypatch.setattr(process_replay, "_sink", records.append)
    with Context(BEAM=2, CAPTURE_PROCESS_REPLAY=1):
        program = compile_ast(AST, get_renderer("llvm"))
    (record,) = records
    assert record["context"]["BEAM"] == 2
    replayed = process_replay.replay(record)
    assert (replayed["src"], replayed["applied_opts"]) == (program.src, record["applied_opts"])
    assert process_replay.replay(record, mode="free")["status"] == "ok"


def test_a_backend_that_does_not_run_here_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.runtime._runtimes", dict)
    with Context(BEAM=2), pytest.raises(RuntimeFailure, match="'opencl' are not run here"):
        compile_ast(AST, get_renderer("opencl"))


def test_successors_are_one_step_on_and_stay_within_bounds() -> None:
    parent = Kernel(AST, GPU)
    children = list(successors(parent))
    assert parent.applied_opts == []
    assert all(len(child.applied_opts) == 1 for child in children)
    assert {child.applied_opts[0].op for child in children} >= {
        OptOps.UPCAST,
        OptOps.UNROLL,
        OptOps.LOCAL,
        OptOps.GROUP,
    }
    large = Kernel(matmul(64, 64, 64), GPU)
    for _ in range(3):
        large.apply_opt(Opt(OptOps.UPCAST, 0, 4))
    assert all(np.prod([int(s) for s in c.full_shape[c.first_upcast :]]) <= MAX_BODY for c in successors(large))
    assert len(set(ACTIONS)) == len(ACTIONS)
