"""The adapter for `core`: everything goes through `core.process_replay`, the one seam, found by name at run time."""

import importlib
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from replay.errors import ReplayError

__all__ = ["CoreAdapter", "ImportRefused"]

SEAM = "core.process_replay"
ACTIONS = {
    "replay": "compile a record",
    "run": "run what it compiles",
    "run_passes": "run a record after each pass",
    "trace": "trace how it compiles a record",
    "optimized_ast": "give the optimised AST of a record",
}
"""What a worker can do with a record, each a function of the seam; and in words."""


class ImportRefused(ReplayError):
    """The installed compiler does not take an AST or a record; the message says why."""


class CoreAdapter:
    """Reads and compiles records with whichever `core` comes first on the import path."""

    name = "core"
    tree = "core"

    def __init__(self) -> None:
        self._seam: Any = None

    def load(self, root: Path) -> tuple[int, list[str]]:
        """Import `core` from below `root`, and from nowhere else."""
        sys.path.insert(0, str(root))
        self._seam = importlib.import_module(SEAM)
        home = Path(str(sys.modules[self.name].__file__)).resolve()
        if not home.is_relative_to(root.resolve()):
            raise ImportError(f"core was imported from {home.parent} instead of {root}")
        return int(self._seam.SCHEMA), [str(name) for name in self._seam.backends()]

    def perform(
        self, action: str, record: Mapping[str, Any], backend: str | None, mode: str, options: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """Compile a record with the loaded compiler, or do another of `ACTIONS` with it."""
        if action not in ACTIONS:
            raise ValueError(f"no action is called {action!r}")
        function = getattr(self._seam, action, None)
        if function is None:
            return {"status": "unsupported", "field": "", "message": f"this revision cannot {ACTIONS[action]}"}
        answer: Mapping[str, Any] = function(record, backend=backend, mode=mode, **options)
        return answer

    def record_from_text(self, line: str, backend: str) -> Mapping[str, object]:
        """Compile one AST in the text form with the heuristics on, and return its record."""
        answer: Mapping[str, object] = self._installed("record_from_text", line, backend)
        return answer

    def format_ast(self, rows: Sequence[Any]) -> str:
        """The AST of a record in the text form."""
        return str(self._installed("format_ast", rows))

    def backend_status(self) -> list[dict[str, Any]]:
        """For each backend whether it is rendered, validated and run here."""
        answer: list[dict[str, Any]] = self._installed("backend_status")
        return answer

    def judge(self, backend: str, sources: Sequence[str]) -> list[list[dict[str, Any]]]:
        """What the real compilers say of each source."""
        answer: list[list[dict[str, Any]]] = self._installed("judge", backend, sources)
        return answer

    def judges(self, backend: str) -> str:
        """Who they are."""
        return str(self._installed("judges", backend))

    def reductions(self, record: Mapping[str, Any], skip: int = 0) -> list[dict[str, Any]]:
        """Records of smaller kernels, by the installed compiler."""
        answer: list[dict[str, Any]] = self._installed("reductions", record, skip)
        return answer

    def ast_size(self, rows: Sequence[Any]) -> int:
        """How many nodes an AST has."""
        return int(self._installed("ast_size", rows))

    def ast_nodes(self, rows: Sequence[Any]) -> list[list[str]]:
        """Each node of an AST as texts."""
        answer: list[list[str]] = self._installed("ast_nodes", rows)
        return answer

    def _installed(self, function: str, *arguments: object) -> Any:
        try:
            seam = importlib.import_module(SEAM)
            return getattr(seam, function)(*arguments)
        except Exception as error:  # the compiler is foreign code here: whatever it raises is its answer
            text = str(error)
            raise ImportRefused(f"{type(error).__name__}: {text}" if text else type(error).__name__) from error
