"""Write down what tinygrad 0.10.1 decides for ASTs, as the reference that `decisions.py` compares with.

Run by a Python that has tinygrad 0.10.1; it opens no device:

    python -m venv PEER && PEER/bin/pip install tinygrad==0.10.1
    PEER/bin/python tests/conformance/peer_decisions.py ASTS [--limit N] > REFERENCE

ASTS has one AST a line in the UOp text form (.gz too). A line of the reference is `{"i": line, BACKEND: {"opts": [[op,
axis, arg]...], "name": ...}...}`: required optimisations, then tensor cores, else the hand-coded ones; names without
colour and running suffix.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks"))

from compile_speed_child import evaluate, plain


def names() -> Mapping[str, Any]:
    """What an AST's text is made of, by the peer's names."""
    from tinygrad.dtype import dtypes
    from tinygrad.ops import Ops, UOp
    from tinygrad.shape.shapetracker import ShapeTracker
    from tinygrad.shape.view import View

    constructors = {"UOp": UOp, "Ops": Ops, "dtypes": dtypes, "ShapeTracker": ShapeTracker, "View": View}
    return {**constructors, "inf": math.inf, "nan": math.nan}


def renderers() -> Mapping[str, Any]:
    """The peer's renderer of each backend, in the architecture that ours has by default."""
    from tinygrad.renderer import cstyle
    from tinygrad.renderer.wgsl import WGSLRenderer

    metal = cstyle.MetalRenderer()
    metal.tensor_cores = cstyle.MetalRenderer.tensor_cores  # off an Apple machine it has none
    return {
        "c": cstyle.ClangRenderer(),
        "opencl": cstyle.OpenCLRenderer(),
        "metal": metal,
        "cuda": cstyle.CUDARenderer("sm_80"),
        "hip": cstyle.AMDRenderer(),
        "intel": cstyle.IntelRenderer(),
        "qcom": cstyle.QCOMRenderer(),
        "wgsl": WGSLRenderer(),
    }


def decide(ast: Any, renderer: Any) -> dict[str, Any]:
    from tinygrad.codegen.kernel import Kernel

    kernel = Kernel(ast, opts=renderer).required_optimizations()
    if not kernel.apply_tensor_cores(1):
        kernel = Kernel(ast, opts=renderer).hand_coded_optimizations()
    return {"opts": [[opt.op.name, opt.axis, opt.arg] for opt in kernel.applied_opts], "name": plain(kernel.name)}


def write(lines: list[str], choose: Callable[[str], dict[str, Any]]) -> None:
    for number, text in enumerate(lines):
        print(json.dumps({"i": number, **choose(text)}, separators=(",", ":")))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("asts", type=Path)
    parser.add_argument("--limit", type=int, help="the first N lines only")
    options = parser.parse_args()

    data = options.asts.read_bytes()
    text = (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode()
    known, by_backend = names(), renderers()
    write(
        text.splitlines()[: options.limit],
        lambda line: {name: decide(evaluate(line, known), renderer) for name, renderer in by_backend.items()},
    )


if __name__ == "__main__":
    main()
