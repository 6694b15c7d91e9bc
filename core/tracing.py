"""How a kernel came about, pass by pass: the IR after each, the rewrites in it, and the functions that ran.

It is what `replay explain` compares between two revisions. Functions are told apart by digests of their code and of the
constants that they see, so a revision's changes show even where no rule has changed. Recording takes a few times as
long as compiling; nothing of it is on otherwise.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from types import CodeType, FrameType, FunctionType
from typing import Any, Final

from core.compiler import STAGES, Stage, optimize
from core.ir.ops import Ops
from core.ir.pattern import TABLES
from core.ir.trace import Rewrite, Trace, stage, tracing
from core.ir.uop import UOp
from core.opt.kernel import Kernel
from core.opt.opt import Opt
from core.render.base import Renderer
from core.render.names import function_name

__all__ = ["PASSES", "listing", "short", "trace_kernel"]

MAX_REWRITES: Final = 20_000  # of a pass
MAX_TEXT: Final = 400
MAX_LINES: Final = 20_000
DEPTH: Final = 4
PASSES: Final = ("ast", "opts", *[one.name for one in STAGES], "render")
_PLAIN: Final = (int, float, str, bool, bytes, type(None))
_HOME: Final = __name__.partition(".")[0] + "."


def trace_kernel(ast: UOp, renderer: Renderer, opts: Sequence[Opt] | None, name: str | None) -> dict[str, Any]:
    """`passes` in order, each with `name`, `lines` of its result, `rewrites` and `functions`; `rules` by table; and
    `error` with `pass`, `type` and `message` if one raised. `opts` None: what the heuristics choose."""
    passes: list[dict[str, Any]] = []
    found: dict[str, Any] = {"passes": passes, "error": None}
    with tracing() as trace:
        state: Any = ast
        for step, run, show in _steps(renderer, opts, name):
            stage(step)
            functions: dict[str, dict[str, Any]] = {}
            try:
                with _watching(functions):
                    state = run(state)
                lines = show(state)
                if step == "render":
                    functions |= _of_renderer(renderer)
            except Exception as error:  # a revision under test may be broken in any way: that is what is asked about
                lines = []
                found["error"] = {"pass": step, "type": type(error).__name__, "message": str(error)[:MAX_TEXT]}
            rewrites = [_rewrite(rewrite) for rewrite in _taken(trace)]
            passes.append({"name": step, "lines": lines[:MAX_LINES], "rewrites": rewrites, "functions": functions})
            if found["error"] is not None:
                break
    found["rules"] = {table: [rule.name for rule in matcher.rules] for table, matcher in sorted(TABLES.items())}
    return found


def _steps(
    renderer: Renderer, opts: Sequence[Opt] | None, name: str | None
) -> Iterator[tuple[str, Callable[[Any], Any], Callable[[Any], list[str]]]]:
    """Each pass with what it does, from the state before to the state after, and how that is shown in lines."""
    kernels: list[Kernel] = []

    def choose(kernel: Kernel) -> Kernel:
        kernels.append(kernel)
        return optimize(kernel, "auto" if opts is None else opts)

    def render(uops: list[UOp]) -> str:
        return renderer.render(function_name(name if name is not None else kernels[0].name), uops)

    yield "ast", lambda ast: Kernel(ast, renderer), lambda kernel: listing(kernel.ast.toposort())
    yield "opts", choose, _chosen
    for one in STAGES:
        yield one.name, partial(_run, one, renderer), _ir
    yield "render", render, lambda text: text.split("\n")


def _run(one: Stage, renderer: Renderer, state: Any) -> Any:
    return one.run(state, renderer)


def _ir(state: UOp | list[UOp]) -> list[str]:
    return listing(state if isinstance(state, list) else state.toposort())


def _chosen(kernel: Kernel) -> list[str]:
    """The opts, each with what chose it."""
    steps = [*kernel.opt_steps, *["the record"] * len(kernel.applied_opts)]
    pairs = zip(kernel.applied_opts, steps, strict=False)
    return [f"{opt.op.name}({opt.axis}, {opt.arg}) by {step or 'the record'}" for opt, step in pairs]


# ---- rewrites -------------------------------------------------------------------------------------------------------


def _taken(trace: Trace) -> list[Rewrite]:
    """The rewrites since the last time."""
    taken, trace.rewrites = trace.rewrites[:MAX_REWRITES], []
    return taken


def _rewrite(rewrite: Rewrite) -> dict[str, Any]:
    file, line = _place(rewrite.table, rewrite.rule)
    return {
        "rule": f"{rewrite.table}.{rewrite.rule}",
        "file": file,
        "line": line,
        "before": short(rewrite.before),
        "after": short(rewrite.after),
    }


def _place(table: str, rule: str) -> tuple[str, int]:
    """Where the function of a rule is defined, from the root of the repository."""
    matcher = TABLES.get(table)
    function = next((one.rewrite for one in matcher.rules if one.name == rule), None) if matcher else None
    code = getattr(function, "__code__", None)
    return (_relative(code.co_filename), code.co_firstlineno) if code is not None else ("", 0)


def _relative(path: str) -> str:
    position = path.replace("\\", "/").rfind(f"/{_HOME[:-1]}/")
    return path[position + 1 :] if position >= 0 else path


def short(node: UOp, depth: int = DEPTH) -> str:
    """A node with what is below it, to a depth: `ADD(SPECIAL 'gidx0', CONST 3)`."""
    text = _short(node, depth)
    return text if len(text) <= MAX_TEXT else text[:MAX_TEXT] + "…"


def _short(node: UOp, depth: int) -> str:
    arg = "" if node.arg is None else f" {node.arg!r}"[:60]
    if not node.src:
        return f"{node.op.name}{arg}"
    if depth == 0:
        return f"{node.op.name}{arg}(…)"
    dtype = f":{node.dtype}" if node.op in (Ops.CAST, Ops.BITCAST, Ops.LOAD) else ""
    return f"{node.op.name}{dtype}{arg}({', '.join([_short(source, depth - 1) for source in node.src])})"


def listing(nodes: Sequence[UOp]) -> list[str]:
    """A line a node, sources by number."""
    numbers = {node: number for number, node in enumerate(nodes)}
    lines = []
    for number, node in enumerate(nodes):
        sources = " ".join([f"%{numbers[source]}" if source in numbers else short(source, 1) for source in node.src])
        arg = "" if node.arg is None else f" arg={node.arg!r}"
        lines.append(f"%{number} = {node.op.name} {node.dtype}{' ' if sources else ''}{sources}{arg}"[:MAX_TEXT])
    return lines


# ---- functions ------------------------------------------------------------------------------------------------------


@contextmanager
def _watching(functions: dict[str, dict[str, Any]]) -> Iterator[None]:
    """Note each function of the compiler that runs: by its name, where it is, and a digest of its code."""
    seen: dict[int, CodeType] = {}  # by identity: a code object is hashed anew each time, by all that is in it

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if id(code) in seen:
            return
        seen[id(code)] = code
        module = str(frame.f_globals.get("__name__", ""))
        if module.startswith(_HOME) and module != __name__ and "<lambda>" not in code.co_qualname:
            digest = _digest(code, frame.f_globals)
            functions[f"{module}.{code.co_qualname}"] = _entry(code, digest)

    outer = sys.gettrace()
    sys.settrace(note)  # called for each call alone, as it asks for no more of any
    try:
        yield
    finally:
        sys.settrace(outer)


def _entry(code: CodeType, digest: str) -> dict[str, Any]:
    return {"file": _relative(code.co_filename), "line": code.co_firstlineno, "digest": digest}


def _of_renderer(renderer: Renderer) -> dict[str, dict[str, Any]]:
    """What the passes read from the renderer: its plain attributes, and what writes each op."""
    owner = type(renderer)
    name = f"{owner.__module__}.{owner.__qualname__}"
    file = _relative(str(getattr(sys.modules[owner.__module__], "__file__", "")))
    found = {name: {"file": file, "line": 0, "digest": _attributes(owner)}}
    for op, write in renderer.code_for_op.items():
        code = getattr(write, "__code__", None)
        if isinstance(code, CodeType):
            said = f"{_digest(code, write.__globals__)}{_made_with(write)}"
            digest = hashlib.blake2b(said.encode(), digest_size=8).hexdigest()
            found[f"{name}.code_for_op[{op.name}]"] = _entry(code, digest)
    return found


def _digest(code: CodeType, namespace: Mapping[str, Any]) -> str:
    """Of what a function does, wherever it stands: its code, the plain constants of its module that it names, and what
    the functions that it names were made with."""
    state = hashlib.blake2b(digest_size=8)
    pending = [code]
    while pending:
        one = pending.pop()
        state.update(one.co_code)
        state.update(repr((one.co_names, one.co_varnames[: one.co_argcount])).encode())
        for constant in one.co_consts:
            if isinstance(constant, CodeType):
                pending.append(constant)
            else:
                state.update(repr(sorted(constant, key=repr) if isinstance(constant, frozenset) else constant).encode())
        for name in one.co_names:
            if name in namespace:
                state.update(f"{name}={_made_with(namespace[name])}".encode())
    return state.hexdigest()


def _made_with(value: object, depth: int = DEPTH) -> str:
    """A plain value as text; a function by the values that it closes over: `infix("-", Rank.ADD)` by `'-'` and 13."""
    if _is_plain(value):
        return repr(value)
    if not isinstance(value, FunctionType) or depth == 0:
        return ""
    cells = [_made_with(cell.cell_contents, depth - 1) for cell in value.__closure__ or ()]
    return f"({', '.join(cells)})" if cells else ""


def _attributes(owner: type) -> str:
    """Of the plain attributes of a class and of those it inherits."""
    names = [name for name in dir(owner) if not name.startswith("__")]
    plain = [(name, getattr(owner, name, None)) for name in names]
    return hashlib.blake2b(repr([(n, v) for n, v in plain if _is_plain(v)]).encode(), digest_size=8).hexdigest()


def _is_plain(value: object) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_plain, value))
    return isinstance(value, _PLAIN)
