"""Workers that die, hang, print and lie; each costs its own record only, and none is left behind."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from replay import wire
from replay.errors import RevisionError
from replay.executor import Executor, Lane, Task, default_jobs
from replay.outcome import Result, Status
from replay.process import WorkerProcess
from replay.record import digest_of, parse_capture
from replay.revision import Revision
from replay.worker import ORPHAN_SECONDS

Make = Callable[..., dict[str, Any]]


def revisions(**roots: Path) -> dict[str, Revision]:
    return {name: Revision(name, "c0ffee", name, root) for name, root in roots.items()}


class Bench:
    """Runs texts of ASTs on trees, and gives the results in order."""

    def __init__(self, make: Make, executor: Executor) -> None:
        self._make, self.executor = make, executor

    def run(self, *texts: str, trees: tuple[str, ...] = ("fake",), backend: str | None = None) -> list[Result]:
        payloads = [parse_capture(self._make(text)).data for text in texts]
        data = {digest_of(payload): payload for payload in payloads}
        tasks = [Task(Lane(tree), digest_of(payload), backend, "pinned") for tree in trees for payload in payloads]
        results = dict(self.executor.run(tasks, data.__getitem__))
        assert set(results) == set(tasks)
        return [results[task] for task in tasks]


@pytest.fixture
def broken(tmp_path: Path, fake_root: Path) -> Callable[[str, str], Path]:
    """`broken(name, code)` is a tree whose `core/rules.py` starts with `code`."""

    def make(name: str, code: str) -> Path:
        root = tmp_path / name
        shutil.copytree(fake_root / "core", root / "core")
        rules = root / "core" / "rules.py"
        rules.write_text(f"{code}\n{rules.read_text()}")
        return root

    return make


@pytest.fixture
def own_root(broken: Callable[[str, str], Path]) -> Path:
    """A copy of the tiny compiler that no other test starts workers for."""
    return broken("own", "")


@pytest.fixture
def bench(record: Make, own_root: Path) -> Iterator[Bench]:
    with Executor("core", revisions(fake=own_root), jobs=2, timeout=1.0) as executor:
        yield Bench(record, executor)


def living(root: Path) -> list[int]:
    """The processes of workers that were started for `root`."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
                state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
            except (FileNotFoundError, ProcessLookupError):
                continue
            if str(root).encode() in words and state != "Z":
                found.append(int(entry.name))
    return found


def wait_until(condition: Callable[[], bool], seconds: float = 20.0) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def test_results(bench: Bench) -> None:
    add, multiply = bench.run("1 2 ADD", "3 4 MUL")
    assert add.status is Status.OK
    assert add.src == "int E_3(void) {\n  /*UPCAST4*/return (1 + 2);\n}"
    assert multiply.src == "int E_3(void) {\n  /*UPCAST4*/return (3 * 4);\n}"
    (llvm,) = bench.run("1 2 ADD", backend="llvm")
    assert llvm.global_size == [1, 1, 1]


@pytest.mark.parametrize(
    ("text", "status", "message"),
    [
        ("EXIT", Status.CRASH, "exit status 3: about to leave"),
        ("KILL", Status.CRASH, "killed by SIGSEGV"),
        ("HANG", Status.TIMEOUT, "no answer within 1 s"),
        ("RAISE", Status.ERROR, "no rule for RAISE"),
        ("QUIT", Status.ERROR, "5"),
        ("MYSTERY", Status.UNSUPPORTED, "unknown op MYSTERY"),
    ],
)
def test_one_bad_record_costs_only_itself(bench: Bench, text: str, status: Status, message: str) -> None:
    before, bad, after = bench.run("1 2 ADD", text, "3 NEG")
    assert (before.status, after.status) == (Status.OK, Status.OK)
    assert (bad.status, bad.message) == (status, message)


def test_many_crashes(bench: Bench) -> None:
    texts = [f"{number} NEG" if number % 3 else f"{number} EXIT PAIR" for number in range(12)]
    statuses = [result.status for result in bench.run(*texts)]
    assert statuses == [Status.OK if number % 3 else Status.CRASH for number in range(12)]


def test_what_the_compiler_prints_does_not_break_the_protocol(bench: Bench) -> None:
    results = bench.run("PRINT", "1 2 ADD", "PRINT 1 ADD")
    assert [result.status for result in results] == [Status.OK] * 3


