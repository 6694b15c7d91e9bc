"""One worker seen from the outside: started, asked, timed, killed.

Nothing that a worker does can hang or break its owner: every wait has a deadline, and every end is put into words.
"""

import os
import select
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from replay import wire
from replay.environment import PRESENT, Environment
from replay.errors import RevisionError
from replay.outcome import Result, Status

__all__ = ["START_SECONDS", "WorkerProcess"]

START_SECONDS = 120.0
MAX_LOG_BYTES = 1 << 20

# The harness comes first on the path only while its own modules are imported.
_BOOT = (
    "import sys; homes = sys.argv.pop(1).split('\\n'); sys.path[:0] = homes; from replay.worker import main; "
    "del sys.path[:len(homes)]; sys.exit(main())"
)
# Results are memoised, so nothing else of the environment may reach the compiler: its settings come from the record.
_ENVIRONMENT = (
    "PATH", "HOME", "TMPDIR", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "VIRTUAL_ENV",
    "PYTHONHOME",
)  # fmt: skip


def _environment(seed: int) -> dict[str, str]:
    environment = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
    path = [str(Path(entry).absolute()) for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    if path:
        environment["PYTHONPATH"] = os.pathsep.join(path)
    return environment | {"PYTHONHASHSEED": str(seed), "PYTHONUTF8": "1"}


class WorkerProcess:
    """One process that compiles with the tree below `root`. Not shared between threads, except for `kill`."""

    def __init__(
        self, adapter: str, root: Path, seed: int, memory: int = 0, environment: Environment = PRESENT
    ) -> None:
        """`memory` is the most bytes of address space that it may have; 0 for no limit."""
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the worker
        self._root = root
        homes = "\n".join(map(str, environment.harness))
        self._process = subprocess.Popen(
            [environment.python, "-P", "-c", _BOOT, homes, adapter, str(root), str(memory)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            cwd=root,
            env=_environment(seed),
            start_new_session=True,  # Ctrl-C is for the parent alone, and the group is killed as one
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input, self._output = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._input, False)
        self._buffer = bytearray()
        self.served = 0
        """How many requests it was given."""

    def hello(self, label: str, timeout: float = START_SECONDS) -> wire.Hello:
        """Wait for the worker's first message. Raises RevisionError if `label`'s compiler cannot be imported."""
        try:
            answer: wire.Hello | wire.Failure = _hello(self._receive(time.monotonic() + timeout))
        except TimeoutError:
            self.kill()
            raise RevisionError(f"{label}: importing the compiler took more than {timeout:g} s") from None
        except (EOFError, wire.WireError, OSError) as error:
            raise RevisionError(
                f"{label}: the process ended while it imported the compiler: {self._end(error)}"
            ) from None
        if isinstance(answer, wire.Failure):
            self.kill()
            place = f" (at {answer.where})" if answer.where else ""
            raise RevisionError(f"{label} does not import: {answer.failure}{place}")
        return answer

    def ask(self, request: wire.Request) -> Result:
        """Have something done with one record. After a crash or a timeout the worker is dead (`alive`)."""
        timeout = request.timeout
        deadline = time.monotonic() + timeout
        self.served += 1
        try:
            self._send(wire.frame(request), deadline)
            result: Result = wire.decode(self._receive(deadline), Result)
        except TimeoutError:
            self.kill()
            return Result(Status.TIMEOUT, message=f"no answer within {timeout:g} s")
        except (EOFError, wire.WireError, OSError) as error:
            return Result(Status.CRASH, message=self._end(error))
        if os.fstat(self._log.fileno()).st_size > MAX_LOG_BYTES:
            self._log.truncate(0)
            os.lseek(self._log.fileno(), 0, os.SEEK_SET)  # the offset is shared with the worker
        return result

    @property
    def alive(self) -> bool:
        """Whether the process still runs."""
        return self._process.poll() is None

    def kill(self) -> None:
        """End the worker and all that it started; safe at any time, from any thread, repeatedly."""
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """Kill the worker and release its pipes."""
        self.kill()
        for stream in (self._process.stdin, self._process.stdout, self._log):
            if stream is not None:
                stream.close()

    def _end(self, error: Exception) -> str:
        """Say in words how the worker ended, after it broke off or broke the protocol."""
        if isinstance(error, wire.WireError):
            self.kill()
            return str(error)
        try:
            code = self._process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            self.kill()
            return "it closed its output without ending"
        how = f"exit status {code}" if code >= 0 else f"killed by {_signal_name(-code)}"
        size = os.fstat(self._log.fileno()).st_size
        lines = os.pread(self._log.fileno(), 4096, max(0, size - 4096)).decode("utf-8", "replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return f"{how}: {last}" if last else how

    def _send(self, data: bytes, deadline: float) -> None:
        view = memoryview(data)
        while view:
            _wait(self._input, select.POLLOUT, deadline)
            view = view[os.write(self._input, view[: select.PIPE_BUF]) :]

    def _receive(self, deadline: float) -> bytes:
        length = wire.frame_length(self._read(wire.LENGTH.size, deadline))
        return self._read(length, deadline)

    def _read(self, count: int, deadline: float) -> bytes:
        while len(self._buffer) < count:
            _wait(self._output, select.POLLIN, deadline)
            data = os.read(self._output, 1 << 20)
            if not data:
                raise EOFError
            self._buffer += data
        taken = bytes(self._buffer[:count])
        del self._buffer[:count]
        return taken


def _hello(data: bytes) -> wire.Hello | wire.Failure:
    try:
        return wire.decode(data, wire.Hello)
    except wire.WireError:
        return wire.decode(data, wire.Failure)


def _wait(descriptor: int, event: int, deadline: float) -> None:
    poll = select.poll()
    poll.register(descriptor, event)
    if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
        raise TimeoutError


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
