"""The process that compiles records with one revision. Run by `executor`; speaks the protocol of `wire`.

The harness's own modules are imported before the revision's tree comes first on the import path. Standard output
belongs to the protocol: what the compiler prints goes to standard error. A worker ends when its standard input does,
and an alarm ends it should it still hang on a record, or on an import, when nobody is left to kill it.
"""

import os
import resource
import signal
import sys
import traceback
from collections.abc import Mapping
from pathlib import Path
from types import FrameType
from typing import Any, BinaryIO

from replay import record, wire
from replay.adapters import Adapter, get_adapter
from replay.errors import RecordError

__all__ = ["main"]

ORPHAN_SECONDS = 10.0
IMPORT_SECONDS = 120.0 + ORPHAN_SECONDS  # more than an owner waits


def main() -> int:
    """`worker ADAPTER ROOT MEMORY`: say hello, then answer requests until standard input ends.

    MEMORY is how many bytes of address space the process may have; 0 for no limit.
    """
    requests, answers = _private_streams()
    adapter, root = get_adapter(sys.argv[1]), Path(sys.argv[2])
    if adapter is None:
        raise SystemExit(f"no adapter is called {sys.argv[1]!r}")
    if limit := int(sys.argv[3]):
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    signal.setitimer(signal.ITIMER_REAL, IMPORT_SECONDS)
    try:
        schema, backends = adapter.load(root)
    except BaseException as error:  # a module may raise anything while it is imported, SystemExit included
        _send(answers, _import_failure(error, root))
        return 1
    signal.setitimer(signal.ITIMER_REAL, 0)
    _send(answers, wire.Hello(schema, backends))
    while (request := _receive(requests)) is not None:
        signal.setitimer(signal.ITIMER_REAL, request.timeout + ORPHAN_SECONDS)
        answer = _perform(adapter, request, schema)
        signal.setitimer(signal.ITIMER_REAL, 0)
        _write(answers, answer)
    return 0


def _private_streams() -> tuple[BinaryIO, BinaryIO]:
    """Keep the pipes to ourselves, and leave the compiler an empty input and standard error as its output."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return requests, answers


def _perform(adapter: Adapter, request: wire.Request, schema: int) -> bytes:
    try:
        inputs = record.migrate(record.decode_inputs(request.record), schema)
    except RecordError as error:
        return wire.frame({"status": "unsupported", "field": error.field, "message": error.reason})
    try:
        if request.action == "watch":
            return wire.frame({"status": "ok", "data": _watch(adapter, request, inputs)})
        return wire.frame(adapter.perform(request.action, inputs, request.backend, request.mode, request.options))
    except BaseException as error:  # the code under test: whatever it raises is the result, and the worker goes on
        return wire.frame(
            {
                "status": "error",
                "type": type(error).__name__,
                "message": str(error).encode("utf-8", "backslashreplace").decode(),
            }
        )


def _watch(adapter: Adapter, request: wire.Request, inputs: Mapping[str, Any]) -> dict[str, list[int]]:
    """Compile, and say which lines of the files in the request's options ran. Paths are from the tree's root."""
    root = Path(sys.argv[2])
    names = {str(root / name): str(name) for name in request.options["files"]}
    lines: dict[str, set[int]] = {name: set() for name in names.values()}

    def trace(frame: FrameType, event: str, _: object) -> Any:
        name = names.get(frame.f_code.co_filename)
        if name is None:
            return None
        if event == "line":
            lines[name].add(frame.f_lineno)
        return trace

    sys.settrace(trace)
    try:
        adapter.perform("replay", inputs, request.backend, request.mode, {})
    finally:
        sys.settrace(None)
    return {name: sorted(found) for name, found in lines.items()}


def _import_failure(error: BaseException, root: Path) -> wire.Failure:
    last = traceback.format_exception_only(error)[-1].strip()
    places = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    if isinstance(error, SyntaxError):
        places.append((error.filename or "", error.lineno))
    inside = [(name, line) for name, line in places if name.startswith(f"{root}{os.sep}")]
    where = f"{os.path.relpath(inside[-1][0], root)}:{inside[-1][1]}" if inside else ""
    return wire.Failure(last.encode("utf-8", "backslashreplace").decode(), where)


def _receive(stream: BinaryIO) -> wire.Request | None:
    head = stream.read(wire.LENGTH.size)
    if len(head) < wire.LENGTH.size:
        return None
    data = stream.read(wire.frame_length(head))
    request: wire.Request = wire.decode(data, wire.Request)
    return request


def _send(stream: BinaryIO, message: object) -> None:
    _write(stream, wire.frame(message))


def _write(stream: BinaryIO, data: bytes) -> None:
    stream.write(data)
    stream.flush()
