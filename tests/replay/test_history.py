"""Parts of a repository's history. Git's own answers are the oracle."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from replay.errors import ReplayError
from replay.history import History, last_commits

if TYPE_CHECKING:
    from tests.replay.conftest import Project


@pytest.fixture
def merged(project: Project) -> list[str]:
    """first, second, a side branch of two commits merged in, last: in the order of `git log --topo-order`, reversed."""
    first = project.git("rev-parse", "HEAD")
    second = project.commit("second")
    project.git("checkout", "--quiet", "-b", "side")
    side = [project.commit("side one"), project.commit("side two")]
    project.git("checkout", "--quiet", "main")
    other = project.commit("on main")
    project.git("merge", "--quiet", "--no-ff", "--message", "merge", "side")
    return [first, second, *side, other, project.git("rev-parse", "HEAD"), project.commit("last")]


@pytest.mark.parametrize("full", [False, True])
def test_the_commits_that_bad_has_and_good_has_not(project: Project, merged: list[str], full: bool) -> None:
    history = History.between(project.root, merged[0], merged[-1], full=full)
    way = [] if full else ["--first-parent"]
    listed = project.git("rev-list", "--topo-order", "--reverse", *way, f"{merged[0]}..{merged[-1]}").split()
    assert [commit.sha for commit in history.commits] == listed
    assert len(listed) == (6 if full else 4)
    assert [commit.subject for commit in history.commits][-2:] == ["merge", "last"]


@pytest.mark.parametrize("full", [False, True])
def test_which_commit_descends_from_which(project: Project, merged: list[str], full: bool) -> None:
    history = History.between(project.root, merged[0], merged[-1], full=full)
    shas = [commit.sha for commit in history.commits]
    for number, sha in enumerate(shas):
        reached = set(project.git("rev-list", *([] if full else ["--first-parent"]), sha).split())
        inside = {shas[other] for other in range(len(shas)) if history.ancestors[number] >> other & 1}
        assert inside == reached & set(shas)


def test_ends_that_make_no_sense(project: Project, merged: list[str]) -> None:
    def between(good: str, bad: str) -> None:
        History.between(project.root, good, bad, full=False)

    with pytest.raises(ReplayError, match="are the same commit"):
        between(merged[1], merged[1])
    with pytest.raises(ReplayError, match=rf"--bad {merged[0][:12]} is an ancestor of --good .*: exchange the two"):
        between(merged[-1], merged[0])
    with pytest.raises(ReplayError, match="does not descend from --good"):
        between(merged[2], merged[4])


def test_the_last_commits_of_a_branch(project: Project, merged: list[str]) -> None:
    found = last_commits(project.root, "HEAD", 3)
    assert [commit.sha for commit in found] == [merged[-1], merged[-2], merged[-3]]
    assert found[0].subject == "last"
    assert found[0].author == "test"


def test_subjects_are_data(project: Project) -> None:
    first = project.git("rev-parse", "HEAD")
    subject = "a \x1b[31m 'quoted' %H $(touch x) | ü"
    last = project.commit(subject)
    (commit,) = History.between(project.root, first, last, full=True).commits
    assert commit.subject == subject
