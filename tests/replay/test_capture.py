"""The sink: nothing is lost, and the captured program does not notice.

Each test runs real programs, since the promises are about processes: killed, forked, many at once.
"""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from replay.capture import CaptureSink
from replay.store import Entry, Store

Run = Callable[..., Any]
Start = Callable[..., subprocess.Popen[bytes]]

PROLOGUE = """
import os, sys, time
from core.process_replay import capture_kernel, make_record

def emit(number, **changes):
    row = ["CONST", "int", [], ["int", number]]
    capture_kernel(make_record([row], "E_1", test=f"number {number}") | changes)
"""


def numbers(path: Path) -> list[int]:
    """The numbers that were captured, each as often as it was observed."""
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("select test, count from observations").fetchall()
    return sorted(int(test.split()[1]) for test, count in rows for _ in range(count))


def test_a_program_captures_and_runs_as_ever(run_python: Run, tmp_path: Path) -> None:
    script = PROLOGUE + "for n in range(50): emit(n)\nprint('done')\nsys.exit(7)"
    ran = run_python(script, tmp_path)
    assert (ran.code, ran.out, ran.err) == (7, "done\n", "")
    database = tmp_path / ".replay" / "captures.db"
    assert numbers(database) == list(range(50))
    assert (tmp_path / ".replay" / ".gitignore").read_text() == "*\n"


def test_four_processes_at_once_lose_none(tmp_path: Path, start_python: Start) -> None:
    path = tmp_path / "all.db"
    script = (
        PROLOGUE + "first = int(sys.argv[1])\nfor n in range(first, first + 300):\n    emit(n)\n    time.sleep(0.001)"
    )
    programs = [start_python(script, str(start), PROCESS_REPLAY_DB=str(path)) for start in (0, 300, 600, 900)]
    for program in programs:
        _, errors = program.communicate(timeout=60)
        assert (program.returncode, errors) == (0, b"")
    assert numbers(path) == list(range(1200))
    with Store.open_readonly(path) as store:
        assert all(isinstance(entry, Entry) and entry.unpack() for entry in store.entries())


@pytest.mark.parametrize("running", [1.3, 1.9])
def test_a_killed_program_loses_nothing_older_than_a_second(
    tmp_path: Path, start_python: Start, running: float
) -> None:
    path = tmp_path / "killed.db"
    # It compiles as hard as it can, so that the thread that writes has to fight for every moment.
    script = PROLOGUE + (
        "n = 0\nwhile True:\n    emit(n)\n    print(n, time.monotonic(), flush=True)\n    n += 1\n"
        "    sum(i * i for i in range(3000))"
    )
    printed = tmp_path / "out"
    with printed.open("w") as out:
        program = start_python(script, stdout=out, PROCESS_REPLAY_DB=str(path))
    deadline = time.monotonic() + 30
    while not printed.stat().st_size:
        assert program.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)
    time.sleep(running)
    killed = time.monotonic()
    program.send_signal(signal.SIGKILL)
    program.wait()
    lines = [line.split() for line in printed.read_text().splitlines()]
    old = [int(line[0]) for line in lines if len(line) == 2 and float(line[1]) < killed - 1]
    kept = numbers(path) if path.exists() else []
    assert set(old) <= set(kept)
    assert len(old) > 10


def test_a_fork_with_records_pending_loses_and_doubles_nothing(run_python: Run, tmp_path: Path) -> None:
    script = (
        PROLOGUE
        + """
for n in range(100): emit(n)
time.sleep(0.3)   # the thread has the database open by now
for n in range(100, 200): emit(n)
child = os.fork()
if not child:
    for n in range(1000, 1100): emit(n)
    sys.exit(0)
for n in range(200, 300): emit(n)
assert os.waitpid(child, 0)[1] == 0
"""
    )
    ran = run_python(script, tmp_path, "-W", "error")
    assert (ran.code, ran.err) == (0, "")
    assert numbers(tmp_path / ".replay" / "captures.db") == [*range(300), *range(1000, 1100)]


def test_children_of_multiprocessing_lose_nothing(run_python: Run, tmp_path: Path) -> None:
    script = (
        PROLOGUE
        + """
import multiprocessing
emit(0)
context = multiprocessing.get_context("fork")
children = [context.Process(target=emit, args=(n,)) for n in range(1, 9)]
for child in children: child.start()
for child in children: child.join()
assert [child.exitcode for child in children] == [0] * 8
"""
    )
    ran = run_python(script, tmp_path)
    assert (ran.code, ran.err) == (0, "")
    assert numbers(tmp_path / ".replay" / "captures.db") == list(range(9))


def test_tests_on_several_workers_of_xdist_lose_nothing(run_python: Run, tmp_path: Path) -> None:
    lines = PROLOGUE + "import pytest\n\n@pytest.mark.parametrize('n', range(40))\ndef test_it(n):\n    emit(n)\n"
    (tmp_path / "test_some.py").write_text(lines)
    script = "import sys, pytest; sys.exit(pytest.main(['-q', '-n', '2', '-p', 'no:cacheprovider', '--rootdir=.']))"
    ran = run_python(script, tmp_path, "-P", PROCESS_REPLAY_DB=str(tmp_path / "a.db"))
    assert ran.code == 0, ran.out
    assert numbers(tmp_path / "a.db") == list(range(40))


