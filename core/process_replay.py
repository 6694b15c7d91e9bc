"""The seam between the compiler and the replay harness: capturing a kernel as a record, and replaying a record.

A record is plain data (see docs/architecture.md). Every revision of the compiler carries this module, so a revision
reads records with its own code. What a revision does not know makes its answer `unsupported`; nothing that a record
holds is ever imported, evaluated or executed.
"""

from __future__ import annotations

import importlib
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from core.context import Context
from core.errors import CompileError, NotRun, RecordError
from core.ir.rows import from_rows, to_rows
from core.ir.text import parse_uop
from core.ir.uop import UOp
from core.record import SCHEMA, Job, make_record, observed, opt_row, read_job, read_opts
from core.shape import ShapeTracker, View
from core.shape.sizes import ranges_text, tuple_text

if TYPE_CHECKING:
    from core.render.base import Renderer
    from core.render.program import ProgramSpec

__all__ = [
    "SCHEMA",
    "ast_nodes",
    "ast_size",
    "backend_status",
    "backends",
    "capture_kernel",
    "format_ast",
    "judge",
    "judges",
    "optimized_ast",
    "record_from_text",
    "reductions",
    "replay",
    "run",
    "run_passes",
    "trace",
]

DEFAULT_SINK: Final = "replay.capture"
MAX_REDUCTIONS: Final = 400
MAX_REDUCED_NODES: Final = 100_000


# ---- capturing ----------------------------------------------------------------------------------------------------

_sink: Callable[[dict[str, object]], None] | None = None
capture_errors = 0


def capture_kernel(ast: UOp, renderer: Renderer, program: ProgramSpec) -> None:
    """Hand the record of a compiled kernel to the sink. A failure is a warning and a count, never an exception."""
    global capture_errors
    try:
        _find_sink()(make_record(ast, renderer, program))
    except Exception as error:  # the program being captured must not fail, whatever the sink does
        capture_errors += 1
        # not the warnings module: a program that turns warnings into errors must not fail either
        print(f"warning: kernel {program.name} was not captured: {type(error).__name__}: {error}", file=sys.stderr)


def _find_sink() -> Callable[[dict[str, object]], None]:
    """The sink is found at run time by name, so that the compiler needs no harness. The name is the user's setting."""
    global _sink
    if _sink is None:
        _sink = importlib.import_module(os.environ.get("PROCESS_REPLAY_SINK", DEFAULT_SINK)).sink
    return _sink


def record_from_text(line: str, backend: str) -> dict[str, object]:
    """Compile one AST in the text form with the heuristics and give its record. Raises CompileError."""
    from core.compiler import compile_ast
    from core.render import get_renderer

    ast, renderer = parse_uop(line), get_renderer(backend)
    return make_record(ast, renderer, compile_ast(ast, renderer))


# ---- what the harness asks of the installed compiler ----------------------------------------------------------------


def backend_status() -> list[dict[str, object]]:
    """For each backend whether it is rendered, judged by a real compiler and run on this machine, and by what."""
    from core.status import backend_status as status

    return [dict(entry) for entry in status()]


def judge(backend: str, sources: Sequence[str]) -> list[list[dict[str, object]]]:
    """For each source of `backend` (NAME or NAME:ARCH) what every real compiler of its language says.

    A verdict has `tool`, `accepted` (None: not run), `message` and `figures`.
    """
    from core.toolchain import check

    return [[asdict(verdict) for verdict in row] for row in check(backend, sources)]


def judges(backend: str) -> str:
    """The compilers that `judge` would ask, with their versions; what is missing is part of the text."""
    from core.toolchain import found

    return found(backend.partition(":")[0]).detail


# a revision under test may be broken in any way: what it raises is its result for this record
_FAILURES: Final = (
    CompileError, ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError, RecursionError, TypeError,
    ValueError,
)  # fmt: skip


