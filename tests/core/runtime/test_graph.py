"""Lowered graphs evaluated without an order: small ones by hand, those of real kernels against the interpreter."""

from __future__ import annotations

import numpy as np
import pytest

from core.dtype import dtypes, image_dtype
from core.errors import RuntimeFailure
from core.ir.ops import Ops
from core.ir.uop import UOp
from core.runtime.graph import evaluate_graph
from tests.core.lower.graphs import buffer, lane, load, loop, reduce, store

INT = dtypes.int


def special(name: str, size: int) -> UOp:
    return UOp(Ops.SPECIAL, INT, (), (name, size))


def evaluated(*stores: UOp, size: int, **buffers: list[int]) -> list[int]:
    """What is in buffer 0, of `size` elements, after the stores; `b1` is what is in buffer 1."""
    arrays = {int(name[1:]): np.array(values, np.int32) for name, values in buffers.items()}
    arrays[0] = np.full(size, -1, np.int32)
    out = evaluate_graph(UOp.sink(*stores), arrays, {})
    assert arrays[0].tolist() == [-1] * size  # buffers are left as they are
    return out[0].tolist() if 0 in out else arrays[0].tolist()


def test_loops_launch_dimensions_and_lanes_are_axes() -> None:
    row, column, last = special("gidx0", 2), loop(0, 3), lane(2, 2)
    index = row * 6 + column * 2 + last
    value = row * 100 + column * 10 + last
    expected = [100 * i + 10 * j + k for i in range(2) for j in range(3) for k in range(2)]
    assert evaluated(store(buffer(0, INT), index, value), size=12) == expected


def test_a_reduce_over_loops_and_lanes() -> None:
    row, inner, last = loop(0, 2), loop(1, 3), lane(2, 4)
    value = load(buffer(1, INT), row * 12 + inner * 4 + last)
    total = reduce(Ops.ADD, value, inner, lanes=((2, 4),))
    greatest = reduce(Ops.MAX, value, inner, lanes=((2, 4),))
    numbers = [(7 * i) % 24 for i in range(24)]
    sums = [sum(numbers[:12]), sum(numbers[12:])]
    maxima = [max(numbers[:12]), max(numbers[12:])]
    stores = store(buffer(0, INT), row, total), store(buffer(0, INT), row + 2, greatest)
    assert evaluated(*stores, size=4, b1=numbers) == sums + maxima


def test_a_reduce_of_what_does_not_change_counts_its_terms() -> None:
    total = reduce(Ops.ADD, UOp.const(INT, 5), loop(0, 3), lanes=((1, 4),))
    assert evaluated(store(buffer(0, INT), UOp.const(INT, 0), total), size=1) == [60]


def test_gates_of_loads_and_stores() -> None:
    index = loop(0, 6)
    inside = index.alu(Ops.CMPLT, UOp.const(INT, 4))
    value = load(buffer(1, INT), index, inside)  # buffer 1 has four elements
    stored = store(buffer(0, INT), index, value + 1, index.alu(Ops.CMPNE, UOp.const(INT, 1)))
    assert evaluated(stored, size=6, b1=[5, 6, 7, 8]) == [6, -1, 8, 9, 1, 1]


@pytest.mark.parametrize("which", ["load", "store"])
def test_an_access_outside_of_a_buffer(which: str) -> None:
    index = loop(0, 6)
    value = load(buffer(1, INT), index if which == "load" else index % 4)
    with pytest.raises(RuntimeFailure, match=r"element 4 of buffer \d is accessed, which has 4"):
        evaluated(store(buffer(0, INT), index, value), size=4 if which == "store" else 6, b1=[1, 2, 3, 4])


def test_vectors_are_loaded_and_stored_element_by_element() -> None:
    index = loop(0, 2) * 2
    pair = load(buffer(1, INT), index).src[0]
    vector = UOp(Ops.LOAD, INT.vec(2), (pair,))
    first, second = (UOp(Ops.GEP, INT, (vector,), i) for i in range(2))
    swapped = UOp(Ops.VECTORIZE, INT.vec(2), (second, first * 10))
    assert evaluated(store(buffer(0, INT), index, swapped), size=4, b1=[1, 2, 3, 4]) == [2, 10, 4, 30]


def test_every_block_has_its_own_local_memory() -> None:
    block, thread, late = special("gidx0", 3), special("lidx0", 4), loop(5, 4)
    shared = UOp(Ops.DEFINE_LOCAL, INT.ptr(4, local=True), (), "temp0")
    left = store(shared, thread, block * 100 + thread)
    address = UOp(Ops.INDEX, shared.dtype, (shared, late, UOp(Ops.BARRIER, dtypes.void, (left,))))
    total = reduce(Ops.ADD, UOp(Ops.LOAD, INT, (address,)), late)
    first = thread.alu(Ops.CMPLT, UOp.const(INT, 1))
    assert evaluated(store(buffer(0, INT), block, total, first), size=3) == [6, 406, 806]


def test_loads_see_the_buffers_as_they_were_before() -> None:
    index = loop(0, 4)
    back = load(buffer(0, INT), index)
    assert evaluated(store(buffer(0, INT), (index * -1) + 3, back + index), size=4) == [2, 1, 0, -1]


def test_variables_are_the_kernels() -> None:
    n = UOp(Ops.DEFINE_VAR, INT, (), ("n", 1, 4))
    index = UOp(Ops.RANGE, INT, (n,), 0)
    sink = UOp.sink(store(buffer(0, INT), index, index + n))
    out = evaluate_graph(sink, {0: np.zeros(4, np.int32)}, {"n": 3})
    assert out[0].tolist() == [3, 4, 5, 0]


def test_what_is_too_large_is_refused() -> None:
    rows, columns = loop(0, 100), loop(1, 100)
    sink = UOp.sink(store(buffer(0, INT), rows * 100 + columns, rows * columns))
    with pytest.raises(RuntimeFailure, match="a value of the graph has 10000 elements; at most 9999 are held"):
        evaluate_graph(sink, {0: np.zeros(10_000, np.int32)}, {}, limit=9_999)


def test_images_and_matrix_products_are_left_to_the_emulator() -> None:
    image = UOp(Ops.DEFINE_GLOBAL, image_dtype("imagef", (2, 2, 4)), (), 0)
    with pytest.raises(RuntimeFailure, match="images are not evaluated in a graph"):
        evaluate_graph(UOp.sink(store(image, loop(0, 4), UOp.const(dtypes.float, 1.0))), {}, {})
    contracted = UOp(Ops.CONTRACT, INT.vec(2), (lane(0, 2),), ((0, 2),))
    with pytest.raises(RuntimeFailure, match=r"CONTRACT of int\.vec\(2\) is not evaluated in a graph"):
        evaluate_graph(UOp.sink(contracted), {}, {})
