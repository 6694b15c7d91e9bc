"""`replay import`: records from a file of ASTs in the text form, or from another database of captures."""

import gzip
import itertools
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from replay.adapters import Adapter, ImportRefused
from replay.errors import CorpusError, RecordError, StoreError
from replay.record import Capture, Observed, Provenance, parse_capture, read_inputs
from replay.store import Added, Entry, Store

__all__ = ["FORMATS", "Imported", "guess_format", "import_database", "import_text"]

FORMATS = ("auto", "uop-text", "replay-db")
BATCH = 100
MAX_LINE_BYTES = 8 << 20
_SQLITE_MAGIC = b"SQLite format 3\0"

Complain = Callable[[str], None]


@dataclass
class Imported:
    """What an import did: captures stored, those that were new records, and what had to be left out."""

    captures: int = 0
    records: int = 0
    refused: int = 0
    _batch: list[Capture] = field(default_factory=list)

    def take(self, store: Store, capture: Capture) -> None:
        """Store a capture, in batches."""
        self._batch.append(capture)
        if len(self._batch) >= BATCH:
            self.flush(store)

    def flush(self, store: Store) -> None:
        """Store what is left of the last batch."""
        batch, self._batch = self._batch, []
        if batch:
            added: Added = store.add(batch)
            self.captures += added.captures
            self.records += added.records


def guess_format(source: Path) -> str:
    """`replay-db` for a SQLite file, else `uop-text`. Raises CorpusError if the file cannot be read."""
    try:
        with source.open("rb") as file:
            return "replay-db" if file.read(len(_SQLITE_MAGIC)) == _SQLITE_MAGIC else "uop-text"
    except OSError as error:
        raise CorpusError(f"{source}: {error.strerror or error}") from error


def import_text(
    source: Path, store: Store, adapter: Adapter, backend: str, limit: int | None, complain: Complain
) -> Imported:
    """Compile each line of `source` (plain or gzip) and store the record; `complain` hears of every line that fails."""
    imported = Imported()
    try:
        for number, line in itertools.islice(_lines(source), limit):
            where = f"{source.name}:{number}"
            try:
                text = line.decode("utf-8")
                record: Mapping[str, object] = adapter.record_from_text(text, backend)
                imported.take(store, parse_capture({**record, "provenance": {"source": where, "test": None}}))
            except UnicodeDecodeError as error:
                imported.refused += 1
                complain(f"{where}: not valid UTF-8 (byte {error.start})")
            except (ImportRefused, RecordError) as error:
                imported.refused += 1
                complain(f"{where}: {error}")
    finally:
        imported.flush(store)
    return imported


def _lines(source: Path) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, with their numbers from 1."""
    try:
        with source.open("rb") as probe:
            packed = probe.read(2) == b"\x1f\x8b"
        with gzip.open(source, "rb") if packed else source.open("rb") as file:
            for number in itertools.count(1):
                line = file.readline(MAX_LINE_BYTES + 1)
                if not line:
                    return
                if len(line) > MAX_LINE_BYTES:
                    raise CorpusError(f"{source}:{number}: the line is longer than {MAX_LINE_BYTES} bytes")
                if line.strip():
                    yield number, line.strip()
    except (OSError, EOFError, zlib.error) as error:
        raise CorpusError(f"{source}: {error}") from error


def import_database(source: Path, store: Store, limit: int | None, complain: Complain) -> Imported:
    """Copy the records of another database of captures, checked one by one, with all their provenance."""
    imported = Imported()
    try:
        with Store.open_readonly(source) as other:
            for item in itertools.islice(other.entries(), limit):
                try:
                    for capture in _captures(other, item):
                        imported.take(store, capture)
                except RecordError as error:
                    imported.refused += 1
                    complain(f"{source}: a record was left out: {error}")
    except StoreError as error:
        imported.refused += 1
        complain(str(error))
    finally:
        imported.flush(store)
    return imported


def _captures(store: Store, item: Entry | RecordError) -> Iterator[Capture]:
    if isinstance(item, RecordError):
        raise item
    data = item.unpack()
    inputs = read_inputs(data)
    for seen in store.observations(item.digest):
        observed = {name: getattr(seen, name) for name in Observed.__struct_fields__}
        provenance = Provenance(seen.source or None, seen.test or None)
        try:
            checked = msgspec.convert(observed, Observed)
        except msgspec.ValidationError as error:
            raise RecordError("observations", str(error)) from error
        yield Capture(data, inputs, inputs.name, seen.src, checked, provenance)
