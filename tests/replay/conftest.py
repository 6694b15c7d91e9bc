"""What the tests of the harness share: a tiny compiler in a git repository, records of it, and the command line."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import replay
from replay.record import parse_capture
from replay.store import Store

FAKE = Path(__file__).parent / "fake"
HARNESS = Path(replay.__file__).parent.parent

# Git must not see who runs the tests, nor what the machine's configuration says.
GIT_ENVIRONMENT = {
    "GIT_AUTHOR_NAME": "test", "GIT_AUTHOR_EMAIL": "test@localhost", "GIT_COMMITTER_NAME": "test",
    "GIT_COMMITTER_EMAIL": "test@localhost", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull,
}  # fmt: skip

Rows = list[list[Any]]


def rows_of(text: str) -> Rows:
    """`1 2 ADD` as rows; a word that is no number and none of the usual ops takes nothing and stands for itself."""
    arity = {"ADD": 2, "MUL": 2, "NEG": 1, "MAX": 2, "PAIR": 2}
    rows: Rows = []
    stack: list[int] = []
    for word in text.split():
        if word.lstrip("-").isdigit():
            rows.append(["CONST", "int", [], ["int", int(word)]])
        else:
            sources = [stack.pop() for _ in range(arity.get(word, 0))][::-1]
            rows.append([word, "int", sources, None])
        stack.append(len(rows) - 1)
    return rows


def make_record(text: str = "1 2 ADD", **changes: Any) -> dict[str, Any]:
    """A record as the compiler hands it over; `changes` replace its fields."""
    rows = rows_of(text)
    record: dict[str, Any] = {
        "schema": 1,
        "compiler": "core",
        "ast": rows,
        "opts": {"backend": "c", "arch": None},
        "applied_opts": [["UPCAST", 0, 4]],
        "name": f"E_{len(rows)}",
        "context": {"NOOPT": 0},
        "src": f"int E_{len(rows)}(void) {{ /* {text} */ }}",
        "observed": {"global_size": None, "local_size": None, "vars": [], "estimates": {"flops": len(rows)}},
        "provenance": {"source": None, "test": None},
    }
    return record | changes


@dataclass
class Project:
    """A git repository with the tiny compiler in `core/` and captures in `captures/a.db`."""

    root: Path
    environment: dict[str, str] = field(default_factory=lambda: os.environ | GIT_ENVIRONMENT)

    def git(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=self.root, env=self.environment, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    def edit(self, before: str, after: str, path: str = "core/rules.py") -> None:
        file = self.root / path
        text = file.read_text()
        assert before in text
        file.write_text(text.replace(before, after))

    def commit(self, subject: str = "a change") -> str:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", subject)
        return self.git("rev-parse", "HEAD")

    def capture(self, *texts: str, path: str = "captures/a.db", **changes: Any) -> Path:
        """Store one record for each text; where a record comes from is `asts.txt:N`."""
        file = self.root / path
        file.parent.mkdir(exist_ok=True)
        with Store.open(file) as store:
            store.add(
                [
                    parse_capture(
                        make_record(text, provenance={"source": f"asts.txt:{number}", "test": None}) | changes
                    )
                    for number, text in enumerate(texts, 1)
                ]
            )
            store.settle()
        return file


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A repository, in a folder whose name has a space, with one commit; the current folder is in it."""
    root = tmp_path / "a project"
    shutil.copytree(FAKE / "core", root / "core", ignore=shutil.ignore_patterns("__pycache__"))
    made = Project(root)
    made.git("init", "--quiet", "--initial-branch=main")
    made.commit("the compiler")
    monkeypatch.chdir(root)
    monkeypatch.delenv("PROCESS_REPLAY_CACHE", raising=False)
    for name, value in GIT_ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    return made


@dataclass(frozen=True)
class Ran:
    """How a command ended."""

    code: int
    out: str
    err: str


def environment_of(**more: str) -> dict[str, str]:
    """Variables under which a program finds the tiny compiler as its `core`, and this harness."""
    path = os.pathsep.join([str(FAKE), str(HARNESS)])
    return os.environ | GIT_ENVIRONMENT | {"PYTHONPATH": path} | more


def run_process(command: Sequence[str], cwd: Path, **environment: str) -> Ran:
    """Run a command with the tiny compiler as its `core`, and this harness."""
    done = subprocess.run(
        command, cwd=cwd, env=environment_of(**environment), capture_output=True, text=True, timeout=120
    )
    assert "Traceback" not in done.stderr, done.stderr
    return Ran(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def command() -> Callable[..., Ran]:
    """`command("ls", cwd=...)` runs `replay ls` in a process of its own."""

    def run(*arguments: str, cwd: Path, **environment: str) -> Ran:
        return run_process([sys.executable, "-P", "-m", "replay", *arguments], cwd, **environment)

    return run


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """`cli("ls")` runs `replay ls` in this process."""
    from replay.cli import main

    def run(*arguments: str) -> Ran:
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            main(list(arguments))
        printed = capsys.readouterr()
        code = left.value.code
        assert isinstance(code, int)
        return Ran(code, printed.out, printed.err)

    return run


@pytest.fixture
def record() -> Callable[..., dict[str, Any]]:
    """`record("1 2 ADD", name=...)` makes a record as the compiler hands it over."""
    return make_record


@pytest.fixture
def fake_root() -> Path:
    """The folder that holds the tiny compiler as `core/`."""
    return FAKE


@pytest.fixture
def start_python(tmp_path: Path) -> Callable[..., subprocess.Popen[bytes]]:
    """`start_python(script, *arguments, NAME=value)` starts such a program, and does not wait for it."""

    def start(script: str, *arguments: str, stdout: Any = None, **environment: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-c", script, *arguments],
            cwd=tmp_path,
            env=environment_of(**environment),
            stdout=stdout,
            stderr=subprocess.PIPE,
        )

    return start


@pytest.fixture
def run_python() -> Callable[..., Ran]:
    """`run_python(script, cwd=...)` runs a Python program with the tiny compiler and this harness on its path."""

    def run(script: str, cwd: Path, *options: str, **environment: str) -> Ran:
        return run_process([sys.executable, *options, "-c", script], cwd, **environment)

    return run
