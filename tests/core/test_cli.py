"""`python -m core`, as a user and as a program call it."""

from __future__ import annotations

import gzip
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from core import cli, status
from core.dtype import dtypes
from core.errors import KernelOptError
from core.ir.ops import Ops
from core.ir.text import format_uop
from core.runtime import Availability
from core.toolchain import Found
from tests.core.runtime.graphs import const, kernel, load, node, plain, same, store
from tests.core.runtime.machine import usable_runtime

REPOSITORY = Path(__file__).resolve().parents[2]
FLOAT = dtypes.float


def copied(size: int) -> str:
    return format_uop(kernel(store(0, plain(size), load(1, FLOAT, plain(size)))))


def doubled(size: int) -> str:
    value = node(Ops.MUL, FLOAT, load(1, FLOAT, plain(size)), const(FLOAT, 2.0, same(size)))
    return format_uop(kernel(store(0, plain(size), value)))


BROKEN = "UOp(Ops.FROB,dtypes.void)"


@pytest.fixture
def call(capsys):
    """Runs a command line in this process: (exit code, what it printed, what it complained)."""

    def run(*argv: object) -> tuple[int, str, str]:
        code = cli.main([str(argument) for argument in argv])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def written(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n")
    return path


def records(text: str) -> list[dict]:
    return [json.loads(line) for line in text.splitlines()]


# ---- compile ------------------------------------------------------------------------------------------------------


def test_compile_prints_a_record_for_each_ast_and_backend(call, tmp_path):
    asts = written(tmp_path / "asts.txt", copied(4), "", doubled(3))
    code, out, err = call("compile", asts, "--backend", "c", "--backend", "llvm", "--jsonl")
    assert (code, err) == (0, "")
    found = records(out)
    assert [(record["index"], record["backend"]) for record in found] == [(0, "c"), (0, "llvm"), (2, "c"), (2, "llvm")]
    for record in found:
        assert record["ok"] is True
        assert {"name", "applied_opts", "src", "global_size", "local_size", "vars", "ms"} <= record.keys()
        assert record["name"] in record["src"]
        assert "\x1b" not in record["name"]
        assert (record["global_size"], record["local_size"], record["vars"]) == (None, None, [])
        assert record["ms"] > 0


def test_opts_none_applies_no_heuristics(call, tmp_path):
    asts = written(tmp_path / "asts.txt", copied(16))
    auto, none = (call("compile", asts, "--backend", "c", "--jsonl", "--opts", opts)[1] for opts in ("auto", "none"))
    assert records(auto)[0]["applied_opts"] == [["UPCAST", 0, 4]]
    assert records(none)[0]["applied_opts"] == []


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("name", ["asts.jsonl", "asts"])
def test_json_lines_and_gzip(call, tmp_path, name, packed):
    line = json.dumps({"ast": copied(4), "other": 1})
    path = tmp_path / (name + ".gz" * packed)
    path.write_bytes(gzip.compress(line.encode()) if packed else line.encode())
    code, out, _ = call("compile", path, "--backend", "c", "--jsonl")
    assert (code, len(records(out))) == (0, 1)


@pytest.mark.parametrize("arguments", [[], ["-"]])
def test_standard_input(call, monkeypatch, arguments):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(copied(4).encode()))))
    code, out, _ = call("compile", *arguments, "--backend", "c", "--jsonl")
    assert (code, len(records(out))) == (0, 1)


def test_limit_counts_asts(call, tmp_path):
    asts = written(tmp_path / "asts.txt", "", copied(4), copied(5), copied(6))
    _, out, _ = call("compile", asts, "--backend", "c", "--jsonl", "--limit", 2)
    assert [record["index"] for record in records(out)] == [1, 2]


def test_a_bad_line_fails_and_the_next_goes_on(call, tmp_path):
    asts = written(tmp_path / "asts.txt", BROKEN, copied(4), '{"ast": 3}', "{")
    code, out, _ = call("compile", asts, "--backend", "c", "--backend", "llvm", "--jsonl")
    assert code == 1
    found = records(out)
    assert [record["ok"] for record in found] == [False, False, True, True, False, False, False, False]
    assert found[0]["error"]["type"] == "ParseError"
    assert "FROB" in found[0]["error"]["message"]
    assert found[4]["error"]["message"] == 'the JSON object has no "ast" that is a string'
    assert "no JSON" in found[6]["error"]["message"]


def test_an_error_that_nobody_foresaw_fails_that_line_only(call, tmp_path, monkeypatch):
    compiled = cli.compile_ast

    def breaks_on_4(ast, renderer, **options):
        if "ptr(-1),arg=0" in format_uop(ast) and "shape=(4,)" in format_uop(ast):
            raise ZeroDivisionError("x" * 100_000)
        return compiled(ast, renderer, **options)

    monkeypatch.setattr(cli, "compile_ast", breaks_on_4)
    asts = written(tmp_path / "asts.txt", copied(4), copied(5))
    code, out, err = call("compile", asts, "--backend", "c", "--jsonl")
    first, second = records(out)
    assert (code, err, second["ok"]) == (1, "", True)
    assert first["error"]["type"] == "ZeroDivisionError"
    assert len(first["error"]["message"]) < 3000


