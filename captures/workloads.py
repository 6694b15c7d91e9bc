"""The kernels of the committed corpus, by a name that says what each does.

They are pieces of real programs and, beside them, the cases that compilers get wrong. `WORKLOADS` has, by name, what
`core.builder.kernel` takes: an expression, or several outputs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias

from core.builder import Expr, arange, buffer, conv2d, maximum, minimum, variable, where, windows
from core.dtype import DType, dtypes

__all__ = ["WORKLOADS"]

Outputs: TypeAlias = "Expr | Mapping[str, Expr]"
Workloads: TypeAlias = "Iterator[tuple[str, Outputs]]"


def floats(name: str, *shape: int) -> Expr:
    return buffer(name, shape)


def ints(name: str, *shape: int) -> Expr:
    return buffer(name, shape, dtypes.int)


def of(dtype: DType, name: str, *shape: int) -> Expr:
    return buffer(name, shape, dtype)


def matrix_products() -> Workloads:
    yield "matmul 64x64x64", floats("a", 64, 64) @ floats("b", 64, 64)
    yield "matmul 128x48x32", floats("a", 128, 32) @ floats("b", 32, 48)
    yield "matmul of odd sizes 17x19x23", floats("a", 17, 23) @ floats("b", 23, 19)
    yield "matmul with the left one transposed", floats("a", 24, 40).T @ floats("b", 24, 16)
    yield "matmul with the right one transposed", floats("a", 40, 24) @ floats("b", 16, 24).T
    yield "matmul of half", of(dtypes.half, "a", 64, 32) @ of(dtypes.half, "b", 32, 64)
    product = of(dtypes.half, "a", 32, 1, 64) * of(dtypes.half, "b", 48, 64)
    yield "matmul of half into float", product.cast(dtypes.float).sum(2)
    yield "matmul of double", of(dtypes.double, "a", 16, 20) @ of(dtypes.double, "b", 20, 12)
    yield "matmul of int", ints("a", 16, 24) @ ints("b", 24, 16)
    yield "matmul of batches", floats("a", 4, 16, 32) @ floats("b", 4, 32, 8)
    yield "matmul of a padded matrix", floats("a", 14, 10).pad([(1, 1), (0, 6)]) @ floats("b", 16, 12)
    yield "matrix times vector", floats("a", 256, 128) @ floats("x", 128)
    yield "vector times matrix", floats("x", 128) @ floats("a", 128, 96)
    yield "dot product", floats("x", 1024) @ floats("y", 1024)
    yield "outer product", floats("x", 48, 1) * floats("y", 64)
    yield "linear layer with relu", (floats("x", 32, 64) @ floats("w", 48, 64).T + floats("bias", 48)).relu()


def convolutions() -> Workloads:
    yield "conv2d 3x3 padded", conv2d(floats("x", 2, 3, 16, 16), floats("w", 8, 3, 3, 3), padding=1)
    yield "conv2d 1x1", conv2d(floats("x", 1, 16, 8, 8), floats("w", 24, 16, 1, 1))
    yield "conv2d 3x3 stride 2", conv2d(floats("x", 1, 4, 17, 17), floats("w", 8, 4, 3, 3), stride=2)
    yield "conv2d depthwise", conv2d(floats("x", 1, 8, 12, 12), floats("w", 8, 1, 3, 3), padding=1, groups=8)
    layer = conv2d(floats("x", 1, 3, 10, 10), floats("w", 4, 3, 3, 3), dilation=2) + floats("bias", 4, 1, 1)
    yield "conv2d dilated with bias and relu", layer.relu()
    yield "average pooling 2x2", windows(floats("x", 2, 4, 16, 16), (2, 2), stride=2).mean((4, 5))
    yield "max pooling 3x3 stride 2", windows(floats("x", 1, 4, 15, 15), (3, 3), stride=2).max((4, 5))


def normalisations() -> Workloads:
    x, top, total = floats("x", 32, 100), floats("top", 32, 1), floats("total", 32, 1)
    yield "softmax: maximum", x.max(1)
    yield "softmax: sum of exp", (x - top).exp().sum(1)
    yield "softmax: divide", (x - top).exp() / total
    yield "log softmax", x - top - total.log()
    mean, variance = floats("mean", 32, 1), floats("variance", 32, 1)
    yield "layernorm: mean", x.mean(1)
    yield "layernorm: variance", ((x - mean) * (x - mean)).mean(1)
    scaled = (x - mean) / (variance + 1e-5).sqrt()
    yield "layernorm: normalise", scaled * floats("weight", 100) + floats("bias", 100)
    yield "gelu", 0.5 * x * (1 + (math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)).tanh())
    yield "silu of half", of(dtypes.half, "x", 16, 64) * of(dtypes.half, "x", 16, 64).sigmoid()


def reductions() -> Workloads:
    x = floats("x", 24, 20, 16)
    yield "sum over the first axis", x.sum(0)
    yield "sum over the middle axis", x.sum(1)
    yield "sum over the last axis", x.sum(2)
    yield "sum over all axes", x.sum()
    yield "sum over the outer axes", x.sum((0, 2))
    yield "sum over the first axis, transposed", floats("x", 12, 20, 16).sum(0).T
    yield "maximum over all axes", floats("x", 40, 30).max()
    yield "minimum of int over the last axis", ints("x", 40, 30).min(1)
    yield "product over the last axis", floats("x", 30, 12).prod(1)
    yield "sum of uchar", of(dtypes.uchar, "x", 16, 64).sum(1)
    yield "any of bool", of(dtypes.bool, "x", 32, 24).max(1)
    yield "sum times maximum", floats("x", 32, 48).sum(1) * floats("x", 32, 48).max(1)
    yield "maximum of sums", floats("x", 12, 18).sum(1).max()
    x = floats("x", 12, 16)
    yield "deviation from the mean, recomputed", x - x.mean(1, keepdims=True, recompute=True)


def movements() -> Workloads:
    x = floats("x", 12, 20)
    yield "copy padded", x.pad([(1, 2), (3, 0)])
    yield "copy of every third column", x[:, ::3]
    yield "copy flipped", x.flip((0, 1))
    yield "copy with a negative step", x[::-2, 1:-1]
    yield "copy permuted", floats("x", 6, 8, 10).permute(2, 0, 1)
    yield "copy permuted and reshaped", floats("x", 6, 8, 10).permute(2, 0, 1).reshape(15, 32)
    yield "copy padded and reshaped", floats("x", 5, 7).pad([(0, 1), (1, 0)]).reshape(12, 4)
    yield "padding of an exponential", x.exp().pad([(2, 2), (0, 4)])
    yield "concatenation", x.pad([(0, 8), (0, 0)]) + floats("y", 8, 20).pad([(12, 0), (0, 0)])
    yield "tiles", floats("x", 1, 6, 1, 8).expand(3, 6, 4, 8).reshape(18, 32) * 2
    yield "diagonal", floats("x", 16, 16).reshape(256).pad([(0, 16)]).reshape(16, 17)[:, 0]
    yield "difference of neighbours", x[:, 1:] - x[:, :-1]


def positions() -> Workloads:
    index = ints("index", 24)
    yield "gather", where(arange(40) == index[:, None], floats("table", 40), 0).sum(1)
    chosen = arange(16)[:, None] == index[:, None, None]
    yield "embedding", where(chosen, floats("table", 16, 8), 0).sum(1)
    yield "one hot", (index[:, None] == arange(10)).cast(dtypes.float)
    yield "causal mask", where(arange(16)[:, None] < arange(16), -math.inf, floats("x", 16, 16))
    yield "negative arange divided", arange(10) * -10 // 11
    yield "running sum", where(arange(20)[:, None] >= arange(20), floats("x", 20), 0).sum(1)


def integers() -> Workloads:
    x, y = ints("x", 96), ints("y", 96)
    yield "idiv and mod by constants", x // 7 + x % -5
    yield "idiv of a padded view", x.reshape(8, 12).pad([(0, 0), (2, 2)]) // 4
    yield "quotient and remainder", {"quotient": x // y, "remainder": x % y}
    word = of(dtypes.uint, "x", 64)
    yield "hash of uint", ((word ^ 2747636419) * 2654435769 ^ word // 65536) * 2654435769
    yield "uchar wraps", of(dtypes.uchar, "x", 100) * 3 + 200
    yield "short clamped", minimum(maximum(of(dtypes.short, "x", 60), -100), 100)
    yield "long beyond 32 bits", of(dtypes.long, "x", 50) * 4294967311 - (1 << 40)


def conversions() -> Workloads:
    yield "float to int", (floats("x", 64) * 8).cast(dtypes.int)
    yield "uchar image to float", of(dtypes.uchar, "x", 3, 8, 8) / 255
    yield "double to half", of(dtypes.double, "x", 40).cast(dtypes.half)
    yield "half to float", of(dtypes.half, "x", 8, 40).cast(dtypes.float) * 0.5
    yield "magnitude by bitcast", (floats("x", 48).bitcast(dtypes.uint) & 0x7FFFFFFF).bitcast(dtypes.float)
    yield "exponent by bitcast", (floats("x", 48).bitcast(dtypes.int) // (1 << 23) & 255) - 127


def elementwise() -> Workloads:
    x, y = floats("x", 200), floats("y", 200)
    yield "logic of comparisons", ((x < y) & (y <= 1)) | ~(x == 0)
    yield "nan to zero", where(x != x, 0, x)
    yield "transcendental functions", x.exp() + abs(y).log() * x.sin() - (y * y).sqrt()
    yield "sine of double", of(dtypes.double, "x", 40).sin()
    yield "sum and difference", {"sum": x + y, "difference": x - y}
    m, v, grad = floats("m", 128), floats("v", 128), floats("grad", 128)
    moments = {"m1": 0.9 * m + 0.1 * grad, "v1": 0.999 * v + 0.001 * grad * grad}
    yield "moments of adam", moments


def symbolic() -> Workloads:
    n = variable("n", 1, 32)
    yield "symbolic rows", buffer("x", (n, 24)) * floats("scale", 24)
    yield "symbolic sum", buffer("x", (16, n)).sum(1)
    yield "symbolic slice of a cache", floats("q", 4, 8) @ floats("cache", 32, 8)[:n].T
    yield "symbolic position", floats("table", 32, 16)[n - 1] + floats("x", 16)


TOPICS: Final = (
    matrix_products,
    convolutions,
    normalisations,
    reductions,
    movements,
    positions,
    integers,
    conversions,
    elementwise,
    symbolic,
)
WORKLOADS: Final[dict[str, Outputs]] = {name: outputs for topic in TOPICS for name, outputs in topic()}
