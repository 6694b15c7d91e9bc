"""The name of a kernel: what it does, how many outputs it has, and the sizes of its axes, coloured by their kind.

    r_8_32_3_128_3_4     a reduce; E_… is elementwise, copies included; r3_… has three outputs

The same AST with the same opts always gets the same name: there is no running number for different kernels that happen
to be named alike. A symbolic size is written as an expression, `r_32_(start_pos+1)`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from core.ir.uop import UOp, sint
from core.opt.simplify import differ

if TYPE_CHECKING:
    from core.opt.kernel import Kernel

__all__ = ["colored", "colored_name", "colored_shape", "colors", "kernel_name", "plain"]

_HUES: Final = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
_ESCAPE: Final = re.compile(r"\x1b\[[0-9;]*m")


def colors(kernel: Kernel) -> list[str]:
    """One colour an axis.

    blue global (BLUE where the kernel uses no locals), cyan local, green grouped reduce, red reduce loop, magenta
    unrolled reduce, yellow upcast.
    """
    full, output = kernel.full_shape, kernel.output_shape
    first_reduce, first_upcast = kernel.first_reduce, kernel.first_upcast
    grouped = kernel.group_for_reduces
    return [
        *["BLUE" if kernel.dont_use_locals else "blue"] * (first_reduce - kernel.local_dims),
        *["cyan"] * kernel.local_dims,
        *["green"] * grouped,
        *["red"] * (first_upcast - first_reduce - grouped),
        *["magenta" if differ(full[i], output[i]) else "yellow" for i in range(first_upcast, len(full))],
    ]


def kernel_name(kernel: Kernel) -> str:
    """The name without colours."""
    return plain(colored_name(kernel))


def colored_name(kernel: Kernel) -> str:
    """The name with its colours, as a terminal shows it."""
    kind = "r" if kernel.reduceops else "E"
    outputs = len(kernel.ast.src)
    sizes = [colored(size_text(size), color) for size, color in zip(kernel.full_shape, colors(kernel), strict=True)]
    return f"{kind}{outputs if outputs > 1 else ''}_{colored('_', 'BLACK').join(sizes)}"


def colored_shape(kernel: Kernel, pad: int = 0) -> str:
    """The sizes of the axes in columns, coloured, filled up with blanks to `pad` characters."""
    columns = [
        colored(f"{size:4d}" if isinstance(size, int) else size.render(), color)
        for size, color in zip(kernel.full_shape, colors(kernel), strict=True)
    ]
    text = " ".join(columns)
    return text + " " * (pad - len(plain(text)))


def size_text(size: sint) -> str:
    return size.render() if isinstance(size, UOp) else str(size)


def colored(text: str, color: str) -> str:
    """`text` between the terminal's codes for `color`; a colour in capitals is the bright one."""
    code = 30 + _HUES.index(color.lower()) + 60 * color.isupper()
    return f"\x1b[{code}m{text}\x1b[0m"


def plain(text: str) -> str:
    """`text` without colours."""
    return _ESCAPE.sub("", text)