def test_without_jsonl_it_prints_sources(call, tmp_path):
    asts = written(tmp_path / "asts.txt", copied(16), BROKEN)
    code, out, err = call("compile", asts, "--backend", "c", "--backend", "llvm")
    assert code == 1
    assert f"// {asts}:1 c E_" in out
    assert f"; {asts}:1 llvm E_" in out
    assert "opts: UPCAST(0,4)" in out
    assert "void E_" in out
    assert f"error: {asts}:2 (c): ParseError: " in err
    assert err.endswith("2 of 4 kernels compiled\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--backend", "fortran"], "'fortran' is no backend; c, llvm"),
        (["--backend", "c:avx"], "avx"),
        ([], "Missing option '--backend'"),
        (["--backend", "c", "--opts", "all"], "'all' is not one of"),
        (["--backend", "c", "--limit", "0"], "--limit"),
    ],
)
def test_bad_usage_of_compile(call, tmp_path, arguments, message):
    code, out, err = call("compile", written(tmp_path / "asts.txt", copied(4)), *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert "Traceback" not in err


@pytest.mark.parametrize("command", ["compile", "run"])
def test_files_that_cannot_be_read_or_hold_nothing(call, tmp_path, command):
    code, _, err = call(command, tmp_path / "none.txt", "--backend", "c")
    assert (code, err) == (2, f"error: {tmp_path / 'none.txt'} cannot be read: No such file or directory\n")
    code, _, err = call(command, written(tmp_path / "empty", "", ""), "--backend", "c")
    assert code == 2
    assert "there is nothing to" in err


def test_what_a_truncated_file_still_gives_is_compiled(call, tmp_path):
    path = tmp_path / "asts.txt.gz"
    path.write_bytes(gzip.compress((copied(4) + "\n").encode())[:-4])
    code, out, err = call("compile", path, "--backend", "c", "--jsonl")
    assert code == 2
    assert [record["ok"] for record in records(out)] == [True]
    assert "cannot be read" in err


def test_no_command_and_help(call):
    assert call("frobnicate")[0] == 2
    code, out, _ = call("--help")
    assert code == 0
    assert all(command in out for command in ("compile", "run", "backends"))


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(REPOSITORY)}


def test_a_closed_pipe_ends_quietly(tmp_path):
    asts = written(tmp_path / "asts.txt", *[copied(size) for size in range(1, 300)])
    command = [sys.executable, "-m", "core", "compile", str(asts), "--backend", "c", "--jsonl"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert json.loads(process.stdout.readline())["ok"]
        process.stdout.close()
        assert process.wait(timeout=120) == 141
        assert process.stderr.read() == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_is_one_sentence(tmp_path):
    asts = written(tmp_path / "asts.txt", copied(4))
    command = [sys.executable, "-m", "core", "compile", str(asts), "--backend", "c"]
    with open("/dev/full", "wb") as full:
        ran = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, env=environment(), timeout=60, check=False)
    assert ran.returncode == 2
    assert ran.stderr == b"error: standard output cannot be written: No space left on device\n"


def test_an_interrupt_ends_with_130_and_each_line_was_flushed(tmp_path):
    command = [sys.executable, "-m", "core", "compile", "--backend", "c", "--jsonl"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write((copied(4) + "\n").encode())
        process.stdin.flush()
        # comes although more input is awaited
        assert json.loads(process.stdout.readline())["ok"]
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 130
        assert b"Traceback" not in process.stderr.read()


# ---- run ----------------------------------------------------------------------------------------------------------


def case(name: str, ast: str, data: list, expected: list, **more: object) -> str:
    return json.dumps(
        {
            "name": name,
            "ast": ast,
            "inputs": {"1": {"dtype": "float32", "data": data}},
            "output": {"dtype": "float32", "data": expected},
            **more,
        }
    )


def test_all_cases_right(call, tmp_path):
    cases = written(
        tmp_path / "cases.jsonl",
        case("doubled", doubled(3), [1, "nan", "-inf"], [2, "nan", "-inf"]),
        case("close", doubled(1), [1], [2.1], atol=0.2),
    )
    assert call("run", cases, "--backend", "llvm") == (0, "2 of 2 cases right on llvm\n", "")


def test_a_miss_names_the_first_wrong_element(call, tmp_path):
    cases = written(tmp_path / "cases.jsonl", case("bad", doubled(3), [1, 2, 3], [2, 5, 7]))
    code, out, _ = call("run", cases, "--backend", "llvm")
    assert code == 1
    assert out.splitlines() == [
        "bad: buffer 0: element 1 is 4.0, expected 5.0 (2 of 3 elements differ)",
        "0 of 1 cases right on llvm",
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"output": {"dtype": "float32", "data": [1]}}, "buffer 0 holds 3 float32, expected 1 float32"),
        ({"output": {"dtype": "int32", "data": [1, 2, 3]}}, "buffer 0 holds 3 float32, expected 3 int32"),
    ],
)
def test_outputs_of_another_size_or_type_are_misses(call, tmp_path, change, message):
    cases = written(tmp_path / "cases.jsonl", case("bad", doubled(3), [1, 2, 3], [], **change))
    code, out, _ = call("run", cases, "--backend", "llvm")
    assert code == 1
    assert f"bad: {message}\n" in out


