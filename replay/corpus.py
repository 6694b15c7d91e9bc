"""The records that a command works on: found, read from any number of databases, checked, and filtered."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from replay.adapters import get_adapter
from replay.errors import CorpusError, RecordError, StoreError
from replay.filter import Filter
from replay.home import default_database
from replay.record import Inputs, read_inputs
from replay.store import Entry, Store

__all__ = ["COMMITTED", "Corpus", "Kernel", "capture_files"]

COMMITTED = "captures"


def capture_files(named: Sequence[Path], root: Path) -> list[Path]:
    """The databases that `named` means: files, and folders for the `*.db` in them.

    With nothing named: those in `captures/` at the root of the repository, and what was captured locally. Raises
    CorpusError if something named is not there, or nothing is found.
    """
    if not named:
        local = default_database(root)
        files = sorted((root / COMMITTED).glob("*.db")) + ([local] if local.is_file() else [])
        if not files:
            raise CorpusError(f"no captures: neither {root / COMMITTED}/*.db nor {local} exists; see `replay capture`")
        return files
    files = []
    for path in named:
        found = sorted(path.glob("*.db")) if path.is_dir() else [path]
        if not path.exists():
            raise CorpusError(f"{path}: there is no such file or folder")
        if not found:
            raise CorpusError(f"{path}: there is no *.db in this folder")
        files += [file for file in found if file not in files]
    return files


@dataclass(frozen=True, slots=True)
class Kernel:
    """One record of a corpus: packed, with what planning needs from its inputs."""

    entry: Entry
    name: str
    backend: str
    store: Store


@dataclass
class Corpus:
    """Records by digest, in the order of digests. `unreadable` has those that are damaged, `problems` whole files."""

    files: list[Path]
    kernels: dict[str, Kernel] = field(default_factory=dict)
    unreadable: dict[str, tuple[Entry, RecordError]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    _stores: list[Store] = field(default_factory=list)

    @classmethod
    def read(cls, files: Iterable[Path], wanted: Filter | None = None) -> Self:
        """Read all records that `wanted` accepts. A file that cannot be read is a problem, and the others are read."""
        corpus = cls(list(files))
        for file in corpus.files:
            try:
                store = Store.open_readonly(file)
                corpus._stores.append(store)
                for item in store.entries():
                    corpus._take(store, item, wanted)
            except StoreError as error:
                corpus.problems.append(str(error))
        corpus.kernels = dict(sorted(corpus.kernels.items()))
        return corpus

    def _take(self, store: Store, item: Entry | RecordError, wanted: Filter | None) -> None:
        if isinstance(item, RecordError):
            self.problems.append(f"{store.path}: a record was left out: {item}")
            return
        if item.digest in self.kernels:
            return
        try:
            inputs: Inputs = read_inputs(item.unpack())
            if get_adapter(inputs.compiler) is None:
                raise RecordError("compiler", f"there is no adapter for {inputs.compiler!r:.80}")
        except RecordError as error:
            self.unreadable.setdefault(item.digest, (item, error))
            return
        self.unreadable.pop(item.digest, None)
        if wanted is None or wanted(item.digest, inputs):
            self.kernels[item.digest] = Kernel(item, inputs.name, inputs.backend, store)

    def provenance(self, digest: str, limit: int = 10) -> list[str]:
        """Where a record comes from, over all databases of the corpus."""
        found: list[str] = []
        for store in self._stores:
            try:
                found += [text for text in store.provenance(digest, limit) if text not in found]
            except StoreError as error:
                if str(error) not in self.problems:
                    self.problems.append(str(error))
        return found[:limit]

    def payload(self, digest: str) -> bytes:
        """The canonical bytes of a record of this corpus."""
        return self.kernels[digest].entry.unpack()

    def __iter__(self) -> Iterator[Kernel]:
        return iter(self.kernels.values())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for store in self._stores:
            store.close()
