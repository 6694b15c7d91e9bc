"""Names that a kernel's function and variables must not have in WGSL.

Those of builtin types and functions may be declared anew, but then hide what the shader itself calls.

Source: W3C, WebGPU Shading Language, keywords and reserved words.
"""

from __future__ import annotations

import re
from typing import Final

from core.render.wgsl_wide import FUNCTIONS

__all__ = ["WORDS"]

_LANGUAGE: Final = """
    alias break case const const_assert continue continuing default diagnostic discard else enable false fn for if
    let loop override requires return struct switch true var while

    NULL Self abstract active alignas alignof as asm asm_fragment async attribute auto await become cast catch class
    co_await co_return co_yield coherent column_major common compile compile_fragment concept const_cast consteval
    constexpr constinit crate debugger decltype delete demote demote_to_helper do dynamic_cast enum explicit export
    extends extern external fallthrough filter final finally friend from fxgroup get goto groupshared highp impl
    implements import inline instanceof interface layout lowp macro macro_rules match mediump meta mod module move
    mut mutable namespace new nil noexcept noinline nointerpolation non_coherent noncoherent noperspective null
    nullptr of operator package packoffset partial pass patch pixelfragment precise precision premerge priv protected
    pub public readonly ref regardless register reinterpret_cast require resource restrict self set shared sizeof
    smooth snorm static static_assert static_cast std subroutine super target template this thread_local throw trait
    try type typedef typeid typename typeof union unless unorm unsafe unsized use using varying virtual volatile wgsl
    where with writeonly yield
"""
_CALLED: Final = """
    array atomic bool f16 f32 i32 u32 vec2 vec3 vec4
    all any atomicAnd atomicLoad atomicOr bitcast countLeadingZeros extractBits pack2x16float select sqrt
    unpack2x16float workgroupBarrier
"""
_OWN: Final = "bits_inf bits_nan group local place"

WORDS: Final = tuple(re.findall(r"\w+", _LANGUAGE + _CALLED + _OWN)) + tuple(FUNCTIONS)
