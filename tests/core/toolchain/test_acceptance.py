"""Real kernels, optimised for each backend, before its real compilers."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from core.render import BACKENDS
from core.toolchain import NONE
from tests.conformance import acceptance
from tests.core.render.compilers import missing

JUDGED = [name for name in BACKENDS if name not in NONE]
OWN = Path(acceptance.__file__).with_name("sample-asts.txt.gz")


def refusals(backend: str, texts: list[tuple[int, str]]) -> list[str]:
    try:
        count, complaints = acceptance.refusals(backend, texts)
    except LookupError as error:
        missing(f"there is no judge of {backend}: {error}")
        raise
    assert count >= 0.9 * len(texts)
    return complaints


@pytest.mark.parametrize("backend", JUDGED)
def test_kernels_of_our_own_are_accepted(backend: str) -> None:
    with gzip.open(OWN, "rt") as stream:
        texts = [(line, text.strip()) for line, text in enumerate(stream)]
    assert refusals(backend, texts[::8]) == []


@pytest.mark.parametrize("backend", JUDGED)
def test_the_first_of_the_sample_are_accepted(backend: str, shared_data: Path) -> None:
    assert refusals(backend, list(acceptance.asts(shared_data, acceptance.sample()[:60]))) == []


@pytest.mark.long
@pytest.mark.parametrize("backend", JUDGED)
def test_the_whole_sample_is_accepted(backend: str, shared_data: Path) -> None:
    assert len(set(acceptance.sample())) == acceptance.COUNT
    assert refusals(backend, list(acceptance.asts(shared_data, acceptance.sample()))) == []
