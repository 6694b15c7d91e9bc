"""Reading cases: what is right, and a sentence for each field that is not."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from core.dtype import dtypes
from core.errors import ParseError
from core.ir.text import format_uop
from core.ir.uop import UOp
from core.runtime.cases import as_json, read_case
from core.runtime.lines import Line
from core.shape import View
from tests.core.runtime.graphs import kernel, load, plain, store, tracker

AST = format_uop(kernel(store(0, plain(3), load(1, dtypes.float, plain(3)))))
ARRAY = {"dtype": "float32", "data": [1, 2.5, 3]}
CASE = {"name": "copy", "ast": AST, "inputs": {"1": ARRAY}, "output": ARRAY, "rtol": 0.1, "atol": 0}


def read(fields: object) -> object:
    return read_case(Line("cases.jsonl", 4, json.dumps(fields).encode()))


def test_a_case():
    case = read(CASE)
    assert (case.name, case.rtol, case.atol) == ("copy", 0.1, 0.0)
    assert format_uop(case.ast) == AST
    assert case.inputs[1].dtype == np.float32
    assert case.inputs[1].tolist() == case.outputs[0].tolist() == [1.0, 2.5, 3.0]


def test_several_outputs_or_none():
    fields = {key: value for key, value in CASE.items() if key != "output"}
    assert read(fields).outputs == {}
    assert list(read({**fields, "outputs": {"0": ARRAY}}).outputs) == [0]


def test_inputs_and_tolerances_may_be_left_out():
    case = read({"name": "copy", "ast": AST, "output": ARRAY})
    assert (case.inputs, case.rtol, case.atol) == ({}, 0.0, 0.0)


def test_variables():
    shape = tracker(View((UOp.variable("n", 1, 8),), (1,), 0, None, True))
    text = format_uop(kernel(store(0, shape, load(1, dtypes.float, shape))))
    case = read({**CASE, "ast": text, "variables": {"n": 3}})
    assert case.variables == {"n": 3}
    with pytest.raises(ParseError, match=r"variables.n: 'x' is no integer"):
        read({**CASE, "ast": text, "variables": {"n": "x"}})
    with pytest.raises(ParseError, match="variable 'n' is 9; it must be from 1 to 8"):
        read({**CASE, "ast": text, "variables": {"n": 9}})


@pytest.mark.parametrize(
    ("dtype", "data"),
    [
        ("float16", [0.5, math.inf, -math.inf]),
        ("float64", [0.1, -0.0, 1e300]),
        ("bool", [True, False, True]),
        ("uint64", [0, 1, 2**64 - 1]),
        ("int64", [-(2**63), 0, 2**63 - 1]),
        ("int8", [-128, 0, 127]),
    ],
)
def test_arrays_are_written_and_read_back(dtype, data):
    array = np.array(data, dtype)
    again = read({**CASE, "output": as_json(array)}).outputs[0]
    assert again.dtype == array.dtype
    assert again.tobytes() == array.tobytes()


def test_nan_is_a_string():
    written = as_json(np.array([math.nan, 1.0, math.inf, -math.inf], np.float32))
    assert written == {"dtype": "float32", "data": ["nan", 1.0, "inf", "-inf"]}
    json.dumps(written, allow_nan=False)
    assert np.isnan(read({**CASE, "output": written}).outputs[0][0])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ast": None}, "ast: is missing; a string was expected"),
        ({"ast": "UOp(Ops.FROB)"}, "ast: .*FROB"),
        ({"ast": "UOp(Ops.SINK,dtypes.void,arg=None,src=(UOp(Ops.STORE,dtypes.void,arg=None,src=()),))"}, "ast: "),
        ({"name": 3}, "name: is 3; a string was expected"),
        ({"inputs": [1]}, "inputs: is .1.; a JSON object was expected"),
        ({"inputs": {"x": ARRAY}}, "inputs: 'x' is no number of a buffer"),
        ({"inputs": {"1" * 30: ARRAY}}, "is no number of a buffer"),
        ({"inputs": {"7": ARRAY}}, "inputs.7: the kernel has no buffer 7"),
        ({"inputs": {"1": 5}}, "inputs.1: 5 is no object with dtype and data"),
        ({"inputs": {"1": {"dtype": "complex64", "data": []}}}, "inputs.1.dtype: 'complex64' is none of bool, int8"),
        ({"inputs": {"1": {"dtype": ["int8"], "data": []}}}, "inputs.1.dtype: "),
        ({"inputs": {"1": {"dtype": "float32"}}}, "inputs.1.data: None is no list"),
        (
            {"inputs": {"1": {"dtype": "float32", "data": [1, 2]}}},
            "inputs.1: buffer 1 has 2 elements; the kernel needs",
        ),
        ({"inputs": {"1": {"dtype": "int32", "data": [1, 2, 3]}}}, "inputs.1: buffer 1 holds int32"),
        ({"output": {"dtype": "float32", "data": [1, "x"]}}, r"output.data\[1\]: 'x' is no float32"),
        ({"output": {"dtype": "float32", "data": [True]}}, r"output.data\[0\]: True is no float32"),
        ({"output": {"dtype": "float32", "data": [[1]]}}, r"output.data\[0\]: \[1\] is no float32"),
        ({"output": {"dtype": "float32", "data": [10**1001]}}, r"output.data\[0\]: 1000"),
        ({"output": {"dtype": "uint8", "data": [256]}}, r"output.data\[0\]: 256 is no uint8"),
        ({"output": {"dtype": "int8", "data": [1.5]}}, r"output.data\[0\]: 1.5 is no int8"),
        ({"output": {"dtype": "bool", "data": [1]}}, r"output.data\[0\]: 1 is no bool"),
        ({"rtol": "much"}, "rtol: 'much' is no tolerance"),
        ({"atol": -1}, "atol: -1 is no tolerance"),
        ({"atol": math.nan}, "atol: nan is no tolerance"),
    ],
)
def test_bad_fields_are_named(change, message):
    with pytest.raises(ParseError, match=rf"^cases.jsonl:5: .*{message}"):
        read({**CASE, **change})


def test_a_line_that_is_no_case():
    with pytest.raises(ParseError, match=r"^cases.jsonl:5: a JSON object was expected, not list"):
        read([])
    with pytest.raises(ParseError, match=r"^cases.jsonl:5: no JSON"):
        read_case(Line("cases.jsonl", 4, b"{"))
