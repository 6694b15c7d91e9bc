"""`replay doctor`: what this machine can do for the harness, and how to get what is missing."""

import json
import sys

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from replay.adapters import get_adapter
from replay.report.escape import one_line

__all__ = ["doctor"]

COMPILER = "core"


@click.command()
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True,
              help="text for people, json for programs.")  # fmt: skip
@click.option("--strict", is_flag=True, help="Exit with 2 if anything that can be installed is missing.")
def doctor(format_: str, strict: bool) -> int:
    """List, for each backend, whether it is rendered, judged by a real compiler and run on this machine.

    What is missing is only reported as not run, and never makes a diff fail.

    Exit codes: 0, and with --strict 2 when something can be installed that is not there.
    """
    adapter = get_adapter(COMPILER)
    assert adapter is not None
    backends = adapter.backend_status()
    if format_ == "json":
        click.echo(json.dumps({"backends": backends}, indent=2))
    else:
        _print(backends)
    lacking = [status for status in backends if any(_installable(text) for text in _missing(status))]
    return 2 if strict and lacking else 0


def _missing(status: dict[str, object]) -> list[str]:
    return [str(status[key]) for key in ("missing", "reason") if status[key] is not None]


def _installable(text: str) -> bool:
    return any(way in text for way in ("pip install", "apt-get install", "npm install"))


def _print(backends: list[dict[str, object]]) -> None:
    console = Console(file=sys.stdout, highlight=False)
    if not console.is_terminal:
        console.width = 160
    table = Table(box=None, pad_edge=False)
    for heading in ("backend", "rendered", "judged by", "run by"):
        table.add_column(heading, overflow="fold")
    for status in backends:
        table.add_row(
            Text(str(status["backend"])),
            "yes" if status["rendered"] else "no",
            _cell(status["validator"], status["missing"]),
            _cell(status["version"], status["reason"]),
        )
    console.print(table)


def _cell(found: object, missing: object) -> Text:
    return Text(one_line(str(found), 200)) if found is not None else Text(f"– {one_line(str(missing), 200)}", "yellow")
