"""Clusters: findings that show the same edit, whatever the kernel and the backend.

What a diff removes and what it adds are cut into tokens, numbers and the numbers in names made alike, and the names
that those lines declare left out; the edit is which tokens vanish and which are new. A failure is grouped by its type
and its normalised message. The id is a hash of that, so it is the same in every run that finds the same edit. Clusters
decide what is shown together, never whether something changed.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from replay.finding import Finding
from replay.outcome import Outcome

__all__ = ["AST", "Cluster", "changes_in_words", "cluster_findings", "cluster_id", "edit_of", "normalised"]

ID_BYTES = 6
AST = "AST: "
"""How what is said of an AST begins, which is looked at in the smallest member of a cluster only."""
MAX_LINE = 2000  # characters: the patterns below take time that grows with the square of a line
_NUMBER = re.compile(r"0x[0-9a-fA-F]+|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_SPACES = re.compile(r"\s+")
_NUMBERED_NAME = re.compile(r"#(?:_#)+(?:n#)?|(?<=_)#n#")
_TOKEN = re.compile(r"[A-Za-z_%@$.][\w.#]*|[^\s\w#]")
# a name with a number that gets a value, after its type if it has one: `float4 val# =`, `%alu# =`, `let alu# =`
_DECLARED = re.compile(r"(?:[\w.<>*#]+ )?([A-Za-z_%][\w]*#)(?: ?: ?[\w<>]+)? ?= ?(?!=)")


@dataclass(frozen=True, slots=True)
class Cluster:
    """Findings of one outcome with one edit, the smallest first. There is at least one."""

    id: str
    outcome: Outcome
    findings: tuple[Finding, ...]

    @property
    def smallest(self) -> Finding:
        """The member that is quickest to read."""
        return self.findings[0]

    @property
    def records(self) -> list[str]:
        """The digests of the kernels, each once."""
        return list(dict.fromkeys(finding.record for finding in self.findings))

    @property
    def backends(self) -> list[str]:
        return sorted({finding.backend for finding in self.findings})

    @property
    def modes(self) -> list[str]:
        return sorted({finding.mode for finding in self.findings})

    @property
    def kinds(self) -> dict[str, int]:
        """How many members have each kind of change."""
        return dict(sorted(Counter(finding.kind for finding in self.findings if finding.kind).items()))

    @property
    def sources(self) -> list[str]:
        """The tests and workloads that the kernels come from, the most frequent first."""
        by_record = {finding.record: finding.provenance for finding in self.findings}
        counted = Counter(source for provenance in by_record.values() for source in provenance)
        return [source for source, _ in sorted(counted.items(), key=lambda item: (-item[1], item[0]))]

    @property
    def approved(self) -> bool:
        """Whether a reviewed file lets every member through."""
        return all(finding.approved is not None for finding in self.findings)


def cluster_findings(findings: Iterable[Finding]) -> list[Cluster]:
    """The clusters, those with most members first. The `cluster` of each finding is what `cluster_id` gave."""
    groups: dict[tuple[Outcome, str], list[Finding]] = {}
    for finding in findings:
        groups.setdefault((finding.outcome, finding.cluster or cluster_id(finding)), []).append(finding)
    clusters = [
        Cluster(key, outcome, tuple(sorted(members, key=_reading_order)))
        for (outcome, key), members in groups.items()
    ]  # fmt: skip
    return sorted(clusters, key=lambda cluster: (-len(cluster.findings), cluster.outcome, cluster.id))


def _reading_order(finding: Finding) -> tuple[int, int, str, str, str, str]:
    return (finding.size, len(finding.diff), finding.backend, finding.name, finding.record, finding.mode)


def cluster_id(finding: Finding) -> str:
    """The stable id of the edit that `finding` shows: 12 hexadecimal digits."""
    parts = [str(finding.outcome), *edit_of(finding)]
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=ID_BYTES).hexdigest()


def edit_of(finding: Finding) -> list[str]:
    """The edit in its normal form: tokens that vanish (`-x`) and that are new (`+x`), or the failure."""
    parts: list[str] = []
    if finding.error is not None:
        parts += [finding.error.get(key, "") for key in ("side", "type")] + [normalised(finding.error["message"])]
    lines = finding.diff.split("\n")[2:]
    before = [normalised(line[1:]) for line in lines if line.startswith("-")]
    after = [normalised(line[1:]) for line in lines if line.startswith("+")]
    return parts + _edit(before, after)


def _edit(before: Sequence[str], after: Sequence[str]) -> list[str]:
    """The tokens that vanish and those that are new; where there are none, how else the lines differ."""
    names = {name for line in (*before, *after) for name in _DECLARED.findall(line)}
    old, new = _tokens(before, names), _tokens(after, names)
    edit = [f"-{token}" for token in sorted(set(old) - set(new))] + [
        f"+{token}" for token in sorted(set(new) - set(old))
    ]
    if edit:
        return edit
    if sorted(before) == sorted(after):
        return ["other numbers" if list(before) == list(after) else "another order of lines"]
    return ["another order" if old == new else "more or less of the same"]


def _tokens(lines: Sequence[str], names: set[str]) -> Counter[str]:
    found: Counter[str] = Counter()
    for line in lines:
        found.update(token for token in _TOKEN.findall(_DECLARED.sub("", line)) if token not in names)
    return found


def normalised(line: str) -> str:
    """The beginning of a line with all numbers alike, in names too, and without its indentation."""
    return _NUMBERED_NAME.sub("#", _NUMBER.sub("#", _SPACES.sub(" ", line[:MAX_LINE].strip())))


def changes_in_words(findings: Iterable[Finding]) -> list[str]:
    """What changed besides sources, counted: `free: UPCAST(0, 4) -> UPCAST(0, 2) on 31 kernels`, the most frequent
    first."""
    kernels: dict[str, set[str]] = {}
    for finding in findings:
        for change in finding.changes:
            if change.startswith(AST):
                continue
            what = re.sub(r"^applied_opts\[\d+\]: ", "", change)
            kernels.setdefault(f"{finding.mode}: {what}", set()).add(finding.record)
    ranked = sorted(kernels.items(), key=lambda item: (-len(item[1]), item[0]))
    return [f"{what} on {len(found)} kernel{'s' if len(found) != 1 else ''}" for what, found in ranked]
