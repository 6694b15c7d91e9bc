"""Every op on every type, on the edges of its range, as compiled from the rendered sources."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from core.dtype import DType, dtypes
from core.ir.ops import Ops
from core.ir.uop import UOp
from core.render import get_renderer
from tests.core.render import native, values
from tests.core.render.programs import alu, cast, const, elementwise

EVERYWHERE = (Ops.ADD, Ops.MUL, Ops.MAX, Ops.CMPLT, Ops.CMPNE, Ops.WHERE)
CASES = [
    *values.cases(EVERYWHERE, values.ALL),
    *values.cases((Ops.SUB, Ops.NEG), [*values.INTEGERS, *values.FLOATS]),
    *values.cases((Ops.IDIV, Ops.MOD, Ops.SHL, Ops.SHR), values.INTEGERS),
    *values.cases((Ops.AND, Ops.OR, Ops.XOR), [dtypes.bool, *values.INTEGERS]),
    *values.cases((Ops.FDIV, Ops.RECIP, Ops.SQRT, Ops.EXP2, Ops.LOG2, Ops.SIN), values.FLOATS),
]
APPROXIMATE = (Ops.EXP2, Ops.LOG2, Ops.SIN)
BACKENDS = ("c", "llvm")
# as scalars, and as vectors of four
LANES = (1, 4)


def padded(array: NDArray[Any]) -> NDArray[Any]:
    """The array with its first values again, to a multiple of the widest vector."""
    return np.resize(array, -(-array.size // 4) * 4)


@cache
def operands(op: Ops, dtype: DType) -> list[NDArray[Any]]:
    arrays = values.combinations(*[values.edges(operand) for operand in values.operand_types(op, dtype)])
    return [padded(array) for array in arrays]


def name_of(op: Ops, dtype: DType, lanes: int) -> str:
    return f"{op.name.lower()}_{dtype}_{lanes}"


@pytest.fixture(scope="module", params=BACKENDS)
def kernels(request: pytest.FixtureRequest) -> native.Kernels:
    renderer = get_renderer(request.param)
    sources = {}
    for op, dtype in CASES:
        inputs = values.operand_types(op, dtype)
        out = dtypes.bool if op in (Ops.CMPLT, Ops.CMPNE) else dtype
        for lanes in LANES:
            uops = elementwise(out, inputs, lambda *src, op=op: alu(op, *src), operands(op, dtype)[0].size, lanes)
            name = name_of(op, dtype, lanes)
            sources[name] = renderer.render(name, uops)
    return native.BUILDERS[request.param](sources)


@pytest.mark.parametrize(("op", "dtype"), CASES, ids=[f"{op.name}-{dtype}" for op, dtype in CASES])
def test_an_op_gives_what_it_means(kernels: native.Kernels, op: Ops, dtype: DType) -> None:
    inputs = operands(op, dtype)
    wanted = values.expected(op, dtype, inputs)
    for lanes in LANES:
        got = np.zeros_like(wanted)
        kernels(name_of(op, dtype, lanes), got, *inputs)
        right = values.close(got, wanted) if op in APPROXIMATE else values.same(got, wanted)
        assert right.all(), wrong(right, got, wanted, inputs)


def wrong(right: NDArray[np.bool_], got: NDArray[Any], wanted: NDArray[Any], inputs: list[NDArray[Any]]) -> str:
    i = int(np.argmin(right))
    return f"{[array[i] for array in inputs]} gave {got[i]}, not {wanted[i]}; {np.count_nonzero(~right)} are wrong"


# ---- divisions and shifts by constants, whose bounds leave no guard ---------------------------------------------


CONSTANTS = [-100, -8, -2, -1, 1, 2, 3, 7, 100]


@pytest.mark.parametrize("backend", BACKENDS)
def test_divisions_and_shifts_by_constants(backend: str) -> None:
    renderer, sources, wanted = get_renderer(backend), {}, {}
    for op in (Ops.IDIV, Ops.MOD, Ops.SHL, Ops.SHR):
        for dtype in values.INTEGERS:
            counts = [0, 1, 3, dtype.bits - 1] if op in (Ops.SHL, Ops.SHR) else CONSTANTS
            for value in [value for value in counts if dtype.min <= value <= dtype.max]:
                data, name = values.edges(dtype), f"{op.name.lower()}_{dtype}_{value}".replace("-", "m")
                uops = elementwise(dtype, [dtype], lambda x, o=op, d=dtype, v=value: alu(o, x, const(d, v)), data.size)
                sources[name] = renderer.render(name, uops)
                wanted[name] = data, values.expected(op, dtype, [data, np.full_like(data, value)])
    kernels = native.BUILDERS[backend](sources)
    for name, (data, right) in wanted.items():
        got = np.zeros_like(right)
        kernels(name, got, data)
        assert (got == right).all(), (name, data, got, right)


# ---- conversions ------------------------------------------------------------------------------------------------


def cast_values(to: DType, source: DType) -> NDArray[Any]:
    data = values.edges(source)
    if source.is_float and to.is_int:
        data = values.representable(to, data)
    return padded(data)


CASTS = [(to, source) for to in values.ALL for source in values.ALL]


@pytest.fixture(scope="module", params=BACKENDS)
def casts(request: pytest.FixtureRequest) -> native.Kernels:
    renderer, sources = get_renderer(request.param), {}
    for to, source in CASTS:
        for lanes in LANES:
            size = cast_values(to, source).size
            uops = elementwise(to, [source], lambda x, to=to: cast(x, to.vec(x.dtype.count)), size, lanes)
            sources[f"{to}_{source}_{lanes}"] = renderer.render(f"{to}_{source}_{lanes}", uops)
    return native.BUILDERS[request.param](sources)


@pytest.mark.parametrize(("to", "source"), CASTS, ids=[f"{source}-to-{to}" for to, source in CASTS])
def test_a_cast_converts(casts: native.Kernels, to: DType, source: DType) -> None:
    data = cast_values(to, source)
    wanted = values.converted(to, data)
    for lanes in LANES:
        got = np.zeros_like(wanted)
        casts(f"{to}_{source}_{lanes}", got, data)
        right = values.same(got, wanted)
        assert right.all(), wrong(right, got, wanted, [data])


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("source", values.FLOATS, ids=str)
def test_floats_go_to_narrow_and_unsigned_integers_by_a_wider_one(backend: str, source: DType) -> None:
    data = np.array([-1, -1.9, -200, 255, 256, 300.7, 40000, 65000], source.numpy())
    renderer, sources = get_renderer(backend), {}
    targets = [dtypes.char, dtypes.uchar, dtypes.short, dtypes.ushort, dtypes.uint]
    for to in targets:
        sources[f"to_{to}"] = renderer.render(
            f"to_{to}", elementwise(to, [source], lambda x, t=to: cast(x, t), data.size)
        )
    kernels = native.BUILDERS[backend](sources)
    for to in targets:
        got = np.zeros(data.size, to.numpy())
        kernels(f"to_{to}", got, data)
        assert got.tolist() == [values.wrapped(to, int(value)) for value in data.tolist()]


BITCASTS = [(to, source) for to in values.ALL for source in values.ALL if to.itemsize == source.itemsize]


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_bitcast_keeps_the_bits(backend: str) -> None:
    renderer, sources = get_renderer(backend), {}
    for to, source in BITCASTS:
        size = padded(values.edges(source)).size
        for lanes in LANES:
            name = f"{to}_{source}_{lanes}"
            uops = elementwise(
                to, [source], lambda x, to=to: UOp(Ops.BITCAST, to.vec(x.dtype.count), (x,)), size, lanes
            )
            sources[name] = renderer.render(name, uops)
    kernels = native.BUILDERS[backend](sources)
    for to, source in BITCASTS:
        data = padded(values.edges(source))
        wanted = data != 0 if to.is_bool else data.view(to.numpy())
        for lanes in LANES:
            got = np.zeros(data.size, to.numpy())
            kernels(f"{to}_{source}_{lanes}", got, data)
            assert got.tobytes() == wanted.tobytes(), (to, source, lanes)


def test_every_op_of_the_tables_is_tried() -> None:
    tried: Mapping[Ops, None] = dict.fromkeys([op for op, _ in CASES])
    for backend in BACKENDS:
        assert set(get_renderer(backend).code_for_op) == set(tried)
