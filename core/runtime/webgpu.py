"""Backend `wgsl`: shaders run through wgpu, on any Vulkan device it finds; Mesa's lavapipe is one on the CPU."""

from __future__ import annotations

import functools
import os
import tempfile
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from core.errors import RuntimeFailure
from core.ir.ops import Ops
from core.runtime.base import checked_buffer, parameters, scalar_argument
from core.runtime.emulator.grid import Grid
from core.runtime.emulator.operations import launch_size

if TYPE_CHECKING:
    from core.ir.uop import UOp
    from core.render.program import ProgramSpec

__all__ = ["WebGPURuntime"]

HOW_TO_INSTALL: Final = (
    "wgpu or a Vulkan device is missing: pip install wgpu, apt-get install mesa-vulkan-drivers libvulkan1"
)
FEATURES: Final = ("shader-f16",)
LIMITS: Final = (
    "max-storage-buffers-per-shader-stage", "max-compute-workgroup-storage-size", "max-compute-workgroup-size-x",
    "max-compute-workgroup-size-y", "max-compute-invocations-per-workgroup", "max-storage-buffer-binding-size",
    "max-buffer-size",
)  # fmt: skip
MAX_PIPELINES: Final = 256
MAX_GROUPS: Final = "max-compute-workgroups-per-dimension"
# Mesa's llvmpipe ends all loops of a thread after so many turns, the checks that end a loop included, and says nothing
LLVMPIPE_TURNS: Final = 1 << 16
DIVISION_TURNS: Final = 65  # of the loop that divides 64 bits
WORD: Final = 4  # bytes that buffers are multiples of


@functools.cache
def _device() -> tuple[Any, Any, str]:
    """(wgpu, a device with all that its adapter has, their names). Raises RuntimeFailure."""
    os.environ.setdefault("XDG_RUNTIME_DIR", tempfile.gettempdir())  # some drivers complain without one
    try:
        import wgpu
    except ImportError:
        raise RuntimeFailure(HOW_TO_INSTALL) from None
    try:
        adapter = wgpu.gpu.request_adapter_sync(power_preference="low-power")
        features = [feature for feature in FEATURES if feature in adapter.features]
        limits = {name: adapter.limits[name] for name in LIMITS if name in adapter.limits}
        device = adapter.request_device_sync(required_features=features, required_limits=limits)
    except RuntimeError as error:
        raise RuntimeFailure(f"{HOW_TO_INSTALL} ({error})") from None
    return wgpu, device, f"wgpu {wgpu.__version__} on {adapter.info['device']}"


@functools.lru_cache(maxsize=MAX_PIPELINES)
def _pipeline(source: str, buffers: int, variables: int) -> Any:
    wgpu, device, _ = _device()
    kinds = ["storage"] * buffers + ["uniform"] * variables
    entries = [
        {"binding": number, "visibility": wgpu.ShaderStage.COMPUTE, "buffer": {"type": kind}}
        for number, kind in enumerate(kinds)
    ]
    try:
        layout = device.create_pipeline_layout(bind_group_layouts=[device.create_bind_group_layout(entries=entries)])
        module = device.create_shader_module(code=source)
        return device.create_compute_pipeline(layout=layout, compute={"module": module})
    except (RuntimeError, wgpu.GPUError) as error:
        raise RuntimeFailure(f"WebGPU refuses the source: {' '.join(str(error).split())[:1000]}") from None


class WebGPURuntime:
    """Runs programs of backend `wgsl`."""

    backend = "wgsl"

    def version(self) -> str:
        return _device()[2]

    def run(
        self, program: ProgramSpec, buffers: Mapping[int, NDArray[Any]], variables: Mapping[str, int] | None = None
    ) -> None:
        wgpu, device, _ = _device()
        pointers, names = parameters(program)
        arrays = [checked_buffer(program, pointer, buffers) for pointer in pointers]
        values = [np.asarray(scalar_argument(variable, variables)) for variable in names]
        blocks = (*Grid.of(program.uops, variables or {}).blocks, 1, 1)[:3]
        _check_device(device, program, blocks, variables or {})
        pipeline = _pipeline(program.src, len(pointers), len(names))
        bound = [_upload(wgpu, device, array, "STORAGE") for array in arrays]
        bound += [_upload(wgpu, device, value, "UNIFORM") for value in values]
        try:
            _dispatch(device, pipeline, bound, blocks)
            for pointer, array, held in zip(pointers, arrays, bound, strict=False):
                if pointer.arg in program.outs and array.size:
                    found = device.queue.read_buffer(held, 0, _padded(array.nbytes))
                    array[:] = np.frombuffer(found, np.uint8)[: array.nbytes].view(array.dtype)
        except (RuntimeError, wgpu.GPUError) as error:
            raise RuntimeFailure(f"kernel {program.name} cannot be run: {error}") from None
        finally:
            for held in bound:
                held.destroy()


def _check_device(device: Any, program: ProgramSpec, blocks: tuple[int, ...], variables: Mapping[str, int]) -> None:
    """Raises RuntimeFailure for what the device refuses, or would compute wrongly."""
    limit = device.limits[MAX_GROUPS]
    if max(blocks) > limit:
        raise RuntimeFailure(
            f"kernel {program.name} cannot be run: it launches {blocks} groups, and the device has at most {limit}"
            " in a dimension"
        )
    turns = _loop_turns(program.uops, variables)
    if turns > LLVMPIPE_TURNS and "llvmpipe" in _device()[2]:
        raise RuntimeFailure(
            f"kernel {program.name} cannot be run: its loops turn {turns} times in each thread, and llvmpipe ends them"
            f" after {LLVMPIPE_TURNS}"
        )


def _loop_turns(uops: Sequence[UOp], variables: Mapping[str, int]) -> int:
    """How often the loops of one thread check whether to go on."""
    around, total = [1], 0
    for node in uops:
        if node.op is Ops.RANGE:
            end = max(launch_size(node.src[0], variables), 0)
            total += around[-1] * (end + 1)
            around.append(around[-1] * end)
        elif node.op is Ops.ENDRANGE:
            around.pop()
        elif node.op in (Ops.IDIV, Ops.MOD) and node.dtype.scalar().itemsize == 8:
            total += around[-1] * DIVISION_TURNS * node.dtype.count
    return total


def _dispatch(device: Any, pipeline: Any, bound: list[Any], blocks: tuple[int, ...]) -> None:
    entries = [{"binding": number, "resource": {"buffer": held}} for number, held in enumerate(bound)]
    group = device.create_bind_group(layout=pipeline.get_bind_group_layout(0), entries=entries)
    encoder = device.create_command_encoder()
    work = encoder.begin_compute_pass()
    work.set_pipeline(pipeline)
    work.set_bind_group(0, group)
    work.dispatch_workgroups(*blocks)
    work.end()
    device.queue.submit([encoder.finish()])


def _padded(size: int) -> int:
    return max(-(-size // WORD) * WORD, WORD)


def _upload(wgpu: Any, device: Any, array: NDArray[Any], use: str) -> Any:
    usage = wgpu.BufferUsage[use] | wgpu.BufferUsage.COPY_SRC | wgpu.BufferUsage.COPY_DST
    data = array.tobytes()
    return device.create_buffer_with_data(data=data.ljust(_padded(len(data)), b"\0"), usage=usage)
