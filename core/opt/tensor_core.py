"""Tensor cores: matrix units that a group of threads drives together, and how a kernel's axes are laid out for them.

D(M, N) = A(M, K) * B(K, N) + C(M, N). Every axis of a unit is split into axes of size 2, so that the layout of a
fragment is a permutation of them. `opts` says in order which halves of N ("0") and M ("1") become threads ("l") or
elements of a thread ("u"); all halves of K are elements. The axes are numbered in the order threads, K, other elements.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, TypeAlias

from core.dtype import DType, dtypes

__all__ = ["AMX", "CDNA", "CUDA_SM75", "CUDA_SM80", "INTEL", "METAL", "RDNA3", "TensorCore"]

Swizzle: TypeAlias = "tuple[tuple[int, ...], tuple[int, ...]]"


@dataclass(frozen=True, slots=True)
class TensorCore:
    """One matrix unit.

    `dims`: N, M, K. `threads`: how many drive it. `elements_per_thread`: of A, B and C. `swizzle`: for A and for B,
    which axis each thread axis and each element axis of the fragment comes from; None where they are the same.
    """

    dims: tuple[int, int, int]
    threads: int
    elements_per_thread: tuple[int, int, int]
    dtype_in: DType
    dtype_out: DType
    opts: tuple[str, ...]
    swizzle: tuple[Swizzle | None, Swizzle | None] = (None, None)

    def __post_init__(self) -> None:
        locals_, upcasts, reduces = len(self.local_axes), len(self.upcast_axes), len(self.reduce_axes)
        if self.dims[0] * self.dims[1] != 1 << (locals_ + upcasts):
            raise ValueError(f"{self}: the opts do not split N x M, {self.dims[0]} x {self.dims[1]}, into halves")
        if self.threads != 1 << locals_:
            raise ValueError(f"{self}: {locals_} local opts do not make {self.threads} threads")
        if self.elements_per_thread[2] != 1 << upcasts:
            raise ValueError(f"{self}: {upcasts} upcasts do not make {self.elements_per_thread[2]} elements of C")
        for swizzle in self.swizzle:
            if swizzle is None:
                continue
            if len(swizzle[0]) != locals_ or sorted((*swizzle[0], *swizzle[1])) != list(
                range(locals_ + upcasts + reduces)
            ):
                raise ValueError(f"{self}: {swizzle} is not a permutation of its axes")

    def __str__(self) -> str:
        return "_".join(["WMMA", *map(str, self.dims), self.dtype_in.name, self.dtype_out.name])

    @property
    def reduce_axes(self) -> range:
        """The halves of K."""
        return range(int(math.log2(self.dims[2])))

    @property
    def upcast_axes(self) -> tuple[str, ...]:
        return tuple([opt for opt in self.opts if opt[0] == "u"])

    @property
    def local_axes(self) -> tuple[str, ...]:
        return tuple([opt for opt in self.opts if opt[0] == "l"])


def _family(
    dims: tuple[int, int, int],
    threads: int,
    elements: tuple[int, int, int],
    opts: str,
    swizzle: tuple[Swizzle | None, Swizzle | None],
    types: tuple[tuple[DType, DType], ...],
) -> tuple[TensorCore, ...]:
    """The same unit for several pairs of input and output types."""
    return tuple([TensorCore(dims, threads, elements, a, b, tuple(opts.split()), swizzle) for a, b in types])


_HALF_FLOAT: Final = (dtypes.half, dtypes.float)
_HALF_HALF: Final = (dtypes.half, dtypes.half)
_BF16_FLOAT: Final = (dtypes.bfloat16, dtypes.float)

# PTX ISA, "Matrix fragments for mma.m16n8k8" and "mma.m16n8k16"
_MMA_OPTS: Final = "u0 l0 l0 l1 l1 l1 u1"
_MMA_16816: Final = _family(
    (8, 16, 16),
    32,
    (8, 4, 4),
    _MMA_OPTS,
    (((6, 7, 2, 3, 4), (0, 1, 9, 5, 10, 8)), ((6, 7, 9, 0, 1), (2, 3, 4, 10, 5, 8))),
    (_HALF_FLOAT, _BF16_FLOAT),
)
_MMA_1688: Final = _family(
    (8, 16, 8),
    32,
    (4, 2, 4),
    _MMA_OPTS,
    (((6, 7, 2, 3, 4), (0, 1, 8, 5, 9)), ((6, 7, 8, 0, 1), (2, 3, 4, 9, 5))),
    (_HALF_FLOAT,),
)
CUDA_SM75: Final = _MMA_1688
CUDA_SM80: Final = _MMA_16816 + _MMA_1688

# "RDNA3" Instruction Set Architecture, section 7.9: WMMA, wave32
RDNA3: Final = _family(
    (16, 16, 16),
    32,
    (16, 16, 8),
    "l0 l0 l0 l0 l1 u1 u1 u1",
    (((4, 9, 10, 11, 0), (1, 2, 3, 5, 6, 7, 8)), ((0, 1, 2, 3, 4), (9, 10, 11, 5, 6, 7, 8))),
    (_HALF_FLOAT, _HALF_HALF),
)

# "AMD Instinct MI300" Instruction Set Architecture, section 7: MFMA 16x16x16, wave64
CDNA: Final = _family(
    (16, 16, 16),
    64,
    (4, 4, 4),
    "l0 l0 l0 l0 u1 u1 l1 l1",
    (((10, 11, 4, 5, 8, 9), (0, 1, 2, 3, 6, 7)), ((0, 1, 2, 3, 8, 9), (4, 5, 10, 11, 6, 7))),
    (_HALF_FLOAT, _BF16_FLOAT),
)

# Metal Shading Language Specification, section 6.7: simdgroup_matrix, 8x8
METAL: Final = _family(
    (8, 8, 8),
    32,
    (2, 2, 2),
    "u0 l0 l1 l1 l0 l1",
    (((6, 1, 2, 7, 4), (8, 0, 3, 5)), ((0, 5, 6, 3, 7), (1, 2, 4, 8))),
    (
        (dtypes.float, dtypes.float),
        _HALF_FLOAT,
        _HALF_HALF,
        _BF16_FLOAT,
        (dtypes.bfloat16, dtypes.bfloat16),
    ),
)

# cl_intel_subgroup_matrix_multiply_accumulate: 8x8x16, subgroups of 8
INTEL: Final = _family(
    (8, 8, 16),
    8,
    (16, 16, 8),
    "l0 l0 l0 u1 u1 u1",
    (((4, 5, 6), (0, 1, 2, 3, 7, 8, 9)), ((0, 1, 2), (7, 8, 9, 3, 4, 5, 6))),
    (_HALF_FLOAT,),
)

# Apple AMX: an outer product of two registers of 64 bytes, by one thread
AMX: Final = _family(
    (16, 16, 1),
    1,
    (16, 16, 256),
    "u0 u0 u0 u0 u1 u1 u1 u1",
    (None, ((), (4, 5, 6, 7, 0, 1, 2, 3))),
    ((dtypes.float, dtypes.float),),
)
