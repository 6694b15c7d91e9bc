"""Makes the committed corpus of captures from the kernels in `captures/workloads.py`.

    python captures/make_corpus.py [--db captures/core.db]

The kernels are compiled by a process of their own with CAPTURE_PROCESS_REPLAY set, and so captured as any program's
are; that process is this script as well. The database is replaced only if what was captured has changed.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from sqlite_utils import Database

ROOT: Final = Path(__file__).resolve().parent.parent
SCRIPT: Final = "captures/make_corpus.py"
BACKEND: Final = "c"
# in place of the time of capture, which would make a new file each time
TIME: Final = "2000-01-01T00:00:00+00:00"
CONTENT: Final = (
    "select digest from records order by 1",
    "select record, src, source, test, version, name, global_size, local_size, vars, estimates, count"
    " from observations order by 1, 2, 3, 4",
    "select kind, message, count from capture_errors order by 1, 2",
)


def main() -> int:
    if os.environ.get("CAPTURE_PROCESS_REPLAY"):
        compile_workloads()
        return 0
    parser = argparse.ArgumentParser(description="Make the corpus of captures from captures/workloads.py.")
    parser.add_argument("--db", type=Path, default=ROOT / "captures" / "core.db", help="default: captures/core.db")
    return make(parser.parse_args().db.absolute())


def make(target: Path) -> int:
    """Capture the workloads into `target`. Gives the exit code: 0, or 2 with a sentence if it could not be made."""
    if not target.parent.is_dir():
        return refuse(f"{target}: there is no such folder")
    try:
        before = content(target) if target.exists() else None
    except sqlite3.DatabaseError as error:
        return refuse(f"{target}: not a database of captures ({error}); move it away first")
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".make_corpus-") as folder:
        made = Path(folder) / target.name
        ended = subprocess.run([sys.executable, SCRIPT], cwd=ROOT, env=environment(made), check=False).returncode
        if ended or not made.exists():
            return refuse(f"the workloads were not captured; their process ended with {ended}")
        settle(made)
        now = content(made)
        records, errors = len(now[0]), now[2]
        if errors:
            return refuse(f"a kernel was not captured: {errors[0][1]}")
        if now == before:
            print(f"{target}: {records} kernels, as before")
            return 0
        made.chmod(0o644)
        made.replace(target)
    print(f"{target}: {records} kernels, {target.stat().st_size} bytes")
    return 0


def refuse(reason: str) -> int:
    print(f"error: {reason}", file=sys.stderr)
    return 2


def environment(database: Path) -> dict[str, str]:
    """That of the process that is captured: this checkout's packages, and no setting of the user's."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("PROCESS_REPLAY_", "PYTEST_"))}
    captured = {"CAPTURE_PROCESS_REPLAY": "1", "PROCESS_REPLAY_DB": str(database), "PYTHONPATH": str(ROOT)}
    return {**kept, **captured}


def settle(path: Path) -> None:
    """Make `path` one file without side files, the same each time that the same is captured."""
    database = Database(path)
    try:
        for table, column in (
            ("records", "created"),
            ("observations", "first"),
            ("observations", "last"),
            ("_sqlite_migrations", "applied_at"),
        ):
            with database.conn:
                database.execute(f"update {table} set {column} = ?", [TIME])
        database.disable_wal()
        database.vacuum()
    finally:
        database.close()


def content(path: Path) -> list[list[tuple[Any, ...]]]:
    """What identifies the captures in `path`: digests, sources, provenance and errors."""
    database = Database(path)
    try:
        return [database.execute(query).fetchall() for query in CONTENT]
    finally:
        database.close()


def compile_workloads() -> None:
    """Compile every workload with the settings' defaults, its name as the test that runs."""
    from captures.workloads import WORKLOADS
    from core.builder import kernel
    from core.compiler import compile_ast
    from core.context import Context, ContextVar
    from core.render import get_renderer

    renderer = get_renderer(BACKEND)
    defaults = {key: var.default for key, var in ContextVar.registry.items() if var.affects_output}
    with Context(**defaults, DEBUG=0):
        for name, outputs in WORKLOADS.items():
            os.environ["PYTEST_CURRENT_TEST"] = name
            compile_ast(kernel(outputs), renderer)


if __name__ == "__main__":
    sys.exit(main())
