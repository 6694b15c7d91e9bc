"""Sliding windows and the convolution made of them, by movement ops alone."""

from __future__ import annotations

from core.builder.error import BuildError
from core.builder.expr import Expr
from core.builder.movement import shape_text
from core.ir.uop import all_int

__all__ = ["conv2d", "windows"]


def windows(x: Expr, size: tuple[int, int], stride: int = 1, dilation: int = 1) -> Expr:
    """The windows of `size` along the last two axes: of (..., h, w), (..., rows, columns, size[0], size[1]).

    `stride` is the distance between neighbouring windows, `dilation` that between neighbours within one.
    """
    lead, lengths = x.shape[:-2], x.shape[-2:]
    if len(lengths) < 2 or not all_int(lengths):
        raise BuildError(f"windows are taken along two axes of known size, not of the shape {shape_text(x.shape)}")
    if min(*size, stride, dilation) < 1:
        raise BuildError(f"windows of {shape_text(size)}, stride {stride} and dilation {dilation}: each is at least 1")
    if any(dilation * (k - 1) >= length for k, length in zip(size, lengths, strict=True)):
        raise BuildError(f"windows of {shape_text(size)} do not fit into the shape {shape_text(x.shape)}")

    (h, w), (kh, kw) = lengths, size
    # copies of an axis in a row, cut into rows longer than it by `dilation`: row k begins k * dilation later
    tall, wide = kh * (h + dilation), kw * (w + dilation)
    down, right = -(-tall // h), -(-wide // w)
    x = x.reshape(*lead, 1, h, 1, w).expand(*lead, down, h, right, w).reshape(*lead, down * h, right * w)
    x = x[..., :tall, :wide].reshape(*lead, kh, h + dilation, kw, w + dilation)
    x = x[..., : h - dilation * (kh - 1) : stride, :, : w - dilation * (kw - 1) : stride]
    first = len(lead)
    return x.permute(*range(first), first + 1, first + 3, first, first + 2)


def conv2d(x: Expr, weight: Expr, stride: int = 1, padding: int = 0, dilation: int = 1, groups: int = 1) -> Expr:
    """The cross-correlation of images (batch, channels, h, w) with `weight` (out, channels / groups, kh, kw).

    `padding` zeros surround each image. Gives (batch, out, rows, columns), added up as `sum` does.
    """
    shapes = f"images of the shape {shape_text(x.shape)} and weights of {shape_text(weight.shape)}"
    if x.ndim != 4 or weight.ndim != 4 or not all_int(x.shape[1:]) or not all_int(weight.shape):
        raise BuildError(f"a convolution takes two arrays of four axes, all but the first of known size, not {shapes}")
    (batch, channels, _, _), (out, own, kh, kw) = x.shape, weight.shape
    if groups < 1 or out % groups or channels != own * groups:
        raise BuildError(f"the channels of {shapes} do not fit each other in {groups} groups")

    x = windows(x.pad([(0, 0), (0, 0), (padding, padding), (padding, padding)]), (kh, kw), stride, dilation)
    rows, columns = x.shape[2:4]
    x = x.reshape(batch, groups, 1, own, rows, columns, kh, kw).permute(0, 1, 2, 4, 5, 3, 6, 7)
    weight = weight.reshape(1, groups, out // groups, 1, 1, own, kh, kw)
    return (x * weight).sum((5, 6, 7)).reshape(batch, out, rows, columns)
