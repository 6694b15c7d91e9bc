"""Environments of revisions: made for what is not installed here, from packages that lie beside the test."""

from __future__ import annotations

import os
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from replay import environment as environments
from replay.environment import PRESENT, Environments
from replay.errors import RevisionError

if TYPE_CHECKING:
    from tests.replay.conftest import Project, Ran


def project_file(*requirements: str) -> str:
    return f'[project]\nname = "a"\nversion = "1"\ndependencies = {list(requirements)!r}\n'


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with versions 1 and 2 of the package `greeting`; pip sees nothing else."""
    folder = tmp_path / "packages"
    folder.mkdir()
    for number in (1, 2):
        name, info = f"greeting-{number}-py3-none-any.whl", f"greeting-{number}.dist-info"
        files = {
            "greeting.py": f"VERSION = {number}\n",
            f"{info}/METADATA": f"Metadata-Version: 2.1\nName: greeting\nVersion: {number}\n",
            f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        }
        record = "".join([f"{file},,\n" for file in [*files, f"{info}/RECORD"]])
        with zipfile.ZipFile(folder / name, "w") as wheel:
            for file, text in (files | {f"{info}/RECORD": record}).items():
                wheel.writestr(file, text)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    return folder


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[tool.other]\nx = 1\n",
        project_file(),
        project_file(f"msgspec>={msgspec.__version__}", "Click"),
        project_file("nothing-of-this-name; python_version < '3'"),
        project_file("a[test]"),
    ],
    ids=["none", "no project", "nothing", "what is here", "elsewhere", "itself"],
)
def test_what_is_installed_here_needs_no_other_environment(tmp_path: Path, text: str) -> None:
    assert Environments(tmp_path).of(text, "it") is PRESENT
    assert not any(tmp_path.iterdir())


def test_each_revision_runs_with_what_it_depends_on(project: Project, cli: Callable[..., Ran], packages: Path) -> None:
    project.edit('"ADD": "({} + {})"', '"ADD": f"({{}} + {{}}) /* {greeting.VERSION} */"')
    rules = project.root / "core" / "rules.py"
    rules.write_text(f"import greeting\n{rules.read_text()}")
    (project.root / "pyproject.toml").write_text(project_file("greeting==1"))
    project.commit("depends on the first")
    (project.root / "pyproject.toml").write_text(project_file("greeting>1"))
    project.capture("1 2 ADD")
    project.commit("depends on the second, and leaves the compiler alone")

    ran = cli("diff", "--since", "HEAD~1", "--backend", "c", "--mode", "pinned")
    assert ran.code == 1, ran.err
    assert [line[0] for line in ran.out.split("\n") if "(1 + 2) /* 1 */" in line] == ["-"]
    assert [line[0] for line in ran.out.split("\n") if "(1 + 2) /* 2 */" in line] == ["+"]
    assert "revision HEAD~1" in ran.err
    assert "depends on greeting==1, which is not installed here: making an environment" in ran.err
    assert "ran in an environment of its own: it depends on greeting>1" in ran.out

    again = cli("diff", "--since", "HEAD~1", "--backend", "c", "--mode", "pinned", "--format", "json")
    assert (again.code, again.err) == (1, "")  # both are kept
    assert '"compiled": 0' in again.out


def test_all_may_run_in_the_present_one(project: Project, cli: Callable[..., Ran]) -> None:
    (project.root / "pyproject.toml").write_text(project_file("nothing-of-this-name"))
    project.capture("1 2 ADD")
    project.commit("depends on what nobody has")
    project.edit("{} + {}", "{} plus {}")
    refused = cli("diff", "--since", "HEAD")
    assert refused.code == 2
    assert cli("diff", "--since", "HEAD", "--environment", "present").code == 1


def test_dependencies_that_cannot_be_installed(project: Project, cli: Callable[..., Ran], packages: Path) -> None:
    project.capture("1 2 ADD")
    (project.root / "pyproject.toml").write_text(project_file("greeting==3"))
    ran = cli("diff", "--since", "HEAD")
    assert ran.code == 2
    assert "the working tree: its dependencies cannot be installed: No matching distribution" in ran.err
    assert "--environment present runs it in this environment" in ran.err
    assert len(list((project.root / ".replay" / "environments").iterdir())) == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[project\n", "pyproject.toml is not TOML"),
        ('[project]\ndependencies = "numpy"\n', "project.dependencies in pyproject.toml must be a list of texts"),
        (project_file("numpy >> 2"), "project.dependencies in pyproject.toml: "),
        (project_file("--index-url=http://example.com"), "project.dependencies in pyproject.toml: "),
    ],
    ids=["toml", "type", "requirement", "option of pip"],
)
def test_dependencies_that_make_no_sense(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(RevisionError, match=f"the head: {said}"):
        Environments(tmp_path).of(text, "the head")


def test_what_is_named_by_an_address_gets_an_environment(tmp_path: Path, packages: Path) -> None:
    wheel = packages / "greeting-1-py3-none-any.whl"
    found = Environments(tmp_path).of(project_file(f"greeting @ file://{wheel}"), "it")
    assert found.key
    assert found.lacking == (f"greeting @ file://{wheel}",)


def test_an_environment_is_shared_by_what_depends_on_the_same(
    tmp_path: Path, packages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    one = Environments(tmp_path, said.append).of(project_file("greeting>=1", "greeting<2"), "the base")
    assert said == ["the base depends on greeting>=1, greeting<2, which is not installed here: making an environment"]
    assert one.python.startswith(str(tmp_path))
    monkeypatch.setattr(environments, "_run", None)  # nothing more is made
    assert Environments(tmp_path, said.append).of(project_file("greeting<2", "greeting>=1"), "x").key == one.key
    assert len(said) == 1


def test_old_environments_are_pruned(tmp_path: Path, packages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environments, "MAX_ENVIRONMENTS", 2)
    folder = tmp_path / "environments"
    long_ago = time.time() - 2 * 3600
    for number, name in enumerate(("old", "older", "oldest", "making-x")):
        (folder / name).mkdir(parents=True)
        os.utime(folder / name, (long_ago - number, long_ago - number))
    made = Environments(tmp_path).of(project_file("greeting==1"), "it")
    assert sorted(path.name for path in folder.iterdir()) == sorted([made.key, "old", "older"])
    assert Path(made.python).resolve() == Path(sys.executable).resolve()
