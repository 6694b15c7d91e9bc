"""Running a program: its source built with the headers of its language, its buffers guarded, its errors in words.

It runs twice, with its buffers at either end of their pages, and with other bytes in all memory that it has no business
to read before it is written. Results that differ have been made of such bytes.
"""

from __future__ import annotations

import ctypes
import threading
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
    from core.ir.uop import UOp
    from core.render.program import ProgramSpec

__all__ = ["SIMTRuntime"]

HEADERS: Final = {"cuda": "simt_cuda.h", "hip": "hip/hip_runtime.h", "metal": "metal_stdlib"}
# of Metal, what a kernel gets of its place as parameters, by the prefix of the SPECIALs that need it
PLACES: Final = {"gidx": "simt_group", "lidx": "simt_thread", "idx": "(simt_group * simt_threads + simt_thread)"}
WAITING: Final = (Ops.BARRIER, Ops.WMMA)
FINE, FAULT, TRAP, DIVERGED, NO_MEMORY, OUTSIDE, MISALIGNED, UNEQUAL, UNEXPECTED = range(9)
# whether buffers lie at the end of their pages, and the byte behind them and in shared memory: a large float, and none
RUNS: Final = ((True, 0x5A), (False, 0xFF))
# where the linker has put the arrays that a block shares, if there are any
SHARED: Final = """extern "C" {
__attribute__((weak, visibility("hidden"))) extern unsigned char __start_simt_shared[], __stop_simt_shared[];
unsigned char *simt_shared_range[] = {__start_simt_shared, __stop_simt_shared};
}"""

_one_at_a_time: Final = threading.Lock()  # the driver has one set of fibers, and the process one of signal handlers


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
        arrays = {pointer.arg: checked_buffer(program, pointer, buffers) for pointer in pointers}
        scalars = [np.asarray(scalar_argument(variable, variables)) for variable in names]
        library = kernel_library(program.src, _entry(program, len(pointers) + len(names)), HEADERS[self.backend])
        grid = Grid.of(program.uops, variables or {})
        alignments = _alignments(program.uops)
        stored = [number for number in arrays if number in program.outs]
        results: list[list[bytes]] = []
        for at_end, fill in RUNS:
            guarded = {
                number: GuardedBuffer(
                    number, array, alignment=alignments.get(number, array.itemsize), fill=fill, at_end=at_end
                )
                for number, array in arrays.items()
            }
            _launch(program, library, grid, list(guarded.values()), scalars, fill)
            for number, buffer in guarded.items():
                if buffer.overrun():
                    raise RuntimeFailure(f"kernel {program.name} writes behind the end of buffer {number}")
            results.append([guarded[number].contents() for number in stored])
        for number, first, second in zip(stored, *results, strict=True):
            if first != second:
                raise RuntimeFailure(
                    f"kernel {program.name}: what it stores to buffer {number} depends on shared memory that it has "
                    "not written, or on what lies behind the end of a buffer"
                )
            arrays[number][:] = np.frombuffer(first, arrays[number].dtype)


def _alignments(uops: Sequence[UOp]) -> dict[int, int]:
    """By buffer, the size in bytes of the largest vector that is loaded from it or stored to it."""
    found: dict[int, int] = {}
    for node in uops:
        if node.op not in (Ops.LOAD, Ops.STORE) or node.src[0].src[0].op is not Ops.DEFINE_GLOBAL:
            continue
        number = node.src[0].src[0].arg
        dtype = node.dtype if node.op is Ops.LOAD else node.src[1].dtype
        found[number] = max(found.get(number, 1), dtype.itemsize)
    return found


def _entry(program: ProgramSpec, count: int) -> str:
    """A function that calls the kernel with what is behind an array of pointers."""
    given = [f"simt_argument{{arguments[{number}]}}" for number in range(count)]
    if program.backend == "metal":
        used = {node.arg[0][:-1] for node in program.uops if node.op is Ops.SPECIAL}
        given += [place for prefix, place in PLACES.items() if prefix in used]
    called = f"{program.function_name}({', '.join(given)})"
    return f'{SHARED}\nextern "C" void simt_entry(void **arguments) {{ {called}; }}'


def _launch(
    program: ProgramSpec,
    library: ctypes.CDLL,
    grid: Grid,
    buffers: Sequence[GuardedBuffer],
    scalars: Sequence[NDArray[Any]],
    fill: int,
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
    shared = (ctypes.c_void_p * 2).in_dll(library, "simt_shared_range")
    with _one_at_a_time:
        outcome = driver()["simt_run"](entry, given, groups, threads, waits, shared, fill, where)
    if outcome != FINE:
        raise RuntimeFailure(_in_words(program, outcome, list(where), buffers))


def _in_words(program: ProgramSpec, outcome: int, where: Sequence[int], buffers: Sequence[GuardedBuffer]) -> str:
    block, thread, address = where
    kernel, place = f"kernel {program.name}", f"by thread {thread} of block {block}"
    if outcome != FAULT:
        return {
            DIVERGED: f"{kernel}, block {block}: not all threads come to where others wait for them",
            NO_MEMORY: f"{kernel}: there is no memory for the stacks of its threads",
            OUTSIDE: f"{kernel}: an access outside of a shared array, {place}",
            MISALIGNED: f"{kernel}: a vector is accessed that is not at a multiple of its size, {place}",
            UNEQUAL: f"{kernel}: an element of a matrix that several threads hold is not the same in all, {place}",
            UNEXPECTED: f"{kernel}: its threads wait for each other, of which the program has no op",
            TRAP: f"{kernel}: an operation that traps, {place}",
        }[outcome]
    buffer = next((buffer for buffer in buffers if buffer.holds(address)), None)
    if buffer is None:
        return f"{kernel}: an access outside of all buffers, at address {address:#x}, {place}"
    byte = address - buffer.address
    return f"{kernel}: an access outside of buffer {buffer.number}, at byte {byte} of {buffer.size}, {place}"
