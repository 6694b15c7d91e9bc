"""Every pass leaves the results as they are; and a pass that does not is the first whose results are others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from core import compiler, process_replay, stages
from core.builder import arange, buffer, kernel
from core.compiler import STAGES
from core.dtype import dtypes
from core.ir.ops import Ops
from core.ir.uop import UOp
from core.opt.opt import Opt, OptOps
from core.render import get_renderer
from core.running import NotRun
from core.stages import run_passes

PASSES = ["ast", *[stage.name for stage in STAGES], "render"]
A = buffer("a", (16, 32), dtypes.int)
KERNELS = {
    "elementwise": kernel(A * 3 - 1),
    "sum": kernel(A.sum(axis=1)),
    "padded": kernel(buffer("b", (8, 8), dtypes.int).pad(((1, 2), (0, 3))) + 4),
    "division": kernel((arange(64) * -10) // 11 % 7),
    "matmul": kernel((buffer("x", (16, 1, 8), dtypes.int) * buffer("y", (1, 16, 8), dtypes.int)).sum(axis=2)),
}


def values(one: dict[str, Any]) -> dict[str, Any]:
    return {number: np.frombuffer(output["bytes"], output["dtype"]).tolist() for number, output in one.items()}


@pytest.mark.parametrize("backend", ["c", "llvm", "python", "cuda", "wgsl", "ptx"])
@pytest.mark.parametrize("name", KERNELS)
def test_each_pass_computes_what_the_interpreter_does(name: str, backend: str) -> None:
    passes = run_passes(KERNELS[name], get_renderer(backend), None, None, 1)["passes"]
    assert [one["name"] for one in passes] == PASSES
    first = values(passes[0]["outputs"])
    for one in passes:
        if one["name"] == "render" and "not_run" in one:
            continue  # what runs a backend's source may be missing here: tests of the runtimes see to that
        assert values(one["outputs"]) == first, one["name"]


@pytest.mark.parametrize("opts", [[Opt(OptOps.UPCAST, 0, 4)], [Opt(OptOps.LOCAL, 0, 4), Opt(OptOps.GROUP, 0, 8)]])
def test_opts_leave_the_results_as_they_are(opts: list[Opt]) -> None:
    passes = run_passes(KERNELS["sum"], get_renderer("cuda"), opts, "k", 1)["passes"]
    results = {one["name"]: values(one["outputs"]) for one in passes if "outputs" in one}
    assert set(PASSES[:-1]) <= set(results)
    assert all(found == results["ast"] for found in results.values())


@pytest.mark.parametrize("broken", [stage.name for stage in STAGES if stage.name not in ("optimized_ast", "linearize")])
def test_a_pass_that_computes_something_else_is_the_first_with_other_results(
    broken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def without_negatives(sink: UOp) -> UOp:
        """Every constant below zero becomes its opposite."""
        done: dict[UOp, UOp] = {}
        for node in sink.toposort():
            src = tuple([done[source] for source in node.src])
            negative = node.op is Ops.CONST and node.dtype is dtypes.int and node.arg < 0
            arg = -node.arg if negative else node.arg
            done[node] = UOp(node.op, node.dtype, src, arg)
        return done[sink]

    changed = [
        replace(stage, run=lambda ir, renderer, run=stage.run: without_negatives(run(ir, renderer)))
        if stage.name == broken
        else stage
        for stage in STAGES
    ]
    for module in (stages, compiler):
        monkeypatch.setattr(module, "STAGES", tuple(changed))
    passes = run_passes(KERNELS["division"], get_renderer("c"), [], None, 1)["passes"]
    right = values(passes[0]["outputs"])
    wrong = [one["name"] for one in passes if values(one["outputs"]) != right]
    assert wrong == PASSES[PASSES.index(broken) :]


def test_a_pass_that_cannot_be_interpreted_says_why() -> None:
    big = kernel((buffer("x", (288, 1, 64)) * buffer("y", (1, 288, 64))).sum(axis=2))
    passes = {one["name"]: one for one in run_passes(big, get_renderer("c"), [], None, 1)["passes"]}
    assert "at most" in passes["index"]["not_run"]
    assert "outputs" in passes["ast"]


def test_a_kernel_that_is_too_large_is_not_run() -> None:
    huge = kernel(buffer("a", (1 << 12, 1 << 11)) + 1)
    with pytest.raises(NotRun, match="its buffers have more than"):
        run_passes(huge, get_renderer("c"), None, None, 1)


def test_through_the_seam() -> None:
    record = process_replay.make_record(
        KERNELS["sum"], get_renderer("c"), compiler.compile_ast(KERNELS["sum"], get_renderer("c"))
    )
    one, again = (process_replay.run_passes(record, seed=3) for _ in range(2))
    assert one == again
    assert one["status"] == "ok"
    other = process_replay.run_passes(record, "llvm", "free", seed=4)
    assert other["data"]["inputs"] != one["data"]["inputs"]  # type: ignore[index]
