"""How a kernel's axes map to the elements of a buffer: `View` and `ShapeTracker`."""

from core.shape.shapetracker import ShapeTracker
from core.shape.view import ShapeError, View

__all__ = ["ShapeError", "ShapeTracker", "View"]
