"""The record: identity, bounds, and migrations. The oracle for identity is a list of what may not matter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from replay import record as records
from replay.errors import RecordError
from replay.record import compress, decompress, digest_of, parse_capture, read_inputs, stem_of, unpack

Make = Callable[..., dict[str, Any]]


def identity(record: dict[str, Any]) -> str:
    return digest_of(parse_capture(record).data)


def test_round_trip(record: Make) -> None:
    made = record("1 2 ADD 3 MUL")
    capture = parse_capture(made)
    inputs = read_inputs(unpack(compress(capture.data), digest_of(capture.data)))
    assert inputs == capture.inputs
    assert [list(row) for row in inputs.ast] == made["ast"]
    assert (inputs.opts, inputs.applied_opts, inputs.context) == (made["opts"], made["applied_opts"], made["context"])


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "E_3n7"},
        {"src": "another source"},
        {"observed": {"global_size": [4]}},
        {"provenance": {"source": "elsewhere", "test": "a test"}},
        {"opts": {"arch": None, "backend": "c"}},
    ],
)
def test_what_was_observed_and_the_order_of_keys_do_not_change_the_identity(
    record: Make, changes: dict[str, Any]
) -> None:
    assert identity(record() | changes) == identity(record())


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "E_4"},
        {"opts": {"backend": "llvm", "arch": None}},
        {"applied_opts": []},
        {"applied_opts": [["UPCAST", 0, 2]]},
        {"context": {"NOOPT": 1}},
        {"ast": [["CONST", "int", [], ["int", 1]]]},
        {"ast": [["CONST", "int", [], ["int", True]]]},
        {"ast": [["CONST", "float", [], ["float", 0.0]]]},
        {"ast": [["CONST", "float", [], ["float", -0.0]]]},
    ],
)
def test_each_input_changes_the_identity(record: Make, changes: dict[str, Any]) -> None:
    assert identity(record() | changes) != identity(record())


def test_the_identity_is_pinned(record: Make) -> None:
    # Digests are in committed corpora and in memos: they may not change by accident.
    assert identity(record()) == "27894dbb593b6b609491046cf6644abb"


@pytest.mark.parametrize(
    ("name", "stem"), [("r_4_2n3", "r_4_2"), ("r_4_2", "r_4_2"), ("E_4n12", "E_4"), ("n1", "n1"), ("", "")]
)
def test_running_suffix(name: str, stem: str) -> None:
    assert stem_of(name) == stem


def deep(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"schema": 2}, "schema"),
        ({"schema": "1"}, "schema"),
        ({"schema": True}, "schema"),
        ({"compiler": None}, "compiler"),
        ({"ast": []}, "ast"),
        ({"ast": [["A", "int", [0], None]]}, "ast[0].src"),
        ({"ast": [["A", "int", [], None], ["B", "int", [-1], None]]}, "ast[1].src"),
        ({"ast": [["A", "int", [], None], ["B", "int", [5], None]]}, "ast[1].src"),
        ({"ast": [["A", 3, [], None]]}, "ast[0][1]"),
        ({"ast": [["A", "int", []]]}, "ast[0]"),
        ({"ast": [["A", "int", [], deep(40)]]}, "ast[0].arg"),
        ({"ast": [["A", "int", [], msgspec.msgpack.Ext(1, b"x")]]}, "ast[0].arg"),
        ({"opts": {}}, "opts.backend"),
        ({"opts": {"backend": 3}}, "opts.backend"),
        ({"applied_opts": [3]}, "applied_opts[0]"),
        ({"context": {"A": [1]}}, "context[...]"),
        ({"name": 3}, "name"),
        ({"name": "x" * 5000}, "name"),
        ({"src": None}, "src"),
        ({"src": "\ud800"}, "src"),
        ({"provenance": {"source": 3}}, "source"),
        ({"observed": {"vars": 3}}, "vars"),
        ({"observed": {"vars": [object()]}}, "observed"),
    ],
)
def test_bad_fields_are_named(record: Make, changes: dict[str, Any], field: str) -> None:
    with pytest.raises(RecordError) as caught:
        parse_capture(record() | changes)
    assert caught.value.field == field
    assert caught.value.reason


@pytest.mark.parametrize("arg", [deep(100_000), 1 << 64, object(), "\ud800", {"a", 2}, {1: 2}])
def test_what_cannot_be_stored_is_refused(record: Make, arg: object) -> None:
    with pytest.raises(RecordError, match="cannot be stored"):
        parse_capture(record(ast=[["A", "int", [], arg]]))


def test_an_unknown_field_is_not_lost_silently(record: Make) -> None:
    with pytest.raises(RecordError, match="unknown field `novel`"):
        parse_capture(record(novel=1))


def test_a_record_that_is_too_large_is_refused(record: Make) -> None:
    with pytest.raises(RecordError, match="more than the"):
        parse_capture(record(ast=[["A", "int", [], "x" * records.MAX_RECORD_BYTES]]))
    with pytest.raises(RecordError, match="rows, more than the"):
        parse_capture(record(ast=[["A", "int", [], None]] * (records.MAX_ROWS + 1)))


# -- reading hostile bytes --------------------------------------------------------------------------------------------


def test_a_bomb_is_refused_before_it_is_unpacked() -> None:
    bomb = zstandard.ZstdCompressor(level=19).compress(b"\0" * (64 << 20))
    assert len(bomb) < 10_000
    with pytest.raises(RecordError, match="unpacks to 67108864 bytes"):
        decompress(bomb, records.MAX_RECORD_BYTES)


def test_a_frame_that_hides_its_size_or_lies_about_it_is_refused() -> None:
    hidden = zstandard.ZstdCompressor(write_content_size=False).compress(b"x" * 1000)
    with pytest.raises(RecordError, match="does not say how large"):
        decompress(hidden, 1 << 20)
    honest = compress(b"x" * 1000)
    for cut in range(len(honest)):
        with pytest.raises(RecordError):
            decompress(honest[:cut], 1 << 20)
    with pytest.raises(RecordError, match="zstd"):
        decompress(honest + b"more", 1 << 20)


def test_content_that_does_not_match_its_digest_is_refused(record: Make) -> None:
    data = parse_capture(record()).data
    with pytest.raises(RecordError, match="does not match the digest"):
        unpack(compress(data), "0" * 32)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x01",
        b"\xc1",
        b"\x81",
        msgspec.msgpack.encode([1]),
        msgspec.msgpack.encode({}),
        msgspec.msgpack.encode({"schema": 0}),
        msgspec.msgpack.encode({"schema": -5}),
        msgspec.msgpack.encode({"schema": 1 << 60}),
        b"\x81\xa6schema\xa2\xff\xfe",
        b"\x91" * 1_000_000 + b"\x90",
        b"\x81\xa6schema\xcf" + b"\xff" * 8,
    ],
)
def test_bytes_that_are_no_record(data: bytes) -> None:
    with pytest.raises(RecordError):
        read_inputs(data)


def test_a_mapping_with_keys_that_are_no_text_is_refused(record: Make) -> None:
    raw = records.decode_inputs(parse_capture(record()).data)
    raw["ast"][0][3] = {1: 2}
    with pytest.raises(RecordError) as caught:
        read_inputs(msgspec.msgpack.encode(raw))
    assert caught.value.field == "ast[0].arg"


@given(st.binary(max_size=300))
def test_any_bytes_are_refused_with_a_reason(data: bytes) -> None:
    with pytest.raises(RecordError):
        read_inputs(data)


@given(st.integers(0, 200), st.integers(0, 255))
def test_a_flipped_byte_is_refused_or_gives_a_checked_record(place: int, value: int) -> None:
    good = bytearray(
        records.canonical_bytes(
            {
                "schema": 1,
                "compiler": "core",
                "ast": [["CONST", "int", [], ["int", 1]], ["NEG", "int", [0], None]],
                "opts": {"backend": "c"},
                "applied_opts": [],
                "name": "E_2",
                "context": {"NOOPT": 0},
            }
        )
    )
    good[place % len(good)] = value
    try:
        inputs = read_inputs(bytes(good))
    except RecordError:
        return
    assert inputs.schema == records.SCHEMA
    assert all(source < number for number, row in enumerate(inputs.ast) for source in row[2])


# -- layouts ----------------------------------------------------------------------------------------------------------


def test_an_older_layout_is_migrated(record: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """A made-up layout 0 called `ast` `graph`, and had opts as [op, [axis, arg]]."""
    old = {
        "schema": 0, "compiler": "core", "graph": record()["ast"], "opts": {"backend": "c"},
        "applied_opts": [["UPCAST", [0, 4]]], "name": "E_3", "context": {},
    }  # fmt: skip

    def from_layout_0(raw: dict[str, Any]) -> dict[str, Any]:
        raw["ast"] = raw.pop("graph")
        raw["applied_opts"] = [[op, axis, arg] for op, (axis, arg) in raw["applied_opts"]]
        return raw

    monkeypatch.setitem(records.MIGRATIONS, 0, from_layout_0)
    data = records.canonical_bytes(old)
    inputs = read_inputs(data)
    assert inputs.schema == records.SCHEMA
    assert inputs.applied_opts == [["UPCAST", 0, 4]]
    assert [list(row) for row in inputs.ast] == record()["ast"]
    # An old compiler gets it as it was written, and a capture of one keeps its layout and so its identity.
    assert records.migrate(records.decode_inputs(data), 0) == old
    capture = parse_capture({**old, "src": "", "observed": None, "provenance": None})
    assert capture.data == data
    assert capture.inputs == inputs


def test_a_migration_that_meets_nonsense_is_a_record_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(records.MIGRATIONS, 0, lambda raw: raw.pop("graph"))
    with pytest.raises(RecordError, match="not a valid record of layout 0"):
        read_inputs(records.canonical_bytes({"schema": 0}))


def test_a_layout_without_a_way_to_this_one() -> None:
    with pytest.raises(RecordError, match="no way from layout 0 to 1"):
        read_inputs(records.canonical_bytes({"schema": 0}))
