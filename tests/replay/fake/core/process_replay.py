"""The seam. ASTs are rows of [op, "int", sources, arg]; ops that misbehave are named for what they do."""

import importlib
import os
import sys
import time
from typing import Any

from core.rules import TEMPLATES, UPCAST

Rows = list[list[Any]]

SCHEMA = 1
ARITY = {"CONST": 0, "ADD": 2, "MUL": 2, "NEG": 1, "MAX": 2}


class ParseError(Exception):
    """A line that is no expression."""


def backends() -> list[str]:
    return ["c", "llvm"]


def _expression(rows: Rows) -> str | tuple[int, str]:
    texts: list[str] = []
    for number, (op, _, sources, arg) in enumerate(rows):
        operands = [texts[source] for source in sources]
        if op == "CONST":
            texts.append(str(arg[1]))
        elif op in TEMPLATES:
            texts.append(TEMPLATES[op].format(*operands))
        elif op == "PRINT":
            print("printed by the compiler", flush=True)
            texts.append("printed")
        elif op == "EXIT":
            print("about to leave", file=sys.stderr, flush=True)
            os._exit(3)
        elif op == "KILL":
            os.kill(os.getpid(), 11)
        elif op == "HANG":
            while True:
                time.sleep(0.01)
        elif op == "RAISE":
            raise ValueError(f"no rule for {op}")
        elif op == "QUIT":
            raise SystemExit(5)
        elif op == "HASHED":
            texts.append(" ".join({f"name{index}" for index in range(20)}))
        elif op == "RANDOM":
            texts.append(os.urandom(4).hex())
        elif op == "SETTING":
            texts.append(os.environ.get("FAKE_SETTING", "unset"))
        else:
            return number, op
    return texts[-1]


def replay(record: dict[str, Any], backend: str | None = None, mode: str = "pinned") -> dict[str, Any]:
    backend = backend or record["opts"]["backend"]
    if backend.partition(":")[0] not in backends():
        return {"status": "unsupported", "field": "opts.backend", "message": f"no backend {backend}"}
    try:
        text = _expression(record["ast"])
    except ValueError as error:
        return {"status": "error", "type": "ValueError", "message": str(error)}
    if isinstance(text, tuple):
        return {"status": "unsupported", "field": f"ast[{text[0]}].op", "message": f"unknown op {text[1]}"}
    opts = record["applied_opts"] if mode == "pinned" else [["UPCAST", 0, UPCAST]]
    width = "".join(f"/*{op}{arg}*/" for op, _, arg in opts)
    body = f"return {text};" if backend == "c" else f"ret i32 {text}"
    return {
        "status": "ok",
        "name": record["name"],
        "src": f"int {record['name']}(void) {{\n  {width}{body}\n}}",
        "applied_opts": opts,
        "global_size": None if backend == "c" else [1, 1, 1],
        "local_size": None,
        "vars": [],
        "estimates": {"flops": len(record["ast"])},
        "ms": 0.1,
    }


def optimized_ast(record: dict[str, Any], backend: str | None = None, mode: str = "pinned") -> dict[str, Any]:
    """The opts become the last ops."""
    opts = record["applied_opts"] if mode == "pinned" else [["UPCAST", 0, UPCAST]]
    rows = [*record["ast"], *[[op, "int", [len(record["ast"]) - 1], ["int", arg]] for op, _, arg in opts]]
    return {"status": "ok", "data": {"ast": rows}}


def make_record(
    rows: Rows, name: str, backend: str = "c", source: str | None = None, test: str | None = None
) -> dict[str, Any]:
    """A record as the compiler captures it."""
    record: dict[str, Any] = {
        "schema": SCHEMA,
        "compiler": "core",
        "ast": rows,
        "opts": {"backend": backend, "arch": None},
        "applied_opts": [["UPCAST", 0, 4]],
        "name": name,
        "context": {"NOOPT": 0},
    }
    answer = replay(record)
    record["src"] = answer.get("src", "")
    record["observed"] = {"global_size": None, "local_size": None, "vars": [], "estimates": {"flops": len(rows)}}
    record["provenance"] = {"source": source, "test": test}
    return record


def record_from_text(line: str, backend: str) -> dict[str, Any]:
    """Reverse Polish: `1 2 ADD`."""
    rows: Rows = []
    stack: list[int] = []
    for word in line.split():
        if word.lstrip("-").isdigit():
            row: list[Any] = ["CONST", "int", [], ["int", int(word)]]
        elif word in ARITY or word in ("EXIT", "RAISE", "HANG"):
            count = ARITY.get(word, 0)
            if len(stack) < count:
                raise ParseError(f"{word} needs {count} operands")
            sources = stack[len(stack) - count :]
            del stack[len(stack) - count :]
            row = [word, "int", sources, None]
        else:
            raise ParseError(f"unknown op {word}")
        stack.append(len(rows))
        rows.append(row)
    if len(stack) != 1:
        raise ParseError("not one expression")
    return make_record(rows, "E_" + str(len(rows)), backend)


def ast_nodes(rows: Rows) -> list[list[str]]:
    """Op, dtype and arg of each row."""
    return [[op, dtype, "" if arg is None else str(arg[1])] for op, dtype, _, arg in rows]


def format_ast(rows: Rows) -> str:
    """The rows, one op a word."""
    return " ".join(f"{op}{'' if arg is None else arg[1]}" for op, _, _, arg in rows)


def capture_kernel(record: dict[str, Any]) -> None:
    """What `to_program` does when it captures."""
    importlib.import_module(os.environ.get("PROCESS_REPLAY_SINK", "replay.capture")).sink(record)
