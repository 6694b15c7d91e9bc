"""What a real compiler says of a source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

__all__ = ["Toolchain", "ToolchainMissing", "Verdict"]

MAX_MESSAGE = 4000


class ToolchainMissing(Exception):
    """A tool is not on this machine, is too old, or crashes. The message says why, and how to get it."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """`accepted` is None where the tool could not be run: `message` says why. Of a refusal it is what the tool printed.

    `figures` are static properties of what was built, as far as the tool gives them: `instructions`, `registers`,
    `spills` (bytes, or count where the tool counts), `shared_bytes`, `code_bytes`.
    """

    tool: str
    accepted: bool | None
    message: str = ""
    figures: dict[str, int] = field(default_factory=dict)

    @classmethod
    def not_run(cls, tool: str, reason: str) -> Verdict:
        """Never an acceptance."""
        return cls(tool, None, reason[:MAX_MESSAGE])

    @classmethod
    def refused(cls, tool: str, printed: str) -> Verdict:
        return cls(tool, False, printed.strip()[:MAX_MESSAGE] or "it says nothing")


class Toolchain(Protocol):
    """A real compiler, or a checker of one, for the sources of some backends."""

    name: str

    def version(self) -> str:
        """The tool with its version. Raises ToolchainMissing."""

    def check(self, sources: Sequence[str], backend: str, arch: str | None) -> list[Verdict]:
        """A verdict for each source. A tool that is missing or dies gives `not run, because …`, never an acceptance."""
