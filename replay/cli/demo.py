"""`replay demo`: the whole thing on a clone, for a newcomer."""

import click

from replay.demo import run_demo

__all__ = ["demo"]


@click.command()
def demo() -> int:
    """Clone this repository, commit a change of codegen to the clone, and show what `replay diff` says about it."""
    return run_demo()
