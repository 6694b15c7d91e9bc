"""`replay explain`: the pass, the rewrite and the function behind a difference."""

import json
from pathlib import Path
from typing import Any

import click

from replay.cli.output import CAPTURES, ENVIRONMENT, complain
from replay.errors import ReplayError
from replay.explain import Explanation, explain
from replay.outcome import MODES, Result, Status
from replay.report.escape import visible
from replay.report.explanation import as_object, page, sentences, story
from replay.revision import Revision
from replay.session import find_kernel, open_session, perform, sole_argument, task

__all__ = ["explain_command"]


@click.command("explain")
@click.argument("record", metavar="ID")
@click.option("--since", metavar="REV", help="The base. Without it, the way of ID through the compiler is told.")
@click.option("--until", metavar="REV", help="The head. Default: the working tree.")
@CAPTURES
@click.option("--backend", metavar="NAME", help="Another backend than the one that the record was captured on.")
@click.option("--mode", type=click.Choice(MODES), help="Default: pinned on the captured backend, free on others.")
@click.option("--stage", metavar="PASS", help="Print what this pass gives, on both sides.")
@click.option("--html", metavar="PATH", type=click.Path(path_type=Path, dir_okay=False),
              help="Write a page with all passes side by side.")  # fmt: skip
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True,
              help="text for people, json for programs.")  # fmt: skip
@ENVIRONMENT
def explain_command(
    record: str,
    since: str | None,
    until: str | None,
    captures: tuple[Path, ...],
    backend: str | None,
    mode: str | None,
    stage: str | None,
    html: Path | None,
    format_: str,
    environment: str,
) -> int:
    """Show why the record ID (the beginning of its digest) is compiled otherwise than at REV.

    Both revisions compile it with a trace of what they do. Their passes are aligned: the first whose result differs is
    named, the first rewrite that differs, with the rule, its place and the node before and after, and the functions
    that ran and are not the same. It works for errors as well: the pass that raises is named.

    Exit codes: 0, or 2 where there is no such record, or no difference.
    """
    with open_session(captures, environment, complain) as session:
        kernel = find_kernel(session.corpus, record)
        head = session.revision(until)
        base = head if since is None else session.revision(since)
        argument = sole_argument(kernel, backend)
        wanted = mode or ("pinned" if argument is None else "free")
        digest = kernel.entry.digest
        traces = _traces([base, head], digest, session.corpus.payload(digest), argument, wanted)
    if stage is not None:
        _print_stage(stage, traces, alone=since is None)
        return 0
    if since is None:
        _print(format_, traces[1], story(traces[1]))
        return 0
    found = explain(traces[0], traces[1])
    if found.stage is None:
        raise ReplayError(f"{record}: {base.label} and {head.label} compile it alike, {wanted}: nothing is to explain")
    sides = f"{base.label} and {head.label}"
    title = f"{kernel.name} {digest[:12]} on {backend or kernel.backend}, {wanted}: {sides}"
    if html is not None:
        _write(html, page(title, found, traces[0], traces[1]))
    _print(format_, as_object(found), [visible(title), *sentences(found), *_suspects(found)])
    return 0


def _suspects(found: Explanation) -> list[str]:
    return [f"look at: {', '.join(found.suspects[:3])}"] if found.suspects else []


def _traces(
    revisions: list[Revision], digest: str, payload: bytes, argument: str | None, mode: str
) -> list[dict[str, Any]]:
    """The traces of a record on each revision, in processes of their own. Raises ReplayError."""
    by_key = {revision.key: revision for revision in revisions}
    tasks = {key: task(key, digest, argument, mode, "trace") for key in by_key}
    results = perform(by_key, list(tasks.values()), {digest: payload})
    return [_trace(revision, results[tasks[revision.key]]) for revision in revisions]


def _trace(revision: Revision, result: Result) -> dict[str, Any]:
    if result.status is not Status.OK or not isinstance(result.data, dict):
        raise ReplayError(f"{revision.label}: the record cannot be traced there: {result.message or result.status}")
    return result.data


def _print_stage(stage: str, traces: list[dict[str, Any]], *, alone: bool) -> None:
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
