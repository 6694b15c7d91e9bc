"""The seam: what is captured, that capturing harms nobody, and what replaying a record answers to anything in it."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from typing import Any

import pytest

from core import process_replay
from core.compiler import compile_ast, optimize
from core.context import Context, ContextVar
from core.ir.rows import to_rows
from core.ir.text import format_uop
from core.opt import Kernel, Opt, OptOps
from core.process_replay import SCHEMA, backends, format_ast, record_from_text, replay
from core.record import opt_row, read_opts
from core.render import get_renderer
from tests.core.opt.small_asts import elementwise, matmul

AST = matmul(16, 16, 16)
LINE = format_uop(AST)


@pytest.fixture
def captured(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The records that the sink is given."""
    records: list[dict[str, Any]] = []
    monkeypatch.setattr(process_replay, "_sink", records.append)
    return records


def record(**changes: Any) -> dict[str, Any]:
    """A good record with some fields changed, as plain data that went through JSON."""
    made: dict[str, Any] = json.loads(json.dumps(record_from_text(LINE, "c")))
    made.update(changes)
    return made


# ---- capturing ----------------------------------------------------------------------------------------------------


def test_every_kernel_is_captured_when_asked_for(captured: list[dict[str, Any]]) -> None:
    renderer = get_renderer("c")
    compile_ast(AST, renderer)
    assert captured == []
    with Context(CAPTURE_PROCESS_REPLAY=1):
        program = compile_ast(AST, renderer)
        compile_ast(elementwise(8, 8), renderer)
    assert [one["name"] for one in captured] == [program.name, "E_16_4"]

    first = captured[0]
    assert (first["schema"], first["compiler"], first["src"]) == (SCHEMA, "core", program.src)
    assert first["opts"] == {"backend": "c", "arch": None}
    assert first["applied_opts"] == [[opt.op.name, opt.axis, opt.arg] for opt in program.applied_opts]
    assert format_ast(first["ast"]) == LINE


def test_a_record_has_every_setting_that_can_change_the_output() -> None:
    settings = record()["context"]
    assert settings.keys() == {key for key, var in ContextVar.registry.items() if var.affects_output}
    assert "CAPTURE_PROCESS_REPLAY" not in settings
    assert "DEBUG" not in settings
    with Context(NOOPT=1):
        assert record()["context"]["NOOPT"] == 1


