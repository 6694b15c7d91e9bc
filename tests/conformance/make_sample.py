"""Write 200 ASTs that this project builds itself, for which the peer's decisions are then stored beside them.

    python tests/conformance/make_sample.py > tests/conformance/sample-asts.txt
    PEER/bin/python tests/conformance/peer_decisions.py tests/conformance/sample-asts.txt > sample-reference.jsonl

Both files are then packed with `gzip -n -9` and stand beside this script.

The sizes are drawn with a fixed seed, from those for which the heuristics have something to decide.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
if str(REPOSITORY) not in sys.path:
    sys.path.insert(0, str(REPOSITORY))

from core.builder import buffer, conv2d, kernel, where  # noqa: E402
from core.dtype import DType, dtypes  # noqa: E402
from core.ir.text import format_uop  # noqa: E402
from core.ir.uop import UOp  # noqa: E402

COUNT = 200
SIZES = (1, 2, 3, 4, 5, 7, 8, 12, 16, 28, 32, 49, 64, 100, 128, 256, 512)
DTYPES = (dtypes.float, dtypes.float, dtypes.half, dtypes.int)


def product(draw: random.Random) -> UOp:
    m, n, k = (draw.choice(SIZES) for _ in range(3))
    dtype = draw.choice(DTYPES)
    return kernel(buffer("a", (m, k), dtype) @ buffer("b", (k, n), dtype))


def half_product(draw: random.Random) -> UOp:
    """What the tensor cores take: halves multiplied, floats added up."""
    m, n, k = (16 * draw.choice((1, 2, 3, 4, 8)) for _ in range(3))
    a, b = buffer("a", (m, 1, k), dtypes.half), buffer("b", (1, n, k), dtypes.half)
    return kernel((a * b).cast(dtypes.float).sum(axis=2))


def matrix_times_vector(draw: random.Random) -> UOp:
    m, k = (draw.choice((16, 32, 64, 128, 512, 1024)) for _ in range(2))
    return kernel((buffer("a", (m, k)) * buffer("x", (k,))).sum(axis=1))


def convolution(draw: random.Random) -> UOp:
    size, channels, out = draw.choice((8, 14, 16, 28, 32)), draw.choice((1, 3, 4, 16)), draw.choice((4, 8, 16, 32))
    kernel_size = draw.choice((1, 3, 5))
    x, w = buffer("x", (1, channels, size, size)), buffer("w", (out, channels, kernel_size, kernel_size))
    return kernel(conv2d(x, w, padding=kernel_size // 2))


def reduction(draw: random.Random) -> UOp:
    shape = tuple(draw.choice(SIZES) for _ in range(draw.choice((1, 2, 3))))
    axes = tuple(axis for axis in range(len(shape)) if draw.random() < 0.6) or (0,)
    value = buffer("a", shape, draw.choice(DTYPES))
    return kernel(value.sum(axis=axes) if draw.random() < 0.7 else value.max(axis=axes))


def elementwise(draw: random.Random) -> UOp:
    shape = tuple(draw.choice(SIZES) for _ in range(draw.choice((1, 2, 3))))
    dtype: DType = draw.choice(DTYPES)
    a, b = buffer("a", shape, dtype), buffer("b", shape[-1:], dtype)
    return kernel(where(a < b, a, b) if draw.random() < 0.5 else a * b + 1)


def moved(draw: random.Random) -> UOp:
    shape = (draw.choice(SIZES), draw.choice(SIZES))
    value = buffer("a", shape).pad([(draw.randrange(3), draw.randrange(3)) for _ in shape])
    return kernel(draw.choice((value, value.permute((1, 0)), value.flip(0), value + 1)))


KINDS: tuple[Callable[[random.Random], UOp], ...] = (
    product,
    half_product,
    matrix_times_vector,
    convolution,
    reduction,
    elementwise,
    moved,
)


def sample() -> list[str]:
    """The ASTs in the text form, all different."""
    draw = random.Random(0)
    found: dict[str, None] = {}
    while len(found) < COUNT:
        found[format_uop(KINDS[len(found) % len(KINDS)](draw))] = None
    return list(found)


if __name__ == "__main__":
    print("\n".join(sample()))