def reductions(record: Mapping[str, Any], skip: int = 0) -> list[dict[str, object]]:
    """Records of smaller kernels than this one's, after the first `skip`: at most `MAX_REDUCTIONS`, fewer of a large
    kernel, none when there are no more. `size` is how many nodes each has. Raises RecordError."""
    from core.reductions import proposals, size_of

    ast, opts = from_rows(record.get("ast")), read_opts(record.get("applied_opts"))
    most = min(MAX_REDUCTIONS, max(1, MAX_REDUCED_NODES // len(ast.toposort())))
    made = []
    for smaller, given in islice(proposals(ast, opts), skip, skip + most):
        kept = {key: record[key] for key in ("schema", "compiler", "opts", "name", "context")}
        rows, size = to_rows(smaller), size_of(smaller)
        made.append({**kept, "ast": rows, "applied_opts": [opt_row(opt) for opt in given], "size": size})
    return made


def ast_size(rows: object) -> int:
    """The nodes of an AST, buffers and views left out. Raises RecordError."""
    from core.reductions import size_of

    return size_of(from_rows(rows))


def backends() -> list[str]:
    """The names of the backends that this revision renders."""
    from core.render import BACKENDS

    return sorted(BACKENDS)


def format_ast(rows: object) -> str:
    """The AST of a record in the text form, for showing it. Raises RecordError."""
    return repr(from_rows(rows))


def ast_nodes(rows: object) -> list[list[str]]:
    """Op, dtype and arg of each node of an AST, as texts. Raises RecordError."""
    return [[node.op.name, str(node.dtype), _arg_text(node.arg)] for node in from_rows(rows).toposort()]


def _arg_text(arg: object) -> str:
    if isinstance(arg, ShapeTracker):
        return " of ".join([_view_text(view) for view in arg.views[::-1]])
    return "" if arg is None else str(arg)


def _view_text(view: View) -> str:
    text = f"{tuple_text(view.shape)} strides {tuple_text(view.strides)}"
    text += "" if isinstance(view.offset, int) and view.offset == 0 else f" offset {view.offset}"
    return text if view.mask is None else f"{text} mask {ranges_text(view.mask)}"


# ---- replaying ----------------------------------------------------------------------------------------------------


def replay(record: Mapping[str, Any], backend: str | None = None, mode: str = "pinned") -> dict[str, object]:
    """Compile a record again: its source and what else is observed, with the milliseconds that it took."""

    def act(job: Job) -> dict[str, object]:
        started = time.perf_counter()
        program = job.compiled()
        return {
            "name": program.name,
            "src": program.src,
            "applied_opts": [opt_row(opt) for opt in program.applied_opts],
            **observed(program),
            "ms": (time.perf_counter() - started) * 1e3,
        }

    return _answer(record, backend, mode, act)


def run(
    record: Mapping[str, Any],
    backend: str | None = None,
    mode: str = "pinned",
    *,
    seed: int = 0,
    reference: bool = False,
) -> dict[str, object]:
    """Compile a record as `replay` does, and run it on inputs drawn with `seed`, edge values among them.

    `data` has what `core.running.run_program` gives.
    """
    from core.running import run_program

    return _answer(
        record, backend, mode, lambda job: {"data": run_program(job.ast, job.compiled(), seed, reference=reference)}
    )


def run_passes(
    record: Mapping[str, Any], backend: str | None = None, mode: str = "pinned", *, seed: int = 0
) -> dict[str, object]:
    """What a record computes after each pass: `data` has what `core.stages.run_passes` gives."""
    from core import stages

    return _answer(
        record,
        backend,
        mode,
        lambda job: {"data": stages.run_passes(job.ast, job.renderer, job.opts, job.name, seed)},
    )


def trace(record: Mapping[str, Any], backend: str | None = None, mode: str = "pinned") -> dict[str, object]:
    """Compile a record as `replay` does, and say how: `data` has what `core.tracing.trace_kernel` gives."""
    from core.tracing import trace_kernel

    return _answer(record, backend, mode, lambda job: {"data": trace_kernel(job.ast, job.renderer, job.opts, job.name)})


def optimized_ast(record: Mapping[str, Any], backend: str | None = None, mode: str = "pinned") -> dict[str, object]:
    """The rows of what the opts that `replay` applies make of the record's AST, as `data["ast"]`."""
    from core.compiler import optimize
    from core.opt.kernel import Kernel

    def act(job: Job) -> dict[str, object]:
        kernel = optimize(Kernel(job.ast, job.renderer), "auto" if job.opts is None else job.opts)
        return {"data": {"ast": to_rows(kernel.get_optimized_ast())}}

    return _answer(record, backend, mode, act)


def _answer(
    record: Mapping[str, Any], backend: str | None, mode: str, act: Callable[[Job], dict[str, object]]
) -> dict[str, object]:
    """What `act` gives for a record, with how it ended as `status`. Never raises for what a record holds.

    `backend`: another one than the record's own; `mode`: `pinned` applies the captured opts, `free` lets the heuristics
    choose. What is not read, or not run here, is `unsupported`, with the reason.
    """
    try:
        job = read_job(record, backend, mode)
        with Context(**job.settings):
            return {"status": "ok", **act(job)}
    except RecordError as error:
        return {"status": "unsupported", "field": error.field, "message": str(error)}
    except NotRun as reason:
        return {"status": "unsupported", "field": "", "message": str(reason)}
    except _FAILURES as error:
        return {"status": "error", "type": type(error).__name__, "message": str(error)}
