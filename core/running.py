"""What a compiled kernel computes, for comparing two revisions: inputs of all kinds, outputs as bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from core.dtype import DType
from core.errors import NotRun, RuntimeFailure
from core.ir.uop import UOp
from core.render.program import ProgramSpec
from core.runtime import get_runtime
from core.runtime.alu import numpy_dtype
from core.runtime.buffers import aligned_zeros, buffer_sizes, outputs_of, random_inputs, random_variables
from core.runtime.interpreter import interpret
from core.runtime.tolerance import tolerance

__all__ = ["digest_of", "drawn", "results_of", "run_program"]

MAX_ELEMENTS: Final = 1 << 22
# one of the values that programs trip over in every so many elements
EDGE_EVERY: Final = 7
TERMS: Final = 64  # that a result is taken to add up, for its tolerance


def run_program(ast: UOp, program: ProgramSpec, seed: int, *, reference: bool) -> dict[str, Any]:
    """`outputs` by buffer number, each with `dtype`, `bytes`, `rtol` and `atol`; `digest`, of all outputs; `inputs`, a
    digest of what went in; with `reference` also what the interpreter makes of the AST. Raises NotRun."""
    buffers, variables = drawn(ast, seed)
    inputs = digest_of(buffers, list(buffers), variables)
    expected = _reference(ast, buffers, variables) if reference else None
    try:
        runtime = get_runtime(program.backend)
        runtime.version()
    except RuntimeFailure as failure:
        raise NotRun(str(failure)) from None
    runtime.run(program, buffers, variables)
    found = results_of(buffers, outputs_of(ast))
    return {
        "inputs": inputs,
        "outputs": found,
        "digest": digest_of(buffers, outputs_of(ast)),
        "reference": None if expected is None else results_of(expected, outputs_of(ast)),
    }


def drawn(ast: UOp, seed: int) -> tuple[dict[int, NDArray[Any]], dict[str, int]]:
    """(buffers by number, variables by name) for a kernel, drawn with `seed`. Raises NotRun for what is too large."""
    rng = np.random.default_rng(seed)
    variables = random_variables(ast, rng)
    return _buffers(ast, variables, rng), variables


def _buffers(ast: UOp, variables: Mapping[str, int], rng: np.random.Generator) -> dict[int, NDArray[Any]]:
    sizes = buffer_sizes(ast, variables)
    if sum(size for _, size in sizes.values()) > MAX_ELEMENTS:
        raise NotRun(f"its buffers have more than {MAX_ELEMENTS} elements")
    try:
        made = {number: aligned_zeros(size, numpy_dtype(dtype)) for number, (dtype, size) in sizes.items()}
    except RuntimeFailure as failure:
        raise NotRun(str(failure)) from None
    for number, values in random_inputs(ast, rng, variables).items():
        edges = _edges(sizes[number][0])
        places = np.arange(0, values.size, EDGE_EVERY)
        values[places] = edges[np.arange(places.size) % edges.size]
        made[number][:] = values
    return made


def _edges(dtype: DType) -> NDArray[Any]:
    """Zeros, ones, infinities, nan, the smallest and the greatest numbers of a type."""
    to = numpy_dtype(dtype)
    if dtype.is_bool:
        return np.array([False, True])
    if dtype.is_float:
        info = np.finfo(to)
        small = [info.tiny, info.smallest_subnormal, info.max]
        return np.array([0.0, -0.0, 1.0, -1.0, 0.5, np.inf, -np.inf, np.nan, *small, *[-value for value in small]], to)
    low, high = np.iinfo(to).min, np.iinfo(to).max
    return np.array([0, 1, 2, 3, low, low + 1, high, high - 1, *([-1, -2, -7] if low else [])], to)


def _reference(
    ast: UOp, buffers: Mapping[int, NDArray[Any]], variables: Mapping[str, int]
) -> dict[int, NDArray[Any]] | None:
    """None for a kernel that the interpreter does not take."""
    try:
        with np.errstate(all="ignore"):
            return dict(interpret(ast, buffers, variables))
    except RuntimeFailure:
        return None


def results_of(buffers: Mapping[int, NDArray[Any]], numbers: list[int]) -> dict[str, dict[str, Any]]:
    """Outputs as plain data."""
    found = {}
    for number in numbers:
        array = buffers[number]
        rtol, atol = (0.0, 0.0) if array.dtype.kind != "f" else tolerance(_float_dtype(array), TERMS)
        found[str(number)] = {"dtype": array.dtype.name, "bytes": array.tobytes(), "rtol": rtol, "atol": atol}
    return found


def _float_dtype(array: NDArray[Any]) -> DType:
    from core.dtype import dtypes

    return {2: dtypes.half, 4: dtypes.float, 8: dtypes.double}[array.dtype.itemsize]


def digest_of(
    buffers: Mapping[int, NDArray[Any]], numbers: list[int], variables: Mapping[str, int] | None = None
) -> str:
    """Of the contents of the buffers called `numbers`, and of variables; every nan is the same."""
    state = hashlib.blake2b(repr(sorted((variables or {}).items())).encode(), digest_size=16)
    for number in numbers:
        array = buffers[number]
        if array.dtype.kind == "f" and np.isnan(array).any():
            array = np.where(np.isnan(array), array.dtype.type(np.nan), array)
        state.update(f"{number} {array.dtype} {array.size} ".encode() + array.tobytes())
    return state.hexdigest()
