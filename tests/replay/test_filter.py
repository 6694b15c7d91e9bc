"""The filter language."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from replay.errors import CorpusError
from replay.filter import parse_filter
from replay.record import digest_of, parse_capture


@pytest.mark.parametrize(
    ("expression", "matches"),
    [
        ("", True),
        ("E_", True),
        ("_3", True),
        ("r_", False),
        ("E_?", True),
        ("E_??", False),
        ("[EF]_*", True),
        ("!r_", True),
        ("!E_", False),
        ("name:E_3", True),
        ("name:E", False),
        ("backend:cuda", True),
        ("backend:cuda:sm_80", True),
        ("backend:c", False),
        ("op:ADD", True),
        ("op:AD", False),
        ("op:M*", False),
        ("!op:MUL", True),
        ("dtype:int", True),
        ("dtype:float", False),
        ("opt:UPCAST", True),
        ("opt:LOCAL", False),
        ("E_ op:ADD backend:cuda", True),
        ("E_ op:MUL backend:cuda", False),
        ("'E_3'", True),
    ],
)
def test_terms(record: Callable[..., dict[str, Any]], expression: str, matches: bool) -> None:
    capture = parse_capture(record(opts={"backend": "cuda", "arch": "sm_80"}))
    assert parse_filter(expression)("ab" * 16, capture.inputs) is matches


def test_by_id(record: Callable[..., dict[str, Any]]) -> None:
    capture = parse_capture(record())
    digest = digest_of(capture.data)
    assert parse_filter(f"id:{digest[:6]}")(digest, capture.inputs)
    assert not parse_filter("id:zz")(digest, capture.inputs)


@pytest.mark.parametrize("expression", ["colour:red", "'open", ":", "!x:y"])
def test_wrong_terms_are_named(expression: str) -> None:
    with pytest.raises(CorpusError, match="--filter"):
        parse_filter(expression)
