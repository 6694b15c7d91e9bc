"""What the commands share in talking to the user."""

from collections.abc import Iterable
from pathlib import Path

import click

from replay.report.escape import one_line

__all__ = ["CAPTURES", "complain"]

CAPTURES = click.option(
    "--captures",
    "--db",
    "captures",
    metavar="PATH",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A database of captures, or a folder for all *.db in it; may be repeated. Default: captures/ at the root of "
    "the repository, and what was captured locally in .replay/captures.db.",
)


def complain(*sentences: str) -> None:
    """Say each sentence on standard error, on a line of its own."""
    _say(f"replay: {one_line(sentence, 1000)}" for sentence in sentences)


def _say(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(line, err=True)
