"""Print how often our optimiser decides as tinygrad 0.10.1 does, per backend, and list where it does not.

    python tests/conformance/decisions.py [--asts FILE] [--reference FILE] [--backend NAME]... [--limit N] [--show N]

ASTs come one a line in the UOp text form; the reference has, per line `i` and backend, `opts` and `name`. The last
column counts the kernels for which the reference chose tensor cores.

Exit code: 0 every backend agrees on at least 99.9 %, 1 one does not, 2 the data cannot be read.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[2]
if str(REPOSITORY) not in sys.path:
    sys.path.insert(0, str(REPOSITORY))

from core.compiler import optimize  # noqa: E402
from core.ir.text import parse_uop  # noqa: E402
from core.ir.uop import UOp  # noqa: E402
from core.opt import Kernel  # noqa: E402
from core.opt.names import plain  # noqa: E402
from core.opt.tensor_core import CUDA_SM80, INTEL, METAL, RDNA3, TensorCore  # noqa: E402

BAR = 0.999


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a backend on which the optimiser's decisions depend."""

    name: str
    has_local: bool = True
    has_shared: bool = True
    shared_max: int = 32768
    device: str = ""
    tensor_cores: tuple[TensorCore, ...] = ()


TARGETS = {
    limits.name: limits
    for limits in (
        Limits("c", has_local=False),
        Limits("opencl"),
        Limits("metal", tensor_cores=METAL),
        Limits("cuda", shared_max=49152, tensor_cores=CUDA_SM80),
        Limits("hip", shared_max=65536, tensor_cores=RDNA3),
        Limits("intel", tensor_cores=INTEL),
        Limits("qcom"),
        Limits("wgsl"),
    )
}


@dataclass(frozen=True, slots=True)
class Decision:
    """What was chosen for a kernel: `[op, axis, arg]` in order, and its name without colours."""

    opts: list[list[Any]]
    name: str

    @property
    def uses_tensor_cores(self) -> bool:
        return any(op == "TC" for op, _, _ in self.opts)


@dataclass(slots=True)
class Tally:
    """The comparison on one backend."""

    same: int = 0
    tensor_cores: int = 0
    differences: list[tuple[int, Decision, Decision | str]] = field(default_factory=list)

    @property
    def compared(self) -> int:
        return self.same + len(self.differences)

    @property
    def agreement(self) -> float:
        return self.same / self.compared if self.compared else 1.0


def decide(ast: UOp, limits: Limits) -> Decision:
    """Our own decision."""
    kernel = optimize(Kernel(ast, limits))
    opts = [
        [opt.op.name, opt.axis, list(opt.arg) if isinstance(opt.arg, tuple) else opt.arg] for opt in kernel.applied_opts
    ]
    return Decision(opts, plain(kernel.name))


def compare(text: str, reference: dict[str, Any], tallies: dict[str, Tally]) -> None:
    """Add the AST `text`, whose decisions by backend are `reference`, to each backend's tally."""
    ast = parse_uop(text)
    for backend, tally in tallies.items():
        if backend not in reference:
            continue
        theirs = Decision(reference[backend]["opts"], reference[backend]["name"])
        tally.tensor_cores += theirs.uses_tensor_cores
        try:
            ours: Decision | str = decide(ast, TARGETS[backend])
        except Exception as error:  # every failure is a difference to be listed
            ours = f"{type(error).__name__}: {error}"
        if ours == theirs:
            tally.same += 1
        else:
            tally.differences.append((reference["i"], theirs, ours))


def lines_of(path: Path) -> Iterator[str]:
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as file:
        yield from file


def table(tallies: dict[str, Tally]) -> list[str]:
    """The totals as lines of text."""
    lines = [f"{'backend':8} {'compared':>9} {'same':>7} {'different':>10} {'agreement':>10} {'tensor cores':>13}"]
    for backend, tally in tallies.items():
        lines.append(
            f"{backend:8} {tally.compared:9} {tally.same:7} {len(tally.differences):10} "
            f"{tally.agreement:10.4%} {tally.tensor_cores:13}"
        )
    return lines


def main(arguments: list[str] | None = None) -> int:
    data = REPOSITORY.parent / "shared" / "data"
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--asts", type=Path, default=data / "asts.txt.gz")
    parser.add_argument("--reference", type=Path, default=data / "reference-opts.jsonl.gz")
    parser.add_argument("--backend", action="append", choices=sorted(TARGETS), help="default: all")
    parser.add_argument("--limit", type=int, help="compare this many ASTs only")
    parser.add_argument("--show", type=int, default=20, help="list this many differences a backend (default 20)")
    options = parser.parse_args(arguments)

    tallies = {backend: Tally() for backend in options.backend or TARGETS}
    try:
        for text, reference in zip(lines_of(options.asts), lines_of(options.reference), strict=True):
            record = json.loads(reference)
            if options.limit is not None and record["i"] >= options.limit:
                break
            compare(text, record, tallies)
    except (OSError, ValueError) as error:
        print(f"error: cannot read {options.asts} with {options.reference}: {error}", file=sys.stderr)
        return 2

    for backend, tally in tallies.items():
        for line, theirs, ours in tally.differences[: options.show]:
            print(f"{backend} line {line}\n  reference {theirs.name} {theirs.opts}")
            print(f"  ours      {ours if isinstance(ours, str) else f'{ours.name} {ours.opts}'}")
    print("\n".join(table(tallies)))
    return 0 if all(tally.agreement >= BAR for tally in tallies.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
