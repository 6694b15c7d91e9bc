"""Halves without a compiler's run-time library, which a function that was compiled in memory may not find there."""

from __future__ import annotations

from typing import Final

from core.dtype import dtypes
from core.render.llvm_types import constant, type_name

__all__ = ["HALF_LIBRARY", "double_to_half", "double_to_half_name"]


def double_to_half_name(count: int) -> str:
    return "@double_to_half" if count == 1 else f"@double_to_half.v{count}"


def double_to_half(count: int) -> str:
    """The definition of a function that rounds a double, or a vector of `count`, to half once, to nearest and even.

    LLVM has no instruction for it and calls __truncdfhf2. Rounding to float and then to half would round twice; here
    the first step rounds to odd: an inexact float gets the last bit 1, so that it lies on no tie of the second step.
    """
    double, single, half = (type_name(dtype.vec(count)) for dtype in (dtypes.double, dtypes.float, dtypes.half))
    bits, bools = type_name(dtypes.int.vec(count)), type_name(dtypes.bool.vec(count))
    suffix = "f64" if count == 1 else f"v{count}f64"
    return f"""\
define internal {half} {double_to_half_name(count)}({double} %x) alwaysinline nounwind {{
  %near = fptrunc {double} %x to {single}
  %back = fpext {single} %near to {double}
  %inexact = fcmp one {double} %back, %x
  %magnitude = call {double} @llvm.fabs.{suffix}({double} %x)
  %rounded = call {double} @llvm.fabs.{suffix}({double} %back)
  %above = fcmp ogt {double} %rounded, %magnitude
  %bits = bitcast {single} %near to {bits}
  %one = select {bools} %above, {bits} {constant(dtypes.int.vec(count), 1)}, {bits} {constant(dtypes.int.vec(count), 0)}
  %below = sub {bits} %bits, %one
  %last = zext {bools} %inexact to {bits}
  %odd = or {bits} %below, %last
  %single = bitcast {bits} %odd to {single}
  %half = fptrunc {single} %single to {half}
  ret {half} %half
}}
declare {double} @llvm.fabs.{suffix}({double})"""


HALF_LIBRARY: Final = """\
define weak float @__extendhfsf2(half %x) nounwind {
  %bits = bitcast half %x to i16
  %wide = zext i16 %bits to i32
  %sign = and i32 %wide, 32768
  %sign.high = shl i32 %sign, 16
  %magnitude = and i32 %wide, 32767
  %shifted = shl i32 %magnitude, 13
  ; exponent and fraction are in place but for the bias, 127 - 15: a product by 2^112 adds it, subnormals included
  %small = bitcast i32 %shifted to float
  %scaled = fmul float %small, 0x46F0000000000000
  %finite = bitcast float %scaled to i32
  ; infinity and nan have all bits of the exponent
  %special = icmp uge i32 %magnitude, 31744
  %full = or i32 %shifted, 2139095040
  %unsigned = select i1 %special, i32 %full, i32 %finite
  %signed = or i32 %unsigned, %sign.high
  %result = bitcast i32 %signed to float
  ret float %result
}
define weak half @__truncsfhf2(float %x) nounwind {
  %bits = bitcast float %x to i32
  %sign = lshr i32 %bits, 16
  %sign.half = and i32 %sign, 32768
  %magnitude = and i32 %bits, 2147483647
  %absolute = bitcast i32 %magnitude to float
  ; normal halves: add half of the last place less one, and one more if that place is odd, then cut the bits below
  %place = lshr i32 %magnitude, 13
  %odd = and i32 %place, 1
  %biased = add i32 %magnitude, -939520001
  %nearest = add i32 %biased, %odd
  %normal = lshr i32 %nearest, 13
  ; subnormal halves: adding 0.5 makes the float's unit that of the subnormals, and rounds to it
  %moved = fadd float %absolute, 5.000000e-01
  %moved.bits = bitcast float %moved to i32
  %subnormal = sub i32 %moved.bits, 1056964608
  %is.subnormal = icmp ult i32 %magnitude, 947912704
  %finite = select i1 %is.subnormal, i32 %subnormal, i32 %normal
  ; 65520 and more round to infinity; a nan stays one
  %is.large = icmp uge i32 %magnitude, 1199566848
  %limited = select i1 %is.large, i32 31744, i32 %finite
  %is.nan = icmp ugt i32 %magnitude, 2139095040
  %unsigned = select i1 %is.nan, i32 32256, i32 %limited
  %signed = or i32 %unsigned, %sign.half
  %result.bits = trunc i32 %signed to i16
  %result = bitcast i16 %result.bits to half
  ret half %result
}
"""
"""The two functions that LLVM calls to convert between half and float where the processor cannot (x86 without F16C).

A module to link a rendered one with on such a machine: in a process that has not loaded the compiler's run-time library
the functions would be missing. Weak, so that the library's own are preferred where a linker finds them.
"""
