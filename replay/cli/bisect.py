"""`replay bisect`, `blame` and `test`: at which commit a kernel changed."""

import json
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from replay.bisect import Answer, Bisection, Item, check_kind
from replay.blame import Change, changes
from replay.cli.compiled import JOBS, Compiled, compiled_options
from replay.cli.diff import DiffOptions, run_diff
from replay.errors import ReplayError, RevisionError
from replay.history import Commit, History, last_commits
from replay.home import cache_dir
from replay.memo import Memo
from replay.outcome import CHANGES, Status
from replay.report.escape import one_line
from replay.session import Session, find_kernel, perform, sole_argument, task

__all__ = ["bisect", "blame", "test"]

TIMEOUT = 60.0
WIDTH = 160  # of what is piped
CANNOT_TELL = 125  # what `git bisect run` takes for: skip this commit
SHORTEST_DIGEST = 8

_FORMAT = click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True,
                       help="text for people, json for programs.")  # fmt: skip


@click.command()
@click.argument("what", metavar="[ID|CLUSTER]", required=False)
@click.option("--good", metavar="REV", required=True, help="A commit before the change.")
@click.option("--bad", metavar="REV", default="HEAD", show_default=True, help="A commit that has it.")
@click.option("--all", "everything", is_flag=True, help="Every cluster of the diff between the two, all together.")
@click.option("--on", metavar="KIND", default="changed", show_default=True,
              help="changed, error, fixed, different (its results), or hurt:METRIC, such as hurt:flops.")  # fmt: skip
@click.option("--full-history", is_flag=True, help="Go into merged branches. Default: first parents only.")
@compiled_options
@JOBS
@_FORMAT
def bisect(
    what: str | None,
    good: str,
    bad: str,
    everything: bool,
    on: str,
    full_history: bool,
    format_: str,
    **options: Any,
) -> int:
    """Find the commit that first changed the record ID, or the smallest member of CLUSTER of the diff GOOD to BAD.

    Commits that do not import, or cannot read the record, are skipped and never called bad. Results are remembered, so
    an interrupted search goes on. See also: git bisect run replay test ID --expect DIGEST.

    Exit codes: 0, or 2 where there is no such record, or where good and bad do not differ.
    """
    check_kind(on)
    if (what is None) is not everything:
        raise click.UsageError("name a record or a cluster, or give --all")
    compiled = Compiled(**options)
    with compiled.session() as session, Memo.open(cache_dir(session.root)) as memo:
        ends = [session.repository.resolve(name) for name in (good, bad)]
        history = History.between(session.root, ends[0], ends[1], full=full_history)
        items = _items(session, what, history, on, compiled)
        console = Console(stderr=True)
        with console.status("") as status:
            answers = Bisection(history, compiled.judge(session, memo), status.update).run(items)
    _print_answers(answers, format_, len(history.commits))
    return 0


def _items(session: Session, what: str | None, history: History, on: str, compiled: Compiled) -> list[Item]:
    kernels = session.corpus.kernels
    if what is not None and any(digest.startswith(what) for digest in kernels):
        return [compiled.item(find_kernel(session.corpus, what), on)]
    options = DiffOptions(
        history.good,
        history.bad,
        compiled.captures,
        (compiled.backend,) if compiled.backend else (),
        compiled.mode or "both",
        jobs=compiled.jobs,
        timeout=TIMEOUT,
        environment=compiled.environment,
    )
    clusters = [cluster for cluster in run_diff(options).clusters if cluster.outcome in CHANGES]
    chosen = [cluster for cluster in clusters if what is None or cluster.id.startswith(what)]
    if not chosen:
        nothing = f"no record and no cluster of that diff begins with {what!r}" if what else "the two do not differ"
        raise ReplayError(nothing)
    items = []
    for cluster in chosen:
        member = cluster.smallest
        argument = sole_argument(kernels[member.record], member.backend)
        items.append(Item(cluster.id, member.record, argument, member.mode, on))
    return items


