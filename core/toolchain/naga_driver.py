"""A process that has naga check WGSL through wgpu: `python naga_driver.py`, JSON lines in and out.

It stands alone: nothing of `core` is imported, so that it starts at once.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from typing import Any

HOW_TO_INSTALL = "wgpu is missing: pip install wgpu"
NO_ADAPTER = "there is no Vulkan device: apt-get install mesa-vulkan-drivers libvulkan1"


def device() -> Any:
    """A device with everything that the adapter has. Raises OSError."""
    os.environ.setdefault("XDG_RUNTIME_DIR", tempfile.gettempdir())  # some drivers complain without one
    try:
        import wgpu
    except ImportError:
        raise OSError(HOW_TO_INSTALL) from None
    try:
        adapter = wgpu.gpu.request_adapter_sync(power_preference="low-power")
        wanted = ("shader-f16", "subgroup")
        features = [feature for feature in wanted if feature in adapter.features]
        names = ("max-storage-buffers-per-shader-stage", "max-compute-workgroup-storage-size")
        limits = {name: adapter.limits[name] for name in names if name in adapter.limits}
        return adapter.request_device_sync(required_features=features, required_limits=limits)
    except RuntimeError as error:
        raise OSError(f"{NO_ADAPTER} ({error})") from None


def main() -> None:
    try:
        found = device()
    except OSError as error:
        print(json.dumps({"missing": str(error)}), flush=True)
        return
    import wgpu

    print(json.dumps({"version": f"of wgpu {wgpu.__version__}"}), flush=True)
    for line in sys.stdin:
        try:
            module = found.create_shader_module(code=json.loads(line)["source"])
            found.create_compute_pipeline(layout="auto", compute={"module": module})
            answer: dict[str, Any] = {"accepted": True}
        except (RuntimeError, wgpu.GPUError) as error:
            answer = {"accepted": False, "message": str(error)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
