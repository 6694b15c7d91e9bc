"""clang, which accepts C, OpenCL C and HIP C++, and gcc, which stands in for it on C."""

from __future__ import annotations

import functools
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from core.toolchain.commands import Ran, each, first_line, run
from core.toolchain.verdict import ToolchainMissing, Verdict

__all__ = ["CCompiler", "HIPClang", "OpenCLClang", "find_clang"]

INCLUDE: Final = Path(__file__).with_name("include")
OLDEST: Final = 17  # the first that computes with bfloat16s on x86, and rounds them after each op
HOW_TO_INSTALL: Final = f"no clang {OLDEST} or later was found: apt-get install clang-22"
C_FLAGS: Final = ("-fwrapv", "-ffp-contract=off", "-fno-math-errno", "-O2", "-S", "-o", "-")
# a dialect in which the builtins of Intel's extension, which clang does not know, are declared
INTEL_BUILTINS: Final = (
    "float8 __attribute__((overloadable)) intel_sub_group_f16_f16_matrix_mad_k16(int8, int8, float8);\n"
)

_SPILL: Final = re.compile(r"^.*[-\s](\d+)-byte (?:Folded )?Spill", re.MULTILINE)
_INSTRUCTION: Final = re.compile(r"^\t(?!\.)[a-z]", re.MULTILINE)


@functools.cache
def find_clang() -> tuple[tuple[str, ...], str]:
    """(command, version) of the newest clang that is new enough. Raises ToolchainMissing."""
    names = [*[f"clang-{version}" for version in range(40, OLDEST - 1, -1)], "clang"]
    candidates: list[tuple[str, ...]] = [(path,) for name in names if (path := shutil.which(name))]
    if find_spec("ziglang") is not None:
        candidates.append((sys.executable, "-m", "ziglang", "clang"))
    for command in candidates:
        version = _clang_version(command)
        if version and int(version.partition(".")[0]) >= OLDEST:
            return command, f"clang {version}"
    raise ToolchainMissing(HOW_TO_INSTALL)


def _clang_version(command: tuple[str, ...]) -> str:
    found = re.search(r"clang version (\d+[\d.]*)", run([*command, "--version"]).output)
    return found[1] if found else ""


class _Clang:
    """One invocation a source: some hundredths of a second."""

    name: str

    def version(self) -> str:
        return find_clang()[1]

    def check(self, sources: Sequence[str], backend: str, arch: str | None) -> list[Verdict]:
        try:
            command, version = find_clang()
        except ToolchainMissing as missing:
            return [Verdict.not_run(self.name, str(missing))] * len(sources)
        return each(lambda source: self._judge([*command], version, source, backend, arch), sources)

    def _judge(self, command: list[str], version: str, source: str, backend: str, arch: str | None) -> Verdict:
        raise NotImplementedError


def _accepted(tool: str, ran: Ran, figures: dict[str, int]) -> Verdict:
    if ran.failure:
        return Verdict.not_run(tool, ran.failure)
    return Verdict.refused(tool, ran.errors) if ran.code else Verdict(tool, True, "", figures)


def assembly_figures(assembly: str) -> dict[str, int]:
    """Instructions, and bytes that are spilled to the stack, of assembly with the compiler's comments."""
    spilled = sum(int(size) for size in _SPILL.findall(assembly))
    return {"instructions": len(_INSTRUCTION.findall(assembly)), "spills": spilled}


class CCompiler(_Clang):
    """clang for C; the gcc that `core.runtime.clang` would take where there is no clang."""

    name = "clang"

    def version(self) -> str:
        return self._find()[1]

    @staticmethod
    def _find() -> tuple[tuple[str, ...], str]:
        try:
            return find_clang()
        except ToolchainMissing:
            gcc = shutil.which("gcc")
            if gcc is None:
                raise
            return (gcc,), first_line(run([gcc, "--version"]).output)

    def check(self, sources: Sequence[str], backend: str, arch: str | None) -> list[Verdict]:
        try:
            command, version = self._find()
        except ToolchainMissing as missing:
            return [Verdict.not_run(self.name, str(missing))] * len(sources)
        return each(lambda source: self._judge([*command], version, source, backend, arch), sources)

    def _judge(self, command: list[str], version: str, source: str, backend: str, arch: str | None) -> Verdict:
        ran = run([*command, "-x", "c", *C_FLAGS, "-"], source)
        return _accepted(version, ran, assembly_figures(ran.output))


class OpenCLClang(_Clang):
    """clang's front end for OpenCL C 2.0, with the whole library declared."""

    name = "clang -x cl"

    def _judge(self, command: list[str], version: str, source: str, backend: str, arch: str | None) -> Verdict:
        dialect = ["-x", "cl", "-cl-std=CL2.0", "-target", "spir64", "-Xclang", "-finclude-default-header"]
        text = INTEL_BUILTINS + source if backend == "intel" else source
        return _accepted(f"{version} -x cl", run([*command, *dialect, "-fsyntax-only", "-"], text), {})


class HIPClang(_Clang):
    """clang for AMD's GPUs, with a header of what kernels need of HIP's own."""

    name = "clang -x hip"
    # what `-Rpass-analysis=kernel-resource-usage` calls each figure
    _REMARKS: Final = {
        "VGPRs": "registers", "SGPRs": "scalar_registers", "LDS Size [bytes/block]": "shared_bytes",
        "VGPRs Spill": "spills", "Occupancy [waves/SIMD]": "occupancy",
    }  # fmt: skip

    def _judge(self, command: list[str], version: str, source: str, backend: str, arch: str | None) -> Verdict:
        target = [f"--offload-arch={arch or 'gfx1100'}", "--cuda-device-only", "-nogpuinc", "-nogpulib"]
        include = [f"-I{INCLUDE}", "-O2", "-Rpass-analysis=kernel-resource-usage", "-S", "-o", "-"]
        ran = run([*command, "-x", "hip", *target, *include, "-"], source)
        figures = {"instructions": assembly_figures(ran.output)["instructions"]}
        for remark, value in re.findall(r"remark: [^:]*?:?\s+([A-Z][\w \[\]/]*?): (\d+)", ran.errors):
            if remark in self._REMARKS:
                figures[self._REMARKS[remark]] = int(value)
        return _accepted(f"{version} -x hip {arch or 'gfx1100'}", ran, figures)


def scratch() -> tempfile.TemporaryDirectory[str]:
    """A folder for a tool that wants files."""
    return tempfile.TemporaryDirectory(prefix="core-toolchain-", dir=os.environ.get("TMPDIR"))
