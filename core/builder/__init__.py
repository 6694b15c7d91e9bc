"""The AST builder: numpy-like expressions over named buffers become one kernel's AST.

a, b = buffer("a", (64, 32)), buffer("b", (32, 16))
ast = kernel(a @ b)
"""

from core.builder.build import kernel, kernel_buffers
from core.builder.convolution import conv2d, windows
from core.builder.error import BuildError
from core.builder.expr import Expr, const, maximum, minimum, where
from core.builder.sources import arange, buffer, full, variable

__all__ = [
    "BuildError",
    "Expr",
    "arange",
    "buffer",
    "const",
    "conv2d",
    "full",
    "kernel",
    "kernel_buffers",
    "maximum",
    "minimum",
    "variable",
    "where",
    "windows",
]
