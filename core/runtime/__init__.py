"""Ways to run what a backend renders on this machine's CPU, and the reference interpreter of ASTs."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from core.errors import RuntimeFailure
from core.runtime.base import Runtime

__all__ = ["Availability", "Runtime", "available", "get_runtime", "runtime_backends"]


@functools.cache
def _runtimes() -> dict[str, Runtime]:
    # here, so that the interpreter can be imported without any backend
    from core.runtime.clang import ClangRuntime
    from core.runtime.emulator import PythonRuntime, StandIn
    from core.runtime.llvm import LLVMRuntime
    from core.runtime.opencl import OpenCLRuntime
    from core.runtime.simt import SIMTRuntime
    from core.runtime.webgpu import WebGPURuntime

    opencl = [OpenCLRuntime(backend) for backend in ("opencl", "intel", "qcom")]
    simt = [SIMTRuntime(backend) for backend in ("metal", "cuda", "hip")]
    runtimes: list[Runtime] = [ClangRuntime(), LLVMRuntime(), *opencl, *simt]
    runtimes += [StandIn("ptx"), WebGPURuntime(), PythonRuntime()]
    return {runtime.backend: runtime for runtime in runtimes}


@dataclass(frozen=True, slots=True)
class Availability:
    """Whether programs of a backend run here. `detail` is the version of what runs them, or how to get it."""

    ok: bool
    detail: str


def get_runtime(backend: str) -> Runtime:
    """The runtime of the backend `backend`. Raises RuntimeFailure when this revision runs none of its programs."""
    runtimes = _runtimes()
    if backend not in runtimes:
        raise RuntimeFailure(f"programs of backend {backend!r} are not run here; those of {', '.join(runtimes)} are")
    return runtimes[backend]


def runtime_backends() -> list[str]:
    """The backends that have a runtime, be it usable on this machine or not."""
    return list(_runtimes())


def available() -> dict[str, Availability]:
    """For each backend that has a runtime: whether what it needs is on this machine."""
    found = {}
    for backend, runtime in _runtimes().items():
        try:
            found[backend] = Availability(True, runtime.version())
        except RuntimeFailure as failure:
            found[backend] = Availability(False, str(failure))
    return found
