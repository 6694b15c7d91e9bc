"""The linearizer: from a graph to a list of UOps in the order in which they run, with loops opened and closed.

Inside a block what an effect needs is emitted just before it, depth first; an inner block counts as one item that
needs whatever its nodes use from outside. A REDUCE becomes an accumulator, set before its outermost loop and updated at
the end of its innermost one. All stores of a block that hang on one gate share one IF.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from core.dtype import DType, dtypes
from core.ir.ops import Ops
from core.ir.uop import UOp
from core.lower.blocks import Block, Item, place

__all__ = ["linearize"]

PARAMETERS: Final = (Ops.DEFINE_GLOBAL, Ops.DEFINE_VAR, Ops.DEFINE_LOCAL, Ops.SPECIAL)


def linearize(sink: UOp) -> list[UOp]:
    """The linear program of a SINK of STOREs: parameters first, then everything in the order in which it runs."""
    return _Linearizer(sink).run()


def identity(op: Ops, dtype: DType) -> Any:
    """The value that a reduce by `op` starts from."""
    return {Ops.ADD: 0, Ops.MUL: 1}[op] if op is not Ops.MAX else dtype.min


class _Linearizer:
    def __init__(self, sink: UOp) -> None:
        self.nodes = sink.toposort()
        self.root, self.block_of, self.blocks = place(self.nodes)
        self.output: list[UOp] = []
        # what stands for a node in the program: itself, or itself over accumulators instead of reduces
        self.emitted: dict[UOp, UOp] = {}
        self.done: set[Block] = set()
        self.accumulators = 0
        self.synchronised: set[Block] = set()

    def run(self) -> list[UOp]:
        for op in PARAMETERS:
            for node in sorted([node for node in self.nodes if node.op is op], key=_parameter_order):
                self._append(node, node)
        self._emit_content(self.root)
        return self.output

    def _append(self, node: UOp, final: UOp) -> None:
        self.emitted[node] = final
        self.output.append(final)

    def _emit_content(self, block: Block) -> None:
        gated: dict[UOp, list[UOp]] = {}
        for effect in block.effects:
            if isinstance(effect, UOp) and len(effect.src) == 3:
                gated.setdefault(effect.src[2], []).append(effect)
        for effect in block.effects:
            if isinstance(effect, UOp) and len(effect.src) == 3:
                self._emit_gated(effect.src[2], gated[effect.src[2]], block)
            else:
                self._require([effect], block)
        for reduce in block.updates:
            value = reduce.src[0]
            self._require(value.src[:2] if _starts_from_zero(value) else (value,), block)
            self._emit_update(reduce, value)
        if block.loop is not None and block in self.synchronised:
            # the next time round writes what other threads may still be reading
            self.output.append(UOp(Ops.BARRIER, dtypes.void, (self.emitted[block.loop],)))

    def _emit_gated(self, gate: UOp, stores: Sequence[UOp], block: Block) -> None:
        stores = [store for store in stores if store not in self.emitted]
        if not stores:
            return
        self._require([source for store in stores for source in store.src], block)
        opened = UOp(Ops.IF, dtypes.void, (self.emitted[gate],))
        self.output.append(opened)
        for store in stores:
            self._append(store, UOp(Ops.STORE, dtypes.void, tuple([self.emitted[source] for source in store.src[:2]])))
        self.output.append(UOp(Ops.ENDIF, dtypes.void, (opened,)))

    def _require(self, wanted: Iterable[Item], block: Block) -> None:
        """Emit `wanted`, and before each item whatever it needs that belongs to this block."""
        stack: list[tuple[Item, bool]] = [(item, False) for item in reversed(tuple(wanted))]
        while stack:
            item, ready = stack.pop()
            if isinstance(item, UOp):
                if item in self.emitted or self.block_of[item] is not block:
                    continue
                if item.op is Ops.REDUCE:
                    stack.append((self.blocks[item.src[1]], False))
                    continue
            elif item in self.done:
                continue

            if ready:
                self._emit(item)
            else:
                stack.append((item, True))
                needs = item.src if isinstance(item, UOp) else tuple(item.needs)
                stack.extend([(source, False) for source in reversed(needs)])

    def _emit(self, item: Item) -> None:
        if isinstance(item, Block):
            self._emit_block(item)
            return
        if item.op is Ops.BARRIER:
            self.synchronised.add(self.block_of[item])
        src = tuple([self.emitted[source] for source in item.src])
        self._append(item, item if src == item.src else UOp(item.op, item.dtype, src, item.arg))

    def _emit_block(self, block: Block) -> None:
        assert block.loop is not None
        self.done.add(block)
        for reduce in block.begins:
            self._emit_accumulator(reduce)
        self._append(block.loop, block.loop)
        self._emit_content(block)
        self.output.append(UOp(Ops.ENDRANGE, dtypes.void, (block.loop,)))

    def _emit_accumulator(self, reduce: UOp) -> None:
        start = UOp.const(reduce.dtype, identity(reduce.arg[0], reduce.dtype))
        if start not in self.emitted:
            self._append(start, start)
        self._append(reduce, UOp(Ops.DEFINE_ACC, reduce.dtype, (start,), self.accumulators))
        self.accumulators += 1

    def _emit_update(self, reduce: UOp, value: UOp) -> None:
        accumulator = self.emitted[reduce]
        if _starts_from_zero(value):
            factors = (self.emitted[value.src[0]], self.emitted[value.src[1]])
            total = UOp(Ops.WMMA, value.dtype, (*factors, accumulator), value.arg)
        else:
            total = UOp(reduce.arg[0], reduce.dtype, (accumulator, self.emitted[value]))
        self.output.append(total)
        self.output.append(UOp(Ops.ASSIGN, reduce.dtype, (accumulator, total)))


def _starts_from_zero(value: UOp) -> bool:
    """Whether this is a matrix product added to zero: the unit can add to the accumulator instead."""
    return value.op is Ops.WMMA and value.src[2].op is Ops.CONST and value.src[2].arg == 0


def _parameter_order(node: UOp) -> tuple[Any, ...]:
    return node.arg if isinstance(node.arg, tuple) else (node.arg,)
