"""Memory for the buffers of a kernel, between pages that no one may touch.

A buffer either ends next to the page after it, or begins where the page before it ends; a kernel that is run with both
leaves neither end unseen. A buffer that is accessed by vectors begins at a multiple of their size, so where its size is
none there are bytes between its end and the page. What is written to these is seen afterwards; what is read from them
differs from run to run.
"""

from __future__ import annotations

import ctypes
import mmap
from typing import Any, Final

from numpy.typing import NDArray

from core.errors import RuntimeFailure

__all__ = ["GuardedBuffer"]

PAGE: Final = mmap.PAGESIZE
GUARD: Final = 1 << 20  # bytes that no one may touch on either side; they cost no memory
PROT_NONE: Final = 0

_libc: Final = ctypes.CDLL(None, use_errno=True)


class GuardedBuffer:
    """A copy of an array at a multiple of `alignment` bytes.

    `at_end` says at which end of its pages it lies; `fill` is the byte that what is left of them behind it holds.
    """

    def __init__(self, number: int, array: NDArray[Any], *, alignment: int, fill: int, at_end: bool) -> None:
        self.number, self.size, self._fill = number, array.nbytes, fill
        pages = -(-max(self.size, 1) // PAGE) * PAGE
        self._map = mmap.mmap(-1, pages + 2 * GUARD, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        self.start = ctypes.addressof(ctypes.c_char.from_buffer(self._map))
        self.end = self.start + pages + 2 * GUARD
        for guard in (self.start, self.end - GUARD):
            if _libc.mprotect(ctypes.c_void_p(guard), ctypes.c_size_t(GUARD), PROT_NONE):
                raise RuntimeFailure(f"buffer {number} cannot be guarded: no memory")
        first = self.end - GUARD - self.size
        self.address = first - first % alignment if at_end else self.start + GUARD
        self._rest = self.end - GUARD - self.address - self.size
        ctypes.memset(self.address + self.size, fill, self._rest)
        ctypes.memmove(self.address, array.ctypes.data, self.size)

    def overrun(self) -> bool:
        """Whether something was written behind the end."""
        return ctypes.string_at(self.address + self.size, self._rest) != bytes([self._fill]) * self._rest

    def contents(self) -> bytes:
        """What the kernel left in it."""
        return ctypes.string_at(self.address, self.size)

    def holds(self, address: int) -> bool:
        """Whether an address lies in the buffer's pages or in the guards around them."""
        return self.start <= address < self.end
