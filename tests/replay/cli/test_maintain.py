import json

import pytest

from replay.cli import main
from replay.store import Store
from tests.replay.conftest import Project

KERNELS = ("1 2 ADD", "3 4 MUL", "5 NEG")


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    captured = capsys.readouterr()
    return int(ended.value.code or 0), captured.out, captured.err


def count(path: object) -> int:
    with Store.open_readonly(path) as store:  # type: ignore[arg-type]
        return len(list(store.entries()))


def test_merge_makes_one_of_equal_records(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    one, two = project.capture(*KERNELS[:2], path="captures/a.db"), project.capture(*KERNELS[1:], path="captures/b.db")
    code, out, err = run(capsys, "merge", str(one), str(two), "--db", "all.db")
    assert (code, err) == (0, "")
    assert "2 captures, 1 records of them new" in out
    assert count(project.root / "all.db") == 3


def test_merge_into_itself_and_of_nothing(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    one = str(project.capture(*KERNELS))
    code, _, err = run(capsys, "merge", one, "--db", one)
    assert (code, "the same file" in err) == (2, True)
    code, _, err = run(capsys, "merge", "nothing.db", "--db", "all.db")
    assert code == 2
    assert "nothing.db" in err


def test_prune_removes_what_the_filter_names(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    path = project.capture(*KERNELS)
    code, out, _ = run(capsys, "prune", "--db", str(path), "--filter", "op:ADD")
    assert (code, "1 records removed" in out) == (0, True)
    assert count(path) == 2
    code, _, err = run(capsys, "prune", "--db", str(path), "--filter", "op:ADD")
    assert (code, "no record matches" in err) == (2, True)
    code, _, err = run(capsys, "prune", "--db", str(path), "--damaged")
    assert (code, "no record is damaged" in err) == (2, True)
    assert run(capsys, "prune", "--db", str(path))[0] == 2
    assert count(path) == 2


def test_export_gives_whole_records(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    project.capture(*KERNELS)
    code, out, _ = run(capsys, "export", "--output", "out.jsonl")
    assert (code, out) == (0, "")
    lines = [json.loads(line) for line in (project.root / "out.jsonl").read_text().splitlines()]
    assert len(lines) == 3
    assert {"record", "provenance", "ast", "opts", "applied_opts", "name", "context"} <= set(lines[0])
    code, _, err = run(capsys, "export", "--output", str(project.root))
    assert (code, "Traceback" in err) == (2, False)
