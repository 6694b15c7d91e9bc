"""The published schema and what is printed name the same fields."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import jsonschema

from replay.outcome import Outcome
from replay.report import json as json_report
from tests.replay.report.test_formats import SCHEMA, every_outcome
from tests.replay.report.test_junit import check

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.replay.conftest import Project, Ran


def test_the_schema_knows_no_field_that_is_never_printed() -> None:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    report = json.loads(json_report.render(every_outcome()))
    assert set(report) == set(schema["properties"])
    for name in ("result", "cluster", "figure"):
        printed = {key for thing in report["figures" if name == "figure" else f"{name}s"] for key in thing}
        assert printed == set(schema["$defs"][name]["properties"]), name


def test_a_real_diff_with_every_outcome_is_as_the_schemas_say(project: Project, cli: Callable[..., Ran]) -> None:
    file = project.capture("1 NEG", "1 2 ADD", "3 4 MUL", "1 2 MAX", "RAISE", "EXIT", "HANG", "MYSTERY", "5 6 ADD")
    with contextlib.closing(sqlite3.connect(file)) as connection:
        connection.execute("update records set blob = x'' where rowid = 9")
        connection.commit()
    module, first = "core/process_replay.py", '        if op == "CONST":'
    raised = "        if op == 'MUL':\n            raise ValueError('no MUL')\n"
    project.edit(first, raised.replace("MUL", "MAX") + first, module)
    project.commit()
    project.edit(raised.replace("MUL", "MAX"), f"{raised}        if op == 'NEG':\n            op = 'RANDOM'\n", module)
    project.edit("{} + {}", "{}+{}")

    def run(kind: str) -> str:
        options = ("--timeout", "0.5", "--backend", "c", "--mode", "pinned", "--format", kind)
        return cli("diff", "--since", "HEAD", *options).out

    report: dict[str, Any] = json.loads(run("json"))
    assert {name for name, count in report["totals"].items() if count} == set(Outcome) - {Outcome.SAME}
    jsonschema.validate(report, json.loads(SCHEMA.read_text(encoding="utf-8")))
    root = ElementTree.fromstring(run("junit").encode())
    check(root)
    assert int(root.get("tests", "")) >= len(report["results"])
