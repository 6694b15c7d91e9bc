"""What the commands share in talking to the user."""

from collections.abc import Iterable
from pathlib import Path

import click

from replay.report.escape import one_line
from replay.session import ENVIRONMENTS

__all__ = ["CAPTURES", "ENVIRONMENT", "complain"]

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

ENVIRONMENT = click.option(
    "--environment",
    type=click.Choice(ENVIRONMENTS),
    default="auto",
    show_default=True,
    help="auto: a revision whose pyproject.toml depends on what is not installed here runs in an environment of its "
    "own, made by pip and kept. present: every revision runs in this one.",
)


def complain(*sentences: str) -> None:
    """Say each sentence on standard error, on a line of its own."""
    _say(f"replay: {one_line(sentence, 1000)}" for sentence in sentences)


def _say(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(line, err=True)
