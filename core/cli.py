"""`python -m core`: compile ASTs to source, run cases on this machine, list the backends.

Exit codes: 0 all went well; 1 a kernel failed; 2 bad usage, an unreadable file, or nothing to do; 130 interrupted.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Sequence
from typing import Any, Final, Literal

import click

from core.compiler import compile_ast
from core.errors import CompileError, ParseError, RuntimeFailure
from core.ir.text import parse_uop
from core.ir.uop import UOp
from core.render import BACKENDS, get_renderer
from core.render.base import Renderer
from core.runtime import Runtime, get_runtime
from core.runtime.buffers import aligned_zeros, buffer_sizes, outputs_of
from core.runtime.cases import Case, as_json, read_case
from core.runtime.compare import compare
from core.runtime.lines import Line, UnreadableFileError, numbered_lines, read_json_object
from core.status import backend_status

__all__ = ["main"]

OK: Final = 0
FAILED: Final = 1
COULD_NOT_TELL: Final = 2
INTERRUPTED: Final = 130
CLOSED_PIPE: Final = 141

MAX_MESSAGE: Final = 2000  # characters
COMMENTS: Final = {"llvm": ";", "python": "#"}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and give its exit code. Whatever goes wrong is one sentence on standard error."""
    try:
        code = cli.main(argv if argv is None else list(argv), prog_name="python -m core", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return COULD_NOT_TELL
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except _OutputError as error:
        # nothing more may be written when Python closes its streams
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if error.closed:
            return CLOSED_PIPE
        _complain(f"standard output cannot be written: {error}")
        return COULD_NOT_TELL
    return code if isinstance(code, int) else OK


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def cli() -> None:
    """A kernel compiler: from ASTs to the source of many backends."""


def _complain(message: str) -> None:
    click.echo(f"error: {message}", err=True)


class _OutputError(Exception):
    """Standard output cannot be written; `closed` when its reader has seen enough, which is no failure."""

    def __init__(self, reason: OSError) -> None:
        super().__init__(reason.strerror)
        self.closed = isinstance(reason, BrokenPipeError)


def _write(text: str) -> None:
    """Print at once, so that a reader sees each result when it is there and an interrupt loses none."""
    try:
        print(text, flush=True)
    except OSError as error:  # click would take a closed pipe for a failure
        raise _OutputError(error) from None


def _print_json(record: dict[str, Any]) -> None:
    _write(json.dumps(record))


class _BackendType(click.ParamType["tuple[str, Renderer]"]):
    """NAME or NAME:ARCH, as (what was given, its renderer)."""

    name = "NAME[:ARCH]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, Renderer]:
        if value.partition(":")[0] not in BACKENDS:
            self.fail(f"{value!r} is no backend; {', '.join(BACKENDS)} are", param, ctx)
        try:
            return value, get_renderer(value)
        except CompileError as error:
            self.fail(str(error), param, ctx)


def _error(error: Exception) -> dict[str, str]:
    message = str(error)
    if len(message) > MAX_MESSAGE:  # of an error that no one foresaw: a whole AST, perhaps
        message = message[:MAX_MESSAGE] + "…"
    return {"type": type(error).__name__, "message": message}


# ---- compile ------------------------------------------------------------------------------------------------------


@cli.command("compile")
@click.argument("file", default="-")
@click.option("--backend", "backends", type=_BackendType(), multiple=True, required=True, help="May be repeated.")
@click.option("--opts", type=click.Choice(["auto", "none"]), default="auto", help="auto: by heuristics (default).")
@click.option("--limit", type=click.IntRange(min=1), help="Read at most this many ASTs.")
@click.option("--jsonl", is_flag=True, help="Print a JSON object for each AST and backend.")
def compile_command(
    file: str,
    backends: tuple[tuple[str, Renderer], ...],
    opts: Literal["auto", "none"],
    limit: int | None,
    jsonl: bool,
) -> int:
    """Compile the ASTs in FILE, one a line, and print the sources.

    FILE holds the UOp text form, or JSON objects with an "ast"; it may be gzipped. Nothing or - is standard input.
    """
    compiled = failed = read = 0
    broken: UnreadableFileError | None = None
    lines = numbered_lines(file)
    while limit is None or read < limit:
        try:
            line = next(lines, None)
        except UnreadableFileError as error:
            broken = error
            break
        if line is None:
            break
        read += 1
        ast = _read_ast(line)
        for label, renderer in backends:
            record = {"index": line.index, "backend": label, **_compiled(ast, renderer, opts)}
            compiled, failed = compiled + record["ok"], failed + (not record["ok"])
            if jsonl:
                _print_json(record)
            else:
                _print_source(line, record, renderer)

    if broken is not None:
        _complain(str(broken))
        return COULD_NOT_TELL
    if not read:
        _complain(f"{'standard input' if file == '-' else file} holds no AST: there is nothing to compile")
        return COULD_NOT_TELL
    if not jsonl:
        click.echo(f"{compiled} of {compiled + failed} kernels compiled", err=True)
    return FAILED if failed else OK


def _read_ast(line: Line) -> UOp | Exception:
    """The AST on `line`, or what is wrong with it."""
    try:
        text = line.text()
        if not text.startswith("{") and not line.file.removesuffix(".gz").endswith(".jsonl"):
            return parse_uop(text)
        ast = read_json_object(text).get("ast")
        if not isinstance(ast, str):
            raise ParseError('the JSON object has no "ast" that is a string')
        return parse_uop(ast)
    except Exception as error:  # one bad line must not end the run
        return error


def _compiled(ast: UOp | Exception, renderer: Renderer, opts: Literal["auto", "none"]) -> dict[str, Any]:
    if isinstance(ast, Exception):
        return {"ok": False, "error": _error(ast)}
    started = time.perf_counter()
    try:
        program = compile_ast(ast, renderer, opts=opts)
    except Exception as error:  # whatever this AST does to the compiler, the next line goes on
        return {"ok": False, "error": _error(error)}
    elapsed = round((time.perf_counter() - started) * 1000, 3)
    return {"ok": True, **program.to_dict(), "ms": elapsed}


def _print_source(line: Line, record: dict[str, Any], renderer: Renderer) -> None:
    if not record["ok"]:
        error = record["error"]
        _complain(f"{line} ({record['backend']}): {error['type']}: {error['message']}")
        return
    comment = COMMENTS.get(renderer.name, "//")
    opts = " ".join([f"{op}({axis},{arg})" for op, axis, arg in record["applied_opts"]]) or "none"
    head = f"{comment} {line} {record['backend']} {record['name']}  opts: {opts}  {record['ms']:.1f} ms"
    _write(f"{head}\n{record['src'].rstrip()}\n")


# ---- run ----------------------------------------------------------------------------------------------------------


@cli.command()
@click.argument("file")
@click.option("--backend", type=_BackendType(), required=True, help="The backend to run them on.")
@click.option("--jsonl", is_flag=True, help="Print each case's outputs and compare nothing.")
def run(file: str, backend: tuple[str, Renderer], jsonl: bool) -> int:
    """Compile and run the cases in FILE on this machine, and compare what they store with what they should."""
    label, renderer = backend
    try:
        runtime = get_runtime(renderer.name)
        runtime.version()
    except RuntimeFailure as failure:
        _complain(str(failure))
        return COULD_NOT_TELL
    return _Run(label, renderer, runtime, jsonl).run(file)


class _Run:
    """The cases of one file on one backend."""

    def __init__(self, label: str, renderer: Renderer, runtime: Runtime, jsonl: bool) -> None:
        self.label, self.renderer, self.runtime, self.jsonl = label, renderer, runtime, jsonl
        self.total = self.right = self.unreadable = 0

    def run(self, file: str) -> int:
        try:
            for line in numbered_lines(file):
                self.total += 1
                self.take(line)
        except UnreadableFileError as error:
            self.unreadable += 1
            _complain(str(error))

        if self.total == 0:
            if not self.unreadable:
                _complain(f"{file} holds no case: there is nothing to run")
            return COULD_NOT_TELL
        if not self.jsonl:
            _write(f"{self.right} of {self.total} cases right on {self.label}")
        if self.unreadable:
            return COULD_NOT_TELL
        return OK if self.right == self.total else FAILED

    def take(self, line: Line) -> None:
        try:
            case = read_case(line)
            if not self.jsonl and not case.outputs:
                raise ParseError(f'{line}: the case has neither "output" nor "outputs" to compare with')
        except ParseError as error:
            self.unreadable += 1
            _complain(str(error))
            return
        try:
            outputs = self.execute(case)
        except Exception as error:  # one bad kernel must not end the run
            if self.jsonl:
                _print_json({"name": case.name, "backend": self.label, "error": _error(error)})
            else:
                self.miss(case, f"{type(error).__name__}: {error}")
            return
        self.judge(case, outputs)

    def execute(self, case: Case) -> dict[int, Any]:
        """The contents of every buffer that the case's kernel stores to."""
        program = compile_ast(case.ast, self.renderer, opts="auto")
        buffers = {}
        for number, (dtype, size) in buffer_sizes(case.ast, case.variables or None).items():
            given = case.inputs.get(number)
            buffers[number] = aligned_zeros(size if given is None else given.size, dtype.numpy())
            if given is not None:
                buffers[number][:] = given
        self.runtime.run(program, buffers, case.variables)
        return {number: buffers[number] for number in outputs_of(case.ast)}

    def judge(self, case: Case, outputs: dict[int, Any]) -> None:
        if self.jsonl:
            self.right += 1
            shown = {str(number): as_json(array) for number, array in outputs.items()}
            _print_json({"name": case.name, "backend": self.label, "outputs": shown})
            return
        problems = [problem for number in case.outputs if (problem := self.problem(case, number, outputs))]
        if problems:
            self.miss(case, "; ".join(problems))
        else:
            self.right += 1

    def problem(self, case: Case, number: int, outputs: dict[int, Any]) -> str | None:
        expected, got = case.outputs[number], outputs.get(number)
        if got is None:
            return f"buffer {number} is not stored to"
        if got.dtype != expected.dtype or got.size != expected.size:
            return f"buffer {number} holds {got.size} {got.dtype}, expected {expected.size} {expected.dtype}"
        difference = compare(got, expected, case.rtol, case.atol)
        return None if difference is None else f"buffer {number}: {difference}"

    def miss(self, case: Case, reason: str) -> None:
        _write(f"{case.name}: {reason}")


# ---- backends -----------------------------------------------------------------------------------------------------


@cli.command()
@click.option("--jsonl", is_flag=True, help="Print a JSON object for each backend.")
def backends(jsonl: bool) -> int:
    """List the backends that sources are rendered for, with what judges and what runs them on this machine.

    What is missing is named with how to install it.
    """
    for status in backend_status():
        if jsonl:
            _print_json({**status})
            continue
        judged = f"judged by {status['validator']}" if status["validated"] else f"not judged here: {status['missing']}"
        runs = f"run by {status['version']}" if status["runs"] else f"not run here: {status['reason']}"
        _write(f"{status['backend']:8} rendered; {judged}; {runs}")
    return OK
