"""Matrix products of the threads of a warp: what a WMMA asks of a backend's matrix unit."""

from __future__ import annotations

from typing import NamedTuple

from core.dtype import DType
from core.errors import RenderError
from core.ir.uop import UOp

__all__ = ["Product"]


class Product(NamedTuple):
    """A (M×K) times B (K×N) plus C (M×N), each spread over the threads: what one of them holds are vectors."""

    dims: tuple[int, int, int]
    """N, M, K"""
    dtype_in: DType
    dtype_out: DType
    a: DType
    b: DType
    c: DType

    @staticmethod
    def of(node: UOp, backend: str) -> Product:
        """The product that a WMMA stands for. Raises RenderError if it does not say which."""
        if node.arg is None:
            raise RenderError(backend, "WMMA", "it does not say which matrices it multiplies")
        _, dims, dtype_in, dtype_out, *_ = node.arg
        a, b, c = [source.dtype for source in node.src]
        return Product(dims, dtype_in, dtype_out, a, b, c)

    @property
    def name(self) -> str:
        """`wmma_8_16_16_half_float`"""
        return f"wmma_{'_'.join(map(str, self.dims))}_{self.dtype_in}_{self.dtype_out}"

    @property
    def key(self) -> tuple[tuple[int, int, int], str, str]:
        """What tables of matrix units go by."""
        return self.dims, str(self.dtype_in), str(self.dtype_out)
