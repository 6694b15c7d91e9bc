"""The database of captures: records by digest, what was observed of them, and the errors of capturing.

Many processes may write one file at once (WAL, short transactions that take the write lock first). A file is checked
before it is touched: one that is damaged, of another program, or of a newer layout is refused with a StoreError.
"""

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import msgspec
from sqlite_utils import Database
from sqlite_utils.migrations import Migrations

from replay import record
from replay.database import connect, connect_readonly, translated, writing
from replay.errors import RecordError, StoreError

__all__ = ["APPLICATION_ID", "MIGRATIONS", "Added", "Entry", "Observation", "Store"]

APPLICATION_ID = 0x50524C59  # "PRLY", in the header of every file of ours
MIGRATIONS = Migrations("process-replay")
PAGE = 500
_FIRST_ROW = -(1 << 63)
T = TypeVar("T")


@MIGRATIONS(name="1")
def _first_layout(database: Database) -> None:
    database.table("records").create(
        {"digest": str, "schema": int, "compiler": str, "name": str, "backend": str, "nodes": int, "blob": bytes,
         "created": str},
        pk="digest", not_null={"digest", "name", "backend", "nodes", "blob"},
    )  # fmt: skip
    database.table("records").create_index(["name"])
    database.table("sources").create({"digest": str, "blob": bytes}, pk="digest", not_null={"blob"})
    # Absent texts are '', because NULLs differ from each other and the key below would not hold.
    database.table("observations").create(
        {"id": int, "record": str, "src": str, "source": str, "test": str, "version": str, "name": str,
         "global_size": str, "local_size": str, "vars": str, "estimates": str, "count": int, "first": str, "last": str},
        pk="id", foreign_keys=[("record", "records", "digest"), ("src", "sources", "digest")],
    )  # fmt: skip
    database.table("observations").create_index(["record", "src", "source", "test", "version"], unique=True)
    database.table("capture_errors").create(
        {"kind": str, "message": str, "count": int, "last": str}, pk=("kind", "message")
    )


@dataclass(frozen=True, slots=True)
class Entry:
    """One stored record, still packed. `nodes` is the number of rows of its AST."""

    digest: str
    name: str
    backend: str
    nodes: int
    blob: bytes

    def unpack(self) -> bytes:
        """The canonical bytes. Raises RecordError if they are damaged or too large."""
        return record.unpack(self.blob, self.digest)


@dataclass(frozen=True, slots=True)
class Observation:
    """What was seen of a record, how often, and where. The source carries the record's name without running suffix."""

    src: str
    source: str
    test: str
    version: str
    name: str
    global_size: list[Any] | None
    local_size: list[Any] | None
    vars: list[Any]
    estimates: dict[str, Any]
    count: int


@dataclass(frozen=True, slots=True)
class Added:
    """How many captures a call stored, and how many of them were records that the database did not have."""

    captures: int
    records: int


