from typing import Any

import numpy as np
import pytest

from replay.outcome import Result, Status
from replay.report.words import words_of_verification
from replay.verify import compare_runs


def output(values: Any, dtype: str = "float32", tolerance: float = 1e-6) -> dict[str, Any]:
    return {"dtype": dtype, "bytes": np.array(values, dtype).tobytes(), "rtol": tolerance, "atol": tolerance}


def ran(values: Any, reference: Any = None, *, inputs: str = "i", **form: Any) -> Result:
    data = {"inputs": inputs, "digest": repr(values), "outputs": {"0": output(values, **form)}}
    data["reference"] = None if reference is None else {"0": output(reference, **form)}
    return Result(Status.OK, data=data)


def test_bit_identical_results() -> None:
    kind, found = compare_runs(ran([1.0, 2.0]), ran([1.0, 2.0]))
    assert (kind, found) == ("equivalent", {})
    assert words_of_verification(found) == "results are bit-identical"


def test_results_within_the_tolerance_with_the_largest_distance() -> None:
    next_one = float(np.nextafter(np.float32(1), np.float32(2)))
    kind, found = compare_runs(ran([1.0, float("nan"), -0.0]), ran([next_one, float("nan"), 0.0]))
    assert kind == "close"
    assert found["ulp"] == 1
    assert found["relative"] == pytest.approx(2**-23)


@pytest.mark.parametrize(
    ("reference", "agrees"),
    [([1.0, 2.0], "base"), ([1.0, 3.0], "head"), ([1.0, 9.0], "neither"), (None, "unknown")],
)
def test_the_first_wrong_element_and_who_is_right(reference: Any, agrees: str) -> None:
    kind, found = compare_runs(ran([1.0, 2.0], reference), ran([1.0, 3.0]))
    assert kind == "different"
    assert found == {"output": 0, "index": 1, "base": 2.0, "head": 3.0, "wrong": 1, "agrees": agrees}
    assert "element 1: 2.0 on base, 3.0 on head" in words_of_verification(found)


def test_infinities_and_nan_are_not_close_to_numbers() -> None:
    for value in (float("inf"), float("nan")):
        kind, found = compare_runs(ran([1.0]), ran([value]))
        assert kind == "different"
        assert found["head"] == str(value)
    assert compare_runs(ran([1], dtype="int32"), ran([2], dtype="int32"))[0] == "different"


def test_what_was_not_run_stays_unverified() -> None:
    gone = Result(Status.UNSUPPORTED, message="no clang was found")
    for one, other in ((gone, ran([1.0])), (ran([1.0]), gone), (gone, gone)):
        assert compare_runs(one, other) == ("unverified", {"not_run": "no clang was found"})
    assert compare_runs(ran([1.0], inputs="i"), ran([1.0], inputs="j"))[0] == "unverified"
    crashed = Result(Status.CRASH, message="killed by SIGSEGV")
    assert compare_runs(ran([1.0]), crashed) == ("unverified", {"not_run": "killed by SIGSEGV"})


def test_a_head_that_does_not_run_is_different() -> None:
    broken = Result(Status.ERROR, type="RuntimeFailure", message="clang refuses the source")
    assert compare_runs(ran([1.0]), broken) == ("different", {"failed": "clang refuses the source"})
    assert compare_runs(broken, broken) == ("unverified", {"not_run": "clang refuses the source"})
