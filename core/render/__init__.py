"""From linear programs to source text, one module a backend. Rendering opens no device."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from core.errors import RenderError
from core.render.base import Renderer
from core.render.c import CRenderer
from core.render.cuda import CUDARenderer
from core.render.hip import HIPRenderer
from core.render.llvm import LLVMRenderer
from core.render.metal import MetalRenderer
from core.render.opencl import IntelRenderer, OpenCLRenderer, QCOMRenderer
from core.render.ptx import PTXRenderer
from core.render.python import PythonRenderer
from core.render.wgsl import WGSLRenderer

__all__ = ["BACKENDS", "get_renderer"]

BACKENDS: Final[Mapping[str, type[Renderer]]] = MappingProxyType(
    {
        renderer.name: renderer
        for renderer in (
            CRenderer,
            LLVMRenderer,
            OpenCLRenderer,
            IntelRenderer,
            QCOMRenderer,
            MetalRenderer,
            CUDARenderer,
            PTXRenderer,
            HIPRenderer,
            WGSLRenderer,
            PythonRenderer,
        )
    }
)
"""Every backend by its name."""


@lru_cache(maxsize=64)
def get_renderer(backend: str) -> Renderer:
    """The renderer of `NAME` or `NAME:ARCH`. Raises RenderError for a backend or architecture that does not exist."""
    name, _, arch = backend.partition(":")
    renderer = BACKENDS.get(name)
    if renderer is None:
        raise RenderError(repr(name), "anything", f"there is no such backend; choose from {', '.join(BACKENDS)}")
    return renderer(arch if ":" in backend else None)
