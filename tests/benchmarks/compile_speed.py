"""How much faster than tinygrad 0.10.1 is the compiler? CPU seconds a kernel, side by side in one run.

Both sides compile the same ASTs, drawn with a fixed seed, for the C backend with the hand-coded heuristics on. What is
measured is the CPU time (`time.process_time`) from an AST that has been read to its source. Every round starts a fresh
process a side, with the same interpreter, an empty environment and an empty home: no round profits from another.
tinygrad is installed from PyPI into a virtual environment of its own.

Exit codes: 0 the ratio reaches the bar, 1 it does not, 2 it could not be told.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[2]
CHILD = Path(__file__).resolve().with_name("compile_speed_child.py")
PEER, PEER_VERSION = "tinygrad", "0.10.1"
SIDES = ("core", "peer")
INHERITED = ("PATH", "LD_LIBRARY_PATH", "TMPDIR")

Kernel = dict[str, Any]


class CannotTellError(Exception):
    """There is no figure. `str(error)` is the sentence shown to the user."""


@dataclass(frozen=True)
class Drawn:
    """One AST of the draw, with its line in the file."""

    line: int
    text: str


@dataclass(frozen=True)
class Figures:
    """One side of one round; times in CPU milliseconds a kernel that compiled, `total_s` in CPU seconds."""

    compiled: int
    failed: int
    mean_ms: float
    median_ms: float
    p90_ms: float
    total_s: float


@dataclass(frozen=True)
class Round:
    """One round; `ratio` is the peer's time over core's on the `both` kernels that both sides compiled, 0 if none."""

    core: Figures
    peer: Figures
    both: int
    ratio: float


# The draw


def read_lines(path: Path) -> list[Drawn]:
    """The distinct ASTs of a file of one AST a line (gzipped or not), without those that use images."""
    try:
        data = path.read_bytes()
        text = (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode()
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise CannotTellError(f"{path} cannot be read as ASTs, one a line: {reason}; name a file with --asts") from None

    first_line: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and "dtypes.image" not in line:
            first_line.setdefault(line.strip(), number)
    if not first_line:
        raise CannotTellError(f"{path} holds no AST; name a file with --asts")
    return [Drawn(number, line) for line, number in first_line.items()]


def draw(lines: Sequence[Drawn], count: int, warm_up: int, seed: int) -> tuple[list[Drawn], list[Drawn]]:
    """`count` ASTs to measure and `warm_up` others, or as many as there are. The same arguments draw the same ASTs."""
    generator = random.Random(seed)
    measured = generator.sample(lines, min(count, len(lines)))
    taken = set(measured)
    others = [line for line in lines if line not in taken]
    return measured, generator.sample(others, min(warm_up, len(others)))


# The two sides


def default_peer_environment() -> Path:
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "process-replay" / f"{PEER}-{PEER_VERSION}-{sys.implementation.cache_tag}"


def peer_python(environment: Path, *, ours: bool) -> Path:
    """The interpreter of a virtual environment that holds the peer, which is made if need be.

    `ours` says that the folder is this script's, which may then replace one that another Python made.
    """
    python = environment / "bin" / "python"
    if holds_peer(python):
        return python
    if not ours and environment.exists() and not (environment.is_dir() and not any(environment.iterdir())):
        raise CannotTellError(
            f"{environment} is no virtual environment with {PEER} {PEER_VERSION} and this Python; "
            "remove it or name another with --peer-env"
        )

    print(f"installing {PEER} {PEER_VERSION} into {environment}", file=sys.stderr)
    run_setup([sys.executable, "-m", "venv", "--clear", str(environment)])
    run_setup([str(python), "-m", "pip", "install", "--disable-pip-version-check", f"{PEER}=={PEER_VERSION}"])
    if not holds_peer(python):
        raise CannotTellError(f"{PEER} {PEER_VERSION} was installed into {environment} and is not found there")
    return python


def holds_peer(python: Path) -> bool:
    """Whether this interpreter is the running one's version and has the peer's version installed."""
    question = f"import sys, importlib.metadata as m; print([m.version({PEER!r}), sys.version])"
    try:
        answer = subprocess.run([python, "-c", question], capture_output=True, text=True, check=False)
    except OSError:
        return False
    return answer.stdout.strip() == str([PEER_VERSION, sys.version])


def run_setup(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CannotTellError(f"`{' '.join(command)}` failed: {last_line(done.stderr or done.stdout)}")


def run_child(python: Path, side: str, job: Path, folder: Path, timeout: float) -> dict[str, Any]:
    """Run one side of one round in a process of its own, and return what it measured."""
    with tempfile.TemporaryDirectory(dir=folder) as home:
        result = Path(home) / "result.json"
        environment = {key: os.environ[key] for key in INHERITED if key in os.environ}
        environment |= {"HOME": home, "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "0", "PYTHONNOUSERSITE": "1"}
        try:
            done = subprocess.run(
                [python, CHILD, side, job, result],
                env=environment,
                cwd=home,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=timeout,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise CannotTellError(f"a round of {side} took more than {timeout:g} s; see --timeout") from None
        if done.returncode:
            raise CannotTellError(f"a round of {side} ended with code {done.returncode}: {last_line(done.stderr)}")
        measured: dict[str, Any] = json.loads(result.read_text(encoding="utf-8"))
        return measured


def last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1] if lines else "it printed nothing"


def run_rounds(options: argparse.Namespace, measured: list[Drawn], warm_up: list[Drawn]) -> list[dict[str, Any]]:
    """Every round's results by side. The sides take turns at going first, so that the machine's drift favours none."""
    default = default_peer_environment()
    environment = options.peer_env.expanduser().absolute() if options.peer_env else default
    pythons = {"core": Path(sys.executable), "peer": peer_python(environment, ours=environment == default)}
    rounds = []
    with tempfile.TemporaryDirectory(prefix="compile-speed-") as name:
        folder = Path(name)
        job = folder / "job.json"
        texts = {"warm_up": [line.text for line in warm_up], "asts": [line.text for line in measured]}
        job.write_text(json.dumps({"root": str(REPOSITORY), **texts}), encoding="utf-8")
        for number in range(options.rounds):
            print(f"round {number + 1} of {options.rounds}", file=sys.stderr)
            order = SIDES if number % 2 == 0 else SIDES[::-1]
            rounds.append({side: run_child(pythons[side], side, job, folder, options.timeout) for side in order})
    return rounds


# The figures


def figures(kernels: Sequence[Kernel]) -> Figures:
    times = sorted(kernel["ms"] for kernel in kernels if kernel["ok"])
    failed = len(kernels) - len(times)
    if not times:
        return Figures(0, failed, 0.0, 0.0, 0.0, 0.0)
    p90 = times[math.ceil(0.9 * len(times)) - 1]
    return Figures(len(times), failed, statistics.fmean(times), statistics.median(times), p90, sum(times) / 1e3)


def compare(core: Sequence[Kernel], peer: Sequence[Kernel]) -> Round:
    """One round of both sides, on the same ASTs in the same order."""
    pairs = [(mine["ms"], theirs["ms"]) for mine, theirs in zip(core, peer, strict=True) if mine["ok"] and theirs["ok"]]
    spent, peers = sum(mine for mine, _ in pairs), sum(theirs for _, theirs in pairs)
    return Round(figures(core), figures(peer), len(pairs), peers / spent if spent else 0.0)


def verdict(rounds: Sequence[Round], drawn: int, bar: float, least: float) -> tuple[float, int, str]:
    """The median ratio, the exit code and the sentence that says it."""
    ratio = statistics.median(each.ratio for each in rounds)
    both = min(each.both for each in rounds)
    if both == 0 or both < least * drawn:
        reason = f"both compiled {both} of {drawn} ASTs, less than the {least:.0%} that a verdict needs"
        return ratio, 2, f"could not tell: {reason}"
    reached = ratio >= bar
    return ratio, 0 if reached else 1, f"the bar of {bar:g} is {'reached' if reached else 'missed'}"


def failures(kernels: Sequence[Kernel], measured: Sequence[Drawn]) -> list[dict[str, Any]]:
    return [
        {"line": line.line, "error": kernel["error"]}
        for line, kernel in zip(measured, kernels, strict=True)
        if not kernel["ok"]
    ]


def summarise(options: argparse.Namespace, measured: list[Drawn], results: list[dict[str, Any]]) -> dict[str, Any]:
    """Everything that is printed, as data."""
    rounds = [compare(each["core"]["kernels"], each["peer"]["kernels"]) for each in results]
    ratio, code, sentence = verdict(rounds, len(measured), options.bar, options.least)
    core, peer = (results[0][side]["kernels"] for side in SIDES)
    kernels = [
        {
            "line": line.line,
            "core": core[i].get("name"),
            "peer": peer[i].get("name"),
            "core_ms": statistics.median(each["core"]["kernels"][i]["ms"] for each in results),
            "peer_ms": statistics.median(each["peer"]["kernels"][i]["ms"] for each in results),
        }
        for i, line in enumerate(measured)
    ]
    return {
        "asts": options.asts.name,
        "drawn": len(measured),
        "seed": options.seed,
        "python": sys.version.split()[0],
        "peer": results[0]["peer"]["version"],
        "rounds": [asdict(each) for each in rounds],
        "same_name": sum(kernel["core"] is not None and kernel["core"] == kernel["peer"] for kernel in kernels),
        "failures": {side: failures(results[0][side]["kernels"], measured) for side in SIDES},
        "kernels": kernels,
        "ratio": ratio,
        "bar": options.bar,
        "verdict": sentence,
        "exit_code": code,
    }


def print_text(summary: dict[str, Any]) -> None:
    peer = summary["peer"]
    print(f"{summary['drawn']} ASTs of {summary['asts']} (seed {summary['seed']}), backend c, heuristics on,", end=" ")
    print(f"Python {summary['python']}; CPU time from AST to source\n")
    print(f"{'':16} {'round':>5} {'compiled':>8} {'failed':>6} {'mean ms':>8} {'median':>8} {'p90':>8} {'total s':>8}")
    for side in SIDES:
        for number, each in enumerate(summary["rounds"], 1):
            row = each[side]
            print(f"{'core' if side == 'core' else peer:16} {number:5} {row['compiled']:8} {row['failed']:6}", end=" ")
            print(f"{row['mean_ms']:8.2f} {row['median_ms']:8.2f} {row['p90_ms']:8.2f} {row['total_s']:8.2f}")
    print()
    for side in SIDES:
        failed = summary["failures"][side]
        for error, count in Counter(each["error"] for each in failed).most_common(5):
            line = next(each["line"] for each in failed if each["error"] == error)
            print(f"{side} failed on {count}, first on line {line}: {error}")
    both = min(each["both"] for each in summary["rounds"])
    print(f"both compiled {both}; {summary['same_name']} have the same kernel name on both sides")
    ratios = ", ".join(f"{each['ratio']:.2f}" for each in summary["rounds"])
    print(f"ratio of the totals, {peer} over core, on what both compiled: {ratios}; median {summary['ratio']:.2f}")
    print(summary["verdict"])


# The command line


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    def positive(text: str) -> int:
        number = int(text)
        if number < 1:
            raise ValueError
        return number

    parser = argparse.ArgumentParser(
        prog="compile_speed.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    asts = REPOSITORY.parent / "shared" / "data" / "asts.txt.gz"
    parser.add_argument(
        "--asts", type=Path, default=asts, metavar="FILE", help="ASTs in the UOp text form, one a line, .gz too"
    )
    parser.add_argument("--count", type=positive, default=300, help="ASTs to draw (default %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the draw (default %(default)s)")
    parser.add_argument("--rounds", type=positive, default=3, help="fresh processes a side (default %(default)s)")
    parser.add_argument("--warm-up", type=positive, default=10, help="other ASTs compiled first, unmeasured")
    parser.add_argument("--bar", type=float, default=3.0, help="the ratio to reach (default %(default)s)")
    parser.add_argument(
        "--least", type=float, default=0.9, help="share of the draw that both must compile (default %(default)s)"
    )
    parser.add_argument("--timeout", type=float, default=600.0, help="seconds for a round of one side")
    parser.add_argument(
        "--peer-env",
        type=Path,
        metavar="PATH",
        help=f"virtual environment of {PEER}, made if absent (default: a cache)",
    )
    parser.add_argument("--json", action="store_true", help="print data instead of text")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> int:
    options = arguments(argv)
    try:
        measured, warm_up = draw(read_lines(options.asts), options.count, options.warm_up, options.seed)
        summary = summarise(options, measured, run_rounds(options, measured, warm_up))
    except CannotTellError as error:
        print(f"error: could not tell: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("error: could not tell: interrupted", file=sys.stderr)
        return 2
    if options.json:
        print(json.dumps(summary, indent=1))
    else:
        print_text(summary)
    return int(summary["exit_code"])


if __name__ == "__main__":
    sys.exit(main())
