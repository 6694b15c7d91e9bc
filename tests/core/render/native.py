"""Running rendered sources, with nothing of `core.runtime`: C by a compiler and ctypes, LLVM's IR by llvmlite's JIT."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numpy as np
import pytest
from numpy.typing import NDArray

from core.render.c import CRenderer
from core.render.llvm_half import HALF_LIBRARY

# integers wrap in the sources, and mean to; the parentheses are those that the grammar needs
WARNINGS = ("-Wall", "-Werror", "-Wno-parentheses", "-Wno-overflow", "-Wno-psabi")


@cache
def c_compiler() -> list[str]:
    if named := os.environ.get("CC", "").strip():
        return shlex.split(named)
    for name in ("clang", "gcc", "cc"):
        if path := shutil.which(name):
            return [path]
    if importlib.util.find_spec("ziglang") is not None:
        return [sys.executable, "-m", "ziglang", "clang"]
    if os.environ.get("CI"):
        pytest.fail("no C compiler was found")
    pytest.skip("no C compiler was found; install gcc or clang, or name one in CC")


class Kernels:
    """Compiled functions by name."""

    def __init__(self, addresses: Mapping[str, Any], keep: object) -> None:
        self._addresses, self._keep = addresses, keep

    def __call__(self, name: str, *arguments: NDArray[Any] | int | None) -> None:
        """Arrays are passed as pointers, integers as int, None as a null pointer."""
        types = [ctypes.c_int if isinstance(argument, int) else ctypes.c_void_p for argument in arguments]
        values = [argument.ctypes.data if isinstance(argument, np.ndarray) else argument for argument in arguments]
        ctypes.CFUNCTYPE(None, *types)(self._addresses[name])(*values)


def build_c(sources: Mapping[str, str], warnings: Sequence[str] = WARNINGS) -> Kernels:
    """All sources in one translation unit."""
    renderer_flags = [*CRenderer.compile_flags, *CRenderer.link_flags]
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder, "kernels.c"), Path(folder, "kernels.so")
        source.write_text("".join(sources.values()))
        command = [*c_compiler(), "-O2", "-fPIC", "-shared", *warnings, str(source), "-o", str(library)]
        ran = subprocess.run([*command, *renderer_flags], capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stderr[:4000]
        loaded = ctypes.CDLL(str(library))
    return Kernels({name: ctypes.cast(loaded[name], ctypes.c_void_p).value for name in sources}, loaded)


@cache
def _initialised() -> None:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()


def build_llvm(sources: Mapping[str, str], *, optimise: bool = True, host: bool = True) -> Kernels:
    """All sources in one module, verified, by LLVM's optimiser and code generator.

    `host` is off for a processor that has but the least of its family, and no instructions for halves.
    """
    _initialised()
    target = llvm.Target.from_default_triple()
    features = llvm.get_host_cpu_features().flatten() if host else ""
    machine = target.create_target_machine(
        cpu=llvm.get_host_cpu_name() if host else "", features=features, opt=2, jit=True
    )
    module = llvm.parse_assembly("" if host else HALF_LIBRARY)
    for source in sources.values():
        part = llvm.parse_assembly(source)
        part.verify()
        module.link_in(part)
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    if optimise:
        builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=2))
        builder.getModulePassManager().run(module, builder)
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    return Kernels({name: engine.get_function_address(name) for name in sources}, engine)


BUILDERS = {"c": build_c, "llvm": build_llvm}
