"""Revisions as folders. Git itself is the oracle: its own checkout has to hold the same files."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from replay import revision as revisions
from replay.errors import RevisionError
from replay.home import cache_dir
from replay.revision import WORKING_TREE, Repository, describe

if TYPE_CHECKING:
    from tests.replay.conftest import Project


@pytest.fixture
def repository(project: Project) -> Repository:
    return Repository.find(project.root, "core", cache_dir(project.root))


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and "__pycache__" not in path.parts)
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def state(project: Project) -> tuple[str, str, str]:
    """What a command may not touch: the index, the status, and the objects of the user's repository."""
    index = hashlib.sha256((project.root / ".git" / "index").read_bytes()).hexdigest()
    objects = project.git("count-objects", "-v")
    return index, project.git("--no-optional-locks", "status", "--short"), objects


def test_a_commit_is_what_git_checks_out(project: Project, repository: Repository) -> None:
    first = project.git("rev-parse", "HEAD")
    project.edit("{} + {}", "{}+{}")
    project.commit()
    old = repository.at_commit("HEAD~1", repository.resolve("HEAD~1"))
    new = repository.at_commit("HEAD", repository.resolve("HEAD"))
    assert old.commit == first
    assert old.tree == project.git("rev-parse", "HEAD~1:core")
    assert contents(new.path / "core") == contents(project.root / "core")
    assert b"({} + {})" in contents(old.path / "core")["rules.py"]
    assert sorted(os.listdir(old.path)) == ["core"]


def test_the_working_tree_has_what_is_not_committed_and_nothing_is_touched(
    project: Project, repository: Repository
) -> None:
    project.edit("{} + {}", "{}+{}")  # not staged
    (project.root / "core" / "new file.py").write_text("x = 1\n")  # untracked
    (project.root / "core" / "ignored.log").write_text("noise")
    (project.root / ".gitignore").write_text("*.log\n")
    (project.root / "core" / "__pycache__").mkdir()
    (project.root / "core" / "__pycache__" / "rules.cpython-311.pyc").write_bytes(b"old")
    (project.root / "core" / "staged.py").write_text("y = 1\n")
    project.git("add", "core/staged.py")
    (project.root / "core" / "staged.py").write_text("y = 2\n")  # staged, and changed since
    before = state(project)
    head = repository.at_working_tree()
    assert state(project) == before
    found = contents(head.path / "core")
    assert found["new file.py"] == b"x = 1\n"
    assert found["staged.py"] == b"y = 2\n"
    assert b"({}+{})" in found["rules.py"]
    assert "ignored.log" not in found
    assert not (head.path / "core" / "__pycache__").exists()
    assert (head.revision, head.commit) == (WORKING_TREE, project.git("rev-parse", "HEAD"))


def test_a_deleted_file_is_missing_in_the_working_tree(project: Project, repository: Repository) -> None:
    (project.root / "core" / "rules.py").unlink()
    assert "rules.py" not in contents(repository.at_working_tree().path / "core")


def test_a_clean_working_tree_is_the_head(project: Project, repository: Repository) -> None:
    head, commit = repository.at_working_tree(), repository.at_commit("HEAD", repository.resolve("HEAD"))
    assert head.tree == commit.tree
    assert head.path == commit.path


def test_what_a_git_hook_sets_does_not_lead_astray(
    project: Project, repository: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))
    found = Repository.find(project.root, "core", cache_dir(project.root))
    assert found.root == project.root
    assert found.at_working_tree().tree


def test_the_working_tree_is_read_in_a_linked_worktree_and_below_a_folder(project: Project, tmp_path: Path) -> None:
    linked = tmp_path / "linked: odd"
    project.git("worktree", "add", "--quiet", "--detach", str(linked))
    (linked / "core" / "extra.py").write_text("z = 1\n")
    repository = Repository.find(linked / "core", "core", cache_dir(linked))
    assert "extra.py" in contents(repository.at_working_tree().path / "core")


