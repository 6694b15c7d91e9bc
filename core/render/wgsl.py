"""Backend `wgsl`: a compute shader in the WebGPU Shading Language.

Every value has a name of its own, and a vector one a lane. A buffer is a binding of group 0 in the order of the
kernel's parameters, and the variables are uniforms after them. A buffer whose elements are smaller than a word is an
array of words; a store clears the bits of its element and then sets them, each atomically, so that threads which write
others of the same word are not disturbed. A gated load is a branch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Final

from core.dtype import DType, PtrDType, dtypes
from core.errors import RenderError
from core.ir.ops import GroupOp, Ops
from core.ir.uop import UOp
from core.render.base import Renderer, parameters
from core.render.names import Names
from core.render.wgsl_operators import WGSL_OPERATORS, Operator, bitcast, cast
from core.render.wgsl_types import TYPES, is_literal, is_wide, literal, packed_bits, stored_type, type_name
from core.render.wgsl_wide import needed
from core.render.wgsl_words import WORDS

__all__ = ["Shader", "WGSLRenderer"]

_AXES: Final = "xyz"
_INDENT: Final = "  "
_BUILTINS: Final = {
    "gidx": ("workgroup_id", "group"),
    "lidx": ("local_invocation_id", "local"),
    "idx": ("global_invocation_id", "place"),
}
_BITS: Final = ("var<private> bits_inf: u32 = 0x7f800000u;", "var<private> bits_nan: u32 = 0x7fc00000u;")


class WGSLRenderer(Renderer):
    name = "wgsl"
    device = "WEBGPU"
    supports_float4 = False
    global_max = (65535, 65535, 65535)
    local_max = (256, 256, 64)
    shared_max = 32768
    code_for_op: ClassVar[Mapping[Ops, Operator]] = WGSL_OPERATORS

    def refuses(self, dtype: DType) -> str | None:
        return "the backend has no such type" if dtype.bits and dtype.scalar().name not in TYPES else None

    def render(self, name: str, uops: Sequence[UOp]) -> str:
        self.check(uops)
        names = Names()
        for word in WORDS:
            names.claim(word)
        function = names.claim(name)
        shader = Shader(self, uops, names)
        body = "\n".join(shader.lines)
        enable = ["enable f16;"] if any(node.dtype.base.scalar() is dtypes.half for node in uops) else []
        bits = [line for line in _BITS if line[13:21] in body]
        head = [*enable, *bits, *needed(shader.lines), *shader.bindings, *shader.shared]
        width = ", ".join(map(str, shader.workgroup))
        used = [builtin for kind, builtin in _BUILTINS.items() if kind in shader.builtins]
        arguments = ", ".join([f"@builtin({builtin}) {name}: vec3<u32>" for builtin, name in used])
        entry = f"@compute @workgroup_size({width})\nfn {function}({arguments}) {{"
        return "\n".join([*head, entry, *shader.lines, "}"]) + "\n"


class Shader:
    """The statements of one kernel. A node has one name or literal a lane."""

    def __init__(self, renderer: WGSLRenderer, uops: Sequence[UOp], names: Names) -> None:
        self.renderer, self.names = renderer, names
        self.bindings: list[str] = []
        self.shared: list[str] = []
        self.lines: list[str] = []
        self.builtins: set[str] = set()
        self.workgroup = [1, 1, 1]
        self.indent = _INDENT
        self.lanes: dict[UOp, list[str]] = {}
        self.mutable: set[UOp] = set()
        self.buffers: dict[UOp, str] = {}
        self.written = {node.src[0].src[0] for node in uops if node.op is Ops.STORE}

        for number, node in enumerate(parameters(uops)):
            self._parameter(number, node)
        for node in uops:
            handler = _HANDLERS.get(node.op)
            if handler is None:
                raise RenderError(renderer.name, node.op.name, "the backend has no such op")
            handler(self, node)

    # ---- statements -----------------------------------------------------------------------------------------------

    def say(self, text: str) -> None:
        self.lines.append(f"{self.indent}{text}")

    def let(self, type_: str, text: str, prefix: str = "alu") -> str:
        """A new name for the value of an expression."""
        name = self.names.number(prefix)
        self.say(f"let {name}: {type_} = {text};")
        return name

    def var(self, type_: str, text: str, name: str) -> str:
        self.say(f"var {name}: {type_} = {text};")
        return name

    def runtime(self, type_: str, text: str) -> str:
        """A literal as the value of a variable, where a constant expression would be refused."""
        return self.var(type_, text, self.names.number("const")) if is_literal(text) else text

    def value(self, node: UOp) -> list[str]:
        return self.lanes[node]

    def kept(self, node: UOp) -> list[str]:
        """The value of `node`; of an accumulator a copy, for it may change before this is used."""
        if node not in self.mutable:
            return self.lanes[node]
        return [self.let(type_name(node.dtype), lane) for lane in self.lanes[node]]

    def scalar(self, node: UOp) -> str:
        (lane,) = self.value(node)
        return lane

    # ---- what runs ------------------------------------------------------------------------------------------------

    def _parameter(self, number: int, node: UOp) -> None:
        place = f"@group(0) @binding({number})"
        if node.op is Ops.DEFINE_GLOBAL:
            name = self.names.claim(f"data{node.arg}")
            element = stored_type(node.dtype.base, written=node in self.written)
            self.bindings.append(f"{place} var<storage, read_write> {name}: array<{element}>;")
            self.buffers[node] = name
        else:
            name = self.names.claim(node.arg[0])
            self.bindings.append(f"{place} var<uniform> {name}: {type_name(node.dtype)};")
            self.lanes[node] = [name]

    def _declared(self, node: UOp) -> None:
        """A parameter, which is a binding."""

    def _local(self, node: UOp) -> None:
        name = self.names.claim(str(node.arg))
        dtype = node.dtype
        assert isinstance(dtype, PtrDType)
        self.shared.append(f"var<workgroup> {name}: array<{type_name(dtype.base)}, {dtype.size}>;")
        self.buffers[node] = name

    def _constant(self, node: UOp) -> None:
        self.lanes[node] = [literal(node.dtype, node.arg)] * node.dtype.count

    def _special(self, node: UOp) -> None:
        name, size = node.arg
        kind, axis = name[:-1], int(name[-1])
        if kind == "lidx":
            if not isinstance(size, int):
                raise RenderError(self.renderer.name, f"the launch dimension {name}", "a workgroup has a constant size")
            self.workgroup[axis] = size
        self.builtins.add(kind)
        index = f"{_BUILTINS[kind][1]}.{_AXES[axis]}"
        text = f"vec2<u32>({index}, 0u)" if is_wide(node.dtype) else f"i32({index})"
        variable = self.names.claim(name)
        extent = f" // {size}" if isinstance(size, int) else ""
        self.say(f"let {variable}: {type_name(node.dtype)} = {text};{extent}")
        self.lanes[node] = [variable]

    def _range(self, node: UOp) -> None:
        name, end, typed = self.names.claim(f"ridx{node.arg}"), self.scalar(node.src[0]), type_name(node.dtype)
        if is_wide(node.dtype):
            step = f"{name} = add64({name}, {literal(node.dtype, 1)})"
            self.say(f"for (var {name}: {typed} = {literal(node.dtype, 0)}; lts64({name}, {end}); {step}) {{")
        else:
            self.say(f"for (var {name}: {typed} = 0i; {name} < {end}; {name}++) {{")
        self.indent += _INDENT
        self.lanes[node] = [name]

    def _if(self, node: UOp) -> None:
        self.say(f"if ({self.scalar(node.src[0])}) {{")
        self.indent += _INDENT

    def _close(self, node: UOp) -> None:
        self.indent = self.indent[: -len(_INDENT)]
        self.say("}")

    def _barrier(self, node: UOp) -> None:
        self.say("workgroupBarrier();")

    def _accumulator(self, node: UOp) -> None:
        base, count = f"acc{node.arg}", node.dtype.count
        names = [self.names.claim(base if count == 1 else f"{base}_{lane}") for lane in range(count)]
        starts = self.value(node.src[0])
        typed = type_name(node.dtype)
        self.lanes[node] = [self.var(typed, start, name) for start, name in zip(starts, names, strict=True)]
        self.mutable.add(node)

    def _assign(self, node: UOp) -> None:
        accumulator, value = node.src
        for target, source in zip(self.lanes[accumulator], self.value(value), strict=True):
            self.say(f"{target} = {source};")
        self.lanes[node] = self.lanes[accumulator]
        self.mutable.add(node)

    # ---- memory ---------------------------------------------------------------------------------------------------

    def _index(self, node: UOp) -> None:
        index = node.src[1]
        text = self.scalar(index)
        if is_wide(index.dtype):
            if index.vmax >= 1 << 32:
                raise RenderError(
                    self.renderer.name, f"an index up to {index.vmax}", "an array has at most 2^32 elements"
                )
            text = self.let("u32", f"{text}.x")
        elif text.startswith("i32(-"):  # behind a gate that is false; as a constant it is refused even there
            text = self.runtime("i32", text)
        elif index in self.mutable:
            text = self.let(type_name(index.dtype), text)
        self.lanes[node] = [text]

    def _element(self, address: UOp, lane: int) -> str:
        """The index of the element that the lane of a vector at `address` is."""
        index = self.scalar(address)
        if not lane:
            return index
        unsigned = is_wide(address.src[1].dtype)
        return f"{index} + {lane}{'u' if unsigned else 'i'}"

    def _load(self, node: UOp) -> None:
        address = node.src[0]
        typed, count = type_name(node.dtype), node.dtype.count
        if len(node.src) == 1:
            self.lanes[node] = [self.let(typed, self._read(address, node.dtype, lane), "val") for lane in range(count)]
            return
        names = [self.names.number("val") for _ in range(count)]
        for name, alternative in zip(names, self.value(node.src[1]), strict=True):
            self.var(typed, alternative, name)
        self.say(f"if ({self.scalar(node.src[2])}) {{")
        self.indent += _INDENT
        for lane, name in enumerate(names):
            self.say(f"{name} = {self._read(address, node.dtype, lane)};")
        self._close(node)
        self.lanes[node] = names

    def _read(self, address: UOp, dtype: DType, lane: int) -> str:
        buffer, index = address.src[0], self._element(address, lane)
        name, bits = self.buffers[buffer], packed_bits(dtype)
        if not bits or buffer.op is Ops.DEFINE_LOCAL:
            return f"{name}[{index}]"
        word, offset = _packed_place(index, bits)
        text = f"atomicLoad(&{name}[{word}])" if buffer in self.written else f"{name}[{word}]"
        scalar = dtype.scalar()
        if scalar.is_bool:
            return f"extractBits({text}, {offset}, {bits}u) != 0u"
        value = text if scalar.is_unsigned else f"bitcast<i32>({text})"
        return f"extractBits({value}, {offset}, {bits}u)"

    def _store(self, node: UOp) -> None:
        address, value = node.src[:2]
        for lane, text in enumerate(self.value(value)):
            self._write(address, value.dtype.scalar(), lane, text)

    def _write(self, address: UOp, dtype: DType, lane: int, value: str) -> None:
        buffer, index = address.src[0], self._element(address, lane)
        name, bits = self.buffers[buffer], packed_bits(dtype)
        if not bits or buffer.op is Ops.DEFINE_LOCAL:
            self.say(f"{name}[{index}] = {value};")
            return
        word, offset = _packed_place(index, bits)
        word, offset = self.let("u32", word), self.let("u32", offset)
        mask = (1 << bits) - 1
        number = f"u32({value})" if dtype.is_bool or dtype.is_unsigned else f"bitcast<u32>({value})"
        self.say(f"atomicAnd(&{name}[{word}], ~({mask}u << {offset}));")
        self.say(f"atomicOr(&{name}[{word}], ({number} & {mask}u) << {offset});")

    # ---- values ---------------------------------------------------------------------------------------------------

    def _alu(self, node: UOp) -> None:
        operator = self.renderer.code_for_op.get(node.op)
        if operator is None:
            raise RenderError(self.renderer.name, f"{node.op.name} of {node.dtype}", "the backend has no such op")
        operands = [self._spread(source, node.dtype.count) for source in node.src]
        typed, lanes = type_name(node.dtype), []
        for args in zip(*operands, strict=True):
            if all(map(is_literal, args)):
                args = (self.runtime(type_name(node.src[0].dtype), args[0]), *args[1:])
            lanes.append(self.let(typed, operator(self, node, args)))
        self.lanes[node] = lanes

    def _spread(self, node: UOp, count: int) -> list[str]:
        lanes = self.value(node)
        return lanes * count if len(lanes) == 1 else lanes

    def _cast(self, node: UOp) -> None:
        self._convert(node, cast)

    def _bitcast(self, node: UOp) -> None:
        source = node.src[0]
        if node.dtype.count != source.dtype.count:
            raise RenderError(self.renderer.name, f"BITCAST of {source.dtype} to {node.dtype}", "sizes of lanes differ")
        self._convert(node, bitcast)

    def _convert(self, node: UOp, conversion: Callable[[Shader, DType, DType, str], str]) -> None:
        source = node.src[0]
        to, since, typed = node.dtype.scalar(), source.dtype.scalar(), type_name(source.dtype)
        values = [self.runtime(typed, lane) for lane in self.value(source)]
        self.lanes[node] = [self.let(type_name(to), conversion(self, to, since, lane), "cast") for lane in values]

    def _vectorize(self, node: UOp) -> None:
        self.lanes[node] = [lane for source in node.src for lane in self.kept(source)]

    def _gep(self, node: UOp) -> None:
        source = node.src[0]
        lane = self.lanes[source][node.arg]
        self.lanes[node] = [self.let(type_name(node.dtype), lane) if source in self.mutable else lane]


def _packed_place(index: str, bits: int) -> tuple[str, str]:
    """(index of the word, number of its first bit) of an element of `bits` bits."""
    per_word = {8: 2, 16: 1}[bits]
    mask, scale = (1 << per_word) - 1, bits.bit_length() - 1
    return f"u32({index}) >> {per_word}u", f"(u32({index}) & {mask}u) << {scale}u"


_HANDLERS: Final[Mapping[Ops, Callable[[Shader, UOp], None]]] = {
    Ops.DEFINE_GLOBAL: Shader._declared,
    Ops.DEFINE_VAR: Shader._declared,
    Ops.DEFINE_LOCAL: Shader._local,
    Ops.SPECIAL: Shader._special,
    Ops.CONST: Shader._constant,
    Ops.RANGE: Shader._range,
    Ops.ENDRANGE: Shader._close,
    Ops.IF: Shader._if,
    Ops.ENDIF: Shader._close,
    Ops.BARRIER: Shader._barrier,
    Ops.DEFINE_ACC: Shader._accumulator,
    Ops.ASSIGN: Shader._assign,
    Ops.INDEX: Shader._index,
    Ops.LOAD: Shader._load,
    Ops.STORE: Shader._store,
    Ops.VECTORIZE: Shader._vectorize,
    Ops.GEP: Shader._gep,
    Ops.CAST: Shader._cast,
    Ops.BITCAST: Shader._bitcast,
    **dict.fromkeys(sorted(GroupOp.ALU), Shader._alu),
}
