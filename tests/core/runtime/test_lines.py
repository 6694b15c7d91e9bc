"""Reading lines of files that may be gzipped, damaged or hostile."""

from __future__ import annotations

import gzip
import io
import sys

import pytest

from core.errors import ParseError
from core.runtime import lines
from core.runtime.lines import UnreadableFileError, numbered_lines, read_json_object


def written(tmp_path, contents: bytes) -> str:
    path = tmp_path / "file.txt"
    path.write_bytes(contents)
    return str(path)


def test_blank_lines_are_counted_and_left_out(tmp_path):
    path = written(tmp_path, b"one\n\n  \r\ntwo\r\nthree")
    found = list(numbered_lines(path))
    assert [(line.index, line.text()) for line in found] == [(0, "one"), (3, "two"), (4, "three")]
    assert str(found[1]) == f"{path}:4"


def test_gzip_is_known_by_its_first_bytes(tmp_path):
    assert [line.text() for line in numbered_lines(written(tmp_path, gzip.compress(b"a\nb\n")))] == ["a", "b"]


def test_several_gzip_members(tmp_path):
    path = written(tmp_path, gzip.compress(b"a\n") + gzip.compress(b"b\n"))
    assert [line.text() for line in numbered_lines(path)] == ["a", "b"]


@pytest.mark.parametrize("contents", [b"a\nb\n", gzip.compress(b"a\nb\n", mtime=0)], ids=["plain", "gzip"])
def test_standard_input(monkeypatch, contents):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(contents))))
    found = list(numbered_lines("-"))
    assert [str(line) for line in found] == ["standard input:1", "standard input:2"]


def test_an_empty_file(tmp_path):
    assert list(numbered_lines(written(tmp_path, b""))) == []


def test_a_missing_file_and_a_folder(tmp_path):
    with pytest.raises(UnreadableFileError, match="no-such cannot be read: No such file or directory"):
        next(numbered_lines(str(tmp_path / "no-such")))
    with pytest.raises(UnreadableFileError, match="Is a directory"):
        next(numbered_lines(str(tmp_path)))


@pytest.mark.parametrize("cut", [-1, -9, 40])
def test_a_truncated_gzip_gives_what_is_whole(tmp_path, cut):
    numbers = [str(number * 7919) for number in range(5000)]
    whole = gzip.compress("\n".join(numbers).encode())
    read: list[str] = []
    with pytest.raises(UnreadableFileError, match="cannot be read"):
        read.extend(line.text() for line in numbered_lines(written(tmp_path, whole[:cut])))
    assert read == numbers[: len(read)]
    assert len(read) > 4000 or cut > 0


def test_a_damaged_gzip(tmp_path):
    damaged = bytearray(gzip.compress(b"one\ntwo\n" * 100))
    damaged[20] ^= 0xFF
    with pytest.raises(UnreadableFileError, match="cannot be read"):
        list(numbered_lines(written(tmp_path, bytes(damaged))))


def test_a_line_that_is_too_long_is_refused_and_the_next_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(lines, "MAX_LINE", 10)
    found = list(numbered_lines(written(tmp_path, b"x" * 35 + b"\nshort\n" + b"y" * 11 + b"\n" + b"z" * 9)))
    assert [line.index for line in found] == [0, 1, 2, 3]
    for line in (found[0], found[2]):
        with pytest.raises(ParseError, match="more than 10 bytes"):
            line.text()
        assert len(line.raw) == 11
    assert [found[1].text(), found[3].text()] == ["short", "z" * 9]


def test_bytes_that_are_no_text(tmp_path):
    (line,) = numbered_lines(written(tmp_path, b"ab\xff"))
    with pytest.raises(ParseError, match="byte 2 of the line is not UTF-8"):
        line.text()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": }', "no JSON: Expecting value at column 7"),
        ("[1]", "a JSON object was expected, not list"),
        ("[" * 100_000, "no JSON"),
        ('{"a": ' + "9" * 10_000 + "}", "a number is too long"),
    ],
)
def test_json_that_is_refused(text, message):
    with pytest.raises(ParseError, match=message):
        read_json_object(text)
