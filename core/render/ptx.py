"""Backend `ptx`: a kernel in NVIDIA's virtual assembly, for ptxas and the driver.

A scalar is a register, a vector a register a lane. Registers of accumulators are written again and again, so what is
read from one is copied. A gated load is predicated: its memory is not touched where the gate is false.

Source: NVIDIA, Parallel Thread Execution ISA, version 8.0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import ClassVar, Final

from core.dtype import DType, dtypes
from core.errors import RenderError
from core.ir.ops import GroupOp, Ops
from core.ir.uop import UOp
from core.opt.tensor_core import CUDA_SM75, CUDA_SM80, TensorCore
from core.render.base import Renderer, parameters
from core.render.cuda import CUDARenderer
from core.render.matrix import Product
from core.render.names import Names
from core.render.ptx_operators import PTX_OPERATORS, Operator, bitcast, cast
from core.render.ptx_types import TYPES, immediate, memory_suffix, ptx_type

__all__ = ["Kernel", "PTXRenderer"]

_VERSION: Final = "8.0"
_WIDEST_ACCESS: Final = 16  # bytes
_FARTHEST: Final = 1 << 30  # bytes that an address is from a register: PTX has 32 bits for them, and a sign
_HALF_UNITS: Final = tuple([unit for unit in CUDA_SM80 if unit.dtype_in is dtypes.half])
_AXES: Final = "xyz"
_GLOBAL: Final = "global"
_SHARED: Final = "shared"


class PTXRenderer(Renderer):
    name = "ptx"
    device = "CUDA"
    slow_division = True
    default_arch = CUDARenderer.default_arch
    archs = CUDARenderer.archs
    tensor_cores_of: ClassVar[Mapping[str | None, tuple[TensorCore, ...]]] = {
        "sm_75": CUDA_SM75,
        **dict.fromkeys(("sm_80", "sm_89", "sm_90"), _HALF_UNITS),
    }
    global_max = CUDARenderer.global_max
    local_max = CUDARenderer.local_max
    shared_max = CUDARenderer.shared_max
    code_for_op: ClassVar[Mapping[Ops, Operator]] = PTX_OPERATORS

    def refuses(self, dtype: DType) -> str | None:
        return "the backend has no such type" if dtype.bits and dtype.scalar().name not in TYPES else None

    def render(self, name: str, uops: Sequence[UOp]) -> str:
        self.check(uops)
        names = Names()
        function = names.claim(name)
        kernel = Kernel(self, uops, names)
        parts = [
            f".version {_VERSION}",
            f".target {self.arch}",
            ".address_size 64",
            "",
            f".visible .entry {function}({', '.join(kernel.parameters)})",
            *_launch_bounds(uops),
            "{",
            *kernel.declarations(),
            *kernel.lines,
            "  ret;",
            "}",
        ]
        return "\n".join(parts) + "\n"


def _launch_bounds(uops: Sequence[UOp]) -> list[str]:
    """How many threads a block has along each axis, where that is known: registers are shared out among so many."""
    sizes = {"lidx0": 1, "lidx1": 1, "lidx2": 1}
    for node in uops:
        if node.op is Ops.SPECIAL and not node.arg[0].startswith("g"):
            axis, size = node.arg
            if axis not in sizes or not isinstance(size, int):
                return []
            sizes[axis] = size
    return [f".maxntid {', '.join(map(str, sizes.values()))}"]


class Kernel:
    """The instructions of one kernel. A node has one value a lane: a register, or a constant."""

    def __init__(self, renderer: PTXRenderer, uops: Sequence[UOp], names: Names) -> None:
        self.renderer, self.names = renderer, names
        self.parameters: list[str] = []
        self.shared: list[str] = []
        self.lines: list[str] = []
        self.counts: dict[str, int] = {}
        self.lanes: dict[UOp, list[str]] = {}
        self.mutable: set[UOp] = set()
        self.addresses: dict[UOp, tuple[str, str]] = {}
        # by buffer and index, the register of an address
        self.places: dict[tuple[UOp, UOp], str] = {}
        # the values of constants: those of halves and bools are registers
        self.constants: dict[UOp, list[str]] = {}
        # both, as they were before each open block
        self.outer: list[tuple[dict[tuple[UOp, UOp], str], dict[UOp, list[str]]]] = []
        self.loops: dict[UOp, tuple[str, str]] = {}
        self.labels = 0

        for node in parameters(uops):
            self._parameter(node)
        for node in uops:
            handler = _HANDLERS.get(node.op)
            if handler is None:
                raise RenderError(renderer.name, node.op.name, "the backend has no such op")
            handler(self, node)

    def declarations(self) -> Iterator[str]:
        """The registers by class, and shared memory."""
        classes = {kind.prefix: kind.register for kind in TYPES.values()}
        for prefix, count in sorted(self.counts.items()):
            yield f"  .reg {classes[prefix]} {prefix}<{count}>;"
        yield from self.shared

    # ---- instructions ---------------------------------------------------------------------------------------------

    def register(self, dtype: DType) -> str:
        """A new register for a scalar."""
        prefix = ptx_type(dtype).prefix
        number = self.counts.get(prefix, 0)
        self.counts[prefix] = number + 1
        return f"{prefix}{number}"

    def emit(self, dtype: DType, instruction: str, *operands: str) -> str:
        """Append an instruction with a result of a scalar type; its register."""
        result = self.register(dtype)
        self.lines.append(f"  {instruction} {', '.join((result, *operands))};")
        return result

    def say(self, text: str) -> None:
        self.lines.append(f"  {text};")

    def constant(self, dtype: DType, value: float) -> str:
        """A constant of a scalar type, but for bool, as an operand. No instruction on halves takes one."""
        text = immediate(dtype, value)
        return self.emit(dtype, "mov.b16", text) if dtype is dtypes.half else text

    def label(self, name: str) -> str:
        self.labels += 1
        return f"${name}{self.labels}"

    def value(self, node: UOp) -> list[str]:
        """The value of `node`, a register or constant a lane, for an instruction that comes now."""
        if node.op is not Ops.CONST:
            return self.lanes[node]
        if node not in self.constants:
            self._constant(node)  # it was set in a block that has ended
        return self.constants[node]

    def kept(self, node: UOp) -> list[str]:
        """The value of `node`; of an accumulator a copy, for it may change before this is used."""
        lanes = self.value(node)
        if node not in self.mutable:
            return lanes
        scalar = node.dtype.scalar()
        return [self.emit(scalar, f"mov.{ptx_type(scalar).bits}", lane) for lane in lanes]

    def scalar(self, node: UOp) -> str:
        (lane,) = self.value(node)
        return lane

    # ---- what runs ------------------------------------------------------------------------------------------------

    def _parameter(self, node: UOp) -> None:
        pointer = node.op is Ops.DEFINE_GLOBAL
        name = self.names.claim(f"data{node.arg}" if pointer else node.arg[0])
        dtype = dtypes.ulong if pointer else node.dtype
        self.parameters.append(f".param .u{dtype.bits} {name}")
        value = self.emit(dtype, f"ld.param.u{dtype.bits}", f"[{name}]")
        if pointer:
            self.addresses[node] = (self.emit(dtype, "cvta.to.global.u64", value), _GLOBAL)
        else:
            self.lanes[node] = [value]

    def _declared(self, node: UOp) -> None:
        """A parameter, which is read at the start."""

    def _local(self, node: UOp) -> None:
        name = self.names.claim(node.arg)
        size = node.dtype.size * node.dtype.base.itemsize  # type: ignore[attr-defined]
        self.shared.append(f"  .shared .align 16 .b8 {name}[{size}];")
        self.addresses[node] = (self.emit(dtypes.ulong, "mov.u64", name), _SHARED)

    def _constant(self, node: UOp) -> None:
        scalar = node.dtype.scalar()
        if scalar.is_bool:
            text = self.emit(scalar, f"setp.{'eq' if node.arg else 'ne'}.s32", "0", "0")
        else:
            text = self.constant(scalar, node.arg)
        self.constants[node] = [text] * node.dtype.count

    def _special(self, node: UOp) -> None:
        name = node.arg[0]
        axis = _AXES[int(name[-1])]
        group, thread = f"%ctaid.{axis}", f"%tid.{axis}"
        if name.startswith("idx"):
            width = self.emit(dtypes.uint, "mov.u32", f"%ntid.{axis}")
            of_group, of_thread = (self.emit(dtypes.uint, "mov.u32", source) for source in (group, thread))
            index = self.emit(dtypes.int, "mad.lo.s32", of_group, width, of_thread)
        else:
            index = self.emit(dtypes.int, "mov.u32", group if name.startswith("gidx") else thread)
        self.lanes[node] = [cast(self, node.dtype, dtypes.uint, index) if node.dtype.bits == 64 else index]

    def _range(self, node: UOp) -> None:
        dtype = node.dtype
        end = self.scalar(node.src[0])
        index = self.emit(dtype, f"mov.{ptx_type(dtype).bits}", "0")
        test, done = self.label("loop"), self.label("done")
        self.loops[node] = (test, done)
        self.lanes[node] = [index]
        self.lines.append(f"{test}:")
        finished = self.emit(dtypes.bool, f"setp.ge.{ptx_type(dtype).arithmetic}", index, end)
        self.say(f"@{finished} bra {done}")
        self._open()

    def _end_range(self, node: UOp) -> None:
        (loop,) = node.src
        self._close()
        test, done = self.loops[loop]
        (index,) = self.lanes[loop]
        self.say(f"add.{ptx_type(loop.dtype).arithmetic} {index}, {index}, 1")
        self.say(f"bra {test}")
        self.lines.append(f"{done}:")

    def _if(self, node: UOp) -> None:
        end = self.label("endif")
        self.say(f"@!{self.scalar(node.src[0])} bra {end}")
        self._open()
        self.loops[node] = (end, end)

    def _end_if(self, node: UOp) -> None:
        self._close()
        self.lines.append(f"{self.loops[node.src[0]][0]}:")

    def _open(self) -> None:
        """What is computed in a block that may be skipped is not there after it."""
        self.outer.append((dict(self.places), dict(self.constants)))

    def _close(self) -> None:
        self.places, self.constants = self.outer.pop()

    def _barrier(self, node: UOp) -> None:
        self.say("bar.sync 0")

    def _accumulator(self, node: UOp) -> None:
        scalar = node.dtype.scalar()
        start = self.value(node.src[0])
        self.lanes[node] = [self.emit(scalar, f"mov.{ptx_type(scalar).bits}", lane) for lane in start]
        self.mutable.add(node)

    def _assign(self, node: UOp) -> None:
        accumulator, value = node.src
        targets = self.lanes[accumulator]
        for target, source in zip(targets, self.value(value), strict=True):
            self.say(f"mov.{ptx_type(node.dtype).bits} {target}, {source}")
        self.lanes[node] = targets
        self.mutable.add(node)

    # ---- memory ---------------------------------------------------------------------------------------------------

    def _index(self, node: UOp) -> None:
        buffer, index = node.src[:2]
        base, space = self.addresses[buffer]
        size = buffer.dtype.base.itemsize
        if index.op is Ops.CONST and abs(index.arg * size) < _FARTHEST:
            self.addresses[node] = (f"{base}+{index.arg * size}" if index.arg else base, space)
            return
        variable, constant = index, 0
        if index.op is Ops.ADD and index.src[1].op is Ops.CONST and abs(index.src[1].arg * size) < _FARTHEST:
            variable, constant = index.src[0], index.src[1].arg * size  # an instruction adds a constant to an address
        key = (buffer, variable)
        if variable in self.mutable or key not in self.places:
            wide = variable.dtype.bits == 64
            offset = self.emit(dtypes.long, "mul.lo.s64" if wide else "mul.wide.s32", self.scalar(variable), str(size))
            self.places[key] = self.emit(dtypes.long, "add.s64", base, offset)
        self.addresses[node] = (_place(self.places[key], constant), space)

    def _load(self, node: UOp) -> None:
        address, space = self.addresses[node.src[0]]
        scalar, gate = node.dtype.scalar(), None
        kind = dtypes.uchar if scalar.is_bool else scalar
        if len(node.src) > 1:
            gate = self.scalar(node.src[2])
            alternative = [cast(self, kind, scalar, lane) for lane in self.value(node.src[1])]
            lanes = [self.emit(kind, f"mov.{ptx_type(kind).bits}", lane) for lane in alternative]
        else:
            lanes = [self.register(kind) for _ in range(node.dtype.count)]
        guard = f"@{gate} " if gate else ""
        for first, part in _parts(lanes, kind):
            place = _place(address, first * kind.itemsize)
            self.say(f"{guard}ld.{space}{_vector(part)}.{memory_suffix(kind)} {_listed(part)}, [{place}]")
        self.lanes[node] = [cast(self, scalar, kind, lane) for lane in lanes]

    def _store(self, node: UOp) -> None:
        target, value = node.src[:2]
        address, space = self.addresses[target]
        scalar = value.dtype.scalar()
        kind = dtypes.uchar if scalar.is_bool else scalar
        lanes = [cast(self, kind, scalar, lane) for lane in self.value(value)]
        for first, part in _parts(lanes, kind):
            place = _place(address, first * kind.itemsize)
            suffix = memory_suffix(kind).replace("s8", "u8")
            self.say(f"st.{space}{_vector(part)}.{suffix} [{place}], {_listed(part)}")

    # ---- values ---------------------------------------------------------------------------------------------------

    def _alu(self, node: UOp) -> None:
        operator = self.renderer.code_for_op.get(node.op)
        if operator is None:
            raise RenderError(self.renderer.name, f"{node.op.name} of {node.dtype}", "the backend has no such op")
        lanes = [self._spread(source, node.dtype.count) for source in node.src]
        self.lanes[node] = [operator(self, node, operands) for operands in zip(*lanes, strict=True)]

    def _spread(self, node: UOp, count: int) -> list[str]:
        lanes = self.value(node)
        return lanes * count if len(lanes) == 1 else lanes

    def _cast(self, node: UOp) -> None:
        to, since = node.dtype.scalar(), node.src[0].dtype.scalar()
        self.lanes[node] = [cast(self, to, since, self._in_register(since, lane)) for lane in self.kept(node.src[0])]

    def _bitcast(self, node: UOp) -> None:
        source = node.src[0]
        to, since = node.dtype.scalar(), source.dtype.scalar()
        if node.dtype.count != source.dtype.count:
            raise RenderError(self.renderer.name, f"BITCAST of {source.dtype} to {node.dtype}", "sizes of lanes differ")
        self.lanes[node] = [bitcast(self, to, since, self._in_register(since, lane)) for lane in self.kept(source)]

    def _in_register(self, dtype: DType, lane: str) -> str:
        """Conversions take no constants."""
        return lane if lane.startswith("%") else self.emit(dtype, f"mov.{ptx_type(dtype).bits}", lane)

    def _vectorize(self, node: UOp) -> None:
        self.lanes[node] = [lane for source in node.src for lane in self.kept(source)]

    def _gep(self, node: UOp) -> None:
        self.lanes[node] = [self.kept(node.src[0])[node.arg]]

    def _matrix_product(self, node: UOp) -> None:
        """One instruction for the threads of a warp; halves are passed in pairs."""
        product = Product.of(node, self.renderer.name)
        assert self.renderer.arch is not None
        types, since = _MMA.get(product.key, ("", 0))
        if not types or int(self.renderer.arch.removeprefix("sm_")) < since:
            reason = f"architecture {self.renderer.arch} multiplies no such matrices"
            raise RenderError(self.renderer.name, product.name, reason)
        n, m, k = product.dims
        a, b, c = (self._paired(source) for source in node.src)
        kind = dtypes.float if product.c.scalar() is dtypes.float else dtypes.uint
        d = [self.register(kind) for _ in c]
        operands = ", ".join(f"{{{', '.join(registers)}}}" for registers in (d, a, b, c))
        self.say(f"mma.sync.aligned.m{m}n{n}k{k}.row.col.{types} {operands}")
        self.lanes[node] = d if kind is dtypes.float else [lane for register in d for lane in self._halves(register)]

    def _paired(self, node: UOp) -> list[str]:
        scalar = node.dtype.scalar()
        lanes = [self._in_register(scalar, lane) for lane in self.value(node)]
        if scalar is dtypes.float:
            return lanes
        pairs = zip(lanes[::2], lanes[1::2], strict=True)
        return [self.emit(dtypes.uint, "mov.b32", f"{{{low}, {high}}}") for low, high in pairs]

    def _halves(self, register: str) -> list[str]:
        low, high = self.register(dtypes.half), self.register(dtypes.half)
        self.say(f"mov.b32 {{{low}, {high}}}, {register}")
        return [low, high]


def _parts(lanes: list[str], dtype: DType) -> Iterator[tuple[int, list[str]]]:
    """(number of the first lane, lanes) of each access: of at most 4 lanes and 16 bytes."""
    widest = min(4, _WIDEST_ACCESS // dtype.itemsize)
    first = 0
    while first < len(lanes):
        width = max(size for size in (1, 2, 4) if size <= min(widest, len(lanes) - first))
        yield first, lanes[first : first + width]
        first += width


def _place(address: str, offset: int) -> str:
    if not offset:
        return address
    register, _, before = address.partition("+")
    return f"{register}+{int(before or 0) + offset}"


def _vector(part: list[str]) -> str:
    return "" if len(part) == 1 else f".v{len(part)}"


def _listed(part: list[str]) -> str:
    return part[0] if len(part) == 1 else f"{{{', '.join(part)}}}"


# "Warp-level matrix instructions using mma": the types D, A, B, C, and the first architecture
_MMA: Final = {
    ((8, 16, 16), "half", "float"): ("f32.f16.f16.f32", 80),
    ((8, 16, 16), "half", "half"): ("f16.f16.f16.f16", 80),
    ((8, 16, 8), "half", "float"): ("f32.f16.f16.f32", 75),
    ((8, 16, 8), "half", "half"): ("f16.f16.f16.f16", 75),
}

_HANDLERS: Final[Mapping[Ops, Callable[[Kernel, UOp], None]]] = {
    Ops.DEFINE_GLOBAL: Kernel._declared,
    Ops.DEFINE_VAR: Kernel._declared,
    Ops.DEFINE_LOCAL: Kernel._local,
    Ops.CONST: Kernel._constant,
    Ops.SPECIAL: Kernel._special,
    Ops.RANGE: Kernel._range,
    Ops.ENDRANGE: Kernel._end_range,
    Ops.IF: Kernel._if,
    Ops.ENDIF: Kernel._end_if,
    Ops.BARRIER: Kernel._barrier,
    Ops.DEFINE_ACC: Kernel._accumulator,
    Ops.ASSIGN: Kernel._assign,
    Ops.INDEX: Kernel._index,
    Ops.LOAD: Kernel._load,
    Ops.STORE: Kernel._store,
    Ops.VECTORIZE: Kernel._vectorize,
    Ops.GEP: Kernel._gep,
    Ops.CAST: Kernel._cast,
    Ops.BITCAST: Kernel._bitcast,
    Ops.WMMA: Kernel._matrix_product,
    **dict.fromkeys(sorted(GroupOp.ALU), Kernel._alu),
}
