"""The seam between the compiler and the replay harness: capturing a kernel as a record, and replaying a record.

A record is plain data (see docs/architecture.md). Every revision of the compiler carries this module, so a revision
reads records with its own code. What a revision does not know makes its answer `unsupported`; nothing that a record
holds is ever imported, evaluated or executed.
"""

from __future__ import annotations

import importlib
import os
import re
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from core.context import Context, ContextVar, snapshot
from core.errors import CompileError, RecordError
from core.ir.rows import from_rows, to_rows
from core.ir.text import parse_uop
from core.ir.uop import UOp
from core.opt.opt import Opt, OptOps
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
    "trace",
]

SCHEMA: Final = 1
DEFAULT_SINK: Final = "replay.capture"
MAX_OPTS: Final = 1000
MAX_SETTINGS: Final = 1000
MAX_TEXT: Final = 1000
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


def make_record(ast: UOp, renderer: Renderer, program: ProgramSpec) -> dict[str, object]:
    """The record of one compilation, as plain data."""
    return {
        "schema": SCHEMA,
        "compiler": "core",
        "ast": to_rows(ast),
        "opts": renderer.options(),
        "applied_opts": [opt_row(opt) for opt in program.applied_opts],
        "name": program.name,
        "context": dict(snapshot()),
        "src": program.src,
        "observed": observed(program),
        "provenance": {"source": " ".join(sys.argv)[:MAX_TEXT], "test": os.environ.get("PYTEST_CURRENT_TEST")},
    }


def observed(program: ProgramSpec) -> dict[str, object]:
    """What a compilation gave besides its source."""
    described = program.to_dict()
    return {key: described[key] for key in ("global_size", "local_size", "vars", "estimates")}


def opt_row(opt: Opt) -> list[object]:
    return [opt.op.name, opt.axis, list(opt.arg) if isinstance(opt.arg, tuple) else opt.arg]


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


# ---- replaying ----------------------------------------------------------------------------------------------------


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


def replay(record: Mapping[str, Any], backend: str | None = None, mode: str = "pinned") -> dict[str, object]:
    """Compile a record again. `backend`: another one than the record's own; `mode`: `pinned` applies the captured opts,
    `free` lets the heuristics choose. Never raises for what a record holds: the result says what happened."""
    try:
        ast, renderer, opts, settings = _read(record, backend)
    except RecordError as error:
        return {"status": "unsupported", "field": error.field, "message": str(error)}

    started = time.perf_counter()
    try:
        with Context(**settings):
            program = _compile(ast, renderer, opts, record.get("name"), mode)
    except _FAILURES as error:
        return {"status": "error", "type": type(error).__name__, "message": str(error)}
    return {
        "status": "ok",
        "name": program.name,
        "src": program.src,
        "applied_opts": [opt_row(opt) for opt in program.applied_opts],
        **observed(program),
        "ms": (time.perf_counter() - started) * 1e3,
    }


def run(
    record: Mapping[str, Any],
    backend: str | None = None,
    mode: str = "pinned",
    *,
    seed: int = 0,
    reference: bool = False,
) -> dict[str, object]:
    """Compile a record as `replay` does, and run it on inputs drawn with `seed`, edge values among them.

    `data` has what `core.running.run_program` gives. A kernel that is not run here is `unsupported`, with the reason.
    """
    from core.running import NotRun, run_program

    try:
        ast, renderer, opts, settings = _read(record, backend)
    except RecordError as error:
        return {"status": "unsupported", "field": error.field, "message": str(error)}
    try:
        with Context(**settings):
            program = _compile(ast, renderer, opts, record.get("name"), mode)
        return {"status": "ok", "data": run_program(ast, program, seed, reference=reference)}
    except NotRun as reason:
        return {"status": "unsupported", "field": "", "message": str(reason)}
    except _FAILURES as error:
        return {"status": "error", "type": type(error).__name__, "message": str(error)}


def trace(record: Mapping[str, Any], backend: str | None = None, mode: str = "pinned") -> dict[str, object]:
    """Compile a record as `replay` does, and say how: `data` has what `core.tracing.trace_kernel` gives."""
    from core.tracing import trace_kernel

    try:
        ast, renderer, opts, settings = _read(record, backend)
    except RecordError as error:
        return {"status": "unsupported", "field": error.field, "message": str(error)}
    name = record.get("name")
    with Context(**settings), Context(BEAM=0):
        pinned = mode == "pinned"
        found = trace_kernel(
            ast, renderer, opts if pinned else None, str(name) if pinned and name is not None else None
        )
    return {"status": "ok", "data": found}


