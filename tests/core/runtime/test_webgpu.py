"""The runtime of `wgsl`: what it hands to the device and takes back, and what it refuses to run."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
import pytest

from core.dtype import DType, dtypes
from core.errors import RuntimeFailure
from core.ir.ops import Ops
from core.ir.uop import UOp
from core.render import get_renderer
from core.render.program import ProgramSpec
from core.runtime import get_runtime, webgpu
from core.runtime.webgpu import LLVMPIPE_TURNS
from tests.core.render.programs import alu, buffer, cast, const, elementwise, end, load, loop, program, store
from tests.core.runtime.machine import usable_runtime


def spec(uops: list[UOp], name: str = "k") -> ProgramSpec:
    return ProgramSpec(name, get_renderer("wgsl").render(name, uops), "wgsl", tuple(uops), has_local=True)


def copy_of_group(groups: int) -> list[UOp]:
    """out[group] = in[group]"""
    group = UOp(Ops.SPECIAL, dtypes.int, (), ("gidx0", groups))
    return program(store(buffer(0, dtypes.int, groups), group, load(buffer(1, dtypes.int, groups), group)))


def count(*ends: int) -> ProgramSpec:
    """How often the body of loops in loops runs."""
    acc = UOp(Ops.DEFINE_ACC, dtypes.int, (const(dtypes.int, 0),), 0)
    loops = [loop(size, number) for number, size in enumerate(ends)]
    step = UOp(Ops.ASSIGN, dtypes.int, (acc, alu(Ops.ADD, acc, load(buffer(1, dtypes.int, 1), 0))))
    closed = [end(opened) for opened in reversed(loops)]
    parts = [
        *program(acc),
        *program(*loops),
        *program(step),
        *closed,
        *program(store(buffer(0, dtypes.int, 1), 0, step)),
    ]
    return spec(list(dict.fromkeys(parts)))


@pytest.fixture
def absent(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    webgpu._device.cache_clear()
    monkeypatch.setitem(sys.modules, "wgpu", None)
    yield
    webgpu._device.cache_clear()


@pytest.mark.usefixtures("absent")
def test_without_wgpu_it_says_how_to_get_it() -> None:
    with pytest.raises(RuntimeFailure, match=r"pip install wgpu, apt-get install mesa-vulkan-drivers libvulkan1"):
        get_runtime("wgsl").version()


@pytest.mark.parametrize("dtype", [dtypes.bool, dtypes.uchar, dtypes.short, dtypes.half, dtypes.long], ids=str)
@pytest.mark.parametrize("size", [1, 3, 5])
def test_buffers_of_any_size_are_changed_in_place(dtype: DType, size: int) -> None:
    uops = elementwise(dtype, [dtype], lambda x: x, size)
    data = np.arange(1, size + 1).astype(dtype.numpy())
    out = np.zeros(size, dtype.numpy())
    usable_runtime("wgsl").run(spec(uops), {0: out, 1: data})
    assert np.array_equal(out, data)


def test_variables_of_both_widths() -> None:
    n, wide = UOp.variable("n", 0, 9), UOp.variable("wide", 0, 1 << 40, dtypes.long)
    uops = program(store(buffer(0, dtypes.long, 1), 0, alu(Ops.MUL, wide, cast(n, dtypes.long))))
    out = np.zeros(1, np.int64)
    usable_runtime("wgsl").run(spec(uops), {0: out}, {"wide": (1 << 40) - 1, "n": 7})
    assert out[0] == 7 * ((1 << 40) - 1)


def test_more_than_eight_buffers() -> None:
    total = load(buffer(1, dtypes.int, 1), 0)
    for number in range(2, 20):
        total = alu(Ops.ADD, total, load(buffer(number, dtypes.int, 1), 0))
    buffers = {number: np.array([number], np.int32) for number in range(20)}
    usable_runtime("wgsl").run(spec(program(store(buffer(0, dtypes.int, 1), 0, total))), buffers)
    assert buffers[0][0] == sum(range(1, 20))


@pytest.mark.parametrize("name", ["var", "array", "f32", "k", "group"])
def test_a_kernel_may_be_called_anything(name: str) -> None:
    out, data = np.zeros(8, np.int32), np.arange(8, dtype=np.int32)
    usable_runtime("wgsl").run(spec(copy_of_group(8), name), {0: out, 1: data})
    assert np.array_equal(out, data)


def test_a_source_that_is_refused() -> None:
    made = spec(copy_of_group(8))
    made.src = "@compute fn k("
    with pytest.raises(RuntimeFailure, match="WebGPU refuses the source: "):
        usable_runtime("wgsl").run(made, {0: np.zeros(8, np.int32), 1: np.zeros(8, np.int32)})


def test_a_launch_beyond_the_limits_of_the_device() -> None:
    groups = 1 << 17
    buffers = {number: np.zeros(groups, np.int32) for number in range(2)}
    with pytest.raises(RuntimeFailure, match=r"launches \(131072, 1, 1\) groups, and the device has at most 65535"):
        usable_runtime("wgsl").run(spec(copy_of_group(groups)), buffers)


@pytest.mark.parametrize("ends", [(LLVMPIPE_TURNS - 1,), (200, 300), (8, 8, 900)], ids=str)
def test_long_loops_run_to_their_end(ends: tuple[int, ...]) -> None:
    out = np.zeros(1, np.int32)
    usable_runtime("wgsl").run(count(*ends), {0: out, 1: np.ones(1, np.int32)})
    assert out[0] == np.prod(ends)


@pytest.mark.parametrize(("ends", "turns"), [((LLVMPIPE_TURNS,), 65537), ((255, 256), 65791)], ids=str)
def test_loops_that_llvmpipe_would_end_early_are_not_run(ends: tuple[int, ...], turns: int) -> None:
    runtime = usable_runtime("wgsl")
    if "llvmpipe" not in runtime.version():
        pytest.skip("only Mesa's llvmpipe ends long loops")
    with pytest.raises(RuntimeFailure, match=f"turn {turns} times in each thread, and llvmpipe ends them after 65536"):
        runtime.run(count(*ends), {0: np.zeros(1, np.int32), 1: np.ones(1, np.int32)})


def test_a_division_of_64_bits_is_a_loop_too() -> None:
    x = load(buffer(1, dtypes.long, 8), 0)
    uops = elementwise(dtypes.long, [dtypes.long], lambda a: alu(Ops.IDIV, a, x), 8)
    assert webgpu._loop_turns(uops, {}) == 9 + 8 * 65
