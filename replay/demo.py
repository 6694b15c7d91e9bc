"""The demonstration: a real change of the compiler, committed to a throw-away clone, and its replay.

Takes nothing but the repository that this package lies in, and leaves nothing behind.
"""

import contextlib
import shlex
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import click

import replay
from replay.errors import ReplayError
from replay.outcome import Verdict

__all__ = ["DEMO_EDIT", "Edit", "apply_edit", "run_demo"]


@dataclass(frozen=True, slots=True)
class Edit:
    """One exact replacement in a file of the repository, and the subject of the commit that makes it."""

    path: str
    before: str
    after: str
    subject: str


DEMO_EDIT = Edit(
    path="core/lower/memory.py",
    before="_WIDTHS: Final = (4, 2)",
    after="_WIDTHS: Final = (2,)",
    subject="Load and store at most two elements at once",
)

_IDENTITY = (
    "-c", "user.name=replay demo", "-c", "user.email=demo@localhost", "-c", "commit.gpgsign=false",
    "-c", "core.hooksPath=/dev/null",
)  # fmt: skip


def run_demo(edit: Edit = DEMO_EDIT) -> int:
    """Run it all; 0 if the diff found the change, 2 if it did not. Raises ReplayError where it cannot be tried."""
    home = Path(replay.__file__).resolve().parent.parent
    if not (home / ".git").exists():
        raise ReplayError(
            f"{home}: the demo needs a git checkout of process-replay; clone the repository and run it there"
        )
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="replay-demo-") as scratch:
        clone = Path(scratch) / "process-replay"
        _shell("git", "clone", "--quiet", "--local", str(home), str(clone))
        click.echo(f"$ cd {clone}")
        apply_edit(clone, edit)
        _shell("git", "--no-pager", "diff", "--unified=1", folder=clone)
        _shell("git", *_IDENTITY, "commit", "--quiet", "--all", "--message", edit.subject, folder=clone)
        code = _diff(clone)
    click.echo(f"\nThe demo took {time.monotonic() - started:.0f} s. In your own checkout: replay diff --since main")
    return 0 if code == Verdict.CHANGED.exit_code else Verdict.UNKNOWN.exit_code


def apply_edit(clone: Path, edit: Edit) -> None:
    """Make the replacement. Raises ReplayError if the text is not there exactly once."""
    file = clone / edit.path
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    if not edit.before or text.count(edit.before) != 1:
        raise ReplayError(
            f"{edit.path}: the text that the demo changes is not there exactly once; replay/demo.py needs a new edit"
        )
    file.write_text(text.replace(edit.before, edit.after), encoding="utf-8")


def _shell(*command: str, folder: Path | None = None) -> None:
    shown = [word for word in command if word not in _IDENTITY and word != "--no-pager"]
    click.echo(f"\n$ {shlex.join(shown)}")
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    except OSError as error:
        raise ReplayError(f"{command[0]} cannot be run: {error.strerror or error}") from error
    click.echo(done.stdout, nl=False)
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise ReplayError(f"{shlex.join(shown)} failed: {reason}")


def _diff(clone: Path) -> int:
    from replay.cli.diff import diff  # the commands import this module

    click.echo("\n$ replay diff --since HEAD~1\n")
    with contextlib.chdir(clone):
        code: int = diff.main(["--since", "HEAD~1"], standalone_mode=False)
    return code
