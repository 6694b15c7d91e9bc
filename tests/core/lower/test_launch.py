"""Launch dimensions: whatever the limits, the threads together run over every position of the axes exactly once."""

from __future__ import annotations

from itertools import product
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import RenderError
from core.ir.kernel_info import KernelInfo
from core.ir.ops import Ops
from core.ir.uop import UOp
from core.lower.index import Axes
from core.lower.launch import launch_indices
from tests.core.lower.graphs import Target


def axes(shape: tuple[int, ...], local_dims: int = 0, dont_use_locals: bool = False) -> Axes:
    return Axes(shape, len(shape), len(shape), 0, KernelInfo(local_dims, 0, dont_use_locals))


def launched(indices: tuple[UOp, ...]) -> dict[str, int]:
    """The launch dimensions that the indices are made of, with their sizes."""
    return {node.arg[0]: node.arg[1] for node in UOp.sink(*indices).toposort() if node.op is Ops.SPECIAL}


def positions(indices: tuple[UOp, ...]) -> list[tuple[int, ...]]:
    """The axes' indices of every thread."""
    sizes = launched(indices)
    threads = product(*[range(size) for size in sizes.values()])
    return [tuple([value(index, dict(zip(sizes, thread, strict=True))) for index in indices]) for thread in threads]


def value(index: UOp, thread: dict[str, int]) -> int:
    if index.op is Ops.CONST:
        return int(index.arg)
    if index.op is Ops.SPECIAL:
        return thread[index.arg[0]]
    a, b = (value(source, thread) for source in index.src)
    return {Ops.ADD: a + b, Ops.MUL: a * b, Ops.IDIV: a // (b or 1), Ops.MOD: a % (b or 1)}[index.op]


@given(
    st.lists(st.integers(2, 6), min_size=1, max_size=5).map(tuple).filter(lambda shape: prod(shape) <= 400),
    st.tuples(*[st.integers(3, 40)] * 3),
)
def test_every_position_is_run_once_within_the_limits(shape: tuple[int, ...], limits: tuple[int, ...]) -> None:
    target = Target(has_local=True, global_max=limits)
    try:
        indices = launch_indices(axes(shape), target)
    except RenderError:
        return  # no factors within the limits: test_what_does_not_fit_is_refused
    sizes = launched(indices)
    assert all(size <= limits[int(name.removeprefix("gidx"))] for name, size in sizes.items())
    assert sorted(positions(indices)) == list(product(*[range(size) for size in shape]))


def test_an_axis_beyond_the_limit_is_spread_over_dimensions_that_are_free() -> None:
    target = Target(has_local=True, global_max=(65535, 65535, 65535))
    assert launched(launch_indices(axes((131072,)), target)) == {"gidx0": 32768, "gidx1": 4}
    assert launched(launch_indices(axes((3, 1 << 20)), target)) == {"gidx0": 32768, "gidx1": 32, "gidx2": 3}


def test_an_axis_within_the_limit_is_a_dimension_of_its_own() -> None:
    target = Target(has_local=True, global_max=(65535, 65535, 65535))
    assert launched(launch_indices(axes((3, 5, 65535)), target)) == {"gidx0": 65535, "gidx1": 5, "gidx2": 3}
    assert launched(launch_indices(axes((131072,)), Target(has_local=True))) == {"gidx0": 131072}


def test_more_than_three_axes_share_dimensions() -> None:
    target = Target(has_local=True, global_max=(64, 64, 64))
    indices = launch_indices(axes((2, 3, 4, 5)), target)
    assert sorted(launched(indices)) == ["gidx0", "gidx1", "gidx2"]
    assert sorted(positions(indices)) == list(product(range(2), range(3), range(4), range(5)))


@pytest.mark.parametrize("shape", [(65537,), (131072, 2, 2), (9, 9, 9, 9)], ids=str)
def test_what_does_not_fit_is_refused(shape: tuple[int, ...]) -> None:
    limit = 8 if shape[0] == 9 else 65535
    with pytest.raises(RenderError, match=r"gidx cannot render a launch .*it does not fit"):
        launch_indices(axes(shape), Target(has_local=True, global_max=(limit,) * 3))
