"""WGSL: the checkers of two browsers judge it, and what it computes is run and compared, 64-bit integers above all."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from core.dtype import DType, dtypes
from core.errors import RenderError
from core.ir.ops import Ops
from core.ir.uop import UOp
from core.render import get_renderer
from core.render.program import ProgramSpec
from core.render.wgsl_wide import FUNCTIONS, needed
from core.render.wgsl_words import WORDS
from tests.core.render import values
from tests.core.render.compilers import complaints
from tests.core.render.golden_programs import EVERY, source
from tests.core.render.gpu_programs import eight_halves, flat, group_sum, matrix_product, shared_vectors, wrapping
from tests.core.render.programs import alu, buffer, cast, const, elementwise, index, load, program, store
from tests.core.runtime.machine import usable_runtime

ONE = const(dtypes.float, 1.0)
COUNT = 512  # lavapipe runs no loop more than 65,535 times round, loops in it included
TYPES = [dtype for dtype in values.ALL if dtype is not dtypes.double]
INTEGERS = [dtype for dtype in values.INTEGERS if dtype in TYPES]
FLOATS = [dtype for dtype in values.FLOATS if dtype in TYPES]
CASES = [
    *values.cases((Ops.ADD, Ops.MUL, Ops.MAX, Ops.CMPLT, Ops.CMPNE, Ops.WHERE), TYPES),
    *values.cases((Ops.SUB, Ops.NEG), [*INTEGERS, *FLOATS]),
    *values.cases((Ops.IDIV, Ops.MOD, Ops.SHL, Ops.SHR), INTEGERS),
    *values.cases((Ops.AND, Ops.OR, Ops.XOR), [dtypes.bool, *INTEGERS]),
]


def render(uops: list[UOp]) -> str:
    return get_renderer("wgsl").render("k", uops)


def run(uops: list[UOp], out: DType, *inputs: NDArray[Any]) -> NDArray[Any]:
    result = np.zeros(inputs[0].size, out.numpy())
    spec = ProgramSpec("k", render(uops), "wgsl", tuple(uops), has_local=True)
    usable_runtime("wgsl").run(spec, dict(enumerate([result, *inputs])))
    return result


@cache
def operands(op: Ops, dtype: DType) -> tuple[NDArray[Any], ...]:
    return tuple(values.combinations(*[values.edges(operand) for operand in values.operand_types(op, dtype)]))


def is_tiny(dtype: DType, array: NDArray[Any]) -> NDArray[np.bool_]:
    """Denormals, which WGSL may take for 0."""
    if not dtype.is_float:
        return np.zeros(array.shape, bool)
    return (array != 0) & (np.abs(array) < np.finfo(dtype.numpy()).tiny)


@pytest.mark.parametrize(("op", "dtype"), CASES, ids=[f"{op.name}-{dtype}" for op, dtype in CASES])
def test_an_op_gives_what_it_means(op: Ops, dtype: DType) -> None:
    inputs = operands(op, dtype)
    out = dtypes.bool if op in (Ops.CMPLT, Ops.CMPNE) else dtype
    uops = elementwise(out, values.operand_types(op, dtype), lambda *src: alu(op, *src), inputs[0].size)
    wanted = values.expected(op, dtype, list(inputs))
    got = run(uops, out, *inputs)
    kinds = values.operand_types(op, dtype)
    excused = is_tiny(out, wanted) | np.any(
        [is_tiny(kind, array) for kind, array in zip(kinds, inputs, strict=True)], 0
    )
    right = values.same(got, wanted) | excused
    assert right.all(), [array[~right][:5] for array in (*inputs, got, wanted)]


CASTS = [(to, since) for to in TYPES for since in TYPES]


@pytest.mark.parametrize(("to", "since"), CASTS, ids=[f"{since}-to-{to}" for to, since in CASTS])
def test_a_cast_converts(to: DType, since: DType) -> None:
    data = values.edges(since)
    if since.is_float and to.is_int:
        data = values.representable(to, data)
    got = run(elementwise(to, [since], lambda x: cast(x, to), data.size), to, data)
    wanted = values.converted(to, data)
    right = values.same(got, wanted) | is_tiny(since, data) | is_tiny(to, wanted)
    assert right.all(), (data[~right], got[~right], wanted[~right])


@pytest.mark.parametrize("dtype", [dtypes.long, dtypes.ulong], ids=str)
@pytest.mark.parametrize("op", [Ops.ADD, Ops.SUB, Ops.MUL, Ops.IDIV, Ops.MOD, Ops.CMPLT], ids=lambda op: op.name)
def test_64_bits_on_random_numbers(op: Ops, dtype: DType) -> None:
    rng = np.random.default_rng(op)
    raw = [rng.integers(0, 1 << 64, COUNT, np.uint64) >> rng.integers(0, 64, COUNT).astype(np.uint64) for _ in range(2)]
    inputs = [array.view(dtype.numpy()) for array in raw]
    out = dtypes.bool if op is Ops.CMPLT else dtype
    uops = elementwise(out, [dtype, dtype], lambda x, y: alu(op, x, y), COUNT)
    assert np.array_equal(run(uops, out, *inputs), values.expected(op, dtype, inputs))


@pytest.mark.parametrize("dtype", [dtypes.long, dtypes.ulong], ids=str)
def test_64_bits_become_the_nearest_float(dtype: DType) -> None:
    rng = np.random.default_rng(7)
    raw = rng.integers(0, 1 << 64, 4096, np.uint64) >> rng.integers(0, 64, 4096).astype(np.uint64)
    ties = [(1 << 40) + (1 << 16), (1 << 40) + (1 << 16) + 1, (1 << 40) + 3 * (1 << 16), (1 << 63) - 1]
    data = np.concatenate([raw, np.array(ties, np.uint64)]).view(dtype.numpy())
    uops = elementwise(dtypes.float, [dtype], lambda x: cast(x, dtypes.float), data.size)
    assert np.array_equal(run(uops, dtypes.float, data), data.astype(np.float32))


def test_functions_come_with_those_that_they_call() -> None:
    assert needed(["let a = b + c;"]) == []
    declared = needed(["let a = mods64(b, c);"])
    names = [text.split("(")[0].removeprefix("fn ") for text in declared]
    assert names == [name for name in FUNCTIONS if name in names]
    assert {"mods64", "divmod64", "abs64", "neg64", "add64", "sub64", "shl64", "shru64", "ltu64"} == set(names)


@pytest.mark.parametrize("dtype", [dtypes.bool, dtypes.char, dtypes.uchar, dtypes.short, dtypes.ushort], ids=str)
def test_threads_write_parts_of_one_word(dtype: DType) -> None:
    """Every second element: the others keep what they were."""
    thread = UOp(Ops.SPECIAL, dtypes.int, (), ("gidx0", 32))
    place = alu(Ops.MUL, thread, const(dtypes.int, 2))
    uops = program(store(buffer(0, dtype, 64), place, load(buffer(1, dtype, 64), place)))
    before = np.arange(64).astype(dtype.numpy())
    after = before.copy()
    data = (~before if dtype.is_bool else before + 100).astype(dtype.numpy())
    spec = ProgramSpec("k", render(uops), "wgsl", tuple(uops), has_local=True)
    usable_runtime("wgsl").run(spec, {0: after, 1: data})
    assert np.array_equal(after[::2], data[::2])
    assert np.array_equal(after[1::2], before[1::2])


def test_both_checkers_accept_what_only_gpus_have() -> None:
    made = [group_sum(), flat(), eight_halves(), wrapping(), shared_vectors(dtypes.long), shared_vectors(dtypes.half)]
    texts = [render(uops) for uops in made] + [source("wgsl", name) for backend, name in EVERY if backend == "wgsl"]
    assert complaints("wgsl", texts) == []


def test_constants_that_wgsl_has_not() -> None:
    for dtype in (dtypes.float, dtypes.half):
        numbers = [float("inf"), float("-inf"), float("nan"), 1e-40 if dtype is dtypes.float else 1e-6, -0.5]
        uops = program(*[store(buffer(0, dtype), i, const(dtype, number)) for i, number in enumerate(numbers)])
        got = run(uops, dtype, np.zeros(5, dtype.numpy()))
        assert got[0] == np.inf
        assert got[1] == -np.inf
        assert np.isnan(got[2])
        assert got[4] == -0.5


def test_what_a_constant_expression_may_not_be_is_computed_when_it_runs() -> None:
    top = const(dtypes.int, (1 << 31) - 1)
    uops = program(store(buffer(0, dtypes.int), 0, alu(Ops.ADD, top, const(dtypes.int, 1))))
    assert run(uops, dtypes.int, np.zeros(1, np.int32))[0] == -(1 << 31)


# of 64 bits every op calls a function, which makes no constant expression
CONSTANT_CASES = [
    *values.cases(
        (Ops.ADD, Ops.MUL, Ops.IDIV, Ops.MOD, Ops.SHL, Ops.SHR), [dtype for dtype in INTEGERS if dtype.bits <= 32]
    ),
    *values.cases((Ops.ADD, Ops.MUL, Ops.CMPLT, Ops.RECIP), FLOATS),
]


@cache
def with_constants(op: Ops, dtype: DType) -> list[UOp]:
    """The op on every two edge values, once on two constants and once on a loaded value and a constant."""
    kinds, stores = values.operand_types(op, dtype), []
    out = buffer(0, dtypes.bool if op is Ops.CMPLT else dtype)
    for place, numbers in enumerate(zip(*[operand.tolist() for operand in operands(op, dtype)], strict=True)):
        fixed = [const(kind, number) for kind, number in zip(kinds, numbers, strict=True)]
        loaded = load(buffer(1, dtype), place)
        stores += [store(out, place * 2, alu(op, *fixed)), store(out, place * 2 + 1, alu(op, loaded, *fixed[1:]))]
    return program(*stores)


def test_both_checkers_accept_every_constant() -> None:
    """WGSL computes with constants when it compiles, and refuses what overflows or divides by 0."""
    assert complaints("wgsl", [render(with_constants(op, dtype)) for op, dtype in CONSTANT_CASES]) == []


@pytest.mark.long  # a driver takes minutes over programs that long
@pytest.mark.parametrize("op", [Ops.IDIV, Ops.MOD, Ops.SHL, Ops.SHR], ids=lambda op: op.name)
@pytest.mark.parametrize("dtype", [dtype for dtype in INTEGERS if dtype.bits <= 32], ids=str)
def test_an_op_on_constants_gives_what_it_means(op: Ops, dtype: DType) -> None:
    inputs = operands(op, dtype)
    wanted = np.repeat(values.expected(op, dtype, inputs), 2)
    got, uops = np.zeros(wanted.size, dtype.numpy()), with_constants(op, dtype)
    spec = ProgramSpec("k", render(uops), "wgsl", tuple(uops), has_local=True)
    usable_runtime("wgsl").run(spec, {0: got, 1: inputs[0]})
    assert np.array_equal(got, wanted)


def test_an_index_that_no_gate_lets_through_may_be_negative() -> None:
    gate = alu(Ops.CMPNE, load(buffer(2, dtypes.int), 0), const(dtypes.int, 0))
    value = UOp(Ops.LOAD, dtypes.float, (index(buffer(1, dtypes.float), const(dtypes.int, -3)), ONE, gate))
    assert complaints("wgsl", [render(program(store(buffer(0, dtypes.float), 0, value)))]) == []


@pytest.mark.parametrize("dtype", [dtypes.half, dtypes.float], ids=str)
def test_a_nan_is_told_by_its_bits(dtype: DType) -> None:
    uops = elementwise(dtypes.bool, [dtype], lambda x: alu(Ops.CMPNE, x, x), values.edges(dtype).size)
    assert "0x7fffffffu) > 0x7f800000u" in render(uops)
    assert np.array_equal(run(uops, dtypes.bool, values.edges(dtype)), np.isnan(values.edges(dtype)))


def test_names_that_wgsl_needs_itself() -> None:
    def named(word: str) -> str:
        thread = UOp(Ops.SPECIAL, dtypes.int, (), ("gidx0", 8))
        variable = UOp.variable(word, 0, 5)
        product = alu(Ops.MUL, cast(variable, dtypes.long), const(dtypes.long, 3))
        infinite = store(buffer(1, dtypes.half), variable, const(dtypes.half, float("inf")))
        small = store(buffer(2, dtypes.char), variable, cast(variable, dtypes.char))
        uops = program(store(buffer(0, dtypes.long), thread, product), infinite, small)
        return get_renderer("wgsl").render(word, uops)

    assert complaints("wgsl", [named(word) for word in WORDS]) == []


def test_a_gated_load_is_a_branch() -> None:
    place = index(buffer(1, dtypes.float), const(dtypes.int, 3))
    gate = alu(Ops.CMPNE, load(buffer(2, dtypes.int), 0), const(dtypes.int, 0))
    value = UOp(Ops.LOAD, dtypes.float, (place, const(dtypes.float, 7.0), gate))
    text = render(program(store(buffer(0, dtypes.float), 0, value)))
    assert "  var val1: f32 = 7.0f;\n  if (alu0) {\n    val1 = data1[3i];\n  }\n" in text


def test_what_is_refused() -> None:
    def refusal(uops: list[UOp]) -> str:
        with pytest.raises(RenderError) as caught:
            render(uops)
        return str(caught.value)

    double = elementwise(dtypes.double, [dtypes.double], lambda x: x, 8)
    assert refusal(double) == "wgsl cannot render double: the backend has no such type"
    product = matrix_product((8, 16, 16), dtypes.half, dtypes.float, 32, (8, 4, 4))
    assert refusal(product) == "wgsl cannot render WMMA: the backend has no such op"
    far = index(buffer(1, dtypes.float), const(dtypes.long, 1 << 40))
    many = program(store(buffer(0, dtypes.float), 0, UOp(Ops.LOAD, dtypes.float, (far,))))
    assert refusal(many) == f"wgsl cannot render an index up to {1 << 40}: an array has at most 2^32 elements"
