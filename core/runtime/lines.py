"""The lines of a file that may be hostile, gzipped or endless: each with its number, bounded in length."""

from __future__ import annotations

import gzip
import json
import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any, Final

from core.errors import CompileError, ParseError
from core.ir.limits import MAX_TEXT

__all__ = ["Line", "UnreadableFileError", "numbered_lines", "read_json_object"]

MAX_LINE: Final = MAX_TEXT + 4096  # bytes: the longest AST, and the JSON around it
GZIP_MAGIC: Final = b"\x1f\x8b"


class UnreadableFileError(CompileError):
    """A file is missing, not readable, or damaged from some point on."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line that is not blank. `index` counts from 0, blank lines included; `file` is the name to show."""

    file: str
    index: int
    raw: bytes

    def __str__(self) -> str:
        """Where the line stands, counted from 1 as editors do."""
        return f"{self.file}:{self.index + 1}"

    def text(self) -> str:
        """Raises ParseError when the line is too long or not UTF-8."""
        if len(self.raw) > MAX_LINE:
            raise ParseError(f"the line has more than {MAX_LINE} bytes; split it up or leave it out")
        try:
            return self.raw.decode()
        except UnicodeDecodeError as error:
            raise ParseError(f"byte {error.start} of the line is not UTF-8") from None


def numbered_lines(path: str) -> Iterator[Line]:
    """The lines of the file `path`, or of standard input for `-`; of what gzip packed, the unpacked ones.

    Of a line that is too long only the start is kept; `Line.text` refuses it. Raises UnreadableFileError when the file
    cannot be opened, and after the lines that could be read when the rest of it cannot.
    """
    name = "standard input" if path == "-" else path
    try:
        if path == "-":
            yield from _lines(name, sys.stdin.buffer)
        else:
            with open(path, "rb") as stream:
                yield from _lines(name, stream)
    except (OSError, EOFError, zlib.error) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise UnreadableFileError(f"{name} cannot be read: {reason}") from None


def _lines(name: str, stream: IO[bytes]) -> Iterator[Line]:
    packed = stream.peek(2)[:2] == GZIP_MAGIC  # type: ignore[attr-defined]
    source: Any = gzip.GzipFile(fileobj=stream) if packed else stream
    index = 0
    while raw := source.readline(MAX_LINE + 1):
        rest = raw
        while len(rest) > MAX_LINE and not rest.endswith(b"\n"):
            rest = source.readline(MAX_LINE + 1)
        if stripped := raw.strip():
            yield Line(name, index, stripped if len(raw) <= MAX_LINE else raw)
        index += 1


def read_json_object(text: str) -> dict[str, Any]:
    """The JSON object that is `text`. Raises ParseError."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise ParseError(f"no JSON: {error.msg} at column {error.colno}") from None
    except (ValueError, RecursionError):
        raise ParseError("no JSON that can be read: a number is too long, or lists are nested too deeply") from None
    if not isinstance(value, dict):
        raise ParseError(f"a JSON object was expected, not {type(value).__name__}")
    return value
