"""Data types: scalars, vectors of them, pointers and images. Every type exists once and is compared with `is`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

import numpy as np

__all__ = ["DType", "ImageDType", "PtrDType", "dtype_from_name", "dtypes", "image_dtype", "scalar_dtypes"]

_interned: dict[tuple[object, ...], DType] = {}

MAX_VECTOR: Final = 256


class DType:
    """A scalar (`count == 1`) or a vector of `count` scalars.

    `name` is the seed's name of the scalar (`float`, `uchar`); `itemsize` is in bytes; `np_name` is numpy's name of the
    scalar, or None where numpy has none (void, bfloat16).
    """

    __slots__ = (
        "bits",
        "count",
        "is_float",
        "is_int",
        "is_unsigned",
        "itemsize",
        "max",
        "min",
        "name",
        "np_name",
        "rank",
    )

    name: str
    count: int

    def __init__(self, name: str, bits: int, kind: str, np_name: str | None, rank: int, count: int = 1) -> None:
        self.name, self.bits, self.count, self.np_name, self.rank = name, bits, count, np_name, rank
        self.itemsize = (bits + 7) // 8 * count
        self.is_float, self.is_unsigned = kind == "f", kind in "ub"
        self.is_int = kind in "iu"
        self.min: int | float
        self.max: int | float
        self.min, self.max = _limits(kind, bits)

    @property
    def kind(self) -> str:
        """One letter: f float, i signed, u unsigned, b bool, v void."""
        return "f" if self.is_float else ("u" if self.is_unsigned else "i") if self.is_int else "bv"[self.bits == 0]

    @property
    def is_bool(self) -> bool:
        return self.bits == 1

    @property
    def base(self) -> DType:
        """What a pointer points to; of anything else, itself."""
        return self

    def scalar(self) -> DType:
        return self if self.count == 1 else _scalars[self.name]

    def vec(self, count: int) -> DType:
        """The vector of `count` of this scalar; `vec(1)` is the scalar."""
        if self.count != 1:
            raise ValueError(f"{self} is a vector already")
        if count == 1:
            return self
        if not 1 < count <= MAX_VECTOR or self.bits == 0:
            raise ValueError(f"no vector of {count} of {self}")
        return _intern(
            ("vec", self.name, count),
            lambda: DType(self.name, self.bits, self.kind, self.np_name, self.rank, count),
        )

    def ptr(self, size: int = -1, local: bool = False) -> PtrDType:
        """A pointer to `size` elements of this type; -1 when the size is not known."""
        made = _intern(("ptr", self.name, self.count, size, local), lambda: PtrDType(self, size, local))
        assert isinstance(made, PtrDType)
        return made

    def numpy(self) -> np.dtype[np.generic]:
        """The numpy dtype of one scalar. Raises TypeError where numpy has none."""
        if self.np_name is None:
            raise TypeError(f"numpy has no type for {self}")
        return np.dtype(self.np_name)

    def __str__(self) -> str:
        return self.name if self.count == 1 else f"{self.name}.vec({self.count})"

    def __repr__(self) -> str:
        return f"dtypes.{self}"

    def __reduce__(self) -> tuple[Callable[[str], DType], tuple[str]]:
        return dtype_from_name, (str(self),)


class PtrDType(DType):
    """A pointer to `size` elements of `base`, in global or local memory."""

    __slots__ = ("_base", "local", "size")

    def __init__(self, base: DType, size: int, local: bool) -> None:
        super().__init__(base.name, base.bits, base.kind, base.np_name, base.rank, base.count)
        self._base, self.size, self.local = base, size, local

    @property
    def base(self) -> DType:
        return self._base

    def vec(self, count: int) -> DType:
        raise ValueError(f"there are no vectors of pointers such as {self}")

    def scalar(self) -> DType:
        return self

    def __str__(self) -> str:
        return f"{self._base}.ptr({self.size}{',local=True' if self.local else ''})"


class ImageDType(PtrDType):
    """An image of `shape` (height, width, 4); its elements are read and written as `base`, float."""

    __slots__ = ("image_name", "shape")

    def __init__(self, image_name: str, base: DType, itemsize: int, shape: tuple[int, ...]) -> None:
        super().__init__(base, shape[0] * shape[1] * shape[2], False)
        self.image_name, self.shape, self.itemsize = image_name, shape, itemsize

    def __str__(self) -> str:
        return f"{self.image_name}(({','.join(map(str, self.shape))}))"


def _limits(kind: str, bits: int) -> tuple[int | float, int | float]:
    if kind == "f":
        return float("-inf"), float("inf")
    if kind == "i":
        return -(1 << (bits - 1)), (1 << (bits - 1)) - 1
    return 0, (1 << bits) - 1 if kind in "ub" else 0


def _intern(key: tuple[object, ...], make: Callable[[], DType]) -> DType:
    found = _interned.get(key)
    if found is None:
        found = _interned[key] = make()
    return found


# name, bits, kind, numpy's name; ordered as types are promoted
_TABLE: Final = (
    ("void", 0, "v", None),
    ("bool", 1, "b", "bool"),
    ("char", 8, "i", "int8"),
    ("uchar", 8, "u", "uint8"),
    ("short", 16, "i", "int16"),
    ("ushort", 16, "u", "uint16"),
    ("int", 32, "i", "int32"),
    ("uint", 32, "u", "uint32"),
    ("long", 64, "i", "int64"),
    ("ulong", 64, "u", "uint64"),
    ("half", 16, "f", "float16"),
    ("bfloat16", 16, "f", None),
    ("float", 32, "f", "float32"),
    ("double", 64, "f", "float64"),
)
_scalars: Final = {name: DType(name, bits, kind, np_name, i) for i, (name, bits, kind, np_name) in enumerate(_TABLE)}


class dtypes:  # noqa: N801 - the name under which the text form knows it
    """The scalar types by the seed's names."""

    void, bool, char, uchar = _scalars["void"], _scalars["bool"], _scalars["char"], _scalars["uchar"]
    short, ushort, int, uint = _scalars["short"], _scalars["ushort"], _scalars["int"], _scalars["uint"]
    long, ulong, half, bfloat16 = _scalars["long"], _scalars["ulong"], _scalars["half"], _scalars["bfloat16"]
    float, double = _scalars["float"], _scalars["double"]


