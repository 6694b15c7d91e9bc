"""Nodes are hash-consed, tell apart what must be told apart, and die when nobody holds them."""

from __future__ import annotations

import gc
import math
import subprocess
import sys
import weakref

import pytest

from core.dtype import dtypes
from core.ir import uop as uop_module
from core.ir.bounds import exact_bounds
from core.ir.ops import Ops
from core.ir.uop import UOp, resolve, smax, smin, ssimplify

DEPTH = 50_000


def const(value: float | bool, dtype: object = dtypes.float) -> UOp:
    return UOp(Ops.CONST, dtype, (), value)  # type: ignore[arg-type]


def test_the_same_node_is_the_same_object() -> None:
    assert UOp.variable("a", 0, 3) is UOp.variable("a", 0, 3)
    assert UOp.variable("a", 0, 3) is not UOp.variable("a", 0, 4)


def test_constants_that_compare_equal_in_python_stay_apart() -> None:
    assert const(0.0) is not const(-0.0)
    assert const(1, dtypes.int) is not const(True, dtypes.int)
    assert const(math.nan) is const(-math.nan) is const(float("nan"))


def test_a_node_is_forgotten_when_nobody_holds_it() -> None:
    key = (Ops.DEFINE_VAR, dtypes.int, (), ("only_here", 0, 3))
    node = UOp.variable("only_here", 0, 3) + 17
    reference = weakref.ref(node)
    assert key in uop_module._table
    del node
    gc.collect()
    assert reference() is None
    assert key not in uop_module._table


def test_constants_take_the_range_of_their_dtype() -> None:
    assert UOp.const(dtypes.uchar, 257).arg == 1
    assert UOp.const(dtypes.char, 200).arg == -56
    assert UOp.const(dtypes.int, 2**31).arg == -(2**31)
    assert UOp.const(dtypes.bool, 7).arg is True


def test_truth_of_a_symbolic_expression_is_refused() -> None:
    with pytest.raises(TypeError, match="resolve"):
        bool(UOp.variable("a", 0, 3) < 2)
    assert resolve(UOp.variable("a", 0, 3) < 4) is True
    assert resolve(UOp.variable("a", 0, 3) < 0) is False
    assert resolve(UOp.variable("a", 0, 3) < 2, False) is False


def test_symbolic_integers() -> None:
    a = UOp.variable("a", 1, 8)
    assert ssimplify(UOp(Ops.ADD, dtypes.int, (UOp.const(dtypes.int, 2), UOp.const(dtypes.int, 3)))) == 5
    assert smax(3, 9, 4) == 9
    assert smax(a, 8) == 8
    assert smin(a, 1) == 1
    assert (2 * a + 1).render() == "((a*2)+1)"
    assert (1 - a).render() == "((a*-1)+1)"


def test_bounds_and_toposort_of_a_deep_graph_need_no_recursion() -> None:
    node = UOp.variable("a", 0, 1)
    for _ in range(DEPTH):
        node = UOp(Ops.MAX, dtypes.int, (node, node))
    assert (node.vmin, node.vmax) == (0, 1)
    assert len(node.toposort()) == DEPTH + 1
    assert len(node.order) > 0


def test_bounds_of_what_may_wrap_are_those_of_the_dtype() -> None:
    a = UOp.variable("a", 0, 200, dtypes.uchar)
    total = UOp(Ops.ADD, dtypes.uchar, (a, a))
    assert exact_bounds(total) == (0, 400)
    assert (total.vmin, total.vmax) == (0, 255)


def test_toposort_puts_operands_first_and_left_to_right() -> None:
    a, b = UOp.variable("a", 0, 3), UOp.variable("b", 0, 3)
    product = UOp(Ops.MUL, dtypes.int, (b, a))
    total = UOp(Ops.ADD, dtypes.int, (product, a))
    assert total.toposort() == (b, a, product, total)


def test_order_does_not_depend_on_the_process() -> None:
    program = (
        "from core.ir.uop import UOp\n"
        "from core.dtype import dtypes\n"
        "names = [UOp.variable(n, 0, 9) for n in 'qwertyuiop']\n"
        "print(sum(names[1:], names[0]).render())\n"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", program], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(texts) == 1
