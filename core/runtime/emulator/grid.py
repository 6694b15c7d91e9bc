"""The launch of a kernel: its blocks and threads, and which of them each lane of an array is.

A lane is one thread of one block. Lanes are numbered block by block; in a block thread by thread, the first dimension
running fastest, as CUDA, HIP, Metal and OpenCL number the threads of their warps.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from core.errors import RuntimeFailure
from core.ir.ops import Ops
from core.ir.uop import UOp
from core.runtime.emulator.operations import launch_size

__all__ = ["Grid"]

MAX_LAUNCH: Final = 1 << 40  # threads


@dataclass(frozen=True, slots=True)
class Grid:
    """Blocks and threads of a block along each dimension. `grouped` is off where the launch has threads only: each is
    its own block then."""

    blocks: tuple[int, ...]
    threads: tuple[int, ...]
    grouped: bool

    @staticmethod
    def of(uops: Sequence[UOp], variables: Mapping[str, int]) -> Grid:
        """The launch that the SPECIALs of a program ask for. Raises RuntimeFailure for one that there cannot be."""
        sizes: dict[str, dict[int, int]] = {"gidx": {}, "lidx": {}, "idx": {}}
        for node in uops:
            if node.op is Ops.SPECIAL:
                kind, dimension = _dimension(node)
                sizes[kind][dimension] = launch_size(node.arg[1], variables)
        if sizes["idx"] and (sizes["gidx"] or sizes["lidx"]):
            raise RuntimeFailure("a launch is over idx alone, or over gidx and lidx; the program has both")

        blocks, threads = _shape(sizes["gidx"] or sizes["idx"]), _shape(sizes["lidx"])
        if min(*blocks, *threads) < 0 or math.prod(blocks) * math.prod(threads) > MAX_LAUNCH:
            raise RuntimeFailure(f"there is no launch of {blocks} blocks of {threads} threads")
        return Grid(blocks, threads, not sizes["idx"])

    @property
    def block_count(self) -> int:
        return math.prod(self.blocks)

    @property
    def thread_count(self) -> int:
        """Threads of a block."""
        return math.prod(self.threads)

    def index(self, node: UOp, first: int, count: int) -> NDArray[Any]:
        """The value of a SPECIAL in each lane of `count` blocks, the first of them number `first`."""
        kind, dimension = _dimension(node)
        if kind == "lidx":
            position = np.tile(np.arange(self.thread_count, dtype=np.int64), count)
            shape = self.threads
        else:
            position = np.repeat(np.arange(first, first + count, dtype=np.int64), self.thread_count)
            shape = self.blocks
        inner = math.prod(shape[:dimension])
        return (position // inner % shape[dimension]).astype(node.dtype.numpy())

    def name(self, lane: int, first: int) -> str:
        """Which thread the lane is, for messages."""
        block, thread = divmod(lane, self.thread_count)
        place = _unravelled(first + block, self.blocks)
        return f"thread {_unravelled(thread, self.threads)} of block {place}" if self.grouped else f"thread {place}"


def _dimension(special: UOp) -> tuple[str, int]:
    """(`gidx`, 0) for gidx0."""
    name: str = special.arg[0]
    kind = name.rstrip("0123456789")
    return kind, int(name[len(kind) :])


def _shape(sizes: Mapping[int, int]) -> tuple[int, ...]:
    return tuple([sizes.get(dimension, 1) for dimension in range(max(sizes, default=0) + 1)])


def _unravelled(position: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    place = []
    for size in shape:
        position, here = divmod(position, size)
        place.append(here)
    return tuple(place)
