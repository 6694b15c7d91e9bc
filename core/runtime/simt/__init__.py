"""Backends `cuda`, `hip` and `metal` on a CPU: their sources, unchanged, as C++ for clang, with headers of our own.

`include/` has the part of each language that kernels use, `driver.cpp` runs the threads. What this shows is that the
source means what it should; whether the vendor's compiler takes it is for `core.toolchain` to say.
"""

from core.runtime.simt.runtime import SIMTRuntime

__all__ = ["SIMTRuntime"]
