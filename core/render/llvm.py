"""Backend `llvm`: one function a kernel in LLVM's textual IR, for LLVM 15 and later.

Accumulators are stack slots, which LLVM's first pass turns into registers. A gated load is a branch: its memory is not
touched where the gate is false. Nothing lets LLVM change a result: no fast-math flags, no promises about wrapping.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Final, NamedTuple

from core.dtype import DType
from core.errors import RenderError
from core.ir.ops import GroupOp, Ops
from core.ir.uop import UOp
from core.render.base import Renderer, parameters
from core.render.llvm_operators import LLVM_OPERATORS, Operator, bitcast, cast
from core.render.llvm_types import constant, memory_dtype, type_name
from core.render.names import Names

__all__ = ["Function", "LLVMRenderer"]


class LLVMRenderer(Renderer):
    name = "llvm"
    device = "LLVM"
    has_local = False
    has_shared = False

    code_for_op: ClassVar[Mapping[Ops, Operator]] = LLVM_OPERATORS

    def render(self, name: str, uops: Sequence[UOp]) -> str:
        self.check(uops)
        names = Names()
        function_name = names.claim(name)
        function = Function(self, uops, names)
        head = f"define void @{function_name}({', '.join(function.parameters)}) nounwind {{"
        body = [head, "entry:", *function.slots, *function.lines, "  ret void", "}"]
        return "\n".join([*function.declarations, *function.helpers, *body]) + "\n"


class _Loop(NamedTuple):
    """A loop: the labels where it tests, where it counts and where it ends, and the name of its next index."""

    test: str
    latch: str
    done: str
    following: str


class Function:
    """The instructions of one kernel. A node has one value, but an accumulator, which is loaded for each use."""

    def __init__(self, renderer: LLVMRenderer, uops: Sequence[UOp], names: Names) -> None:
        self.renderer, self.names = renderer, names
        self.parameters: list[str] = []
        self.slots: list[str] = []
        self.lines: list[str] = []
        # the texts of declarations, and of functions that are called, in the order of their first use
        self.declarations: dict[str, None] = {}
        self.helpers: dict[str, None] = {}
        self.values: dict[UOp, str] = {}
        self.accumulators: dict[UOp, str] = {}
        self.loops: dict[UOp, _Loop] = {}
        self.ends: dict[UOp, str] = {}
        # the label of the present block, and what the names of its results begin with
        self.block = names.claim("entry")
        self.prefix = "alu"

        for node in parameters(uops):
            self._parameter(node)
        for node in uops:
            handler = _HANDLERS.get(node.op)
            if handler is None:
                raise RenderError(renderer.name, node.op.name, _REFUSED.get(node.op, "the backend has no such op"))
            self.prefix = _PREFIXES.get(node.op, "alu")
            handler(self, node)

    # ---- instructions ---------------------------------------------------------------------------------------------

    def emit(self, text: str, name: str | None = None) -> str:
        """Append an instruction that has a result; the result's name."""
        result = f"%{name or self.names.number(self.prefix)}"
        self.lines.append(f"  {result} = {text}")
        return result

    def convert(self, instruction: str, dtype: DType, source: DType, value: str) -> str:
        return self.emit(f"{instruction} {type_name(source)} {value} to {type_name(dtype)}")

    def value(self, node: UOp) -> str:
        """The value of `node`; of an accumulator, the one it has here."""
        slot = self.accumulators.get(node)
        return self.values[node] if slot is None else self.emit(f"load {type_name(node.dtype)}, ptr {slot}")

    def jump(self, label: str) -> None:
        self.lines.append(f"  br label %{label}")

    def branch(self, condition: str, yes: str, no: str) -> None:
        self.lines.append(f"  br i1 {condition}, label %{yes}, label %{no}")

    def begin(self, label: str) -> None:
        self.lines.append(f"{label}:")
        self.block = label

    # ---- what runs ------------------------------------------------------------------------------------------------

    def _parameter(self, node: UOp) -> None:
        if node.op is Ops.DEFINE_GLOBAL:
            name, form = self.names.claim(f"data{node.arg}"), "ptr noalias"
        else:
            name, form = self.names.claim(node.arg[0]), type_name(node.dtype)
        self.parameters.append(f"{form} %{name}")
        self.values[node] = f"%{name}"

    def _declared(self, node: UOp) -> None:
        """A parameter, which the head of the function declares."""

    def _constant(self, node: UOp) -> None:
        self.values[node] = constant(node.dtype, node.arg)

    def _range(self, node: UOp) -> None:
        end, typed, before = self.value(node.src[0]), type_name(node.dtype), self.block
        index = self.names.claim(f"ridx{node.arg}")
        test, body, latch, done = (self.names.number(prefix) for prefix in ("test", "body", "latch", "done"))
        loop = self.loops[node] = _Loop(test, latch, done, self.names.claim(f"{index}_next"))

        self.jump(test)
        self.begin(test)
        self.values[node] = self.emit(f"phi {typed} [ 0, %{before} ], [ %{loop.following}, %{latch} ]", index)
        self.branch(self.emit(f"icmp slt {typed} {self.values[node]}, {end}"), body, done)
        self.begin(body)

    def _end_range(self, node: UOp) -> None:
        loop = self.loops[node.src[0]]
        self.jump(loop.latch)
        self.begin(loop.latch)
        self.emit(f"add {type_name(node.src[0].dtype)} {self.values[node.src[0]]}, 1", loop.following)
        self.jump(loop.test)
        self.begin(loop.done)

    def _if(self, node: UOp) -> None:
        then, end = self.names.number("then"), self.names.number("endif")
        self.branch(self.value(node.src[0]), then, end)
        self.begin(then)
        self.ends[node] = end

    def _end_if(self, node: UOp) -> None:
        end = self.ends[node.src[0]]
        self.jump(end)
        self.begin(end)

    def _accumulator(self, node: UOp) -> None:
        typed, slot = type_name(node.dtype), f"%{self.names.claim(f'acc{node.arg}')}"
        # in the entry block, for in a loop it would take more of the stack each time round
        self.slots.append(f"  {slot} = alloca {typed}")
        self.lines.append(f"  store {typed} {self.value(node.src[0])}, ptr {slot}")
        self.accumulators[node] = slot

    def _assign(self, node: UOp) -> None:
        slot = self.accumulators[node.src[0]]
        value = self.value(node.src[1])
        self.lines.append(f"  store {type_name(node.dtype)} {value}, ptr {slot}")
        self.accumulators[node] = slot

    def _index(self, node: UOp) -> None:
        buffer, index = node.src[:2]
        element = type_name(memory_dtype(buffer.dtype.base))
        place = f"{type_name(index.dtype)} {self.value(index)}"
        self.values[node] = self.emit(f"getelementptr {element}, ptr {self.values[buffer]}, {place}")

    def _load(self, node: UOp) -> None:
        stored = memory_dtype(node.dtype)
        access = f"load {type_name(stored)}, ptr {self.values[node.src[0]]}, align {stored.scalar().itemsize}"
        if len(node.src) == 1:
            self.values[node] = cast(self, node.dtype, stored, self.emit(access))
            return

        alternative, gate = self.value(node.src[1]), self.value(node.src[2])
        load, end, before = self.names.number("load"), self.names.number("endload"), self.block
        self.branch(gate, load, end)
        self.begin(load)
        value = cast(self, node.dtype, stored, self.emit(access))
        self.jump(end)
        self.begin(end)
        choice = f"phi {type_name(node.dtype)} [ {value}, %{load} ], [ {alternative}, %{before} ]"
        self.values[node] = self.emit(choice)

    def _store(self, node: UOp) -> None:
        address, value = node.src[:2]
        stored = memory_dtype(value.dtype)
        typed = f"{type_name(stored)} {cast(self, stored, value.dtype, self.value(value))}"
        self.lines.append(f"  store {typed}, ptr {self.values[address]}, align {stored.scalar().itemsize}")

    def _alu(self, node: UOp) -> None:
        operator = self.renderer.code_for_op.get(node.op)
        if operator is None:
            raise RenderError(self.renderer.name, f"{node.op.name} of {node.dtype}", "the backend has no such op")
        self.values[node] = operator(self, node, [self.value(source) for source in node.src])

    def _cast(self, node: UOp) -> None:
        self.values[node] = cast(self, node.dtype, node.src[0].dtype, self.value(node.src[0]))

    def _bitcast(self, node: UOp) -> None:
        self.values[node] = bitcast(self, node.dtype, node.src[0].dtype, self.value(node.src[0]))

    def _vectorize(self, node: UOp) -> None:
        typed, scalar = type_name(node.dtype), type_name(node.dtype.scalar())
        vector = "poison"  # every lane is replaced
        for lane, source in enumerate(node.src):
            vector = self.emit(f"insertelement {typed} {vector}, {scalar} {self.value(source)}, i32 {lane}")
        self.values[node] = vector

    def _gep(self, node: UOp) -> None:
        source = node.src[0]
        self.values[node] = self.emit(f"extractelement {type_name(source.dtype)} {self.value(source)}, i32 {node.arg}")


