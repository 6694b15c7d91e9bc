"""Every way in which the compiler refuses its input. Each message is one sentence that a user can act on."""

from __future__ import annotations

__all__ = [
    "CompileError",
    "KernelOptError",
    "NotRun",
    "ParseError",
    "RecordError",
    "RenderError",
    "RuntimeFailure",
    "SpecError",
]


class CompileError(Exception):
    """The compiler refuses this input. `str(error)` is the sentence shown to the user."""


class ParseError(CompileError):
    """The text form of an AST is malformed."""


class RecordError(CompileError):
    """A portable record is malformed or names something that this revision does not know.

    `field` says where: `ast[3].op`, `applied_opts[0]`, `context.NOOPT`.
    """

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field = field
        self.reason = reason


class SpecError(CompileError):
    """A graph breaks a spec. The message names the rule and prints the offending node."""


class KernelOptError(CompileError):
    """An optimisation does not apply to this kernel; the kernel is left as it was."""


class RenderError(CompileError):
    """A backend cannot express a dtype or an op."""

    def __init__(self, backend: str, what: str, reason: str) -> None:
        super().__init__(f"{backend} cannot render {what}: {reason}")
        self.backend = backend
        self.what = what


class NotRun(CompileError):
    """A kernel is not run here; the message says why."""


class RuntimeFailure(CompileError):
    """A rendered program could not be built or run here."""
