"""What a kernel computes after each pass, each IR interpreted: after which pass do the results of two revisions differ?

ASTs go to the reference interpreter, lowered graphs to `core.runtime.graph`, linear programs to the emulator, and the
source is run as its backend is run here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from numpy.typing import NDArray

from core.compiler import STAGES, optimize, to_program
from core.errors import RuntimeFailure
from core.ir.ops import Ops
from core.ir.uop import UOp
from core.opt.kernel import Kernel
from core.opt.opt import Opt
from core.render.base import Renderer
from core.running import digest_of, drawn, results_of
from core.runtime import get_runtime
from core.runtime.buffers import outputs_of
from core.runtime.emulator import emulate
from core.runtime.graph import evaluate_graph
from core.runtime.interpreter import interpret

__all__ = ["run_passes"]

MAX_STEPS: Final = 1 << 22  # of the emulator: some seconds

Buffers = Mapping[int, NDArray[Any]]


def run_passes(ast: UOp, renderer: Renderer, opts: Sequence[Opt] | None, name: str | None, seed: int) -> dict[str, Any]:
    """`passes` in order, each with `name`, and either `outputs` and their `digest`, as `core.running.run_program` gives
    them, or `not_run` with the reason; and `inputs`, a digest of what went in. `opts` None: what the heuristics choose.

    Raises NotRun for a kernel that is too large, and whatever a pass raises.
    """
    buffers, variables = drawn(ast, seed)
    numbers = outputs_of(ast)
    passes: list[dict[str, Any]] = []

    def note(step: str, run: Callable[[dict[int, NDArray[Any]]], Buffers]) -> None:
        contents = {number: array.copy() for number, array in buffers.items()}
        try:
            contents |= run(contents)
        except RuntimeFailure as failure:
            passes.append({"name": step, "not_run": str(failure)})
            return
        digest = digest_of(contents, numbers)
        passes.append({"name": step, "outputs": results_of(contents, numbers), "digest": digest})

    note("ast", lambda contents: interpret(ast, contents, variables))
    kernel = optimize(Kernel(ast, renderer), "auto" if opts is None else opts)
    state: Any = kernel
    for stage in STAGES:
        after = state = stage.run(state, renderer)
        note(stage.name, lambda contents, after=after: _interpreted(after, contents, variables))  # type: ignore[misc]
    program = to_program(kernel, name)

    def run_source(contents: dict[int, NDArray[Any]]) -> Buffers:
        get_runtime(program.backend).run(program, contents, variables)
        return contents

    note("render", run_source)
    return {"inputs": digest_of(buffers, list(buffers), variables), "passes": passes}


def _interpreted(state: UOp | list[UOp], contents: dict[int, NDArray[Any]], variables: Mapping[str, int]) -> Buffers:
    if isinstance(state, list):
        emulate("kernel", state, contents, variables, max_steps=MAX_STEPS)
        return contents
    if any(node.op is Ops.VIEW for node in state.toposort()):
        return interpret(state, contents, variables)
    return evaluate_graph(state, contents, variables)
