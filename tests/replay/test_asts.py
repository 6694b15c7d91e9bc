"""ASTs compared: in words, and whatever their size; and in a diff, of the smallest member of each cluster."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from replay.asts import MAX_CHANGES, MAX_NODES, ast_changes

if TYPE_CHECKING:
    from tests.replay.conftest import Project, Ran


def nodes(*texts: str) -> list[list[str]]:
    return [[*text.split("|"), "", ""][:3] for text in texts]


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (["CONST|int|1", "ADD|int"], ["CONST|int|1", "ADD|int"], []),
        (["CONST|int|1", "ADD|int"], ["ADD|int", "CONST|int|1"], ["ADD int added", "ADD int removed"]),
        (["VIEW|void|(4,4)", "ADD|int"], ["VIEW|void|(4,8)", "ADD|int"], ["VIEW arg: (4,4) -> (4,8)"]),
        (["CAST|float", "CONST|int|1"], ["CAST|half", "CONST|int|1"], ["CAST dtype: float -> half"]),
        (["CONST|int|1"], ["CONST|int|1", "SQRT|float"], ["SQRT float added"]),
        (["CONST|int|1", "EXP2|float"], ["CONST|int|1"], ["EXP2 float removed"]),
        (["CONST|int|1"] * 3, ["CONST|int|1"], ["CONST int 1 removed"]),
    ],
    ids=["same", "order", "arg", "dtype", "added", "removed", "fewer"],
)
def test_changes_in_words(before: list[str], after: list[str], said: list[str]) -> None:
    assert ast_changes(nodes(*before), nodes(*after)) == said


def test_a_long_list_is_cut() -> None:
    changes = ast_changes(nodes("SINK|void"), nodes("SINK|void", *[f"VIEW|void|{number}" for number in range(10)]))
    assert len(changes) == MAX_CHANGES + 1
    assert changes[-1] == f"{10 - MAX_CHANGES} more"


def test_many_nodes_are_counted() -> None:
    before = nodes(*[f"VIEW|void|{number}" for number in range(MAX_NODES + 1)])
    after = nodes(*[f"CONST|int|{number}" for number in range(5_000)])
    assert ast_changes(before, after) == ["it has 1001 -> 5000 nodes"]


def test_a_diff_says_how_the_ast_changed(project: Project, command: Callable[..., Ran]) -> None:
    project.capture("1 2 ADD", "1 2 3 ADD ADD")
    project.commit("captures")
    project.edit("UPCAST = 4", "UPCAST = 8")
    diff = ["diff", "--since", "HEAD", "--backend", "c", "--mode", "free", "--format", "json"]
    found = json.loads(command(*diff, cwd=project.root).out)
    small, large = sorted(found["results"], key=lambda result: result["provenance"])
    assert small["changes"] == ["applied_opts[0]: UPCAST(0, 4) -> UPCAST(0, 8)", "AST: UPCAST arg: 4 -> 8"]
    assert large["changes"] == ["applied_opts[0]: UPCAST(0, 4) -> UPCAST(0, 8)"]  # of the same cluster
    assert found["changes"] == ["free: UPCAST(0, 4) -> UPCAST(0, 8) on 2 kernels"]

    again = json.loads(command(*diff, cwd=project.root).out)
    assert (again["results"], again["compiled"]) == (found["results"], 0)


def test_a_revision_that_gives_no_asts_is_compared_without(project: Project, command: Callable[..., Ran]) -> None:
    project.edit("def optimized_ast(", "def _of_later(", "core/process_replay.py")
    project.capture("1 2 ADD")
    project.commit("before ASTs were compared")
    project.edit("{} + {}", "{} plus {}")
    ran = command("diff", "--since", "HEAD", "--format", "json", cwd=project.root)
    assert ran.code == 1
    assert {result["outcome"] for result in json.loads(ran.out)["results"]} == {"changed"}
    assert "AST: " not in ran.out
