"""A graph as rows of plain data, for records: `[op, dtype, [rows of its sources], arg]`, the root last.

Rows come in the order of `toposort`, a view's symbolic integers before the view. Ops and dtypes are written by name. An
arg is None or one of these:

    ["b", true]  ["i", 5]  ["f", "0x1.8p+1"]  ["s", "start_pos"]  ["t", [arg, ...]]  ["op", "ADD"]  ["d", "float"]
    ["u", row]                                                a node
    ["view", [[shape, strides, offset, mask, contiguous], ...]]  a ShapeTracker; its integers are 5 or ["u", row]
    ["kernel_info", local_dims, upcasted, dont_use_locals]

The rows of a graph depend on nothing but the graph, so a digest of them identifies it in every process.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec

from core.dtype import DType
from core.errors import RecordError
from core.ir.checked import arg_uops, checked_string, checked_view, named_dtype, named_op
from core.ir.kernel_info import KernelInfo
from core.ir.limits import MAX_ARG_DEPTH, MAX_NODES, MAX_RANK, in_range, is_int
from core.ir.ops import Ops
from core.ir.uop import UOp
from core.shape import ShapeTracker, View

__all__ = ["ast_digest", "from_rows", "to_rows"]

DIGEST_SIZE: Final = 32

_encode = msgspec.msgpack.Encoder().encode


def to_rows(ast: UOp) -> list[list[Any]]:
    """The rows of the graph below `ast`. Raises RecordError for an arg that no row can hold."""
    numbers: dict[UOp, int] = {}
    rows: list[list[Any]] = []

    def add(node: UOp) -> None:
        if node in numbers:
            return
        for inner in arg_uops(node.arg):
            for below in inner.toposort():
                add(below)
        try:
            arg = _pack(node.arg, numbers)
        except ValueError as error:
            raise RecordError(f"ast[{len(rows)}].arg", str(error)) from None
        sources = [numbers[source] for source in node.src]
        numbers[node] = len(rows)
        rows.append([node.op.name, str(node.dtype), sources, arg])

    for node in ast.toposort():
        add(node)
    return rows


def from_rows(rows: object) -> UOp:
    """The graph whose rows these are. Raises RecordError naming the field that is malformed or not known."""
    if not isinstance(rows, list | tuple) or not rows:
        raise RecordError("ast", "is not a list of rows, or an empty one")
    if len(rows) > MAX_NODES:
        raise RecordError("ast", f"has {len(rows)} rows; at most {MAX_NODES} are read")

    reader = _Reader()
    for number, row in enumerate(rows):
        reader.read(number, row)
    if unused := sorted(set(range(len(rows) - 1)) - reader.used):
        raise RecordError(f"ast[{unused[0]}]", "is not the root, and no other row refers to it")
    return reader.nodes[-1]


def ast_digest(ast: UOp) -> str:
    """BLAKE2b of the msgpack of the rows, in hex: the same for equal graphs, in every process and on every machine."""
    return hashlib.blake2b(_encode(to_rows(ast)), digest_size=DIGEST_SIZE).hexdigest()


# ---- writing ------------------------------------------------------------------------------------------------------


def _pack(arg: Any, numbers: dict[UOp, int]) -> Any:
    if arg is None:
        return None
    pack = _PACK.get(arg.__class__)
    if pack is not None:
        return pack(arg, numbers)
    if isinstance(arg, DType):
        return ["d", str(arg)]
    raise ValueError(f"a {arg.__class__.__name__} cannot be stored")


def _pack_int(arg: int, numbers: dict[UOp, int]) -> Any:
    if not in_range(arg):
        raise ValueError("an integer of more than 64 bits cannot be stored")
    return ["i", arg]


def _pack_tracker(arg: ShapeTracker, numbers: dict[UOp, int]) -> Any:
    def entry(value: Any) -> Any:
        return value if value.__class__ is int else ["u", numbers[value]]

    def packed(view: View) -> list[Any]:
        mask = view.mask and [[entry(low), entry(high)] for low, high in view.mask]
        shape, strides = list(map(entry, view.shape)), list(map(entry, view.strides))
        return [shape, strides, entry(view.offset), mask, view.contiguous]

    return ["view", [packed(view) for view in arg.views]]


# what float.hex writes of a mantissa and need not: 0x1.8000000000000p+1
_ZEROS: Final = re.compile(r"\.?0+(?=p)")

_PACK: Final[dict[type, Callable[[Any, dict[UOp, int]], Any]]] = {
    bool: lambda arg, numbers: ["b", arg],
    int: _pack_int,
    float: lambda arg, numbers: ["f", _ZEROS.sub("", arg.hex())],
    str: lambda arg, numbers: ["s", checked_string(arg)],
    tuple: lambda arg, numbers: ["t", [_pack(item, numbers) for item in arg]],
    Ops: lambda arg, numbers: ["op", arg.name],
    UOp: lambda arg, numbers: ["u", numbers[arg]],
    ShapeTracker: _pack_tracker,
    KernelInfo: lambda arg, numbers: ["kernel_info", arg.local_dims, arg.upcasted, arg.dont_use_locals],
}


# ---- reading ------------------------------------------------------------------------------------------------------


class _Reader:
    """Builds the nodes row by row.

    `used` are the rows that later ones referred to. A node's level says how deep nodes stand in args below it, as those
    of a view's symbolic integers do; `level` is that of the nodes that the field at hand refers to.
    """

    __slots__ = ("level", "levels", "nodes", "used")

    def __init__(self) -> None:
        self.nodes: list[UOp] = []
        self.levels: list[int] = []
        self.level = 0
        self.used: set[int] = set()

    def read(self, number: int, row: object) -> None:
        where = f"ast[{number}]"
        op_name, dtype_name, sources, packed = _items(where, row, 4, "[op, dtype, sources, arg]")
        op = _named(f"{where}.op", op_name, named_op)
        dtype = _named(f"{where}.dtype", dtype_name, named_dtype)

        self.level = 0
        arg = self.arg(f"{where}.arg", packed, 0)
        if self.level > MAX_ARG_DEPTH:
            raise RecordError(f"{where}.arg", f"holds nodes in args of nodes more than {MAX_ARG_DEPTH} deep")
        src = tuple([self.node(f"{where}.src[{i}]", item, 0) for i, item in enumerate(_items(f"{where}.src", sources))])
        self.nodes.append(UOp(op, dtype, src, arg))
        self.levels.append(self.level)

    def node(self, where: str, number: object, deeper: int) -> UOp:
        """The node of an earlier row, `deeper` levels below the row at hand: 0 for a source, 1 in its arg."""
        if not is_int(number) or not 0 <= number < len(self.nodes):
            raise RecordError(where, "is not the number of an earlier row")
        self.used.add(number)
        self.level = max(self.level, self.levels[number] + deeper)
        return self.nodes[number]

    def arg(self, where: str, packed: object, depth: int) -> Any:
        if packed is None:
            return None
        if depth > MAX_ARG_DEPTH:
            raise RecordError(where, f"is nested more than {MAX_ARG_DEPTH} deep")
        items = _items(where, packed)
        if not items or not isinstance(items[0], str):
            raise RecordError(where, "is neither null nor a list that begins with its kind")
        kind = items[0]
        if kind == "kernel_info":
            return _kernel_info(where, items)
        if kind not in _KINDS:
            raise RecordError(where, f"unknown kind of arg {kind[:40]!r}")
        _items(where, packed, 2, f'["{kind}", value]')
        return _KINDS[kind](self, where, items[1], depth)

    def tuple_(self, where: str, value: object, depth: int) -> Any:
        return tuple([self.arg(f"{where}[{i}]", item, depth + 1) for i, item in enumerate(_items(where, value))])

    def tracker(self, where: str, value: object, depth: int) -> ShapeTracker:
        views = [self.view(f"{where}.views[{i}]", packed) for i, packed in enumerate(_items(where, value))]
        try:
            return ShapeTracker(tuple(views))
        except ValueError as error:
            raise RecordError(where, str(error)) from None

    def view(self, where: str, packed: object) -> View:
        shape, strides, offset, mask, contiguous = _items(
            where, packed, 5, "[shape, strides, offset, mask, contiguous]"
        )
        ranges = None
        if mask is not None:
            pairs = [self.entries(f"{where}.mask[{i}]", pair) for i, pair in enumerate(_items(f"{where}.mask", mask))]
            ranges = tuple(pairs)
        fields = (
            self.entries(f"{where}.shape", shape),
            self.entries(f"{where}.strides", strides),
            self.entry(f"{where}.offset", offset),
            ranges,
            contiguous,
        )
        try:
            return checked_view(*fields)
        except ValueError as error:
            raise RecordError(where, str(error)) from None

    def entries(self, where: str, packed: object) -> tuple[Any, ...]:
        return tuple([self.entry(f"{where}[{i}]", item) for i, item in enumerate(_items(where, packed))])

    def entry(self, where: str, packed: object) -> Any:
        if is_int(packed):
            return packed
        kind, number = _items(where, packed, 2, 'an integer or ["u", row]')
        if kind != "u":
            raise RecordError(where, 'is neither an integer nor ["u", row]')
        return self.node(where, number, 1)


def _items(where: str, value: object, count: int | None = None, form: str = "a list") -> Sequence[Any]:
    """`value` as the list that it must be, of `count` items if that is given."""
    if not isinstance(value, list | tuple) or (count is not None and len(value) != count):
        raise RecordError(where, f"is not {form}")
    return value


def _named(where: str, name: object, find: Callable[[str], Any]) -> Any:
    if not isinstance(name, str):
        raise RecordError(where, "is not a name")
    try:
        return find(name)
    except ValueError as error:
        raise RecordError(where, str(error)) from None


def _of_class(kind: type, what: str) -> Callable[[_Reader, str, object, int], Any]:
    def read(reader: _Reader, where: str, value: object, depth: int) -> Any:
        if value.__class__ is not kind:
            raise RecordError(where, f"is not {what}")
        return value

    return read


def _int(reader: _Reader, where: str, value: object, depth: int) -> int:
    if not is_int(value) or not in_range(value):
        raise RecordError(where, "is not an integer of 64 bits")
    return value


_FLOAT: Final = re.compile(r"-?0x[01](\.[0-9a-f]{1,13})?p[+-][0-9]{1,4}|-?inf|nan")


def _float(reader: _Reader, where: str, value: object, depth: int) -> float:
    if not isinstance(value, str) or not _FLOAT.fullmatch(value):
        raise RecordError(where, "is not a float in hexadecimal such as 0x1.8p+1")
    try:
        return float.fromhex(value)
    except OverflowError:
        raise RecordError(where, f"{value} is more than a float can hold") from None


def _kernel_info(where: str, items: Sequence[Any]) -> KernelInfo:
    local_dims, upcasted, dont_use_locals = _items(where, items, 4, '["kernel_info", local_dims, upcasted, flag]')[1:]
    for count in (local_dims, upcasted):
        if not is_int(count) or not 0 <= count <= MAX_RANK:
            raise RecordError(where, "local_dims and upcasted of kernel_info are not both counts of axes")
    if dont_use_locals.__class__ is not bool:
        raise RecordError(where, "dont_use_locals of kernel_info is not a bool")
    return KernelInfo(local_dims, upcasted, dont_use_locals)


_KINDS: Final[dict[str, Callable[[_Reader, str, Any, int], Any]]] = {
    "b": _of_class(bool, "true or false"),
    "i": _int,
    "f": _float,
    "s": lambda reader, where, value, depth: _named(where, value, checked_string),
    "t": _Reader.tuple_,
    "op": lambda reader, where, value, depth: _named(where, value, named_op),
    "d": lambda reader, where, value, depth: _named(where, value, named_dtype),
    "u": lambda reader, where, value, depth: reader.node(where, value, 1),
    "view": _Reader.tracker,
}
