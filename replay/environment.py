"""The environment in which a revision's compiler runs.

That is the present one where it has all that the revision's pyproject.toml depends on, and else one of the revision's
own: a virtual environment in the cache, made by pip, once for each set of dependencies.
"""

import hashlib
import json
import platform
import subprocess
import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from replay.errors import RevisionError
from replay.folders import KeptFolders

__all__ = ["PRESENT", "PROJECT_FILE", "Environment", "Environments"]

PROJECT_FILE = "pyproject.toml"
MAX_ENVIRONMENTS = 8
PIP_SECONDS = 900.0
_HARNESS = Path(__file__).resolve().parent.parent
# What a worker needs for itself. In an environment of a revision's own it is borrowed from the present one.
_WORKER_NEEDS = ("msgspec", "zstandard")


@dataclass(frozen=True, slots=True)
class Environment:
    """A Python with packages. `key` tells environments apart; it is empty for this one, which lacks `lacking`."""

    python: str = sys.executable
    key: str = ""
    lacking: tuple[str, ...] = ()

    @property
    def harness(self) -> list[Path]:
        """The folders from which a worker imports the harness."""
        return [_HARNESS] if not self.key else list(dict.fromkeys([_HARNESS, *map(_home, _WORKER_NEEDS)]))


PRESENT = Environment()


class Environments:
    """The environments in the cache folder; `say` tells the user that one is being made. `present_only`: none is."""

    def __init__(
        self, cache: Path, say: Callable[[str], None] = lambda sentence: None, *, present_only: bool = False
    ) -> None:
        self._folders = KeptFolders(cache / "environments", MAX_ENVIRONMENTS)
        self._say = say
        self._present_only = present_only
        self._known: dict[str, Environment] = {}

    def of(self, project_file: str, label: str) -> Environment:
        """The one for a revision with this pyproject.toml, empty if it has none; `label` is what messages call it.

        Raises RevisionError where its dependencies cannot be read or installed.
        """
        if self._present_only or not project_file:
            return PRESENT
        if project_file not in self._known:
            self._known[project_file] = self._find(_requirements(project_file, label), label)
        return self._known[project_file]

    def _find(self, requirements: list[Requirement], label: str) -> Environment:
        lacking = tuple([str(requirement) for requirement in requirements if not _is_met(requirement)])
        if not lacking:
            return PRESENT
        names = sorted(map(str, requirements))
        python = (platform.python_implementation(), platform.python_version(), sys.base_prefix)
        key = hashlib.blake2b(json.dumps([names, python]).encode(), digest_size=8).hexdigest()

        def fill(making: Path) -> None:
            self._say(f"{label} depends on {', '.join(lacking)}, which is not installed here: making an environment")
            _install(making, names, label)

        home = self._folders.get(key, fill)
        return Environment(str(home / "bin" / "python"), key, lacking)


def _install(home: Path, requirements: list[str], label: str) -> None:
    """A virtual environment with these packages, by the pip of this one if it has one."""
    own_pip = find_spec("pip") is None
    _run([sys.executable, "-m", "venv", *([] if own_pip else ["--without-pip"]), str(home)], label)
    python = str(home / "bin" / "python")
    pip = [python, "-m", "pip"] if own_pip else [sys.executable, "-m", "pip", "--python", python]
    _run([*pip, "install", "--quiet", "--disable-pip-version-check", "--no-input", "--", *requirements], label)


def _requirements(project_file: str, label: str) -> list[Requirement]:
    """What the project depends on here: markers are looked at, and its own extras are left out."""
    try:
        project = tomllib.loads(project_file).get("project", {})
    except tomllib.TOMLDecodeError as error:
        raise RevisionError(
            f"{label}: {PROJECT_FILE} is not TOML: {error} (--environment present ignores it)"
        ) from None
    texts = project.get("dependencies", []) if isinstance(project, dict) else []
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise RevisionError(f"{label}: project.dependencies in {PROJECT_FILE} must be a list of texts")
    try:
        found = [Requirement(text) for text in texts]
    except InvalidRequirement as error:
        raise RevisionError(
            f"{label}: project.dependencies in {PROJECT_FILE}: {' '.join(str(error).split())}"
        ) from None
    own = canonicalize_name(str(project.get("name", "")))
    return [
        requirement
        for requirement in found
        if canonicalize_name(requirement.name) != own and (requirement.marker is None or requirement.marker.evaluate())
    ]


def _is_met(requirement: Requirement) -> bool:
    """Whether the present environment has it. What is named by an address cannot be told from its version."""
    try:
        present = version(requirement.name)
    except PackageNotFoundError:
        return False
    return requirement.url is None and requirement.specifier.contains(present, prereleases=True)


def _home(module: str) -> Path:
    """The folder that the present environment imports a package from."""
    found = find_spec(module)
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).resolve().parent.parent


def _run(command: list[str], label: str) -> None:
    try:
        done = subprocess.run(
            command, capture_output=True, stdin=subprocess.DEVNULL, timeout=PIP_SECONDS, check=False, text=True
        )
    except subprocess.TimeoutExpired:
        raise RevisionError(f"{label}: making its environment took more than {PIP_SECONDS:g} s") from None
    if done.returncode:
        lines = [line.strip() for line in (done.stderr or done.stdout).splitlines() if line.strip()]
        errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR: ")] or lines[-1:]
        reason = errors[-1] if errors else f"exit status {done.returncode}"
        raise RevisionError(
            f"{label}: its dependencies cannot be installed: {reason}"
            " (--environment present runs it in this environment)"
        )
