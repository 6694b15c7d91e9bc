"""The programs whose sources are kept in `golden/`, one of each kind of thing that a renderer writes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from core.compiler import compile_ast
from core.dtype import dtypes
from core.ir.ops import Ops
from core.ir.uop import UOp
from core.render import BACKENDS, get_renderer
from tests.core.render.golden_kernels import KERNELS
from tests.core.render.programs import (
    alu,
    buffer,
    cast,
    const,
    elementwise,
    end,
    gated_load,
    load,
    loop,
    program,
    store,
)


def add_vectors() -> list[UOp]:
    steps = loop(64)
    at = alu(Ops.MUL, steps, const(dtypes.int, 4))
    left, right = load(buffer(1, dtypes.float), at, 4), load(buffer(2, dtypes.float), at, 4)
    lanes = [
        alu(Ops.ADD, UOp(Ops.GEP, dtypes.float, (left,), i), UOp(Ops.GEP, dtypes.float, (right,), i)) for i in range(4)
    ]
    total = UOp(Ops.VECTORIZE, dtypes.float.vec(4), tuple(lanes))
    return program(store(buffer(0, dtypes.float), at, total), end(steps))


def matmul() -> list[UOp]:
    out, left, right = (buffer(number, dtypes.float) for number in range(3))
    rows, columns, inner = loop(16, 0), loop(8, 1), loop(32, 2)
    total = UOp(Ops.DEFINE_ACC, dtypes.float, (const(dtypes.float, 0.0),), 0)
    a = load(left, alu(Ops.ADD, alu(Ops.MUL, rows, const(dtypes.int, 32)), inner))
    b = load(right, alu(Ops.ADD, alu(Ops.MUL, inner, const(dtypes.int, 8)), columns))
    updated = UOp(Ops.ASSIGN, dtypes.float, (total, alu(Ops.ADD, total, alu(Ops.MUL, a, b))))
    stored = store(out, alu(Ops.ADD, alu(Ops.MUL, rows, const(dtypes.int, 8)), columns), total)
    return program(out, left, right, rows, columns, total, inner, updated, end(inner), stored, end(columns), end(rows))


def greatest() -> list[UOp]:
    out, data, steps = buffer(0, dtypes.float), buffer(1, dtypes.float), loop(100)
    total = UOp(Ops.DEFINE_ACC, dtypes.float, (const(dtypes.float, float("-inf")),), 0)
    updated = UOp(Ops.ASSIGN, dtypes.float, (total, alu(Ops.MAX, total, load(data, steps))))
    return program(out, data, total, steps, updated, end(steps), store(out, 0, total))


def pad() -> list[UOp]:
    steps = loop(10)
    gate = alu(Ops.CMPLT, steps, const(dtypes.int, 7))
    value = gated_load(buffer(1, dtypes.float), steps, const(dtypes.float, 0.0), gate)
    return program(store(buffer(0, dtypes.float), steps, value), end(steps))


def store_some() -> list[UOp]:
    steps = loop(10)
    opened = UOp(Ops.IF, dtypes.void, (alu(Ops.CMPLT, const(dtypes.int, 2), steps),))
    stored = store(
        buffer(0, dtypes.bool), steps, alu(Ops.CMPNE, load(buffer(1, dtypes.bool), steps), const(dtypes.bool, True))
    )
    return program(steps, opened, stored, end(opened), end(steps))


def divide() -> list[UOp]:
    def build(n: UOp, d: UOp) -> UOp:
        quotients = alu(Ops.SUB, alu(Ops.IDIV, n, d), alu(Ops.MOD, n, d))
        return alu(Ops.ADD, quotients, alu(Ops.IDIV, n, const(dtypes.int, 3)))

    return elementwise(dtypes.int, [dtypes.int, dtypes.int], build, 8)


def convert() -> list[UOp]:
    def build(x: UOp) -> UOp:
        parts = [cast(cast(x, to), dtypes.float) for to in (dtypes.half, dtypes.uchar, dtypes.uint, dtypes.bool)]
        return alu(Ops.ADD, alu(Ops.ADD, parts[0], parts[1]), alu(Ops.ADD, parts[2], parts[3]))

    return elementwise(dtypes.float, [dtypes.double], build, 8)


def transcendental() -> list[UOp]:
    def build(x: UOp) -> UOp:
        sigmoid = alu(
            Ops.RECIP,
            alu(
                Ops.ADD,
                alu(Ops.EXP2, alu(Ops.MUL, x, const(dtypes.float, -1.4426950408889634))),
                const(dtypes.float, 1.0),
            ),
        )
        return alu(Ops.ADD, alu(Ops.MUL, sigmoid, alu(Ops.SIN, x)), alu(Ops.LOG2, alu(Ops.SQRT, x)))

    return elementwise(dtypes.float, [dtypes.float], build, 8)


def halves() -> list[UOp]:
    def build(x: UOp, y: UOp) -> UOp:
        return alu(Ops.MAX, alu(Ops.ADD, alu(Ops.MUL, x, y), const(dtypes.half, 0.1)), const(dtypes.half, -0.0))

    return elementwise(dtypes.half, [dtypes.half, dtypes.half], build, 8)


def mix_bits() -> list[UOp]:
    def build(x: UOp, y: UOp) -> UOp:
        rotated = alu(Ops.OR, alu(Ops.SHL, y, const(dtypes.uint, 13)), alu(Ops.SHR, y, const(dtypes.uint, 19)))
        mixed = alu(Ops.XOR, rotated, alu(Ops.ADD, x, y))
        return UOp(Ops.BITCAST, dtypes.float, (alu(Ops.AND, mixed, const(dtypes.uint, 0x7FFFFF)),))

    return elementwise(dtypes.float, [dtypes.uint, dtypes.uint], build, 8)


def symbolic() -> list[UOp]:
    start, heads = (UOp(Ops.DEFINE_VAR, dtypes.int, (), (name, 1, 4096)) for name in ("start_pos", "heads"))
    steps = loop(alu(Ops.ADD, start, const(dtypes.int, 1)))
    at = alu(Ops.ADD, alu(Ops.MUL, cast(heads, dtypes.long), const(dtypes.long, 1 << 32)), cast(steps, dtypes.long))
    return program(store(buffer(0, dtypes.char), at, cast(steps, dtypes.char)), end(steps))


PROGRAMS: dict[str, Callable[[], list[UOp]]] = {
    made.__name__: made
    for made in (
        add_vectors,
        matmul,
        greatest,
        pad,
        store_some,
        divide,
        convert,
        transcendental,
        halves,
        mix_bits,
        symbolic,
    )
}


# no double; ops that the lowering writes in others; an index beyond 32 bits
CANNOT = {(backend, "convert") for backend in ("qcom", "metal", "wgsl")}
CANNOT |= {("ptx", "transcendental"), ("wgsl", "transcendental"), ("wgsl", "symbolic")}
EVERY = [(backend, name) for backend in BACKENDS for name in [*PROGRAMS, *KERNELS] if (backend, name) not in CANNOT]


def source(backend: str, name: str) -> str:
    renderer = get_renderer(backend)
    if name in KERNELS:
        return compile_ast(KERNELS[name](), renderer, name_override=name).src
    return renderer.render(name, PROGRAMS[name]())


if __name__ == "__main__":  # prints a digest of every source, for comparing processes
    every = "".join([source(*pair) for pair in EVERY])
    print(hashlib.blake2b(every.encode(), digest_size=16).hexdigest())
