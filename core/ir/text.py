"""The text form of a graph, as `UOp(Ops.ADD,dtypes.int,arg=None,src=(...))`: reading and printing it.

It reads like Python and is never evaluated as such. A node with several users is written in full once, as
`x3:=UOp(...)`, and as `x3` from then on; its number is its place among the nodes below the root, each counted where it
is first met. A symbolic integer inside a view is a graph of its own, with its own numbers.
"""

from __future__ import annotations

from typing import Any, Final

from core.errors import ParseError
from core.ir.kernel_info import KernelInfo
from core.ir.limits import MAX_TEXT
from core.ir.ops import Ops
from core.ir.text_reader import TextReader
from core.ir.uop import UOp

__all__ = ["format_uop", "parse_uop"]

# Indentation stops growing there: a deep graph would be printed as mostly spaces.
MAX_INDENT: Final = 80


def parse_uop(text: str) -> UOp:
    """The graph whose text form is `text`. Raises ParseError with the column and what was expected there.

    Any depth is read. Text of more than `limits.MAX_TEXT` characters or `limits.MAX_NODES` nodes is refused.
    """
    if len(text) > MAX_TEXT:
        raise ParseError(f"the text of an AST has {len(text)} characters; at most {MAX_TEXT} are read")
    return TextReader(text).read()


def format_uop(uop: UOp, *, multiline: bool = False) -> str:
    """The text form of the graph below `uop`: one line without spaces, or a line a node, indented by depth.

    `parse_uop` reads either back to the same node.
    """
    places = _places(uop)
    written: set[UOp] = set()
    pieces: list[str] = []
    # what is still to be printed, next last: nodes with their depth, and text between them
    pending: list[tuple[UOp, int] | str] = [(uop, 0)]

    while pending:
        item = pending.pop()
        if isinstance(item, str):
            pieces.append(item)
            continue
        node, depth = item
        number, uses = places[node]
        if uses > 1:
            if node in written:
                pieces.append(f"x{number}")
                continue
            written.add(node)
            pieces.append(f"x{number}:=")
        pieces.append(_head(node, ", " if multiline else ","))
        pending.append("))")
        between = "\n" + "  " * min(depth + 1, MAX_INDENT // 2) if multiline else ""
        for source in reversed(node.src):
            pending += (",", (source, depth + 1), between)
    return "".join(pieces)


def _places(root: UOp) -> dict[UOp, list[int]]:
    """For each node the number that names it, and how many operands it is."""
    places: dict[UOp, list[int]] = {}
    pending = list(reversed(root.src))
    while pending:
        node = pending.pop()
        place = places.get(node)
        if place is None:
            places[node] = [len(places), 1]
            pending.extend(reversed(node.src))
        else:
            place[1] += 1
    places[root] = [len(places), 1]
    return places


def _head(node: UOp, comma: str) -> str:
    return f"UOp(Ops.{node.op.name}{comma}{node.dtype!r}{comma}arg={_arg(node.arg)}{comma}src=("


def _arg(arg: Any) -> str:
    kind = arg.__class__
    if kind is tuple:
        items = [_arg(item) for item in arg]
        return f"({items[0]},)" if len(items) == 1 else f"({','.join(items)})"
    if kind is Ops:
        return f"Ops.{arg.name}"
    if kind is KernelInfo:
        return f"KernelInfo(local_dims={arg.local_dims},upcasted={arg.upcasted},dont_use_locals={arg.dont_use_locals})"
    return repr(arg)
