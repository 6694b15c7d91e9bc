"""The committed corpus: what is in the file, that it can be made again, and that its kernels compute right results."""

from __future__ import annotations

import functools
import importlib.util
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from numpy.typing import NDArray

from core.builder import kernel
from core.compiler import compile_ast
from core.ir.rows import from_rows
from core.ir.uop import UOp
from core.render import get_renderer
from core.runtime import available, get_runtime
from core.runtime.buffers import aligned_zeros, buffer_sizes, random_inputs, random_variables
from core.runtime.compare import compare
from core.runtime.tolerance import spread
from replay.record import Inputs, read_inputs
from replay.store import Entry, Store

REPOSITORY = Path(__file__).resolve().parents[2]
FOLDER = REPOSITORY / "captures"
CORPUS = FOLDER / "core.db"
MAX_BYTES = 300_000


def load(name: str) -> ModuleType:
    """A module of `captures/`, which is no installed package."""
    spec = importlib.util.spec_from_file_location(f"captures_{name}", FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


WORKLOADS = load("workloads").WORKLOADS


def entries(path: Path) -> dict[str, Entry]:
    with Store.open_readonly(path) as store:
        found = list(store.entries())
    assert all(isinstance(entry, Entry) for entry in found)
    return {entry.digest: entry for entry in found if isinstance(entry, Entry)}


def make(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(FOLDER / "make_corpus.py"), *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


# ---- the file -----------------------------------------------------------------------------------------------------


def test_every_workload_is_one_record() -> None:
    seen: dict[str, str] = {}
    with Store.open_readonly(CORPUS) as store:
        for digest in entries(CORPUS):
            observations = store.observations(digest)
            assert [seen_once.count for seen_once in observations] == [1], f"{digest} was captured more than once"
            assert observations[0].source == "captures/make_corpus.py"
            assert observations[0].src
            seen[observations[0].test] = digest
        assert store.stats()["capture_errors"] == []
    assert sorted(seen) == sorted(WORKLOADS)


def test_a_record_holds_the_ast_of_its_workload() -> None:
    with Store.open_readonly(CORPUS) as store:
        for digest, entry in entries(CORPUS).items():
            inputs: Inputs = read_inputs(entry.unpack())
            assert from_rows(inputs.ast) is kernel(WORKLOADS[store.observations(digest)[0].test])
            assert inputs.opts["backend"] == "c"


def test_the_file_is_small_plain_and_knows_no_machine() -> None:
    data = CORPUS.read_bytes()
    assert len(data) < MAX_BYTES
    assert data[18:20] == b"\x01\x01", "the file is in WAL mode: reading it would leave side files"
    assert not list(FOLDER.glob("*-wal")) + list(FOLDER.glob("*-shm")) + list(FOLDER.glob("*-journal"))
    for path in (REPOSITORY, Path.home(), Path(tempfile.gettempdir())):
        assert len(path.parts) < 2 or f"{path}/".encode() not in data


# ---- making it again ----------------------------------------------------------------------------------------------


def test_the_corpus_made_again_has_the_same_records(tmp_path: Path) -> None:
    target = tmp_path / "core.db"
    # neither the user's settings nor the seed of hashes may matter
    ran = make("--db", str(target), NOOPT="1", PYTHONHASHSEED="7", PROCESS_REPLAY_VERSION="x")
    assert ran.returncode == 0, ran.stderr

    before, now = set(entries(CORPUS)), set(entries(target))
    assert before == now, (
        f"{len(now - before)} records are new and {len(before - now)} are gone: the inputs of kernels have changed "
        "(ASTs, opts, names or settings). If that is meant, run `python captures/make_corpus.py` and commit the result."
    )

    first = target.read_bytes()
    ran = make("--db", str(target))
    assert (ran.returncode, ran.stdout) == (0, f"{target}: {len(now)} kernels, as before\n")
    assert target.read_bytes() == first
    assert [path.name for path in tmp_path.iterdir()] == ["core.db"]


def test_what_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    ran = make("--db", str(tmp_path / "no" / "core.db"))
    assert (ran.returncode, ran.stderr) == (2, f"error: {tmp_path / 'no' / 'core.db'}: there is no such folder\n")

    foreign = tmp_path / "notes.txt"
    foreign.write_text("no database" * 100)
    ran = make("--db", str(foreign))
    assert ran.returncode == 2
    assert ran.stderr.startswith(f"error: {foreign}: not a database of captures")
    assert foreign.read_text().startswith("no database")


# ---- results ------------------------------------------------------------------------------------------------------


@functools.cache
def reference(name: str) -> tuple[UOp, dict[str, int], dict[int, NDArray], dict[int, tuple[NDArray, NDArray]]]:
    """The AST of a workload, values for its variables and inputs, and what the interpreter makes of them."""
    ast = kernel(WORKLOADS[name])
    rng = np.random.default_rng(list(name.encode()))
    variables = random_variables(ast, rng)
    inputs = random_inputs(ast, rng)
    return ast, variables, inputs, spread(ast, inputs, variables)


@pytest.mark.parametrize("backend", ["c", "llvm"])
@pytest.mark.parametrize("name", WORKLOADS)
def test_a_kernel_computes_what_the_interpreter_does(name: str, backend: str) -> None:
    runs = available()[backend]
    if not runs.ok:
        pytest.skip(runs.detail)
    ast, variables, inputs, expected = reference(name)
    buffers = {}
    for number, (dtype, size) in buffer_sizes(ast).items():
        buffers[number] = aligned_zeros(size, dtype.numpy())
        if number in inputs:
            buffers[number][:] = inputs[number]

    get_runtime(backend).run(compile_ast(ast, get_renderer(backend)), buffers, variables)
    for number, (result, allowed) in expected.items():
        difference = compare(buffers[number], result, atol=allowed)
        assert difference is None, f"output {number}: {difference}"