def test_kernels_compiled_while_the_interpreter_exits(run_python: Run, tmp_path: Path) -> None:
    script = (
        "import atexit\n@atexit.register\ndef late():\n    for n in range(10, 20): emit(n)\n" + PROLOGUE + "emit(0)"
    )
    ran = run_python(script, tmp_path)
    assert (ran.code, ran.err) == (0, "")
    assert numbers(tmp_path / ".replay" / "captures.db") == [0, *range(10, 20)]


def test_threads_and_signal_handlers_may_compile(run_python: Run, tmp_path: Path) -> None:
    script = (
        PROLOGUE
        + """
import signal, threading
signal.signal(signal.SIGALRM, lambda *_: emit(999))
signal.setitimer(signal.ITIMER_REAL, 0.05)
threads = [threading.Thread(target=lambda first=first: [emit(n) for n in range(first, first + 50)])
           for first in range(0, 200, 50)]
for thread in threads: thread.start()
for thread in threads: thread.join()
time.sleep(0.1)
"""
    )
    ran = run_python(script, tmp_path)
    assert (ran.code, ran.err) == (0, "")
    assert numbers(tmp_path / ".replay" / "captures.db") == [*range(200), 999]


def test_a_bad_record_is_one_warning_and_a_count(run_python: Run, tmp_path: Path, command: Run) -> None:
    script = (
        PROLOGUE + "emit(0)\nfor n in range(5): emit(1, ast=[])\nemit(2, ast=[['A', 'int', [], object()]])\nemit(3)"
    )
    ran = run_python(script, tmp_path, "-W", "error")
    assert ran.code == 0
    assert ran.err.count("\n") == 1
    assert "a kernel was not captured: ast: empty" in ran.err
    database = tmp_path / ".replay" / "captures.db"
    assert numbers(database) == [0, 3]
    stats = command("stats", "--db", str(database), cwd=tmp_path)
    assert "errors           6" in stats.out
    assert "5 times" in stats.out
    assert "ast: empty" in stats.out


@pytest.mark.parametrize("kind", ["foreign", "text", "below a file", "folder"])
def test_a_database_that_cannot_be_used_costs_a_warning(run_python: Run, tmp_path: Path, kind: str) -> None:
    path = tmp_path / "x.db"
    if kind == "foreign":
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("create table other (x)")
            connection.commit()
    elif kind == "folder":
        path.mkdir()
    else:
        path.write_text("not a database " * 100)
    before = path.read_bytes() if path.is_file() else None
    named = path / "y.db" if kind == "below a file" else path
    ran = run_python(
        PROLOGUE + "for n in range(9):\n    emit(n)\n    time.sleep(0.05)\nprint('done')", tmp_path,
        PROCESS_REPLAY_DB=str(named),
    )  # fmt: skip
    assert (ran.code, ran.out) == (0, "done\n")
    assert ran.err.count("\n") == 1
    assert "nothing more is captured" in ran.err
    assert str(named) in ran.err
    if before is not None:
        assert path.read_bytes() == before


def test_a_database_that_is_locked_for_a_while(tmp_path: Path, start_python: Start) -> None:
    path = tmp_path / "busy.db"
    Store.open(path).close()
    with closing(sqlite3.connect(path)) as other:
        other.execute("begin immediate")
        program = start_python(PROLOGUE + "for n in range(50): emit(n)", PROCESS_REPLAY_DB=str(path))
        time.sleep(1.5)
        other.rollback()
    _, errors = program.communicate(timeout=60)
    assert (program.returncode, errors) == (0, b"")
    assert numbers(path) == list(range(50))


def test_a_closed_standard_error_does_not_matter(run_python: Run, tmp_path: Path) -> None:
    script = PROLOGUE + "sys.stderr = None\nemit(1, ast=[])\ntime.sleep(0.4)\nemit(2)\nprint('done')"
    assert run_python(script, tmp_path).out == "done\n"
    assert numbers(tmp_path / ".replay" / "captures.db") == [2]


def test_memory_is_bounded_while_nothing_can_be_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, record: Callable[..., dict[str, Any]]
) -> None:
    monkeypatch.setattr("replay.capture.MAX_PENDING", 10)
    monkeypatch.setenv("PROCESS_REPLAY_DB", str(tmp_path / "a.db"))
    sink = CaptureSink(flush_seconds=60)
    for number in range(25):
        sink.put(record(f"{number} NEG"))
    sink.drain()
    with Store.open_readonly(tmp_path / "a.db") as store:
        stats = store.stats()
    assert stats["records"] == 10
    assert [(error["kind"], error["count"]) for error in stats["capture_errors"]] == [("dropped", 15)]
