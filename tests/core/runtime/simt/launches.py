"""Launches of hand-made programs on a backend's fibers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from core.ir.uop import UOp
from core.render import get_renderer
from core.render.program import ProgramSpec
from core.runtime import get_runtime
from tests.core.runtime.machine import usable_runtime

__all__ = ["BACKENDS", "launch"]

BACKENDS = ("cuda", "hip", "metal")


def launch(
    backend: str, uops: Sequence[UOp], *arrays: np.ndarray, rewrite: Callable[[str], str] = lambda source: source
) -> None:
    """Render `uops` for a backend (`hip`, `hip:gfx942`), change the source, and run it on buffers 0 and up."""
    family = backend.partition(":")[0]
    usable_runtime(family)
    source = rewrite(get_renderer(backend).render("k", uops))
    program = ProgramSpec("k", source, family, tuple(uops), has_local=True)
    get_runtime(family).run(program, dict(enumerate(arrays)))
