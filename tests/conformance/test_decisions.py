"""The optimiser decides as tinygrad 0.10.1 does on the ASTs handed over, and `decisions.py` says so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.ir.text import format_uop
from tests.conformance import decisions
from tests.core.opt.small_asts import elementwise, matmul

HERE = Path(__file__).parent
EVERY = 25


def tallies_of(asts_file: Path, reference_file: Path, every: int = 1) -> dict[str, decisions.Tally]:
    tallies = {backend: decisions.Tally() for backend in decisions.TARGETS}
    asts, references = list(decisions.lines_of(asts_file)), list(decisions.lines_of(reference_file))
    for text, reference in zip(asts[::every], references[::every], strict=True):
        decisions.compare(text, json.loads(reference), tallies)
    return tallies


def assert_same(tallies: dict[str, decisions.Tally]) -> None:
    for backend, tally in tallies.items():
        different = [line for line, _, _ in tally.differences]
        assert not different, f"{backend} decides differently on lines {different}"


def test_the_decisions_on_our_own_sample() -> None:
    tallies = tallies_of(HERE / "sample-asts.txt.gz", HERE / "sample-reference.jsonl.gz")
    assert_same(tallies)
    assert {backend: tally.compared for backend, tally in tallies.items()} == dict.fromkeys(decisions.TARGETS, 200)
    assert tallies["metal"].tensor_cores > tallies["cuda"].tensor_cores > 0


def test_a_sample_of_the_published_decisions(shared_data: Path) -> None:
    tallies = tallies_of(shared_data / "asts.txt.gz", shared_data / "reference-opts.jsonl.gz", EVERY)
    assert_same(tallies)
    assert all(tally.compared >= 11023 // EVERY - 20 for tally in tallies.values())


@pytest.mark.long
def test_all_published_decisions(shared_data: Path) -> None:
    tallies = tallies_of(shared_data / "asts.txt.gz", shared_data / "reference-opts.jsonl.gz")
    assert_same(tallies)
    assert all(tally.agreement >= decisions.BAR for tally in tallies.values())


# ---- the script itself ----------------------------------------------------------------------------------------------

MATMUL = {"opts": [["UPCAST", 1, 4], ["UPCAST", 0, 4], ["UNROLL", 0, 4]], "name": "r_16_16_16_4_4_4"}
COPY = {"opts": [["UPCAST", 0, 4]], "name": "E_1024_4"}


def run(folder: Path, references: list[dict[str, Any]]) -> int:
    asts, reference = folder / "asts.txt", folder / "reference.jsonl"
    asts.write_text("".join(f"{format_uop(ast)}\n" for ast in (matmul(64, 64, 64), elementwise(64, 64))))
    reference.write_text("".join(f"{json.dumps(line)}\n" for line in references))
    return decisions.main(["--asts", str(asts), "--reference", str(reference), "--backend", "c"])


def test_agreement_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, [{"i": 0, "c": MATMUL}, {"i": 1, "c": COPY}]) == 0
    assert capsys.readouterr().out.splitlines()[-1].split() == ["c", "2", "2", "0", "100.0000%", "0"]


def test_a_difference_is_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, [{"i": 0, "c": MATMUL}, {"i": 1, "c": {"opts": [], "name": "E_4096"}}]) == 1
    listed = capsys.readouterr().out.splitlines()
    assert listed[0] == "c line 1"
    assert listed[1].split() == ["reference", "E_4096", "[]"]
    assert listed[2].split(maxsplit=2) == ["ours", "E_1024_4", "[['UPCAST', 0, 4]]"]


def test_tensor_cores_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with_cores = {"opts": [["TC", 0, [-1, 0]]], "name": "r_1"}
    assert run(tmp_path, [{"i": 0, "c": with_cores}, {"i": 1, "c": COPY}]) == 1
    assert capsys.readouterr().out.splitlines()[-1].split() == ["c", "2", "1", "1", "50.0000%", "1"]


def test_data_that_do_not_belong_together_are_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, [{"i": 0, "c": MATMUL}]) == 2
    assert "error: cannot read" in capsys.readouterr().err
    assert decisions.main(["--asts", str(tmp_path / "absent"), "--backend", "c"]) == 2
