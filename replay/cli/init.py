"""`replay init` and `replay completion`: setting up."""

import click
from click.shell_completion import get_completion_class

from replay.home import project_root
from replay.init import write_settings, write_workflow

__all__ = ["completion", "init"]

SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.option("--force", is_flag=True, help="Write the workflow anew where there is one.")
def init(force: bool) -> int:
    """Write [tool.replay] into pyproject.toml, and a workflow that runs the gate on pull requests.

    What is there already is left as it is.
    """
    root = project_root()
    click.echo(write_settings(root, force=False))
    click.echo(write_workflow(root, force=force))
    return 0


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> int:
    """Print the script with which SHELL completes the commands and options of replay.

    For bash: eval "$(replay completion bash)" in ~/.bashrc; for zsh the same in ~/.zshrc; for fish:
    replay completion fish > ~/.config/fish/completions/replay.fish
    """
    made = get_completion_class(shell)
    assert made is not None
    click.echo(made(context.find_root().command, {}, "replay", "_REPLAY_COMPLETE").source())
    return 0
