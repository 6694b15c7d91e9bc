"""What a stack of views reads, found by walking all elements with numpy, view by view."""

from __future__ import annotations

import numpy as np

from core.shape import ShapeTracker
from tests.core.shape.movement import Array


def walked(tracker: ShapeTracker) -> Array:
    """The position plus one that each index reaches, or 0 where a mask hides it. For trackers without variables."""
    coordinates = list(np.indices(tracker.shape, dtype=np.int64))
    readable = np.ones(tracker.shape, np.bool_)
    position = np.zeros(tracker.shape, np.int64)
    for depth, view in enumerate(reversed(tracker.views)):
        if depth:
            coordinates = []
            for size in reversed(view.shape):
                coordinates.insert(0, position % max(size, 1))
                position = position // max(size, 1)
        if view.mask is not None:
            for index, (low, high) in zip(coordinates, view.mask, strict=True):
                readable &= (low <= index) & (index < high)
        position = np.full(tracker.shape, view.offset, np.int64)
        for index, stride in zip(coordinates, view.strides, strict=True):
            position += index * stride
    return np.where(readable, position + 1, 0)
