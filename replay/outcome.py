"""What one revision made of one record (`Result`), and what two of them say together (`Outcome`)."""

import hashlib
from enum import StrEnum
from typing import Any

import msgspec

__all__ = ["CHANGES", "MODES", "UNKNOWNS", "Outcome", "Result", "Status", "Verdict"]

MODES = ("pinned", "free")


class Status(StrEnum):
    """How one compilation ended."""

    OK = "ok"
    ERROR = "error"  # the compiler refused it or raised
    UNSUPPORTED = "unsupported"  # that revision cannot read the record
    CRASH = "crash"  # the worker died
    TIMEOUT = "timeout"  # the worker did not answer in time
    MISSING = "missing"  # there is no result


class Result(msgspec.Struct, frozen=True, omit_defaults=True):
    """One compilation. Which fields are set depends on `status`; `type` and `message` say why there is no source."""

    status: Status
    name: str = ""
    src: str = ""
    applied_opts: list[Any] = []
    global_size: list[Any] | None = None
    local_size: list[Any] | None = None
    vars: list[Any] = []
    estimates: dict[str, Any] = {}
    type: str = ""
    field: str = ""
    message: str = ""
    ms: float = 0.0
    data: Any = None
    """What another action than compiling found."""

    @property
    def identity(self) -> tuple[Any, ...]:
        """What has to be equal for two results to be the same: source and launch dims, or the failure."""
        if self.status is Status.OK:
            return (self.status, self.src, self.global_size, self.local_size)
        return (self.status, self.type, self.field, self.message)

    @property
    def digest(self) -> str:
        """A digest of `identity`: what a reviewed file names this result by."""
        return hashlib.blake2b(msgspec.json.encode(self.identity), digest_size=16).hexdigest()


class Outcome(StrEnum):
    """What became of a record between two revisions."""

    SAME = "same"
    CHANGED = "changed"
    ERROR = "error"
    FIXED = "fixed"
    SAME_ERROR = "same-error"
    CRASH = "crash"
    TIMEOUT = "timeout"
    UNSUPPORTED = "unsupported"
    FLAKY = "flaky"
    MISSING = "missing"


CHANGES = frozenset({Outcome.CHANGED, Outcome.ERROR, Outcome.FIXED})
UNKNOWNS = frozenset({Outcome.CRASH, Outcome.TIMEOUT, Outcome.UNSUPPORTED, Outcome.MISSING})


class Verdict(StrEnum):
    """The answer of a whole run; its exit code is what a script sees."""

    SAME = "same"
    CHANGED = "changed"
    UNKNOWN = "unknown"

    @property
    def exit_code(self) -> int:
        """0 nothing changed, 1 something did, 2 it cannot be told."""
        return {Verdict.SAME: 0, Verdict.CHANGED: 1, Verdict.UNKNOWN: 2}[self]