_IMAGE_ITEMSIZE: Final = {"imageh": 2, "imagef": 4}
_POINTER = re.compile(r"\.ptr\((-?\d{1,18})(,local=True)?\)")
_VECTOR = re.compile(r"\.vec\((\d{1,3})\)")
_IMAGE = re.compile(r"(image[hf])\(\((\d{1,9}),(\d{1,9}),(\d{1,9})\)\)")


def image_dtype(name: str, shape: tuple[int, int, int]) -> ImageDType:
    """The image type `imageh` (half texels) or `imagef` (float texels) of `shape` (height, width, 4)."""
    made = _intern((name, shape), lambda: ImageDType(name, dtypes.float, _IMAGE_ITEMSIZE[name], shape))
    assert isinstance(made, ImageDType)
    return made


def scalar_dtypes() -> list[DType]:
    """All scalars but void, as types are promoted: bool first, double last."""
    return [dtype for dtype in _scalars.values() if dtype is not dtypes.void]


def dtype_from_name(name: str) -> DType:
    """The dtype whose `str` is `name`. Raises ValueError for anything else."""
    name = name.replace(" ", "")
    if image := _IMAGE.fullmatch(name):
        return image_dtype(image[1], (int(image[2]), int(image[3]), int(image[4])))

    scalar = name.partition(".")[0]
    dtype: DType | None = _scalars.get(scalar)
    rest = name[len(scalar) :]
    if dtype is not None and (vector := _VECTOR.match(rest)):
        dtype, rest = dtype.vec(int(vector[1])), rest[vector.end() :]
    if dtype is not None and (pointer := _POINTER.fullmatch(rest)):
        return dtype.ptr(int(pointer[1]), local=pointer[2] is not None)
    if dtype is None or rest:
        raise ValueError(f"unknown dtype {name!r}")
    return dtype
