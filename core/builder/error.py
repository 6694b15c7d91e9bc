"""What the builder raises."""

from __future__ import annotations

from core.errors import CompileError

__all__ = ["BuildError"]


class BuildError(CompileError):
    """An expression whose shapes or dtypes do not fit, or that one kernel cannot compute."""
