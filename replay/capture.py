"""The sink: what runs inside a captured program and must leave no trace in its behaviour.

`sink` only appends to a list. A thread writes the list to the database a few times a second, so that a program killed
at any moment loses at most what it compiled in its last second. The thread is stopped and the database closed around
every fork, because SQLite's locks do not survive one. Whatever goes wrong becomes one line on standard error and a
count in the database.
"""

import atexit
import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from replay.errors import RecordError, StoreLockedError
from replay.home import HOME, default_database, make_private
from replay.record import Capture, parse_capture
from replay.store import Store

__all__ = ["DATABASE_VARIABLE", "VERSION_VARIABLE", "CaptureSink", "sink"]

DATABASE_VARIABLE = "PROCESS_REPLAY_DB"
VERSION_VARIABLE = "PROCESS_REPLAY_VERSION"
FLUSH_SECONDS = 0.2
BUSY_SECONDS = 1.0  # a longer wait would hold up a fork
EXIT_SECONDS = 20.0
MAX_PENDING = 100_000
BATCH = 100
BACKLOG = 200
BACKLOG_SECONDS = 0.02


class CaptureSink:
    """Collects records of this process and writes them to one database from a thread of its own."""

    def __init__(self, flush_seconds: float = FLUSH_SECONDS) -> None:
        self._flush_seconds = flush_seconds
        self._path: Path | None = None
        self._warned = False
        self._exiting = False
        self._refused = False
        self._renew()

    def _renew(self) -> None:
        """The state that a forked child may not share with its parent."""
        self._lock = threading.RLock()  # a signal handler may compile a kernel too
        self._write_lock = threading.Lock()
        self._pending: list[Mapping[str, object]] = []
        self._captures: list[Capture] = []
        self._errors: Counter[tuple[str, str]] = Counter()
        self._store: Store | None = None
        self._thread: threading.Thread | None = None
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._paused = False
        self._blocked = False
        self._registered = False

    # -- called by the captured program -------------------------------------------------------------------------------

    def put(self, record: Mapping[str, object]) -> None:
        """Take one record. Never raises, and waits for the database only while the interpreter is on its way out.

        A program that compiles faster than records can be written is slowed down, lest too much is lost with it.
        """
        if self._refused:
            return
        with self._lock:
            if len(self._pending) < MAX_PENDING:
                self._pending.append(record)
            else:
                self._count("dropped", "more records waited for a locked database than memory allows")
            started = self._paused or self._start()
        self._wake.set()
        if not started:
            self.drain()
        elif len(self._pending) > BACKLOG and not self._blocked and not self._paused:
            time.sleep(BACKLOG_SECONDS)

    def _start(self) -> bool:
        """Make sure that the thread runs; False where Python starts no more threads."""
        if not self._registered:
            self._register()
        if self._exiting:
            return False
        if self._thread is None:
            thread = threading.Thread(target=self._run, name="process-replay-capture", daemon=True)
            try:
                thread.start()
            except RuntimeError:
                return False
            self._thread = thread
        return True

    def _register(self) -> None:
        self._registered = True
        self._path = _database_path()
        # A child of multiprocessing leaves through os._exit: it runs these finalizers, and never atexit's functions.
        multiprocessing = sys.modules.get("multiprocessing.util")
        if multiprocessing is not None:
            multiprocessing.Finalize(None, self.drain, exitpriority=-100)

    # -- writing ------------------------------------------------------------------------------------------------------

    def _run(self) -> None:
        while not self._stop.is_set():
            self._wake.wait()
            self._stop.wait(self._flush_seconds)
            if self._stop.is_set():
                return
            self._wake.clear()
            if not self._flush():
                self._wake.set()

    def _flush(self) -> bool:
        """Write what is pending, a transaction for each few; False if another process held the database throughout."""
        with self._write_lock:
            while not self._refused and self._encode():
                try:
                    self._write()
                except StoreLockedError:
                    self._blocked = True
                    return False
                except Exception as error:  # this thread has nobody to raise to, and the captured program goes on
                    self._refused = True
                    self._warn(f"nothing more is captured: {error}")
                self._blocked = False
                if self._stop.is_set():
                    break
            return True

    def _encode(self) -> bool:
        """Check the next few records, unless some still wait to be written; False if there is nothing to write."""
        with self._lock:
            count = 0 if self._captures else BATCH
            records, self._pending = self._pending[:count], self._pending[count:]
        for record in records:
            try:
                self._captures.append(parse_capture(record))
            except Exception as error:  # whatever a record holds, the captured program goes on
                reason = str(error) if isinstance(error, RecordError) else f"{type(error).__name__}: {error}"
                self._count(type(error).__name__, reason[:300])
                self._warn(f"a kernel was not captured: {reason}")
        return bool(self._captures or self._errors)

    def _write(self) -> None:
        with self._lock:
            errors = self._errors.copy()
        if self._store is None:
            self._store = _open(self._path or _database_path())
        self._store.add(self._captures, version=os.environ.get(VERSION_VARIABLE, ""), errors=errors)
        self._captures = []
        with self._lock:
            self._errors -= errors

    def _count(self, kind: str, message: str) -> None:
        with self._lock:
            self._errors[kind, message] += 1

    def _warn(self, message: str) -> None:
        if self._warned:
            return
        self._warned = True
        # Not warnings.warn: under -W error that would be an exception in the captured program.
        try:
            sys.stderr.write(f"process-replay: {message} (further problems are only counted: see `replay stats`)\n")
        except (AttributeError, OSError, ValueError):
            return

    # -- stopping -----------------------------------------------------------------------------------------------------

    def _halt(self) -> None:
        """Stop the thread and close the database; what is pending stays."""
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            self._stop.set()
            self._wake.set()
            thread.join()
        self._thread = None
        self._stop.clear()
        with self._write_lock:
            if self._store is not None:
                self._store.close()
                self._store = None

    def drain(self, patience: float = EXIT_SECONDS) -> None:
        """Write everything now, waiting up to `patience` seconds for other processes."""
        self._halt()
        deadline = time.monotonic() + patience
        while not self._flush():
            if time.monotonic() > deadline:
                self._warn(f"{len(self._captures) + len(self._pending)} captures were lost: {self._path} stayed locked")
                break
        self._halt()

    def finish(self) -> None:
        """At the end of the interpreter: write everything, and from here on write each record at once."""
        self._exiting = True
        self.drain()

    def before_fork(self) -> None:
        """Leave nothing of SQLite and no thread in what the fork copies."""
        with self._lock:
            self._paused = True
        self._halt()

    def after_fork_in_parent(self) -> None:
        """Go on where `before_fork` stopped."""
        with self._lock:
            self._paused = False
            waiting = bool(self._pending or self._captures or self._errors)
            if waiting:
                self._start()
        if waiting:
            self._wake.set()

    def after_fork_in_child(self) -> None:
        """Start afresh: what was pending is the parent's to write."""
        self._renew()


def _database_path() -> Path:
    named = os.environ.get(DATABASE_VARIABLE)
    return Path(named).absolute() if named else default_database(Path.cwd())


def _open(path: Path) -> Store:
    if path.parent.name == HOME:
        make_private(path.parent)
    return Store.open(path, timeout=BUSY_SECONDS)


_SINK = CaptureSink()
atexit.register(_SINK.finish)
os.register_at_fork(
    before=_SINK.before_fork, after_in_parent=_SINK.after_fork_in_parent, after_in_child=_SINK.after_fork_in_child
)


def sink(record: Mapping[str, object]) -> None:
    """What the compiler calls with each record when CAPTURE_PROCESS_REPLAY is set."""
    _SINK.put(record)
