"""Proposals of smaller kernels: all are kernels, stay within their buffers, and reach what they should."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from core import process_replay
from core.builder import Expr, buffer, kernel, where
from core.compiler import compile_ast
from core.dtype import PtrDType, dtypes
from core.errors import RecordError
from core.ir.ops import Ops
from core.ir.rows import from_rows
from core.ir.spec import verify_ast
from core.ir.uop import UOp
from core.opt.opt import Opt, OptOps
from core.record import make_record
from core.reductions import proposals, size_of
from core.render import get_renderer
from core.shape import ShapeTracker


def nodes(ast: UOp, op: Ops) -> list[UOp]:
    return [node for node in ast.toposort() if node.op is op]


def reduced(ast: UOp, keep: Callable[[UOp], bool]) -> UOp:
    """The smallest AST that `keep` accepts, by taking the first of the smallest proposals again and again."""
    while True:
        able = [made for made, _ in proposals(ast, []) if size_of(made) < size_of(ast) and keep(made)]
        if not able:
            return ast
        ast = min(able, key=size_of)


def softmax_like() -> Expr:
    a = buffer("a", (8, 16))
    return (a.exp2() / a.exp2().sum(axis=1, keepdims=True, recompute=True).sqrt()).sum(axis=1)


def padded() -> Expr:
    a, b = buffer("a", (6, 10), dtypes.long), buffer("b", (8, 12), dtypes.long)
    return where(b < 3, a.pad(((1, 1), (1, 1))), b * 5).max(axis=1)


ASTS = {
    "plain": lambda: kernel(buffer("a", (4, 6)) * 2 + buffer("b", (4, 6))),
    "sums": lambda: kernel((buffer("a", (8, 16)) * buffer("b", (16,))).sum(axis=1).sqrt()),
    "padded": lambda: kernel(padded()),
    "flipped": lambda: kernel(buffer("a", (4, 6)).flip(0) + buffer("b", (6, 4)).permute((1, 0))),
    "halves": lambda: kernel(buffer("a", (4,), dtypes.half).cast(dtypes.float) * 3),
}


def test_the_size_leaves_out_buffers_and_views() -> None:
    # SINK, STORE, MUL, LOAD, CONST
    assert size_of(kernel(buffer("a", (4,)) * 2)) == 5


@pytest.mark.parametrize("name", ASTS)
def test_every_proposal_is_another_kernel_within_its_buffers(name: str) -> None:
    ast = ASTS[name]()
    made = list(proposals(ast, [Opt(OptOps.UPCAST, 0, 2)]))
    assert len({(one, tuple(opts)) for one, opts in made}) == len(made) > 20
    for one, _ in made:
        verify_ast(one)
        for node in [*nodes(one, Ops.LOAD), *nodes(one, Ops.STORE)]:
            pointer = node.src[0].dtype
            assert isinstance(pointer, PtrDType)
            # by brute force: the position of every element that is there
            assert pointer.size < 0 or max(positions(node.src[1].arg), default=-1) < pointer.size
            assert min(positions(node.src[1].arg), default=0) >= 0


def positions(tracker: ShapeTracker) -> list[int]:
    """Where the elements of a tracker lie in its buffer, masked ones left out."""
    found = []
    for place in range(tracker.size):  # type: ignore[arg-type]
        position: int | None = place
        for view in reversed(tracker.views):
            at = []
            for size in reversed(view.shape):
                assert isinstance(size, int)
                position, index = divmod(position or 0, size)
                at.append(index)
            at.reverse()
            if view.mask is not None and not all(low <= i < high for i, (low, high) in zip(at, view.mask, strict=True)):
                position = None
                break
            position = view.offset + sum(i * stride for i, stride in zip(at, view.strides, strict=True))
        if position is not None:
            found.append(position)
    return found


@pytest.mark.parametrize("name", ASTS)
def test_nearly_all_proposals_compile(name: str) -> None:
    made = list(proposals(ASTS[name](), []))
    for one, _ in made:
        compile_ast(one, get_renderer("c"), [])


def test_opts_are_dropped_together_and_one_by_one() -> None:
    opts = [Opt(OptOps.UPCAST, 0, 2), Opt(OptOps.UNROLL, 0, 4), Opt(OptOps.LOCAL, 0, 2)]
    ast = ASTS["sums"]()
    kept = [given for made, given in proposals(ast, opts) if made is ast]
    assert [] in kept
    assert all(opts[:number] + opts[number + 1 :] in kept for number in range(3))


def test_a_value_of_another_type_and_shape_can_be_all_that_stays() -> None:
    """A comparison below a sum below a square root becomes the output."""
    ast = kernel(where(buffer("a", (4, 8)) < 3, 1.0, 2.0).sum(axis=1).sqrt())
    made = reduced(ast, lambda one: bool(nodes(one, Ops.CMPLT)))
    assert [node.op for node in made.toposort() if node.op not in (Ops.VIEW, Ops.DEFINE_GLOBAL)][-3:] == [
        Ops.CMPLT, Ops.STORE, Ops.SINK,
    ]  # fmt: skip
    assert size_of(made) <= 5


@pytest.mark.parametrize("op", [Ops.REDUCE_AXIS, Ops.SQRT, Ops.EXP2, Ops.RECIP])
def test_one_op_of_a_kernel_is_left_on_a_load(op: Ops) -> None:
    made = reduced(kernel(softmax_like()), lambda one: bool(nodes(one, op)))
    assert size_of(made) == 4  # SINK, STORE, the op, and a load or a constant


def test_axes_become_short_and_vanish() -> None:
    ast = ASTS["sums"]()
    shapes = {store.src[1].arg.shape for made, _ in proposals(ast, []) for store in nodes(made, Ops.STORE)}
    assert {(1, 1), (2, 1), (4, 1)} <= shapes
    assert any(len(shape) == 1 for shape in shapes)
    dropped = [made for made, _ in proposals(ast, []) if not nodes(made, Ops.REDUCE_AXIS) and nodes(made, Ops.SQRT)]
    assert dropped


def test_types_become_plain() -> None:
    made = [one for one, _ in proposals(ASTS["padded"](), [])]
    assert any(all(node.dtype is not dtypes.long for node in one.toposort()) for one in made)
    halves = [one for one, _ in proposals(ASTS["halves"](), [])]
    assert any(not nodes(one, Ops.CAST) and nodes(one, Ops.MUL) for one in halves)


def test_a_variable_becomes_a_number_in_nodes_and_views() -> None:
    n = UOp.variable("n", 1, 16)
    view = ShapeTracker.from_shape((n,)).to_uop()
    load = UOp(Ops.LOAD, dtypes.float, (UOp(Ops.DEFINE_GLOBAL, dtypes.float.ptr(16), (), 1), view))
    store = UOp(Ops.STORE, dtypes.void, (UOp(Ops.DEFINE_GLOBAL, dtypes.float.ptr(16), (), 0), view, load))
    made = [one for one, _ in proposals(UOp.sink(store), [])]
    static = [one for one in made if not one.variables() and nodes(one, Ops.LOAD)]
    assert {one.src[0].src[1].arg.shape for one in static} == {(1,), (2,), (16,)}


def record(ast: UOp) -> dict[str, object]:
    return make_record(ast, get_renderer("c"), compile_ast(ast, get_renderer("c"), "none"))


def test_the_seam_gives_pages_of_records_that_replay_reads() -> None:
    whole = record(ASTS["plain"]())
    page = process_replay.reductions(whole)
    assert page == process_replay.reductions(json.loads(json.dumps(whole)))
    for one in page:
        assert process_replay.replay(one)["status"] == "ok"
        assert one["size"] == process_replay.ast_size(one["ast"])
    assert process_replay.reductions(whole, 3) == page[3:]
    assert process_replay.reductions(whole, len(page)) == []


def test_pages_of_a_large_kernel_are_short(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = record(ASTS["sums"]())
    count = len(from_rows(whole["ast"]).toposort())
    monkeypatch.setattr(process_replay, "MAX_REDUCED_NODES", 5 * count)
    first, second = process_replay.reductions(whole), process_replay.reductions(whole, 5)
    assert len(first) == len(second) == 5
    assert not [one for one in second if one in first]


def test_what_is_no_record_is_refused() -> None:
    with pytest.raises(RecordError, match="ast"):
        process_replay.reductions({"ast": [["NOPE", "int", [], None]], "applied_opts": []})
