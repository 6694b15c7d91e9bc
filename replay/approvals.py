"""Approved changes: `captures/approvals.toml`, a file that is reviewed like code.

An approval names a cluster, and for each of its members the record, the backend, the mode, and digests of what was
compiled before and after. It lets exactly these through; anything else that changes is unapproved, in the same cluster
too. Only `replay approve` writes the file.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from replay.cluster import Cluster
from replay.errors import ReplayError
from replay.finding import Finding
from replay.outcome import CHANGES

__all__ = ["Approval", "Approvals", "Approved", "Member", "apply"]

FILE = "approvals.toml"
MAX_BYTES = 16 << 20
HEADER = (
    "Changes of generated kernels that were reviewed. Written by `replay approve`; docs/gate.md says what it means."
)
_DIGEST = re.compile(r"[0-9a-f]{8,64}")


@dataclass(frozen=True, slots=True)
class Member:
    """One approved change: digests are of source and launch dims, or of the failure."""

    record: str
    backend: str
    mode: str
    base: str
    head: str

    @classmethod
    def of(cls, finding: Finding) -> "Member":
        return cls(finding.record, finding.backend, finding.mode, *finding.digests)


@dataclass(frozen=True, slots=True)
class Approval:
    """One entry of the file. It holds up to and on the day `expires`."""

    cluster: str
    reason: str
    author: str
    created: date
    expires: date | None
    members: tuple[Member, ...]

    def expired(self, today: date) -> bool:
        return self.expires is not None and self.expires < today


@dataclass
class Approved:
    """What approvals did for a diff: how many changes they let through, and which entries are of no use any more."""

    file: str
    used: int = 0
    stale: list[Approval] = field(default_factory=list)
    expired: list[Approval] = field(default_factory=list)


class Approvals:
    """The file, and its entries in order. A file that is not there has none."""

    def __init__(self, path: Path, entries: Sequence[Approval]) -> None:
        self.path, self.entries = path, list(entries)

    @classmethod
    def read(cls, folder: Path) -> "Approvals":
        """The approvals below `folder`. Raises ReplayError naming the file and the entry that is wrong."""
        path = folder / FILE
        try:
            if not path.is_file():
                return cls(path, [])
            if path.stat().st_size > MAX_BYTES:
                raise ReplayError(f"{path}: more than {MAX_BYTES} bytes are no file of approvals")
            document = tomlkit.parse(path.read_text(encoding="utf-8")).unwrap()
        except OSError as error:
            raise ReplayError(f"{path}: {error.strerror or error}") from error
        except (TOMLKitError, UnicodeDecodeError, ValueError) as error:
            raise ReplayError(f"{path}: not TOML: {error}") from None
        entries = document.get("approval", [])
        if not isinstance(entries, list):
            raise ReplayError(f"{path}: `approval` must be a list of tables, [[approval]]")
        return cls(path, [_entry(f"{path}: approval {number}", entry) for number, entry in enumerate(entries, 1)])

    def add(self, cluster: Cluster, reason: str, author: str, today: date, expires: date | None) -> Approval:
        """Approve all members of a cluster, in the place of an entry for the same members."""
        members = tuple(Member.of(finding) for finding in cluster.findings)
        approval = Approval(cluster.id, reason, author, today, expires, members)
        self.entries = [entry for entry in self.entries if set(entry.members) - set(members)] + [approval]
        return approval

    def write(self) -> None:
        """Write the file anew. Raises ReplayError where that is not possible."""
        document = tomlkit.document()
        document.add(tomlkit.comment(HEADER))
        table = tomlkit.aot()
        for entry in self.entries:
            table.append(_as_table(entry))
        document.add("approval", table)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            making = self.path.with_suffix(".toml.new")
            making.write_text(tomlkit.dumps(document), encoding="utf-8")
            making.replace(self.path)
        except OSError as error:
            raise ReplayError(f"{self.path}: {error.strerror or error}") from error


def apply(findings: Iterable[Finding], approvals: Approvals, today: date) -> tuple[list[Finding], Approved]:
    """The findings, those that are let through with the reason, and what became of the entries."""
    reasons = {
        member: entry.reason for entry in approvals.entries if not entry.expired(today) for member in entry.members
    }
    report = Approved(str(approvals.path))
    seen: set[Member] = set()
    judged = []
    for finding in findings:
        member = Member.of(finding)
        seen.add(member)
        if finding.outcome in CHANGES and member in reasons:
            finding = replace(finding, approved=reasons[member])
            report.used += 1
        judged.append(finding)
    report.expired = [entry for entry in approvals.entries if entry.expired(today)]
    report.stale = [entry for entry in approvals.entries if not entry.expired(today) and not seen & set(entry.members)]
    return judged, report


def _entry(place: str, entry: Any) -> Approval:
    if not isinstance(entry, dict):
        raise ReplayError(f"{place} is no table")
    members = entry.get("members")
    if not isinstance(members, list) or not members:
        raise ReplayError(f"{place}: members must be a list of tables, and not empty")
    expires = entry.get("expires")
    if expires is not None and not isinstance(expires, date):
        raise ReplayError(f"{place}: expires must be a date, such as 2030-01-31")
    created = entry.get("created")
    if not isinstance(created, date):
        raise ReplayError(f"{place}: created must be a date, such as 2030-01-31")
    return Approval(
        cluster=_text(place, entry, "cluster"),
        reason=_text(place, entry, "reason"),
        author=_text(place, entry, "author"),
        created=created,
        expires=expires,
        members=tuple(_member(f"{place}, member {number}", member) for number, member in enumerate(members, 1)),
    )


def _member(place: str, member: Any) -> Member:
    if not isinstance(member, dict):
        raise ReplayError(f"{place} is no table")
    for name in ("record", "base", "head"):
        if not isinstance(member.get(name), str) or not _DIGEST.fullmatch(member[name]):
            raise ReplayError(f"{place}: {name} must be a digest, of hexadecimal digits")
    return Member(
        member["record"], _text(place, member, "backend"), _text(place, member, "mode"), member["base"], member["head"]
    )


def _text(place: str, table: dict[str, Any], name: str) -> str:
    value = table.get(name)
    if not isinstance(value, str) or not value.strip():
        raise ReplayError(f"{place}: {name} must be text, and not empty")
    return value


def _as_table(entry: Approval) -> Any:
    table = tomlkit.table()
    for name in ("cluster", "reason", "author", "created", "expires"):
        if (value := getattr(entry, name)) is not None:
            table.add(name, value)
    members = tomlkit.array().multiline(True)
    for member in entry.members:
        row = tomlkit.inline_table()
        for name in ("record", "backend", "mode", "base", "head"):
            row.append(name, getattr(member, name))
        members.append(row)
    table.add("members", members)
    return table
