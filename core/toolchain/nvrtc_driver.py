"""A process that compiles CUDA C++ with NVRTC: `python nvrtc_driver.py HEADERS`, JSON lines in and out.

It stands alone: nothing of `core` is imported, so that it starts at once.
"""

from __future__ import annotations

import ctypes
import importlib.metadata
import json
import sys
from pathlib import Path
from typing import Any

HOW_TO_INSTALL = "NVRTC is missing: pip install 'nvidia-cuda-nvrtc==13.0.*'"


def load() -> ctypes.CDLL:
    """NVRTC's library, with that of its builtins, which it does not find by itself. Raises OSError."""
    try:
        files = importlib.metadata.files("nvidia-cuda-nvrtc") or []
    except importlib.metadata.PackageNotFoundError:
        raise OSError(HOW_TO_INSTALL) from None
    libraries = {file.name.partition(".")[0]: str(file.locate()) for file in files if ".so" in file.name}
    ctypes.CDLL(libraries["libnvrtc-builtins"], mode=ctypes.RTLD_GLOBAL)
    return ctypes.CDLL(libraries["libnvrtc"])


def compile_source(library: ctypes.CDLL, source: str, options: list[bytes]) -> tuple[int, str, int]:
    """(result code, log, bytes of the cubin)."""
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    library.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"kernel.cu", 0, None, None)
    code = library.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
    library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    library.nvrtcGetProgramLog(program, log)
    built = 0
    if code == 0:
        library.nvrtcGetCUBINSize(program, ctypes.byref(size))
        built = size.value
    library.nvrtcDestroyProgram(ctypes.byref(program))
    return code, log.value.decode(errors="replace"), built


def answer(library: ctypes.CDLL, headers: Path, request: dict[str, Any]) -> dict[str, Any]:
    folders = [f"-I{folder}".encode() for folder in (headers, headers / "cccl") if folder.is_dir()]
    options = [f"-arch={request['arch']}".encode(), *folders, b"-Xptxas=-v", b"--fmad=false"]
    code, log, size = compile_source(library, request["source"], options)
    if code:
        return {"accepted": False, "message": log or f"error {code}"}
    return {"accepted": True, "figures": {"code_bytes": size}, "log": log}


def main() -> None:
    try:
        library = load()
    except (OSError, KeyError) as error:
        print(json.dumps({"missing": str(error)}), flush=True)
        return
    major, minor = ctypes.c_int(), ctypes.c_int()
    library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
    print(json.dumps({"version": f"{major.value}.{minor.value}"}), flush=True)
    headers = Path(sys.argv[1])
    for line in sys.stdin:
        print(json.dumps(answer(library, headers, json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