def test_merge_base(project: Project, repository: Repository) -> None:
    fork = project.git("rev-parse", "HEAD")
    project.git("checkout", "--quiet", "-b", "feature")
    feature = project.commit("on the branch")
    project.git("checkout", "--quiet", "main")
    main = project.commit("on main")
    assert repository.merge_base(feature, main) == fork
    project.git("checkout", "--quiet", "--orphan", "other")
    other = project.commit("unrelated")
    with pytest.raises(RevisionError, match="no common ancestor"):
        repository.merge_base(main, other)


@pytest.mark.parametrize("name", ["nope", "HEAD~99", "-x", "--all", "", "main:core", "0" * 40, "\u00e4"])
def test_unknown_revisions(repository: Repository, name: str) -> None:
    with pytest.raises(RevisionError, match="revision"):
        repository.resolve(name)


def test_a_shallow_clone_says_how_to_get_the_rest(project: Project, tmp_path: Path) -> None:
    project.commit("another")
    clone = tmp_path / "clone"
    subprocess.run(
        ["git", "clone", "--quiet", "--depth=1", f"file://{project.root}", str(clone)],
        check=True, env=project.environment,
    )  # fmt: skip
    repository = Repository.find(clone, "core", cache_dir(clone))
    assert repository.at_working_tree().tree
    with pytest.raises(RevisionError, match="git fetch --unshallow"):
        repository.resolve("HEAD~1")


@pytest.fixture
def nested(project: Project, tmp_path: Path) -> Path:
    """The project with another repository as its submodule core/extra; gives the folder of the submodule."""
    other = tmp_path / "other"
    subprocess.run(["git", "init", "--quiet", "--initial-branch=main", str(other)], check=True, env=project.environment)
    for number in (1, 2):
        (other / "table.py").write_text(f"VALUE = {number}\n")
        subprocess.run(["git", "add", "--all"], cwd=other, check=True, env=project.environment)
        subprocess.run(["git", "commit", "--quiet", "-m", "a"], cwd=other, check=True, env=project.environment)
    project.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other), "core/extra")
    inside = project.root / "core" / "extra"
    subprocess.run(["git", "checkout", "--quiet", "HEAD~1"], cwd=inside, check=True, env=project.environment)
    project.commit("with the first version of the submodule")
    subprocess.run(["git", "checkout", "--quiet", "main"], cwd=inside, check=True, env=project.environment)
    return inside


def test_submodules_are_checked_out_as_each_revision_has_them(
    project: Project, repository: Repository, nested: Path
) -> None:
    before = state(project)
    old, new = repository.at_commit("HEAD", repository.resolve("HEAD")), repository.at_working_tree()
    assert (old.path / "core" / "extra" / "table.py").read_text() == "VALUE = 1\n"
    assert (new.path / "core" / "extra" / "table.py").read_text() == "VALUE = 2\n"
    assert old.tree != new.tree
    assert state(project) == before


def test_a_submodule_with_changes_of_its_own_is_refused(repository: Repository, nested: Path) -> None:
    (nested / "table.py").write_text("VALUE = 3\n")
    with pytest.raises(RevisionError, match="submodule core/extra has changes that are not committed"):
        repository.at_working_tree()
    (nested / "table.py").write_text("VALUE = 2\n")
    (nested / "new.py").write_text("")
    with pytest.raises(RevisionError, match="submodule core/extra has changes that are not committed"):
        repository.at_working_tree()


