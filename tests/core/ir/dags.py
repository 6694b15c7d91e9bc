"""Random graphs, deep ones and the real ones, for the tests of the forms in which graphs are stored."""

from __future__ import annotations

from typing import Any, NamedTuple

from hypothesis import strategies as st

from core.dtype import dtypes, image_dtype, scalar_dtypes
from core.ir.kernel_info import KernelInfo
from core.ir.ops import Ops
from core.ir.uop import UOp
from core.shape import ShapeTracker, View

VOID = dtypes.void


class RealAsts(NamedTuple):
    """The lines, the graph of each, and the seconds of CPU that reading them took."""

    lines: list[str]
    asts: list[UOp]
    seconds: float


def const(value: int = 1) -> UOp:
    return UOp(Ops.CONST, dtypes.int, (), value)


def chain(length: int) -> UOp:
    """A graph `length` nodes deep."""
    node = const()
    for _ in range(length - 1):
        node = UOp(Ops.NEG, dtypes.int, (node,))
    return node


DTYPES = st.one_of(
    st.sampled_from([VOID, *scalar_dtypes()]),
    st.builds(lambda dtype, count: dtype.vec(count), st.sampled_from(scalar_dtypes()), st.integers(2, 16)),
    st.builds(
        lambda dtype, size, local: dtype.ptr(size, local),
        st.sampled_from(scalar_dtypes()),
        st.integers(-1, 1 << 40),
        st.booleans(),
    ),
    st.builds(
        lambda name, height, width: image_dtype(name, (height, width, 4)),
        st.sampled_from(["imageh", "imagef"]),
        st.integers(1, 999),
        st.integers(1, 999),
    ),
)

_VARIABLES = st.builds(
    UOp.variable, st.sampled_from(["i", "start_pos", "x1"]), st.integers(-5, 5), st.integers(6, 1 << 20)
)
_INDICES = st.recursive(
    st.one_of(_VARIABLES, st.integers(-9, 9).map(const)),
    lambda inner: st.builds(
        lambda op, a, b: UOp(op, dtypes.int, (a, b)), st.sampled_from([Ops.ADD, Ops.MUL, Ops.IDIV]), inner, inner
    ),
    max_leaves=4,
)


@st.composite
def views(draw: st.DrawFn) -> View:
    rank = draw(st.integers(0, 4))
    shape = tuple(draw(st.lists(st.integers(0, 9), min_size=rank, max_size=rank)))
    strides = tuple(draw(st.lists(st.integers(-99, 1 << 40), min_size=rank, max_size=rank)))
    ranges = [sorted(draw(st.tuples(st.integers(0, size), st.integers(0, size)))) for size in shape]
    mask: Any = tuple([(low, high) for low, high in ranges]) if draw(st.booleans()) else None
    if draw(st.booleans()):
        return View.create(shape)
    if rank and draw(st.booleans()):
        symbolic = draw(_INDICES)
        return View((symbolic, *shape[1:]), (*strides[1:], symbolic), draw(_INDICES), mask, draw(st.booleans()))
    # an offset of its own keeps the view from being the plain one
    return View(shape, strides, draw(st.integers(1, 99)), mask, False)


TRACKERS = st.lists(views(), min_size=1, max_size=3).map(lambda found: ShapeTracker(tuple(found)))

STRINGS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
LEAF_ARGS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(1 << 63), (1 << 64) - 1),
    st.floats(),
    st.sampled_from([0.0, -0.0, float("inf"), float("-inf"), float("nan"), 5e-324, 1.7976931348623157e308]),
    STRINGS,
    st.sampled_from(list(Ops)),
    DTYPES,
    TRACKERS,
    _INDICES,
    st.builds(KernelInfo, st.integers(0, 9), st.integers(0, 9), st.booleans()),
)
ARGS = st.recursive(LEAF_ARGS, lambda inner: st.lists(inner, max_size=3).map(tuple), max_leaves=6)


@st.composite
def dags(draw: st.DrawFn) -> UOp:
    """A graph of up to 25 nodes, whatever their meaning; sources are shared often."""
    nodes = [const()]
    for _ in range(draw(st.integers(0, 24))):
        sources = draw(st.lists(st.integers(0, len(nodes) - 1), max_size=3))
        op, dtype = draw(st.sampled_from(list(Ops))), draw(DTYPES)
        nodes.append(UOp(op, dtype, tuple([nodes[i] for i in sources]), draw(ARGS)))
    return UOp(Ops.SINK, VOID, tuple(nodes[-4:]), draw(ARGS))
