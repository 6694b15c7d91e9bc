"""The pipeline: the stages from a kernel to its program, in order, each testable on its own.

`STAGES` is the whole of it. `to_program` runs them for a kernel; `compile_ast` makes the kernel and chooses its opts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from core import process_replay
from core.context import BEAM, CAPTURE_PROCESS_REPLAY, DEBUG, NOOPT, USE_TC
from core.ir import trace
from core.ir.spec import program_spec, tensor_spec, type_verify
from core.ir.uop import UOp
from core.lower.decompose import decompose
from core.lower.expand import expand
from core.lower.images import lower_images
from core.lower.index import lower_indices
from core.lower.linearize import linearize
from core.opt.kernel import Kernel
from core.opt.opt import Opt
from core.render.base import Renderer
from core.render.estimates import Estimates
from core.render.names import function_name
from core.render.program import ProgramSpec

__all__ = ["STAGES", "Stage", "compile_ast", "linearize_kernel", "optimize", "to_program"]


@dataclass(frozen=True, slots=True)
class Stage:
    """One pass of the compiler. `run(IR, renderer)` gives the next IR."""

    name: str
    doc: str
    run: Callable[[Any, Renderer], Any]


def _optimized_ast(kernel: Kernel, renderer: Renderer) -> UOp:
    ast = kernel.get_optimized_ast()
    if __debug__:
        type_verify(ast.toposort(), tensor_spec)
    return ast


def _linearize(sink: UOp, renderer: Renderer) -> list[UOp]:
    uops = linearize(sink)
    if __debug__:
        type_verify(uops, program_spec)
    return uops


STAGES: Final = (
    Stage("optimized_ast", "the AST with the views, reduces and local buffers that the opts ask for", _optimized_ast),
    Stage("index", "views become addresses and conditions over loops, launch dimensions and lanes", lower_indices),
    Stage("expand", "one scalar node for each lane; neighbouring memory accesses become vectors", expand),
    Stage("images", "accesses to images become accesses to texels, where the backend has images", lower_images),
    Stage("decompose", "ops that the backend lacks are expressed by those it has", decompose),
    Stage("linearize", "a list in the order of execution, with loops and accumulators", _linearize),
)


def linearize_kernel(kernel: Kernel) -> list[UOp]:
    """The linear program of a kernel."""
    intermediate: Any = kernel
    for stage in STAGES:
        trace.stage(stage.name)
        intermediate = stage.run(intermediate, kernel.opts)
    assert isinstance(intermediate, list)
    return intermediate


def to_program(kernel: Kernel, name_override: str | None = None) -> ProgramSpec:
    """The program of a kernel: source, launch dimensions, variables, estimates. Opens no device.

    `name_override` replaces the kernel's name. With CAPTURE_PROCESS_REPLAY the kernel is recorded.
    """
    uops = kernel.linearize().uops
    trace.stage("render")
    name = name_override if name_override is not None else kernel.name
    program = ProgramSpec(
        name=name,
        src=kernel.opts.render(function_name(name), uops),
        backend=kernel.opts.name,
        has_local=kernel.opts.has_local,
        uops=uops,
        applied_opts=list(kernel.applied_opts),
        estimates=Estimates.from_uops(uops, kernel.mem_estimate()),
    )
    if DEBUG.value >= 4:
        print(program.src)
    if CAPTURE_PROCESS_REPLAY:
        process_replay.capture_kernel(kernel.ast, kernel.opts, program)
    return program


def optimize(kernel: Kernel, opts: Literal["auto", "none"] | Sequence[Opt] = "auto") -> Kernel:
    """Apply opts to `kernel`: those given, only what is required (`none`), or what is chosen (`auto`).

    What is chosen: with BEAM what a search finds fastest, else a tensor core if one fits, else what the heuristics say.
    """
    trace.stage("opts")
    if opts == "none" or (opts == "auto" and NOOPT):
        return kernel.required_optimizations()
    if opts == "auto":
        kernel.required_optimizations()
        if BEAM:
            from core.beam import beam_search  # it compiles and runs what it tries

            return beam_search(kernel, BEAM.value)
        return kernel if kernel.apply_tensor_cores(USE_TC.value) else kernel.hand_coded_optimizations()
    for opt in opts:
        assert isinstance(opt, Opt)
        kernel.apply_opt(opt)
    return kernel


def compile_ast(
    ast: UOp,
    renderer: Renderer,
    opts: Literal["auto", "none"] | Sequence[Opt] = "auto",
    name_override: str | None = None,
) -> ProgramSpec:
    """Compile `ast` for the backend of `renderer`. Raises a CompileError that says what is wrong with the input."""
    return to_program(optimize(Kernel(ast, renderer), opts), name_override)
