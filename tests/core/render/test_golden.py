"""Sources as they are meant to look, a file a program and backend: a change of a renderer shows in their diff.

`REWRITE_GOLDEN=1 pytest tests/core/render/test_golden.py` writes the files anew.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.render import BACKENDS
from tests.core.render import native
from tests.core.render.golden_programs import EVERY, source

FOLDER = Path(__file__).parent / "golden"
REPOSITORY = Path(__file__).resolve().parents[3]
SUFFIXES = {
    "c": "c",
    "llvm": "ll",
    "opencl": "cl",
    "intel": "cl",
    "qcom": "cl",
    "metal": "metal",
    "cuda": "cu",
    "ptx": "ptx",
    "wgsl": "wgsl",
    "hip": "hip",
    "python": "txt",
}
every_source = pytest.mark.parametrize(("backend", "name"), EVERY)


@every_source
def test_a_source_is_as_it_was(backend: str, name: str) -> None:
    path = FOLDER / backend / f"{name}.{SUFFIXES[backend]}"
    if os.environ.get("REWRITE_GOLDEN") == "1":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source(backend, name), encoding="utf-8")
    assert source(backend, name) == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("backend", list(BACKENDS))
def test_no_file_is_left_over(backend: str) -> None:
    expected = {name for of, name in EVERY if of == backend}
    assert {path.stem for path in (FOLDER / backend).iterdir()} == expected


@pytest.mark.parametrize("backend", list(native.BUILDERS))
def test_the_files_compile(backend: str) -> None:
    sources = {
        name: (FOLDER / backend / f"{name}.{SUFFIXES[backend]}").read_text(encoding="utf-8")
        for of, name in EVERY
        if of == backend
    }
    native.BUILDERS[backend](sources)


def test_sources_do_not_depend_on_the_process() -> None:
    digests = set()
    for seed in ("0", "1", "12345"):
        ran = subprocess.run(
            [sys.executable, "-m", "tests.core.render.golden_programs"],
            cwd=REPOSITORY,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        digests.add(ran.stdout)
    assert len(digests) == 1


def test_sources_do_not_depend_on_the_order_in_which_they_are_made() -> None:
    forward = {key: source(*key) for key in EVERY}
    backward = {key: source(*key) for key in reversed(EVERY)}
    assert forward == backward