class Store:
    """An open database of captures. Use `Store.open` or `Store.open_readonly`; closes as a context manager."""

    def __init__(self, path: Path, database: Database) -> None:
        self.path = path
        self._database = database

    @classmethod
    def open(cls, path: Path, *, timeout: float = 30.0) -> Self:
        """Open for writing; creates the file, or brings an older layout up to date. Raises StoreError."""
        with translated(path):
            database = connect(path, timeout=timeout, check=lambda database: _check_ours(path, database, empty=True))
            try:
                if not _is_current(database):
                    with writing(database):
                        database.execute(f"PRAGMA application_id={APPLICATION_ID}")
                        MIGRATIONS.apply(database)
            except BaseException:
                database.close()
                raise
        return cls(path, database)

    @classmethod
    def open_readonly(cls, path: Path, *, timeout: float = 30.0) -> Self:
        """Open an existing file without writing to it; an older layout is updated in memory. Raises StoreError."""
        if not path.is_file():
            raise StoreError(f"{path}: there is no such file")
        with translated(path):
            database = connect_readonly(path, timeout=timeout)
            try:
                _check_ours(path, database, empty=False)
                if not _is_current(database):
                    database = _upgraded_copy(database)
            except BaseException:
                database.close()
                raise
        return cls(path, database)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; SQLite removes its side files if nobody else has it open."""
        self._database.close()

    def settle(self) -> None:
        """Leave one plain file without WAL, fit for version control, if nobody else has the file open."""
        with translated(self.path):
            try:
                self._database.disable_wal()
            except sqlite3.OperationalError as error:
                if "locked" not in str(error):
                    raise

    # -- writing ------------------------------------------------------------------------------------------------------

    def add(
        self,
        captures: Sequence[record.Capture],
        *,
        version: str = "",
        errors: Mapping[tuple[str, str], int] | None = None,
    ) -> Added:
        """Store captures and counted errors in one transaction. A record that is there already gains an observation."""
        packed = [(record.digest_of(capture.data), capture) for capture in captures]
        with translated(self.path):
            fresh = self._pack_fresh(dict(packed))
            sources: dict[str, bytes] = {}
            for _, capture in packed:
                text = _canonical_source(capture).encode()
                sources.setdefault(record.digest_of(text), text)
            now = _now()
            with writing(self._database):
                connection = self._database.conn
                before = connection.total_changes
                connection.executemany("insert or ignore into records values (?, ?, ?, ?, ?, ?, ?, ?)", fresh)
                added = connection.total_changes - before
                known = self._known("sources", sources)
                connection.executemany(
                    "insert or ignore into sources values (?, ?)",
                    [(digest, record.compress(text)) for digest, text in sources.items() if digest not in known],
                )
                connection.executemany(_ADD_OBSERVATION, [_observation_row(*pair, version, now) for pair in packed])
                connection.executemany(_ADD_ERROR, [(*key, count, now) for key, count in (errors or {}).items()])
        return Added(len(packed), added)

    def remove(self, digests: Sequence[str]) -> None:
        """Remove records with all that was observed of them, and sources that no other record has."""
        with translated(self.path), writing(self._database):
            connection = self._database.conn
            keys = [(digest,) for digest in digests]
            connection.executemany("delete from observations where record = ?", keys)
            connection.executemany("delete from records where digest = ?", keys)
            connection.execute("delete from sources where digest not in (select src from observations)")

    def _pack_fresh(self, captures: Mapping[str, record.Capture]) -> list[tuple[Any, ...]]:
        # Compressing comes before the write lock is taken, and only for what looks new; the insert decides.
        known = self._known("records", captures)
        now = _now()
        return [
            (digest, capture.inputs.schema, capture.inputs.compiler, capture.inputs.name, capture.inputs.backend,
             len(capture.inputs.ast), record.compress(capture.data), now)
            for digest, capture in captures.items() if digest not in known
        ]  # fmt: skip

    def _known(self, table: str, digests: Iterable[str]) -> set[str]:
        known = set()
        for digest in digests:
            if self._database.execute(f"select 1 from {table} where digest = ?", [digest]).fetchone():
                known.add(digest)
        return known

    # -- reading ------------------------------------------------------------------------------------------------------

    def entries(self) -> Iterator[Entry | RecordError]:
        """All records in the order in which they were stored, a page at a time; what is no record comes as an error.

        Raises StoreError where the file is damaged; what comes before that has been yielded.
        """
        after = _FIRST_ROW
        while True:
            with translated(self.path):
                page = self._rows(
                    "select rowid, digest, name, backend, nodes, blob from records where rowid > ?"
                    " order by rowid limit ?",
                    [after, PAGE],
                )
            if not page:
                return
            for _, *row in page:
                yield _entry(row)
            after = page[-1][0]

    def find(self, wanted: str) -> list[Entry]:
        """The records whose name is `wanted`, or whose digest starts with it (4 characters or more)."""
        prefix = wanted if re.fullmatch("[0-9a-f]{4,}", wanted) else "/"
        with translated(self.path):
            rows = self._rows(
                "select digest, name, backend, nodes, blob from records where name = ? or substr(digest, 1, ?) = ?"
                " order by digest limit 1000",
                [wanted, len(prefix), prefix],
            )
        return [entry for entry in map(_entry, rows) if isinstance(entry, Entry)]

    def observations(self, digest: str, limit: int = 1000) -> list[Observation]:
        """What was seen of one record, the oldest first. Raises StoreError or RecordError on damaged content."""
        with translated(self.path):
            rows = self._rows(
                "select s.blob, o.source, o.test, o.version, o.name, o.global_size, o.local_size, o.vars, o.estimates,"
                " o.count from observations o join sources s on s.digest = o.src where o.record = ?"
                " order by o.id limit ?",
                [digest, limit],
            )
        return [_observation(row) for row in rows]

    def provenance(self, digest: str, limit: int = 10) -> list[str]:
        """Where a record comes from: sources such as `asts.txt:17`, then tests; each once, at most `limit` of each."""
        found: list[str] = []
        with translated(self.path):
            for column in ("source", "test"):
                rows = self._rows(
                    f"select {column} from observations where record = ? and {column} <> '' group by {column}"
                    " order by min(id) limit ?",
                    [digest, limit],
                )
                found += [str(text) for (text,) in rows]
        return found

    def stats(self) -> dict[str, Any]:
        """Counts for `replay stats`."""
        with translated(self.path):
            return {
                "records": self._count("select count(*) from records"),
                "captures": self._count("select coalesce(sum(count), 0) from observations"),
                "sources": self._count("select count(*) from sources"),
                "tests": self._count("select count(distinct test) from observations where test <> ''"),
                "by_backend": {
                    self._typed(backend, str): count
                    for backend, count in self._rows("select backend, count(*) from records group by 1 order by 1")
                },
                "capture_errors": [
                    {"kind": self._typed(kind, str), "message": self._typed(message, str),
                     "count": self._typed(count, int), "last": self._typed(last, str)}
                    for kind, message, count, last in self._rows(
                        "select kind, message, count, last from capture_errors order by count desc, kind, message"
                    )
                ],
            }  # fmt: skip

    def _count(self, sql: str) -> int:
        return self._typed(self._rows(sql)[0][0], int)

    def _typed(self, value: object, kind: type[T]) -> T:
        # SQLite keeps whatever is put into a column
        if not isinstance(value, kind):
            raise StoreError(
                f"{self.path}: the database is damaged: it holds a {type(value).__name__} for {kind.__name__}"
            )
        return value

    def _rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        return self._database.execute(sql, parameters).fetchall()


_ADD_OBSERVATION = """ insert into observations (record, src, source, test, version, name, global_size, local_size,
vars, estimates, count, first, last) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?) on conflict (record, src, source,
test, version) do update set count = count + 1, last = excluded.last
"""
_ADD_ERROR = """
insert into capture_errors (kind, message, count, last) values (?, ?, ?, ?)
on conflict (kind, message) do update set count = count + excluded.count, last = excluded.last
"""


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _canonical_source(capture: record.Capture) -> str:
    # The running suffix would make a source of its own out of every repetition of one kernel.
    if capture.name == capture.inputs.name:
        return capture.src
    return re.sub(rf"\b{re.escape(capture.name)}\b", lambda _: capture.inputs.name, capture.src)


def _observation_row(digest: str, capture: record.Capture, version: str, now: str) -> tuple[Any, ...]:
    seen, provenance = capture.observed, capture.provenance
    source = record.digest_of(_canonical_source(capture).encode())
    facts = [
        msgspec.json.encode(fact).decode() for fact in (seen.global_size, seen.local_size, seen.vars, seen.estimates)
    ]
    return (digest, source, provenance.source or "", provenance.test or "", version, capture.name, *facts, now, now)


def _entry(row: Sequence[Any]) -> Entry | RecordError:
    digest, name, backend, nodes, blob = row
    if not isinstance(digest, str) or not re.fullmatch("[0-9a-f]{32}", digest):
        return RecordError("digest", f"{digest!r:.80} is not a digest")
    if not (isinstance(name, str) and isinstance(backend, str) and isinstance(nodes, int) and isinstance(blob, bytes)):
        return RecordError(digest, "a column of this record has the wrong type")
    return Entry(digest, name, backend, nodes, blob)


def _observation(row: Sequence[Any]) -> Observation:
    blob, source, test, version, name, *facts, count = row
    try:
        src = record.decompress(blob, record.MAX_SOURCE_BYTES * 4).decode("utf-8", "backslashreplace")
        global_size, local_size, variables, estimates = (json.loads(fact) for fact in facts)
        # half of a surrogate pair, say, can be read from JSON and not be written again
        msgspec.json.encode((global_size, local_size, variables, estimates))
    except (TypeError, ValueError, RecursionError, OverflowError) as error:
        raise RecordError("observations", f"damaged ({error})") from error
    if not isinstance(count, int) or not all(isinstance(text, str) for text in (source, test, version, name)):
        raise RecordError("observations", "damaged (a column has the wrong type)")
    return Observation(src, source, test, version, name, global_size, local_size, variables, estimates, count)


def _is_current(database: Database) -> bool:
    return not MIGRATIONS.pending(database)


def _upgraded_copy(database: Database) -> Database:
    memory = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
    database.conn.backup(memory)
    database.close()
    copy = Database(memory, execute_plugins=False)
    MIGRATIONS.apply(copy)
    return copy


def _check_ours(path: Path, database: Database, *, empty: bool) -> None:
    """Refuse what is no database of captures of a layout known here; `empty` allows a file that holds nothing yet."""
    schema = database.execute("select type, name, rootpage from sqlite_master").fetchall()
    marker = database.execute("PRAGMA application_id").fetchone()[0]
    if not schema and marker in (0, APPLICATION_ID):
        if not empty:
            raise StoreError(f"{path}: the file is empty; nothing has been captured into it")
        return
    if marker != APPLICATION_ID:
        raise StoreError(f"{path}: a SQLite database of another program, not one of captures")
    odd = [name for kind, name, root in schema if kind in ("view", "trigger") or (kind == "table" and not root)]
    if odd:
        raise StoreError(
            f"{path}: holds {odd[0]!r:.80}, a view, trigger or virtual table, which no file of captures has"
        )
    applied = _applied(database)
    if not applied:
        raise StoreError(f"{path}: says to be a file of captures, but no layout of one is in it")
    newer = sorted(applied - _known_layouts())
    if newer:
        raise StoreError(f"{path}: written by a newer process-replay (layout {newer[-1]:.20}); update process-replay")


def _applied(database: Database) -> set[str]:
    rows = database.execute(
        "select name, applied_at from _sqlite_migrations where migration_set = ?", [MIGRATIONS.name]
    ).fetchall()
    return {str(name) for name, _ in rows}


def _known_layouts() -> set[str]:
    nothing = Database(memory=True, execute_plugins=False)
    try:
        return {step.name for step in MIGRATIONS.pending(nothing)}
    finally:
        nothing.close()
