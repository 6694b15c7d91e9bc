"""The record: one captured kernel as plain data, its canonical bytes, its identity, and its migrations.

The identity of a record is the digest of the canonical bytes of its *inputs*: what decides the output of the compiler.
What was observed (source, launch dims, where the kernel came from) hangs off it. Reading a record executes, imports and
evaluates nothing; sizes are bounded before anything is unpacked, and bad input is answered with a RecordError that
names the field and the reason.
"""

import hashlib
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import msgspec
import zstandard

from replay.errors import RecordError

__all__ = [
    "MAX_RECORD_BYTES",
    "MAX_SOURCE_BYTES",
    "MIGRATIONS",
    "SCHEMA",
    "Capture",
    "Inputs",
    "Observed",
    "Provenance",
    "backend_label",
    "canonical_bytes",
    "check_inputs",
    "compress",
    "decode_inputs",
    "decompress",
    "digest_of",
    "migrate",
    "parse_capture",
    "read_inputs",
    "stem_of",
    "unpack",
]

SCHEMA = 1
MAX_RECORD_BYTES = 4 << 20  # uncompressed; a kernel of 3,000 nodes takes about 200 kB
MAX_SOURCE_BYTES = 16 << 20
MAX_ROWS = 50_000
MAX_ARG_DEPTH = 32
_DIGEST_BYTES = 16
_MAX_LABEL = 4096
_OBSERVED_FIELDS = frozenset({"src", "observed", "provenance"})

Raw = dict[str, Any]
T = TypeVar("T")

# schema -> how a record of that layout becomes one of the next. A step gets and returns the inputs as plain data.
MIGRATIONS: dict[int, Callable[[Raw], Raw]] = {}


class Inputs(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All that decides what the compiler makes of a kernel. `ast`: rows `(op, dtype, source rows, arg)`, root last."""

    schema: int
    compiler: str
    ast: list[tuple[str, str, list[int], Any]]
    opts: dict[str, Any]
    applied_opts: list[list[Any]]
    name: str
    context: dict[str, int | float | str]

    @property
    def backend(self) -> str:
        """The captured backend as a label, such as `c` or `cuda:sm_80`."""
        return backend_label(self.opts)


class Observed(msgspec.Struct, frozen=True):
    """What the compiler answered at the time of capture, besides the source."""

    global_size: list[Any] | None = None
    local_size: list[Any] | None = None
    vars: list[Any] = []
    estimates: dict[str, Any] = {}


class Provenance(msgspec.Struct, frozen=True):
    """Where a capture comes from: a line of a file or a command, and the test that ran."""

    source: str | None = None
    test: str | None = None


class Capture(msgspec.Struct, frozen=True):
    """One call of the compiler, checked.

    `data` is the canonical bytes of the inputs in the layout of the compiler that made them, `inputs` the same as this
    layout has it. `name` still has its running suffix, `inputs.name` has not.
    """

    data: bytes
    inputs: Inputs
    name: str
    src: str
    observed: Observed
    provenance: Provenance


_encoder = msgspec.msgpack.Encoder(order="deterministic")
_RUNNING_SUFFIX = re.compile(r"n\d+$")
_SURROGATE = re.compile("[\ud800-\udfff]")


def stem_of(name: str) -> str:
    """`name` without the number that tells apart kernels of one name in one process: `r_4_2n3` -> `r_4_2`."""
    return _RUNNING_SUFFIX.sub("", name) or name


def backend_label(opts: Mapping[str, Any]) -> str:
    """`opts["backend"]`, with `opts["arch"]` behind a colon where there is one."""
    backend, arch = opts.get("backend"), opts.get("arch")
    return f"{backend}:{arch}" if arch else str(backend)


def parse_capture(record: Mapping[str, object]) -> Capture:
    """Check a record as the compiler hands it over. Raises RecordError naming the first field that is wrong."""
    name = _text(record, "name", _MAX_LABEL)
    raw = {field: value for field, value in record.items() if field not in _OBSERVED_FIELDS} | {"name": stem_of(name)}
    data = canonical_bytes(raw)
    provenance = _convert(record.get("provenance") or {}, Provenance)
    for field in Provenance.__struct_fields__:
        if getattr(provenance, field) is not None:
            _text({field: getattr(provenance, field)}, field, _MAX_LABEL)
    return Capture(
        data=data,
        inputs=read_inputs(data),
        name=name,
        src=_text(record, "src", MAX_SOURCE_BYTES),
        observed=_observed(record.get("observed") or {}),
        provenance=provenance,
    )


def _observed(value: object) -> Observed:
    observed = _convert(value, Observed)
    try:
        msgspec.json.encode(observed)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise RecordError("observed", f"cannot be stored: {error}") from error
    return observed


def _text(record: Mapping[str, object], field: str, limit: int) -> str:
    value = record.get(field)
    if not isinstance(value, str):
        raise RecordError(field, "missing or not a string")
    if len(value) > limit:
        raise RecordError(field, f"longer than {limit} characters")
    if _SURROGATE.search(value):
        raise RecordError(field, "not valid Unicode: it holds half of a surrogate pair")
    return value


def canonical_bytes(raw: Raw) -> bytes:
    """The bytes whose digest is the record's identity. Keys are sorted, so call and hash order leave no trace."""
    try:
        data = _encoder.encode(raw)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise RecordError("", f"cannot be stored: {error}") from error
    if len(data) > MAX_RECORD_BYTES:
        raise RecordError("ast", f"the record takes {len(data)} bytes, more than the {MAX_RECORD_BYTES} allowed")
    return data


def digest_of(data: bytes) -> str:
    """128 bits of BLAKE2b in hexadecimal."""
    return hashlib.blake2b(data, digest_size=_DIGEST_BYTES).hexdigest()


def compress(data: bytes) -> bytes:
    """One zstd frame that declares its uncompressed size."""
    return zstandard.ZstdCompressor(level=9).compress(data)


def decompress(blob: bytes, limit: int) -> bytes:
    """The content of one zstd frame, refused unread when it declares more than `limit` bytes or no size at all."""
    try:
        size = zstandard.frame_content_size(blob)
        if size < 0:
            raise RecordError("blob", "the compressed data does not say how large it is")
        if size > limit:
            raise RecordError("blob", f"unpacks to {size} bytes, more than the {limit} allowed")
        return zstandard.ZstdDecompressor().decompress(blob, max_output_size=limit, allow_extra_data=False)
    except zstandard.ZstdError as error:
        raise RecordError("blob", f"not valid zstd data ({error})") from error


def unpack(blob: bytes, digest: str) -> bytes:
    """The canonical bytes in `blob`, checked against the `digest` they are filed under."""
    data = decompress(blob, MAX_RECORD_BYTES)
    if digest_of(data) != digest:
        raise RecordError("digest", "the content does not match the digest it is stored under")
    return data


def read_inputs(data: bytes) -> Inputs:
    """Canonical bytes of any layout up to this one as checked Inputs of this layout."""
    return check_inputs(_convert(migrate(decode_inputs(data), SCHEMA), Inputs))


def decode_inputs(data: bytes) -> Raw:
    """Canonical bytes as plain data in the layout they were written in. Raises RecordError."""
    try:
        raw = msgspec.msgpack.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, OverflowError) as error:
        raise RecordError("", f"not a readable record ({error})") from error
    if not isinstance(raw, dict):
        raise RecordError("", "not a record: expected a mapping")
    if type(raw.get("schema")) is not int:
        raise RecordError("schema", "missing or not an integer")
    return raw


