"""Commands that change databases of captures: `replay merge`, `replay prune` and `replay export`."""

import json
import sys
from pathlib import Path
from typing import TextIO

import click
import msgspec

from replay.adapters import ImportRefused, get_adapter
from replay.cli.corpus import FILTER
from replay.cli.output import CAPTURES, complain
from replay.corpus import Corpus, capture_files
from replay.errors import CorpusError, ReplayError
from replay.filter import parse_filter
from replay.home import project_root
from replay.importer import import_database
from replay.record import decode_inputs
from replay.report.escape import one_line
from replay.store import Store

__all__ = ["export", "merge", "prune"]

COMPILER = "core"
_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.argument("sources", metavar="SOURCE…", nargs=-1, required=True, type=_FILE)
@click.option("--db", "target", metavar="PATH", required=True, type=_FILE, help="The database to add them to.")
def merge(sources: tuple[Path, ...], target: Path) -> int:
    """Add the records of other databases, with all their provenance. A record that is there already stays one.

    Exit codes: 0 all was added, 2 a file or a record could not be read; the rest is added then.
    """
    for source in sources:
        if target.exists() and source.exists() and target.samefile(source):
            raise CorpusError(f"{source}: the source and --db are the same file")
    refused = 0
    with Store.open(target) as store:
        for source in sources:
            found = import_database(source, store, None, complain)
            refused += found.refused
            if found.refused and not found.captures:
                continue  # why is said already
            click.echo(f"{source}: {found.captures} captures, {found.records} records of them new")
        store.settle()
    return 2 if refused else 0


@click.command()
@click.option("--db", "target", metavar="PATH", required=True, type=_FILE, help="The database to remove records from.")
@FILTER
@click.option("--damaged", is_flag=True, help="Remove the records that cannot be read instead.")
def prune(target: Path, filter_: str, damaged: bool) -> int:
    """Remove the records that --filter names, or those that are damaged, and what belongs to no other.

    Exit codes: 0, or 2 if nothing is there to remove.
    """
    if bool(filter_) is damaged:
        raise click.UsageError("say what to remove: --filter EXPR or --damaged")
    with Corpus.read([target], parse_filter(filter_)) as corpus:
        if corpus.problems and not corpus.kernels and not corpus.unreadable:
            raise ReplayError(corpus.problems[0])
        chosen = list(corpus.unreadable if damaged else corpus.kernels)
        complain(*corpus.problems)
    if not chosen:
        raise CorpusError(f"{target}: {'no record is damaged' if damaged else 'no record matches --filter'}")
    with Store.open(target) as store:
        store.remove(chosen)
        store.settle()
    click.echo(f"{target}: {len(chosen)} records removed")
    return 2 if corpus.problems else 0


@click.command()
@CAPTURES
@FILTER
@click.option("--format", "format_", type=click.Choice(["jsonl", "uop-text"]), default="jsonl", show_default=True,
              help="jsonl: whole records; uop-text: the ASTs, one a line, as replay import reads them.")  # fmt: skip
@click.option("--output", metavar="PATH", type=_FILE, help="Write to this file instead of standard output.")
def export(captures: tuple[Path, ...], filter_: str, format_: str, output: Path | None) -> int:
    """Write the captured records as text, for other programs.

    Exit codes: 0, or 2 if there is none, or one that cannot be read.
    """
    with Corpus.read(capture_files(captures, project_root()), parse_filter(filter_)) as corpus:
        bad = [f"record {digest}: {error}" for digest, (_, error) in sorted(corpus.unreadable.items())]
        complain(*corpus.problems, *bad)
        if not corpus.kernels and not corpus.problems and not bad:
            raise CorpusError("no record: the captures are empty, or --filter leaves nothing")
        if not corpus.kernels:
            return 2
        try:
            if output is None:
                refused = _write(corpus, format_, sys.stdout)
            else:
                with output.open("w", encoding="utf-8") as stream:
                    refused = _write(corpus, format_, stream)
        except OSError as error:
            if output is None:
                raise  # whoever read our output is gone, which `main` knows
            raise ReplayError(f"--output {output}: {error.strerror or error}") from error
    return 2 if corpus.problems or bad or refused else 0


def _write(corpus: Corpus, format_: str, stream: TextIO) -> int:
    """Write the records, and give how many the installed compiler does not read."""
    refused = 0
    adapter = get_adapter(COMPILER)
    assert adapter is not None
    for kernel in corpus:
        raw = dict(msgspec.to_builtins(decode_inputs(kernel.entry.unpack())))
        if format_ == "uop-text":
            try:
                # a record is one line, and nothing that a terminal obeys: an AST of another compiler may hold anything
                stream.write(one_line(adapter.format_ast(raw["ast"]), sys.maxsize) + "\n")
            except ImportRefused as error:
                refused += 1
                complain(f"record {kernel.entry.digest}: left out, as the installed compiler does not read it: {error}")
            continue
        provenance = corpus.provenance(kernel.entry.digest)
        stream.write(json.dumps({"record": kernel.entry.digest, "provenance": provenance, **raw}) + "\n")
    return refused
