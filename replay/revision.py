"""Git revisions as folders: the compiler's tree of a commit, or of the working tree, checked out into the cache.

Nothing of the user's checkout is touched: the working tree is read through a temporary index and a temporary object
folder. A checkout is keyed by the hash of the compiler's tree, so that two commits with the same compiler are one
folder.
"""

import os
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from replay.environment import PRESENT, PROJECT_FILE, Environment, Environments
from replay.errors import RevisionError
from replay.folders import KeptFolders

__all__ = ["WORKING_TREE", "Repository", "Revision", "describe"]

WORKING_TREE = "working tree"
MAX_TREES = 24
# What a git hook sets for its own checkout would lead us astray, or into the user's index.
_GIT_VARIABLES = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY")
_SUBMODULE = "160000 "
_SAFE = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}


@dataclass(frozen=True, slots=True)
class Revision:
    """A revision ready to run. `tree` is the git hash of the compiler's folder, `path` the folder that contains it."""

    revision: str
    commit: str
    tree: str
    path: Path
    environment: Environment = PRESENT

    @property
    def key(self) -> str:
        """What its results are filed under: the compiler's tree, and the environment if it has one of its own."""
        return f"{self.tree}+{self.environment.key}" if self.environment.key else self.tree

    @property
    def label(self) -> str:
        """How messages call it: the name that was given, and the commit."""
        return _label(self.revision, self.commit)


