"""`[tool.replay]` in pyproject.toml: defaults for the options of every command.

```toml
[tool.replay]
backend = ["c", "cuda"]
timeout = 30

[tool.replay.gate]
since = "origin/main"
verify = "some"
```

A key is an option's name without its dashes. Those of the table itself are for every command that has the option; those
of a table below it for the command of that name.
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from replay.errors import ReplayError

__all__ = ["defaults"]

FILE = "pyproject.toml"


def defaults(root: Path, group: click.Group) -> dict[str, dict[str, Any]]:
    """What click takes as `default_map`: by command, by parameter. Raises ReplayError for a key that no command has."""
    file = root / FILE
    table = _table(file)
    shared = {key: value for key, value in table.items() if not isinstance(value, dict)}
    own = {key: value for key, value in table.items() if isinstance(value, dict)}
    for name in own:
        if name not in group.commands:
            raise ReplayError(
                f"{file}: [tool.replay.{name}] is for no command; {', '.join(sorted(group.commands))} are"
            )
    found: dict[str, dict[str, Any]] = {}
    used: set[str] = set()
    for name, command in group.commands.items():
        options, lists = _options(command), _options(command, several=True)
        # a list is for the options that may be repeated
        fitting = {
            key: value for key, value in shared.items() if key in (lists if isinstance(value, list) else options)
        }
        used |= set(fitting)
        values = {options[key]: value for key, value in fitting.items()}
        for key, value in own.get(name, {}).items():
            if key not in options:
                raise ReplayError(f"{file}: `replay {name}` has no option --{key} ([tool.replay.{name}])")
            values[options[key]] = value
        if values:
            found[name] = {parameter: _value(file, name, parameter, value) for parameter, value in values.items()}
    for key in shared:
        if key not in used:
            raise ReplayError(f"{file}: no command has an option --{key} ([tool.replay])")
    return found


def _table(file: Path) -> Mapping[str, Any]:
    try:
        document = tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    except OSError as error:
        raise ReplayError(f"{file}: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ReplayError(f"{file}: not TOML: {error}") from None
    tool = document.get("tool", {})
    table = tool.get("replay", {}) if isinstance(tool, dict) else {}
    if not isinstance(table, dict):
        raise ReplayError(f"{file}: [tool.replay] must be a table")
    return table


def _options(command: click.Command, *, several: bool = False) -> dict[str, str]:
    """The parameters' names by the names of their options, all or those that may be repeated."""
    return {
        text.lstrip("-"): str(parameter.name)
        for parameter in command.params
        if isinstance(parameter, click.Option) and (parameter.multiple or not several)
        for text in parameter.opts
        if text.startswith("--")
    }


def _value(file: Path, command: str, parameter: str, value: Any) -> Any:
    if isinstance(value, (str, int, float, bool)):
        return value
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return value
    raise ReplayError(
        f"{file}: {parameter} of `replay {command}` must be text, a number, true, false or a list of texts"
    )
