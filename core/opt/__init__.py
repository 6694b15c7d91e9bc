"""The optimiser: a `Kernel` is an AST laid out for a backend, an `Opt` one change of the layout."""

from core.errors import KernelOptError
from core.opt.kernel import Kernel
from core.opt.memory import memory_bytes
from core.opt.opt import Opt, OptOps

__all__ = ["Kernel", "KernelOptError", "Opt", "OptOps", "memory_bytes"]
