"""Backend `llvm`: the IR is verified, optimised and compiled by llvmlite, and called through ctypes."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from numpy.typing import NDArray

from core.errors import RuntimeFailure
from core.render.llvm_half import HALF_LIBRARY
from core.runtime.base import arguments, signature

if TYPE_CHECKING:
    from core.render.program import ProgramSpec

__all__ = ["LLVMRuntime"]

HOW_TO_INSTALL: Final = "llvmlite is missing: `pip install 'llvmlite>=0.50'`"
SPEED_LEVEL: Final = 1
MAX_ENGINES: Final = 256
SHOWN_LINES: Final = 3


@functools.cache
def _binding() -> Any:
    """llvmlite.binding with its targets initialised. Raises RuntimeFailure without llvmlite."""
    try:
        from llvmlite import binding
    except ImportError:
        raise RuntimeFailure(HOW_TO_INSTALL) from None
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    return binding


def _host() -> tuple[str, str]:
    """(name, features) of this machine's processor, as LLVM writes them."""
    binding = _binding()
    return binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten()


@functools.lru_cache(maxsize=MAX_ENGINES)
def _engine(source: str) -> Any:
    """The compiled module; it owns its machine code, so it must outlive every call of it."""
    binding = _binding()
    try:
        module = binding.parse_assembly(source)
        module.verify()
    except RuntimeError as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        raise RuntimeFailure(f"LLVM refuses the source: {' '.join(lines[:SHOWN_LINES])}") from None

    cpu, features = _host()
    if "half" in source and "+f16c" not in features:
        module.link_in(binding.parse_assembly(HALF_LIBRARY))
    # one for each engine: the engine takes it over
    target = binding.Target.from_default_triple()
    machine = target.create_target_machine(cpu=cpu, features=features, opt=2, jit=True)
    module.triple = machine.triple
    module.data_layout = str(machine.target_data)
    tuning = binding.create_pipeline_tuning_options(speed_level=SPEED_LEVEL)
    builder = binding.create_pass_builder(machine, tuning)
    builder.getModulePassManager().run(module, builder)
    engine = binding.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    return engine


class LLVMRuntime:
    """Runs programs of backend `llvm`."""

    backend = "llvm"

    def version(self) -> str:
        version = ".".join(map(str, _binding().llvm_version_info))
        from llvmlite import __version__

        return f"llvmlite {__version__} (LLVM {version})"

    def run(
        self, program: ProgramSpec, buffers: Mapping[int, NDArray[Any]], variables: Mapping[str, int] | None = None
    ) -> None:
        given = arguments(program, buffers, variables)
        engine = _engine(program.src)
        address = engine.get_function_address(program.function_name)
        if not address:
            raise RuntimeFailure(f"the source does not define the function {program.function_name}")
        ctypes.CFUNCTYPE(None, *signature(program))(address)(*given)