def test_settings_of_the_environment_do_not_reach_the_compiler(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_SETTING", "set")
    monkeypatch.setenv("CAPTURE_PROCESS_REPLAY", "1")
    (result,) = bench.run("SETTING")
    assert "unset" in result.src


def test_the_hash_seed_is_the_lanes(record: Make, fake_root: Path) -> None:
    data = parse_capture(record("HASHED")).data
    sources = []
    for seed in (0, 0, 1):
        worker = WorkerProcess("core", fake_root, seed)
        try:
            worker.hello("the fake")
            sources.append(worker.ask(wire.Request(data, None, "pinned", 5.0)).src)
        finally:
            worker.close()
    assert sources[0] == sources[1] != sources[2]


def test_the_tree_decides_which_compiler_runs(record: Make, fake_root: Path, broken: Callable[..., Path]) -> None:
    other = broken("other tree", "")
    rules = other / "core" / "rules.py"
    rules.write_text(rules.read_text().replace("{} + {}", "{} plus {}"))
    with Executor("core", revisions(fake=fake_root, other=other), jobs=2, timeout=5.0) as executor:
        hellos = executor.hello(["fake", "other"])
        assert hellos["fake"].backends == ["c", "llvm"]
        results = Bench(record, executor).run("1 2 ADD", trees=("fake", "other"))
    assert [result.src.count("plus") for result in results] == [0, 1]


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("x = (", r"revision t \(c0ffee\) does not import: SyntaxError: .* \(at core/rules.py:1\)"),
        ("import nothing_of_this_name", r"ModuleNotFoundError: No module named 'nothing_of_this_name' \(at core/rules"),
        ("raise SystemExit(4)", r"does not import: SystemExit: 4 \(at core/rules.py:1\)"),
        ("import os, sys; print('bye', file=sys.stderr, flush=True); os._exit(9)", "exit status 9: bye"),
        ("import os; os.kill(os.getpid(), 9)", "killed by SIGKILL"),
        ("raise ValueError('first\\nsecond \\x1b[31m')", r"does not import: ValueError: first"),
    ],
)
def test_a_compiler_that_does_not_import(broken: Callable[..., Path], code: str, message: str) -> None:
    root = broken("tree", code)
    with Executor("core", revisions(t=root), jobs=1, timeout=5.0) as executor:
        with pytest.raises(RevisionError, match=message):
            executor.hello(["t"])
        assert not (code.startswith("import os") and living(root))
    assert living(root) == []


def test_a_compiler_that_hangs_while_it_is_imported(broken: Callable[..., Path]) -> None:
    worker = WorkerProcess("core", broken("tree", "import time; time.sleep(60)"), 0)
    try:
        with pytest.raises(RevisionError, match=r"importing the compiler took more than 0\.5 s"):
            worker.hello("the head", timeout=0.5)
    finally:
        worker.close()


def test_a_compiler_from_elsewhere_is_refused(tmp_path: Path, fake_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(fake_root))
    with (
        Executor("core", revisions(t=tmp_path), jobs=1, timeout=5.0) as executor,
        pytest.raises(RevisionError, match="was imported from"),
    ):
        executor.hello(["t"])


def test_a_compiler_that_stops_importing_gives_missing_results(
    record: Make, fake_root: Path, broken: Callable[..., Path]
) -> None:
    bad = broken("bad", "raise RuntimeError('gone')")
    with Executor("core", revisions(fake=fake_root, bad=bad), jobs=2, timeout=5.0) as executor:
        results = Bench(record, executor).run("1 2 ADD", "1 NEG", trees=("fake", "bad"))
    assert [result.status for result in results] == [Status.OK, Status.OK, Status.MISSING, Status.MISSING]
    assert "revision bad (c0ffee) does not import: RuntimeError: gone" in results[2].message


@pytest.mark.parametrize(
    "lie",
    [
        "os.write(3, b'x' * 0) or 7",
        "{'status': 'splendid'}",
        "{'status': 'ok', 'src': 5}",
        "[]",
        "{'status': 'ok', 'src': object()}",
    ],
)
def test_an_answer_that_makes_no_sense(record: Make, broken: Callable[..., Path], lie: str) -> None:
    root = broken("liar", "")
    seam = root / "core" / "process_replay.py"
    seam.write_text(f"{seam.read_text()}\n\ndef replay(record, backend=None, mode='pinned'):\n    return {lie}\n")
    with Executor("core", revisions(t=root), jobs=1, timeout=5.0) as executor:
        (result,) = Bench(record, executor).run("1 2 ADD", trees=("t",))
    assert result.status in (Status.CRASH, Status.ERROR)
    assert result.message


