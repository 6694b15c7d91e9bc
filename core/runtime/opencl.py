"""Backend `opencl`, and `intel` and `qcom` as far as they are plain OpenCL: by an OpenCL runtime for the CPU.

pyopencl finds the runtimes that the system's `.icd` files name. Intel's from PyPI brings one with a placeholder in it,
so without `OCL_ICD_VENDORS` a right one is written and named for this process.
"""

from __future__ import annotations

import functools
import os
import sys
import tempfile
import warnings
from collections.abc import Mapping
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from core.dtype import ImageDType
from core.errors import RuntimeFailure
from core.runtime.base import checked_buffer, parameters, scalar_argument
from core.runtime.emulator.grid import Grid

if TYPE_CHECKING:
    from core.ir.uop import UOp
    from core.render.program import ProgramSpec

__all__ = ["OpenCLRuntime"]

HOW_TO_INSTALL: Final = (
    "an OpenCL runtime for the CPU is missing: pip install pyopencl intel-opencl-rt intel-cmplr-lib-rt, "
    "or apt-get install pocl-opencl-icd"
)
BUILD_OPTIONS: Final = ("-cl-std=CL2.0", "-cl-fp32-correctly-rounded-divide-sqrt")
# there is no build option for it: a product must not be fused with a sum
NO_CONTRACTION: Final = "#pragma OPENCL FP_CONTRACT OFF\n"
MAX_PROGRAMS: Final = 256


def _name_intels_runtime() -> None:
    """Point the loader at the runtime that pip installed."""
    if os.environ.get("OCL_ICD_VENDORS") or os.environ.get("OCL_ICD_FILENAMES"):
        return
    library = Path(sys.prefix, "lib", "libintelocl.so")
    if library.is_file():
        folder = Path(tempfile.mkdtemp(prefix="core-icd-"))
        Path(folder, "intel.icd").write_text(f"{library}\n", encoding="utf-8")
        os.environ["OCL_ICD_VENDORS"] = str(folder)


@functools.cache
def _context() -> tuple[Any, Any, str]:
    """(pyopencl, a context on the CPU, its version). Raises RuntimeFailure."""
    _name_intels_runtime()
    try:
        import pyopencl
    except ImportError:
        raise RuntimeFailure(HOW_TO_INSTALL) from None
    try:
        platforms = pyopencl.get_platforms()
        devices = [device for platform in platforms for device in platform.get_devices(pyopencl.device_type.CPU)]
    except pyopencl.Error:
        devices = []
    if not devices:
        raise RuntimeFailure(HOW_TO_INSTALL)
    device = max(devices, key=lambda found: "cl_khr_fp16" in found.extensions)
    return pyopencl, pyopencl.Context([device]), f"{device.platform.name} {device.driver_version}"


@functools.lru_cache(maxsize=MAX_PROGRAMS)
def _program(source: str) -> Any:
    pyopencl, context, _ = _context()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", pyopencl.CompilerWarning)  # that there was any output, errors or not
            program = pyopencl.Program(context, NO_CONTRACTION + source)
            return program.build(options=list(BUILD_OPTIONS), cache_dir=False)
    except pyopencl.Error as error:
        raise RuntimeFailure(f"OpenCL refuses the source: {' '.join(str(error).split())[:1000]}") from None


class OpenCLRuntime:
    """Runs programs of one of the backends that write OpenCL C."""

    def __init__(self, backend: str = "opencl") -> None:
        self.backend = backend

    def version(self) -> str:
        return _context()[2]

    def run(
        self, program: ProgramSpec, buffers: Mapping[int, NDArray[Any]], variables: Mapping[str, int] | None = None
    ) -> None:
        pyopencl, context, _ = _context()
        pointers, names = parameters(program)
        arrays = [checked_buffer(program, pointer, buffers, images=True) for pointer in pointers]
        memory = [_upload(pyopencl, context, pointer, array) for pointer, array in zip(pointers, arrays, strict=True)]
        kernel = pyopencl.Kernel(_program(program.src), program.function_name)
        kernel.set_args(*memory, *[scalar_argument(variable, variables) for variable in names])
        grid = Grid.of(program.uops, variables or {})
        shapes = zip_longest(grid.blocks, grid.threads, fillvalue=1)
        size, threads = zip(*[(count * width, width) for count, width in shapes], strict=True)
        try:
            with pyopencl.CommandQueue(context) as queue:
                pyopencl.enqueue_nd_range_kernel(queue, kernel, size, threads)
                for pointer, array, held in zip(pointers, arrays, memory, strict=True):
                    if pointer.arg in program.outs:
                        _download(pyopencl, queue, pointer, array, held)
        except pyopencl.Error as error:
            raise RuntimeFailure(f"kernel {program.name} cannot be run: {error}") from None


def _upload(pyopencl: Any, context: Any, pointer: UOp, array: NDArray[Any]) -> Any:
    flags = pyopencl.mem_flags.READ_WRITE | pyopencl.mem_flags.COPY_HOST_PTR
    dtype = pointer.dtype
    if not isinstance(dtype, ImageDType):
        return pyopencl.Buffer(context, flags, hostbuf=array if array.size else np.zeros(1, array.dtype))
    kind = pyopencl.channel_type.HALF_FLOAT if dtype.itemsize == 2 else pyopencl.channel_type.FLOAT
    height, width = dtype.shape[:2]
    format_ = pyopencl.ImageFormat(pyopencl.channel_order.RGBA, kind)
    return pyopencl.Image(context, flags, format_, shape=(width, height), hostbuf=array)


def _download(pyopencl: Any, queue: Any, pointer: UOp, array: NDArray[Any], held: Any) -> None:
    dtype = pointer.dtype
    if isinstance(dtype, ImageDType):
        pyopencl.enqueue_copy(queue, array, held, origin=(0, 0), region=(dtype.shape[1], dtype.shape[0]))
    elif array.size:
        pyopencl.enqueue_copy(queue, array, held)
