"""The filter language of `--filter`: which records of the captures are meant."""

import shlex
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase

from replay.errors import CorpusError
from replay.record import Inputs

__all__ = ["HELP", "Filter", "parse_filter"]

HELP = """EXPR is terms separated by spaces; a record has to match all of them. A term is a part of the kernel's name,
or a glob (* ? []) for the whole of it, or KEY:GLOB with one of the keys name, id (start of the digest), backend, op
(any op of the AST), dtype (any dtype of the AST), opt (any applied opt). A ! in front turns a term round. Example: 'r_*
backend:c op:REDUCE_AXIS !op:WHERE'."""

Filter = Callable[[str, Inputs], bool]


def parse_filter(expression: str) -> Filter:
    """The predicate (digest, inputs) -> bool for `expression`. Raises CorpusError naming the term that is wrong."""
    try:
        terms = [_term(word) for word in shlex.split(expression)]
    except ValueError as error:
        raise CorpusError(f"--filter {expression!r}: {error}") from None
    return lambda digest, inputs: all(term(digest, inputs) for term in terms)


def _term(word: str) -> Filter:
    negated = word.startswith("!")
    key, colon, glob = word.removeprefix("!").partition(":")
    if not colon:
        key, glob = "name", key if any(mark in key for mark in "*?[") else f"*{_literal(key)}*"
    if key not in _KEYS:
        raise CorpusError(f"--filter {word!r}: there is no key {key!r}; the keys are {', '.join(_KEYS)}")
    values = _KEYS[key]
    if key == "id":
        glob += "*"
    return lambda digest, inputs: any(fnmatchcase(value, glob) for value in values(digest, inputs)) is not negated


def _literal(text: str) -> str:
    return text.replace("[", "[[]")


_KEYS: Mapping[str, Callable[[str, Inputs], set[str]]] = {
    "name": lambda _, inputs: {inputs.name},
    "id": lambda digest, _: {digest},
    "backend": lambda _, inputs: {inputs.backend, inputs.backend.partition(":")[0]},
    "op": lambda _, inputs: {op for op, *_ in inputs.ast},
    "dtype": lambda _, inputs: {dtype for _, dtype, *_ in inputs.ast},
    "opt": lambda _, inputs: {str(opt[0]) for opt in inputs.applied_opts if opt},
}
