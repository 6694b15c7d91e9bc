"""The two checkers of WGSL that browsers use: Dawn's (Tint, of Chromium) and naga (of Firefox)."""

from __future__ import annotations

import functools
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from core.toolchain import batch
from core.toolchain.commands import run
from core.toolchain.verdict import ToolchainMissing, Verdict

__all__ = ["Dawn", "Naga"]

_DAWN_DRIVER: Final = Path(__file__).with_name("dawn_driver.mjs")
_NAGA_DRIVER: Final = Path(__file__).with_name("naga_driver.py")


class Dawn:
    """Dawn with its null backend, through node: all checks, no device."""

    name = "Dawn"

    @staticmethod
    @functools.cache
    def _command() -> tuple[str, ...]:
        node = shutil.which("node")
        if node is None:
            raise ToolchainMissing("node was not found: apt-get install nodejs npm")
        folders = [Path(sys.prefix, "lib/node_modules"), *map(Path, os.environ.get("NODE_PATH", "").split(os.pathsep))]
        if npm := shutil.which("npm"):
            folders.append(Path(run([npm, "root", "--global"]).output.strip() or "."))
        for folder in folders:
            module = folder / "webgpu"
            if (module / "package.json").is_file():
                return (node, str(_DAWN_DRIVER), str(module.resolve()))
        raise ToolchainMissing(
            f"the npm package webgpu was not found: npm install --global --prefix {sys.prefix} webgpu"
        )

    def version(self) -> str:
        return f"{self.name} {batch.hello(self._command())}"

    def check(self, sources: Sequence[str], backend: str, arch: str | None) -> list[Verdict]:
        try:
            command = self._command()
        except ToolchainMissing as missing:
            return [Verdict.not_run(self.name, str(missing))] * len(sources)
        return batch.judge(self.name, command, sources, {})


class Naga:
    """naga, through wgpu. It wants an adapter: a software Vulkan will do."""

    name = "naga"

    def version(self) -> str:
        return f"{self.name} {batch.hello([sys.executable, str(_NAGA_DRIVER)])}"

    def check(self, sources: Sequence[str], backend: str, arch: str | None) -> list[Verdict]:
        return batch.judge(self.name, [sys.executable, str(_NAGA_DRIVER)], sources, {})
