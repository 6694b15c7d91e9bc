"""The statements of one kernel in a language that looks like C, written in the order of its linear program."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from core.dtype import DType, ImageDType, PtrDType
from core.errors import RenderError
from core.ir.ops import GroupOp, Ops
from core.ir.uop import UOp
from core.render.base import parameters
from core.render.guards import repeats_operands
from core.render.matrix import Product
from core.render.names import Names
from core.render.operators import Expr, Rank, wrapped
from core.render.wrapping import is_modular

if TYPE_CHECKING:
    from core.render.cstyle import CStyleRenderer

__all__ = ["Body"]

MAX_DEPTH: Final = 32
"""Operations in one expression. Each may open two brackets, of which clang allows 256 within each other."""
MAX_LENGTH: Final = 120
"""Characters of an operand; what is longer gets a variable."""

_INDENT: Final = "  "
_ALIGNMENT: Final = 16  # bytes that a vector has, of four elements or of eight halves
_AXES: Final = "xyz"
# what C computes as int, and what it may compute as float, where the type is narrower
_WIDENED: Final = frozenset({Ops.ADD, Ops.SUB, Ops.MUL, Ops.NEG, Ops.SHL, Ops.IDIV, Ops.MULACC})
_INEXACT: Final = frozenset(
    {Ops.ADD, Ops.SUB, Ops.MUL, Ops.FDIV, Ops.RECIP, Ops.SQRT, Ops.EXP2, Ops.LOG2, Ops.SIN, Ops.MULACC}
)


class Body:
    """The statements of one kernel. What is used once is written where it is used, and has no variable of its own."""

    def __init__(self, renderer: CStyleRenderer, uops: Sequence[UOp], names: Names) -> None:
        self.renderer, self.names = renderer, names
        self.parameters: list[str] = []
        self.lines: list[str] = []
        self.indent = _INDENT
        self.exprs: dict[UOp, Expr] = {}
        # the matrix products that were written, with the names of their functions
        self.products: dict[Product, str] = {}
        self.uses = _count_uses(uops)
        self.stored = {node.src[0].src[0] for node in uops if node.op is Ops.STORE}
        self.loaded = {node.src[0].src[0] for node in uops if node.op is Ops.LOAD}
        # accumulators, and what is not written yet but reads one
        self.accumulators: dict[UOp, UOp] = {}
        self.pending: dict[UOp, frozenset[UOp]] = {}
        self._types: dict[DType, str] = {}

        for node in parameters(uops):
            self._parameter(node)
        for node in uops:
            handler = _HANDLERS.get(node.op)
            if handler is None:
                raise RenderError(renderer.name, node.op.name, "the backend has no such op")
            handler(self, node)

    @property
    def vectors(self) -> list[DType]:
        """The vector types that were named, in a fixed order."""
        return sorted([dtype for dtype in self._types if dtype.count > 1], key=lambda dtype: (dtype.rank, dtype.count))

    # ---- expressions ----------------------------------------------------------------------------------------------

    def type(self, dtype: DType) -> str:
        found = self._types.get(dtype)
        if found is None:
            found = self._types[dtype] = self.renderer.type_name(dtype)
        return found

    def operand(self, node: UOp) -> Expr:
        """The expression for `node`, of exactly its dtype."""
        expr = self.exprs[node]
        if expr.loose:
            return Expr(f"({self.type(node.dtype)}){wrapped(expr, Rank.UNARY)}", Rank.UNARY, expr.depth + 1)
        return expr

    def atom(self, node: UOp) -> Expr:
        """An expression for `node` that may be repeated: a name, a lane of one, or a literal."""
        if self.exprs[node].depth:
            self.declare(node, self.exprs[node], "alu")
        return self.exprs[node]

    def value(self, node: UOp) -> str:
        """The text for `node` where it is assigned to something of its dtype."""
        return self.exprs[node].text

    def statement(self, text: str) -> None:
        self.lines.append(f"{self.indent}{text}")

    def declare(self, node: UOp, expr: Expr, prefix: str) -> None:
        name = self.names.number(prefix)
        dtype = node.src[1].dtype if node.op is Ops.INDEX else node.dtype
        self.statement(f"{self.type(dtype)} {name} = {expr.text};")
        self.exprs[node] = Expr(name, Rank.ATOM, 0)

    def bind(self, node: UOp, expr: Expr, prefix: str) -> None:
        """Keep `expr` for the one place where `node` is used, or declare a variable for it."""
        reads = self.consume(node) if self.accumulators else frozenset()
        uses = self.uses.get(node, 0)
        repeated = uses > 1 and (expr.depth > 0 or bool(reads))
        if repeated or (uses and (expr.depth > MAX_DEPTH or len(expr.text) > MAX_LENGTH)):
            self.declare(node, expr, prefix)
            return
        self.exprs[node] = expr
        if reads and uses:
            self.pending[node] = reads

    def consume(self, node: UOp) -> frozenset[UOp]:
        """The accumulators that the expression of `node` reads; its operands are written by now."""
        reads: frozenset[UOp] = frozenset()
        for source in node.src:
            if (accumulator := self.accumulators.get(source)) is not None:
                reads |= {accumulator}
            elif source in self.pending:
                reads |= self.pending.pop(source)
        return reads

    def settle(self, accumulator: UOp | None = None) -> None:
        """Give a variable to what reads `accumulator` (or any), before its value changes."""
        for node, reads in list(self.pending.items()):
            if accumulator is None or accumulator in reads:
                del self.pending[node]
                self.declare(node, self.exprs[node], "alu")

    # ---- what runs ------------------------------------------------------------------------------------------------

    def _parameter(self, node: UOp) -> None:
        if isinstance(node.dtype, ImageDType):
            self._image(node)
            return
        if node.op is Ops.DEFINE_GLOBAL:
            name, form, dtype = self.names.claim(f"data{node.arg}"), self.renderer.buffer_parameter, node.dtype.base
        else:
            name, form, dtype = self.names.claim(node.arg[0]), self.renderer.variable_parameter, node.dtype
        self.parameters.append(form.format(type=self.type(dtype), name=name))
        self.exprs[node] = Expr(name, Rank.ATOM, 0)

    def _image(self, node: UOp) -> None:
        if node in self.stored and node in self.loaded:
            raise RenderError(self.renderer.name, f"buffer {node.arg}", "a kernel cannot both read and write an image")
        name = self.names.claim(f"data{node.arg}")
        access = "write" if node in self.stored else "read"
        self.parameters.append(self.renderer.image_parameter.format(access=access, name=name))
        self.exprs[node] = Expr(name, Rank.ATOM, 0)

    def _declared(self, node: UOp) -> None:
        """A parameter, which the signature declares."""

    def _constant(self, node: UOp) -> None:
        dtype = node.dtype
        literal = self.renderer.literal(dtype.scalar(), node.arg)
        if dtype.count > 1:
            literal = self._vector(dtype, [literal.text] * dtype.count)._replace(depth=0)
        self.exprs[node] = literal

    def _vector(self, dtype: DType, lanes: Sequence[str]) -> Expr:
        text = self.renderer.vector_literal.format(type=self.type(dtype), lanes=",".join(lanes))
        return Expr(text, self.renderer.vector_literal_rank, 1)

    def _lane(self, vector: Expr, count: int, lane: int) -> Expr:
        text = self.renderer.lane(wrapped(vector, Rank.ATOM), count, lane)
        return Expr(text, Rank.ATOM, vector.depth)

    def _special(self, node: UOp) -> None:
        name, size = node.arg
        form = self.renderer.workitems.get(name[:-1])
        if form is None:
            raise RenderError(self.renderer.name, f"the launch dimension {name}", "its kernels run as one thread")
        variable = self.names.claim(name)
        extent = f" /* {size} */" if isinstance(size, int) else ""
        index = form.format(dimension=name[-1], axis=_AXES[int(name[-1])])
        self.statement(f"{self.type(node.dtype)} {variable} = {index};{extent}")
        self.exprs[node] = Expr(variable, Rank.ATOM, 0)

    def _local(self, node: UOp) -> None:
        if self.renderer.local_array is None:
            raise RenderError(self.renderer.name, "memory shared by a group", "its kernels run as one thread")
        name = self.names.claim(str(node.arg))
        dtype = node.dtype
        assert isinstance(dtype, PtrDType)
        align = _ALIGNMENT if dtype.base.itemsize <= _ALIGNMENT // 4 else 2 * _ALIGNMENT
        form = self.renderer.local_array
        self.statement(form.format(type=self.type(dtype.base), name=name, size=dtype.size, align=align))
        self.exprs[node] = Expr(name, Rank.ATOM, 0)

    def _barrier(self, node: UOp) -> None:
        if self.renderer.barrier is None:
            raise RenderError(self.renderer.name, "a barrier", "its kernels run as one thread")
        self.statement(self.renderer.barrier)

    def _range(self, node: UOp) -> None:
        self.settle()
        name = self.names.claim(f"ridx{node.arg}")
        end = wrapped(self.operand(node.src[0]), Rank.LESS + 1)
        self.statement(f"for ({self.type(node.dtype)} {name} = 0; {name} < {end}; {name}++) {{")
        self.indent += _INDENT
        self.exprs[node] = Expr(name, Rank.ATOM, 0)

    def _if(self, node: UOp) -> None:
        self.consume(node)
        self.statement(f"if ({self.value(node.src[0])}) {{")
        self.indent += _INDENT

    def _close(self, node: UOp) -> None:
        self.indent = self.indent[: -len(_INDENT)]
        self.statement("}")

    def _accumulator(self, node: UOp) -> None:
        self.consume(node)
        name = self.names.claim(f"acc{node.arg}")
        self.statement(f"{self.type(node.dtype)} {name} = {self.value(node.src[0])};")
        self.exprs[node] = Expr(name, Rank.ATOM, 0)
        self.accumulators[node] = node

    def _assign(self, node: UOp) -> None:
        accumulator = self.accumulators[node.src[0]]
        self.consume(node)
        self.settle(accumulator)
        self.statement(f"{self.exprs[accumulator].text} = {self.value(node.src[1])};")
        self.exprs[node] = self.exprs[accumulator]
        self.accumulators[node] = accumulator

    def _index(self, node: UOp) -> None:
        """The expression kept for an address is its index."""
        self.bind(node, self.operand(node.src[1]), "alu")

    def _place(self, address: UOp, dtype: DType) -> str:
        """The element of a buffer, or the consecutive elements, that a load or store of `dtype` at `address` means."""
        if dtype.count > 1:
            self.type(dtype)
        buffer = address.src[0]
        local = buffer.op is Ops.DEFINE_LOCAL
        return self.renderer.element(self.exprs[buffer].text, dtype, self.exprs[address], local=local)

    def _texel(self, form: str, address: UOp, value: str = "") -> str:
        """`form`, which reads or writes four elements of an image, at an address of column and row."""
        if address.src[1].dtype.count != 2:
            raise RenderError(self.renderer.name, "an image", "its address is not a column and a row")
        return form.format(image=self.exprs[address.src[0]].text, at=self.exprs[address].text, value=value)

    def _load(self, node: UOp) -> None:
        self.consume(node)
        if isinstance(node.src[0].dtype, ImageDType):
            self.type(node.dtype)
            text = self._texel(self.renderer.image_read, node.src[0])
        else:
            text = self._place(node.src[0], node.dtype)
        if len(node.src) > 1:
            alternative, gate = self.operand(node.src[1]), self.operand(node.src[2])
            text = f"{wrapped(gate, Rank.CHOICE + 1)}?{text}:{wrapped(alternative, Rank.CHOICE)}"
        self.declare(node, Expr(text, Rank.CHOICE, 1), "val")

    def _store(self, node: UOp) -> None:
        self.consume(node)
        address, value = node.src[:2]
        if isinstance(address.dtype, ImageDType):
            self.statement(f"{self._texel(self.renderer.image_write, address, self.value(value))};")
        else:
            self.statement(f"{self._place(address, value.dtype)} = {self.value(value)};")

    def _alu(self, node: UOp) -> None:
        operator = self.renderer.code_for_op.get(node.op)
        if operator is None:
            raise RenderError(self.renderer.name, f"{node.op.name} of {node.dtype}", "the backend has no such op")
        if node.dtype.count > 1:
            self._lanewise(node, lambda args: operator(node, args))
            return

        expr = operator(node, self._operands(node))
        self.bind(node, expr._replace(loose=True) if self._is_loose(node) else expr, "alu")

    def _operands(self, node: UOp) -> list[Expr]:
        if repeats_operands(node):
            return [self.atom(source) for source in node.src]
        if self.renderer.signed_wraps or not is_modular(node):
            return [self.operand(source) for source in node.src]
        # what is computed in the unsigned type may come from it
        return [self.exprs[source] if source.dtype is node.dtype else self.operand(source) for source in node.src]

    def _is_loose(self, node: UOp) -> bool:
        dtype = node.dtype
        if dtype.is_int:
            return dtype.bits < 32 and node.op in _WIDENED and not (node.op is Ops.IDIV and dtype.is_unsigned)
        return dtype.name in self.renderer.wide_floats and node.op in _INEXACT

    def _cast(self, node: UOp) -> None:
        source = node.src[0]
        if node.dtype.count > 1:
            to, since = node.dtype.scalar(), source.dtype.scalar()
            self._lanewise(node, lambda args: self.renderer.cast(to, since, args[0]))
            return
        self.bind(node, self.renderer.cast(node.dtype, source.dtype, self.operand(source)), "cast")

    def _bitcast(self, node: UOp) -> None:
        source = node.src[0]
        if node.dtype.is_bool or source.dtype.is_bool:  # any byte but 0 is true, and true is 1
            self._cast(node)
            return
        if node.dtype.count > 1 and not self.renderer.vector_bitcasts:
            to, since = node.dtype.scalar(), source.dtype.scalar()
            self._lanewise(node, lambda args: self.renderer.bitcast(to, since, args[0]))
            return
        self.type(node.dtype)
        self.bind(node, self.renderer.bitcast(node.dtype, source.dtype, self.operand(source)), "cast")

    def _lanewise(self, node: UOp, scalar: Callable[[Sequence[Expr]], Expr]) -> None:
        """An op of vectors, lane by lane. Operands that are scalars are the same for every lane."""
        args = [self.atom(source) for source in node.src]
        lanes = []
        for lane in range(node.dtype.count):
            picked = [self._picked(source, expr, lane) for source, expr in zip(node.src, args, strict=True)]
            lanes.append(scalar(picked).text)
        self.bind(node, self._vector(node.dtype, lanes), "alu")

    def _picked(self, source: UOp, expr: Expr, lane: int) -> Expr:
        if source.dtype.count == 1:
            return expr
        if source.op is Ops.CONST:
            return self.renderer.literal(source.dtype.scalar(), source.arg)
        return self._lane(expr, source.dtype.count, lane)

    def _vectorize(self, node: UOp) -> None:
        lanes = [self.value(source) for source in node.src]
        if sum(map(len, lanes)) > MAX_LENGTH:
            lanes = [self.atom(source).text for source in node.src]
        self.bind(node, self._vector(node.dtype, lanes), "cast")

    def _gep(self, node: UOp) -> None:
        vector = node.src[0]
        self.bind(node, self._lane(self.operand(vector), vector.dtype.count, node.arg), "alu")

    def _matrix_product(self, node: UOp) -> None:
        product = Product.of(node, self.renderer.name)
        for dtype in (product.a, product.b, product.c):
            self.type(dtype)
        if product not in self.products:
            self.products[product] = self.names.claim(product.name)
        operands = [self.operand(source) for source in node.src]
        text = f"{self.products[product]}({', '.join([operand.text for operand in operands])})"
        self.bind(node, Expr(text, Rank.ATOM, max(operand.depth for operand in operands) + 1), "wmma")


def _count_uses(uops: Sequence[UOp]) -> dict[UOp, int]:
    uses: dict[UOp, int] = {}
    for node in uops:
        for source in node.src:
            uses[source] = uses.get(source, 0) + 1
    return uses


_HANDLERS: Final[Mapping[Ops, Callable[[Body, UOp], None]]] = {
    Ops.DEFINE_GLOBAL: Body._declared,
    Ops.DEFINE_VAR: Body._declared,
    Ops.DEFINE_LOCAL: Body._local,
    Ops.SPECIAL: Body._special,
    Ops.CONST: Body._constant,
    Ops.RANGE: Body._range,
    Ops.ENDRANGE: Body._close,
    Ops.IF: Body._if,
    Ops.ENDIF: Body._close,
    Ops.DEFINE_ACC: Body._accumulator,
    Ops.ASSIGN: Body._assign,
    Ops.INDEX: Body._index,
    Ops.LOAD: Body._load,
    Ops.STORE: Body._store,
    Ops.BARRIER: Body._barrier,
    Ops.VECTORIZE: Body._vectorize,
    Ops.GEP: Body._gep,
    Ops.CAST: Body._cast,
    Ops.BITCAST: Body._bitcast,
    Ops.WMMA: Body._matrix_product,
    **dict.fromkeys(sorted(GroupOp.ALU), Body._alu),
}
