"""The real compilers of the backends' languages, as judges of the sources: none needs a device.

`check` has each source judged by every toolchain of its backend. A tool that is missing, too old or crashes says so in
its verdict (`accepted` None), and that is never an acceptance.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

from core.toolchain.clang import CCompiler, HIPClang, OpenCLClang
from core.toolchain.llvm import LLVM
from core.toolchain.nvidia import NVRTC, PTXAS
from core.toolchain.verdict import Toolchain, ToolchainMissing, Verdict
from core.toolchain.webgpu import Dawn, Naga

__all__ = ["NONE", "Found", "Toolchain", "ToolchainMissing", "Verdict", "check", "found", "toolchains"]

NONE = {
    "metal": "Apple's compiler runs on macOS only",
    "python": "the source is a listing that the emulator runs",
}
"""The backends that no real compiler judges here, and why."""


@dataclass(frozen=True, slots=True)
class Found:
    """Whether the sources of a backend can be judged here. `detail` names the tools, or says how to get them."""

    ok: bool
    detail: str


@functools.cache
def _toolchains() -> dict[str, tuple[Toolchain, ...]]:
    opencl = OpenCLClang()
    return {
        "c": (CCompiler(),),
        "llvm": (LLVM(),),
        "opencl": (opencl,),
        "intel": (opencl,),
        "qcom": (opencl,),
        "cuda": (NVRTC(),),
        "ptx": (PTXAS(),),
        "hip": (HIPClang(),),
        "wgsl": (Dawn(), Naga()),
    }


def toolchains(backend: str) -> tuple[Toolchain, ...]:
    """The judges of a backend, given by its name without architecture; none for those in `NONE`."""
    return _toolchains().get(backend, ())


def check(backend: str, sources: Sequence[str]) -> list[list[Verdict]]:
    """For each source of `backend` (NAME or NAME:ARCH) the verdict of every toolchain."""
    family, _, arch = backend.partition(":")
    judges = toolchains(family)
    if not judges:
        reason = NONE.get(family, "no toolchain is known for it")
        return [[Verdict.not_run(family, reason)] for _ in sources]
    columns = [judge.check(sources, family, arch or None) for judge in judges]
    return [list(row) for row in zip(*columns, strict=True)]


def found(backend: str) -> Found:
    """What is on this machine for a backend."""
    judges = toolchains(backend)
    if not judges:
        return Found(False, NONE.get(backend, "no toolchain is known for it"))
    details, ok = [], True
    for judge in judges:
        try:
            details.append(judge.version())
        except ToolchainMissing as missing:
            ok = False
            details.append(str(missing))
    return Found(ok, "; ".join(details))
