"""Seeded changes of the compiler in the middle of a history: found, explained and reduced by the commands alone."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from core.builder import arange, kernel
from core.ir.text import format_uop
from tests.mutation.mutations import FAULTS, Mutation
from tests.mutation.test_mutations import REPOSITORY, git

COMMITS = 60
PLANTED = 30
MOST_NODES = 8
# the mutation, and what an explanation has to name among the first
WANTED = {
    "rule less_than_constant dropped": "symbolic.less_than_constant",
    "rule canonical_sum dropped": "symbolic.canonical_sum",
    "rule distribute dropped": "symbolic.distribute",
    "sign of a bound flipped": "core.ir.rule_comparison._compare_sum",
    "unroll up to 4": "core.opt.heuristics._unroll_reduce",
    "unroll by 2": "core.opt.heuristics._unroll_reduce",
    "locals of 64": "core.opt.heuristics._local_sizes",
    "vectors of two": "core.lower.memory._widths",
    "c without restrict": "core.render.c.CRenderer",
    "cuda's barrier": "core.render.cuda.CUDARenderer",
    "plus for minus": "core.render",
    "longer expressions": "core.render.body",
}


def run(folder: Path, *arguments: str, code: int | None = 0) -> str:
    environment = {"PYTHONPATH": str(REPOSITORY), "PATH": "/usr/bin:/bin:/usr/local/bin", "HOME": str(folder)}
    command = [sys.executable, "-m", "replay", *arguments]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env=environment)
    assert code is None or ran.returncode == code, ran.stdout[-1500:] + ran.stderr[-1500:]
    return ran.stdout


def history(root: Path, mutations: dict[int, Mutation]) -> list[str]:
    """A repository of 60 commits, which leave every output as it is, but for those that plant a mutation."""
    root.mkdir()
    for name in git(REPOSITORY, "ls-files", "-co", "--exclude-standard", "core", "captures").splitlines():
        source = REPOSITORY / name
        if source.is_file():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes(source.read_bytes())
    git(root, "init", "--quiet", "--initial-branch", "main")
    commits = [commit(root, "start")]
    for number in range(1, COMMITS):
        if number in mutations:
            mutations[number].apply(root)
        elif number == 10:
            (root / "core/notes.py").write_text('"""Notes."""\n')
        elif number == 11:
            git(root, "mv", "core/notes.py", "core/remarks.py")
        elif number in (20, 21):
            replace(root, "core/compiler.py", "\nclass Stage:", "\nclass Stage(:", forth=number == 20)
        elif number in (40, 41):
            replace(root, "core/record.py", "SCHEMA: Final = 1\n", "SCHEMA: Final = 2\n", forth=number == 40)
        elif number == 50:
            git(root, "checkout", "--quiet", "-b", "side")
            filler(root, number)
            commit(root, "on a side branch")
            git(root, "checkout", "--quiet", "main")
            git(root, "merge", "--quiet", "--no-ff", "--message", "merge", "side")
            commits.append(git(root, "rev-parse", "HEAD").strip())
            continue
        else:
            filler(root, number)
        commits.append(commit(root, f"commit {number}"))
    return commits


def replace(root: Path, path: str, before: str, after: str, *, forth: bool) -> None:
    file = root / path
    old, new = (before, after) if forth else (after, before)
    text = file.read_text()
    assert text.count(old) == 1
    file.write_text(text.replace(old, new))


def filler(root: Path, number: int) -> None:
    file = root / "core/context.py"
    file.write_text(file.read_text() + f"\n# remark {number}\n")


def commit(root: Path, subject: str) -> str:
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--allow-empty", "--message", subject)
    return git(root, "rev-parse", "HEAD").strip()


def smallest(root: Path, base: str, *options: str) -> dict[str, Any]:
    report = json.loads(run(root, "diff", "--since", base, *options, "--format", "json", code=1))
    found: dict[str, Any] = report["results"][report["clusters"][0]["smallest"]]
    return found


def check(root: Path, mutation: Mutation, commits: list[str]) -> None:
    one = smallest(root, commits[0])
    way = ["--backend", one["backend"], "--mode", one["mode"]]

    answer = json.loads(run(root, "bisect", one["record"], "--good", commits[0], *way, "--format", "json"))["answers"][
        0
    ]
    assert [one["commit"] for one in answer["commits"]] == [commits[PLANTED]]

    told = json.loads(run(root, "explain", one["record"], "--since", commits[0], *way, "--format", "json"))
    assert any(name.startswith(WANTED[mutation.name]) for name in told["suspects"][:3]), told["suspects"][:5]

    test = root / "test_reduced.py"
    said = run(root, "reduce", one["record"], "--since", commits[0], *way, "--test", str(test))
    assert int(said.split()[0]) <= MOST_NODES, said[:300]
    assert pytest_code(root, test) == 1
    git(root, "checkout", "--quiet", commits[0], "--", "core")
    assert pytest_code(root, test) == 0


def pytest_code(root: Path, test: Path) -> int:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(test)]
    environment = {"PYTHONPATH": str(root), "PATH": "/usr/bin:/bin"}
    return subprocess.run(command, cwd=root, capture_output=True, check=False, env=environment).returncode


def planted(name: str) -> Mutation:
    return next(mutation for mutation in FAULTS if mutation.name == name)


def test_a_planted_change_is_found_explained_and_reduced(tmp_path: Path) -> None:
    mutation = planted("vectors of two")
    root = tmp_path / "history"
    check(root, mutation, history(root, {PLANTED: mutation}))


@pytest.mark.long
@pytest.mark.parametrize("name", WANTED)
def test_each_of_twelve(name: str, tmp_path: Path) -> None:
    mutation = planted(name)
    root = tmp_path / "history"
    check(root, mutation, history(root, {PLANTED: mutation}))


@pytest.mark.long
def test_many_clusters_at_once_cost_little_more_than_one(tmp_path: Path) -> None:
    """Of 20 and more clusters, planted by four changes."""
    names = ("c without restrict", "vectors of two", "unroll up to 4", "cuda's barrier")
    mutations = {12 * number + 6: planted(name) for number, name in enumerate(names)}
    root = tmp_path / "history"
    commits = history(root, mutations)
    cuda = ["--backend", "cuda"]
    one = smallest(root, commits[0], *cuda)

    def seconds(*arguments: str) -> tuple[float, str]:
        for file in (root / ".replay").glob("memo*"):
            file.unlink()
        run(root, "diff", "--since", commits[0], *cuda, code=1)  # what both searches begin with
        started = time.monotonic()
        printed = run(root, "bisect", *arguments, "--good", commits[0], *cuda)
        return time.monotonic() - started, printed

    single, _ = seconds(one["record"], "--mode", one["mode"])
    many, printed = seconds("--all", "--format", "json")
    answers = json.loads(printed)["answers"]
    assert len(answers) >= 20
    planted_at = {commits[number] for number in mutations}
    assert {commit["commit"] for answer in answers for commit in answer["commits"]} <= planted_at
    print(f"{len(answers)} clusters in {many:.1f} s, one in {single:.1f} s: {many / single:.2f} times")


def test_wrong_results_are_found_explained_and_reduced(tmp_path: Path) -> None:
    """`(arange(10) * -10) // 11`, by a rule that is wrong for negative numbers."""
    wrong = Mutation(
        "wrong for negative numbers",
        "core/ir/symbolic.py",
        '    Rule(\n        "divide_twice",\n',
        '    Rule(\n        "divide_negated",\n        "(x * -c) // d is -(x * c // d), rounded up",\n'
        "        UPat(Ops.IDIV, src=(UPat(Ops.MUL, src=(X, C)), D), kind=INT),\n"
        "        lambda x, c, d: (x * -c.arg + (d.arg - 1)) // d * -1 if c.arg < 0 < d.arg else None,\n    ),\n"
        '    Rule(\n        "divide_twice",\n',
    )
    root = tmp_path / "history"
    commits = history(root, {PLANTED: wrong})
    ast = kernel((arange(10) * -10) // 11)
    (tmp_path / "case.txt").write_text(format_uop(ast) + "\n")
    database = str(tmp_path / "case.db")
    run(root, "import", str(tmp_path / "case.txt"), "--db", database)
    record = json.loads(run(root, "ls", "--db", database, "--jsonl"))["record"]
    answer = json.loads(
        run(root, "bisect", record, "--good", commits[0], "--on", "different", "--db", database, "--format", "json")
    )["answers"][0]
    assert [one["commit"] for one in answer["commits"]] == [commits[PLANTED]]
    told = json.loads(run(root, "explain", record, "--since", commits[0], "--db", database, "--format", "json"))
    assert any(name == "symbolic.divide_negated" for name in told["suspects"][:3]), told["suspects"][:5]
    wrong = ["explain", record, "--since", commits[0], "--on", "different", "--db", database, "--format", "json"]
    told = json.loads(run(root, *wrong))
    assert (told["stage"], told["wrong"]["agrees"]) == ("index", "base")
    assert told["suspects"][0] == "symbolic.divide_negated"
    said = run(root, "reduce", record, "--since", commits[0], "--on", "different", "--db", database)
    assert int(said.split()[0]) <= MOST_NODES, said[:300]
