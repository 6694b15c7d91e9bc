"""How the harness reaches a compiler. An adapter is the only code here that knows one.

The same adapter serves in two places: inside a worker, where `load` imports the compiler from the tree of a revision,
and in the command line itself, where the installed compiler reads and prints ASTs.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from replay.adapters.core import CoreAdapter, ImportRefused

__all__ = ["Adapter", "ImportRefused", "get_adapter"]


class Adapter(Protocol):
    """One compiler. `tree` is the folder that holds its sources, from the root of the repository."""

    name: str
    tree: str

    def load(self, root: Path) -> tuple[int, list[str]]:
        """Import the compiler from below `root`: the newest record layout it reads, and the backends it renders."""

    def perform(
        self, action: str, record: Mapping[str, Any], backend: str | None, mode: str, options: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """Do something with a record by the loaded compiler; the answer has the fields of `replay.outcome.Result`.

        `replay` compiles it. The other actions put what they found under `data`, and a revision from before an action
        answers `unsupported`.
        """

    def record_from_text(self, line: str, backend: str) -> Mapping[str, object]:
        """Compile one AST in the text form with the installed compiler. Raises ImportRefused."""

    def backend_status(self) -> list[dict[str, Any]]:
        """For each backend of the installed compiler whether it is rendered, validated and run here, and by what."""

    def judge(self, backend: str, sources: Sequence[str]) -> list[list[dict[str, Any]]]:
        """For each source what every real compiler of its language says: `tool`, `accepted`, `message`, `figures`."""

    def judges(self, backend: str) -> str:
        """Who these compilers are, with their versions."""

    def reductions(self, record: Mapping[str, Any], skip: int = 0) -> list[dict[str, Any]]:
        """Records of smaller kernels after the first `skip`, each with its `size`; none when there are no more. Raises
        ImportRefused."""

    def ast_size(self, rows: Sequence[Any]) -> int:
        """How many nodes an AST has, in the sense of `reductions`."""

    def ast_nodes(self, rows: Sequence[Any]) -> list[list[str]]:
        """Op, dtype and arg of each node of an AST, sources left out, as texts. Raises ImportRefused."""

    def format_ast(self, rows: Sequence[Any]) -> str:
        """The AST of a record in the text form, by the installed compiler. Raises ImportRefused."""


_ADAPTERS: dict[str, Adapter] = {"core": CoreAdapter()}


def get_adapter(compiler: str) -> Adapter | None:
    """The adapter for records of `compiler`, or None if this harness has none."""
    return _ADAPTERS.get(compiler)
