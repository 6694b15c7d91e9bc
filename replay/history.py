"""A part of a repository's history: the commits from a good one to a bad one, and which descends from which."""

import os
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from replay.errors import ReplayError

__all__ = ["Commit", "History", "last_commits"]

MAX_COMMITS = 100_000
_FORMAT = "%H%x00%P%x00%as%x00%an%x00%s"


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit with what a table shows of it; `date` is the author's."""

    sha: str
    parents: tuple[str, ...]
    date: str
    author: str
    subject: str


class History:
    """The commits that `bad` has and `good` has not, oldest first; `ancestors` of each among them as a bit mask, itself
    included."""

    def __init__(self, good: str, bad: str, commits: list[Commit]) -> None:
        self.good, self.bad, self.commits = good, bad, commits
        place = {commit.sha: number for number, commit in enumerate(commits)}
        self.ancestors: list[int] = []
        for number, commit in enumerate(commits):
            mask = 1 << number
            for parent in commit.parents:
                if parent in place and place[parent] < number:
                    mask |= self.ancestors[place[parent]]
            self.ancestors.append(mask)

    @classmethod
    def between(cls, root: Path, good: str, bad: str, *, full: bool) -> "History":
        """By first parent, or with `full` through merges too. Raises ReplayError if `bad` is not after `good`."""
        if good == bad:
            raise ReplayError(f"--good and --bad are the same commit, {good[:12]}")
        if not _is_ancestor(root, good, bad):
            if _is_ancestor(root, bad, good):
                raise ReplayError(f"--bad {bad[:12]} is an ancestor of --good {good[:12]}: exchange the two")
            raise ReplayError(f"--bad {bad[:12]} does not descend from --good {good[:12]}")
        way = [] if full else ["--first-parent"]
        commits = _log(root, [*way, "--topo-order", "--reverse", f"{good}..{bad}"])
        if not full:  # a commit on a side branch is no ancestor then
            commits = [Commit(one.sha, one.parents[:1], one.date, one.author, one.subject) for one in commits]
        return cls(good, bad, commits)

    def everything(self) -> int:
        """The mask of all commits."""
        return (1 << len(self.commits)) - 1

    def halving(self, candidates: int, skipped: int) -> int | None:
        """The commit whose test leaves fewest candidates whatever it gives; None if no commit can tell more."""
        total, best, chosen = candidates.bit_count(), 0, None
        for number in range(len(self.commits)):
            if not candidates >> number & 1 or skipped >> number & 1:
                continue
            inside = (self.ancestors[number] & candidates).bit_count()
            worth = min(inside, total - inside)
            if worth > best:
                best, chosen = worth, number
        return chosen


def last_commits(root: Path, tip: str, count: int) -> list[Commit]:
    """The last commits of a branch by first parent, newest first."""
    return _log(root, ["--first-parent", f"--max-count={count}", tip])


def _is_ancestor(root: Path, one: str, other: str) -> bool:
    return _git(root, ["merge-base", "--is-ancestor", one, other], accepted=(0, 1)).returncode == 0


def _log(root: Path, arguments: Iterable[str]) -> list[Commit]:
    printed = _git(root, ["log", f"--format={_FORMAT}", *arguments], accepted=(0,)).stdout.decode("utf-8", "replace")
    commits = []
    for line in printed.splitlines()[:MAX_COMMITS]:
        sha, parents, date, author, subject = line.split("\0", 4)
        commits.append(Commit(sha, tuple(parents.split()), date, author, subject))
    return commits


def _git(root: Path, arguments: list[str], *, accepted: tuple[int, ...]) -> subprocess.CompletedProcess[bytes]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        ran = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, check=False, env=environment)
    except OSError as error:
        raise ReplayError(f"git cannot be run: {error.strerror or error}") from error
    if ran.returncode not in accepted:
        lines = ran.stderr.decode("utf-8", "replace").strip().splitlines() or ["it says nothing"]
        raise ReplayError(f"git {arguments[0]}: {lines[0]}")
    return ran
