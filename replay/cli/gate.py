"""`replay gate`: the diff as a check of a pull request."""

import os
from pathlib import Path
from typing import Any

import click

from replay.cli.diff import FORMATS, DiffOptions, diff_options, run_diff, write_report
from replay.cli.output import complain
from replay.errors import ReplayError
from replay.gate import publish
from replay.outcome import Verdict
from replay.report import markdown
from replay.report.text import verdict_line

__all__ = ["gate"]

SUFFIXES = {"json": "json", "markdown": "md", "html": "html", "junit": "xml"}


@click.command()
@diff_options
@click.option("--reports", metavar="FOLDER", type=click.Path(path_type=Path, file_okay=False),
              help="Write the report in every format to this folder: replay.html, .json, .md and .xml.")  # fmt: skip
@click.option("--show", metavar="N", type=click.IntRange(min=1), default=1, show_default=True,
              help="How many members of each cluster the text shows with their diffs, the smallest first.")  # fmt: skip
def gate(reports: Path | None, show: int, **options: Any) -> int:
    """Compare as `replay diff` does, and fail if anything changed that captures/approvals.toml does not let through.

    In a workflow of GitHub's, the report is appended to $GITHUB_STEP_SUMMARY, the verdict and the counts to
    $GITHUB_OUTPUT, and at most ten annotations are printed. The gate writes no approvals, and never passes for lack of
    data.

    Exit codes: 0 nothing changed that is not approved. 1 something did. 2 it cannot be told; also where an output that
    was stable differs from run to run now.
    """
    diff = run_diff(DiffOptions(**options))
    report = None
    if reports is not None:
        _write(diff, reports)
        report = reports / "replay.html"
    write_report(diff, "text", None, show)
    for line in publish(diff, os.environ, report):
        click.echo(line)
    complain(verdict_line(diff))
    if diff.verdict is Verdict.SAME and diff.newly_flaky:
        complain(f"unknown: {diff.newly_flaky} outputs differ from run to run with the head, and not with the base")
        return Verdict.UNKNOWN.exit_code
    return diff.verdict.exit_code


def _write(diff: Any, folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, render in FORMATS.items():
            (folder / f"replay.{SUFFIXES[name]}").write_text(render(diff), encoding="utf-8")
    except OSError as error:
        raise ReplayError(f"--reports {folder}: {error.strerror or error}") from error
    assert len(markdown.render(diff)) <= markdown.MAX_CHARACTERS
