"""One round of one side of `compile_speed.py`: a process that compiles ASTs and writes down the CPU time of each.

Runs in the project's environment as well as in the peer's, so it imports nothing but the standard library and the
side that it measures.

    python compile_speed_child.py core|peer JOB RESULT

JOB is a JSON file: `root` (the folder that holds `core`), `warm_up` and `asts` (lists of AST texts). RESULT becomes a
JSON file: `version`, `python` and `kernels`, one object for each AST of `asts` in order: `ok`, `ms` (CPU milliseconds
from the AST to the source), then `name` and `source_bytes`, or `error`.
"""

from __future__ import annotations

import ast
import gc
import json
import math
import re
import sys
import time
from collections.abc import Callable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

Read = Callable[[str], Any]
Compile = Callable[[Any], tuple[str, str]]

# The expressions of the text form: constructor calls on constants and tuples, with `x7:=` for what is used again.
READABLE = (
    ast.Expression,
    ast.Call,
    ast.keyword,
    ast.Name,
    ast.Attribute,
    ast.Constant,
    ast.Tuple,
    ast.NamedExpr,
    ast.UnaryOp,
    ast.USub,
    ast.Load,
    ast.Store,
)


def core_side(root: str) -> tuple[str, Read, Compile]:
    """The compiler of this repository: its version, reader, and AST -> (name, source)."""
    sys.path.insert(0, root)
    import core
    from core.compiler import compile_ast
    from core.ir.text import parse_uop
    from core.render import get_renderer

    if Path(root).resolve() not in Path(core.__file__).resolve().parents:
        raise ImportError(f"core was imported from {core.__file__}, not from {root}")
    renderer = get_renderer("c")

    def compile_one(tree: Any) -> tuple[str, str]:
        program = compile_ast(tree, renderer)
        return program.name, program.src

    return "core", parse_uop, compile_one


def peer_side() -> tuple[str, Read, Compile]:
    """tinygrad: its version, reader, and AST -> (name, source). Rendering opens no device there either."""
    from tinygrad.codegen.kernel import Kernel
    from tinygrad.dtype import dtypes
    from tinygrad.ops import Ops, UOp
    from tinygrad.renderer.cstyle import ClangRenderer
    from tinygrad.shape.shapetracker import ShapeTracker
    from tinygrad.shape.view import View

    names = {
        "UOp": UOp,
        "Ops": Ops,
        "dtypes": dtypes,
        "ShapeTracker": ShapeTracker,
        "View": View,
        "inf": math.inf,
        "nan": math.nan,
    }
    renderer = ClangRenderer()

    def compile_one(tree: Any) -> tuple[str, str]:
        kernel = Kernel(tree, opts=renderer)
        kernel.hand_coded_optimizations()
        program = kernel.to_program()
        return program.name, program.src

    return f"tinygrad {metadata.version('tinygrad')}", lambda text: evaluate(text, names), compile_one


def evaluate(text: str, names: Mapping[str, Any]) -> Any:
    """The value of a text that is meant to be evaluated, as the peer's data set is, and that does nothing but that.

    Raises ValueError where the text holds anything else than the constructors in `names` and their arguments.
    """
    tree = ast.parse(text, mode="eval")
    for node in ast.walk(tree):
        if not isinstance(node, READABLE):
            raise ValueError(f"column {getattr(node, 'col_offset', 0)}: {type(node).__name__} is not part of an AST")
        name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else None
        if name is not None and name.startswith("_"):
            raise ValueError(f"the name {name} is not part of an AST")
        if isinstance(node, ast.Name) and node.id not in names and not re.fullmatch(r"x\d+", node.id):
            raise ValueError(f"the name {node.id} is not part of an AST")
    return eval(compile(tree, "<ast>", "eval"), {"__builtins__": {}, **names})


def plain(name: str) -> str:
    """A kernel's name without colour and without the running suffix that tells equal names apart."""
    return re.sub(r"n\d+$", "", re.sub(r"\x1b\[\d*m", "", name))


def measure(read: Read, compile_one: Compile, warm_up: list[str], texts: list[str]) -> list[dict[str, Any]]:
    """Compile the texts one after the other. What a kernel's own failure raises is its result, not the round's."""
    for text in warm_up:
        one_kernel(attempt(read, text), compile_one)

    trees = [attempt(read, text) for text in texts]
    gc.collect()  # the garbage of reading is not the first kernels' to clear
    return [one_kernel(tree, compile_one) for tree in trees]


def attempt(read: Read, text: str) -> Any:
    """What `read` makes of the text, or the exception that it raises."""
    try:
        return read(text)
    except Exception as error:
        return error


def one_kernel(tree: Any, compile_one: Compile) -> dict[str, Any]:
    """Compile one AST that was read, and time it."""
    if isinstance(tree, Exception):
        return {"ok": False, "ms": 0.0, "error": f"reading: {type(tree).__name__}: {tree}"[:500]}

    start = time.process_time()
    try:
        name, source = compile_one(tree)
    except Exception as error:
        spent = (time.process_time() - start) * 1e3
        return {"ok": False, "ms": spent, "error": f"{type(error).__name__}: {error}"[:500]}
    spent = (time.process_time() - start) * 1e3
    return {"ok": True, "ms": spent, "name": plain(name), "source_bytes": len(source.encode())}


def main(side: str, job_file: str, result_file: str) -> None:
    """Run the round that JOB describes and write RESULT."""
    job = json.loads(Path(job_file).read_text(encoding="utf-8"))
    version, read, compile_one = core_side(job["root"]) if side == "core" else peer_side()
    kernels = measure(read, compile_one, job["warm_up"], job["asts"])
    result = {"version": version, "python": sys.version, "kernels": kernels}
    Path(result_file).write_text(json.dumps(result), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
