"""What every runtime offers, and the checks before any of them hands memory to machine code."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from core.dtype import DType, ImageDType, PtrDType, dtypes
from core.errors import RuntimeFailure
from core.runtime.buffers import checked_array
from core.runtime.views import variable_value

if TYPE_CHECKING:
    from core.ir.uop import UOp
    from core.render.program import ProgramSpec

__all__ = ["Runtime", "arguments", "checked_buffer", "parameters", "scalar_argument", "signature"]

_INTEGERS: Final[dict[DType, Any]] = {
    dtypes.int: ctypes.c_int32,
    dtypes.long: ctypes.c_int64,
}


class Runtime(Protocol):
    """A way to run the programs of one backend on this machine's CPU."""

    backend: str

    def version(self) -> str:
        """What builds and runs the programs, with its version. Raises RuntimeFailure that says how to get it."""

    def run(
        self, program: ProgramSpec, buffers: Mapping[int, NDArray[Any]], variables: Mapping[str, int] | None = None
    ) -> None:
        """Run `program` on `buffers` (flat, by number, changed in place) with the kernel's variables by name.

        A buffer whose size the program does not say must be at least as long as `buffer_sizes` of its AST asks: that
        cannot be checked here. Raises RuntimeFailure for what does not fit, and when the program cannot be built.
        """


def parameters(program: ProgramSpec) -> tuple[list[UOp], list[UOp]]:
    """The buffers by number and the variables by name: a kernel's parameters in their order."""
    return sorted(program.globals, key=lambda node: node.arg), sorted(program.vars, key=lambda node: node.arg[0])


def signature(program: ProgramSpec) -> list[Any]:
    """The ctypes of the kernel's parameters."""
    pointers, variables = parameters(program)
    return [*[ctypes.c_void_p] * len(pointers), *[_INTEGERS[variable.dtype] for variable in variables]]


def arguments(
    program: ProgramSpec, buffers: Mapping[int, NDArray[Any]], variables: Mapping[str, int] | None
) -> list[Any]:
    """The kernel's arguments in order, as ctypes values.

    Raises RuntimeFailure for a buffer or a variable that does not fit.
    """
    pointers, names = parameters(program)
    found: list[Any] = []
    for pointer in pointers:
        found.append(ctypes.c_void_p(checked_buffer(program, pointer, buffers).ctypes.data))
    return found + [_INTEGERS[variable.dtype](variable_value(variable, variables or {})) for variable in names]


def scalar_argument(variable: UOp, variables: Mapping[str, int] | None) -> np.integer[Any]:
    """The value of a variable of the kernel, as numpy has its type. Raises RuntimeFailure."""
    kind = np.int64 if variable.dtype is dtypes.long else np.int32
    return kind(variable_value(variable, variables or {}))


def checked_buffer(
    program: ProgramSpec, pointer: UOp, buffers: Mapping[int, NDArray[Any]], *, images: bool = False
) -> NDArray[Any]:
    """The array for the parameter `pointer`, once it is sure that machine code may have it. Raises RuntimeFailure."""
    number, dtype = pointer.arg, pointer.dtype
    if number not in buffers:
        raise RuntimeFailure(f"buffer {number} of kernel {program.name} is missing")
    array = buffers[number]
    if not isinstance(dtype, PtrDType) or (isinstance(dtype, ImageDType) and not images):
        raise RuntimeFailure(f"buffer {number} of kernel {program.name} is {dtype}: this backend takes plain arrays")
    stored = dtypes.half if isinstance(dtype, ImageDType) and dtype.itemsize == 2 else dtype.base
    checked_array(number, array, stored, max(dtype.size, 0))
    if not array.flags.c_contiguous:
        raise RuntimeFailure(f"buffer {number} of kernel {program.name} is not contiguous")
    if number in program.outs and not array.flags.writeable:
        raise RuntimeFailure(f"buffer {number} of kernel {program.name} is stored to and cannot be written")
    if array.dtype.kind == "b" and array.size and int(array.view(np.uint8).max()) > 1:
        raise RuntimeFailure(f"buffer {number} of kernel {program.name} holds a bool that is neither 0 nor 1")
    return array
