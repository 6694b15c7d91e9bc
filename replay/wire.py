"""Messages between the harness and its workers: msgpack behind a length, and the plain data types that cross.

A worker is not trusted to answer sensibly, since it runs the code under test: an answer that is too long, not msgpack
or of another shape raises WireError.
"""

import struct
from typing import Any, TypeVar

import msgspec

__all__ = ["MAX_MESSAGE_BYTES", "Failure", "Hello", "Request", "WireError", "decode", "frame", "frame_length"]

MAX_MESSAGE_BYTES = 256 << 20
LENGTH = struct.Struct(">I")
T = TypeVar("T")


class WireError(Exception):
    """A message that breaks the protocol."""


class Hello(msgspec.Struct, frozen=True):
    """What a worker says first: the newest record layout its compiler reads, and the backends it renders."""

    schema: int
    backends: list[str]


class Failure(msgspec.Struct, frozen=True):
    """What a worker says instead when its compiler cannot be used; `where` is `file:line` in its tree, or empty."""

    failure: str
    where: str = ""


class Request(msgspec.Struct, frozen=True):
    """What to do with one record: canonical bytes, backend (None: its own), `pinned` or `free`, and seconds allowed.

    `action` is `replay`, or another thing that the seam can do with a record; `options` are the action's own.
    """

    record: bytes
    backend: str | None
    mode: str
    timeout: float
    action: str = "replay"
    options: dict[str, Any] = {}


def frame(message: object) -> bytes:
    """A message as bytes with their length in front."""
    data = msgspec.msgpack.encode(message)
    return LENGTH.pack(len(data)) + data


def frame_length(head: bytes) -> int:
    """How many bytes follow the four of `head`."""
    (length,) = LENGTH.unpack(head)
    if length > MAX_MESSAGE_BYTES:
        raise WireError(f"a message of {length} bytes, more than the {MAX_MESSAGE_BYTES} allowed")
    return int(length)


def decode(data: bytes, kind: type[T] | Any) -> T:
    """A message of the given type. Raises WireError."""
    try:
        return msgspec.msgpack.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, OverflowError) as error:
        raise WireError(f"an answer that makes no sense ({error})") from error
