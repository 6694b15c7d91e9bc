"""What lowering asks of a backend. Every `core.render` Renderer answers it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from core.ir.ops import Ops
from core.ir.pattern import PatternMatcher

__all__ = ["LoweringTarget"]


class LoweringTarget(Protocol):
    """The limits and the ops of a backend."""

    def __hash__(self) -> int: ...

    @property
    def has_local(self) -> bool:
        """Whether kernels are launched over global and local dimensions."""

    @property
    def slow_division(self) -> bool:
        """Whether dividing integers costs much more than shifting and multiplying them."""

    @property
    def supports_float4(self) -> bool:
        """Whether several consecutive elements can be loaded or stored at once."""

    @property
    def max_vector(self) -> int:
        """The most elements that one load or store has."""

    @property
    def has_images(self) -> bool:
        """Whether images are read and written, four elements at a time."""

    @property
    def global_max(self) -> tuple[int, ...] | None:
        """The greatest launch dimensions, in groups; None for no limit."""

    @property
    def local_max(self) -> tuple[int, ...] | None:
        """The greatest dimensions of a group, in threads; None for no limit."""

    @property
    def code_for_op(self) -> Mapping[Ops, Callable[..., Any]]:
        """The ALU ops that the backend has are the keys."""

    @property
    def pre_matcher(self) -> PatternMatcher | None:
        """Rules of the backend applied before decomposition."""

    @property
    def extra_matcher(self) -> PatternMatcher | None:
        """Rules of the backend applied last."""
