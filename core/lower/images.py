"""Images: an access to an element becomes one to the four elements, a texel, at a column and a row.

An image of shape (height, width, 4) holds its elements in the order of a buffer: element i is number i % 4 of the texel
in column i / 4 % width of row i / (4 * width). Memory accesses have been joined to vectors before.
"""

from __future__ import annotations

from typing import Final

from core.dtype import ImageDType, dtypes
from core.errors import CompileError
from core.ir.ops import Ops
from core.ir.uop import UOp, folded
from core.lower.target import LoweringTarget

__all__ = ["lower_images"]

CHANNELS: Final = 4


def lower_images(sink: UOp, target: LoweringTarget) -> UOp:
    """`sink` with its images read and written a texel at a time, where the backend has images.

    A load of fewer elements picks them from the texel. Raises CompileError for a store of fewer: it would need to read
    the others first.
    """
    nodes = sink.toposort()
    if not target.has_images or not any(isinstance(node.dtype, ImageDType) for node in nodes):
        return sink

    done: dict[UOp, UOp] = {}
    for node in nodes:
        src = tuple([done[source] for source in node.src])
        if node.op in (Ops.LOAD, Ops.STORE) and isinstance(node.src[0].dtype, ImageDType):
            done[node] = _load(node, src) if node.op is Ops.LOAD else _store(node, src)
        else:
            done[node] = node if src == node.src else folded(node.op, node.dtype, src, node.arg)
    return done[sink]


def _load(node: UOp, src: tuple[UOp, ...]) -> UOp:
    address, count = src[0], node.dtype.count
    texel_dtype = node.dtype.scalar().vec(CHANNELS)
    alternative = (_spread(src[1]), src[2]) if len(src) == 3 else ()
    texel = UOp(Ops.LOAD, texel_dtype, (_texel(address), *alternative))
    if count == CHANNELS:
        return texel

    channel = address.src[1] % CHANNELS
    channels = [UOp(Ops.GEP, texel_dtype.scalar(), (texel,), i) for i in range(CHANNELS)]
    if count == 1:
        return _pick(channel, channels)
    return folded(Ops.VECTORIZE, node.dtype, tuple([_pick(channel, channels[i::count]) for i in range(count)]))


def _store(node: UOp, src: tuple[UOp, ...]) -> UOp:
    address, value = src[:2]
    if value.dtype.count != CHANNELS:
        buffer = address.src[0]
        raise CompileError(
            f"a store of {value.dtype.count} of the {CHANNELS} elements of a texel to the image {buffer.dtype} of "
            f"buffer {buffer.arg} is not possible: an axis of stride 1 must be upcast by {CHANNELS}"
        )
    return UOp(Ops.STORE, dtypes.void, (_texel(address), *src[1:]))


def _texel(address: UOp) -> UOp:
    """The address of the texel that holds an element: the image at (column, row)."""
    image, index = address.src[:2]
    assert isinstance(image.dtype, ImageDType)
    width = image.dtype.shape[1]
    column, row = index // CHANNELS % width, index // (CHANNELS * width)
    place = (column.cast(dtypes.int), row.cast(dtypes.int))
    return UOp(Ops.INDEX, image.dtype, (image, UOp(Ops.VECTORIZE, dtypes.int.vec(2), place), *address.src[2:]))


def _spread(alternative: UOp) -> UOp:
    """What a gated load of fewer elements gives when its gate is false, for all of a texel."""
    dtype = alternative.dtype.scalar().vec(CHANNELS)
    if alternative.dtype is dtype:
        return alternative
    if alternative.op is Ops.CONST:
        return UOp.const(dtype, alternative.arg)
    count = alternative.dtype.count
    elements = [alternative if count == 1 else UOp(Ops.GEP, dtype.scalar(), (alternative,), i) for i in range(count)]
    return UOp(Ops.VECTORIZE, dtype, tuple(elements * (CHANNELS // count)))


def _pick(channel: UOp, choices: list[UOp]) -> UOp:
    """Of the elements that an access may mean, spaced evenly over the texel, the one at `channel`."""
    step = CHANNELS // len(choices)
    picked = choices[-1]
    for i in reversed(range(len(choices) - 1)):
        picked = (channel < (i + 1) * step).where(choices[i], picked)
    return picked
