"""A reader of C expressions, by C's table of precedence: to see what parentheses do."""

from __future__ import annotations

import re
from typing import Any

_TOKEN = re.compile(
    r"\((?:(?:un)?signed |_Bool|_Float16)?(?:char|short|int|long long|float|double|_Bool|_Float16)?\)(?=.)"
    r"|[A-Za-z_]\w*(?:\[[^]]*\])*|\d[\d.]*(?:e[-+]?\d+)?[a-z]*|\"\"|<<|>>|<=|&&|\|\||--|\+\+|!=|==|[-+*/%&|^<>!?:(),]"
)
_BINARY = {
    "*": 13, "/": 13, "%": 13, "+": 12, "-": 12, "<<": 11, ">>": 11, "<": 10, "<=": 10, "==": 9, "!=": 9, "&": 8,
    "^": 7, "|": 6, "&&": 5, "||": 4,
}  # fmt: skip
_CHOICE = 3
_UNARY = 14


class Unreadable(Exception):
    """Not an expression."""


def tokens(text: str) -> list[str]:
    found, position = [], 0
    while position < len(text):
        token = _TOKEN.match(text, position)
        if token is None or token[0] == "()":
            token = re.compile(r"\(").match(text, position)
        if token is None:
            raise Unreadable(text[position:])
        found.append(token[0])
        position = token.end()
    return found


class Reader:
    """`tree` is the expression without its parentheses; `groups` are the positions of those that only group."""

    def __init__(self, stream: list[str]) -> None:
        self.stream, self.at = stream, 0
        self.groups: list[tuple[int, int]] = []
        self.tree = self.read(0)
        if self.at != len(stream):
            raise Unreadable(stream[self.at])

    def peek(self) -> str:
        return self.stream[self.at] if self.at < len(self.stream) else ""

    def take(self, wanted: str | None = None) -> str:
        token = self.peek()
        if not token or (wanted is not None and token != wanted):
            raise Unreadable(token)
        self.at += 1
        return token

    def read(self, least: int) -> Any:
        grouped = self.peek() == "("
        left = self.operand()
        while True:
            token = self.peek()
            if token in _BINARY and _BINARY[token] >= least:
                self.take()
                if token == "<" and left[0] == "<" and not grouped:
                    raise Unreadable("a<b<c, which clang 22 refuses")
                left, grouped = (token, left, self.read(_BINARY[token] + 1)), False
            elif token == "?" and least <= _CHOICE:
                self.take()
                yes = self.read(0)
                self.take(":")
                return ("?", left, yes, self.read(_CHOICE))
            else:
                return left

    def operand(self) -> Any:
        token = self.take()
        if token in ("-", "!") or (token.startswith("(") and token != "("):
            return (f"unary {token}", self.read(_UNARY))
        if token == "(":
            start = self.at - 1
            inside = self.read(0)
            self.take(")")
            self.groups.append((start, self.at - 1))
            return inside
        if not (token[0].isalnum() or token[0] in '_"'):
            raise Unreadable(token)
        if self.peek() != "(":
            return token
        self.take()
        arguments = [] if self.peek() == ")" else [self.read(0)]
        self.take(")")
        return ("call", token, *arguments)


def needless(text: str) -> list[str]:
    """The expression without each pair of parentheses that changes nothing."""
    stream = tokens(text)
    whole = Reader(stream)
    found = []
    for start, stop in whole.groups:
        without = [token for i, token in enumerate(stream) if i not in (start, stop)]
        try:
            if Reader(tokens("".join(without))).tree == whole.tree:
                found.append("".join(without))
        except Unreadable:
            continue
    return found
