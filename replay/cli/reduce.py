"""`replay reduce`: the smallest record that still shows a difference."""

from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console

from replay.adapters import get_adapter
from replay.cli.output import ENVIRONMENT, complain
from replay.compare import unified
from replay.errors import ReplayError
from replay.executor import Executor, default_jobs
from replay.outcome import MODES, Result, Status
from replay.record import parse_capture
from replay.reduce import KINDS, Reduced, Reducer, as_raw, unit_test
from replay.report.escape import one_line, visible
from replay.session import COMPILER, MEMORY, find_kernel, open_session, sole_argument
from replay.store import Store

__all__ = ["reduce"]


@click.command()
@click.argument("record", metavar="ID")
@click.option("--since", metavar="REV", required=True, help="The base.")
@click.option("--until", metavar="REV", help="The head. Default: the working tree.")
@click.option("--on", type=click.Choice(KINDS),
              help="What has to stay: the change or error that it is, or with different its results.")  # fmt: skip
@click.option("--backend", metavar="NAME", help="Another backend than the one that the record was captured on.")
@click.option("--mode", type=click.Choice(MODES), help="Default: pinned on the captured backend, free on others.")
@click.option("--test", "test_file", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False),
              help="Write a unit test: it passes on the base, and fails on the head.")  # fmt: skip
@click.option("--captures", "target", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False),
              help="Add the reduced record to this database, not one of those that are read.")  # fmt: skip
@click.option("--db", "databases", metavar="PATH", multiple=True, type=click.Path(path_type=Path),
              help="Where ID is looked for; may be repeated. Default: as for replay diff.")  # fmt: skip
@click.option("--seconds", metavar="N", type=click.FloatRange(min=1), default=60.0, show_default=True,
              help="The time after which the best so far is given.")  # fmt: skip
@click.option("--timeout", metavar="SECONDS", type=click.FloatRange(min=0.1), default=20.0, show_default=True,
              help="How long one kernel may take.")  # fmt: skip
@click.option("--jobs", type=click.IntRange(min=1), help="How many compile at once. Default: the cores.")
@ENVIRONMENT
def reduce(
    record: str,
    since: str,
    until: str | None,
    on: str | None,
    backend: str | None,
    mode: str | None,
    test_file: Path | None,
    target: Path | None,
    databases: tuple[Path, ...],
    seconds: float,
    timeout: float,
    jobs: int | None,
    environment: str,
) -> int:
    """Make the record ID as small as it can be while REV and the head still differ in the same way.

    The AST is printed in the text form, with the difference that it shows. Interrupting gives the best so far.

    Exit codes: 0, or 2 where there is no such record, or no difference, or one that is not stable.
    """
    adapter = get_adapter(COMPILER)
    assert adapter is not None
    with open_session(databases, environment, complain) as session:
        _check_target(target, session.corpus.files)
        kernel = find_kernel(session.corpus, record)
        base, head = session.revision(since), session.revision(until)
        argument = sole_argument(kernel, backend)
        wanted = mode or ("pinned" if argument is None else "free")
        raw = as_raw(session.corpus.payload(kernel.entry.digest))
        if base.key == head.key:
            raise ReplayError(f"{base.label} and {head.label} have the same compiler: there is no difference to reduce")
        console = Console(stderr=True)
        with (
            Executor(
                COMPILER,
                {side.key: side for side in (base, head)},
                jobs=jobs or default_jobs(),
                timeout=timeout,
                memory=MEMORY,
            ) as executor,
            console.status("reducing") as status,
        ):
            executor.hello([base.key, head.key])
            reducer = Reducer(adapter, executor, (base.key, head.key), argument, wanted, on=on)
            found = reducer.run(raw, seconds, lambda size, tried: status.update(f"{size} nodes, {tried} tried"))
    text = adapter.format_ast(found.raw["ast"])
    _print(found, text, adapter.ast_size(raw["ast"]))
    if test_file is not None:
        _write(test_file, unit_test(found, text, argument, wanted))
    if target is not None:
        _store(target, found, kernel.entry.digest)
    return 0


def _check_target(target: Path | None, read: Sequence[Path]) -> None:
    """`--captures` names what is read in other commands; here that must not grow by accident."""
    if target is not None and target.exists() and any(target.samefile(file) for file in read if file.exists()):
        raise ReplayError(f"--captures {target}: the record would be added to a file that is read; name another one")


def _print(found: Reduced, text: str, size: int) -> None:
    opts = len(found.raw["applied_opts"])
    click.echo(f"{found.size} nodes instead of {size}, {opts} opts ({found.tried} kernels tried)")
    if not found.exact:
        cause = one_line(found.cause)
        click.echo(f"the same cause, {cause}; the same edit takes {found.exact_size} nodes")
    if not found.finished:
        click.echo("stopped before all was tried: this is the best so far")
    click.echo(visible(text))
    for side, result in (("base", found.base), ("head", found.head)):
        if result.status is not Status.OK:
            click.echo(f"{side}: {one_line(result.type)}: {visible(result.message)}")
    for line in unified(found.base, found.head).split("\n"):
        click.echo(visible(line))


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ReplayError(f"--test {path}: {error.strerror or error}") from error
    complain(f"the test is in {path}")


def _store(path: Path, found: Reduced, origin: str) -> None:
    right: Result = found.base if found.base.status is Status.OK else found.head
    observed = {name: getattr(right, name) for name in ("global_size", "local_size", "vars", "estimates")}
    capture = parse_capture(
        {**found.raw, "src": right.src, "observed": observed, "provenance": {"source": f"reduced from {origin[:12]}"}}
    )
    with Store.open(path) as store:
        store.add([capture])
    complain(f"the record is in {path}")
