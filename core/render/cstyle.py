"""Languages that look like C: a renderer made of tables. A subclass is other tables, and the few rules it needs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import ClassVar

from core.dtype import DType
from core.errors import RenderError
from core.ir.ops import Ops
from core.ir.uop import UOp
from core.render.base import Renderer
from core.render.body import Body
from core.render.literals import decimal, rounded
from core.render.matrix import Product
from core.render.names import Names
from core.render.operators import C_OPERATORS, Expr, Operator, Rank, wrapped

__all__ = ["CStyleRenderer", "lane_names"]


def lane_names(count: int) -> list[str]:
    """What the languages of GPUs call the elements of a vector: x, y, z, w, of longer ones s0 to sf."""
    return list("xyzw"[:count]) if count <= 4 else [f"s{lane:x}" for lane in range(count)]


class CStyleRenderer(Renderer):
    """The tables are those of C; a subclass replaces what its language has otherwise."""

    code_for_op: ClassVar[Mapping[Ops, Operator]] = C_OPERATORS

    type_names: ClassVar[Mapping[str, str]] = {}
    """What the language calls each scalar dtype. What is not here is refused."""
    vector_sizes: ClassVar[frozenset[int]] = frozenset({2, 4, 8, 16})
    """How many elements its vectors may have."""
    signed_wraps: ClassVar[bool] = True
    """Signed integers wrap, be it because the compiler is told so; if not, `core.render.wrapping` writes the ops."""
    wide_floats: ClassVar[frozenset[str]] = frozenset()
    """Float dtypes whose arithmetic the language may do in a wider type."""
    suffixes: ClassVar[Mapping[str, str]] = {"uint": "u", "long": "l", "ulong": "ul", "float": "f"}
    """What follows a literal of a dtype."""
    cast_literals: ClassVar[frozenset[str]] = frozenset()
    """Float dtypes that have no literals; they are written as float, and converted."""
    infinity: ClassVar[str] = "INFINITY"
    nan: ClassVar[str] = "NAN"
    """Of type float; converted for other types."""

    kernel_prefix: ClassVar[str] = "void "
    buffer_parameter: ClassVar[str] = "{type}* {name}"
    variable_parameter: ClassVar[str] = "const {type} {name}"
    image_parameter: ClassVar[str] = ""
    """With `{access}`, which is `read` or `write`: `{access}_only image2d_t {name}`."""
    image_read: ClassVar[str] = ""
    """Four elements of `{image}`, at the int2 `{at}`: column, row."""
    image_write: ClassVar[str] = ""
    vector_literal: ClassVar[str] = "({type}){{{lanes}}}"
    vector_literal_rank: ClassVar[int] = Rank.ATOM
    vector_bitcasts: ClassVar[bool] = True
    """`bitcast` takes vectors; if not, they are converted an element at a time."""
    vector_lane: ClassVar[str] = "{vector}[{lane}]"
    """With `{lane}`, its number, or `{letter}`, one of `lane_names`."""
    global_space: ClassVar[str] = ""
    """What stands before the type of a pointer into global memory: `__global `."""
    local_space: ClassVar[str] = ""
    workitems: ClassVar[Mapping[str, str]] = {}
    """By the prefix of a SPECIAL's name (`gidx`), the expression for a `{dimension}`, 0 to 2, or `{axis}`, x to z."""
    launch_parameters: ClassVar[Mapping[str, str]] = {}
    """By the same prefix, what the signature needs for it."""
    local_array: ClassVar[str | None] = None
    """The declaration of an array that the threads of a group share: `__local {type} {name}[{size}];`. `{align}` is the
    alignment that the vectors in it need, in bytes."""
    barrier: ClassVar[str | None] = None
    """The statement at which the threads of a group wait for each other."""

    def render(self, name: str, uops: Sequence[UOp]) -> str:
        self.check(uops)
        names = Names()
        function = names.claim(name)
        body = Body(self, uops, names)
        products = [line for product, given in body.products.items() for line in self.matrix_function(given, product)]
        before = [*self.headers(uops), *self.preamble(body.vectors), *products]
        signature = f"{self.prefix(uops)}{function}({', '.join([*body.parameters, *self._launch_parameters(uops)])})"
        return "\n".join([*before, f"{signature} {{", *body.lines, "}"]) + "\n"

    def headers(self, uops: Sequence[UOp]) -> list[str]:
        """The first lines: what the program includes and enables."""
        return []

    def preamble(self, vectors: Sequence[DType]) -> list[str]:
        """Lines before the function, for the vector types that it uses."""
        return []

    def matrix_function(self, name: str, product: Product) -> list[str]:
        """The definition of a function `name` for a matrix product. Raises RenderError for one that no unit has."""
        raise RenderError(self.name, "WMMA", "the backend has no such op")

    def prefix(self, uops: Sequence[UOp]) -> str:
        """What stands before the name of the kernel."""
        return self.kernel_prefix

    def _launch_parameters(self, uops: Sequence[UOp]) -> list[str]:
        used = {node.arg[0][:-1] for node in uops if node.op is Ops.SPECIAL}
        return [parameter for prefix, parameter in self.launch_parameters.items() if prefix in used]

    def refuses(self, dtype: DType) -> str | None:
        if dtype.bits and dtype.name not in self.type_names:
            return "the backend has no such type"
        if dtype.count > 1 and dtype.count not in self.vector_sizes:
            return f"a vector has {', '.join(map(str, sorted(self.vector_sizes)))} elements"
        return None

    # ---- how the language writes things ---------------------------------------------------------------------------

    def type_name(self, dtype: DType) -> str:
        return self.type_names[dtype.name] if dtype.count == 1 else f"{dtype.name}{dtype.count}"

    def literal(self, dtype: DType, value: float) -> Expr:
        """A scalar constant. Floats have the fewest digits that read back as the same value."""
        if dtype.is_float:
            return self.float_literal(dtype, rounded(dtype, value))
        value = int(value)
        suffix = self.suffixes.get(dtype.name, "")
        if value == dtype.min and value < 0 and dtype.bits >= 32:
            return Expr(f"{value + 1}{suffix}-1", Rank.ADD, 0)  # the digits alone would not fit the type
        return Expr(f"{value}{suffix}", Rank.ATOM if value >= 0 else Rank.UNARY, 0)

    def float_literal(self, dtype: DType, value: float) -> Expr:
        if math.isfinite(value):
            written = "float" if dtype.name in self.cast_literals else dtype.name
            text = decimal(dtype, value) + self.suffixes.get(written, "")
        else:
            written = "float"
            text = self.nan if math.isnan(value) else self.infinity if value > 0 else f"-{self.infinity}"
        if written != dtype.name:
            return Expr(f"({self.type_name(dtype)}){text}", Rank.UNARY, 0)
        return Expr(text, Rank.UNARY if text.startswith("-") else Rank.ATOM, 0)

    def cast(self, dtype: DType, source: DType, value: Expr) -> Expr:
        """A scalar converted. Floats go to narrow and unsigned integers through one that has room for the sign, and
        halves and bfloat16s, of which neither holds the other, to each other through float."""
        if dtype.is_bool:
            return Expr(f"{wrapped(value, Rank.EQUAL)}!=0", Rank.EQUAL, value.depth + 1)
        through = ""
        if source.is_float and dtype.is_int and dtype.bits < 32:
            through = f"({self.type_names['int']})"
        elif source.is_float and dtype.name == "uint":
            through = f"({self.type_names['long']})"
        elif {source.name, dtype.name} == {"half", "bfloat16"}:
            through = f"({self.type_names['float']})"
        return Expr(f"({self.type_name(dtype)}){through}{wrapped(value, Rank.UNARY)}", Rank.UNARY, value.depth + 1)

    def bitcast(self, dtype: DType, source: DType, value: Expr) -> Expr:
        """The bits of a value as another type of the same size."""
        raise NotImplementedError

    def exact(self, dtype: DType, value: Expr) -> Expr:
        """`value` with `dtype` as its type: of integers narrower than an int, every result is an int."""
        return self.cast(dtype, dtype, value) if dtype.count == 1 and dtype.is_int and dtype.bits < 32 else value

    def lane(self, vector: str, count: int, lane: int) -> str:
        """An element of a vector of `count`."""
        return self.vector_lane.format(vector=vector, lane=lane, letter=lane_names(count)[lane])

    def element(self, buffer: str, dtype: DType, index: Expr, *, local: bool) -> str:
        """What a load reads and a store assigns: an element of a buffer, or a vector of consecutive ones."""
        place = f"{buffer}[{index.text}]"
        space = self.local_space if local else self.global_space
        return place if dtype.count == 1 else f"*({space}{self.type_name(dtype)}*)&{place}"
