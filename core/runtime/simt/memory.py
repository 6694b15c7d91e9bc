"""Memory for the buffers of a kernel, between pages that no one may touch.

A buffer either ends next to the page after it, or begins where the page before it ends; a kernel that is run with both
leaves neither end unseen. Buffers begin at a multiple of 32 bytes, as those of GPUs do, so up to 31 bytes may lie
between the end of one and the page; what is written to these is seen afterwards.
"""

from __future__ import annotations

import ctypes
import mmap
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from core.errors import RuntimeFailure

__all__ = ["GuardedBuffer"]

PAGE: Final = mmap.PAGESIZE
GUARD: Final = 1 << 20  # bytes that no one may touch on either side; they cost no memory
PROT_NONE: Final = 0
ALIGNMENT: Final = 32
CANARY: Final = 0xA5

_libc: Final = ctypes.CDLL(None, use_errno=True)


class GuardedBuffer:
    """A copy of an array. `at_end` says at which end of its pages it lies."""

    def __init__(self, number: int, array: NDArray[Any], *, at_end: bool) -> None:
        self.number, self.size = number, array.nbytes
        pages = -(-max(self.size, 1) // PAGE) * PAGE
        self._map = mmap.mmap(-1, pages + 2 * GUARD, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        self.start = ctypes.addressof(ctypes.c_char.from_buffer(self._map))
        self.end = self.start + pages + 2 * GUARD
        for guard in (self.start, self.end - GUARD):
            if _libc.mprotect(ctypes.c_void_p(guard), ctypes.c_size_t(GUARD), PROT_NONE):
                raise RuntimeFailure(f"buffer {number} cannot be guarded: no memory")
        first = self.end - GUARD - self.size
        self.address = first - first % ALIGNMENT if at_end else self.start + GUARD
        self._rest = self.end - GUARD - self.address - self.size
        ctypes.memset(self.address + self.size, CANARY, self._rest)
        ctypes.memmove(self.address, array.ctypes.data, self.size)

    def overrun(self) -> bool:
        """Whether something was written behind the end."""
        return ctypes.string_at(self.address + self.size, self._rest) != bytes([CANARY]) * self._rest

    def contents(self, dtype: np.dtype[Any]) -> NDArray[Any]:
        """What the kernel left in it."""
        return np.frombuffer(ctypes.string_at(self.address, self.size), dtype)

    def holds(self, address: int) -> bool:
        """Whether an address lies in the buffer's pages or in the guards around them."""
        return self.start <= address < self.end
