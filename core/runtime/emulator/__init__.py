"""Backend `python`: linear programs executed with numpy, all threads of a block, and many blocks, at once.

What a GPU would let pass is an error here: accesses outside of a buffer, vectors that are not aligned, local memory
that is read before it is written or used by several threads without a barrier between, and barriers that not all
threads of a block reach.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import RuntimeFailure
from core.ir.uop import UOp
from core.render.program import ProgramSpec
from core.runtime.base import arguments
from core.runtime.emulator.listing import Listing, parse_program
from core.runtime.emulator.machine import MAX_STEPS, Machine

__all__ = ["Listing", "PythonRuntime", "StandIn", "emulate", "parse_program"]


def emulate(
    name: str,
    uops: Sequence[UOp],
    buffers: Mapping[int, NDArray[Any]],
    variables: Mapping[str, int] | None = None,
    *,
    max_steps: int = MAX_STEPS,
) -> None:
    """Run a linear program of any backend, one that fulfils `program_spec`, on `buffers`, changed in place.

    Raises RuntimeFailure for arguments that do not fit, for what the program may not do, with its line and thread, and
    for one that does not end within `max_steps`.
    """
    arguments(ProgramSpec(name, "", "python", uops), buffers, variables)
    flat = {number: array.reshape(-1) for number, array in buffers.items()}
    with np.errstate(all="ignore"):
        Machine(name, uops, flat, variables or {}, max_steps).run()


class StandIn:
    """Runs the linear program of a backend whose source nothing here can run. It does not judge the source."""

    def __init__(self, backend: str) -> None:
        self.backend = backend

    def version(self) -> str:
        return f"the emulator in its place: the linear program, and not the source ({PythonRuntime().version()})"

    def run(
        self, program: ProgramSpec, buffers: Mapping[int, NDArray[Any]], variables: Mapping[str, int] | None = None
    ) -> None:
        emulate(program.name, program.uops, buffers, variables)


class PythonRuntime:
    """Runs programs of backend `python`: what their source says."""

    backend = "python"

    def version(self) -> str:
        return f"numpy {np.__version__}, Python {platform.python_version()}"

    def run(
        self, program: ProgramSpec, buffers: Mapping[int, NDArray[Any]], variables: Mapping[str, int] | None = None
    ) -> None:
        listing = parse_program(program.src)
        if listing.name != program.function_name:
            raise RuntimeFailure(f"the source does not define the function {program.function_name}")
        emulate(listing.name, listing.uops, buffers, variables)
