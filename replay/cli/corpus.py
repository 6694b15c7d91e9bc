"""Commands that look at what was captured: `replay ls`, `replay show` and `replay stats`."""

import json
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import click
import msgspec

from replay.adapters import ImportRefused, get_adapter
from replay.cli.output import CAPTURES, complain
from replay.corpus import Corpus, Kernel, capture_files
from replay.errors import CorpusError, RecordError, StoreError
from replay.filter import HELP as FILTER_HELP
from replay.filter import parse_filter
from replay.home import project_root, shown
from replay.record import Inputs, decode_inputs, read_inputs
from replay.report.escape import one_line, visible
from replay.store import Entry, Observation, Store

__all__ = ["ls", "show", "stats"]

FILTER = click.option("--filter", "filter_", metavar="EXPR", default="", help=FILTER_HELP)


@click.command()
@CAPTURES
@FILTER
@click.option("--limit", type=click.IntRange(min=1), help="Show no more than so many records.")
@click.option("--jsonl", is_flag=True, help="One JSON object a line.")
def ls(captures: tuple[Path, ...], filter_: str, limit: int | None, jsonl: bool) -> int:
    """List the captured records: id, backend, size of the AST, name, and where it comes from."""
    files = capture_files(captures, project_root())
    with Corpus.read(files, parse_filter(filter_)) as corpus:
        if not corpus.kernels and not corpus.unreadable and not corpus.problems:
            raise CorpusError("no record: the captures are empty, or --filter leaves nothing")
        for kernel in islice(corpus, limit):
            click.echo(_json_line(kernel, corpus) if jsonl else _line(kernel, corpus))
        bad = [f"record {digest}: {error}" for digest, (_, error) in sorted(corpus.unreadable.items())]
        complain(*corpus.problems, *bad)
        return 2 if corpus.problems or bad else 0


def _line(kernel: Kernel, corpus: Corpus) -> str:
    provenance = corpus.provenance(kernel.entry.digest, 1)
    origin = f"  {one_line(provenance[0], 80)}" if provenance else ""
    return (
        f"{kernel.entry.digest[:12]}  {one_line(kernel.backend, 20):<10}  {kernel.entry.nodes:>5}"
        f"  {one_line(kernel.name, 100)}{origin}"
    )


def _json_line(kernel: Kernel, corpus: Corpus) -> str:
    inputs = read_inputs(kernel.entry.unpack())
    fields = {
        "record": kernel.entry.digest,
        "name": inputs.name,
        "backend": inputs.backend,
        "nodes": len(inputs.ast),
        "applied_opts": inputs.applied_opts,
        "provenance": corpus.provenance(kernel.entry.digest),
    }
    return json.dumps(fields)  # in ASCII, so that no name controls a terminal


@click.command()
@CAPTURES
@click.argument("wanted", metavar="ID")
def show(captures: tuple[Path, ...], wanted: str) -> int:
    """Show one record in full. ID is the start of its id (4 characters or more), or the kernel's name."""
    found: dict[str, tuple[Entry, list[Observation]]] = {}
    problems = []
    files = capture_files(captures, project_root())
    for file in files:
        try:
            with Store.open_readonly(file) as store:
                for entry in store.find(wanted):
                    known = found.setdefault(entry.digest, (entry, []))
                    try:
                        known[1].extend(store.observations(entry.digest))
                    except RecordError as error:
                        problems.append(f"{file}: record {entry.digest}: {error}")
        except StoreError as error:
            problems.append(str(error))
    complain(*problems)
    if not found and len(problems) == len(files):
        return 2  # no file could be read, which is not to say that there is no such record
    if not found:
        raise CorpusError(f"no record has the name {wanted!r}, or an id that starts so")
    if len(found) > 1:
        listed = ", ".join(f"{digest[:12]} ({entry.backend})" for digest, (entry, _) in sorted(found.items())[:20])
        raise CorpusError(f"{wanted!r} means {len(found)} records: {listed}")
    for digest, (entry, observations) in found.items():
        try:
            _show(entry, observations)
        except RecordError as error:
            problems.append(f"record {digest}: {error}")
            complain(problems[-1])
    return 2 if problems else 0


def _show(entry: Entry, observations: Sequence[Observation]) -> None:
    data = entry.unpack()
    inputs = read_inputs(data)
    opts = {key: value for key, value in sorted(inputs.opts.items()) if value is not None}
    facts: dict[str, Any] = {
        "record": entry.digest,
        "name": inputs.name,
        "opts": opts,
        "applied_opts": inputs.applied_opts,
        "context": dict(sorted(inputs.context.items())),
        "schema": decode_inputs(data)["schema"],
        "captured": sum(seen.count for seen in observations),
        "from": sorted({seen.source for seen in observations if seen.source}),
        "tests": sorted({seen.test for seen in observations if seen.test}),
        "versions": sorted({seen.version for seen in observations if seen.version}),
    }
    for key, value in facts.items():
        if value or value == 0:
            click.echo(f"{key:<13} {one_line(value) if isinstance(value, str) else _compact(value)}")
    click.echo(f"\nast ({len(inputs.ast)} rows)")
    click.echo(_ast(inputs))
    shown = set()
    for seen in observations:
        if seen.src not in shown:
            shown.add(seen.src)
            click.echo(f"\nsource (global {_compact(seen.global_size)}, local {_compact(seen.local_size)})")
            click.echo(visible(seen.src))


def _compact(value: object) -> str:
    return one_line(msgspec.json.encode(value).decode(), 2000)


def _ast(inputs: Inputs) -> str:
    """The AST as the installed compiler writes it, or its rows where that cannot be had."""
    adapter = get_adapter(inputs.compiler)
    try:
        if adapter is not None:
            return visible(adapter.format_ast(inputs.ast))
    except ImportRefused as error:
        complain(f"the AST is shown as rows, since the installed compiler does not read it: {error}")
    return "\n".join(f"{number:>4} {_compact(row)}" for number, row in enumerate(inputs.ast))


@click.command()
@CAPTURES
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def stats(captures: tuple[Path, ...], as_json: bool) -> int:
    """Count what the databases hold, and show the errors of capturing."""
    rows, problems = [], []
    for file in capture_files(captures, project_root()):
        try:
            with Store.open_readonly(file) as store:
                rows.append({"file": shown(file), "bytes": file.stat().st_size, **store.stats()})
        except StoreError as error:
            problems.append(str(error))
    if as_json:
        click.echo(json.dumps({"files": rows, "problems": problems}))
    else:
        for row in rows:
            _show_stats(row)
    complain(*problems)
    return 2 if problems else 0


def _show_stats(row: dict[str, Any]) -> None:
    click.echo(f"{one_line(row['file'])}: {row['bytes']:,} bytes")
    backends = ", ".join(f"{one_line(str(name), 40)} {count}" for name, count in row["by_backend"].items())
    click.echo(f"  records   {row['records']:>8}  {backends}")
    click.echo(f"  captures  {row['captures']:>8}  from {row['tests']} tests")
    click.echo(f"  sources   {row['sources']:>8}")
    click.echo(f"  errors    {sum(error['count'] for error in row['capture_errors']):>8}")
    for error in row["capture_errors"][:20]:
        click.echo(
            f"    {error['count']} times, last {one_line(str(error['last']), 30)}: {one_line(str(error['message']))}"
        )
