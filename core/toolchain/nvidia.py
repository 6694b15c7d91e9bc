"""NVIDIA's compilers: NVRTC for CUDA C++, ptxas for PTX. Neither needs a GPU or its driver."""

from __future__ import annotations

import functools
import os
import re
import shutil
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import Final

from core.toolchain import batch
from core.toolchain.clang import scratch
from core.toolchain.commands import each, run
from core.toolchain.verdict import ToolchainMissing, Verdict

__all__ = ["NVRTC", "PTXAS", "ptxas_figures"]

_DRIVER: Final = Path(__file__).with_name("nvrtc_driver.py")


def ptxas_figures(log: str) -> dict[str, int]:
    """What ptxas says with `-v`: registers, bytes of spill stores and of shared memory."""
    figures = {}
    for name, pattern in (
        ("registers", r"Used (\d+) registers"),
        ("spills", r"(\d+) bytes spill stores"),
        ("shared_bytes", r"(\d+) bytes smem"),
    ):
        if found := re.search(pattern, log):
            figures[name] = int(found[1])
    if figures:
        figures.setdefault("shared_bytes", 0)
    return figures


def _packaged(package: str, name: str) -> Path | None:
    """The file called `name` of an installed package of PyPI."""
    try:
        listed = files(package) or []
    except PackageNotFoundError:
        return None
    return next((Path(str(file.locate())) for file in listed if file.name == name), None)


@functools.cache
def cuda_headers() -> Path:
    """The folder of cuda_fp16.h. Raises ToolchainMissing."""
    packaged = _packaged("nvidia-cuda-runtime", "cuda_fp16.h")
    folders = [Path(os.environ[name], "include") for name in ("CUDA_PATH", "CUDA_HOME") if os.environ.get(name)]
    folders += [packaged.parent] if packaged else []
    folders.append(Path("/usr/local/cuda/include"))
    for folder in folders:
        if (folder / "cuda_fp16.h").is_file():
            return folder
    raise ToolchainMissing(
        "the headers of CUDA were not found: pip install 'nvidia-cuda-runtime==13.0.*', or set CUDA_PATH"
    )


class NVRTC:
    """NVRTC runs in a process of its own: a crash of it costs one verdict."""

    name = "NVRTC"

    def _command(self) -> list[str]:
        return [sys.executable, str(_DRIVER), str(cuda_headers())]

    def version(self) -> str:
        return f"{self.name} {batch.hello(self._command())}"

    def check(self, sources: Sequence[str], backend: str, arch: str | None) -> list[Verdict]:
        try:
            command = self._command()
        except ToolchainMissing as missing:
            return [Verdict.not_run(self.name, str(missing))] * len(sources)
        return batch.judge(self.name, command, sources, {"arch": arch or "sm_80"}, read_log=ptxas_figures)


class PTXAS:
    """The assembler of PTX, once a source."""

    name = "ptxas"

    @staticmethod
    @functools.cache
    def _find() -> tuple[str, str]:
        packaged = _packaged("nvidia-cuda-nvcc", "ptxas")
        path = shutil.which("ptxas") or (str(packaged) if packaged else None)
        if path is None:
            raise ToolchainMissing(
                "ptxas was not found: pip install 'nvidia-cuda-nvcc==13.0.*', or put CUDA's bin/ on PATH"
            )
        ran = run([path, "--version"])
        found = re.search(r"release ([\d.]+)", ran.output)
        if ran.failure or not found:
            raise ToolchainMissing(f"{path} does not tell its version: {ran.failure or ran.errors.strip()[:200]}")
        return path, found[1]

    def version(self) -> str:
        return f"{self.name} {self._find()[1]}"

    def check(self, sources: Sequence[str], backend: str, arch: str | None) -> list[Verdict]:
        try:
            path, version = self._find()
        except ToolchainMissing as missing:
            return [Verdict.not_run(self.name, str(missing))] * len(sources)
        tool = f"{self.name} {version}"

        def judge(source: str) -> Verdict:
            with scratch() as folder:
                file, target = Path(folder, "kernel.ptx"), Path(folder, "kernel.cubin")
                file.write_text(source)
                ran = run([path, "-v", f"-arch={arch or 'sm_80'}", str(file), "-o", str(target)])
                if ran.failure:
                    return Verdict.not_run(tool, ran.failure)
                if ran.code:
                    return Verdict.refused(tool, (ran.errors + ran.output).replace(str(file), "kernel.ptx"))
                figures = ptxas_figures(ran.errors + ran.output)
                return Verdict(tool, True, "", figures | {"code_bytes": target.stat().st_size})

        return each(judge, sources)
