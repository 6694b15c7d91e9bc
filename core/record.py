"""A record as plain data: made from a compilation, and read back with every field checked.

Nothing that a record holds is ever imported, evaluated or executed. What this revision does not know is a RecordError
that names the field.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from core.context import ContextVar, snapshot
from core.errors import CompileError, RecordError
from core.ir.rows import from_rows, to_rows
from core.ir.uop import UOp
from core.opt.opt import Opt, OptOps

if TYPE_CHECKING:
    from core.render.base import Renderer
    from core.render.program import ProgramSpec

__all__ = ["SCHEMA", "Job", "make_record", "observed", "opt_row", "read_job", "read_opts"]

SCHEMA: Final = 1
MAX_OPTS: Final = 1000
MAX_SETTINGS: Final = 1000
MAX_TEXT: Final = 1000


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


# ---- reading ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Job:
    """A record ready to be compiled under `settings`. With `opts` None the heuristics choose, and name the kernel."""

    ast: UOp
    renderer: Renderer
    opts: list[Opt] | None
    name: str | None
    settings: dict[str, int]

    def compiled(self) -> ProgramSpec:
        """The program. Raises CompileError."""
        from core.compiler import compile_ast

        return compile_ast(self.ast, self.renderer, "auto" if self.opts is None else self.opts, self.name)


def read_job(record: Mapping[str, Any], backend: str | None, mode: str) -> Job:
    """The parts of a record, checked. Raises RecordError with the field that this revision cannot read.

    `backend`: another one than the record's own; `mode`: `pinned` for the captured opts, `free` for the heuristics'.
    """
    if record.get("schema") != SCHEMA:
        raise RecordError("schema", f"this revision reads layout {SCHEMA}, not {record.get('schema')!r}")
    if record.get("compiler") != "core":
        raise RecordError("compiler", f"recorded by {record.get('compiler')!r}, not by core")
    name = record.get("name")
    if name is not None and not isinstance(name, str):
        raise RecordError("name", "must be text")
    settings = read_settings(record.get("context")) | {"BEAM": 0}  # what a search finds depends on the machine
    ast, opts = from_rows(record.get("ast")), read_opts(record.get("applied_opts"))
    renderer = read_renderer(record.get("opts"), backend)
    return Job(ast, renderer, opts, name, settings) if mode == "pinned" else Job(ast, renderer, None, None, settings)


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
