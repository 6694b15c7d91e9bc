"""Reading what `core.render.python` writes: a linear program as text, a line a UOp.

The text may come from anywhere: nothing in it is executed, its size is bounded, and what it says is checked against
`program_spec` before it is believed.
"""

from __future__ import annotations

import functools
import re
from typing import Any, Final, NamedTuple

from core.errors import RuntimeFailure, SpecError
from core.ir.checked import named_dtype, named_op
from core.ir.limits import INT_MAX, INT_MIN, MAX_ARG_DEPTH, MAX_NODES, MAX_STRING, MAX_TEXT
from core.ir.spec import program_spec, type_verify
from core.ir.uop import UOp

__all__ = ["Listing", "parse_program"]

REMEMBERED: Final = 256  # programs
SHOWN: Final = 60  # characters of a line in a message

_HEAD: Final = re.compile(r"kernel ([A-Za-z_][A-Za-z0-9_]*+)")
_LINE: Final = re.compile(r" *+%([0-9]{1,7}) = ([A-Z0-9_]++) (\S++)((?: %[0-9]{1,7})*+)(?: arg=(.++))?")
_TOKEN: Final = re.compile(
    r"""\ *+
    (?: (-?[0-9]++) (?![.e])
      | (-?[0-9]++ (?: \.[0-9]++ )?+ (?: e[-+]?[0-9]++ )?+ | -?inf | nan) (?![A-Za-z0-9_])
      | "([A-Za-z_][A-Za-z0-9_]*+)"
      | %([0-9]{1,7})
      | (True|False) (?![A-Za-z0-9_])
      | ([a-z0-9]++ (?: \.vec\([0-9]++\) )?+)
      | ([(),])
    )""",
    re.VERBOSE,
)
_INT, _FLOAT, _NAME, _NODE, _BOOL, _DTYPE, _MARK = range(1, 8)
MAX_DIGITS: Final = 40


class Listing(NamedTuple):
    """A program with its name. What only the size of a launch dimension needs is among `uops` too."""

    name: str
    uops: tuple[UOp, ...]


@functools.lru_cache(maxsize=REMEMBERED)
def parse_program(source: str) -> Listing:
    """The program that `source` spells out. Raises RuntimeFailure that names the line and what is wrong with it."""
    if len(source) > MAX_TEXT:
        raise RuntimeFailure(f"the program has {len(source)} characters; at most {MAX_TEXT} are read")
    first, *lines = source.removesuffix("\n").split("\n")
    if len(lines) > MAX_NODES:
        raise RuntimeFailure(f"the program has {len(lines)} lines; at most {MAX_NODES} are read")
    head = _HEAD.fullmatch(first)
    if head is None or len(head[1]) > MAX_STRING:
        raise RuntimeFailure(f"line 1 of the program is not 'kernel NAME': {first[:SHOWN]!r}")

    nodes: list[UOp] = []
    for count, line in enumerate(lines, start=2):
        try:
            nodes.append(_node(line, nodes))
        except ValueError as error:
            raise RuntimeFailure(f"line {count} of the program, {line[:SHOWN]!r}: {error}") from None
    try:
        type_verify(nodes, program_spec)
    except SpecError as error:
        raise RuntimeFailure(str(error)) from None
    return Listing(head[1], tuple(nodes))


def _node(line: str, nodes: list[UOp]) -> UOp:
    match = _LINE.fullmatch(line)
    if match is None:
        raise ValueError("expected '%NUMBER = OP DTYPE', numbers of sources, and perhaps an arg")
    number, op, dtype, sources, arg = match.groups()
    if int(number) != len(nodes):
        raise ValueError(f"expected the number {len(nodes)}")
    src = tuple([_source(int(source), nodes) for source in sources.replace("%", "").split()])
    return UOp(named_op(op), named_dtype(dtype), src, None if arg is None else _Literal(arg, nodes).read())


def _source(number: int, nodes: list[UOp]) -> UOp:
    if number >= len(nodes):
        raise ValueError(f"%{number} does not come before")
    return nodes[number]


class _Literal:
    """Reads one arg."""

    def __init__(self, text: str, nodes: list[UOp]) -> None:
        self.text, self.nodes, self.at = text, nodes, 0

    def read(self) -> Any:
        value = self.value(0)
        if self.at != len(self.text):
            raise ValueError(f"nothing was expected after the arg, found {self.text[self.at :][:SHOWN]!r}")
        return value

    def value(self, depth: int) -> Any:
        if depth > MAX_ARG_DEPTH:
            raise ValueError(f"tuples are nested more than {MAX_ARG_DEPTH} deep")
        kind, text = self.token()
        if kind == _INT:
            return _integer(text)
        if kind == _FLOAT:
            return _float(text)
        if kind == _NAME:
            if len(text) > MAX_STRING:
                raise ValueError(f"a name has at most {MAX_STRING} characters")
            return text
        if kind == _NODE:
            return _source(int(text), self.nodes)
        if kind == _BOOL:
            return text == "True"
        if kind == _DTYPE:
            return named_dtype(text)
        if text != "(":
            raise ValueError(f"a value was expected, found {text!r}")
        return self.items(depth)

    def items(self, depth: int) -> tuple[Any, ...]:
        """The rest of a tuple."""
        found: list[Any] = []
        while not self.taken(")"):
            found.append(self.value(depth + 1))
            if not self.taken(","):
                if not self.taken(")"):
                    raise ValueError("',' or ')' was expected in a tuple")
                break
        return tuple(found)

    def taken(self, mark: str) -> bool:
        """Whether `mark` comes next; if so it is passed over."""
        before = self.at
        if before < len(self.text) and self.token() == (_MARK, mark):
            return True
        self.at = before
        return False

    def token(self) -> tuple[int, str]:
        match = _TOKEN.match(self.text, self.at)
        if match is None:
            raise ValueError(f"a value was expected, found {self.text[self.at :][:SHOWN]!r}")
        self.at = match.end()
        assert match.lastindex is not None
        return match.lastindex, match[match.lastindex]


def _integer(text: str) -> int:
    value = int(text) if len(text) <= MAX_DIGITS else INT_MAX + 1
    if not INT_MIN <= value <= INT_MAX:
        raise ValueError("an integer has 64 bits")
    return value


def _float(text: str) -> float:
    if len(text) > MAX_DIGITS:
        raise ValueError(f"a number has at most {MAX_DIGITS} characters")
    return float(text)
