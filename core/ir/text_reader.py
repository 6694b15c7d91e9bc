"""The reader of the text form: a scanner of lexemes, and a stack of what is open instead of recursion."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any, Final

from core.dtype import DType
from core.errors import ParseError
from core.ir.checked import checked_string, checked_view, named_dtype, named_op
from core.ir.kernel_info import KernelInfo
from core.ir.limits import MAX_ARG_DEPTH, MAX_NODES, MAX_RANK, in_range, is_int
from core.ir.ops import Ops
from core.ir.uop import UOp
from core.shape import ShapeTracker, View

__all__ = ["TextReader"]

MAX_DIGITS: Final = 40
SHOWN: Final = 24

# One value, or the start of one, with what may stand before it: `src=` and `x12:=`. Exactly one of the groups from
# _INTS on matches. The quantifiers are possessive, so that the time taken is linear in the text.
_LEXEME: Final = re.compile(
    r"""[ \t\r\n]*+
    (?: ([a-z_]++) [ ]*+ = [ \t\r\n]*+ )?+
    (?: x([0-9]{1,9}) [ ]*+ := [ \t\r\n]*+ )?+
    (?: \( ( (?: -?[0-9]{1,18}+ , )++ (?: -?[0-9]{1,18}+ )?+ ) \)
      | (UOp|View|ShapeTracker|KernelInfo) [ ]*+ \(
      | Ops\.([A-Za-z0-9_]++)
      | dtypes\.( [a-z0-9]++ (?: \.vec\([0-9]++\) )?+
                  (?: \.ptr\( -?[0-9]++ (?: ,[ ]*+local=True )?+ \) )?+
                  (?: \(\( [0-9, ]++ \)\) )?+ )
      | x([0-9]{1,9}) (?![A-Za-z0-9_])
      | (\()
      | (\))
      | (None|True|False|-?inf|nan) (?![A-Za-z0-9_])
      | ( -?[0-9]++ (?: \.[0-9]*+ (?: e[-+]?[0-9]++ )?+ | e[-+]?[0-9]++ ) )
      | ( -?[0-9]++ ) (?![.e])
      | ( '(?: [^'\\\r\n] | \\. )*+' | "(?: [^"\\\r\n] | \\. )*+" )
    )""",
    re.VERBOSE,
)
_KEYWORD, _LABEL, _INTS, _CALL, _OP, _DTYPE, _NAME, _OPEN, _CLOSE, _WORD, _FLOAT, _INT, _STRING = range(1, 14)
# what may stand before a value, for errors about the value itself
_PREFIX: Final = re.compile(r"[ \t\r\n]*+(?:(?:[a-z_]++ *+=|x[0-9]++ *+:=)[ \t\r\n]*+)*+")
_SPACE: Final = re.compile(r"[ \t\r\n]*+")

_WORDS: Final = {
    "None": None,
    "True": True,
    "False": False,
    "inf": math.inf,
    "-inf": -math.inf,
    "nan": math.nan,
}


class _Field:
    """One argument of a call: what it may be, in words and as a check. `required` ones have no default."""

    __slots__ = ("default", "expected", "fits", "name", "required")

    def __init__(self, name: str, expected: str, fits: Callable[[Any], bool], *default: Any) -> None:
        self.name, self.expected, self.fits = name, expected, fits
        self.required, self.default = not default, default[0] if default else None


class _Form:
    """A kind of call: its name, its arguments in order, and what makes the value of them."""

    __slots__ = ("build", "defaults", "fields", "index", "name")

    def __init__(self, name: str, build: Callable[..., Any], *fields: _Field) -> None:
        self.name, self.build, self.fields = name, build, fields
        self.index = {field.name: i for i, field in enumerate(fields)}
        self.defaults = [_MISSING if field.required else field.default for field in fields]


_MISSING: Final = object()


def _anything(value: Any) -> bool:
    return True


def _is(kind: type) -> Callable[[Any], bool]:
    return lambda value: value.__class__ is kind


def _tuple_of(kind: type) -> Callable[[Any], bool]:
    return lambda value: value.__class__ is tuple and all(item.__class__ is kind for item in value)


def _is_count(value: Any) -> bool:
    return is_int(value) and 0 <= value <= MAX_RANK


_UOP: Final = _Form(
    "UOp",
    UOp,
    _Field("op", "an op such as Ops.ADD", _is(Ops)),
    _Field("dtype", "a dtype such as dtypes.float", lambda value: isinstance(value, DType), named_dtype("void")),
    _Field("src", "a tuple of nodes", _tuple_of(UOp), ()),
    _Field("arg", "a constant", _anything, None),
)
_SRC: Final = _UOP.index["src"]
_FORMS: Final = {
    form.name: form
    for form in (
        _UOP,
        _Form(
            "View",
            checked_view,
            # checked_view says what is wrong with a field
            *[_Field(name, "a value", _anything) for name in ("shape", "strides", "offset", "mask", "contiguous")],
        ),
        _Form("ShapeTracker", ShapeTracker, _Field("views", "a tuple of views", _tuple_of(View))),
        _Form(
            "KernelInfo",
            KernelInfo,
            _Field("local_dims", "a count", _is_count),
            _Field("upcasted", "a count", _is_count),
            _Field("dont_use_locals", "True or False", _is(bool)),
        ),
    )
}


class _Open:
    """A tuple or a call whose closing parenthesis has not come yet. A tuple has no `form`.

    `keyword` and `label` are what stood before it, `start` is where it begins. `sources` says that it is the `src` of a
    node. `depth` counts the tuples, calls and views around it; what is in `sources` is as deep as the node.
    """

    __slots__ = ("depth", "form", "items", "keyword", "label", "named", "next", "outer", "sources", "start")

    def __init__(self, form: _Form | None, start: int, keyword: str | None, label: str | None) -> None:
        self.form, self.start, self.keyword, self.label = form, start, keyword, label
        self.items: list[Any] = [] if form is None else form.defaults.copy()
        self.next = self.named = self.depth = 0
        self.sources = False
        self.outer: dict[str, UOp] | None = None

    def place(self, keyword: str | None) -> int:
        """Which argument of the call comes now. Raises ValueError where it cannot be this one."""
        assert self.form is not None
        if keyword is None:
            if self.next < len(self.form.fields) and not self.named:
                return self.next
        else:
            place = self.form.index.get(keyword)
            if place is not None and place >= self.next and not self.named & 1 << place:
                return place
        raise ValueError(f"expected {self.expected(range(len(self.form.fields)))}")

    def add(self, value: Any, keyword: str | None) -> None:
        if self.form is None:
            if keyword is not None:
                raise ValueError("expected a value without a name, as in any tuple")
            self.items.append(value)
            return
        place = self.place(keyword)
        field = self.form.fields[place]
        if not field.fits(value):
            raise ValueError(f"expected {field.expected} as the {field.name} of {self.form.name}")
        self.items[place] = value
        if keyword is None:
            self.next += 1
        else:
            self.named |= 1 << place

    def missing(self) -> str | None:
        """What has to come before the call can be closed, in words."""
        if self.form is None or _MISSING not in self.items:
            return None
        return self.expected([i for i, item in enumerate(self.items) if item is _MISSING])

    def expected(self, places: Sequence[int]) -> str:
        """Those of the arguments at `places` that may still come, in words."""
        assert self.form is not None
        names = [self.form.fields[i].name for i in places if i >= self.next and not self.named & 1 << i]
        return f"{' or '.join([f'{name}=' for name in names])} in {self.form.name}" if names else "')'"


class TextReader:
    """Reads one text.

    `names` are the labels of the graph at hand. `at` is where the next lexeme begins, `blamed` where what an error is
    about begins.
    """

    __slots__ = ("at", "blamed", "names", "nodes", "stack", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = self.blamed = self.nodes = 0
        self.names: dict[str, UOp] = {}
        self.stack: list[_Open] = []

    def read(self) -> UOp:
        """The graph that the whole text is. Raises ParseError."""
        try:
            graph = None
            while graph is None:
                graph = self._lexeme()
            self._skip_space()
            if self.at < len(self.text):
                raise ValueError("expected the end of the text")
        except ValueError as error:
            raise ParseError(self._located(str(error))) from None
        return graph

    def _lexeme(self) -> UOp | None:
        """Read one lexeme and the parentheses and comma after it. The graph, once its last parenthesis was read."""
        lexeme = _LEXEME.match(self.text, self.at)
        if lexeme is None:
            self.blamed = _matched(_PREFIX, self.text, self.at).end()
            raise ValueError(f"expected {'a value' if self.stack else 'UOp(...)'}")

        kind = lexeme.lastindex
        assert kind is not None
        keyword, label = lexeme[_KEYWORD], lexeme[_LABEL]
        self.at, self.blamed = lexeme.end(), lexeme.start(kind)
        if not self.stack and (lexeme[_CALL] != "UOp" or keyword is not None):
            raise ValueError("expected UOp(...)")
        if label is not None and lexeme[_CALL] != "UOp":
            raise ValueError(f"expected UOp(...) after x{label}:=")

        if kind in (_CALL, _OPEN):
            self._open(_FORMS[lexeme[_CALL]] if kind == _CALL else None, keyword, label)
            return None
        if kind != _CLOSE:
            self.stack[-1].add(self._leaf(kind, lexeme[kind]), keyword)
        elif keyword is not None:
            raise ValueError("expected a value")
        else:
            self.at -= 1
        return self._after_value(comma=kind == _CLOSE)

    def _leaf(self, kind: int, written: str) -> Any:
        """The value of a lexeme that is one by itself."""
        if kind == _INTS:
            return tuple([int(item) for item in written.split(",") if item])
        if kind == _OP:
            return named_op(written)
        if kind == _DTYPE:
            return named_dtype(written)
        if kind == _WORD:
            return _WORDS[written]
        if kind == _NAME:
            if written not in self.names:
                raise ValueError(f"expected a node: no x{written}:= stands before this x{written}")
            return self.names[written]
        return _string(written) if kind == _STRING else _number(written, float if kind == _FLOAT else int)

    def _open(self, form: _Form | None, keyword: str | None, label: str | None) -> None:
        opened = _Open(form, self.blamed, keyword, label)
        if self.stack:
            around = self.stack[-1]
            opened.sources = around.form is _UOP and around.place(keyword) == _SRC
            opened.depth = around.depth + (not opened.sources and not around.sources)
            if opened.depth > MAX_ARG_DEPTH:
                raise ValueError(f"expected no more than {MAX_ARG_DEPTH} tuples and views inside each other")

        if form is _UOP:
            self.nodes += 1
            if self.nodes > MAX_NODES:
                raise ValueError(f"expected no more than {MAX_NODES} nodes")
            if not (self.stack and self.stack[-1].sources):
                opened.outer, self.names = self.names, {}
        self.stack.append(opened)

    def _after_value(self, comma: bool) -> UOp | None:
        """Read what follows a value: parentheses that close what it ends, and a comma if more is to come.

        `comma` says that there was one before the first parenthesis.
        """
        text, stack = self.text, self.stack
        while True:
            mark = text[self.at : self.at + 1]
            if mark and mark in " \t\r\n":
                self._skip_space()
                mark = text[self.at : self.at + 1]
            if mark == ",":
                self.at += 1
                return None

            top = stack[-1]
            if mark != ")" or (top.form is None and len(top.items) == 1 and not comma):
                self.blamed = self.at
                raise ValueError("expected ',' or ')'" if top.form or len(top.items) > 1 else "expected ','")
            value = self._close()
            if not stack:
                assert isinstance(value, UOp)
                return value
            stack[-1].add(value, top.keyword)
            comma = False

    def _close(self) -> Any:
        """The value of what the parenthesis at hand ends."""
        top = self.stack.pop()
        if missing := top.missing():
            self.blamed = self.at
            raise ValueError(f"expected {missing}")
        self.at, self.blamed = self.at + 1, top.start
        if top.form is None:
            return tuple(top.items)

        value = top.form.build(*top.items)
        if top.outer is not None:
            self.names = top.outer
        if top.label is not None:
            if top.label in self.names:
                raise ValueError(f"expected another name: x{top.label} names a node already")
            self.names[top.label] = value
        return value

    def _skip_space(self) -> None:
        self.at = self.blamed = _matched(_SPACE, self.text, self.at).end()

    def _located(self, reason: str) -> str:
        """`reason` with the place that is to blame for it, and what stands there."""
        line = self.text.count("\n", 0, self.blamed)
        column = self.blamed - (self.text.rfind("\n", 0, self.blamed) + 1) + 1
        found = self.text[self.blamed : self.blamed + SHOWN]
        where = f"line {line + 1}, column {column}" if line else f"column {column}"
        return f"{where}: {reason}, found {ascii(found) if found else 'the end of the text'}"


def _matched(pattern: re.Pattern[str], text: str, position: int) -> re.Match[str]:
    """The match of a pattern that matches everywhere, if only nothing."""
    found = pattern.match(text, position)
    assert found is not None
    return found


def _number(written: str, kind: type[int] | type[float]) -> int | float:
    digits = len(written.lstrip("-"))
    if digits > MAX_DIGITS:
        raise ValueError(f"expected a number of at most {MAX_DIGITS} digits")
    value = kind(written)
    if not (in_range(value) if isinstance(value, int) else math.isfinite(value)):
        raise ValueError("expected a number that 64 bits can hold")
    return value


_ESCAPE: Final = re.compile(r"\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8})|(.))")
_ESCAPED: Final = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", "'": "'", '"': '"'}


def _string(written: str) -> str:
    return checked_string(_ESCAPE.sub(_unescaped, written[1:-1]))


def _unescaped(escape: re.Match[str]) -> str:
    if escape[4] is None:
        code = int(escape[escape.lastindex or 0], 16)
        if code > sys.maxunicode:
            raise ValueError("expected a character of Unicode")
        return chr(code)
    if escape[4] not in _ESCAPED:
        raise ValueError(f"expected an escape that is known, not \\{escape[4]}")
    return _ESCAPED[escape[4]]
