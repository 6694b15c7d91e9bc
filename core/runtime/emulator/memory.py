"""Memory that notices what it is not meant for: accesses outside of a buffer, vectors that are not aligned, elements
that were never written, and threads that use an element at once.

Indices count elements. An access is made by the lanes that `active` marks, or by all (None), of `lanes` in all.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from core.runtime.emulator.operations import Value

__all__ = ["Fault", "GlobalMemory", "LocalMemory", "spread", "unequal"]

Array: TypeAlias = "NDArray[Any]"
Active: TypeAlias = "NDArray[np.bool_] | None"

SEVERAL: Final = -1


class Fault(Exception):
    """What a lane does is an error. `lane` is its number in the arrays."""

    def __init__(self, text: str, lane: int) -> None:
        super().__init__(text)
        self.lane = lane


def unequal(a: Array, b: Array) -> Array:
    """Where two arrays differ; nan is nan."""
    differ: Array = a != b
    return differ & ((a == a) | (b == b)) if a.dtype.kind == "f" else differ


def spread(value: Value, active: Active, lanes: int) -> Array:
    """A scalar as an array of the active lanes' values."""
    whole: Array = np.broadcast_to(value, (lanes,))
    return whole if active is None else whole[active]


def _lane(active: Active, position: int) -> int:
    """The lane that is number `position` of those active."""
    return position if active is None else int(np.flatnonzero(active)[position])


def _first(wrong: Array) -> int:
    return int(np.argmax(wrong))


def _completed(picked: Array, active: Active, otherwise: Value) -> Array:
    """The values of the active lanes among those that the others have."""
    if active is None:
        return picked
    result = np.empty(active.shape, picked.dtype)
    result[...] = otherwise
    result[active] = picked
    return result


class _Memory:
    """A buffer of `size` elements. `name` is what messages call it."""

    def __init__(self, name: str, size: int) -> None:
        self.name, self.size = name, size

    def check(self, index: Array, count: int, active: Active) -> None:
        """Raise Fault unless `count` elements from each index on are in the buffer and, as a vector, aligned."""
        if int(index.view(f"u{index.itemsize}").max()) > self.size - count:
            wrong = (index < 0) | (index > self.size - count)
            raise self.fault("is outside of it", index, count, active, wrong)
        if count > 1 and (index % count).any():
            raise self.fault("is not aligned", index, count, active, index % count != 0)

    def fault(self, what: str, index: Array, count: int, active: Active, wrong: Array) -> Fault:
        position = _first(wrong)
        return Fault(self.said(int(index.flat[position]), count, what), _lane(active, position))

    def said(self, index: int, count: int, what: str) -> str:
        elements = f"elements {index} to {index + count - 1}" if count > 1 else f"element {index}"
        return f"{elements} of {self.name} ({self.size} elements) {what}"


class GlobalMemory(_Memory):
    """A buffer of the kernel: `array`, which is changed in place. It takes no note of who reads and writes it, but the
    lanes that write one element at once must write the same value."""

    def __init__(self, number: int, array: Array, size: int) -> None:
        super().__init__(f"buffer {number}", size)
        self.array = array

    def load(self, index: Value, count: int, active: Active, lanes: int, otherwise: Value) -> Value:
        """`count` elements, as a scalar or a vector; what is not active gets `otherwise`."""
        if index.ndim == 0 and active is None:
            self.check(index.reshape(1), count, None)
            start = int(index)
            return self.array[start] if count == 1 else tuple(self.array[start : start + count])
        picked = spread(index, active, lanes)
        self.check(picked, count, active)
        if count == 1:
            return _completed(self.array[picked], active, otherwise)
        return tuple([_completed(self.array[picked + i], active, otherwise[i]) for i in range(count)])

    def store(self, index: Value, elements: tuple[Value, ...], active: Active, lanes: int) -> None:
        count = len(elements)
        if index.ndim == 0 and all(element.ndim == 0 for element in elements):
            self.check(index.reshape(1), count, active)
            self.array[int(index) : int(index) + count] = elements
            return
        picked = spread(index, active, lanes)
        self.check(picked, count, active)
        for i, element in enumerate(elements):
            at, value = picked + i if i else picked, spread(element, active, lanes)
            self.array[at] = value
            if (wrong := unequal(self.array[at], value)).any():
                raise self.fault("is written by several threads at once with different values", at, 1, active, wrong)