def test_an_expected_buffer_that_is_not_stored_to_is_a_miss(call, tmp_path):
    fields = json.loads(case("bad", doubled(1), [1], []))
    del fields["output"]
    fields["outputs"] = {"1": {"dtype": "float32", "data": [1]}}
    code, out, _ = call("run", written(tmp_path / "cases.jsonl", json.dumps(fields)), "--backend", "llvm")
    assert code == 1
    assert "bad: buffer 1 is not stored to\n" in out


def test_inputs_that_are_missing_are_zeros(call, tmp_path):
    cases = written(tmp_path / "cases.jsonl", case("zero", doubled(2), [], [0, 0], inputs={}))
    assert call("run", cases, "--backend", "llvm")[0] == 0


def test_run_with_jsonl_prints_outputs(call, tmp_path):
    fields = json.loads(case("doubled", doubled(4), [0.5, "nan", "inf", "-inf"], []))
    del fields["output"]
    code, out, _ = call("run", written(tmp_path / "cases.jsonl", json.dumps(fields)), "--backend", "llvm", "--jsonl")
    assert code == 0
    outputs = {"0": {"dtype": "float32", "data": [1.0, "nan", "inf", "-inf"]}}
    assert records(out) == [{"name": "doubled", "backend": "llvm", "outputs": outputs}]


def test_a_case_that_cannot_be_read_is_named_and_the_rest_is_run(call, tmp_path):
    good = case("doubled", doubled(1), [1], [2])
    unknown = {key: value for key, value in json.loads(good).items() if key != "output"}
    cases = written(tmp_path / "cases.jsonl", case("bad", BROKEN, [], []), good, json.dumps(unknown))
    code, out, err = call("run", cases, "--backend", "llvm")
    assert (code, out) == (2, "1 of 3 cases right on llvm\n")
    first, second = err.splitlines()
    assert first.startswith(f"error: {cases}:1: ast: ")
    assert second == f'error: {cases}:3: the case has neither "output" nor "outputs" to compare with'


@pytest.mark.parametrize("jsonl", [False, True])
def test_a_kernel_that_fails_is_told_and_the_rest_is_run(call, tmp_path, monkeypatch, jsonl):
    def refuses(*arguments, **options):
        raise KernelOptError("axis 3 is not there")

    cases = written(tmp_path / "cases.jsonl", case("bad", doubled(1), [1], [2]))
    monkeypatch.setattr(cli, "compile_ast", refuses)
    code, out, _ = call("run", cases, "--backend", "llvm", *["--jsonl"] * jsonl)
    assert code == 1
    if jsonl:
        error = {"type": "KernelOptError", "message": "axis 3 is not there"}
        assert records(out) == [{"name": "bad", "backend": "llvm", "error": error}]
    else:
        assert out.startswith("bad: KernelOptError: axis 3 is not there\n")


def test_a_missing_compiler_is_said_once(call, tmp_path, monkeypatch):
    monkeypatch.setenv("CC", "/no/such/compiler")
    cases = written(tmp_path / "cases.jsonl", case("doubled", doubled(1), [1], [2]))
    code, out, err = call("run", cases, "--backend", "c")
    assert (code, out) == (2, "")
    assert err == "error: the environment variable CC names '/no/such/compiler', which cannot be run\n"


@pytest.mark.parametrize("backend", ["c", "llvm"])
def test_the_cases_that_were_handed_over(call, shared_data, backend):
    usable_runtime(backend)
    code, out, err = call("run", shared_data / "cases.jsonl", "--backend", backend)
    assert (out, err, code) == (f"18 of 18 cases right on {backend}\n", "", 0)


# ---- backends -----------------------------------------------------------------------------------------------------


def test_backends_are_listed(call, monkeypatch):
    found = {"c": Availability(True, "gcc 12"), "llvm": Availability(False, "get it")}
    monkeypatch.setattr(status, "available", lambda: found)
    monkeypatch.setattr(status, "found", lambda name: Found(name == "c", "clang 22" if name == "c" else "install it"))
    code, out, _ = call("backends")
    assert code == 0
    assert "c        rendered; judged by clang 22; run by gcc 12\n" in out
    assert "llvm     rendered; not judged here: install it; not run here: get it\n" in out
    assert "qcom     rendered; not judged here: install it; not run here: nothing here runs its programs\n" in out
    listed = {record["backend"]: record for record in records(call("backends", "--jsonl")[1])}
    assert listed["c"] == {
        "backend": "c", "rendered": True, "validated": True, "validator": "clang 22", "missing": None,
        "runs": True, "version": "gcc 12", "reason": None,
    }  # fmt: skip
    assert (listed["llvm"]["runs"], listed["llvm"]["version"], listed["llvm"]["reason"]) == (False, None, "get it")
    assert (listed["llvm"]["validated"], listed["llvm"]["missing"]) == (False, "install it")
