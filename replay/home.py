"""Where the harness keeps its own files: `.replay/` at the root of the repository, ignored by git."""

import os
from pathlib import Path

from replay.errors import ReplayError, StoreError

__all__ = ["CACHE_VARIABLE", "HOME", "cache_dir", "default_database", "make_private", "project_root", "shown"]

HOME = ".replay"
CACHE_VARIABLE = "PROCESS_REPLAY_CACHE"


def project_root(start: Path | None = None) -> Path:
    """The nearest folder at or above `start` (default: the current one) that holds `.git`; `start` if there is none."""
    try:
        here = (start or Path.cwd()).absolute()
    except FileNotFoundError:
        raise ReplayError("the current folder is not there any more: change to another one") from None
    return next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), here)


def make_private(folder: Path) -> Path:
    """Create `folder` with a `.gitignore` that hides it from git, so that no command ever dirties a checkout.

    Raises StoreError if that cannot be done.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        ignore = folder / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="ascii")
    except OSError as error:
        raise StoreError(f"{folder}: this folder cannot be made or written to: {error.strerror or error}") from error
    return folder


def cache_dir(root: Path) -> Path:
    """The folder of checked-out trees and memoised results: $PROCESS_REPLAY_CACHE, or `.replay/` below `root`."""
    named = os.environ.get(CACHE_VARIABLE)
    try:
        return make_private(Path(named).absolute() if named else root / HOME)
    except StoreError as error:
        raise StoreError(f"{error}; {CACHE_VARIABLE} can name another folder") from error


def default_database(root: Path) -> Path:
    """The database that captures go to when none is named."""
    return root / HOME / "captures.db"


def shown(path: Path) -> str:
    """`path` as messages name it: from the current folder on, if it lies in that."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
