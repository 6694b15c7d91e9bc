"""Matrix units: which element of A, B and C each thread of a warp holds where, and their product.

D (M×N) = A (M×K) · B (K×N) + C. A fragment is what one thread holds of a matrix: a vector. The layouts are those that
the vendors document, so that they judge how `core.opt.tensor_core` lays out a kernel's axes:

- CUDA: PTX ISA, "Warp-level matrix fragments for mma.m16n8k8" and "for mma.m16n8k16".
- RDNA3: "RDNA3" Instruction Set Architecture, section 7.9, and AMD GPUOpen, "How to accelerate AI applications on
  RDNA 3 using WMMA": threads 16 to 31 hold copies of what threads 0 to 15 hold of A and B.
- CDNA: AMD matrix instruction calculator, v_mfma_f32_16x16x16_f16.
- Metal: thread_elements() of simdgroup_matrix; the layout is that of US patent 11256518 B2 and of MLX's BaseMMAFrag.
- Intel: cl_intel_subgroup_matrix_multiply_accumulate, subgroups of 8: an int of A or B holds two halves.
- AMX: Apple's fma32, Z[j][i] += X[i] * Y[j], with B in X, A in Y, and C in every fourth row of Z.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from core.errors import RuntimeFailure
from core.ir.uop import UOp
from core.runtime.alu import numpy_dtype
from core.runtime.emulator.memory import Fault, unequal

__all__ = ["UNITS", "Unit", "multiplier"]

Indices: TypeAlias = "NDArray[np.int64]"
# (row, column) of element `e` of thread `t`
Layout: TypeAlias = Callable[[Indices, Indices], "tuple[Indices, Indices]"]


class Unit(NamedTuple):
    """The layouts of A (rows M, columns K), B (rows K, columns N), and C and D (rows M, columns N)."""

    name: str
    a: Layout
    b: Layout
    c: Layout


def _metal(t: Indices, e: Indices) -> tuple[Indices, Indices]:
    """A quad of threads has two rows of four columns; its two low bits, and bits 2 to 4, say which."""
    return (t >> 4 & 1) * 4 + (t >> 2 & 1) * 2 + (t >> 1 & 1), (t >> 3 & 1) * 4 + (t & 1) * 2 + e


def _mma_c(t: Indices, e: Indices) -> tuple[Indices, Indices]:
    return t // 4 + e // 2 * 8, t % 4 * 2 + e % 2


# by the dimensions (N, M, K) and the number of threads, which no two units have in common
UNITS: Final[dict[tuple[tuple[int, int, int], int], Unit]] = {
    ((8, 16, 16), 32): Unit(
        "mma.m16n8k16",
        a=lambda t, e: (t // 4 + e // 2 % 2 * 8, t % 4 * 2 + e % 2 + e // 4 * 8),
        b=lambda t, e: (t % 4 * 2 + e % 2 + e // 2 * 8, t // 4 + 0 * e),
        c=_mma_c,
    ),
    ((8, 16, 8), 32): Unit(
        "mma.m16n8k8",
        a=lambda t, e: (t // 4 + e // 2 * 8, t % 4 * 2 + e % 2),
        b=lambda t, e: (t % 4 * 2 + e, t // 4 + 0 * e),
        c=_mma_c,
    ),
    ((16, 16, 16), 32): Unit(
        "v_wmma_16x16x16",
        a=lambda t, e: (t % 16 + 0 * e, e + 0 * t),
        b=lambda t, e: (e + 0 * t, t % 16 + 0 * e),
        c=lambda t, e: (e * 2 + t // 16, t % 16 + 0 * e),
    ),
    ((16, 16, 16), 64): Unit(
        "v_mfma_16x16x16",
        a=lambda t, e: (t % 16 + 0 * e, t // 16 * 4 + e),
        b=lambda t, e: (t // 16 * 4 + e, t % 16 + 0 * e),
        c=lambda t, e: (t // 16 * 4 + e, t % 16 + 0 * e),
    ),
    ((8, 8, 8), 32): Unit("simdgroup_multiply_accumulate", a=_metal, b=_metal, c=_metal),
    ((8, 8, 16), 8): Unit(
        "intel_sub_group_matrix_mad_k16",
        a=lambda t, e: (e // 2 + 0 * t, t * 2 + e % 2),
        b=lambda t, e: (e + 0 * t, t + 0 * e),
        c=lambda t, e: (e + 0 * t, t + 0 * e),
    ),
    ((16, 16, 1), 1): Unit(
        "amx.fma32",
        a=lambda t, e: (e + 0 * t, 0 * e + 0 * t),
        b=lambda t, e: (0 * e + 0 * t, e + 0 * t),
        c=lambda t, e: (e // 16 + 0 * t, e % 16 + 0 * t),
    ),
}


@functools.lru_cache(maxsize=64)
def _places(layout: Layout, threads: int, elements: int, columns: int) -> Indices:
    """For each thread and each of its elements, in turn, the place in the matrix, counted row by row."""
    row, column = layout(np.arange(threads)[:, None], np.arange(elements)[None, :])
    return (row * columns + column).reshape(-1)


class _Matrix(NamedTuple):
    """One of the matrices of a product: how many elements, and where the threads have them."""

    name: str
    shape: tuple[int, int]
    places: Indices

    def gathered(self, fragments: NDArray[Any], threads: int) -> NDArray[np.float64]:
        """The matrix of each warp, from what each thread holds of it: `fragments` is an array of elements × lanes.

        Raises Fault where threads that hold the same element hold different values.
        """
        held = fragments.T.reshape(-1, self.places.size)
        matrices = np.zeros((len(held), self.shape[0] * self.shape[1]))
        matrices[:, self.places] = held
        if self.places.size > matrices.shape[1]:
            wrong = unequal(matrices[:, self.places], held)
            if wrong.any():
                lane = int(np.argmax(wrong)) // len(fragments)
                raise Fault(f"an element of {self.name} that several threads hold is not the same in all of them", lane)
        return matrices.reshape(-1, *self.shape)


def multiplier(node: UOp) -> Callable[[NDArray[Any], NDArray[Any], NDArray[Any]], NDArray[Any]]:
    """The function that a WMMA computes, of arrays of elements × lanes. Raises RuntimeFailure for a unit not known.

    Products are summed up as doubles and rounded once.
    """
    _, dims, _, dtype_out, _, threads, *_ = node.arg
    unit = UNITS.get((dims, threads))
    if unit is None:
        known = ", ".join([f"{n}×{m}×{k} by {count}" for (n, m, k), count in UNITS])
        n, m, k = dims
        raise RuntimeFailure(f"no unit multiplies {n}×{m}×{k} by {threads} threads; those known are {known}")

    n, m, k = dims
    shapes = {"A": (m, k), "B": (k, n), "C": (m, n)}
    matrices = []
    for (name, shape), layout, source in zip(shapes.items(), unit[1:], node.src, strict=True):
        if source.dtype.count * threads % (shape[0] * shape[1]):
            raise RuntimeFailure(f"{source.dtype.count} elements a thread are no fragment of {name} for {unit.name}")
        matrices.append(_Matrix(name, shape, _places(layout, threads, source.dtype.count, shape[1])))
    to, elements, result = numpy_dtype(dtype_out), node.dtype.count, matrices[2]

    def multiply(*fragments: NDArray[Any]) -> NDArray[Any]:
        a, b, c = [matrix.gathered(held, threads) for matrix, held in zip(matrices, fragments, strict=True)]
        product = (a @ b + c).reshape(len(a), -1)[:, result.places]
        return product.reshape(-1, elements).T.astype(to)

    return multiply
