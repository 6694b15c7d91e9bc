"""Settings, read once from the environment and scoped with `Context(...)`.

A setting that can change the generated source is part of every captured record (`snapshot`); the others are not.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from typing import ClassVar

__all__ = [
    "AMX",
    "BEAM",
    "CAPTURE_PROCESS_REPLAY",
    "DEBUG",
    "MATVEC",
    "NOLOCALS",
    "NOOPT",
    "TC_OPT",
    "TC_SELECT",
    "TRANSCENDENTAL",
    "USE_TC",
    "Context",
    "ContextVar",
    "snapshot",
]


class ContextVar:
    """One integer setting: `NOOPT.value`, or `if NOOPT:`.

    `affects_output` says whether the setting can change the generated source, and therefore belongs in a record.
    """

    registry: ClassVar[dict[str, ContextVar]] = {}

    __slots__ = ("affects_output", "default", "doc", "key", "value")

    def __init__(self, key: str, default: int, doc: str, *, affects_output: bool = True) -> None:
        if key in self.registry:
            raise ValueError(f"setting {key} is declared twice")
        self.key, self.default, self.doc, self.affects_output = key, default, doc, affects_output
        self.value = _read_environment(key, default)
        self.registry[key] = self

    def __bool__(self) -> bool:
        return self.value != 0

    def __repr__(self) -> str:
        return f"ContextVar({self.key}={self.value})"


def _read_environment(key: str, default: int) -> int:
    text = os.environ.get(key, "")
    if not text:
        return default
    try:
        return int(text)
    except ValueError:
        raise SystemExit(f"error: the environment variable {key} must be an integer, not {text!r}") from None


@contextlib.contextmanager
def Context(**settings: int) -> Iterator[None]:  # noqa: N802 - reads as the name of a scope
    """Set settings for the duration of a `with` block. Raises KeyError for a setting that does not exist."""
    unknown = sorted(set(settings) - set(ContextVar.registry))
    if unknown:
        raise KeyError(f"no setting is called {', '.join(unknown)}")

    saved = {key: ContextVar.registry[key].value for key in settings}
    for key, value in settings.items():
        ContextVar.registry[key].value = value
    try:
        yield
    finally:
        for key, value in saved.items():
            ContextVar.registry[key].value = value


def snapshot() -> Mapping[str, int]:
    """The present value of every setting that can change the output, by name, sorted."""
    return {key: var.value for key, var in sorted(ContextVar.registry.items()) if var.affects_output}


DEBUG = ContextVar("DEBUG", 0, "print what the compiler does: 3 tensor cores, 4 source, 5 UOps", affects_output=False)
CAPTURE_PROCESS_REPLAY = ContextVar(
    "CAPTURE_PROCESS_REPLAY", 0, "record every kernel that is compiled", affects_output=False
)
NOOPT = ContextVar("NOOPT", 0, "apply no heuristics but those that a kernel requires")
BEAM = ContextVar("BEAM", 0, "width of the beam search over opts; 0 uses the heuristics")
USE_TC = ContextVar("USE_TC", 1, "tensor cores: 0 off, 1 on, 2 shape ops only, 3 shape ops with staging through locals")
TC_SELECT = ContextVar("TC_SELECT", -1, "index of the tensor core to use; -1 takes the first that fits")
TC_OPT = ContextVar("TC_OPT", 0, "which kernels get tensor cores: 0 plain, 1 with casts and many reduces, 2 padded too")
AMX = ContextVar("AMX", 0, "use Apple's AMX unit on the CPU backends")
MATVEC = ContextVar("MATVEC", 1, "recognise matrix-vector products in the heuristics")
NOLOCALS = ContextVar("NOLOCALS", 0, "use no local dimensions on the backends that have them")
TRANSCENDENTAL = ContextVar("TRANSCENDENTAL", 1, "2 approximates exp2, log2 and sin even where the backend has them")