def test_a_newer_record_is_unsupported(bench: Bench, record: Make) -> None:
    raw = parse_capture(record()).data.replace(b"\xa6schema\x01", b"\xa6schema\x07")
    task = Task(Lane("fake"), "d", None, "pinned")
    ((_, result),) = bench.executor.run([task], {"d": raw}.__getitem__)
    assert (result.status, result.field) == (Status.UNSUPPORTED, "schema")


def test_large_records_and_sources_pass(bench: Bench, record: Make) -> None:
    rows: list[list[Any]] = [["CONST", "int", [], ["int", 1]]]
    for number in range(20_000):
        rows.append(["NEG", "int", [0], None] if number % 2 else ["CONST", "int", [], ["int", number]])
    data = parse_capture(record(ast=rows, name="E_" + "1_" * 1000 + "1")).data
    task = Task(Lane("fake"), "d", None, "pinned")
    ((_, result),) = bench.executor.run([task], {"d": data}.__getitem__)
    assert result.status is Status.OK


def test_nothing_runs_after_close(bench: Bench, own_root: Path) -> None:
    bench.run(*[f"{number} NEG" for number in range(40)], "HANG")
    assert living(own_root)
    bench.executor.close()
    assert living(own_root) == []


def test_a_run_that_is_left_early_leaves_no_process(record: Make, own_root: Path) -> None:
    data = parse_capture(record("HANG")).data
    executor = Executor("core", revisions(fake=own_root), jobs=2, timeout=60.0)
    tasks = [Task(Lane("fake"), "d", None, mode) for mode in ("pinned", "free")]
    results = executor.run(tasks, {"d": data}.__getitem__)
    main = threading.get_ident()
    timer = threading.Timer(1.0, lambda: signal.pthread_kill(main, signal.SIGINT))
    timer.start()
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        next(results)
    executor.close()
    assert time.monotonic() - started < 10
    assert living(own_root) == []
    assert not [thread for thread in threading.enumerate() if "_drive" in thread.name]


def test_workers_end_with_their_parent(tmp_path: Path, fake_root: Path) -> None:
    script = (
        "import sys, time\nfrom pathlib import Path\nfrom replay.process import WorkerProcess\n\n"
        "worker = WorkerProcess('core', Path(sys.argv[1]), 0)\nworker.hello('x')\nprint('up', flush=True)\n"
        "time.sleep(60)"
    )
    root = tmp_path / "tree"
    shutil.copytree(fake_root / "core", root / "core")
    parent = subprocess.Popen([sys.executable, "-c", script, str(root)], stdout=subprocess.PIPE)
    assert parent.stdout is not None
    assert parent.stdout.readline() == b"up\n"
    parent.kill()
    parent.communicate()
    assert wait_until(lambda: not living(root))


@pytest.mark.long
def test_a_worker_that_hangs_ends_without_its_parent(tmp_path: Path, fake_root: Path, record: Make) -> None:
    script = (
        "import sys\nfrom pathlib import Path\nfrom replay import wire\nfrom replay.process import WorkerProcess\n\n"
        "worker = WorkerProcess('core', Path(sys.argv[1]), 0)\nworker.hello('x')\nprint('up', flush=True)\n"
        "worker.ask(wire.Request(sys.stdin.buffer.read(), None, 'pinned', 1.0))"
    )
    root = tmp_path / "tree"
    shutil.copytree(fake_root / "core", root / "core")
    parent = subprocess.Popen([sys.executable, "-c", script, str(root)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert parent.stdin is not None
    assert parent.stdout is not None
    assert parent.stdout.readline() == b"up\n"
    parent.stdin.write(parse_capture(record("HANG")).data)
    parent.stdin.close()
    time.sleep(0.5)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    assert living(root)
    assert wait_until(lambda: not living(root), ORPHAN_SECONDS + 10)


def test_default_jobs_are_the_cores() -> None:
    assert 1 <= default_jobs() <= (os.cpu_count() or 1)
