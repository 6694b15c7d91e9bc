"""Running a program: its source built with the headers of its language, its buffers guarded, its errors in words."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from core.errors import RuntimeFailure
from core.ir.ops import Ops
from core.runtime.base import checked_buffer, parameters, scalar_argument
from core.runtime.emulator.grid import Grid
from core.runtime.simt.build import compiler, driver, kernel_library
from core.runtime.simt.memory import GuardedBuffer

if TYPE_CHECKING:
    from core.render.program import ProgramSpec

__all__ = ["SIMTRuntime"]

HEADERS: Final = {"cuda": "simt_cuda.h", "hip": "hip/hip_runtime.h", "metal": "metal_stdlib"}
# of Metal, what a kernel gets of its place as parameters, by the prefix of the SPECIALs that need it
PLACES: Final = {"gidx": "simt_group", "lidx": "simt_thread", "idx": "(simt_group * simt_threads + simt_thread)"}
WAITING: Final = (Ops.BARRIER, Ops.WMMA)
FINE, FAULT, TRAP, DIVERGED, NO_MEMORY = range(5)


class SIMTRuntime:
    """Runs programs of one of the backends in `HEADERS`."""

    def __init__(self, backend: str) -> None:
        self.backend = backend

    def version(self) -> str:
        return f"threads as fibers, by {compiler()[1]}"

    def run(
        self, program: ProgramSpec, buffers: Mapping[int, NDArray[Any]], variables: Mapping[str, int] | None = None
    ) -> None:
        pointers, names = parameters(program)
        arrays = [checked_buffer(program, pointer, buffers) for pointer in pointers]
        scalars = [np.asarray(scalar_argument(variable, variables)) for variable in names]
        library = kernel_library(program.src, _entry(program, len(pointers) + len(names)), HEADERS[self.backend])
        grid = Grid.of(program.uops, variables or {})
        for at_end in (False, True):
            guarded = [
                GuardedBuffer(pointer.arg, array, at_end=at_end)
                for pointer, array in zip(pointers, arrays, strict=True)
            ]
            _launch(program, library, grid, guarded, scalars)
            for buffer in guarded:
                if buffer.overrun():
                    raise RuntimeFailure(f"kernel {program.name} writes behind the end of buffer {buffer.number}")
        for pointer, array, held in zip(pointers, arrays, guarded, strict=True):
            if pointer.arg in program.outs:
                array[:] = held.contents(array.dtype)


def _entry(program: ProgramSpec, count: int) -> str:
    """A function that calls the kernel with what is behind an array of pointers."""
    given = [f"simt_argument{{arguments[{number}]}}" for number in range(count)]
    if program.backend == "metal":
        used = {node.arg[0][:-1] for node in program.uops if node.op is Ops.SPECIAL}
        given += [place for prefix, place in PLACES.items() if prefix in used]
    return f'extern "C" void simt_entry(void **arguments) {{ {program.function_name}({", ".join(given)}); }}'


def _launch(
    program: ProgramSpec,
    library: ctypes.CDLL,
    grid: Grid,
    buffers: Sequence[GuardedBuffer],
    scalars: Sequence[NDArray[Any]],
) -> None:
    addresses = [buffer.address for buffer in buffers] + [scalar.ctypes.data for scalar in scalars]
    given = (ctypes.c_void_p * len(addresses))(*addresses)
    groups, threads = (
        (ctypes.c_uint * 3)(*(*sizes, 1, 1)[:3])
        for sizes in (grid.blocks, grid.threads)
    )  # fmt: skip
    where = (ctypes.c_ulong * 3)()
    waits = int(any(node.op in WAITING for node in program.uops))
    entry = ctypes.cast(library["simt_entry"], ctypes.c_void_p)
    outcome = driver()["simt_run"](entry, given, groups, threads, waits, where)
    if outcome != FINE:
        raise RuntimeFailure(_in_words(program, outcome, list(where), buffers))


def _in_words(program: ProgramSpec, outcome: int, where: Sequence[int], buffers: Sequence[GuardedBuffer]) -> str:
    block, thread, address = where
    place = f"by thread {thread} of block {block}"
    if outcome == DIVERGED:
        return f"kernel {program.name}, block {block}: not all threads come to where others wait for them"
    if outcome == NO_MEMORY:
        return f"kernel {program.name}: there is no memory for the stacks of its threads"
    if outcome == TRAP:
        return f"kernel {program.name}: an access outside of a shared array, or an operation that traps, {place}"
    buffer = next((buffer for buffer in buffers if buffer.holds(address)), None)
    if buffer is None:
        return f"kernel {program.name}: an access outside of all buffers, at address {address:#x}, {place}"
    byte = address - buffer.address
    return (
        f"kernel {program.name}: an access outside of buffer {buffer.number}, at byte {byte} of {buffer.size}, {place}"
    )
