"""Which package may import which, and other rules that hold for every module of `core` and `replay`.

All is read from the syntax trees: nothing is imported, and an import counts wherever it stands, in a function or below
`if TYPE_CHECKING` as well as at the top.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]
PACKAGES = ("core", "replay")
LONGEST_MODULE = 600

BASE = ("core.context", "core.dtype", "core.errors")
IR = (*BASE, "core.ir", "core.shape")
OPT = (*IR, "core.opt")
LOWER = (*OPT, "core.lower")
RENDER = (*LOWER, "core.render")
COMPILER = (*RENDER, "core.compiler")
RUNTIME = (*COMPILER, "core.runtime")

# Which package or module may import which. A name stands for all below it, unless that has a line of its own.
MAY_IMPORT: dict[str, tuple[str, ...]] = {
    "core.__init__": (),
    "core.context": BASE,
    "core.dtype": BASE,
    "core.errors": BASE,
    "core.ir": IR,
    "core.shape": IR,
    "core.opt": OPT,
    "core.lower": LOWER,
    "core.render": RENDER,
    "core.compiler": (*COMPILER, "core.process_replay", "core.beam"),
    "core.beam": RUNTIME,
    "core.runtime": (*RUNTIME, "core.toolchain"),
    "core.toolchain": ("core.toolchain",),
    "core.builder": IR,
    "core.status": (*RUNTIME, "core.toolchain"),
    "core.running": RUNTIME,
    "core.tracing": COMPILER,
    "core.reductions": OPT,
    "core.record": COMPILER,
    "core.stages": (*RUNTIME, "core.running"),
    "core.process_replay": (
        *RUNTIME,
        "core.toolchain",
        "core.status",
        "core.record",
        "core.running",
        "core.stages",
        "core.tracing",
        "core.reductions",
    ),
    "core.cli": (*RUNTIME, "core.status", "core.builder", "core.process_replay"),
    "core.__main__": ("core.cli",),
    # A kernel is compiled from its own methods (`linearize`, `to_program`), so this one module reaches forward.
    "core.opt.kernel": (*COMPILER, "core.process_replay"),
    "replay": ("replay",),
    "replay.adapters.core": ("replay", "core"),
}

# Code or objects made from data. Captures are hostile data.
FORBIDDEN_CALLS = frozenset({"eval", "exec", "__import__"})
FORBIDDEN_ATTRIBUTES = frozenset({"os.system", "os.popen", "builtins.eval", "builtins.exec"})
FORBIDDEN_MODULES = frozenset({"pickle", "_pickle", "cPickle", "cloudpickle", "dill", "marshal", "shelve"})


@dataclass(frozen=True)
class Module:
    """One source file: `core.ir.uop`, or `core.ir.__init__` for a package's own."""

    name: str
    path: Path
    source: str
    tree: ast.Module


def read_modules(root: Path) -> dict[str, Module]:
    modules = {}
    for path in sorted(found for package in PACKAGES for found in (root / package).rglob("*.py")):
        name = ".".join(path.relative_to(root).with_suffix("").parts)
        source = path.read_text(encoding="utf-8")
        modules[name] = Module(name, path.relative_to(root), source, ast.parse(source, filename=str(path)))
    return modules


def dotted(node: ast.expr) -> str:
    """`a.b.c` as written, or nothing for any other expression."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        inner = dotted(node.value)
        return f"{inner}.{node.attr}" if inner else ""
    return ""


def imports(module: Module, known: dict[str, Module]) -> Iterator[tuple[int, str]]:
    """Line and absolute name of every module that this one imports, `import_module("literal")` included."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = module.name.split(".")[: -node.level] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            # `from core.ir import uop` imports the module core.ir.uop, `from core.ir.uop import UOp` does core.ir.uop.
            for alias in node.names:
                below = f"{base}.{alias.name}"
                yield node.lineno, below if {below, f"{below}.__init__"} & known.keys() else base
        elif isinstance(node, ast.Call) and dotted(node.func).endswith("import_module") and node.args:
            argument = node.args[0]
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                yield node.lineno, argument.value


def covers(name: str, module: str) -> bool:
    return module == name or module.startswith(f"{name}.")


def entry_of(module: str) -> str | None:
    """The line of MAY_IMPORT that holds for a module: the longest name that covers it."""
    return max((name for name in MAY_IMPORT if covers(name, module)), key=len, default=None)


def import_problems(modules: dict[str, Module]) -> list[str]:
    problems = []
    for module in modules.values():
        entry = entry_of(module.name)
        if entry is None:
            problems.append(f"{module.path}: {module.name} has no line in MAY_IMPORT")
            continue
        for line, target in imports(module, modules):
            if target.partition(".")[0] not in PACKAGES:
                continue
            if not any(covers(allowed, target) for allowed in (entry, *MAY_IMPORT[entry])):
                problems.append(f"{module.path}:{line}: {entry} may not import {target}")
    return problems


def danger_problems(module: Module) -> Iterator[str]:
    for line, target in imports(module, {}):
        if target.partition(".")[0] in FORBIDDEN_MODULES:
            yield f"{module.path}:{line}: imports {target}, which makes objects from data"
    for node in ast.walk(module.tree):
        if not isinstance(node, ast.Call):
            continue
        name = dotted(node.func)
        if name in FORBIDDEN_CALLS | FORBIDDEN_ATTRIBUTES:
            yield f"{module.path}:{node.lineno}: calls {name}, which runs code made from data"
        if any(word.arg == "shell" and not is_false(word.value) for word in node.keywords):
            yield f"{module.path}:{node.lineno}: passes a command to a shell"


