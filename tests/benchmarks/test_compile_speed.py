"""The benchmark's draw, figures and verdict, on data made for them; the measurement itself is not run here."""

from __future__ import annotations

import gzip
import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parent


def load(name: str) -> ModuleType:
    """One of the scripts beside this file, which are no package."""
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


speed = load("compile_speed")
child = load("compile_speed_child")


def kernels(*times: float | None) -> list[dict[str, Any]]:
    """Results of one side: the milliseconds of each kernel, None for one that failed."""
    return [
        {"ok": False, "ms": 0.0, "error": "E: no"} if ms is None else {"ok": True, "ms": ms, "name": "r_4"}
        for ms in times
    ]


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_lines_are_read_once_each_without_images(tmp_path: Path, pack: Any) -> None:
    file = tmp_path / "asts"
    file.write_bytes(pack(b"UOp(1)\n\nUOp(dtypes.imageh((1,2,4)))\nUOp(2)\nUOp(1)\n"))
    assert [(line.line, line.text) for line in speed.read_lines(file)] == [(1, "UOp(1)"), (4, "UOp(2)")]


@pytest.mark.parametrize(
    "data",
    [b"", b"\n\n", b"\x1f\x8bbroken", gzip.compress(b"UOp(1)\n" * 99)[:-9], b"\xff\xfe"],
    ids=["empty", "blank", "not gzip", "truncated gzip", "not utf-8"],
)
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "asts"
    file.write_bytes(data)
    with pytest.raises(speed.CannotTellError, match=r"asts .*--asts"):
        speed.read_lines(file)


def test_the_draw_depends_on_its_arguments_alone() -> None:
    lines = [speed.Drawn(number, f"ast {number}") for number in range(100)]
    measured, warm_up = speed.draw(lines, 20, 5, seed=3)
    assert len(set(measured)) == 20
    assert len(set(warm_up) - set(measured)) == 5
    assert speed.draw(lines, 20, 5, seed=3) == (measured, warm_up)
    assert speed.draw(lines, 20, 9, seed=3)[0] == measured
    assert speed.draw(lines, 20, 5, seed=4)[0] != measured
    assert len(speed.draw(lines, 1000, 5, seed=3)[0]) == 100


def test_figures_are_those_of_what_compiled() -> None:
    got = speed.figures(kernels(*range(1, 11), None))
    assert got == speed.Figures(compiled=10, failed=1, mean_ms=5.5, median_ms=5.5, p90_ms=9, total_s=0.055)
    assert speed.figures(kernels(None)).compiled == 0


def test_the_ratio_is_of_what_both_compiled() -> None:
    got = speed.compare(kernels(1.0, 2.0, None, 500.0), kernels(4.0, 5.0, 900.0, None))
    assert (got.both, got.ratio) == (2, 3.0)
    assert speed.compare(kernels(None), kernels(1.0)).ratio == 0


@pytest.mark.parametrize(
    ("ratios", "both", "code"),
    [
        ([3.0], 10, 0),
        ([2.9, 3.1, 9.0], 10, 0),
        ([2.9, 2.9, 9.0], 10, 1),
        ([9.0], 9, 0),
        ([9.0], 8, 2),
        ([0.0], 0, 2),
    ],
)
def test_the_verdict_is_the_median_round_and_needs_enough_kernels(ratios: list[float], both: int, code: int) -> None:
    side = speed.figures(kernels(1.0))
    rounds = [speed.Round(side, side, both, ratio) for ratio in ratios]
    assert speed.verdict(rounds, 10, bar=3.0, least=0.9)[1] == code


def test_a_missing_file_is_one_sentence_and_exit_code_2(tmp_path: Path) -> None:
    command = [sys.executable, str(FOLDER / "compile_speed.py"), "--asts", str(tmp_path / "none")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1


def test_a_folder_that_holds_something_else_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("kept")
    with pytest.raises(speed.CannotTellError, match="--peer-env"):
        speed.peer_python(tmp_path, ours=False)
    assert (tmp_path / "mine").read_text() == "kept"


def test_a_kernel_that_fails_does_not_end_the_round() -> None:
    def compile_one(number: int) -> tuple[str, str]:
        if number == 0:
            raise ZeroDivisionError("none")
        return f"\x1b[34mr_{number}\x1b[0mn12", "source"

    first, second, third = child.measure(int, compile_one, ["5", "x"], ["4", "x", "0"])
    assert (first["ok"], first["name"], first["source_bytes"]) == (True, "r_4", 6)
    assert second["error"].startswith("reading: ValueError")
    assert third["error"] == "ZeroDivisionError: none"
    assert json.dumps([first, second, third])


def test_the_text_form_is_evaluated() -> None:
    names = {"pair": lambda *, src: src, "inf": float("inf")}
    assert child.evaluate("pair(src=(x1:=pair(src=(1,-inf)),x1))", names) == ((1, -float("inf")),) * 2


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os')",
        "open('x')",
        "pair.__class__",
        "[1]",
        "pair(src=lambda: 1)",
        "1+1",
        "(y:=1)",
        "'a'[0]",
        "f'{1}'",
    ],
)
def test_nothing_but_constructors_is_evaluated(text: str) -> None:
    with pytest.raises(ValueError, match="not part of an AST"):
        child.evaluate(text, {"pair": tuple})
