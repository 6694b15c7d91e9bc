"""LLVM itself, through llvmlite: its verifier, and its code generator for this machine."""

from __future__ import annotations

from collections.abc import Sequence

from core.toolchain.clang import assembly_figures
from core.toolchain.verdict import ToolchainMissing, Verdict

__all__ = ["LLVM"]

SPEED_LEVEL = 2


class LLVM:
    """In this process: LLVM reports what is wrong with a module, and does not end."""

    name = "LLVM"

    def version(self) -> str:
        try:
            import llvmlite
            from llvmlite import binding
        except ImportError:
            raise ToolchainMissing("llvmlite is missing: pip install 'llvmlite>=0.50'") from None
        return f"LLVM {'.'.join(map(str, binding.llvm_version_info))} (llvmlite {llvmlite.__version__})"

    def check(self, sources: Sequence[str], backend: str, arch: str | None) -> list[Verdict]:
        try:
            version = self.version()
        except ToolchainMissing as missing:
            return [Verdict.not_run(self.name, str(missing))] * len(sources)
        return [self._judge(version, source) for source in sources]

    def _judge(self, version: str, source: str) -> Verdict:
        from llvmlite import binding

        binding.initialize_all_targets()
        binding.initialize_all_asmprinters()
        try:
            module = binding.parse_assembly(source)
            module.verify()
        except RuntimeError as error:
            return Verdict.refused(version, str(error))
        target = binding.Target.from_default_triple()
        features = binding.get_host_cpu_features().flatten()
        machine = target.create_target_machine(cpu=binding.get_host_cpu_name(), features=features, opt=2)
        machine.set_asm_verbosity(True)
        module.triple, module.data_layout = machine.triple, str(machine.target_data)
        builder = binding.create_pass_builder(machine, binding.create_pipeline_tuning_options(speed_level=SPEED_LEVEL))
        builder.getModulePassManager().run(module, builder)
        return Verdict(version, True, "", assembly_figures(machine.emit_assembly(module)))
