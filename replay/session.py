"""What the commands that look for causes share: one record by its id, and workers for any number of trees."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from replay.adapters import Adapter, get_adapter
from replay.corpus import Corpus, Kernel, capture_files
from replay.environment import Environments
from replay.errors import CorpusError
from replay.executor import SEED, Executor, Lane, Task, default_jobs
from replay.home import cache_dir, project_root
from replay.outcome import Result
from replay.revision import Repository, Revision

__all__ = [
    "COMPILER",
    "ENVIRONMENTS",
    "MEMORY",
    "Session",
    "find_kernel",
    "open_repository",
    "open_session",
    "perform",
    "sole_argument",
    "task",
]

COMPILER = "core"
ENVIRONMENTS = ("auto", "present")
"""A revision that depends on what is not installed here gets an environment of its own, or runs in this one anyway."""
TIMEOUT = 60.0
MEMORY = 4096 << 20

Say = Callable[[str], None]


@dataclass
class Session:
    """The repository and the corpus that a command works on."""

    root: Path
    repository: Repository
    corpus: Corpus

    def revision(self, name: str | None) -> Revision:
        """A revision by its name; None is the working tree."""
        if name is None:
            return self.repository.at_working_tree()
        return self.repository.at_commit(name, self.repository.resolve(name))


@contextmanager
def open_session(captures: tuple[Path, ...], environment: str, say: Say) -> Iterator[Session]:
    """Arguments as for `open_repository`. Raises ReplayError where there is no repository or no captures."""
    root = project_root()
    adapter = get_adapter(COMPILER)
    assert adapter is not None
    repository = open_repository(root, adapter, environment, say)
    with Corpus.read(capture_files(captures, root)) as corpus:
        for problem in corpus.problems:
            say(problem)
        yield Session(root, repository, corpus)


def open_repository(root: Path, adapter: Adapter, environment: str, say: Say) -> Repository:
    """The repository at `root`. `environment` is one of `ENVIRONMENTS`; `say` tells the user of one that is made."""
    cache = cache_dir(root)
    environments = Environments(cache, say, present_only=environment == "present")
    return Repository.find(root, adapter.tree, cache, environments)


def find_kernel(corpus: Corpus, wanted: str) -> Kernel:
    """The record whose digest begins with `wanted`. Raises CorpusError if there is none, or more than one."""
    found = [kernel for digest, kernel in corpus.kernels.items() if digest.startswith(wanted)]
    if not found:
        raise CorpusError(f"no record begins with {wanted!r}: `replay ls` lists them")
    if len(found) > 1:
        some = ", ".join(kernel.entry.digest[:12] for kernel in found[:5])
        raise CorpusError(f"{wanted!r} begins {len(found)} records ({some}): give more of it")
    return found[0]


def perform(
    revisions: Mapping[str, Revision],
    tasks: list[Task],
    payloads: dict[str, bytes],
    *,
    jobs: int | None = None,
    timeout: float = TIMEOUT,
) -> dict[Task, Result]:
    """Run tasks on workers of these revisions, given by key. Raises RevisionError if one does not import."""
    with Executor(COMPILER, revisions, jobs=jobs or default_jobs(), timeout=timeout, memory=MEMORY) as executor:
        executor.hello(list(revisions))
        return dict(executor.run(tasks, payloads.__getitem__))


def task(key: str, digest: str, backend: str | None, mode: str, action: str = "replay", options: str = "") -> Task:
    """A task on the usual lane of a revision."""
    return Task(Lane(key, SEED), digest, backend, mode, action, options)


def sole_argument(kernel: Kernel, backend: str | None) -> str | None:
    """The backend as tasks name it: None for the one that the record was captured on."""
    return None if backend in (None, kernel.backend, kernel.backend.partition(":")[0]) else backend