def _print_answers(answers: list[Answer], format_: str, count: int) -> None:
    if format_ == "json":
        found = [
            {"item": answer.item.label, "record": answer.item.digest, "exact": len(answer.commits) == 1,
             "commits": [_commit(commit) for commit in answer.commits], "tested": answer.tested}
            for answer in answers
        ]  # fmt: skip
        click.echo(json.dumps({"answers": found, "commits": count}, indent=2))
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("what", "commit", "date", "subject"):
        table.add_column(heading)
    for answer in answers:
        for number, commit in enumerate(answer.commits):
            cells = (
                "  or" if number else answer.item.label,
                commit.sha[:12],
                commit.date,
                commit.subject,
            )
            table.add_row(*[Text(one_line(cell, 100)) for cell in cells])
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = WIDTH
    console.print(table, soft_wrap=True)
    for answer in answers:
        if len(answer.commits) > 1:
            click.echo(f"{answer.item.label}: one of {len(answer.commits)} commits; those between could not be tested")
    click.echo(f"{answers[0].tested} of {count} commits tested")


def _commit(commit: Commit) -> dict[str, str]:
    return {"commit": commit.sha, "date": commit.date, "author": commit.author, "subject": commit.subject}


@click.command()
@click.argument("record", metavar="ID")
@click.option("-n", "--commits", "count", type=click.IntRange(min=1), default=50, show_default=True,
              help="How far to look back.")  # fmt: skip
@click.option("--until", metavar="REV", default="HEAD", show_default=True, help="Where to begin.")
@compiled_options
@JOBS
@_FORMAT
def blame(record: str, count: int, until: str, format_: str, **options: Any) -> int:
    """List the commits of a branch, by first parent, at which the source of the record ID changed, newest first."""
    compiled = Compiled(**options)
    with compiled.session() as session, Memo.open(cache_dir(session.root)) as memo:
        item = compiled.item(find_kernel(session.corpus, record))
        tip = session.repository.resolve(until)
        commits = last_commits(session.root, tip, count + 1)
        found = changes(commits, item, compiled.judge(session, memo))
    if format_ == "json":
        click.echo(json.dumps([_change(change) for change in found], indent=2))
        return 0
    for change in found:
        commit = change.commit
        click.echo(f"{commit.sha[:12]}  {commit.date}  {change.size:>12}  {one_line(commit.subject, 100)}")
    if not found:
        click.echo(f"the last {len(commits) - 1} commits leave {item.label} as it is")
    return 0


def _change(change: Change) -> dict[str, Any]:
    return {**_commit(change.commit), "size": change.size}


@click.command()
@click.argument("record", metavar="ID")
@click.option("--expect", metavar="DIGEST", help="What the working tree's output must have. Without it, it is printed.")
@compiled_options
def test(record: str, expect: str | None, **options: Any) -> int:
    """Compile the record ID with the working tree, for `git bisect run replay test ID --expect DIGEST`.

    Exit codes: 0 its output has DIGEST. 1 it has another. 125 it cannot be told: the tree does not import or cannot
    read the record.
    """
    if expect is not None and len(expect) < SHORTEST_DIGEST:
        raise click.UsageError(f"--expect {expect}: at least {SHORTEST_DIGEST} digits are needed")
    compiled = Compiled(**options)
    with compiled.session() as session:
        item = compiled.item(find_kernel(session.corpus, record))
        payload = session.corpus.payload(item.digest)
        try:
            revision = session.revision(None)
            wanted = task(revision.key, item.digest, item.backend, item.mode)
            result = perform({revision.key: revision}, [wanted], {item.digest: payload})[wanted]
        except RevisionError as error:
            click.echo(f"replay: {one_line(str(error), 500)}", err=True)
            return CANNOT_TELL
    if result.status not in (Status.OK, Status.ERROR):
        click.echo(f"replay: it cannot be told: {one_line(result.message or str(result.status), 500)}", err=True)
        return CANNOT_TELL
    click.echo(result.digest)
    return 0 if expect is None or result.digest.startswith(expect) else 1