_PREFIXES: Final = {
    Ops.INDEX: "ptr",
    Ops.LOAD: "val",
    Ops.CAST: "cast",
    Ops.BITCAST: "cast",
    Ops.VECTORIZE: "cast",
}

_ONE_THREAD: Final = "its kernels run as one thread"
_REFUSED: Final = {
    Ops.SPECIAL: _ONE_THREAD,
    Ops.DEFINE_LOCAL: _ONE_THREAD,
    Ops.BARRIER: _ONE_THREAD,
}

_HANDLERS: Final[Mapping[Ops, Callable[[Function, UOp], None]]] = {
    Ops.DEFINE_GLOBAL: Function._declared,
    Ops.DEFINE_VAR: Function._declared,
    Ops.CONST: Function._constant,
    Ops.RANGE: Function._range,
    Ops.ENDRANGE: Function._end_range,
    Ops.IF: Function._if,
    Ops.ENDIF: Function._end_if,
    Ops.DEFINE_ACC: Function._accumulator,
    Ops.ASSIGN: Function._assign,
    Ops.INDEX: Function._index,
    Ops.LOAD: Function._load,
    Ops.STORE: Function._store,
    Ops.VECTORIZE: Function._vectorize,
    Ops.GEP: Function._gep,
    Ops.CAST: Function._cast,
    Ops.BITCAST: Function._bitcast,
    **dict.fromkeys(sorted(GroupOp.ALU), Function._alu),
}