def test_a_submodule_that_was_not_fetched_says_how_to_get_it(project: Project, nested: Path, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", str(project.root), str(clone)], check=True, env=project.environment)
    repository = Repository.find(clone, "core", cache_dir(clone))
    with pytest.raises(RevisionError, match=r"submodule .*core/extra is not here: git submodule update --init"):
        repository.at_commit("HEAD", repository.resolve("HEAD"))


def test_a_commit_that_a_submodule_does_not_have(project: Project, repository: Repository, nested: Path) -> None:
    project.git("update-index", "--cacheinfo", f"160000,{'ab' * 20},core/extra")
    project.git("commit", "--quiet", "--message", "names a commit that nobody pushed")
    with pytest.raises(RevisionError, match=r"submodule .*core/extra at commit abababababab: git read-tree: "):
        repository.at_commit("HEAD", repository.resolve("HEAD"))


def test_the_repository_may_itself_be_a_submodule(project: Project, tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    subprocess.run(["git", "init", "--quiet", str(outer)], check=True, env=project.environment)
    subprocess.run(
        ["git", "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(project.root), "inner"],
        cwd=outer, check=True, env=project.environment,
    )  # fmt: skip
    inner = outer / "inner"
    (inner / "core" / "new.py").write_text("x = 1\n")
    repository = Repository.find(inner / "core", "core", cache_dir(inner))
    assert repository.root == inner
    assert (repository.at_working_tree().path / "core" / "new.py").is_file()
    assert repository.at_commit("HEAD", repository.resolve("HEAD")).tree == project.git("rev-parse", "HEAD:core")


def test_a_detached_head(project: Project, repository: Repository) -> None:
    first = project.git("rev-parse", "HEAD")
    project.edit("{} + {}", "{}+{}")
    project.commit()
    project.git("checkout", "--quiet", "--detach", first)
    assert repository.at_working_tree().commit == first
    assert repository.merge_base(repository.resolve("main"), repository.resolve("HEAD")) == first


def test_no_repository(tmp_path: Path) -> None:
    with pytest.raises(RevisionError, match=f"{tmp_path}: no git repository"):
        Repository.find(tmp_path, "core", tmp_path)


def test_no_git(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(RevisionError, match="git is not installed"):
        Repository.find(project.root, "core", project.root)


def test_no_commit_yet(tmp_path: Path, project: Project) -> None:
    fresh = tmp_path / "fresh"
    (fresh / "core").mkdir(parents=True)
    subprocess.run(["git", "init", "--quiet", str(fresh)], check=True, env=project.environment)
    with pytest.raises(RevisionError, match="unknown revision 'HEAD'"):
        Repository.find(fresh, "core", cache_dir(fresh)).at_working_tree()


def test_a_revision_without_the_compiler(project: Project, repository: Repository) -> None:
    shutil.rmtree(project.root / "core")
    with pytest.raises(RevisionError, match="has no folder core/"):
        repository.at_working_tree()
    project.commit("gone")
    with pytest.raises(RevisionError, match="has no folder core/"):
        repository.at_commit("HEAD", repository.resolve("HEAD"))


def test_the_cache_is_hidden_from_git(project: Project, repository: Repository) -> None:
    repository.at_working_tree()
    assert (project.root / ".replay" / "trees").is_dir()
    assert project.git("status", "--short") == ""


def test_a_checkout_is_kept_and_read_only(project: Project, repository: Repository) -> None:
    first = repository.at_working_tree()
    file = first.path / "core" / "rules.py"
    made = file.stat().st_ino
    assert repository.at_working_tree().path == first.path
    assert file.stat().st_ino == made
    assert file.stat().st_mode & 0o222 == 0


def test_old_checkouts_are_pruned_and_recent_ones_kept(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(revisions, "MAX_TREES", 2)
    repository = Repository.find(project.root, "core", cache_dir(project.root))
    trees = project.root / ".replay" / "trees"
    (trees / "making-left-over").mkdir(parents=True)
    made = []
    for number in range(4):
        project.edit("UPCAST = ", f"UPCAST = {number}")
        made.append(repository.at_working_tree().path)
    assert all(path.is_dir() for path in made)  # a run may be using each of them
    long_ago = time.time() - 100_000
    for path in trees.iterdir():
        os.utime(path, (long_ago, long_ago))
    os.utime(made[1])
    project.edit("UPCAST = ", "UPCAST = 9")
    new = repository.at_working_tree().path
    left = set(trees.iterdir())
    assert {new, made[1]} <= left
    assert len(left) <= 3
    assert not (trees / "making-left-over").exists()


def test_describe(project: Project, tmp_path: Path) -> None:
    short = project.git("rev-parse", "--short", "HEAD")
    assert describe(project.root) == short
    project.edit("{} + {}", "{}+{}")
    assert describe(project.root) == f"{short}-dirty"
    assert describe(tmp_path) == ""


def test_labels(project: Project, repository: Repository) -> None:
    commit = repository.resolve("main")
    assert repository.at_commit("main", commit).label == f"revision main ({commit[:12]})"
    assert repository.at_commit(commit[:8], commit).label == f"revision {commit[:12]}"
    assert repository.at_working_tree().label == "the working tree"
