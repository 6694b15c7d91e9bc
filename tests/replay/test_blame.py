"""At which commits one kernel's source changed, and by how much."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.replay.conftest import Project, Ran

Cli = Callable[..., "Ran"]


@pytest.fixture
def changed(project: Project) -> list[str]:
    """Commits, oldest first: the captures, another ADD, nothing, a failure and its end, one that does not import."""
    project.capture("1 2 ADD")
    shas = [project.commit("captures")]
    project.edit("{} + {}", "{}+{}")
    shas.append(project.commit("without spaces"))
    shas.append(project.commit("nothing"))
    project.edit("    texts: list[str] = []\n", '    raise ValueError("no")\n', "core/process_replay.py")
    shas.append(project.commit("fails"))
    project.edit('    raise ValueError("no")\n', "    texts: list[str] = []\n", "core/process_replay.py")
    shas.append(project.commit("compiles again"))
    project.edit("UPCAST = 4", "UPCAST = (")
    shas.append(project.commit("does not import"))
    project.edit("UPCAST = (", "UPCAST = 4")
    shas.append(project.commit("imports again"))
    return shas


def test_the_commits_that_changed_it_newest_first(changed: list[str], cli: Cli) -> None:
    record = json.loads(cli("ls", "--jsonl").out)["record"]
    ran = cli("blame", record[:8], "--format", "json")
    assert ran.code == 0
    assert [(one["subject"], one["size"]) for one in json.loads(ran.out)] == [
        ("does not import", "cannot tell"),
        ("compiles again", "compiles again"),
        ("fails", "fails: ValueError"),
        ("without spaces", "+1 -1"),
    ]
    text = cli("blame", record, "-n", "3").out
    assert [line.split()[0] for line in text.splitlines()] == [changed[5][:12], changed[4][:12]]
    assert "does not import" in text


def test_a_branch_that_leaves_it_alone(project: Project, cli: Cli) -> None:
    project.capture("1 2 ADD")
    project.commit("one")
    project.commit("two")
    record = json.loads(cli("ls", "--jsonl").out)["record"]
    assert cli("blame", record, "-n", "2").out == f"the last 2 commits leave {record[:12]} as it is\n"


@pytest.mark.parametrize(("record", "said"), [("ffff", "no record begins with 'ffff'"), ("", "begins 2 records")])
def test_no_such_record(project: Project, cli: Cli, record: str, said: str) -> None:
    project.capture("1 2 ADD", "3 4 MUL")
    ran = cli("blame", record)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err


@pytest.mark.parametrize("command", ["blame", "test", "explain", "reduce"])
def test_a_file_that_cannot_be_read_is_named(project: Project, cli: Cli, command: str) -> None:
    (project.root / "text.db").write_text("no database")
    option = ["--since", "HEAD"] if command in ("explain", "reduce") else []
    ran = cli(command, "abc", *option, "--db", "text.db")
    assert ran.code == 2
    assert ran.err.splitlines()[0].endswith("text.db: not a SQLite database")
    assert "no record begins with 'abc'" in ran.err.splitlines()[1]
