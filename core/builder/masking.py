"""Which expressions are 0 where all that they load is masked, and therefore need no mask of their own."""

from __future__ import annotations

import math
from typing import Any

from core.builder.expr import Expr
from core.ir.evaluate import cast_const, evaluate
from core.ir.ops import Ops

__all__ = ["ZeroTest"]


class ZeroTest:
    """Evaluates expressions for loads of 0. Remembers what it has seen."""

    def __init__(self) -> None:
        self._values: dict[Expr, Any] = {}

    def __call__(self, root: Expr) -> bool:
        """Whether `root` is certainly 0, and not -0.0, where everything it loads is."""
        pending = [root]
        while pending:
            top = pending[-1]
            missing = [source for source in top.src if source not in self._values]
            if missing and top not in self._values:
                pending.extend(missing)
                continue
            if top not in self._values:
                self._values[top] = self._value(top)
            pending.pop()
        return _is_zero(self._values[root])

    def _value(self, expr: Expr) -> Any:
        """The value of `expr` for loads of 0, or None where that is not known."""
        op = expr.op
        if op in (Ops.DEFINE_GLOBAL, Ops.RANGE):
            return 0.0 if expr.dtype.is_float else expr.dtype.is_int and 0
        if op is Ops.CONST:
            return expr.arg
        operands = [self._values[source] for source in expr.src]
        # a divisor of 0 is 0 only by definition
        if op in (Ops.DEFINE_VAR, Ops.IDIV, Ops.MOD) or None in operands:
            return None
        if op is Ops.VIEW:
            # what is padded has a mask of its own if it needs one
            return _zero_like(operands[0]) if expr.arg.kind == "pad" else operands[0]
        if op is Ops.REDUCE_AXIS:
            return operands[0] if _is_zero(operands[0]) else None
        source = expr.src[0].dtype
        if op is Ops.CAST:
            return cast_const(expr.dtype, source, operands[0])
        if op is Ops.BITCAST:
            return (0.0 if expr.dtype.is_float else 0) if _is_zero(operands[0]) else None
        return evaluate(op, expr.dtype, operands, expr.src[-1].dtype if op is Ops.WHERE else source)


def _zero_like(value: Any) -> Any:
    return type(value)(0)


def _is_zero(value: Any) -> bool:
    return value is not None and value == 0 and math.copysign(1, value) > 0
