"""`replay init`: the settings and the workflow with which another repository begins."""

from importlib.resources import files
from pathlib import Path

from replay.errors import ReplayError

__all__ = ["SECTION", "WORKFLOW", "write_settings", "write_workflow"]

WORKFLOW = Path(".github/workflows/replay.yml")
SECTION = """
[tool.replay]
# Defaults for the options of every command; docs/gate.md says more.
timeout = 60

[tool.replay.gate]
verify = "some"
"""


def write_settings(root: Path, *, force: bool) -> str:
    """Add [tool.replay] to pyproject.toml; says what was done. Raises ReplayError."""
    file = root / "pyproject.toml"
    try:
        text = file.read_text(encoding="utf-8") if file.is_file() else ""
        if "[tool.replay" in text and not force:
            return f"{file}: has [tool.replay] already, and is left as it is"
        if "[tool.replay" in text:
            raise ReplayError(f"{file}: has [tool.replay] already: change it by hand")
        file.write_text(text.rstrip("\n") + "\n" + SECTION if text else SECTION.lstrip("\n"), encoding="utf-8")
    except OSError as error:
        raise ReplayError(f"{file}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise ReplayError(f"{file}: {error}") from error
    return f"{file}: added [tool.replay]"


def write_workflow(root: Path, *, force: bool) -> str:
    """Write the workflow that runs the gate; says what was done. Raises ReplayError."""
    file = root / WORKFLOW
    if file.exists() and not force:
        return f"{file}: exists, and is left as it is (--force writes it anew)"
    text = (files("replay") / "templates" / "replay.yml").read_text(encoding="utf-8")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ReplayError(f"{file}: {error.strerror or error}") from error
    return f"{file}: written"
