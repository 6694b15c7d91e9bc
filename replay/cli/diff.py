"""`replay diff`: the captured kernels on two revisions. Its options are those of `replay gate` too."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from replay.adapters import Adapter, get_adapter
from replay.approvals import Approvals, apply
from replay.cli.corpus import FILTER
from replay.cli.output import CAPTURES, ENVIRONMENT, complain
from replay.corpus import COMMITTED, Corpus, capture_files
from replay.diff import Diff, compare_revisions
from replay.errors import ReplayError
from replay.executor import default_jobs
from replay.filter import parse_filter
from replay.home import cache_dir, project_root
from replay.memo import Memo
from replay.outcome import MODES
from replay.plan import Options
from replay.report import html, junit, markdown
from replay.report import json as json_report
from replay.report import text as text_report
from replay.revision import Revision
from replay.session import COMPILER, open_repository

__all__ = ["FORMATS", "DiffOptions", "approvals_folder", "diff", "diff_options", "run_diff", "write_report"]

FORMATS = {
    "json": json_report.render,
    "markdown": markdown.render,
    "html": html.render,
    "junit": junit.render,
}
"""What writes a report, by the name of its format."""
MEBIBYTE = 1 << 20

_OPTIONS = (
    click.option("--since", metavar="REV", help="Compare from where REV and the head parted (their merge base)."),
    click.option("--until", metavar="REV",
                 help="The head. Default: the working tree, uncommitted and untracked files included."),
    CAPTURES,
    click.option("--backend", "backends", metavar="NAME", multiple=True,
                 help="Only this backend, such as c or cuda:sm_80; may be repeated. Default: all."),
    click.option("--mode", type=click.Choice([*MODES, "both"]), default="both", show_default=True,
                 help="pinned: opts as captured; free: the heuristics choose them anew."),
    FILTER,
    click.option("--verify", type=click.Choice(["some", "all"]), is_flag=False, flag_value="some",
                 help="Run both sides of the smallest members of each cluster, or of all, on the same inputs."),
    click.option("--validate", is_flag=True,
                 help="Show both sides of what changed to the real compilers that are installed here."),
    click.option("--aa", is_flag=True, help="Compile the corpus twice with the head: what differs from itself?"),
    click.option("--jobs", type=click.IntRange(min=1),
                 help="How many compile at once, both sides together. Default: the cores."),
    click.option("--timeout", metavar="SECONDS", type=click.FloatRange(min=0.01), default=60.0, show_default=True,
                 help="How long one kernel may take to compile."),
    click.option("--memory", metavar="MIB", type=click.IntRange(min=0), default=4096, show_default=True,
                 help="The address space that one compiling process may have; 0 for no limit."),
    ENVIRONMENT,
)  # fmt: skip


def diff_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say what to compare; `DiffOptions` takes them all."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@dataclass(frozen=True, slots=True)
class DiffOptions:
    """What the options of `diff_options` say, by their names."""

    since: str | None = None
    until: str | None = None
    captures: tuple[Path, ...] = ()
    backends: tuple[str, ...] = ()
    mode: str = "both"
    filter_: str = ""
    verify: str | None = None
    validate: bool = False
    aa: bool = False
    jobs: int | None = None
    timeout: float = 60.0
    memory: int = 4096
    environment: str = "auto"

    @property
    def compared(self) -> Options:
        """The part that says how to compare."""
        modes = MODES if self.mode == "both" else (self.mode,)
        jobs = self.jobs or default_jobs()
        memory = self.memory * MEBIBYTE
        return Options(self.backends, modes, jobs, self.timeout, memory, self.validate, self.verify or "", self.aa)


@click.command()
@diff_options
@click.option("--format", "format_", type=click.Choice(["text", *FORMATS]), default="text", show_default=True,
              help="text for the terminal, html for a browser, markdown for comments, json, junit for CI.")  # fmt: skip
@click.option("--show", metavar="N", type=click.IntRange(min=1), default=1, show_default=True,
              help="How many members of each cluster the text shows with their diffs, the smallest first.")  # fmt: skip
@click.option("--output", metavar="PATH", type=click.Path(path_type=Path, dir_okay=False),
              help="Write the report to this file instead of standard output.")  # fmt: skip
def diff(format_: str, show: int, output: Path | None, **options: Any) -> int:
    """Compile the captured kernels with two revisions of the compiler, and show those whose source differs.

    Each record is compiled with the captured opts and with those that the heuristics choose, on the backend it was
    captured on; and with the latter on all other backends. What differs is compiled again with another hash seed; what
    differs from itself then is called flaky, and is no change. Results are remembered, so nothing is compiled twice.
    Equal edits are shown once, as a cluster, with their smallest example.

    Exit codes: 0 nothing changed, or nothing that is not approved. 1 something did: a source or launch dims differ
    (changed), a kernel compiles on one side only (error, fixed). 2 it cannot be told: nothing changed as far as was
    seen, but a worker died or hung (crash, timeout), a revision cannot read a record (unsupported), a result or a file
    is missing, or nothing compiled on both sides; also bad usage, no captures, and a revision that does not exist or
    does not import.
    """
    result = run_diff(DiffOptions(**options))
    write_report(result, format_, output, show)
    return result.verdict.exit_code


def run_diff(options: DiffOptions) -> Diff:
    """Compare as the options say, with a progress bar on a terminal. Raises ReplayError."""
    if options.since is None and not options.aa:
        raise click.UsageError("--since REV is missing: name the revision to compare with, such as main")
    if options.since is not None and options.aa:
        raise click.UsageError("--aa compares the head with itself: leave out --since")
    adapter = get_adapter(COMPILER)
    assert adapter is not None
    wanted = parse_filter(options.filter_)
    root = project_root()
    files = capture_files(options.captures, root)
    base, head = _revisions(adapter, root, options)
    with Corpus.read(files, wanted) as corpus, Memo.open(cache_dir(root)) as memo, _progress() as bar:
        task = bar.add_task("starting", total=None)

        def progress(stage: str, done: int, total: int) -> None:
            bar.update(task, description=stage, completed=done, total=total)

        result = compare_revisions(base, head, corpus, adapter, memo, options.compared, progress)
    result.findings, result.approvals = apply(
        result.findings, Approvals.read(approvals_folder(root)), datetime.now(UTC).date()
    )
    complain(*result.problems)
    return result


def approvals_folder(root: Path) -> Path:
    """Where the file of approvals is kept: beside the committed captures."""
    return root / COMMITTED


def _revisions(adapter: Adapter, root: Path, options: DiffOptions) -> tuple[Revision, Revision]:
    repository = open_repository(root, adapter, options.environment, complain)
    since, until = options.since, options.until
    new = repository.resolve(until or "HEAD")
    head = repository.at_working_tree() if until is None else repository.at_commit(until, new)
    if since is None:
        return head, head
    old = repository.resolve(since)
    fork = repository.merge_base(old, new)
    return repository.at_commit(since if fork == old else fork, fork), head


def _progress() -> Progress:
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


def write_report(result: Diff, format_: str, output: Path | None, show: int) -> None:
    """Print the report, or write it to a file. Raises ReplayError where that cannot be written."""
    if output is None and format_ == "text":
        text_report.write(result, Console(file=sys.stdout, highlight=False), show)
        return
    text = text_report.render(result, show) if format_ == "text" else FORMATS[format_](result)
    if output is None:
        sys.stdout.write(text)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ReplayError(f"--output {output}: {error.strerror or error}") from error
    complain(f"{text_report.verdict_line(result)}; the report is in {output}")
