"""The memo: what is known is not compiled again, and what may change is not remembered."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from replay import memo as memos
from replay.errors import StoreLockedError
from replay.executor import CONFIRM_SEED, Lane, Task
from replay.memo import Memo
from replay.outcome import Result, Status
from replay.wire import Hello

OK = Result(Status.OK, name="k", src="int k;", applied_opts=[["UPCAST", 0, 4]], global_size=[1], estimates={"flops": 3})
TASK = Task(Lane("a" * 40), "d" * 32, None, "pinned")


@pytest.fixture
def memo(tmp_path: Path) -> Memo:
    made = Memo.open(tmp_path)
    made.remember(TASK.lane.key, Hello(1, ["c"]))
    return made


@pytest.mark.parametrize(
    "result",
    [
        OK,
        Result(Status.OK, src=""),
        Result(Status.ERROR, type="RenderError", message="no"),
        Result(Status.UNSUPPORTED, field="ast[0].op", message="unknown"),
    ],
)
def test_a_result_comes_back_as_it_was(memo: Memo, tmp_path: Path, result: Result) -> None:
    assert memo.get(TASK) is None
    memo.put(TASK, result)
    memo.flush()
    with Memo.open(tmp_path) as again:
        assert again.get(TASK) == result


@pytest.mark.parametrize("status", [Status.CRASH, Status.TIMEOUT, Status.MISSING])
def test_what_may_be_the_machines_doing_is_not_remembered(memo: Memo, status: Status) -> None:
    memo.put(TASK, Result(status, message="?"))
    memo.flush()
    assert memo.get(TASK) is None


@pytest.mark.parametrize(
    "other",
    [
        Task(Lane("b" * 40), "d" * 32, None, "pinned"),
        Task(Lane("a" * 40, CONFIRM_SEED), "d" * 32, None, "pinned"),
        Task(Lane("a" * 40), "e" * 32, None, "pinned"),
        Task(Lane("a" * 40), "d" * 32, "llvm", "pinned"),
        Task(Lane("a" * 40), "d" * 32, None, "free"),
    ],
)
def test_every_part_of_the_key_counts(memo: Memo, other: Task) -> None:
    memo.remember("b" * 40, Hello(1, ["c"]))
    memo.put(TASK, OK)
    memo.flush()
    assert memo.get(other) is None


def test_another_python_is_another_compiler(memo: Memo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memo.put(TASK, OK)
    memo.flush()
    monkeypatch.setattr("platform.python_version", lambda: "3.99.0")
    with Memo.open(tmp_path) as other:
        assert other.hello(TASK.lane.key) is None
        other.remember(TASK.lane.key, Hello(1, ["c"]))
        assert other.get(TASK) is None


def test_hello(memo: Memo) -> None:
    assert memo.hello("c" * 40) is None
    memo.remember("c" * 40, Hello(3, ["c", "cuda"]))
    memo.remember("c" * 40, Hello(3, ["c", "cuda"]))
    assert memo.hello("c" * 40) == Hello(3, ["c", "cuda"])


def test_results_are_written_in_batches_and_at_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memos, "BATCH", 3)
    tasks = [Task(TASK.lane, f"{number:032x}", None, "free") for number in range(5)]
    with Memo.open(tmp_path) as memo:
        memo.remember(TASK.lane.key, Hello(1, ["c"]))
        for task in tasks:
            memo.put(task, OK)
        assert [memo.get(task) is not None for task in tasks] == [True] * 3 + [False] * 2
    with Memo.open(tmp_path) as memo:
        assert all(memo.get(task) == OK for task in tasks)


@pytest.mark.parametrize("damage", ["text", "truncated", "cut short"])
def test_a_damaged_memo_is_put_aside(memo: Memo, tmp_path: Path, damage: str) -> None:
    memo.put(TASK, OK)
    memo.__exit__(None, None, None)
    whole = memo.path.read_bytes()
    damaged = {"text": b"no database " * 500, "truncated": whole[:5000], "cut short": whole[:200]}[damage]
    memo.path.write_bytes(damaged)
    with Memo.open(tmp_path) as again:
        again.remember(TASK.lane.key, Hello(1, ["c"]))
        assert again.get(TASK) is None
        again.put(TASK, OK)
    assert memo.path.with_name("memo-2.db.damaged").read_bytes() == damaged


def test_a_damaged_result_is_compiled_again(memo: Memo) -> None:
    memo.put(TASK, OK)
    memo.flush()
    with closing(sqlite3.connect(memo.path)) as connection:
        connection.execute("update sources set blob = x'0102'")
        connection.commit()
    assert memo.get(TASK) is None


def test_a_locked_memo_says_so(memo: Memo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memo.__exit__(None, None, None)
    memo.path.unlink()
    monkeypatch.setattr(memos, "BUSY_SECONDS", 0.05)
    with closing(sqlite3.connect(memo.path)) as other:
        other.execute("create table x (y)")
        other.commit()
        other.execute("begin exclusive")
        with pytest.raises(StoreLockedError, match="locked by another process"):
            Memo.open(tmp_path)


def test_trees_that_nobody_uses_are_forgotten(memo: Memo, tmp_path: Path) -> None:
    recent = Task(Lane("b" * 40), "d" * 32, None, "pinned")
    memo.remember(recent.lane.key, Hello(1, ["c"]))
    memo.put(TASK, OK)
    memo.put(recent, Result(Status.OK, src="another source"))
    memo.flush()
    with closing(sqlite3.connect(memo.path)) as connection:
        connection.execute("update trees set used = '2001-01-01T00:00:00+00:00' where tree = ?", [TASK.lane.key])
        connection.commit()
    with Memo.open(tmp_path) as again:
        assert again.hello(TASK.lane.key) is None
        assert again.get(recent) is not None
    with closing(sqlite3.connect(memo.path)) as connection:
        assert connection.execute("select count(*) from results").fetchone() == (1,)
        assert connection.execute("select count(*) from sources").fetchone() == (1,)
