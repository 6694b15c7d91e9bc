from __future__ import annotations

import numpy as np
import pytest

from core import process_replay
from core.builder import buffer, kernel
from core.compiler import compile_ast
from core.dtype import dtypes
from core.errors import NotRun
from core.ir.rows import to_rows
from core.ir.uop import UOp
from core.record import make_record
from core.render import get_renderer
from core.running import run_program
from tests.core.runtime.machine import usable_runtime


def record(ast: UOp, backend: str = "c") -> dict[str, object]:
    return make_record(ast, get_renderer(backend), compile_ast(ast, get_renderer(backend)))


def array(output: dict[str, object]) -> np.ndarray:
    return np.frombuffer(output["bytes"], output["dtype"])


@pytest.mark.parametrize("backend", ["c", "llvm", "python"])
def test_outputs_are_those_of_the_interpreter_on_edge_values_too(backend: str) -> None:
    usable_runtime(backend)
    answer = process_replay.run(record(kernel(buffer("a", (64,)) * 2 + 1), backend), reference=True)
    data = answer["data"]
    got, right = array(data["outputs"]["0"]), array(data["reference"]["0"])
    assert np.array_equal(got, right, equal_nan=True)
    assert np.isnan(got).any()
    assert np.isinf(got).any()


def test_the_same_seed_gives_the_same_and_another_one_other_inputs() -> None:
    made = record(kernel(buffer("a", (64,)) * 2), "python")
    first, again, other = (process_replay.run(made, seed=seed)["data"] for seed in (1, 1, 2))
    assert (first["inputs"], first["digest"]) == (again["inputs"], again["digest"])
    assert first["inputs"] != other["inputs"]


def test_integers_reach_the_limits_of_their_type() -> None:
    ast = kernel(buffer("a", (64,), dtypes.char) + 0)
    data = process_replay.run(record(ast, "python"))["data"]
    assert {-128, 127} <= set(array(data["outputs"]["0"]).tolist())


def test_what_is_too_large_or_of_no_type_here_is_not_run() -> None:
    big = kernel(buffer("a", (1 << 12, 1 << 11)) + 1)
    answer = process_replay.run(record(big, "python"))
    assert (answer["status"], answer["field"]) == ("unsupported", "")
    assert answer["message"].startswith("its buffers have more than")
    brain = kernel(buffer("a", (4,), dtypes.bfloat16) + 1)
    program = compile_ast(brain, get_renderer("cuda"))
    with pytest.raises(NotRun, match="numpy has no type for bfloat16"):
        run_program(brain, program, 0, reference=False)


def test_a_record_that_cannot_be_read_or_compiled() -> None:
    made = record(kernel(buffer("a", (4,)) + 1))
    assert process_replay.run({**made, "schema": 99})["status"] == "unsupported"
    rows = to_rows(kernel(buffer("a", (4,), dtypes.double) + 1))
    assert process_replay.run({**made, "ast": rows}, "metal", "free")["type"] == "RenderError"