def optimized_ast(record: Mapping[str, Any], backend: str | None = None, mode: str = "pinned") -> dict[str, object]:
    """The rows of what the opts that `replay` applies make of the record's AST, as `data["ast"]`."""
    from core.compiler import optimize
    from core.opt.kernel import Kernel

    try:
        ast, renderer, opts, settings = _read(record, backend)
    except RecordError as error:
        return {"status": "unsupported", "field": error.field, "message": str(error)}
    try:
        with Context(**settings), Context(BEAM=0):
            kernel = optimize(Kernel(ast, renderer), opts if mode == "pinned" else "auto")
            return {"status": "ok", "data": {"ast": to_rows(kernel.get_optimized_ast())}}
    except _FAILURES as error:
        return {"status": "error", "type": type(error).__name__, "message": str(error)}


def _compile(ast: UOp, renderer: Renderer, opts: Sequence[Opt], name: object, mode: str) -> ProgramSpec:
    from core.compiler import compile_ast

    if mode == "pinned":
        return compile_ast(ast, renderer, opts, name_override=str(name) if name is not None else None)
    with Context(BEAM=0):  # what a search finds depends on the machine
        return compile_ast(ast, renderer, "auto")


def _read(record: Mapping[str, Any], backend: str | None) -> tuple[UOp, Renderer, list[Opt], dict[str, int]]:
    """The parts of a record, checked. Raises RecordError with the field that this revision cannot read."""
    if record.get("schema") != SCHEMA:
        raise RecordError("schema", f"this revision reads layout {SCHEMA}, not {record.get('schema')!r}")
    if record.get("compiler") != "core":
        raise RecordError("compiler", f"recorded by {record.get('compiler')!r}, not by core")
    if not isinstance(record.get("name", ""), str):
        raise RecordError("name", "must be text")
    settings = read_settings(record.get("context"))
    ast, opts = from_rows(record.get("ast")), read_opts(record.get("applied_opts"))
    return ast, read_renderer(record.get("opts"), backend), opts, settings


def read_renderer(options: object, backend: str | None) -> Renderer:
    """The renderer that a record names, or `backend` (NAME or NAME:ARCH) instead."""
    from core.render import BACKENDS, get_renderer

    if not isinstance(options, Mapping) or not isinstance(options.get("backend"), str):
        raise RecordError("opts.backend", "must be the name of a backend")
    arch = options.get("arch")
    if arch is not None and not isinstance(arch, str):
        raise RecordError("opts.arch", "must be the name of an architecture")
    own = options["backend"] if arch is None else f"{options['backend']}:{arch}"
    wanted = own if backend is None else backend
    if wanted.partition(":")[0] not in BACKENDS:
        raise RecordError("opts.backend", f"this revision has no backend {wanted.partition(':')[0]!r}")
    try:
        return get_renderer(wanted)
    except CompileError as error:
        raise RecordError("opts", str(error)) from None


def read_opts(rows: object) -> list[Opt]:
    """The opts of a record in order."""
    if not isinstance(rows, (list, tuple)) or len(rows) > MAX_OPTS:
        raise RecordError("applied_opts", f"must be a list of at most {MAX_OPTS} opts")
    return [_read_opt(f"applied_opts[{i}]", row) for i, row in enumerate(rows)]


def _read_opt(field: str, row: object) -> Opt:
    if not isinstance(row, (list, tuple)) or len(row) != 3:
        raise RecordError(field, "must be [op, axis, arg]")
    op, axis, arg = row
    if not isinstance(op, str) or op not in OptOps.__members__:
        raise RecordError(f"{field}.op", f"this revision has no opt {op!r}")
    if axis is not None and not _small_int(axis):
        raise RecordError(f"{field}.axis", f"must be a small integer or nothing, not {axis!r}")
    if isinstance(arg, (list, tuple)):
        if len(arg) > 8 or not all(_small_int(item) for item in arg):
            raise RecordError(f"{field}.arg", "must be a short list of small integers")
        return Opt(OptOps[op], axis, tuple(arg))
    if arg is not None and not _small_int(arg):
        raise RecordError(f"{field}.arg", f"must be a small integer or nothing, not {arg!r}")
    return Opt(OptOps[op], axis, arg)


def _small_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 31


def read_settings(context: object) -> dict[str, int]:
    """Every setting that can change the output: as captured, else its default, whatever the environment says.

    A captured setting that this revision lacks may only be 0, that is off: without it this revision does the same.
    """
    if not isinstance(context, Mapping) or len(context) > MAX_SETTINGS:
        raise RecordError("context", f"must be a table of at most {MAX_SETTINGS} settings")
    settings = {key: var.default for key, var in ContextVar.registry.items() if var.affects_output}
    for key, value in context.items():
        if not isinstance(key, str) or not re.fullmatch(r"[A-Z][A-Z0-9_]{0,63}", key):
            raise RecordError("context", "has a setting whose name is not one")
        if not _small_int(value):
            raise RecordError(f"context.{key}", f"must be a small integer, not {value!r}")
        if key in settings:
            settings[key] = value
        elif value != 0:
            raise RecordError(f"context.{key}", "this revision has no such setting")
    return settings
