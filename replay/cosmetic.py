"""Whether two sources differ in nothing but names, spaces and comments.

A source is cut into tokens; comments are dropped. Names may differ if each side's name stands for the same name of the
other side all through, and both are the source's own: declared or assigned in it. So `exp2` never equals `log2`.
"""

import re

__all__ = ["is_cosmetic"]

MAX_LINE = 5000  # characters: the patterns below take time that grows with the square of a line
_TOKEN = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|[A-Za-z_%@$][\w.$]*|\d[\w.]*|[^\s\w]")
# `name =`, `name;`, `name[8];` after a type, and parameters: `float* name,` and `name: vec2<u32>`
_DECLARED = re.compile(
    r"([A-Za-z_%$][\w.$]*)\s*=(?!=)|[\w>*&]\s+\*?([A-Za-z_]\w*)\s*(?:\[\w+\])*\s*[;,)]|\b(?:var|let)\s*(?:<[^>]*>)?\s*(\w+)"
)
_COMMENTS = {
    "llvm": re.compile(r";[^\n]*"),
    "python": re.compile(r"#[^\n]*"),
    "": re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL),
}
_FAMILY_WITH_LAYOUT = "python"  # where indentation has a meaning


def is_cosmetic(backend: str, base: tuple[str, str], head: tuple[str, str]) -> bool:
    """Whether the sources of both sides, each given as (function name, source), mean the same up to names, spaces and
    comments."""
    if max(len(line) for text in (base[1], head[1]) for line in text.split("\n")) > MAX_LINE:
        return False
    family = backend.partition(":")[0]
    (old_name, old), (new_name, new) = [(name, _without_comments(family, text)) for name, text in (base, head)]
    if family == _FAMILY_WITH_LAYOUT and _layout(old) != _layout(new):
        return False
    old_tokens, new_tokens = _TOKEN.findall(old), _TOKEN.findall(new)
    if len(old_tokens) != len(new_tokens):
        return False
    own = (_declared(old) | {old_name, f"@{old_name}"}, _declared(new) | {new_name, f"@{new_name}"})
    forth: dict[str, str] = {}
    back: dict[str, str] = {}
    for one, other in zip(old_tokens, new_tokens, strict=True):
        if forth.setdefault(one, other) != other or back.setdefault(other, one) != one:
            return False
        if one != other and (one not in own[0] or other not in own[1]):
            return False
    return True


def _without_comments(family: str, text: str) -> str:
    return _COMMENTS.get(family, _COMMENTS[""]).sub(" ", text)


def _declared(text: str) -> set[str]:
    return {name for found in _DECLARED.findall(text) for name in found if name}


def _layout(text: str) -> list[int]:
    return [len(line) - len(line.lstrip()) for line in text.split("\n") if line.strip()]
