from pathlib import Path

import click
import pytest

from replay.cli import cli
from replay.errors import ReplayError
from replay.settings import defaults


def read(folder: Path, text: str) -> dict[str, dict[str, object]]:
    (folder / "pyproject.toml").write_text(text)
    assert isinstance(cli, click.Group)
    return defaults(folder, cli)


def test_what_the_tables_say(tmp_path: Path) -> None:
    found = read(
        tmp_path, '[tool.replay]\nbackend = ["c", "llvm"]\ntimeout = 30\n[tool.replay.gate]\nverify = "some"\n'
    )
    assert found["diff"] == {"backends": ["c", "llvm"], "timeout": 30}
    assert found["gate"] == {"backends": ["c", "llvm"], "timeout": 30, "verify": "some"}
    assert "doctor" not in found


def test_no_file_and_no_table(tmp_path: Path) -> None:
    assert defaults(tmp_path, cli) == {}
    assert read(tmp_path, "[project]\nname = 'x'\n") == {}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[tool.replay]\ncolour = 1", r"no command has an option --colour"),
        ("[tool.replay.gate]\ncolour = 1", r"`replay gate` has no option --colour"),
        ("[tool.replay.guess]\nsince = 'x'", r"\[tool.replay.guess\] is for no command"),
        ("[tool.replay]\ntimeout = {a = 1}", r"\[tool.replay.timeout\] is for no command"),
        ("[tool.replay]\nbackend = [1]", r"backends of `replay \w+` must be text, a number"),
        ("[tool\n", "not TOML"),
        ("[tool]\nreplay = 3", r"\[tool.replay\] must be a table"),
    ],
)
def test_what_is_wrong_is_named_with_the_file(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(ReplayError, match=complaint) as caught:
        read(tmp_path, text)
    assert str(tmp_path / "pyproject.toml") in str(caught.value)
