"""Integers of 64 bits as vec2<u32>, low word first: functions in WGSL that a kernel declares as it needs them.

All wrap, as two's complement does; division by 0 gives 0. Conversions to float round to the nearest, ties to even: the
bits below the 32 highest are gathered in one sticky bit, which 24 bits of a float never reach.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

__all__ = ["FUNCTIONS", "needed"]

FUNCTIONS: Final = {
    "add64": """fn add64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let low = a.x + b.x;
  return vec2<u32>(low, a.y + b.y + select(0u, 1u, low < a.x));
}""",
    "neg64": """fn neg64(a: vec2<u32>) -> vec2<u32> {
  return add64(~a, vec2<u32>(1u, 0u));
}""",
    "sub64": """fn sub64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  return vec2<u32>(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x));
}""",
    "mul64": """fn mul64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let low = (a.x & 0xffffu) * (b.x & 0xffffu);
  let middle = (a.x >> 16u) * (b.x & 0xffffu) + (low >> 16u);
  let other = (a.x & 0xffffu) * (b.x >> 16u) + (middle & 0xffffu);
  let high = (a.x >> 16u) * (b.x >> 16u) + (middle >> 16u) + (other >> 16u);
  return vec2<u32>(a.x * b.x, high + a.x * b.y + a.y * b.x);
}""",
    "ltu64": """fn ltu64(a: vec2<u32>, b: vec2<u32>) -> bool {
  return a.y < b.y || (a.y == b.y && a.x < b.x);
}""",
    "lts64": """fn lts64(a: vec2<u32>, b: vec2<u32>) -> bool {
  return bitcast<i32>(a.y) < bitcast<i32>(b.y) || (a.y == b.y && a.x < b.x);
}""",
    "shl64": """fn shl64(a: vec2<u32>, count: u32) -> vec2<u32> {
  if (count == 0u) { return a; }
  if (count >= 64u) { return vec2<u32>(0u, 0u); }
  if (count >= 32u) { return vec2<u32>(0u, a.x << (count - 32u)); }
  return vec2<u32>(a.x << count, (a.y << count) | (a.x >> (32u - count)));
}""",
    "shru64": """fn shru64(a: vec2<u32>, count: u32) -> vec2<u32> {
  if (count == 0u) { return a; }
  if (count >= 64u) { return vec2<u32>(0u, 0u); }
  if (count >= 32u) { return vec2<u32>(a.y >> (count - 32u), 0u); }
  return vec2<u32>((a.x >> count) | (a.y << (32u - count)), a.y >> count);
}""",
    "shrs64": """fn shrs64(a: vec2<u32>, count: u32) -> vec2<u32> {
  let high = bitcast<i32>(a.y);
  let sign = bitcast<u32>(high >> 31u);
  if (count == 0u) { return a; }
  if (count >= 64u) { return vec2<u32>(sign, sign); }
  if (count >= 32u) { return vec2<u32>(bitcast<u32>(high >> (count - 32u)), sign); }
  return vec2<u32>((a.x >> count) | (a.y << (32u - count)), bitcast<u32>(high >> count));
}""",
    "divmod64": """fn divmod64(a: vec2<u32>, b: vec2<u32>) -> vec4<u32> {
  var quotient = vec2<u32>(0u, 0u);
  var rest = vec2<u32>(0u, 0u);
  if (all(b == vec2<u32>(0u, 0u))) { return vec4<u32>(0u, 0u, 0u, 0u); }
  for (var i = 0u; i < 64u; i++) {
    let carry = rest.y >> 31u;
    rest = shl64(rest, 1u);
    rest.x = rest.x | (shru64(a, 63u - i).x & 1u);
    if (carry == 1u || !ltu64(rest, b)) {
      rest = sub64(rest, b);
      quotient = quotient | shl64(vec2<u32>(1u, 0u), 63u - i);
    }
  }
  return vec4<u32>(quotient, rest);
}""",
    "abs64": """fn abs64(a: vec2<u32>) -> vec2<u32> {
  return select(a, neg64(a), (a.y >> 31u) == 1u);
}""",
    "divu64": """fn divu64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  return divmod64(a, b).xy;
}""",
    "modu64": """fn modu64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  return divmod64(a, b).zw;
}""",
    "divs64": """fn divs64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let quotient = divmod64(abs64(a), abs64(b)).xy;
  return select(quotient, neg64(quotient), ((a.y ^ b.y) >> 31u) == 1u);
}""",
    "mods64": """fn mods64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let rest = divmod64(abs64(a), abs64(b)).zw;
  return select(rest, neg64(rest), (a.y >> 31u) == 1u);
}""",
    "signed64": """fn signed64(a: i32) -> vec2<u32> {
  return vec2<u32>(bitcast<u32>(a), bitcast<u32>(a >> 31u));
}""",
    "floatu64": """fn floatu64(a: vec2<u32>) -> f32 {
  if (a.y == 0u) { return f32(a.x); }
  let shift = 32u - countLeadingZeros(a.y);
  let top = shru64(a, shift).x;
  let sticky = select(0u, 1u, any(shl64(vec2<u32>(top, 0u), shift) != a));
  return f32(top | sticky) * f32(1u << (shift >> 1u)) * f32(1u << (shift - (shift >> 1u)));
}""",
    "floats64": """fn floats64(a: vec2<u32>) -> f32 {
  let size = floatu64(abs64(a));
  return select(size, -size, (a.y >> 31u) == 1u);
}""",
    "whole64": """fn whole64(a: f32) -> vec2<u32> {
  let bits = bitcast<u32>(a);
  let exponent = (bits >> 23u) & 0xffu;
  if (exponent < 127u || exponent > 190u) { return vec2<u32>(0u, 0u); }
  let digits = vec2<u32>((bits & 0x7fffffu) | 0x800000u, 0u);
  let size = select(shl64(digits, exponent - 150u), shru64(digits, 150u - exponent), exponent < 150u);
  return select(size, neg64(size), (bits >> 31u) == 1u);
}""",
}
"""By name, in an order in which each calls only those before it."""

_CALL: Final = re.compile(r"\b([a-z]+64)\(")


def needed(lines: Iterable[str]) -> list[str]:
    """The declarations of all functions that `lines` call, and of those that these call."""
    called = {name for line in lines for name in _CALL.findall(line)} & set(FUNCTIONS)
    for name in reversed(FUNCTIONS):
        if name in called:
            called |= set(_CALL.findall(FUNCTIONS[name])) & set(FUNCTIONS)
    return [text for name, text in FUNCTIONS.items() if name in called]
