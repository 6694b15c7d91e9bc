"""The gate before seeded changes of the compiler, each in a temporary clone, against plain calls of both compilers.

A few run each time; `make test-long` runs them all.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from replay.store import Store
from tests.mutation.mutations import FAULTS, REFACTORS, Mutation

REPOSITORY = Path(__file__).resolve().parents[2]
SAMPLE = ("rule less_than_constant dropped", "names in hash order", "leaves")
TIMEOUT = 5  # seconds a record

Outputs = dict[str, str]


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=tests", "-c", "user.email=tests@localhost", "-c", "commit.gpgsign=false")
    ran = subprocess.run(["git", *identity, *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return ran.stdout


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compiler and its captures as they are on disk, committed; and the records as plain JSON."""
    root = tmp_path_factory.mktemp("mutation") / "clone"
    root.mkdir()
    files = git(REPOSITORY, "ls-files", "-co", "--exclude-standard", "core", "captures").splitlines()
    for name in files:
        source = REPOSITORY / name
        if source.is_file():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes(source.read_bytes())
    git(root, "init", "--quiet", "--initial-branch", "main")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "base")
    records = {}
    with Store.open_readonly(root / "captures/core.db") as store:
        for entry in store.entries():
            assert not isinstance(entry, Exception)
            records[entry.digest] = msgspec.msgpack.decode(entry.unpack())
    (root.parent / "records.json").write_text(json.dumps(records))
    return root


def outputs(root: Path) -> Outputs:
    """What plain calls give; the pair at which the process ended or hung is missing, and all after it."""
    command = [
        sys.executable,
        str(REPOSITORY / "tests/mutation/outputs.py"),
        str(root),
        str(root.parent / "records.json"),
    ]
    try:
        ran = subprocess.run(
            command, capture_output=True, text=True, timeout=300, check=False, env={"PYTHONHASHSEED": "0"}
        )
        printed = ran.stdout
    except subprocess.TimeoutExpired as late:
        printed = (late.stdout or b"").decode()
    return dict(json.loads(line) for line in printed.splitlines())


@pytest.fixture(scope="module")
def base(clone: Path) -> Outputs:
    return outputs(clone)


def gate(root: Path) -> tuple[int, dict[str, Any]]:
    reports = root.parent / "reports"
    command = [
        sys.executable,
        "-m",
        "replay",
        "gate",
        "--since",
        "HEAD",
        "--timeout",
        str(TIMEOUT),
        "--reports",
        str(reports),
    ]
    environment = {"PYTHONPATH": str(REPOSITORY), "PATH": "/usr/bin:/bin:/usr/local/bin"}
    ran = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False, env=environment)
    assert "Traceback" not in ran.stderr, ran.stderr[-2000:]
    return ran.returncode, json.loads((reports / "replay.json").read_text())


def check(mutation: Mutation, clone: Path, base: Outputs) -> None:
    git(clone, "checkout", "--quiet", "--", ".")
    try:
        mutation.apply(clone)
        code, report = gate(clone)
        changed = {key for key, said in outputs(clone).items() if base[key] != said}
        judge(mutation, code, report, changed)
    finally:
        git(clone, "checkout", "--quiet", "--", ".")


def judge(mutation: Mutation, code: int, report: dict[str, Any], changed: set[str]) -> None:
    totals = report["totals"]
    if mutation in REFACTORS:
        assert not changed
        assert (code, report["verdict"]) == (0, "same")
        assert {result["outcome"] for result in report["results"]} <= {"same-error"}
        return
    assert code == (1 if counted(totals) else 2)
    if mutation.expect is not None:
        assert totals[mutation.expect] > 0
    if mutation.expect in (None, "error"):
        assert changed, "no output of the corpus is altered: the mutation shows nothing"
        found = [result for result in report["results"] if result["outcome"] != "same-error"]
        assert {f"{one['record']} {one['backend']} {one['mode']}" for one in found} == changed


def counted(totals: dict[str, int]) -> int:
    return totals["changed"] + totals["error"] + totals["fixed"]


def test_there_are_enough_of_them() -> None:
    assert len(FAULTS) >= 40
    assert len(REFACTORS) == 10
    assert len({mutation.name for mutation in FAULTS + REFACTORS}) == len(FAULTS) + len(REFACTORS)


SAMPLED = [one for one in FAULTS if one.name in SAMPLE] + REFACTORS[:1]


@pytest.mark.parametrize("mutation", SAMPLED, ids=lambda one: one.name)
def test_a_sample(mutation: Mutation, clone: Path, base: Outputs) -> None:
    check(mutation, clone, base)


@pytest.mark.long
@pytest.mark.parametrize("mutation", FAULTS + REFACTORS, ids=lambda one: one.name)
def test_every_mutation(mutation: Mutation, clone: Path, base: Outputs) -> None:
    check(mutation, clone, base)
