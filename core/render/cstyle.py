"""Languages that look like C: a renderer made of tables. A subclass is other tables, and the few rules it needs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import ClassVar

from core.dtype import DType
from core.ir.ops import Ops
from core.ir.uop import UOp
from core.render.base import Renderer
from core.render.body import Body
from core.render.literals import decimal, rounded
from core.render.names import Names
from core.render.operators import C_OPERATORS, Expr, Operator, Rank, wrapped

__all__ = ["CStyleRenderer"]


class CStyleRenderer(Renderer):
    """The tables are those of C; a subclass replaces what its language has otherwise."""

    code_for_op: ClassVar[Mapping[Ops, Operator]] = C_OPERATORS

    type_names: ClassVar[Mapping[str, str]] = {}
    """What the language calls each scalar dtype. What is not here is refused."""
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
    vector_literal: ClassVar[str] = "({type}){{{lanes}}}"
    vector_lane: ClassVar[str] = "{vector}[{lane}]"
    workitems: ClassVar[Mapping[str, str]] = {}
    """By the prefix of a SPECIAL's name (`gidx`), the expression for a dimension: `get_group_id({dimension})`."""
    local_array: ClassVar[str | None] = None
    """The declaration of an array that the threads of a group share: `__local {type} {name}[{size}];`."""
    barrier: ClassVar[str | None] = None
    """The statement at which the threads of a group wait for each other."""

    def render(self, name: str, uops: Sequence[UOp]) -> str:
        self.check(uops)
        names = Names()
        function = names.claim(name)
        body = Body(self, uops, names)
        signature = f"{self.kernel_prefix}{function}({', '.join(body.parameters)})"
        return "\n".join([*self.preamble(body.vectors), f"{signature} {{", *body.lines, "}"]) + "\n"

    def preamble(self, vectors: Sequence[DType]) -> list[str]:
        """Lines before the function, for the vector types that it uses."""
        return []

    def refuses(self, dtype: DType) -> str | None:
        return None if dtype.name in self.type_names or not dtype.bits else "the backend has no such type"

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
        """A scalar converted. Floats go to narrow and unsigned integers through one that has room for the sign."""
        if dtype.is_bool:
            return Expr(f"{wrapped(value, Rank.EQUAL)}!=0", Rank.EQUAL, value.depth + 1)
        through = ""
        if source.is_float and dtype.is_int and dtype.bits < 32:
            through = f"({self.type_names['int']})"
        elif source.is_float and dtype.name == "uint":
            through = f"({self.type_names['long']})"
        return Expr(f"({self.type_name(dtype)}){through}{wrapped(value, Rank.UNARY)}", Rank.UNARY, value.depth + 1)

    def bitcast(self, dtype: DType, source: DType, value: Expr) -> Expr:
        """The bits of a value as another type of the same size."""
        raise NotImplementedError

    def element(self, buffer: str, dtype: DType, index: Expr) -> str:
        """What a load reads and a store assigns: an element of a buffer, or a vector of consecutive ones."""
        place = f"{buffer}[{index.text}]"
        return place if dtype.count == 1 else f"*({self.type_name(dtype)}*)&{place}"
