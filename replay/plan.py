"""What `replay diff` compares: which record on which backend in which mode."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from replay.corpus import Kernel
from replay.errors import CorpusError
from replay.executor import Lane, Task

__all__ = ["Options", "Pair", "plan"]


@dataclass(frozen=True, slots=True)
class Options:
    """What to compare: `backends` empty means all, `modes` is a part of ("pinned", "free")."""

    backends: tuple[str, ...] = ()
    modes: tuple[str, ...] = ("pinned", "free")
    jobs: int = 1
    timeout: float = 60.0
    memory: int = 0
    """Bytes of address space that a worker may have; 0 for no limit."""
    validate: bool = False
    """Show both sides of what changed to the real compilers."""
    verify: str = ""
    """Run both sides: `some` of each cluster, or `all`."""
    aa: bool = False
    """Compile every pair once more with another hash seed, and not just those that differ."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One comparison: a record on a backend (`argument` None: the one it was captured on) in a mode."""

    digest: str
    name: str
    backend: str
    argument: str | None
    mode: str

    def task(self, lane: Lane) -> Task:
        """The compilation of one side."""
        return Task(lane, self.digest, self.argument, self.mode)


def plan(
    corpus: Iterable[Kernel],
    base: Sequence[str],
    head: Sequence[str],
    options: Options,
    notes: list[str],
) -> list[Pair]:
    """The pairs to compare, given the backends that each side renders.

    A backend that only the head has is left out with a note, since there is nothing to compare with; one that only the
    base has stays in, and shows as unsupported. Raises CorpusError if a wanted backend is unknown, or nothing is left.
    """
    kernels = list(corpus)
    captured = {kernel.backend for kernel in kernels}
    _check_wanted(options.backends, captured | set(base) | set(head))
    new = [name for name in head if name not in base]
    notes += [f"backend {name} is new in the head: there is nothing to compare it with" for name in new]
    others = [name for name in base if _wanted(name, options.backends)]
    exact = [name for name in options.backends if ":" in name]
    others = [name for name in others if not any(_family(name) == _family(given) for given in exact)] + exact
    pairs = []
    for kernel in kernels:
        digest, name = kernel.entry.digest, kernel.name
        if _wanted(kernel.backend, options.backends):
            pairs += [Pair(digest, name, kernel.backend, None, mode) for mode in options.modes]
        if "free" in options.modes:
            pairs += [
                Pair(digest, name, other, other, "free")
                for other in others
                if other != kernel.backend and (":" in other or _family(other) != _family(kernel.backend))
            ]
    if kernels and not pairs:
        raise CorpusError(
            "nothing to compare: no record was captured on a wanted backend, or it exists in the head only"
        )
    return pairs


def _family(backend: str) -> str:
    return backend.partition(":")[0]


def _wanted(backend: str, wanted: Sequence[str]) -> bool:
    return not wanted or backend in wanted or _family(backend) in wanted


def _check_wanted(wanted: Sequence[str], known: set[str]) -> None:
    families = {_family(name) for name in known}
    for name in wanted:
        if _family(name) not in families:
            raise CorpusError(f"--backend {name}: neither revision has it; known are {', '.join(sorted(families))}")
