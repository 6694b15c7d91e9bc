"""At which commits of a branch one kernel's source changed, and by how much."""

from dataclasses import dataclass

from replay.bisect import Item, Judge
from replay.compare import unified
from replay.history import Commit
from replay.outcome import Result, Status

__all__ = ["Change", "changes"]

CANNOT_TELL = "cannot tell"


@dataclass(frozen=True, slots=True)
class Change:
    """A commit, and what it did: `+3 -1` lines, how compiling ended instead, or `cannot tell`."""

    commit: Commit
    size: str


def changes(commits: list[Commit], item: Item, judge: Judge) -> list[Change]:
    """The changes of `commits`, newest first; the oldest commit is only what the next is compared with."""
    found = []
    results = judge.results([(commit.sha, item) for commit in commits])
    newer: tuple[Commit, Result] | None = None
    for commit in commits:
        result = results.get((commit.sha, item))
        if result is None or result.status not in (Status.OK, Status.ERROR):
            if commit is not commits[-1]:
                found.append(Change(commit, CANNOT_TELL))
            continue
        if newer is not None and newer[1].identity != result.identity:
            found.append(Change(newer[0], _size(result, newer[1])))
        newer = (commit, result)
    return sorted(found, key=lambda change: commits.index(change.commit))


def _size(old: Result, new: Result) -> str:
    if new.status is Status.ERROR:
        return f"fails: {new.type}"
    if old.status is Status.ERROR:
        return "compiles again"
    lines = unified(old, new).split("\n")[2:]
    return f"+{sum(line.startswith('+') for line in lines)} -{sum(line.startswith('-') for line in lines)}"
