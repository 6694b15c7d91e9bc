"""The documents say what there is: every command, every setting's place, and an example that runs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from core.cli import cli as core_cli
from replay.cli import cli as replay_cli

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", sorted(replay_cli.commands))
def test_every_command_of_replay_is_in_the_readme(name: str) -> None:
    assert re.search(rf"\breplay {name}\b", README)


@pytest.mark.parametrize("name", sorted(core_cli.commands))
def test_every_command_of_core_is_in_the_readme(name: str) -> None:
    assert f"python -m core {name}" in README


@pytest.mark.parametrize("group", [replay_cli, core_cli], ids=["replay", "core"])
def test_every_command_and_option_has_help(group: click.Group) -> None:
    for name, command in group.commands.items():
        assert command.help, name
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                assert parameter.help, f"{name} {parameter.name}"


def test_the_first_example_prints_what_the_readme_says() -> None:
    code, printed = re.findall(r"```python\n(.*?)```\n\n```\n(.*?)```", README, re.DOTALL)[0]
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == printed.strip()


def test_links_between_documents_lead_somewhere() -> None:
    documents = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
    for document in documents:
        for target in re.findall(r"\]\(([^)#:]+)\)", document.read_text(encoding="utf-8")):
            assert (document.parent / target).exists(), f"{document.name} links to {target}"
