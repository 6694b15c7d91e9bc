"""Both runtimes on sources written by hand, and their refusals."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from core.dtype import dtypes, image_dtype
from core.errors import RuntimeFailure
from core.ir.ops import Ops
from core.ir.uop import UOp
from core.render.program import ProgramSpec
from core.runtime import available, clang, get_runtime, llvm, runtime_backends
from core.runtime.base import Runtime
from tests.core.runtime.graphs import buffer, node
from tests.core.runtime.machine import usable_runtime

C = """void scale(float* restrict data0, float* restrict data1, int n, long long wide) {
  for (int i = 0; i < n; i++) data0[i] = data1[i] * wide;
}"""
LLVM = """define void @scale(ptr noalias %data0, ptr noalias %data1, i32 %n, i64 %wide) {
entry:
  %factor = sitofp i64 %wide to float
  br label %loop
loop:
  %i = phi i32 [0, %entry], [%next, %loop]
  %from = getelementptr float, ptr %data1, i32 %i
  %to = getelementptr float, ptr %data0, i32 %i
  %x = load float, ptr %from
  %y = fmul float %x, %factor
  store float %y, ptr %to
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}"""
SOURCES = {"c": C, "llvm": LLVM}
WIDE = 1 << 40


def program(backend: str, src: str | None = None, *, size: int = 4, name: str = "scale") -> ProgramSpec:
    """`data0[i] = data1[i] * wide` for `n` elements."""
    n = UOp.variable("n", 1, 8)
    wide = UOp.variable("wide", 0, WIDE, dtypes.long)
    target, source = buffer(0, dtypes.float, size), buffer(1, dtypes.float, size)
    zero = UOp.const(dtypes.int, 0)
    value = node(Ops.LOAD, dtypes.float, node(Ops.INDEX, source.dtype, source, zero))
    stored = node(Ops.STORE, dtypes.void, node(Ops.INDEX, target.dtype, target, zero), value)
    return ProgramSpec(name, SOURCES[backend] if src is None else src, backend, (*stored.toposort(), wide, n))


def floats(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


@pytest.fixture(params=["c", "llvm"])
def runtime(request) -> Runtime:
    return usable_runtime(request.param)


def test_buffers_come_by_number_and_variables_by_name(runtime):
    buffers = {1: floats(1, 2, 3, 4), 0: floats(9, 9, 9, 9)}
    runtime.run(program(runtime.backend), buffers, {"wide": WIDE, "n": 3})
    assert buffers[0].tolist() == [1.0 * WIDE, 2.0 * WIDE, 3.0 * WIDE, 9.0]


def test_a_program_runs_many_times(runtime):
    for factor in range(5):
        buffers = {0: floats(0, 0, 0, 0), 1: floats(1, 2, 3, 4)}
        runtime.run(program(runtime.backend), buffers, {"wide": factor, "n": 4})
        assert buffers[0].tolist() == [factor, 2 * factor, 3 * factor, 4 * factor]


def not_writable() -> np.ndarray:
    array = floats(0, 0, 0, 0)
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    ("buffers", "variables", "message"),
    [
        ({0: floats(0, 0, 0, 0)}, {}, "buffer 1 of kernel scale is missing"),
        ({0: floats(0, 0, 0, 0), 1: floats(1, 2, 3)}, {}, "buffer 1 has 3 elements; the kernel needs 4"),
        ({0: floats(0, 0, 0, 0), 1: np.zeros(4)}, {}, "buffer 1 holds float64; the kernel expects float32"),
        ({0: np.zeros(8, np.float32)[::2], 1: floats(1, 2, 3, 4)}, {}, "buffer 0 of kernel scale is not contiguous"),
        ({0: not_writable(), 1: floats(1, 2, 3, 4)}, {}, "buffer 0 of kernel scale is stored to and cannot be written"),
        ({0: floats(0, 0, 0, 0), 1: floats(1, 2, 3, 4)}, {"wide": 1}, "variable 'n' has no value"),
        ({0: floats(0, 0, 0, 0), 1: floats(1, 2, 3, 4)}, {"n": 9, "wide": 1}, "variable 'n' is 9"),
    ],
)
def test_what_does_not_fit_never_reaches_the_machine_code(runtime, buffers, variables, message):
    with pytest.raises(RuntimeFailure, match=message):
        runtime.run(program(runtime.backend), buffers, variables)


def test_images_and_broken_bools_are_refused(runtime):
    image = ProgramSpec("k", "", runtime.backend, (UOp(Ops.DEFINE_GLOBAL, image_dtype("imagef", (1, 1, 4)), (), 0),))
    with pytest.raises(RuntimeFailure, match="this backend takes plain arrays"):
        runtime.run(image, {0: floats(0, 0, 0, 0)})
    flags = ProgramSpec("k", "", runtime.backend, (buffer(0, dtypes.bool, 2),))
    with pytest.raises(RuntimeFailure, match="holds a bool that is neither 0 nor 1"):
        runtime.run(flags, {0: np.array([1, 2], np.uint8).view(np.bool_)})


GOOD = {0: floats(0, 0, 0, 0), 1: floats(1, 2, 3, 4)}
VALUES = {"n": 4, "wide": 1}


def test_a_source_that_the_compiler_refuses(runtime):
    with pytest.raises(RuntimeFailure, match=r"refuses the source: .*error"):
        runtime.run(program(runtime.backend, "void scale( {"), GOOD, VALUES)


def test_a_source_without_the_function(runtime):
    with pytest.raises(RuntimeFailure, match="does not define the function other"):
        runtime.run(program(runtime.backend, name="other"), GOOD, VALUES)


def test_available_says_which_versions_run():
    found = available()
    assert list(found) == runtime_backends()
    assert {"c", "llvm", "opencl", "python"} <= set(found)
    assert found["llvm"].ok
    assert found["llvm"].detail.startswith("llvmlite ")
    with pytest.raises(RuntimeFailure, match=r"backend 'none' are not run here; those of c, llvm, .* are"):
        get_runtime("none")


def test_a_compiler_without_halves_is_the_last_choice(monkeypatch):
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr(clang.shutil, "which", lambda name: f"/bin/{name}")
    monkeypatch.setattr(clang.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(clang, "_working", lambda command: f"{command[0]} 14")
    monkeypatch.setattr(clang, "_knows_half", lambda command: command == ("/bin/gcc",))
    assert clang.find_compiler() == (("/bin/gcc",), "/bin/gcc 14")
    monkeypatch.setattr(clang, "_knows_half", lambda command: False)
    assert clang.find_compiler() == (("/bin/clang",), "/bin/clang 14")


def test_halves_on_a_processor_that_cannot_convert_them(monkeypatch):
    source = """define void @scale(ptr noalias %data0, ptr noalias %data1, i32 %n, i64 %wide) {
  %x = load float, ptr %data1
  %half = fptrunc float %x to half
  %back = fpext half %half to float
  store float %back, ptr %data0
  ret void
}"""
    monkeypatch.setattr(llvm, "_host", lambda: ("", ""))
    buffers = {0: floats(0, 0, 0, 0), 1: floats(0.1, 0, 0, 0)}
    get_runtime("llvm").run(program("llvm", source), buffers, VALUES)
    assert buffers[0][0] == np.float32(np.float16(0.1))


@pytest.fixture
def no_compilers(monkeypatch):
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr(clang.shutil, "which", lambda name: None)
    monkeypatch.setattr(clang.importlib.util, "find_spec", lambda name: None)


@pytest.mark.usefixtures("no_compilers")
def test_without_a_compiler_it_says_how_to_get_one():
    assert not available()["c"].ok
    with pytest.raises(RuntimeFailure, match="no C compiler was found: install clang or gcc"):
        get_runtime("c").run(program("c"), GOOD, VALUES)


@pytest.mark.usefixtures("no_compilers")
def test_compilers_are_tried_in_order(monkeypatch):
    monkeypatch.setattr(clang.shutil, "which", lambda name: f"/bin/{name}")
    tried = []

    def works(command):
        tried.append(command)
        return "cc 1.0" if command == ("/bin/cc",) else None

    monkeypatch.setattr(clang, "_working", works)
    assert clang.find_compiler() == (("/bin/cc",), "cc 1.0")
    assert tried == [("/bin/clang",), ("/bin/gcc",), ("/bin/cc",)]


@pytest.mark.usefixtures("no_compilers")
def test_ziglang_is_a_compiler_too(monkeypatch):
    monkeypatch.setattr(clang.importlib.util, "find_spec", lambda name: name == "ziglang" or None)
    monkeypatch.setattr(clang, "_working", lambda command: "clang 20")
    assert clang.find_compiler() == ((sys.executable, "-m", "ziglang", "clang"), "clang 20")


def test_cc_names_the_compiler(monkeypatch, tmp_path):
    monkeypatch.setenv("CC", f"{sys.executable} -c 'print(7)'")
    assert clang.find_compiler() == ((sys.executable, "-c", "print(7)"), "7")
    monkeypatch.setenv("CC", str(tmp_path / "no-such-compiler"))
    with pytest.raises(RuntimeFailure, match=r"variable CC names '.*no-such-compiler', which cannot be run"):
        clang.find_compiler()


def test_a_compiler_that_hangs_is_stopped(monkeypatch):
    def hangs(*arguments, **options):
        raise subprocess.TimeoutExpired("cc", options["timeout"])

    monkeypatch.setattr(clang, "find_compiler", lambda: (("cc",), "cc 1.0"))
    monkeypatch.setattr(clang.subprocess, "run", hangs)
    with pytest.raises(RuntimeFailure, match="cc did not finish within 120 seconds"):
        clang.build_library("int never_built_before;")


def test_nothing_is_left_behind(runtime, monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    source = SOURCES[runtime.backend].replace("data1", "unbuilt")
    runtime.run(program(runtime.backend, source), GOOD, VALUES)
    assert os.listdir(tmp_path) == []
