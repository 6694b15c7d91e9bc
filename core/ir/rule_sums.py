"""Rules for integer sums and products."""

from __future__ import annotations

from core.ir.linear_form import LinearForm
from core.ir.ops import Ops
from core.ir.uop import UOp

__all__ = ["add_constants", "canonical_sum", "distribute", "multiply_constants"]


def canonical_sum(node: UOp) -> UOp | None:
    """Collect equal terms, join x//n*n with x%n, and put the terms in order."""
    form = LinearForm.of(node)
    if form is None:
        return None
    _join_quotients(form)
    result = form.to_uop()
    return None if result is node else result


def _join_quotients(form: LinearForm) -> None:
    """x % n + (x // n) * n is x, and x % n + (x // n % m) * n is x % (n * m)."""
    for remainder in [term for term in form.terms if term.op is Ops.MOD and term.src[1].op is Ops.CONST]:
        x, n = remainder.src[0], remainder.src[1].arg
        factor = form.terms.get(remainder, 0)
        for quotient in list(form.terms):
            if factor == 0 or form.terms[quotient] != factor * n:
                continue
            joined = _joined(x, n, quotient)
            if joined is not None:
                del form.terms[remainder], form.terms[quotient]
                form.terms[joined] = form.terms.get(joined, 0) + factor
                if form.terms[joined] == 0:
                    del form.terms[joined]
                break


def _joined(x: UOp, n: int, quotient: UOp) -> UOp | None:
    if _divides_by(quotient, x, n):
        return x
    if quotient.op is Ops.MOD and quotient.src[1].op is Ops.CONST and _divides_by(quotient.src[0], x, n):
        m = quotient.src[1].arg
        return x % (n * m) if n > 0 and m > 0 and n * m <= x.dtype.max else None
    return None


def _divides_by(quotient: UOp, x: UOp, n: int) -> bool:
    """Whether `quotient` is x // n, also where x is y // m and the quotient is written y // (m * n)."""
    if quotient.op is not Ops.IDIV or quotient.src[1].op is not Ops.CONST:
        return False
    y, divisor = quotient.src[0], quotient.src[1].arg
    if y is x:
        return bool(divisor == n)
    return x.op is Ops.IDIV and x.src[1].op is Ops.CONST and x.src[0] is y and bool(divisor == x.src[1].arg * n)


def add_constants(x: UOp, c: UOp, d: UOp) -> UOp:
    return x + UOp.const(x.dtype, c.arg + d.arg)


def multiply_constants(x: UOp, c: UOp, d: UOp) -> UOp:
    return x * UOp.const(x.dtype, c.arg * d.arg)


def distribute(node: UOp) -> UOp | None:
    form = LinearForm.of(node)
    if form is None:
        return None
    result = form.to_uop()
    return None if result is node else result
