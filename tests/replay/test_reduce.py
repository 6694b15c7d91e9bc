"""`replay reduce` on the tiny compiler, whose smallest kernels with a difference are known."""

from __future__ import annotations

import ast
import importlib
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from replay.errors import ReplayError
from replay.outcome import Result, Status
from replay.record import decode_inputs
from replay.reduce import Reduced, Reducer, unit_test
from replay.store import Store

if TYPE_CHECKING:
    from tests.replay.conftest import Project, Ran

Cli = Callable[..., "Ran"]

# added to the tiny compiler: what its kernels give when they are run, and which of its rules ran
RUN = """

def run(record, backend=None, mode="pinned", *, seed=0, reference=False):
    import struct
    value = {"ADD": ADDED, "MUL": 7.0}.get(record["ast"][-1][0], 1.0)
    form = {"dtype": "float32", "rtol": 0.0, "atol": 0.0}
    outputs = {"0": {**form, "bytes": struct.pack("<f", value)}}
    right = {"0": {**form, "bytes": struct.pack("<f", 3.0)}}
    return {"status": "ok", "data": {"inputs": "i", "digest": str(value), "outputs": outputs, "reference": right}}
"""
TRACE = """

def trace(record, backend=None, mode="pinned"):
    ran = [op for op in ("ADD", "MUL") if any(row[0] == op for row in record["ast"])]
    functions = {f"rules.{op}": {"digest": TEMPLATES[op], "file": "core/rules.py", "line": 1} for op in ran}
    lines = replay(record, backend, mode)["src"].split()
    return {"status": "ok", "data": {"passes": [{"name": "render", "lines": lines, "rewrites": [],
                                                "functions": functions}], "rules": {}}}
"""


class TinyAdapter:
    """Proposes each expression within an expression, and the same with fewer opts."""

    name = tree = "core"

    def reductions(self, record: Mapping[str, Any], skip: int = 0) -> list[dict[str, Any]]:
        made = []
        for root in range(len(record["ast"])):
            rows = below(record["ast"], root)
            for opts in (record["applied_opts"], []):
                made.append({**record, "ast": rows, "applied_opts": opts, "size": len(rows)})
        return made[skip : skip + 5]

    def ast_size(self, rows: Sequence[Any]) -> int:
        return len(rows)

    def format_ast(self, rows: Sequence[Any]) -> str:
        return " ".join(f"{op}{'' if arg is None else arg[1]}" for op, _, _, arg in rows)


def below(rows: Sequence[Any], root: int) -> list[Any]:
    """The rows of what one row depends on, numbered anew."""
    wanted = {root}
    for number in range(root, -1, -1):
        if number in wanted:
            wanted |= set(rows[number][2])
    place = {number: new for new, number in enumerate(sorted(wanted))}
    return [[rows[n][0], rows[n][1], [place[source] for source in rows[n][2]], rows[n][3]] for n in sorted(wanted)]


