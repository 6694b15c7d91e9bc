"""SQLite through sqlite-utils: opening files that may be locked, foreign, damaged or hostile, and saying which.

Every connection distrusts the file's own schema (`trusted_schema` off, no extension loading), because a capture may
come from anywhere.
"""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

from sqlite_utils import Database

from replay.errors import StoreError, StoreLockedError

__all__ = ["MAX_VALUE_BYTES", "connect", "connect_readonly", "translated", "writing"]

MAX_VALUE_BYTES = 64 << 20
_HEADER_BYTES = 100
_MAGIC = b"SQLite format 3\0"
_WAL_VERSION = 2


def connect(path: Path, *, timeout: float, check: Callable[[Database], None]) -> Database:
    """Open `path` for reading and writing in WAL mode, creating it if need be; waits `timeout` seconds for a lock.

    `check` sees the database before anything in it is changed, and raises if it is not ours.
    """
    # an absolute path, as `:memory:` is not the name of a file to SQLite
    connection = sqlite3.connect(path.absolute(), timeout=timeout, check_same_thread=False, isolation_level=None)
    try:
        database = _prepared(connection)
        check(database)
        _enable_wal(database, timeout)
        database.execute("PRAGMA synchronous=NORMAL")
    except BaseException:
        connection.close()
        raise
    return database


def connect_readonly(path: Path, *, timeout: float) -> Database:
    """Open `path` so that neither it nor its folder is written to.

    A database in WAL mode that nobody has open is opened as immutable: SQLite would otherwise put `-wal` and `-shm`
    files next to a corpus that is under version control, or fail on a read-only disk.
    """
    idle_wal = _is_wal(path) and not path.with_name(path.name + "-wal").exists()
    uri = f"file:{quote(str(path.absolute()))}?mode=ro" + ("&immutable=1" if idle_wal else "")
    connection = sqlite3.connect(uri, uri=True, timeout=timeout, check_same_thread=False, isolation_level=None)
    try:
        database = _prepared(connection)
        database.execute("PRAGMA query_only=ON")
    except BaseException:
        connection.close()
        raise
    return database


def _prepared(connection: sqlite3.Connection) -> Database:
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
    connection.text_factory = lambda data: data.decode("utf-8", "backslashreplace")
    connection.execute("PRAGMA trusted_schema=OFF")
    connection.execute("PRAGMA cell_size_check=ON")
    return Database(connection, execute_plugins=False)


def _is_wal(path: Path) -> bool:
    with path.open("rb") as file:
        header = file.read(_HEADER_BYTES)
    return header.startswith(_MAGIC) and header[18:20] == bytes([_WAL_VERSION, _WAL_VERSION])


def _enable_wal(database: Database, timeout: float) -> None:
    # Changing the journal mode does not honour the busy timeout, so several processes that create one file retry here.
    deadline = time.monotonic() + timeout
    while True:
        try:
            database.enable_wal()
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.02)


@contextmanager
def writing(database: Database) -> Iterator[None]:
    """One write transaction. It takes the lock at once: a deferred one could fail half-way when others write."""
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        # closed, if an interrupt came before the caller was inside; then nothing was written either
        with suppress(sqlite3.ProgrammingError):
            database.rollback()
        raise
    database.execute("COMMIT")


_UNWRITTEN = frozenset({"SQLITE_IOERR_WRITE", "SQLITE_IOERR_FSYNC", "SQLITE_IOERR_TRUNCATE"})


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn what SQLite and the file system raise into a StoreError of one sentence that names `path`."""
    try:
        yield
    except sqlite3.Error as error:
        raise _explained(path, error) from error
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror or error}") from error


def _explained(path: Path, error: sqlite3.Error) -> StoreError:
    text = str(error)
    if "locked" in text or "busy" in text:
        return StoreLockedError(f"{path}: the database is locked by another process; try again when that has finished")
    if "not a database" in text:
        return StoreError(f"{path}: not a SQLite database")
    if getattr(error, "sqlite_errorname", "") in _UNWRITTEN:
        return StoreError(f"{path}: the disk does not take what is written; check its space and quotas ({text})")
    if "malformed" in text or "I/O" in text:
        return StoreError(f"{path}: the database is damaged or truncated ({text})")
    if "full" in text:
        return StoreError(f"{path}: the disk is full")
    if "unable to open" in text:
        return StoreError(f"{path}: cannot be opened; check that its folder exists and may be written to")
    if "readonly" in text:
        return StoreError(f"{path}: the database may not be written to")
    return StoreError(f"{path}: SQLite says: {text}")
