from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from core.compiler import compile_ast
from core.render import BACKENDS, get_renderer
from core.toolchain import NONE, batch, check, clang, commands, found, nvidia, toolchains
from core.toolchain.verdict import ToolchainMissing, Verdict
from tests.core.render.compilers import missing
from tests.core.render.golden_programs import EVERY, source

JUDGED = [name for name in BACKENDS if name not in NONE]


@pytest.mark.parametrize("backend", JUDGED)
def test_a_good_source_is_accepted_and_a_bad_one_refused_with_a_message(backend: str) -> None:
    good = source(backend, next(name for of, name in EVERY if of == backend))
    for accepted, refused in zip(*check(backend, [good, good[: len(good) // 2]]), strict=True):
        if accepted.accepted is None:
            missing(accepted.message)
        assert (accepted.accepted, accepted.message) == (True, "")
        assert refused.accepted is False
        assert refused.message


def test_every_backend_is_judged_or_says_why_not() -> None:
    for backend in BACKENDS:
        assert bool(toolchains(backend)) is (backend not in NONE)
    ((verdict,),) = check("metal", ["kernel void k() {}"])
    assert (verdict.accepted, verdict.message) == (None, NONE["metal"])
    assert found("metal").detail == NONE["metal"]


def test_figures_of_ptxas() -> None:
    log = "ptxas info    : Used 40 registers, used 1 barriers, 2048 bytes smem\n    12 bytes spill stores"
    assert nvidia.ptxas_figures(log) == {"registers": 40, "spills": 12, "shared_bytes": 2048}
    assert nvidia.ptxas_figures("ptxas info    : Used 8 registers") == {"registers": 8, "shared_bytes": 0}
    assert nvidia.ptxas_figures("") == {}


def test_figures_of_assembly() -> None:
    spilling = "\tmovl\t%eax, 4(%rsp)   # 4-byte Spill\n\tmovups\t%xmm0, (%rsp)  # 16-byte Spill\n"
    assembly = f"f:\n\t.cfi_startproc\n{spilling}\tretq\n"
    assert clang.assembly_figures(assembly) == {"instructions": 3, "spills": 20}


def test_what_is_missing_is_no_acceptance(monkeypatch: pytest.MonkeyPatch) -> None:
    clang.find_clang.cache_clear()
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(clang, "find_spec", lambda name: None)
    monkeypatch.setattr(nvidia, "_packaged", lambda package, name: None)
    try:
        ((verdict,),) = check("opencl", [""])
        assert verdict.accepted is None
        assert verdict.message == "no clang 17 or later was found: apt-get install clang-22"
        assert not found("opencl").ok
        with pytest.raises(ToolchainMissing, match="ptxas was not found: pip install"):
            nvidia.PTXAS._find.__wrapped__()
    finally:
        clang.find_clang.cache_clear()


def test_a_compiler_that_is_too_old_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = tmp_path / "clang"
    old.write_text("#!/bin/sh\necho Debian clang version 16.0.6\n")
    old.chmod(0o755)
    clang.find_clang.cache_clear()
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(clang, "find_spec", lambda name: None)
    try:
        with pytest.raises(ToolchainMissing, match="no clang 17 or later"):
            clang.find_clang()
    finally:
        clang.find_clang.cache_clear()


def test_a_crash_is_no_refusal() -> None:
    ran = commands.run(["/bin/sh", "-c", "kill -SEGV $$"])
    assert ran.failure == "/bin/sh crashed"
    assert commands.run(["/no/such/tool"]).failure == "/no/such/tool cannot be run: No such file or directory"


DRIVER = """
import json, os, sys
print(json.dumps({"version": "1.0"}), flush=True)
for line in sys.stdin:
    source = json.loads(line)["source"]
    if source == "die":
        os.abort()
    if source == "babble":
        print("{", flush=True)
        continue
    print(json.dumps({"accepted": source == "good", "message": source, "figures": {"registers": 3}}), flush=True)
"""


def test_a_driver_that_dies_costs_one_verdict(tmp_path: Path) -> None:
    script = tmp_path / "driver.py"
    script.write_text(DRIVER)
    verdicts = batch.judge("tool", [sys.executable, str(script)], ["good", "die", "bad", "babble", "good"], {})
    good = Verdict("tool 1.0", True, "", {"registers": 3})
    assert verdicts == [
        good,
        Verdict("tool", None, "tool crashed (signal 6)"),
        Verdict("tool 1.0", False, "bad"),
        Verdict("tool", None, "tool gave an answer that makes no sense"),
        good,
    ]


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("import sys; sys.exit(3)", r"its driver does not start \(exit status 3\)"),
        ('print(\'{"missing": "install it"}\')', "install it"),
    ],
)
def test_a_driver_that_does_not_start(script: str, reason: str) -> None:
    command = [sys.executable, "-c", script]
    with pytest.raises(ToolchainMissing, match=reason):
        batch.hello(command)
    (verdict,) = batch.judge("tool", command, ["good"], {})
    assert verdict.accepted is None


def test_sources_that_differ_have_figures_that_differ() -> None:
    from core.builder import buffer, kernel

    sources = [compile_ast(kernel(buffer("a", (64, size)).sum(axis=1)), get_renderer("c")).src for size in (4, 64)]
    small, large = (row[0] for row in check("c", sources))
    if small.accepted is None:
        missing(small.message)
    assert 0 < small.figures["instructions"] < large.figures["instructions"]
