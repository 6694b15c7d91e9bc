"""Backend `c`: the source is built by the system's compiler as a shared library and called through ctypes."""

from __future__ import annotations

import ctypes
import functools
import hashlib
import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from numpy.typing import NDArray

from core.errors import RuntimeFailure
from core.render.c import CRenderer
from core.runtime.base import arguments, signature

if TYPE_CHECKING:
    from core.render.program import ProgramSpec

__all__ = ["ClangRuntime", "build_library", "find_compiler"]

FLAGS: Final = ("-O1", "-fPIC", "-shared")
TIMEOUT_S: Final = 120
HOW_TO_INSTALL: Final = (
    "no C compiler was found: install clang or gcc (apt-get install clang), or `pip install ziglang`, "
    "or name one in the environment variable CC"
)


@functools.cache
def _working(command: tuple[str, ...]) -> str | None:
    """The first line that `command --version` prints, or None where it cannot be run."""
    try:
        ran = subprocess.run([*command, "--version"], capture_output=True, timeout=TIMEOUT_S, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return ran.stdout.decode(errors="replace").strip().partition("\n")[0]


@functools.cache
def _knows_half(command: tuple[str, ...]) -> bool:
    """Whether the compiler has _Float16: clang does from version 15 on, gcc from 12."""
    line = [*command, "-x", "c", "-fsyntax-only", "-"]
    try:
        ran = subprocess.run(line, input=b"_Float16 half;", capture_output=True, timeout=TIMEOUT_S, check=False)
    except (OSError, subprocess.SubprocessError):
        return False
    return ran.returncode == 0


def find_compiler() -> tuple[tuple[str, ...], str]:
    """(command, version) of $CC, or of the first of clang, gcc, cc and ziglang's clang that runs and has halves; of the
    first that runs if none of them has.

    Raises RuntimeFailure when none does, or when $CC names one that does not.
    """
    if named := os.environ.get("CC", "").strip():
        command = tuple(shlex.split(named))
        version = _working(command)
        if version is None:
            raise RuntimeFailure(f"the environment variable CC names {named!r}, which cannot be run")
        return command, version

    candidates: list[tuple[str, ...]] = [(path,) for name in ("clang", "gcc", "cc") if (path := shutil.which(name))]
    if importlib.util.find_spec("ziglang") is not None:
        candidates.append((sys.executable, "-m", "ziglang", "clang"))
    found = [(command, version) for command in candidates if (version := _working(command))]
    if not found:
        raise RuntimeFailure(HOW_TO_INSTALL)
    return next((one for one in found if _knows_half(one[0])), found[0])


_libraries: dict[str, ctypes.CDLL] = {}


def build_library(source: str, flags: Sequence[str] = ()) -> ctypes.CDLL:
    """`source` compiled and loaded. The same source is built once in a process.

    `flags` are added to the renderer's own. Raises RuntimeFailure with the compiler's first error.
    """
    command, _ = find_compiler()
    options = (*FLAGS, *CRenderer.compile_flags, *flags)
    digest = hashlib.blake2b("\0".join([*command, *options, source]).encode(), digest_size=16).hexdigest()
    library = _libraries.get(digest)
    if library is None:
        library = _libraries[digest] = _build([*command, *options], source)
    return library


def _build(command: list[str], source: str) -> ctypes.CDLL:
    with tempfile.TemporaryDirectory(prefix="core-c-") as folder:
        target = Path(folder, "kernel.so")
        line = [*command, "-x", "c", "-", "-o", str(target), *CRenderer.link_flags]
        try:
            ran = subprocess.run(line, input=source.encode(), capture_output=True, timeout=TIMEOUT_S, check=False)
        except subprocess.TimeoutExpired:
            raise RuntimeFailure(f"{command[0]} did not finish within {TIMEOUT_S} seconds") from None
        except OSError as error:
            raise RuntimeFailure(f"{command[0]} cannot be run: {error.strerror}") from None
        if ran.returncode != 0:
            raise RuntimeFailure(
                f"{command[0]} refuses the source: {_first_error(ran.stderr.decode(errors='replace'))}"
            )
        try:
            return ctypes.CDLL(str(target))  # stays mapped when the file is gone
        except OSError as error:
            raise RuntimeFailure(f"what {command[0]} built cannot be loaded: {error}") from None


def _first_error(printed: str) -> str:
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    return next((line for line in lines if "error" in line.lower()), lines[0] if lines else "it says nothing")


class ClangRuntime:
    """Runs programs of backend `c`."""

    backend = "c"

    def version(self) -> str:
        return find_compiler()[1]

    def run(
        self, program: ProgramSpec, buffers: Mapping[int, NDArray[Any]], variables: Mapping[str, int] | None = None
    ) -> None:
        given = arguments(program, buffers, variables)
        library = build_library(program.src)
        try:
            function = library[program.function_name]
        except AttributeError:
            raise RuntimeFailure(f"the source does not define the function {program.function_name}") from None
        function.argtypes, function.restype = signature(program), None
        function(*given)
