"""Kernels whose sources are kept in `golden/` as well: compiled from ASTs, with what the heuristics choose."""

from __future__ import annotations

from collections.abc import Callable

from core.builder import arange, buffer, conv2d, kernel, variable, where
from core.dtype import dtypes
from core.ir.uop import UOp

__all__ = ["KERNELS"]


def kernel_add() -> UOp:
    return kernel(buffer("a", (256, 4)) + buffer("b", (256, 4)))


def kernel_sum() -> UOp:
    return kernel(buffer("a", (64, 1024)).sum(axis=1))


def kernel_total() -> UOp:
    return kernel(buffer("a", (4096,)).sum())


def kernel_matmul() -> UOp:
    return kernel(buffer("a", (64, 32)) @ buffer("b", (32, 64)))


def kernel_half_product() -> UOp:
    """What tensor cores take."""
    a, b = buffer("a", (64, 1, 64), dtypes.half), buffer("b", (1, 64, 64), dtypes.half)
    return kernel((a * b).cast(dtypes.float).sum(axis=2))


def kernel_softmax_part() -> UOp:
    a = buffer("a", (32, 128))
    return kernel((a - buffer("greatest", (32, 1))).exp().sum(axis=1))


def kernel_convolution() -> UOp:
    return kernel(conv2d(buffer("x", (1, 4, 16, 16)), buffer("w", (8, 4, 3, 3)), padding=1).relu())


def kernel_padded() -> UOp:
    return kernel(buffer("a", (13, 7)).pad(((1, 2), (0, 1))) + 1)


def kernel_flipped() -> UOp:
    return kernel(buffer("a", (60, 4)).flip((0, 1)))


def kernel_uchar_wraps() -> UOp:
    return kernel(buffer("a", (100,), dtypes.uchar) * 3 + 200)


def kernel_halves() -> UOp:
    return kernel(buffer("a", (64, 8), dtypes.half) * 2 + buffer("b", (64, 8), dtypes.half))


def kernel_divide() -> UOp:
    a, b = buffer("a", (100,), dtypes.int), buffer("b", (100,), dtypes.int)
    return kernel(a // b + a % 7)


def kernel_long() -> UOp:
    return kernel(buffer("a", (40,), dtypes.long) * buffer("b", (40,), dtypes.long) + 1)


def kernel_masked_positions() -> UOp:
    return kernel(where(arange(32) < 9, buffer("a", (8, 32)).sin(), 0.0))


def kernel_variable_length() -> UOp:
    n = variable("n", 1, 64)
    return kernel(buffer("a", (n, 16)).sum(axis=0))


KERNELS: dict[str, Callable[[], UOp]] = {
    made.__name__: made
    for made in (
        kernel_add, kernel_sum, kernel_total, kernel_matmul, kernel_half_product, kernel_softmax_part,
        kernel_convolution, kernel_padded, kernel_flipped, kernel_uchar_wraps, kernel_halves, kernel_divide,
        kernel_long, kernel_masked_positions, kernel_variable_length,
    )
}  # fmt: skip
