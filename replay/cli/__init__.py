"""The `replay` command line. One module a group of commands; `main` turns errors into a sentence and exit code 2."""

import io
import os
import sys

import click

from replay.cli.approve import approve
from replay.cli.bisect import bisect, blame, test
from replay.cli.capture import capture, import_
from replay.cli.corpus import ls, show, stats
from replay.cli.demo import demo
from replay.cli.diff import diff
from replay.cli.doctor import doctor
from replay.cli.explain import explain_command
from replay.cli.gate import gate
from replay.cli.init import completion, init
from replay.cli.maintain import export, merge, prune
from replay.cli.output import complain
from replay.cli.reduce import reduce
from replay.errors import ReplayError
from replay.home import project_root
from replay.settings import defaults

__all__ = ["cli", "main"]

COULD_NOT_TELL = 2


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120})
@click.version_option(package_name="process-replay", prog_name="replay")
@click.pass_context
def cli(context: click.Context) -> None:
    """Capture the kernels that a compiler makes, and show what a change of the compiler does to them.

    Defaults for the options of every command can stand in pyproject.toml, under [tool.replay].

    Exit codes: 0 nothing changed, 1 something did, 2 it cannot be told (bad usage, missing data, an error).
    """
    context.default_map = defaults(project_root(), cli)


for command in (
    capture,
    import_,
    ls,
    show,
    stats,
    merge,
    prune,
    export,
    diff,
    gate,
    approve,
    explain_command,
    bisect,
    blame,
    reduce,
    test,
    doctor,
    init,
    completion,
    demo,
):
    cli.add_command(command)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit. No traceback reaches the user for anything that is wrong with the input."""
    sys.exit(_run(arguments))


def _run(arguments: list[str] | None) -> int:
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal may have no character for what a report shows
    try:
        code = cli.main(args=arguments, prog_name="replay", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        return COULD_NOT_TELL
    except (click.Abort, KeyboardInterrupt):
        complain("interrupted")
        return COULD_NOT_TELL
    except ReplayError as error:
        complain(str(error))
        return COULD_NOT_TELL
    except SystemExit:
        return COULD_NOT_TELL  # click's way out when whoever read our output is gone
    except BrokenPipeError:
        # The same in our own flush; the interpreter's last one would complain about it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return COULD_NOT_TELL
    except OSError as error:
        # files are opened by name, so that what has none was being printed
        complain(f"{error.filename or 'standard output'}: {error.strerror or error}")
        return COULD_NOT_TELL
    return code if isinstance(code, int) else 0
