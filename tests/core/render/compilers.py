"""The real compilers of the GPU backends, run on sources without a GPU. What is not installed skips the test.

They need clang 15 or later with the targets SPIR and AMDGPU (Debian: clang-22), and for CUDA `pip install
nvidia-cuda-nvrtc` and the headers of CUDA 12 or later, in `$CUDA_PATH/include` or `/usr/local/cuda/include`.
"""

from __future__ import annotations

import ctypes
import gzip
import importlib.metadata
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from core.compiler import compile_ast
from core.ir.text import parse_uop
from core.render import get_renderer

HEADERS = Path(__file__).parent / "headers"
# the builtins of Intel's extension, which clang does not know
INTEL = "float8 __attribute__((overloadable)) intel_sub_group_f16_f16_matrix_mad_k16(int8, int8, float8);\n"

Compile = Callable[[str], str]
"""Gives what the compiler says of a source that it refuses, or nothing."""


@cache
def _clang() -> str:
    for version in range(30, 14, -1):
        if path := shutil.which(f"clang-{version}"):
            return path
    pytest.skip("no clang-15 or later was found; on Debian, apt-get install clang-22")


def _run_clang(source: str, *arguments: str) -> str:
    command = [_clang(), *arguments, "-Wall", "-Werror", "-Wno-parentheses", "-Wno-unused-variable", "-"]
    ran = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
    return ran.stderr if ran.returncode else ""


def opencl(source: str) -> str:
    language = ("-x", "cl", "-cl-std=CL1.2", "-target", "spir64", "-Xclang", "-finclude-default-header")
    return _run_clang(source, *language, "-fsyntax-only")


def intel(source: str) -> str:
    return opencl(INTEL + source)


def hip(arch: str) -> Compile:
    language = ("-x", "hip", f"--offload-arch={arch}", "--cuda-device-only", "-nogpuinc", "-nogpulib")
    return lambda source: _run_clang(source, *language, f"-I{HEADERS}", "-O1", "-S", "-o", os.devnull)


@cache
def _nvrtc() -> ctypes.CDLL:
    try:
        files = importlib.metadata.files("nvidia-cuda-nvrtc") or []
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("no NVRTC was found; pip install nvidia-cuda-nvrtc")
    libraries = {file.name.partition(".")[0]: str(file.locate()) for file in files if ".so" in file.name}
    ctypes.CDLL(libraries["libnvrtc-builtins"], mode=ctypes.RTLD_GLOBAL)
    return ctypes.CDLL(libraries["libnvrtc"])


@cache
def _cuda_headers() -> Path:
    folder = Path(os.environ.get("CUDA_PATH", "/usr/local/cuda"), "include")
    if not (folder / "cuda_fp16.h").exists():
        pytest.skip(f"{folder} has no cuda_fp16.h; install the headers of CUDA, or name its folder in CUDA_PATH")
    return folder


def cuda(arch: str) -> Compile:
    library, folder = _nvrtc(), _cuda_headers()
    options = [f"-arch={arch}".encode(), f"-I{folder}".encode(), f"-I{folder / 'cccl'}".encode()]

    def compile_source(source: str) -> str:
        program, size = ctypes.c_void_p(), ctypes.c_size_t()
        assert library.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"kernel.cu", 0, None, None) == 0
        failed = library.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
        library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        library.nvrtcGetProgramLog(program, log)
        library.nvrtcDestroyProgram(ctypes.byref(program))
        return f"error {failed}: {log.value.decode()}" if failed else ""

    return compile_source


def refused(backend: str, compile_source: Compile, shared_data: Path, count: int, *, images: bool = False) -> list[str]:
    """What the compiler says of those of `count` real kernels, optimised for `backend`, that it refuses."""
    renderer = get_renderer(backend)
    complaints = []
    for line, text in _real_asts(shared_data, count, images):
        complaint = compile_source(compile_ast(parse_uop(text), renderer, name_override=f"k{line}").src)
        if complaint:
            complaints.append(f"line {line}: {complaint[:1000]}")
    return complaints


def _real_asts(shared_data: Path, count: int, images: bool) -> Iterator[tuple[int, str]]:
    with gzip.open(shared_data / "asts.txt.gz", "rt") as stream:
        texts = [(line, text.strip()) for line, text in enumerate(stream) if ("dtypes.image" in text) == images]
    for position in np.random.default_rng(count).permutation(len(texts))[:count]:
        yield texts[position]