def is_false(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is False


def form_problems(module: Module) -> Iterator[str]:
    lines = len(module.source.splitlines())
    if lines > LONGEST_MODULE:
        yield f"{module.path}: {lines} lines, at most {LONGEST_MODULE}"
    if module.path.name == "utils.py":
        yield f"{module.path}: name a module after what it holds"
    if not ast.get_docstring(module.tree):
        yield f"{module.path}: has no docstring"


@pytest.fixture(scope="module")
def modules() -> dict[str, Module]:
    found = read_modules(REPOSITORY)
    assert {name.partition(".")[0] for name in found} == set(PACKAGES)
    return found


def test_imports_point_one_way(modules: dict[str, Module]) -> None:
    problems = import_problems(modules)
    assert not problems, "\n".join(problems)


def test_no_code_or_object_is_made_from_data(modules: dict[str, Module]) -> None:
    problems = [problem for module in modules.values() for problem in danger_problems(module)]
    assert not problems, "\n".join(problems)


def test_modules_are_short_named_for_what_they_hold_and_documented(modules: dict[str, Module]) -> None:
    problems = [problem for module in modules.values() for problem in form_problems(module)]
    assert not problems, "\n".join(problems)


def test_every_line_of_the_table_holds_for_a_module(modules: dict[str, Module]) -> None:
    unused = [name for name in MAY_IMPORT if not any(covers(name, module) for module in modules)]
    assert not unused, f"MAY_IMPORT names what does not exist: {', '.join(unused)}"


# The checks themselves, on sources made for them.


def made(path: Path, files: dict[str, str]) -> dict[str, Module]:
    for name, source in files.items():
        file = path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(source, encoding="utf-8")
    return read_modules(path)


@pytest.mark.parametrize(
    ("name", "source", "problem"),
    [
        ("core/ir/uop.py", "from core.opt import kernel", "core.ir may not import core.opt.kernel"),
        ("core/ir/uop.py", "from ..opt import kernel", "core.ir may not import core.opt.kernel"),
        ("core/ir/uop.py", "from .. import opt", "core.ir may not import core.opt"),
        ("core/ir/__init__.py", "from ..opt.kernel import Kernel", "core.ir may not import core.opt.kernel"),
        ("core/ir/uop.py", "def f():\n    import core.lower", "core.ir may not import core.lower"),
        ("core/ir/uop.py", "if TYPE_CHECKING:\n    import core.lower", "core.ir may not import core.lower"),
        ("core/lower/index.py", "import replay.capture", "core.lower may not import replay.capture"),
        ("core/cli.py", "importlib.import_module('replay.capture')", "core.cli may not import replay.capture"),
        ("core/__init__.py", "from core.dtype import DType", "core.__init__ may not import core.dtype"),
        ("core/other.py", "", "core.other has no line in MAY_IMPORT"),
        ("replay/store.py", "from core.ir.uop import UOp", "replay may not import core.ir.uop"),
        ("replay/adapters/other.py", "import core", "replay may not import core"),
    ],
)
def test_an_import_the_wrong_way_is_found(tmp_path: Path, name: str, source: str, problem: str) -> None:
    modules = made(tmp_path, {"core/opt/__init__.py": "", "core/opt/kernel.py": "", name: source})
    found = import_problems(modules)
    assert len(found) == 1
    assert found[0].endswith(problem)


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("core/ir/uop.py", "from core.shape.view import View\nfrom . import ops\nimport numpy"),
        ("core/shape/view.py", "from core.ir.uop import UOp"),
        ("core/lower/index.py", "from ..opt.kernel import Kernel\nfrom core.dtype import dtypes"),
        ("core/opt/kernel.py", "def to_program(self):\n    from core.compiler import render_kernel"),
        ("core/process_replay.py", "importlib.import_module(os.environ['SINK'])"),
        ("replay/adapters/core.py", "import core.process_replay\nfrom replay import outcome"),
    ],
)
def test_an_import_the_right_way_is_not(tmp_path: Path, name: str, source: str) -> None:
    assert import_problems(made(tmp_path, {"core/opt/__init__.py": "", name: source})) == []


@pytest.mark.parametrize(
    "source",
    [
        "eval('1')",
        "def f(text):\n    exec(text)",
        "import os\nos.system('ls')",
        "import pickle",
        "from pickle import loads",
        "subprocess.run('ls', shell=True)",
    ],
)
def test_code_made_from_data_is_found(tmp_path: Path, source: str) -> None:
    module = made(tmp_path, {"core/a.py": source})["core.a"]
    assert len(list(danger_problems(module))) == 1


def test_methods_of_those_names_are_not(tmp_path: Path) -> None:
    module = made(tmp_path, {"core/a.py": "model.eval()\nsubprocess.run(['ls'], shell=False)\nimport json"})["core.a"]
    assert list(danger_problems(module)) == []


@pytest.mark.parametrize(
    ("name", "source"),
    [("core/a.py", "x = 1"), ("core/a.py", '"""A."""\n' + "x = 1\n" * 600), ("core/utils.py", '"""A."""')],
)
def test_a_module_out_of_form_is_found(tmp_path: Path, name: str, source: str) -> None:
    (module,) = made(tmp_path, {name: source}).values()
    assert len(list(form_problems(module))) == 1
