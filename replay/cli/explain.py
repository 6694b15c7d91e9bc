"""`replay explain`: the pass, the rewrite and the function behind a difference."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from replay.bisect import Item
from replay.cli.compiled import Compiled, compiled_options
from replay.cli.output import complain
from replay.errors import ReplayError
from replay.explain import Explanation, Wrong, explain, first_wrong
from replay.outcome import Result, Status
from replay.report.escape import visible
from replay.report.explanation import as_object, page, sentences, story
from replay.revision import Revision
from replay.session import find_kernel, perform, task
from replay.verify import SEED

__all__ = ["explain_command"]

KINDS = ("changed", "different")
RUN = json.dumps({"seed": SEED})


@click.command("explain")
@click.argument("record", metavar="ID")
@click.option("--since", metavar="REV", help="The base. Without it, the way of ID through the compiler is told.")
@click.option("--until", metavar="REV", help="The head. Default: the working tree.")
@compiled_options
@click.option("--on", type=click.Choice(KINDS), default="changed", show_default=True,
              help="different: look for the first pass after which the two compute something else.")  # fmt: skip
@click.option("--stage", metavar="PASS", help="Print what this pass gives, on both sides.")
@click.option("--html", metavar="PATH", type=click.Path(path_type=Path, dir_okay=False),
              help="Write a page with all passes side by side.")  # fmt: skip
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True,
              help="text for people, json for programs.")  # fmt: skip
def explain_command(
    record: str,
    since: str | None,
    until: str | None,
    on: str,
    stage: str | None,
    html: Path | None,
    format_: str,
    **options: Any,
) -> int:
    """Show why the record ID (the beginning of its digest) is compiled otherwise than at REV.

    Both revisions compile it with a trace of what they do. Their passes are aligned: the first whose result differs is
    named, the first rewrite that differs, with the rule, its place and the node before and after, and the functions
    that ran and are not the same. It works for errors as well: the pass that raises is named. With --on different both
    sides' IR is run after each pass on the same inputs, and what leaves the results as they are is passed over.

    Exit codes: 0, or 2 where there is no such record, or no difference.
    """
    if on == "different" and since is None:
        raise click.UsageError("--on different compares two revisions: give --since REV")
    compiled = Compiled(**options)
    with compiled.session() as session:
        kernel = find_kernel(session.corpus, record)
        item = compiled.item(kernel)
        head = session.revision(until)
        base = head if since is None else session.revision(since)
        payload = session.corpus.payload(item.digest)
        traces = _told([base, head], item, payload, "trace")
        runs = _told([base, head], item, payload, "run_passes", RUN) if on == "different" else None
    if stage is not None:
        _print_stage(stage, traces, alone=since is None)
        return 0
    if since is None:
        _print(format_, traces[1], story(traces[1]))
        return 0
    found = explain(*traces, None if runs is None else _wrong(*runs))
    sides = f"{base.label} and {head.label}"
    if found.stage is None:
        raise ReplayError(f"{record}: {sides} compile it alike, {item.mode}: nothing is to explain")
    title = f"{kernel.name} {item.label} on {item.backend or kernel.backend}, {item.mode}: {sides}"
    if html is not None:
        _write(html, page(title, found, *traces))
    _print(format_, as_object(found), [visible(title), *sentences(found), *_suspects(found)])
    return 0


def _wrong(base: dict[str, Any], head: dict[str, Any]) -> Wrong:
    wrong = first_wrong(base, head)
    if wrong is None:
        raise ReplayError("the results are alike after every pass that was run: leave out --on to compare sources")
    return wrong


def _suspects(found: Explanation) -> list[str]:
    return [f"look at: {', '.join(found.suspects[:3])}"] if found.suspects else []


def _told(
    revisions: list[Revision], item: Item, payload: bytes, action: str, options: str = ""
) -> tuple[dict[str, Any], dict[str, Any]]:
    """What an action on both revisions gives, each in a process of its own. Raises ReplayError."""
    by_key = {revision.key: revision for revision in revisions}
    tasks = {key: task(key, item.digest, item.backend, item.mode, action, options) for key in by_key}
    results = perform(by_key, list(tasks.values()), {item.digest: payload})
    base, head = (_data(revision, action, results[tasks[revision.key]]) for revision in revisions)
    return base, head


def _data(revision: Revision, action: str, result: Result) -> dict[str, Any]:
    if result.status is not Status.OK or not isinstance(result.data, dict):
        what = {"trace": "traced", "run_passes": "run pass by pass"}[action]
        raise ReplayError(f"{revision.label}: the record cannot be {what} there: {result.message or result.status}")
    return result.data


def _print_stage(stage: str, traces: Sequence[dict[str, Any]], *, alone: bool) -> None:
    for side, trace in (("head", traces[1]),) if alone else (("base", traces[0]), ("head", traces[1])):
        lines = {one["name"]: one["lines"] for one in trace["passes"]}
        if stage not in lines:
            raise ReplayError(f"--stage {stage}: {side} has no such pass; its passes are {', '.join(lines)}")
        click.echo(f"--- {side}, after {stage}")
        for line in lines[stage]:
            click.echo(visible(line))


def _print(format_: str, plain: dict[str, Any], lines: Any) -> None:
    if format_ == "json":
        click.echo(json.dumps(plain, indent=2))
        return
    for line in lines:
        click.echo(line)


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ReplayError(f"--html {path}: {error.strerror or error}") from error
    complain(f"all passes are in {path}")
