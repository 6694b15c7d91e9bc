"""`replay bisect` and `replay test` on repositories with a tiny compiler; git's own bisect is the oracle."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from tests.replay.conftest import environment_of

if TYPE_CHECKING:
    from tests.replay.conftest import Project, Ran

Cli = Callable[..., "Ran"]
COMMITS = 9


def history(project: Project, edits: dict[int, Callable[[], None]]) -> list[str]:
    """Commits of which some do an edit; the rest add a remark."""
    project.capture("1 2 ADD", "3 4 MUL", "5 NEG")
    shas = [project.commit("captures")]
    for number in range(1, COMMITS):
        if number in edits:
            edits[number]()
        else:
            rules = project.root / "core" / "rules.py"
            rules.write_text(f"{rules.read_text()}\n# remark {number}\n")
        shas.append(project.commit(f"commit {number}"))
    return shas


def records(cli: Cli) -> dict[str, str]:
    """The records by where they come from."""
    listed = map(json.loads, cli("ls", "--jsonl").out.splitlines())
    return {one["provenance"][0]: one["record"] for one in listed}


def found(ran: Ran) -> list[list[str]]:
    """The commits of each answer."""
    assert ran.code == 0, ran.err
    answers: list[dict[str, Any]] = json.loads(ran.out)["answers"]
    return [[commit["commit"] for commit in answer["commits"]] for answer in answers]


@pytest.mark.parametrize("place", [1, 4, COMMITS - 1])
def test_the_commit_that_changed_a_kernel(project: Project, cli: Cli, place: int) -> None:
    shas = history(project, {place: lambda: project.edit("{} + {}", "{} plus {}")})
    add = records(cli)["asts.txt:1"]
    assert found(cli("bisect", add, "--good", shas[0], "--format", "json")) == [[shas[place]]]
    table = cli("bisect", add[:8], "--good", shas[0]).out.splitlines()
    assert table[0].split() == ["what", "commit", "date", "subject"]
    assert table[1].split()[:2] == [add[:12], shas[place][:12]]
    assert table[1].rstrip().endswith(f"commit {place}")


def test_commits_that_do_not_import_or_cannot_read_are_never_bad(project: Project, cli: Cli) -> None:
    shas = history(
        project,
        {
            3: lambda: project.edit("UPCAST = 4", "UPCAST = ("),
            4: lambda: project.edit("{} + {}", "{} plus {}"),
            5: lambda: project.edit("UPCAST = (", "UPCAST = 4"),
            6: lambda: project.edit("SCHEMA = 1", "SCHEMA = 0", "core/process_replay.py"),
            7: lambda: project.edit("SCHEMA = 0", "SCHEMA = 1", "core/process_replay.py"),
        },
    )
    add = records(cli)["asts.txt:1"]
    assert found(cli("bisect", add, "--good", shas[0], "--format", "json")) == [shas[3:6]]
    said = cli("bisect", add, "--good", shas[0]).out
    assert "one of 3 commits; those between could not be tested" in said


def test_broken_and_mended(project: Project, cli: Cli) -> None:
    whole, failing = "    texts: list[str] = []\n", '    raise ValueError("no")\n'
    seam = "core/process_replay.py"
    shas = history(
        project, {3: lambda: project.edit(whole, failing, seam), 6: lambda: project.edit(failing, whole, seam)}
    )
    add = records(cli)["asts.txt:1"]
    broken = cli("bisect", add, "--good", shas[0], "--bad", shas[5], "--on", "error", "--format", "json")
    assert found(broken) == [[shas[3]]]
    mended = cli("bisect", add, "--good", shas[4], "--on", "fixed", "--format", "json")
    assert found(mended) == [[shas[6]]]


def test_all_clusters_at_once_and_again_from_the_memo(project: Project, cli: Cli, monkeypatch: Any) -> None:
    shas = history(
        project,
        {
            2: lambda: project.edit("{} + {}", "{} plus {}"),
            6: lambda: project.edit("{} * {}", "{} times {}"),
        },
    )
    every = ["bisect", "--all", "--good", shas[0], "--format", "json"]
    assert sorted(found(cli(*every))) == sorted([[shas[2]], [shas[6]]])

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("everything is known")

    monkeypatch.setattr("replay.executor.WorkerProcess", refuse)
    assert sorted(found(cli(*every))) == sorted([[shas[2]], [shas[6]]])
    clusters = json.loads(cli("diff", "--since", shas[0], "--until", "HEAD", "--format", "json").out)["clusters"]
    one = cli("bisect", clusters[0]["id"], "--good", shas[0], "--format", "json")
    assert found(one)[0] in ([shas[2]], [shas[6]])


def test_what_became_worse(project: Project, cli: Cli) -> None:
    more = '"estimates": {"flops": len(record["ast"]) * 2}'
    shas = history(
        project,
        {4: lambda: project.edit('"estimates": {"flops": len(record["ast"])}', more, "core/process_replay.py")},
    )
    add = records(cli)["asts.txt:1"]
    assert found(cli("bisect", add, "--good", shas[0], "--on", "hurt:flops", "--format", "json")) == [[shas[4]]]
    unchanged = cli("bisect", add, "--good", shas[0], "--on", "hurt:source_bytes")
    assert unchanged.code == 2
    assert "do not differ in what is looked for (hurt:source_bytes)" in unchanged.err


def test_a_kernel_that_is_not_stable(project: Project, cli: Cli) -> None:
    project.capture("HASHED", path="captures/b.db")
    shas = history(project, {4: lambda: project.edit("UPCAST = 4", "UPCAST = 8")})
    hashed = next(
        one["record"] for one in map(json.loads, cli("ls", "--jsonl").out.splitlines()) if one["name"] == "E_1"
    )
    ran = cli("bisect", hashed, "--good", shas[0], "--mode", "free")
    assert (ran.code, ran.out) == (2, "")
    assert "compiles it in two ways: what is not stable has no cause" in ran.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["ffff", "--good", "HEAD~2"], "no record and no cluster of that diff begins with 'ffff'"),
        (["{add}", "--good", "HEAD~2"], "do not differ in what is looked for (changed)"),
        (["{add}", "--good", "HEAD", "--bad", "HEAD~2"], "exchange the two"),
        (["{add}", "--good", "HEAD"], "are the same commit"),
        (["{add}", "--good", "nowhere"], "unknown revision 'nowhere'"),
        (["{add}", "--good", "HEAD~2", "--on", "hurt:speed"], "--on hurt:speed: choose from"),
        (["--good", "HEAD~2"], "name a record or a cluster, or give --all"),
        (["--all", "--good", "HEAD~2"], "the two do not differ"),
    ],
)
def test_what_cannot_be_searched_for(project: Project, cli: Cli, arguments: list[str], said: str) -> None:
    history(project, {})
    add = records(cli)["asts.txt:1"]
    ran = cli("bisect", *[argument.format(add=add) for argument in arguments])
    assert ran.code == 2
    assert said in ran.err


# ---- replay test ----------------------------------------------------------------------------------------------------


def test_one_record_against_a_digest(project: Project, cli: Cli) -> None:
    history(project, {})
    add = records(cli)["asts.txt:1"]
    digest = cli("test", add).out.strip()
    assert cli("test", add, "--expect", digest[:10]).code == 0
    project.edit("{} + {}", "{} plus {}")
    changed = cli("test", add, "--expect", digest)
    assert (changed.code, changed.out.strip() != digest) == (1, True)
    project.edit("UPCAST = 4", "UPCAST = (")
    unknown = cli("test", add, "--expect", digest)
    assert unknown.code == 125
    assert "the working tree does not import: SyntaxError" in unknown.err
    assert cli("test", add, "--expect", "12").code == 2  # too short to mean anything
    assert cli("test", "ffff").code == 2


def test_git_bisect_finds_the_same_commit(project: Project, cli: Cli) -> None:
    shas = history(
        project,
        {
            2: lambda: project.edit("UPCAST = 4", "UPCAST = ("),
            3: lambda: project.edit("UPCAST = (", "UPCAST = 4"),
            6: lambda: project.edit("{} + {}", "{} plus {}"),
        },
    )
    add = records(cli)["asts.txt:1"]
    project.git("checkout", "--quiet", shas[0])
    digest = cli("test", add).out.strip()
    project.git("bisect", "start", shas[-1], shas[0])
    test = [sys.executable, "-m", "replay", "test", add, "--expect", digest]
    done = subprocess.run(
        ["git", "bisect", "run", *test],
        cwd=project.root,
        env=environment_of(),
        capture_output=True,
        text=True,
        check=True,
    )  # fmt: skip
    assert f"{shas[6]} is the first bad commit" in done.stdout
    project.git("bisect", "reset")
    assert found(cli("bisect", add, "--good", shas[0], "--bad", shas[-1], "--format", "json")) == [[shas[6]]]
