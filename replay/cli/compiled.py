"""What the commands that look at one record share: the options that say how it is compiled."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from replay.bisect import Item, Judge
from replay.cli.output import CAPTURES, ENVIRONMENT, complain
from replay.corpus import Kernel
from replay.executor import default_jobs
from replay.memo import Memo
from replay.outcome import MODES
from replay.revision import Revision
from replay.session import TIMEOUT, Session, open_session, sole_argument

__all__ = ["JOBS", "Compiled", "compiled_options"]

JOBS = click.option("--jobs", type=click.IntRange(min=1), help="How many compile at once. Default: the cores.")
_OPTIONS = (
    click.option("--backend", metavar="NAME", help="Another backend than the one that the record was captured on."),
    click.option("--mode", type=click.Choice(MODES), help="Default: pinned on the captured backend, free on others."),
    CAPTURES,
    ENVIRONMENT,
)


def compiled_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that `Compiled` takes."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@dataclass(frozen=True, slots=True)
class Compiled:
    """The options that say how a record is compiled, by their names."""

    backend: str | None
    mode: str | None
    captures: tuple[Path, ...]
    environment: str
    jobs: int | None = None

    def item(self, kernel: Kernel, on: str = "changed") -> Item:
        """The search for a change of one record."""
        argument = sole_argument(kernel, self.backend)
        digest, usual = kernel.entry.digest, "pinned" if argument is None else "free"
        return Item(digest[:12], digest, argument, self.mode or usual, on)

    def session(self) -> AbstractContextManager[Session]:
        """The repository and the corpus that the options name."""
        return open_session(self.captures, self.environment, complain)

    def judge(self, session: Session, memo: Memo) -> Judge:
        """What compiles records with commits."""

        def at(sha: str) -> Revision:
            return session.repository.at_commit(sha[:12], sha)

        return Judge(at, memo, session.corpus.payload, self.jobs or default_jobs(), TIMEOUT)
