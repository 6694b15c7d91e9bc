"""`replay diff`: the captured kernels on two revisions."""

import sys
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from replay.adapters import get_adapter
from replay.cli.corpus import FILTER
from replay.cli.output import CAPTURES, complain
from replay.corpus import Corpus, capture_files
from replay.diff import Diff, Options, compare_revisions
from replay.errors import ReplayError
from replay.executor import default_jobs
from replay.filter import parse_filter
from replay.home import cache_dir, project_root
from replay.memo import Memo
from replay.outcome import MODES
from replay.report import json as json_report
from replay.report import text as text_report
from replay.revision import Repository, Revision

__all__ = ["diff"]

COMPILER = "core"


@click.command()
@click.option(
    "--since", metavar="REV", required=True, help="Compare from where REV and the head parted (their merge base)."
)
@click.option(
    "--until", metavar="REV", help="The head. Default: the working tree, uncommitted and untracked files included."
)
@CAPTURES
@click.option("--backend", "backends", metavar="NAME", multiple=True,
              help="Only this backend, such as c or cuda:sm_80; may be repeated. Default: all.")  # fmt: skip
@click.option("--mode", type=click.Choice([*MODES, "both"]), default="both", show_default=True,
              help="pinned: opts as captured; free: the heuristics choose them anew.")  # fmt: skip
@FILTER
@click.option(
    "--jobs", type=click.IntRange(min=1), help="How many compile at once, both sides together. Default: the cores."
)
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True,
              help="text for people, json for programs.")  # fmt: skip
@click.option("--output", metavar="PATH", type=click.Path(path_type=Path, dir_okay=False),
              help="Write the report to this file instead of standard output.")  # fmt: skip
@click.option("--timeout", metavar="SECONDS", type=click.FloatRange(min=0.01), default=60.0, show_default=True,
              help="How long one kernel may take to compile.")  # fmt: skip
def diff(
    since: str,
    until: str | None,
    captures: tuple[Path, ...],
    backends: tuple[str, ...],
    mode: str,
    filter_: str,
    jobs: int | None,
    format_: str,
    output: Path | None,
    timeout: float,
) -> int:
    """Compile the captured kernels with two revisions of the compiler, and show those whose source differs.

    Each record is compiled with the captured opts and with those that the heuristics choose, on the backend it was
    captured on; and with the latter on all other backends. What differs is compiled again with another hash seed; what
    differs from itself then is called flaky, and is no change. Results are remembered, so nothing is compiled twice.

    Exit codes: 0 nothing changed. 1 something did: a source or launch dims differ (changed), a kernel compiles on one
    side only (error, fixed). 2 it cannot be told: nothing changed as far as was seen, but a worker died or hung (crash,
    timeout), a revision cannot read a record (unsupported), a result or a file is missing, or nothing compiled on both
    sides; also bad usage, no captures, and a revision that does not exist or does not import.
    """
    adapter = get_adapter(COMPILER)
    assert adapter is not None
    wanted = parse_filter(filter_)
    root = project_root()
    repository = Repository.find(root, adapter.tree, cache_dir(root))
    files = capture_files(captures, root)
    base, head = _revisions(repository, since, until)
    modes = MODES if mode == "both" else (mode,)
    options = Options(backends, modes, jobs or default_jobs(), timeout)
    console = Console(stderr=True)
    with Corpus.read(files, wanted) as corpus, Memo.open(cache_dir(root)) as memo, _progress(console) as bar:
        task = bar.add_task("starting", total=None)

        def progress(stage: str, done: int, total: int) -> None:
            bar.update(task, description=stage, completed=done, total=total)

        result = compare_revisions(base, head, corpus, adapter, memo, options, progress)
    complain(*result.problems)
    _report(result, format_, output)
    return result.verdict.exit_code


def _revisions(repository: Repository, since: str, until: str | None) -> tuple[Revision, Revision]:
    old, new = repository.resolve(since), repository.resolve(until or "HEAD")
    fork = repository.merge_base(old, new)
    base = repository.at_commit(since if fork == old else fork, fork)
    head = repository.at_working_tree() if until is None else repository.at_commit(until, new)
    return base, head


def _progress(console: Console) -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


def _report(result: Diff, format_: str, output: Path | None) -> None:
    if output is None and format_ == "text":
        text_report.write(result, Console(file=sys.stdout, highlight=False))
        return
    text = json_report.render(result) if format_ == "json" else text_report.render(result)
    if output is None:
        sys.stdout.write(text)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ReplayError(f"--output {output}: {error.strerror or error}") from error
    complain(f"{text_report.verdict_line(result)}; the report is in {output}")
