"""A pair of results that are not the same, as every report shows it."""

from dataclasses import dataclass, field
from typing import Any

from replay.outcome import Outcome

__all__ = ["Finding"]


@dataclass(frozen=True, slots=True)
class Finding:
    """A pair that is not `same`: a record on a backend in a mode.

    `digests` are of what was compared, source and launch dims or the failure, on base and head. `cluster` groups equal
    edits, `approved` is the reason for which a reviewed file lets this one through.
    """

    record: str
    name: str
    backend: str
    mode: str
    outcome: Outcome
    provenance: list[str]
    kind: str | None = None
    cluster: str | None = None
    diff: str = ""
    changes: list[str] = field(default_factory=list)
    error: dict[str, str] | None = None
    digests: tuple[str, str] = ("", "")
    approved: str | None = None
    unstable: tuple[str, ...] = ()
    """Of what is flaky, the sides that differ from themselves."""
    reproduce: str = ""
    """For a crash or a timeout: the command that runs just this record."""
    verification: dict[str, Any] | None = None
    """What running both sides showed: see `replay.verify`."""
    validation: dict[str, Any] | None = None
    """What the real compilers say of both sides: see `replay.validate`."""
    figures: dict[str, tuple[float, float]] = field(default_factory=dict)
    """By metric, its value on base and on head."""

    @property
    def size(self) -> int:
        """The number of lines that the diff adds or removes."""
        body = self.diff.split("\n")[2:]
        return sum(line.startswith(("+", "-")) for line in body)
