"""Supervised workers: each runs one revision in a process of its own; one that dies or hangs costs only its record.

A *lane* is a revision with a hash seed. A few threads (`jobs`) each drive one worker at a time, stay on a lane while it
has work, and then help out on the lane with most left. Whatever happens, `close` leaves no process.
"""

import os
import queue
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

import msgspec

from replay.errors import RevisionError
from replay.outcome import Result, Status
from replay.process import WorkerProcess
from replay.revision import Revision
from replay.wire import Hello, Request

__all__ = ["CONFIRM_SEED", "SEED", "Executor", "Lane", "Task", "default_jobs"]

SEED = 0
CONFIRM_SEED = 4217
START_ATTEMPTS = 2
MIN_HELP = 16  # tasks left that are worth the start of another worker


@dataclass(frozen=True, slots=True, order=True)
class Lane:
    """One revision, by its key, run with one hash seed."""

    key: str
    seed: int = SEED


@dataclass(frozen=True, slots=True)
class Task:
    """Compile one record on one lane, or do another action with it. `backend` None is the record's own."""

    lane: Lane
    digest: str
    backend: str | None
    mode: str
    action: str = "replay"
    options: str = ""
    """A JSON object: what else the action is told."""

    def request(self, record: bytes, timeout: float) -> Request:
        """What a worker is asked."""
        options = msgspec.json.decode(self.options, type=dict[str, Any]) if self.options else {}
        return Request(record, self.backend, self.mode, timeout, self.action, options)


def default_jobs() -> int:
    """The number of cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)


@dataclass
class _Queue:
    """The work left on a lane, and how many threads are on it."""

    tasks: deque[Task] = field(default_factory=deque)
    slots: int = 0


class Executor:
    """Runs tasks on supervised workers. `revisions` has, by its key, the revision of each lane."""

    def __init__(
        self,
        adapter: str,
        revisions: Mapping[str, Revision],
        *,
        jobs: int,
        timeout: float,
        memory: int = 0,
    ) -> None:
        self._adapter = adapter
        self._revisions = revisions
        self._jobs = jobs
        self._timeout = timeout
        self._memory = memory
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._workers: set[WorkerProcess] = set()
        self._idle: dict[Lane, list[WorkerProcess]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Kill every worker."""
        self._stopping.set()
        with self._lock:
            workers, self._workers = self._workers, set()
        for worker in workers:
            worker.close()

    def hello(self, keys: Sequence[str]) -> dict[str, Hello]:
        """Import the compiler of each revision, all at once, and say what it can do. Raises RevisionError."""
        started = [(key, self._launch(Lane(key))) for key in keys]
        answers = {}
        for key, worker in started:
            answers[key] = worker.hello(self._revisions[key].label)
            self._idle.setdefault(Lane(key), []).append(worker)
        return answers

    def run(self, tasks: Sequence[Task], payload: Callable[[str], bytes]) -> Iterator[tuple[Task, Result]]:
        """Compile everything; yields results as they come. `payload` gives a record's canonical bytes by digest."""
        queues: dict[Lane, _Queue] = {}
        for task in tasks:
            queues.setdefault(task.lane, _Queue()).tasks.append(task)
        results: queue.SimpleQueue[tuple[Task, Result] | BaseException] = queue.SimpleQueue()
        slots = [
            threading.Thread(target=self._drive, args=(queues, payload, results), daemon=True)
            for _ in range(min(self._jobs, len(tasks)))
        ]
        for slot in slots:
            slot.start()
        finished = False
        try:
            for _ in tasks:
                item = results.get()
                if isinstance(item, BaseException):
                    raise item
                yield item
            finished = True
        finally:
            if not finished:
                self._stopping.set()
                with self._lock:
                    workers = list(self._workers)
                for worker in workers:
                    worker.kill()
            for slot in slots:
                slot.join()

    def _drive(
        self,
        queues: dict[Lane, _Queue],
        payload: Callable[[str], bytes],
        results: "queue.SimpleQueue[tuple[Task, Result] | BaseException]",
    ) -> None:
        lane: Lane | None = None
        worker: WorkerProcess | None = None
        try:
            while not self._stopping.is_set():
                task = self._take(queues, lane)
                if task is None:
                    break
                if task.lane != lane:
                    self._put_back(lane, worker)
                    lane, worker = task.lane, None
                request = task.request(payload(task.digest), self._timeout)
                try:
                    worker = worker or self._obtain(lane)
                    result = worker.ask(request)
                    if result.status is Status.CRASH and worker.served > 1 and not self._stopping.is_set():
                        # what the records before it left behind may have killed the worker: try this one alone
                        self._forget(worker)
                        worker = None
                        worker = self._start(lane)
                        result = worker.ask(request)
                except RevisionError as error:
                    for lost in [task, *self._give_up(queues[lane])]:
                        results.put((lost, Result(Status.MISSING, message=str(error))))
                    continue
                results.put((task, result))
                if not worker.alive:
                    self._forget(worker)
                    worker = None
            self._put_back(lane, worker)
        except BaseException as error:  # the main thread raises it
            results.put(error)

    def _take(self, queues: dict[Lane, _Queue], lane: Lane | None) -> Task | None:
        with self._lock:
            if lane is not None:
                if queues[lane].tasks:
                    return queues[lane].tasks.popleft()
                queues[lane].slots -= 1
            open_lanes = [q for q in queues.values() if q.tasks and (q.slots == 0 or len(q.tasks) >= MIN_HELP)]
            if not open_lanes:
                return None
            chosen = max(open_lanes, key=lambda q: len(q.tasks) / (1 + q.slots))
            chosen.slots += 1
            return chosen.tasks.popleft()

    def _give_up(self, work: _Queue) -> list[Task]:
        with self._lock:
            rest = list(work.tasks)
            work.tasks.clear()
        return rest

    def _obtain(self, lane: Lane) -> WorkerProcess:
        with self._lock:
            if self._idle.get(lane):
                return self._idle[lane].pop()
        return self._start(lane)

    def _start(self, lane: Lane) -> WorkerProcess:
        for attempt in range(START_ATTEMPTS):
            worker = self._launch(lane)
            try:
                worker.hello(self._revisions[lane.key].label)
                return worker
            except RevisionError:
                self._forget(worker)
                if attempt + 1 == START_ATTEMPTS or self._stopping.is_set():
                    raise
        raise AssertionError("unreachable: the last attempt raises")

    def _launch(self, lane: Lane) -> WorkerProcess:
        revision = self._revisions[lane.key]
        worker = WorkerProcess(self._adapter, revision.path, lane.seed, self._memory, revision.environment)
        with self._lock:
            self._workers.add(worker)
        if self._stopping.is_set():
            worker.kill()
        return worker

    def _put_back(self, lane: Lane | None, worker: WorkerProcess | None) -> None:
        if lane is not None and worker is not None:
            with self._lock:
                self._idle.setdefault(lane, []).append(worker)

    def _forget(self, worker: WorkerProcess) -> None:
        with self._lock:
            self._workers.discard(worker)
        worker.close()