class Repository:
    """The git repository around a folder; `folder` is the compiler's, from the root of the repository."""

    def __init__(self, root: Path, folder: str, cache: Path, environments: Environments) -> None:
        self.root = root
        self._folder = folder
        self._trees = KeptFolders(cache / "trees", MAX_TREES)
        self._environments = environments

    @classmethod
    def find(cls, start: Path, folder: str, cache: Path, environments: Environments | None = None) -> Self:
        """The repository that `start` lies in. Raises RevisionError if there is none, or no git."""
        try:
            top = _git(start, "rev-parse", "--show-toplevel")
        except RevisionError as error:
            raise RevisionError(f"{start}: no git repository can be used here ({error})") from None
        if not top:
            raise RevisionError(f"{start}: a bare git repository, without a working tree")
        return cls(Path(top), folder, cache, environments or Environments(cache))

    def resolve(self, revision: str) -> str:
        """The commit that `revision` names."""
        if revision.startswith("-"):
            raise RevisionError(f"{revision!r} is not the name of a revision")
        try:
            return _git(self.root, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
        except _NothingFound:
            raise RevisionError(f"unknown revision {revision!r} in {self.root}{self._shallow_hint()}") from None

    def merge_base(self, one: str, other: str) -> str:
        """The commit from which both descend."""
        try:
            return _git(self.root, "merge-base", one, other)
        except _NothingFound:
            raise RevisionError(
                f"{one[:12]} and {other[:12]} have no common ancestor in {self.root}{self._shallow_hint()}"
            ) from None

    def at_commit(self, revision: str, commit: str) -> Revision:
        """The compiler as it is in `commit`, which the user called `revision`."""
        try:
            tree = _git(self.root, "rev-parse", "--verify", "--quiet", f"{commit}:{self._folder}")
        except _NothingFound:
            raise RevisionError(f"revision {revision} ({commit[:12]}) has no folder {self._folder}/") from None
        with tempfile.TemporaryDirectory(prefix="replay-") as scratch:
            path = self._check_out(tree, {"GIT_INDEX_FILE": f"{scratch}/index"})
        environment = self._environments.of(self._file_at(commit, PROJECT_FILE), _label(revision, commit))
        return Revision(revision, commit, tree, path, environment)

    def at_working_tree(self) -> Revision:
        """The compiler as it is on disk, uncommitted and untracked files included (ignored ones are not)."""
        if not (self.root / self._folder).is_dir():
            raise RevisionError(f"the working tree {self.root} has no folder {self._folder}/")
        commit = self.resolve("HEAD")
        objects = self._absolute(_git(self.root, "rev-parse", "--git-path", "objects"))
        with tempfile.TemporaryDirectory(prefix="replay-") as scratch:
            own = Path(scratch) / "objects"
            own.mkdir()
            environment = {
                "GIT_INDEX_FILE": f"{scratch}/index",
                "GIT_OBJECT_DIRECTORY": str(own),
                "GIT_ALTERNATE_OBJECT_DIRECTORIES": _alternates(objects),
            }
            _git(self.root, "read-tree", commit, environment=environment)
            wanted = [self._folder, f":(exclude,glob){self._folder}/**/__pycache__/**"]
            _git(self.root, "-c", "core.safecrlf=false", "add", "--all", "--", *wanted, environment=environment)
            self._check_submodules()
            tree = _git(self.root, "write-tree", f"--prefix={self._folder}/", environment=environment)
            path = self._check_out(tree, environment)
        project_file = self.root / PROJECT_FILE
        try:
            text = project_file.read_text(encoding="utf-8") if project_file.is_file() else ""
        except (OSError, UnicodeDecodeError) as error:
            raise RevisionError(f"{project_file}: {error}") from error
        return Revision(WORKING_TREE, commit, tree, path, self._environments.of(text, _label(WORKING_TREE, commit)))

    def _check_submodules(self) -> None:
        """The tree of a repository names commits of its submodules, and nothing that is not committed there."""
        if not (self.root / ".gitmodules").is_file():
            return
        # `1 .M S.M. …`: the third field says that files of a submodule are changed, or that there are new ones
        status = _git(self.root, "status", "--porcelain=2", "-z", "--ignore-submodules=none", "--", self._folder)
        for line in status.split("\0"):
            fields = line.split(" ", 8)
            if line.startswith("1 ") and fields[2].startswith("S") and fields[2][2:] != "..":
                raise RevisionError(f"submodule {fields[8]} has changes that are not committed: commit them there")

    def _file_at(self, commit: str, name: str) -> str:
        """The text of a file in `commit`; empty if there is none."""
        if not _git(self.root, "ls-tree", "--name-only", commit, "--", name):
            return ""
        return _git(self.root, "cat-file", "blob", f"{commit}:{name}")

    def _check_out(self, tree: str, environment: Mapping[str, str]) -> Path:
        """The folder with this tree."""

        def fill(making: Path) -> None:
            self._export(self.root, self._folder, tree, making, environment)
            for path in making.rglob("*"):
                if path.is_file() and not path.is_symlink():
                    path.chmod(0o444)  # results are filed under this content, so nobody should edit it

        return self._trees.get(tree, fill)

    def _export(self, source: Path, folder: str, tree: str, target: Path, environment: Mapping[str, str]) -> None:
        """Write `tree`, which is `folder` in the repository at `source`, below `target`, its submodules included."""
        _git(source, "read-tree", "--empty", environment=environment)
        _git(source, "read-tree", *([f"--prefix={folder}/"] if folder else []), tree, environment=environment)
        _git(source, "checkout-index", "--all", "--force", f"--prefix={target}/", environment=environment)
        entries = _git(source, "ls-files", "--stage", "-z", environment=environment).split("\0")
        for entry in [entry for entry in entries if entry.startswith(_SUBMODULE)]:
            commit, name = entry.split()[1], entry.partition("\t")[2]
            inside = source / name
            if not (inside / ".git").exists():
                raise RevisionError(f"submodule {inside} is not here: git submodule update --init --recursive")
            index = {"GIT_INDEX_FILE": f"{environment['GIT_INDEX_FILE']}-{len(name)}"}
            try:
                self._export(inside, "", commit, target / name, index)
            except RevisionError as error:
                raise RevisionError(f"submodule {inside} at commit {commit[:12]}: {error}") from None

    def _absolute(self, path: str) -> Path:
        return (self.root / path).resolve()

    def _shallow_hint(self) -> str:
        if _git(self.root, "rev-parse", "--is-shallow-repository") != "true":
            return ""
        return "; the clone is shallow: fetch the rest with `git fetch --unshallow`"


def describe(folder: Path) -> str:
    """The commit that `folder` is at, marked if it has uncommitted changes; empty outside of a repository."""
    try:
        return _git(folder, "describe", "--always", "--dirty", "--exclude=*")
    except RevisionError:
        return ""


def _label(revision: str, commit: str) -> str:
    if revision == WORKING_TREE:
        return "the working tree"
    if commit.startswith(revision):
        return f"revision {commit[:12]}"
    return f"revision {revision} ({commit[:12]})"


class _NothingFound(RevisionError):
    """Git failed without a word: what it was asked for is not there."""


def _alternates(objects: Path) -> str:
    """`objects` and what it borrows from, as git reads it in the environment: quoted, as a path may hold a colon."""
    text = str(objects).replace("\\", "\\\\").replace('"', '\\"')
    inherited = os.environ.get("GIT_ALTERNATE_OBJECT_DIRECTORIES")
    return f'"{text}"' + (f"{os.pathsep}{inherited}" if inherited else "")


def _git(folder: Path, *arguments: str, environment: Mapping[str, str] | None = None) -> str:
    """Run git and return what it prints. Raises RevisionError with git's own reason, _NothingFound if it gives none."""
    variables = {name: value for name, value in os.environ.items() if name not in _GIT_VARIABLES}
    command = ["git", "-C", str(folder), "-c", "core.fsmonitor=false", *arguments]
    try:
        done = subprocess.run(
            command, capture_output=True, env=variables | _SAFE | dict(environment or {}), stdin=subprocess.DEVNULL
        )
    except FileNotFoundError as error:
        raise RevisionError("git is not installed, or not on PATH") from error
    except OSError as error:
        raise RevisionError(f"git cannot be run: {error.strerror or error}") from error
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        if not lines:
            raise _NothingFound(f"git {arguments[0]} failed with exit status {done.returncode}")
        raise RevisionError(f"git {arguments[0]}: {lines[0]}")
    return done.stdout.decode("utf-8", "surrogateescape").rstrip("\n")
