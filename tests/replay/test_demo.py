"""The demo's pieces; `make demo` runs the whole."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import replay
from replay.demo import DEMO_EDIT, Edit, apply_edit, run_demo
from replay.errors import ReplayError

if TYPE_CHECKING:
    from tests.replay.conftest import Project

EDIT = Edit("core/rules.py", '"({} + {})"', '"({}+{})"', "Write sums without spaces")


@pytest.fixture
def installed(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """The project as the checkout that the harness was installed from."""
    monkeypatch.setattr(replay, "__file__", str(project.root / "replay" / "__init__.py"))
    return project


def test_the_demo_shows_the_change(installed: Project, capfd: pytest.CaptureFixture[str]) -> None:
    installed.capture("1 2 ADD", "3 4 MUL")
    before = installed.commit("captures")
    assert run_demo(EDIT) == 0
    out = capfd.readouterr().out
    for part in ("$ git clone", "$ git commit", "$ replay diff --since HEAD~1", '-    "ADD": "({} + {})",',
                 "+  /*UPCAST4*/return (1+2);", "changed: 3 changed"):  # fmt: skip
        assert part in out
    assert installed.git("rev-parse", "HEAD") == before
    assert installed.git("status", "--short") == ""


def test_a_demo_that_shows_nothing_has_failed(installed: Project) -> None:
    installed.capture("3 4 MUL")
    installed.commit("captures")
    assert run_demo(EDIT) == 2


def test_an_edit_whose_anchor_is_gone(installed: Project) -> None:
    for edit in (Edit("core/rules.py", "not there", "x", "s"), Edit("core/gone.py", "x", "y", "s"),
                 Edit("core/rules.py", "({}", "x", "s"), Edit("core/rules.py", "", "x", "s")):  # fmt: skip
        with pytest.raises(ReplayError, match="is not there exactly once"):
            apply_edit(installed.root, edit)


def test_no_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "__file__", str(tmp_path / "site-packages" / "replay" / "__init__.py"))
    with pytest.raises(ReplayError, match="the demo needs a git checkout"):
        run_demo(EDIT)


def test_the_real_edit_fits_the_real_compiler(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    copy = tmp_path / DEMO_EDIT.path
    copy.parent.mkdir(parents=True)
    copy.write_text((root / DEMO_EDIT.path).read_text())
    apply_edit(tmp_path, DEMO_EDIT)
    assert DEMO_EDIT.after in copy.read_text()
    assert DEMO_EDIT.subject


@pytest.mark.parametrize("command", ["demo"])
def test_the_command_exists(cli: Callable[..., object], command: str) -> None:
    assert cli(command, "--help")
