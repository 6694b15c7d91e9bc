"""Results that are known already: a revision's compiler is asked about a record once in its life.

The key is (tree of the compiler and environment, record, backend, mode, hash seed, Python version). This is a cache: a
file that is damaged is put aside and begun anew, and another layout has another name.
"""

import platform
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec
from sqlite_utils import Database

from replay import record
from replay.database import connect, translated, writing
from replay.errors import RecordError, StoreError, StoreLockedError
from replay.executor import Task
from replay.outcome import Result, Status
from replay.wire import Hello

__all__ = ["Memo"]

FILE = "memo-2.db"
KEPT = timedelta(days=30)
BUSY_SECONDS = 30.0
BATCH = 200
BATCH_SECONDS = 1.0
# A crash or a timeout may be the machine's doing: the next run tries again.
LASTING = frozenset({Status.OK, Status.ERROR, Status.UNSUPPORTED})


class Memo:
    """The database of results in the cache folder. Results are written in batches; `flush` writes the rest."""

    def __init__(self, path: Path, database: Database) -> None:
        self.path = path
        self._database = database
        self._python = f"{platform.python_implementation()} {platform.python_version()}"
        self._pending: list[tuple[Task, Result]] = []
        self._written = time.monotonic()
        self._trees: dict[str, int] = {}

    @classmethod
    def open(cls, cache: Path) -> Self:
        """Open or create the memo in `cache`. Raises StoreError if it is locked or the folder cannot be written."""
        path = cache / FILE
        try:
            return cls(path, _open(path))
        except StoreLockedError:
            raise
        except StoreError:
            if not path.is_file():
                raise
        with translated(path):
            for side in ("-wal", "-shm"):
                path.with_name(path.name + side).unlink(missing_ok=True)
            path.replace(path.with_name(path.name + ".damaged"))
        return cls(path, _open(path))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.flush()
        finally:
            self._database.close()

    def hello(self, tree: str) -> Hello | None:
        """What the compiler of `tree` can do, if it was ever imported; marks the tree as used."""
        with translated(self.path):
            row = self._row(
                "select id, schema, backends from trees where tree = ? and python = ?", [tree, self._python]
            )
            if row is None:
                return None
            self._database.execute("update trees set used = ? where id = ?", [_stamp(), row[0]])
        try:
            return msgspec.convert(
                {"schema": row[1], "backends": msgspec.json.decode(row[2], type=list[str])}, type=Hello
            )
        except (msgspec.DecodeError, TypeError):
            return None

    def remember(self, tree: str, hello: Hello) -> None:
        """Note that `tree` imports and what it can do."""
        values = [tree, self._python, hello.schema, msgspec.json.encode(hello.backends).decode(), _stamp()]
        with translated(self.path):
            self._database.execute(
                "insert into trees (tree, python, schema, backends, used) values (?, ?, ?, ?, ?)"
                " on conflict (tree, python) do update"
                " set schema = excluded.schema, backends = excluded.backends, used = excluded.used",
                values,
            )

    def get(self, task: Task) -> Result | None:
        """The result of a task, if it is known."""
        with translated(self.path):
            row = self._row(
                "select r.result, r.src, s.blob from results r left join sources s on s.digest = r.src where r.tree = ?"
                " and r.record = ? and r.backend = ? and r.mode = ? and r.seed = ?",
                self._key(task),
            )
        if row is None:
            return None
        try:
            result = msgspec.msgpack.decode(row[0], type=Result)
            if row[2] is None:
                return None if result.status is Status.OK else result
            source = record.decompress(row[2], 4 * record.MAX_SOURCE_BYTES)
            if record.digest_of(source) == row[1]:
                return msgspec.structs.replace(result, src=source.decode())
        except (msgspec.DecodeError, RecordError, UnicodeDecodeError, TypeError):
            pass
        with translated(self.path):  # the source that it will be compiled to again would not take its place
            self._database.execute("delete from sources where digest = ?", [row[1]])
        return None

    def verdict(self, source: str, backend: str, judges: str) -> dict[str, Any] | None:
        """What the real compilers `judges` said of the source with this digest, if they were asked."""
        with translated(self.path):
            row = self._row(
                "select verdict from verdicts where source = ? and backend = ? and judges = ?",
                [source, backend, judges],
            )
        try:
            return None if row is None else msgspec.msgpack.decode(row[0], type=dict[str, Any])
        except (msgspec.DecodeError, TypeError):
            return None

    def remember_verdict(self, source: str, backend: str, judges: str, verdict: dict[str, Any]) -> None:
        """Keep what they said."""
        values = [source, backend, judges, msgspec.msgpack.encode(verdict), _stamp()]
        with translated(self.path), writing(self._database):
            self._database.execute("insert or replace into verdicts values (?, ?, ?, ?, ?)", values)

    def put(self, task: Task, result: Result) -> None:
        """Remember a result, unless it may be another one next time."""
        if result.status not in LASTING or result.type == "MemoryError":
            return
        self._pending.append((task, result))
        if len(self._pending) >= BATCH or time.monotonic() - self._written > BATCH_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Write what is pending."""
        pending, self._pending = self._pending, []
        self._written = time.monotonic()
        if not pending:
            return
        sources: dict[str, bytes] = {}
        rows = []
        for task, result in pending:
            digest = None
            if result.status is Status.OK:
                text = result.src.encode()
                digest = record.digest_of(text)
                sources.setdefault(digest, record.compress(text))
            rows.append((*self._key(task), digest, msgspec.msgpack.encode(msgspec.structs.replace(result, src=""))))
        with translated(self.path), writing(self._database):
            self._database.conn.executemany("insert or ignore into sources values (?, ?)", list(sources.items()))
            self._database.conn.executemany("insert or replace into results values (?, ?, ?, ?, ?, ?, ?)", rows)

    def _key(self, task: Task) -> tuple[int, str, str, str, int]:
        tree = task.lane.key
        if tree not in self._trees:
            row = self._row("select id from trees where tree = ? and python = ?", [tree, self._python])
            if row is None:
                raise KeyError(f"tree {tree} was not announced with `remember`")
            self._trees[tree] = row[0]
        what = task.mode if task.action == "replay" else f"{task.action} {task.mode} {task.options}"
        return (self._trees[tree], task.digest, task.backend or "", what, task.lane.seed)

    def _row(self, sql: str, parameters: Sequence[Any]) -> tuple[Any, ...] | None:
        row: tuple[Any, ...] | None = self._database.execute(sql, parameters).fetchone()
        return row


def _open(path: Path) -> Database:
    with translated(path):
        database = connect(path, timeout=BUSY_SECONDS, check=lambda database: None)
        try:
            _create(database)
            _prune(database)
        except BaseException:
            database.close()
            raise
    return database


def _create(database: Database) -> None:
    if {"trees", "results", "sources", "verdicts"} <= set(database.table_names()):
        return
    with writing(database):
        database.table("trees").create(
            {"id": int, "tree": str, "python": str, "schema": int, "backends": str, "used": str},
            pk="id", if_not_exists=True,
        )  # fmt: skip
        database.table("trees").create_index(["tree", "python"], unique=True, if_not_exists=True)
        database.table("sources").create({"digest": str, "blob": bytes}, pk="digest", if_not_exists=True)
        database.table("verdicts").create(
            {"source": str, "backend": str, "judges": str, "verdict": bytes, "used": str},
            pk=("source", "backend", "judges"), if_not_exists=True,
        )  # fmt: skip
        database.table("results").create(
            {"tree": int, "record": str, "backend": str, "mode": str, "seed": int, "src": str, "result": bytes},
            pk=("tree", "record", "backend", "mode", "seed"), if_not_exists=True,
        )  # fmt: skip


def _prune(database: Database) -> None:
    """Forget trees that no run has used for a month."""
    limit = _stamp(KEPT)
    database.execute("delete from verdicts where used < ?", [limit])
    if database.execute("select 1 from trees where used < ? limit 1", [limit]).fetchone() is None:
        return
    with writing(database):
        database.execute("delete from results where tree in (select id from trees where used < ?)", [limit])
        database.execute("delete from trees where used < ?", [limit])
        database.execute("delete from sources where digest not in (select src from results where src is not null)")


def _stamp(age: timedelta = timedelta()) -> str:
    return (datetime.now(UTC) - age).isoformat(timespec="seconds")
