"""Commands that fill a database: `replay capture` and `replay import`."""

import os
import signal
import subprocess
import tempfile
from pathlib import Path

import click

import replay
from replay.adapters import Adapter, get_adapter
from replay.capture import DATABASE_VARIABLE, VERSION_VARIABLE
from replay.cli.output import complain
from replay.errors import CorpusError, StoreError
from replay.home import HOME, cache_dir, default_database, make_private, project_root
from replay.importer import FORMATS, Imported, guess_format, import_database, import_text
from replay.revision import describe
from replay.store import Store

__all__ = ["capture", "import_"]

_DB = click.option(
    "--db",
    metavar="PATH",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The database to write to. Default: .replay/captures.db at the root of the repository.",
)


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@_DB
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def capture(db: Path | None, command: tuple[str, ...]) -> int:
    """Run COMMAND and capture every kernel that it compiles.

    COMMAND and all that it starts run as they would without capturing, and its exit code is passed on (128 and more: it
    was ended by a signal). What was captured is said on standard error.
    """
    path = _database(db)
    before = _counts(path)
    environment = dict(os.environ)
    environment |= {"CAPTURE_PROCESS_REPLAY": "1", DATABASE_VARIABLE: str(path)}
    environment.setdefault(VERSION_VARIABLE, describe(Path.cwd()))
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH", ""), str(_sink_folder())]))
    code = _run(command, environment)
    _report(path, before)
    return code


def _run(command: tuple[str, ...], environment: dict[str, str]) -> int:
    try:
        process = subprocess.Popen(command, env=environment)
    except OSError as error:
        raise CorpusError(f"{command[0]}: cannot be run: {error.strerror or error}") from error
    # Ctrl-C reaches the command too, and it decides what that means; a termination is passed on to it.
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    before_term = signal.signal(signal.SIGTERM, lambda number, _: process.send_signal(number))
    try:
        code = process.wait()
    finally:
        signal.signal(signal.SIGINT, before)
        signal.signal(signal.SIGTERM, before_term)
    return 128 - code if code < 0 else code


def _counts(path: Path) -> tuple[int, int, int]:
    """Captures, records and capture errors in the database, which is created if need be."""
    with Store.open(path) as store:
        stats = store.stats()
    return stats["captures"], stats["records"], sum(error["count"] for error in stats["capture_errors"])


def _report(path: Path, before: tuple[int, int, int]) -> None:
    captures, records, errors = (now - then for now, then in zip(_counts(path), before, strict=True))
    if not captures:
        complain(
            f"nothing was captured into {path}: the command compiled no kernel, or stopped within its first second"
        )
    else:
        complain(f"{captures} kernels were captured into {path}, {records} of them new")
    if errors:
        complain(f"{errors} kernels could not be captured; `replay stats --db {path}` says why")


def _sink_folder() -> Path:
    """A folder for PYTHONPATH that holds this package and nothing else, so that no other import is changed by it."""
    folder = cache_dir(project_root()) / "sink"
    folder.mkdir(exist_ok=True)
    link, package = folder / "replay", Path(replay.__file__).resolve().parent
    if not (link.is_symlink() and link.resolve() == package):
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            fresh = Path(scratch) / "replay"
            fresh.symlink_to(package, target_is_directory=True)
            fresh.replace(link)
    return folder


def _database(db: Path | None) -> Path:
    path = (db or default_database(project_root())).absolute()
    try:
        if path.parent.name == HOME:
            make_private(path.parent)
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{path}: its folder cannot be made: {error.strerror or error}") from error
    return path


@click.command("import")
@click.argument("source", type=click.Path(path_type=Path))
@click.option("--format", "format_", type=click.Choice(FORMATS), default="auto", show_default=True,
              help="uop-text: one AST a line, .gz too; replay-db: another database of captures.")  # fmt: skip
@_DB
@click.option("--backend", default="c", show_default=True, help="The backend to compile an AST in the text form for.")
@click.option("--limit", type=click.IntRange(min=1), help="Stop after so many lines or records.")
def import_(source: Path, format_: str, db: Path | None, backend: str, limit: int | None) -> int:
    """Store records from SOURCE: ASTs in the text form, each of which is compiled, or another database of captures.

    An AST keeps its file and line as provenance (asts.txt:17). A line that does not compile is one sentence on standard
    error, and the rest goes on. Exit codes: 0 everything was imported, 2 something could not be.
    """
    kind = guess_format(source) if format_ == "auto" else format_
    path = _database(db)
    if path.exists() and source.exists() and path.samefile(source):
        raise CorpusError(f"{source}: the source and --db are the same file")
    with Store.open(path) as store:
        if kind == "replay-db":
            imported = import_database(source, store, limit, complain)
        else:
            imported = import_text(source, store, _adapter(), backend, limit, complain)
        store.settle()
    return _summary(source, path, imported)


def _adapter() -> Adapter:
    adapter = get_adapter("core")
    assert adapter is not None
    return adapter


def _summary(source: Path, path: Path, imported: Imported) -> int:
    if not imported.captures and not imported.refused:
        raise CorpusError(f"{source}: there is nothing in it to import")
    click.echo(f"{imported.captures} imported into {path}, {imported.records} of them new; {imported.refused} refused")
    return 2 if imported.refused else 0
