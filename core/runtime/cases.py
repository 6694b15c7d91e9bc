"""Cases: kernels with inputs and the outputs that are right, one a line of a JSONL file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from core.dtype import scalar_dtypes
from core.errors import CompileError, ParseError
from core.ir.spec import verify_ast
from core.ir.text import parse_uop
from core.runtime.buffers import buffer_sizes, checked_array
from core.runtime.lines import Line, read_json_object

if TYPE_CHECKING:
    from core.ir.uop import UOp

__all__ = ["Case", "as_json", "read_case"]

NUMPY_NAMES: Final = tuple([dtype.np_name for dtype in scalar_dtypes() if dtype.np_name is not None])
NON_FINITE: Final = {"inf": np.inf, "-inf": -np.inf, "nan": np.nan}
MAX_BUFFER_NUMBER: Final = 10_000
MAX_WHOLE_FLOAT: Final = 1 << 1000  # what float() takes without an OverflowError


@dataclass(frozen=True, slots=True)
class Case:
    """A kernel to run. Buffers are flat, by number; `outputs` is empty where the file does not say what is right."""

    name: str
    ast: UOp
    inputs: dict[int, NDArray[Any]]
    outputs: dict[int, NDArray[Any]]
    variables: dict[str, int]
    rtol: float
    atol: float


def read_case(line: Line) -> Case:
    """The case that `line` holds. Raises ParseError that names the file, the line and the field."""
    fields: dict[str, Any] = {}
    try:
        fields = read_json_object(line.text())
        return _case(fields)
    except CompileError as error:
        raise ParseError(f"{line}: {error}") from None


def _case(fields: dict[str, Any]) -> Case:
    text = _field(fields, "ast", str)
    try:
        ast = parse_uop(text)
        verify_ast(ast)
    except CompileError as error:
        raise ParseError(f"ast: {error}") from None
    inputs = {number: _array(f"inputs.{number}", value) for number, value in _numbered(fields, "inputs")}
    if "output" in fields:
        outputs = {0: _array("output", fields["output"])}
    else:
        outputs = {number: _array(f"outputs.{number}", value) for number, value in _numbered(fields, "outputs")}

    variables = _variables(fields)
    sizes = buffer_sizes(ast, variables or None)
    for kind, arrays in (("inputs", inputs), ("outputs", outputs)):
        for number in arrays:
            if number not in sizes:
                raise ParseError(f"{kind}.{number}: the kernel has no buffer {number}")
    for number, array in inputs.items():
        try:
            checked_array(number, array, *sizes[number])
        except CompileError as error:
            raise ParseError(f"inputs.{number}: {error}") from None
    return Case(
        name=_field(fields, "name", str),
        ast=ast,
        inputs=inputs,
        outputs=outputs,
        variables=variables,
        rtol=_tolerance(fields, "rtol"),
        atol=_tolerance(fields, "atol"),
    )


def _field(fields: Mapping[str, Any], name: str, kind: type, default: Any = None) -> Any:
    value = fields.get(name, default)
    if not isinstance(value, kind):
        told = "is missing" if value is None else f"is {_shortened(value)}"
        raise ParseError(f"{name}: {told}; a {'string' if kind is str else 'JSON object'} was expected")
    return value


def _shortened(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


def _numbered(fields: Mapping[str, Any], name: str) -> list[tuple[int, Any]]:
    found = []
    for key, value in _field(fields, name, dict, {}).items():
        if not (key.isascii() and key.isdecimal()) or len(key) > 9 or int(key) > MAX_BUFFER_NUMBER:
            raise ParseError(f"{name}: {_shortened(key)} is no number of a buffer")
        found.append((int(key), value))
    return found


def _variables(fields: Mapping[str, Any]) -> dict[str, int]:
    values: dict[str, int] = _field(fields, "variables", dict, {})
    for name, value in values.items():
        if type(value) is not int:
            raise ParseError(f"variables.{name}: {_shortened(value)} is no integer")
    return values


def _tolerance(fields: Mapping[str, Any], name: str) -> float:
    value = fields.get(name, 0.0)
    if type(value) not in (int, float) or not 0 <= value < np.inf:
        raise ParseError(f"{name}: {_shortened(value)} is no tolerance; a number of 0 or more was expected")
    return float(value)


def _array(where: str, value: Any) -> NDArray[Any]:
    """`{"dtype": "float32", "data": [0.5, "inf"]}` as a flat array."""
    if not isinstance(value, dict):
        raise ParseError(f"{where}: {_shortened(value)} is no object with dtype and data")
    name, data = value.get("dtype"), value.get("data")
    if name not in NUMPY_NAMES:
        raise ParseError(f"{where}.dtype: {_shortened(name)} is none of {', '.join(NUMPY_NAMES)}")
    if not isinstance(data, list):
        raise ParseError(f"{where}.data: {_shortened(data)} is no list")
    dtype = np.dtype(name)

    fits = {"b": _fits_bool, "f": _fits_float}.get(dtype.kind, _fits_integer)
    for index, item in enumerate(data):
        if not fits(item, dtype):
            raise ParseError(f"{where}.data[{index}]: {_shortened(item)} is no {name}")
    if dtype.kind == "f":
        data = [NON_FINITE[item] if isinstance(item, str) else item for item in data]
    with np.errstate(over="ignore"):
        return np.array(data, dtype=np.float64 if dtype.kind == "f" else dtype).astype(dtype)


def _fits_bool(item: object, dtype: np.dtype[Any]) -> bool:
    return type(item) is bool


def _fits_float(item: object, dtype: np.dtype[Any]) -> bool:
    if isinstance(item, str):
        return item in NON_FINITE
    return type(item) is float or (type(item) is int and abs(item) < MAX_WHOLE_FLOAT)


def _fits_integer(item: object, dtype: np.dtype[Any]) -> bool:
    return type(item) is int and np.iinfo(dtype).min <= item <= np.iinfo(dtype).max


def as_json(array: NDArray[Any]) -> dict[str, Any]:
    """The flat `array` as cases write it: infinities and nan as strings."""
    data = array.tolist()
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        data = [item if np.isfinite(item) else {np.inf: "inf", -np.inf: "-inf"}.get(item, "nan") for item in data]
    return {"dtype": array.dtype.name, "data": data}
