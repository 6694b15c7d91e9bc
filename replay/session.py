"""What the commands that look for causes share: one record by its id, and workers for any number of trees."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from replay.adapters import get_adapter
from replay.corpus import Corpus, Kernel, capture_files
from replay.errors import CorpusError
from replay.executor import SEED, Executor, Lane, Task, default_jobs
from replay.home import cache_dir, project_root
from replay.outcome import Result
from replay.revision import Repository, Revision

__all__ = ["COMPILER", "Session", "find_kernel", "open_session", "perform", "sole_argument", "task"]

COMPILER = "core"
TIMEOUT = 60.0
MEMORY = 4096 << 20


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
def open_session(captures: tuple[Path, ...]) -> Iterator[Session]:
    """Raises ReplayError where there is no repository or no captures."""
    root = project_root()
    adapter = get_adapter(COMPILER)
    assert adapter is not None
    repository = Repository.find(root, adapter.tree, cache_dir(root))
    with Corpus.read(capture_files(captures, root)) as corpus:
        yield Session(root, repository, corpus)


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
    revisions: dict[str, Revision],
    tasks: list[Task],
    payloads: dict[str, bytes],
    *,
    jobs: int | None = None,
    timeout: float = TIMEOUT,
) -> dict[Task, Result]:
    """Run tasks on workers of these revisions, given by tree. Raises RevisionError if one does not import."""
    roots = {tree: revision.path for tree, revision in revisions.items()}
    labels = {tree: revision.label for tree, revision in revisions.items()}
    with Executor(COMPILER, roots, labels, jobs=jobs or default_jobs(), timeout=timeout, memory=MEMORY) as executor:
        executor.hello(list(revisions))
        return dict(executor.run(tasks, payloads.__getitem__))


def task(tree: str, digest: str, backend: str | None, mode: str, action: str = "replay", options: str = "") -> Task:
    """A task on the usual lane of a tree."""
    return Task(Lane(tree, SEED), digest, backend, mode, action, options)


def sole_argument(kernel: Kernel, backend: str | None) -> str | None:
    """The backend as tasks name it: None for the one that the record was captured on."""
    return None if backend in (None, kernel.backend, kernel.backend.partition(":")[0]) else backend