class LocalMemory(_Memory):
    """An array that each block of threads has for itself. It begins with no values.

    `writer` and `reader` are the threads, counted from 1, that wrote and read each element since the last barrier: 0 is
    none. Threads may write the same value to an element without a barrier between.
    """

    def __init__(self, name: str, size: int, dtype: np.dtype[Any]) -> None:
        super().__init__(f"local buffer {name}", size)
        self.dtype = dtype
        self.allocate(1, 1)

    def allocate(self, blocks: int, threads: int) -> None:
        """Memory for other blocks."""
        total = blocks * self.size
        self.content = np.zeros(total, self.dtype)
        self.written = np.zeros(total, np.bool_)
        self.writer = np.zeros(total, np.int32)
        self.reader = np.zeros(total, np.int32)
        self.base = np.repeat(np.arange(blocks, dtype=np.int64) * self.size, threads)
        self.thread = np.tile(np.arange(1, threads + 1, dtype=np.int32), blocks)

    def synchronise(self, blocks: Active) -> None:
        """A barrier, reached by the blocks that `blocks` marks, or by all."""
        if blocks is None:
            self.writer.fill(0)
            self.reader.fill(0)
        else:
            self.writer.reshape(-1, self.size)[blocks] = 0
            self.reader.reshape(-1, self.size)[blocks] = 0

    def load(self, index: Value, count: int, active: Active, lanes: int, otherwise: Value) -> Value:
        picked, first, threads = self._addressed(index, count, active, lanes)
        found = []
        for i in range(count):
            at, element = first + i, picked + i
            if not self.written[at].all():
                raise self.fault("is read before it is written", element, 1, active, ~self.written[at])
            writer = self.writer[at]
            self._refuse_others("reads", "wrote", writer, threads, (element, active), (writer != 0))
            self._note_readers(at, threads)
            found.append(self.content[at])
        if count == 1:
            return _completed(found[0], active, otherwise)
        return tuple([_completed(value, active, other) for value, other in zip(found, otherwise, strict=True)])

    def store(self, index: Value, elements: tuple[Value, ...], active: Active, lanes: int) -> None:
        picked, first, threads = self._addressed(index, len(elements), active, lanes)
        for i, whole in enumerate(elements):
            at, element, value = first + i, picked + i, spread(whole, active, lanes)
            changed = unequal(self.content[at], value) | ~self.written[at]
            for verb, other in (("read", self.reader[at]), ("wrote", self.writer[at])):
                self._refuse_others("writes", verb, other, threads, (element, active), changed & (other != 0))
            self.content[at], self.written[at], self.writer[at] = value, True, threads
            if (wrong := unequal(self.content[at], value)).any():
                what = "is written by several threads at once with different values"
                raise self.fault(what, element, 1, active, wrong)

    def _addressed(self, index: Value, count: int, active: Active, lanes: int) -> tuple[Array, Array, Array]:
        """(index, place in `content`, thread) of the active lanes."""
        picked = spread(index, active, lanes)
        self.check(picked, count, active)
        return picked, spread(self.base, active, lanes) + picked, spread(self.thread, active, lanes)

    def _refuse_others(
        self, verb: str, before: str, other: Array, threads: Array, where: tuple[Array, Active], counts: Array
    ) -> None:
        """Raise Fault where another thread came before, of the accesses that `counts` marks."""
        wrong = counts & (other != threads)
        if wrong.any():
            index, active = where
            position = _first(wrong)
            who = "several threads" if other[position] == SEVERAL else f"thread {other[position] - 1} of the block"
            said = self.said(int(index[position]), 1, f"was {before} by {who} with no barrier since")
            raise Fault(f"{said}; it is {verb} now", _lane(active, position))

    def _note_readers(self, at: Array, threads: Array) -> None:
        before = self.reader[at]
        self.reader[at] = threads
        several = (before != 0) & (before != threads) | (self.reader[at] != threads)
        self.reader[at[several]] = SEVERAL
