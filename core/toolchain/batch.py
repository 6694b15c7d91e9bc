"""A tool that judges many sources in one process: a JSON line in for each source, a JSON line out.

The process may die or hang on a source. That source then has no verdict, and the rest goes to a new process.
"""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import IO, Any

from core.toolchain.verdict import ToolchainMissing, Verdict

__all__ = ["hello", "judge"]

SOURCE_SECONDS = 60.0
START_SECONDS = 60.0


def hello(command: Sequence[str], environment: Mapping[str, str] | None = None) -> str:
    """The version that the driver prints first. Raises ToolchainMissing when it cannot start."""
    with _Driver(command, environment) as driver:
        return driver.version


def judge(
    tool: str,
    command: Sequence[str],
    sources: Sequence[str],
    options: Mapping[str, Any],
    environment: Mapping[str, str] | None = None,
    read_log: Callable[[str], dict[str, int]] = lambda log: {},
) -> list[Verdict]:
    """The verdicts of the driver that `command` starts; every request has the fields `source` and `options`.

    `read_log` finds figures in the `log` that an answer may have.
    """
    verdicts: list[Verdict] = []
    while len(verdicts) < len(sources):
        done = len(verdicts)
        try:
            with _Driver(command, environment) as driver:
                for source in sources[done:]:
                    answer = driver.ask({"source": source, **options})
                    verdicts.append(_verdict(f"{tool} {driver.version}", answer, read_log))
        except ToolchainMissing as missing:
            return verdicts + [Verdict.not_run(tool, str(missing))] * (len(sources) - len(verdicts))
        except (EOFError, OSError, TimeoutError, ValueError) as error:
            verdicts.append(Verdict.not_run(tool, f"{tool} {_how_it_ended(error, driver)}"))
    return verdicts


def _verdict(tool: str, answer: Mapping[str, Any], read_log: Callable[[str], dict[str, int]]) -> Verdict:
    if answer.get("accepted") is True:
        figures = {str(key): int(value) for key, value in answer.get("figures", {}).items()}
        return Verdict(tool, True, "", figures | read_log(str(answer.get("log", ""))))
    if answer.get("accepted") is False:
        return Verdict.refused(tool, str(answer.get("message", "")))
    return Verdict.not_run(tool, str(answer.get("message", "it gave no answer")))


def _how_it_ended(error: Exception, driver: _Driver) -> str:
    if isinstance(error, TimeoutError):
        return f"did not answer within {SOURCE_SECONDS:g} s"
    if isinstance(error, ValueError):
        return "gave an answer that makes no sense"
    return f"crashed ({driver.ended()})"


class _Driver:
    """One process of the tool. Its first line says its version, or why it cannot run."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str] | None) -> None:
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                env=None if environment is None else dict(environment),
            )
        except OSError as error:
            raise ToolchainMissing(f"{command[0]} cannot be run: {error.strerror}") from None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input = self._process.stdin
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        threading.Thread(target=self._read, args=(self._process.stdout,), daemon=True).start()
        self.version = ""

    def _read(self, stream: IO[str]) -> None:
        for line in stream:
            self._lines.put(line)
        self._lines.put("")

    def __enter__(self) -> _Driver:
        try:
            first = self._answer(START_SECONDS)
        except (EOFError, TimeoutError, ValueError):
            self.__exit__()
            raise ToolchainMissing(f"its driver does not start ({self.ended()})") from None
        if "missing" in first:
            self.__exit__()
            raise ToolchainMissing(str(first["missing"]))
        self.version = str(first.get("version", ""))
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        self._input.close()

    def ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to one request. Raises EOFError, OSError or TimeoutError when the process died or hangs, and
        ValueError when its answer makes no sense."""
        self._input.write(json.dumps(request) + "\n")
        self._input.flush()
        return self._answer(SOURCE_SECONDS)

    def _answer(self, seconds: float) -> dict[str, Any]:
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            raise TimeoutError from None
        if not line:
            raise EOFError
        answer = json.loads(line)
        if not isinstance(answer, dict):
            raise ValueError("not an object")
        return answer

    def ended(self) -> str:
        """How the process ended, in words."""
        code = self._process.poll()
        if code is None:
            return "it closed its output"
        return f"exit status {code}" if code >= 0 else f"signal {-code}"