def migrate(raw: Raw, target: int) -> Raw:
    """Bring plain data to the layout `target`, step by step. Raises RecordError on a layout from the future."""
    schema = raw["schema"]
    if schema > target:
        raise RecordError("schema", f"layout {schema} is newer than {target}, the newest that is understood here")
    while schema < target:
        step = MIGRATIONS.get(schema)
        if step is None:
            raise RecordError("schema", f"there is no way from layout {schema} to {schema + 1}")
        try:
            raw = step(raw)
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            raise RecordError("schema", f"not a valid record of layout {schema} ({error!r})") from error
        schema += 1
        raw["schema"] = schema
    return raw


def check_inputs(inputs: Inputs) -> Inputs:
    """Check what types do not say: row count, source rows that come first, arguments that are shallow plain data."""
    if inputs.schema != SCHEMA:
        raise RecordError("schema", f"layout {inputs.schema} where {SCHEMA} was expected")
    if not isinstance(inputs.opts.get("backend"), str):
        raise RecordError("opts.backend", "missing or not a string")
    if not inputs.ast:
        raise RecordError("ast", "empty")
    if len(inputs.ast) > MAX_ROWS:
        raise RecordError("ast", f"{len(inputs.ast)} rows, more than the {MAX_ROWS} allowed")
    for number, (_, _, sources, arg) in enumerate(inputs.ast):
        if any(not 0 <= source < number for source in sources):
            raise RecordError(f"ast[{number}].src", "refers to a row that does not come before it")
        _check_plain(f"ast[{number}].arg", arg)
    _check_plain("opts", inputs.opts)
    _check_plain("applied_opts", inputs.applied_opts)
    return inputs


def _check_plain(field: str, value: object) -> None:
    # An explicit stack: a hostile record may nest deeper than Python recurses.
    stack: list[tuple[object, int]] = [(value, 0)]
    while stack:
        item, depth = stack.pop()
        if isinstance(item, str | bytes | int | float) or item is None:
            continue
        if depth >= MAX_ARG_DEPTH:
            raise RecordError(field, f"nested deeper than {MAX_ARG_DEPTH} levels")
        if isinstance(item, list | tuple):
            stack.extend((child, depth + 1) for child in item)
        elif isinstance(item, dict) and all(isinstance(key, str) for key in item):
            stack.extend((child, depth + 1) for child in item.values())
        else:
            raise RecordError(field, f"holds a {type(item).__name__}, which is not plain data")


_PATH = re.compile(r"^(?P<reason>.*) - at `\$\.?(?P<field>.*)`$", re.DOTALL)


def _convert(value: object, kind: type[T]) -> T:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        found = _PATH.match(str(error))
        raise (RecordError(found["field"], found["reason"]) if found else RecordError("", str(error))) from error
    except (OverflowError, RecursionError) as error:
        raise RecordError("", str(error)) from error
