"""How a kernel's axes map to the elements of a buffer: `View` and `ShapeTracker`."""

from core.shape.shapetracker import ShapeTracker
from core.shape.sizes import ShapeError
from core.shape.view import View

__all__ = ["ShapeError", "ShapeTracker", "View"]