@pytest.fixture
def reduce(project: Project, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """`reduce("--on", "error")` reduces the only record since the commit before."""
    module = importlib.import_module("replay.cli.reduce")  # as an attribute of its package it is the command
    monkeypatch.setattr(module, "get_adapter", lambda name: TinyAdapter())

    def run(*arguments: str) -> Ran:
        (digest,) = [line.split()[0] for line in cli("ls").out.splitlines()]
        return cli("reduce", digest, "--since", "HEAD~1", *arguments)

    return run


DEEP = "1 2 ADD 3 MUL 4 MUL NEG 5 MAX 6 7 MUL MUL"


def test_the_smallest_expression_with_the_same_edit(project: Project, reduce: Cli) -> None:
    project.capture(DEEP)
    project.edit("{} + {}", "plus {} {}")
    project.commit()
    ran = reduce()
    assert ran.code == 0, ran.err
    first, shown, *diff = ran.out.splitlines()
    assert first.startswith("3 nodes instead of 14, 0 opts (")
    assert shown == "CONST1 CONST2 ADD"
    assert "-  return (1 + 2);" in diff
    assert "+  return (plus 1 2);" in diff


def test_opts_stay_where_the_difference_needs_them(project: Project, reduce: Cli) -> None:
    project.capture(DEEP)
    project.edit('f"/*{op}{arg}*/"', 'f"/*{op}x{arg}*/"', "core/process_replay.py")
    project.commit()
    assert reduce().out.startswith("1 nodes instead of 14, 1 opts (")


def test_opts_of_a_free_kernel_are_of_no_use(project: Project, reduce: Cli) -> None:
    project.capture(DEEP)
    project.edit("UPCAST = 4", "UPCAST = 2")
    project.commit()
    assert reduce("--mode", "free").out.startswith("1 nodes instead of 14, 0 opts (")


def test_a_failure_keeps_its_type_and_message(project: Project, reduce: Cli) -> None:
    project.capture(DEEP.replace("1 2 ADD", "1 2 ADD NEG"))
    project.edit(
        "    for number, (op, _, sources, arg) in enumerate(rows):\n",
        "    for number, (op, _, sources, arg) in enumerate(rows):\n"
        "        if op == 'NEG':\n            raise ValueError('no negation')\n"
        "        if op == 'MAX':\n            raise ValueError('no maximum')\n",
        "core/process_replay.py",
    )
    project.commit()
    ran = reduce("--on", "error")
    assert ran.code == 0, ran.err
    assert ran.out.splitlines()[1] == "CONST1 CONST2 ADD NEG"
    assert "head: ValueError: no negation" in ran.out


def test_the_same_cause_counts_where_the_same_edit_does_not(project: Project, reduce: Cli) -> None:
    with (project.root / "core/process_replay.py").open("a") as file:
        file.write(TRACE)
    project.commit()
    project.capture("8 9 MAX 1 2 ADD 4 MUL MAX")
    project.edit("{} + {}", "plus {} {}")
    project.edit("{} * {}", "times {} {}")
    project.commit()
    first, second, shown, *_ = reduce().out.splitlines()
    assert first.startswith("3 nodes instead of 9")
    assert second == "the same cause, rules.ADD; the same edit takes 5 nodes"
    assert shown == "CONST1 CONST2 ADD"


@pytest.mark.parametrize(("value", "agrees"), [(5.0, "base"), (3.0, "head")])
def test_the_same_side_stays_wrong(project: Project, reduce: Cli, value: float, agrees: str) -> None:
    """A product changes too, and its results do not."""
    path = project.root / "core/process_replay.py"
    path.write_text(path.read_text() + RUN.replace("ADDED", "3.0" if agrees == "base" else "5.0"))
    project.commit()
    project.capture("1 2 MUL 3 ADD 4 5 MUL ADD")
    project.edit("{} * {}", "times {} {}")
    project.edit("{} + {}", "plus {} {}")
    project.edit('"ADD": ' + ("3.0" if agrees == "base" else "5.0"), f'"ADD": {value}', "core/process_replay.py")
    project.commit()
    ran = reduce("--on", "different")
    assert ran.code == 0, ran.err
    assert ran.out.splitlines()[1] == "CONST1 CONST2 MUL CONST3 ADD"


REFUSED = {
    "same": ((), (), "do not differ in this record (same)"),
    "not an error": (("{} + {}", "plus {} {}"), ("--on", "error"), "--on error: both revisions compile the record"),
    "not run": (("{} + {}", "plus {} {}"), ("--on", "different"), "this revision cannot run what it compiles"),
    "not a change": (("    texts: list[str]", "    raise ValueError('no')\n    texts: list[str]"), ("--on", "changed"),
                     "--on changed: it does not compile on both sides (ValueError)"),
    "not known": (("SCHEMA = 1", "SCHEMA = 0"), (), "cannot be told (unsupported: "),
    "not stable": (("    texts: list[str]",
                    "    return ''.join({f'n{i}' for i in '123456'})\n    texts: list[str]"), (),
                   "the difference is not stable"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_reduced(project: Project, reduce: Cli, name: str) -> None:
    edit, arguments, sentence = REFUSED[name]
    project.capture("1 2 ADD")
    if edit:
        project.edit(*edit, path="core/rules.py" if "+" in edit[0] else "core/process_replay.py")
    else:
        (project.root / "core/other.py").write_text("")
    project.commit()
    ran = reduce(*arguments)
    assert ran.code == 2
    assert sentence in ran.err
    assert ran.out == ""


def test_a_record_that_is_not_there_and_a_tree_that_is_the_same(project: Project, reduce: Cli, cli: Cli) -> None:
    project.capture("1 2 ADD")
    project.commit()
    assert "have the same compiler" in reduce().err
    ran = cli("reduce", "ffff", "--since", "HEAD")
    assert (ran.code, ran.out) == (2, "")
    assert "no record begins with 'ffff'" in ran.err


def test_the_record_is_stored_but_not_where_it_comes_from(project: Project, reduce: Cli, tmp_path: Path) -> None:
    source = project.capture(DEEP)
    project.edit("{} + {}", "plus {} {}")
    project.commit()
    before = source.read_bytes()
    ran = reduce("--captures", str(source))
    assert ran.code == 2
    assert "would be added to a file that is read" in ran.err
    assert source.read_bytes() == before
    assert reduce("--captures", str(tmp_path / "small.db")).code == 0
    with Store.open_readonly(tmp_path / "small.db") as store:
        (entry,) = store.entries()
        assert not isinstance(entry, ReplayError)
        assert [row[0] for row in decode_inputs(entry.unpack())["ast"]] == ["CONST", "CONST", "ADD"]
        assert store.provenance(entry.digest)[0].startswith("reduced from ")


# ---- bounds ---------------------------------------------------------------------------------------------------------


class Slow:
    """An executor whose sides differ where there is an ADD, and which takes a while."""

    def __init__(self, seconds: float, interrupt_after: int | None = None) -> None:
        self.seconds, self.left = seconds, interrupt_after

    def run(self, tasks: Sequence[Any], payload: Callable[[str], bytes]) -> Any:
        for task in tasks:
            time.sleep(self.seconds)
            if self.left is not None:
                self.left -= 1
                if self.left < 0:
                    raise KeyboardInterrupt
            adds = any(row[0] == "ADD" for row in decode_inputs(payload(task.digest))["ast"])
            status = Status.UNSUPPORTED if task.action != "replay" else Status.OK
            yield task, Result(status, src=f"a{task.lane.key if adds else ''}", name="k")


def reducer(executor: Any) -> Reducer:
    return Reducer(TinyAdapter(), executor, ("old", "new"), None, "pinned")  # type: ignore[arg-type]


def raw_of(record: Callable[..., dict[str, Any]], text: str) -> dict[str, Any]:
    made = record(text)
    return {name: made[name] for name in ("schema", "compiler", "ast", "opts", "applied_opts", "name", "context")}


def test_time_is_bounded_and_the_best_so_far_kept(record: Callable[..., dict[str, Any]]) -> None:
    raw = raw_of(record, "1 2 ADD " + "3 ADD " * 60)
    started = time.monotonic()
    found = reducer(Slow(0.05)).run(raw, 0.6)
    assert time.monotonic() - started < 5
    assert not found.finished
    assert found.size <= len(raw["ast"])
    with pytest.raises(ReplayError, match="takes longer"):
        reducer(Slow(0.2)).run(raw, 0.1)


def test_an_interrupt_gives_the_best_so_far(record: Callable[..., dict[str, Any]]) -> None:
    raw = raw_of(record, DEEP)
    whole = reducer(Slow(0)).run(raw, 60)
    assert (whole.finished, whole.size, whole.exact, whole.raw["applied_opts"]) == (True, 3, True, [])
    stopped = reducer(Slow(0, interrupt_after=17)).run(raw, 60)
    assert (stopped.finished, stopped.size, stopped.raw["applied_opts"]) == (False, 3, raw["applied_opts"])


def test_ctrl_c_in_a_terminal(project: Project, start_python: Any) -> None:
    """The process prints what it has, exits with 0 and leaves no worker."""
    project.capture("1 2 ADD")
    script = f"""
import sys; sys.path.insert(0, {str(Path(__file__).parents[2])!r})
import importlib, os, time, signal, threading
os.chdir({str(project.root)!r})
module = importlib.import_module('replay.cli.reduce')
from tests.replay.test_reduce import TinyAdapter
class Stuck(TinyAdapter):
    def reductions(self, record, skip=0):
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        time.sleep(30)
module.get_adapter = lambda name: Stuck()
from replay.cli import main
main(["reduce", sys.argv[1], "--since", "HEAD~1"])
"""
    project.edit("{} + {}", "plus {} {}")
    project.commit()
    with Store.open_readonly(project.root / "captures/a.db") as store:
        (entry,) = store.entries()
        assert not isinstance(entry, ReplayError)
    process = start_python(script, entry.digest, stdout=subprocess.PIPE)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert b"stopped before all was tried" in out
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


# ---- the unit test that is written ----------------------------------------------------------------------------------


def test_the_written_test_tells_the_sides_apart(tmp_path: Path) -> None:
    """With the real compiler: it passes on the result it was made from, and fails on any other."""
    from core import process_replay
    from core.builder import buffer, kernel
    from core.compiler import compile_ast
    from core.ir.text import format_uop
    from core.record import make_record
    from core.render import get_renderer

    tree, renderer = kernel(buffer("a", (4, 6)) + 1), get_renderer("cuda")
    whole = make_record(tree, renderer, compile_ast(tree, renderer))
    raw = {name: whole[name] for name in ("schema", "compiler", "ast", "opts", "applied_opts", "name", "context")}
    for mode in ("pinned", "free"):
        good = msgspec.convert(process_replay.replay(raw, None, mode), Result)
        for base, head, code in (
            (good, Result(Status.OK, src="other"), 0),
            (Result(Status.ERROR, type="ValueError"), good, 0),
            (Result(Status.OK, name=good.name, src="other"), good, 1),
            (Result(Status.OK, src=good.src, global_size=[7, 7, 7], local_size=good.local_size), good, 1),
            (Result(Status.ERROR, type="ValueError", message="one"), Result(Status.ERROR, message="other"), 1),
        ):
            text = unit_test(Reduced(raw, 5, base, head), format_uop(tree), None, mode)
            (tmp_path / "test_it.py").write_text(text)
            assert called(tmp_path / "test_it.py") == code, text


def called(path: Path) -> int:
    script = (
        "import sys, runpy\n"
        "sys.path.insert(0, sys.argv[2])\n"
        "runpy.run_path(sys.argv[1])['test_the_kernel_is_compiled_as_it_was']()"
    )
    home = str(Path(__file__).parents[2])
    return subprocess.run([sys.executable, "-c", script, str(path), home], capture_output=True, check=False).returncode


HOSTILE = "k\"\"\"'''\\\nimport os\nos._exit(9)\n\x1b[2J\u202e#"


def test_what_a_record_says_is_only_ever_a_literal(record: Callable[..., dict[str, Any]]) -> None:
    raw = raw_of(record, "1 2 ADD") | {
        "name": HOSTILE, "context": {HOSTILE: 1}, "applied_opts": [[HOSTILE, 0, 1]], "opts": {"backend": HOSTILE},
    }  # fmt: skip
    result = Result(Status.OK, name=HOSTILE, src=f"{HOSTILE}\n{HOSTILE}", global_size=[HOSTILE])
    failed = Result(Status.ERROR, type=HOSTILE, message=HOSTILE)
    for base in (result, failed):
        text = unit_test(Reduced(raw, 3, base, failed), HOSTILE, HOSTILE, "pinned")
        assert text.isascii()
        assert "\x1b" not in text
        tree = ast.parse(text)
        imported = [node.module for node in tree.body if isinstance(node, ast.ImportFrom)]
        assert imported == ["core.ir.rows", "core.ir.text", "core.process_replay"]
        assert [type(node).__name__ for node in tree.body] == [
            "Expr",
            *["ImportFrom"] * 3,
            *["Assign"] * 3,
            "FunctionDef",
        ]
        values = SimpleNamespace(**{node.targets[0].id: ast.literal_eval(node.value)  # type: ignore[attr-defined]
                                    for node in tree.body if isinstance(node, ast.Assign)})  # fmt: skip
        assert values.AST == values.RECORD["name"] == HOSTILE
        assert base.src == values.SOURCE
