"""Building the driver, and kernels to be run by it. Both are built once in a process."""

from __future__ import annotations

import ctypes
import functools
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from core.errors import RuntimeFailure
from core.toolchain.clang import find_clang
from core.toolchain.verdict import ToolchainMissing

__all__ = ["compiler", "driver", "kernel_library"]

HERE: Final = Path(__file__).parent
INCLUDE: Final = HERE / "include"
TIMEOUT_S: Final = 120
MAX_LIBRARIES: Final = 256
# floats round after each op, halves too; integers wrap; an access outside of an array, and one of a vector that does
# not lie at a multiple of its size, end the run
FLAGS: Final = (
    "-x", "c++", "-std=c++17", "-O1", "-fPIC", "-shared", "-w", "-Wno-c++11-narrowing", "-fwrapv", "-ffp-contract=off",
    "-fno-strict-aliasing", "-fno-exceptions", "-fno-rtti", "-nostdlib++",
    "-Xclang", "-ffloat16-excess-precision=none", "-Xclang", "-fbfloat16-excess-precision=none",
    "-fsanitize=bounds,alignment", "-fsanitize-trap=bounds", "-fno-sanitize-recover=alignment",
    "-fno-sanitize-link-runtime",
)  # fmt: skip


def compiler() -> tuple[tuple[str, ...], str]:
    """(command, version) of a clang that has halves and bfloat16s. Raises RuntimeFailure."""
    try:
        return find_clang()
    except ToolchainMissing as missing:
        raise RuntimeFailure(str(missing)) from None


def _build(source: str, arguments: Sequence[str], mode: int = ctypes.DEFAULT_MODE) -> ctypes.CDLL:
    command, _ = compiler()
    with tempfile.TemporaryDirectory(prefix="core-simt-") as folder:
        target = Path(folder, "kernel.so")
        line = [*command, *FLAGS, f"-I{INCLUDE}", *arguments, "-", "-o", str(target)]
        try:
            ran = subprocess.run(line, input=source.encode(), capture_output=True, timeout=TIMEOUT_S, check=False)
        except subprocess.TimeoutExpired:
            raise RuntimeFailure(f"{command[0]} did not finish within {TIMEOUT_S} seconds") from None
        if ran.returncode != 0:
            printed = ran.stderr.decode(errors="replace").strip()
            raise RuntimeFailure(f"{command[0]} refuses the source: {' '.join(printed.split())[:1000]}")
        return ctypes.CDLL(str(target), mode)


@functools.cache
def driver() -> ctypes.CDLL:
    """The driver, whose symbols the kernels find."""
    return _build((HERE / "driver.cpp").read_text(encoding="utf-8"), ("-fno-sanitize=all",), ctypes.RTLD_GLOBAL)


@functools.lru_cache(maxsize=MAX_LIBRARIES)
def kernel_library(source: str, entry: str, header: str) -> ctypes.CDLL:
    """`source` with the function `entry` after it, which the driver calls. `header` is included before."""
    driver()
    return _build(f"{source}\n{entry}\n", ("-include", header))
