"""Blocks: which loop every node of a graph runs in, and how the loops are nested.

A node runs in the innermost loop it depends on. The loops of the output nest by axis; those of a reduce stand inside
whatever the reduce's result depends on, and reduces over the same loop share it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from core.ir.ops import Ops
from core.ir.uop import UOp

__all__ = ["Block", "Item", "place"]

Mask: TypeAlias = int


@dataclass(slots=True, eq=False)
class Block:
    """A loop and what runs in it; the outermost block has no loop.

    `effects`: the stores and inner blocks that run in it, in order. `updates`: the reduces that take one more value
    each time round. `begins`: the reduces whose outermost loop this is. `needs`: what its nodes use from outside of it.
    """

    loop: UOp | None
    parent: Block | None
    depth: int
    effects: list[Item] = field(default_factory=list)
    updates: list[UOp] = field(default_factory=list)
    begins: list[UOp] = field(default_factory=list)
    needs: dict[UOp, None] = field(default_factory=dict)


Item: TypeAlias = "UOp | Block"


def place(nodes: Sequence[UOp]) -> tuple[Block, dict[UOp, Block], dict[UOp, Block]]:
    """The outermost block, the block of every node, and the block that each loop opens.

    `nodes` are in topological order.
    """
    root = Block(None, None, 0)
    ranges = [node for node in nodes if node.op is Ops.RANGE]
    if not ranges:
        block_of = dict.fromkeys(nodes, root)
        root.effects.extend([node for node in nodes if node.op is Ops.STORE])
        return root, block_of, {}

    bit = {loop: 1 << i for i, loop in enumerate(ranges)}
    reduces = [node for node in nodes if node.op is Ops.REDUCE]
    masks, around = _settle(nodes, reduces, bit)
    blocks = _nest(ranges, bit, around, root)

    block_of = _innermost(nodes, masks, bit, blocks, root)
    for reduce in reduces:
        blocks[reduce.src[1]].begins.append(reduce)
        blocks[reduce.src[-1]].updates.append(reduce)
    _collect_effects(nodes, block_of, root)
    _collect_needs(nodes, block_of, blocks)
    return root, block_of, blocks


def _settle(
    nodes: Sequence[UOp], reduces: Sequence[UOp], bit: dict[UOp, Mask]
) -> tuple[dict[UOp, Mask], dict[UOp, Mask]]:
    """The loops that each node runs in, and the loops around each loop of a reduce, as bits.

    Reduces that share a loop run inside all that any of them depends on, so the masks are computed until they agree.
    """
    around: dict[UOp, Mask] = {}
    while True:
        masks = _masks(nodes, bit, around)
        settled = dict(around)
        for reduce in reduces:
            outside = masks[reduce]
            for loop in reduce.src[1:]:
                settled[loop] = settled.get(loop, 0) | outside
                outside |= bit[loop]
        if settled == around:
            return masks, around
        around = settled


def _masks(nodes: Sequence[UOp], bit: dict[UOp, Mask], around: dict[UOp, Mask]) -> dict[UOp, Mask]:
    masks: dict[UOp, Mask] = {}
    for node in nodes:
        mask = bit.get(node, 0) | around.get(node, 0)
        for source in node.src:
            mask |= masks[source]
        if node.op is Ops.REDUCE:
            for loop in node.src[1:]:
                mask &= ~bit[loop]
        masks[node] = mask
    return masks


def _nest(ranges: Sequence[UOp], bit: dict[UOp, Mask], around: dict[UOp, Mask], root: Block) -> dict[UOp, Block]:
    """A block for every loop."""
    blocks: dict[UOp, Block] = {}
    parent = root
    for loop in sorted([loop for loop in ranges if loop not in around], key=lambda loop: loop.arg):
        parent = blocks[loop] = Block(loop, parent, parent.depth + 1)

    # a loop has more loops around it than those that surround it
    for loop in sorted(around, key=lambda loop: (around[loop].bit_count(), loop.arg)):
        outer = [blocks[other] for other in ranges if around[loop] & bit[other]]
        parent = max(outer, key=lambda block: block.depth, default=root)
        blocks[loop] = Block(loop, parent, parent.depth + 1)
    return blocks


def _innermost(
    nodes: Sequence[UOp], masks: dict[UOp, Mask], bit: dict[UOp, Mask], blocks: dict[UOp, Block], root: Block
) -> dict[UOp, Block]:
    deepest_first = sorted(blocks.items(), key=lambda item: -item[1].depth)
    by_mask: dict[Mask, Block] = {0: root}
    block_of: dict[UOp, Block] = {}
    for node in nodes:
        mask = masks[node]
        if mask not in by_mask:
            by_mask[mask] = next(block for loop, block in deepest_first if mask & bit[loop])
        block_of[node] = by_mask[mask]
    return block_of


def _collect_effects(nodes: Sequence[UOp], block_of: dict[UOp, Block], root: Block) -> None:
    """Stores, and blocks in the order in which their first node comes."""
    entered = {root}
    for node in nodes:
        if node.op in (Ops.SINK, Ops.BARRIER):
            continue
        block: Block | None = block_of[node]
        while block is not None and block not in entered:
            entered.add(block)
            assert block.parent is not None
            block.parent.effects.append(block)
            block = block.parent
        if node.op is Ops.STORE:
            block_of[node].effects.append(node)


def _collect_needs(nodes: Sequence[UOp], block_of: dict[UOp, Block], blocks: dict[UOp, Block]) -> None:
    for node in nodes:
        # a reduce takes its value in its innermost loop, wherever that value comes from
        inside = blocks[node.src[-1]] if node.op is Ops.REDUCE else block_of[node]
        for source in node.src:
            outside = block_of[source]
            block: Block | None = inside
            while block is not None and block.depth > outside.depth:
                block.needs[source] = None
                block = block.parent
