"""Folders that are made once and kept: by name, never seen half-full, those used longest ago deleted."""

import os
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from replay.errors import RevisionError

__all__ = ["KeptFolders"]

BUSY_SECONDS = 3600.0  # that a run may still be using a folder
_MAKING = "making-"


class KeptFolders:
    """Folders below `root`, of which about `most` are kept."""

    def __init__(self, root: Path, most: int) -> None:
        self.root, self.most = root, most

    def get(self, name: str, fill: Callable[[Path], None]) -> Path:
        """The folder called `name`. Where there is none yet, `fill` is given an empty one under another name.

        Raises RevisionError where it cannot be written, and what `fill` raises.
        """
        target = self.root / name
        try:
            if target.is_dir():
                os.utime(target)
                return target
            self.root.mkdir(parents=True, exist_ok=True)
            self._prune()
            making = Path(tempfile.mkdtemp(prefix=_MAKING, dir=self.root))
            try:
                fill(making)
                os.replace(making, target)
            finally:
                shutil.rmtree(making, ignore_errors=True)
        except OSError as error:
            if not target.is_dir():  # otherwise another process was faster
                raise RevisionError(f"{self.root}: {error.strerror or error}") from error
        return target

    def _prune(self) -> None:
        """Delete the folders that were used longest ago, but none that a run may still be using."""
        folders = sorted(self.root.iterdir(), key=lambda folder: folder.stat().st_mtime, reverse=True)
        long_ago = time.time() - BUSY_SECONDS
        for number, folder in enumerate(folders):
            if (number >= self.most or folder.name.startswith(_MAKING)) and folder.stat().st_mtime < long_ago:
                shutil.rmtree(folder, ignore_errors=True)