def test_a_sink_that_fails_does_not_harm_the_program(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(record: dict[str, object]) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(process_replay, "_sink", broken)
    before = process_replay.capture_errors
    with Context(CAPTURE_PROCESS_REPLAY=1):
        assert compile_ast(AST, get_renderer("c")).src
    assert process_replay.capture_errors == before + 1
    assert "was not captured: OSError: the disk is full" in capsys.readouterr().err


def test_a_sink_that_is_not_there_does_not_harm_the_program_either() -> None:
    program = (
        "from core.builder import buffer, kernel\n"
        "from core.compiler import compile_ast\n"
        "from core.render import get_renderer\n"
        "print(compile_ast(kernel(buffer('a', (4, 4)).sum(axis=1)), get_renderer('c')).name)\n"
    )
    environment = {"CAPTURE_PROCESS_REPLAY": "1", "PROCESS_REPLAY_SINK": "no.such.module", "PYTHONWARNINGS": "error"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "r_4_4\n"
    assert "was not captured: ModuleNotFoundError" in done.stderr


# ---- replaying ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["pinned", "free"])
def test_a_record_replays_to_the_source_it_was_captured_with(mode: str) -> None:
    one = record()
    result = replay(one, mode=mode)
    assert (result["status"], result["src"], result["name"]) == ("ok", one["src"], one["name"])
    assert result["applied_opts"] == one["applied_opts"]


@pytest.mark.parametrize("backend", backends())
def test_a_record_of_one_backend_replays_on_every_other(backend: str) -> None:
    assert replay(record(), backend, "free")["status"] == "ok"


def test_pinned_applies_the_captured_opts_and_free_chooses() -> None:
    one = record(applied_opts=[["UPCAST", 0, 2]])
    pinned, free = replay(one), replay(one, mode="free")
    assert pinned["applied_opts"] == [["UPCAST", 0, 2]]
    assert free["applied_opts"] == record()["applied_opts"]


def test_the_settings_are_those_of_the_record_whatever_holds_here() -> None:
    one = record()
    with Context(NOOPT=1):
        assert replay(one, mode="free")["applied_opts"] == one["applied_opts"]
    without = copy.deepcopy(one)
    del without["context"]["NOOPT"]
    with Context(NOOPT=1):
        assert replay(without, mode="free")["applied_opts"] == one["applied_opts"]
    one["context"]["NOOPT"] = 1
    assert replay(one, mode="free")["applied_opts"] == []


def test_an_opt_that_does_not_apply_is_an_error_of_the_compiler() -> None:
    result = replay(record(applied_opts=[["UPCAST", 0, 7]]))
    assert (result["status"], result["type"]) == ("error", "KernelOptError")
    assert "not a multiple of 7" in str(result["message"])


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"schema": 99}, "schema"),
        ({"compiler": "other"}, "compiler"),
        ({"name": 5}, "name"),
        ({"ast": None}, "ast"),
        ({"ast": [["FROB", "void", [], None]]}, "ast[0].op"),
        ({"opts": None}, "opts.backend"),
        ({"opts": {"backend": "vax", "arch": None}}, "opts.backend"),
        ({"opts": {"backend": "c", "arch": 7}}, "opts.arch"),
        ({"opts": {"backend": "c", "arch": "z80"}}, "opts"),
        ({"applied_opts": "UPCAST"}, "applied_opts"),
        ({"applied_opts": [["UPCAST", 0]]}, "applied_opts[0]"),
        ({"applied_opts": [["FROB", 0, 4]]}, "applied_opts[0].op"),
        ({"applied_opts": [["UPCAST", 0.5, 4]]}, "applied_opts[0].axis"),
        ({"applied_opts": [["UPCAST", 0, 1 << 40]]}, "applied_opts[0].arg"),
        ({"applied_opts": [["TC", 0, [1] * 9]]}, "applied_opts[0].arg"),
        ({"context": 5}, "context"),
        ({"context": {"NOOPT": "1"}}, "context.NOOPT"),
        ({"context": {"import os": 1}}, "context"),
        ({"context": {"FROBNICATE": 1}}, "context.FROBNICATE"),
    ],
)
def test_what_this_revision_cannot_read_is_unsupported(changes: dict[str, Any], field: str) -> None:
    result = replay(record(**changes))
    assert result["status"] == "unsupported"
    assert result["field"] == field
    assert str(result["message"]).startswith(field)


def test_a_setting_that_is_off_need_not_be_known() -> None:
    one = record()
    one["context"]["FROBNICATE"] = 0
    assert replay(one)["status"] == "ok"


def test_opts_with_several_numbers_go_through_a_record() -> None:
    row = opt_row(Opt(OptOps.TC, 0, (-1, 2)))
    assert row == ["TC", 0, [-1, 2]]
    assert read_opts([row]) == [Opt(OptOps.TC, 0, (-1, 2))]


@pytest.mark.parametrize("mode", ["pinned", "free"])
def test_the_optimised_ast_is_that_of_the_kernel(mode: str) -> None:
    one = record(applied_opts=[["UPCAST", 0, 2]])
    kernel = Kernel(AST, get_renderer("cuda"))
    answer = process_replay.optimized_ast(one, "cuda", mode)
    if mode == "pinned":
        kernel.apply_opt(Opt(OptOps.UPCAST, 0, 2))
    else:
        kernel = optimize(kernel)
    assert answer == {"status": "ok", "data": {"ast": to_rows(kernel.get_optimized_ast())}}
    nodes = process_replay.ast_nodes(answer["data"]["ast"])  # type: ignore[index]
    assert nodes[-1] == ["SINK", "void", str(kernel.get_optimized_ast().arg)]


def test_no_optimised_ast_of_what_cannot_be_compiled() -> None:
    impossible = process_replay.optimized_ast(record(applied_opts=[["UPCAST", 7, 4]]))
    assert (impossible["status"], impossible["type"]) == ("error", "KernelOptError")
    unknown = process_replay.optimized_ast(record(applied_opts=[["WIDEN", 0, 4]]))
    assert (unknown["status"], unknown["field"]) == ("unsupported", "applied_opts[0].op")


def test_a_kernel_compiles_itself_too(captured: list[dict[str, Any]]) -> None:
    with Context(CAPTURE_PROCESS_REPLAY=1):
        program = Kernel(AST, get_renderer("c")).to_program("matmul_by_hand")
    assert program.name == "matmul_by_hand"
    assert "void matmul_by_hand(" in program.src
    assert [one["name"] for one in captured] == ["matmul_by_hand"]
