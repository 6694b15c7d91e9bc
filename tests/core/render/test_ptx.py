"""PTX: ptxas judges all of it, and what it cannot see, roundings and guards, is compared with the ISA manual's text."""

from __future__ import annotations

import pytest

from core.dtype import DType, dtypes, scalar_dtypes
from core.errors import RenderError
from core.ir.ops import Ops
from core.ir.uop import UOp
from core.render import get_renderer
from tests.core.render.compilers import complaints
from tests.core.render.golden_programs import EVERY, source
from tests.core.render.gpu_programs import (
    bits,
    eight_halves,
    flat,
    group_sum,
    matrix_product,
    shared_vectors,
    special,
    wrapping,
)
from tests.core.render.programs import alu, buffer, cast, const, elementwise, end, index, load, loop, program, store

TYPES = [dtype for dtype in scalar_dtypes() if dtype not in (dtypes.void, dtypes.bfloat16)]
INTEGERS = [dtype for dtype in TYPES if dtype.is_int]
FLOATS = [dtype for dtype in TYPES if dtype.is_float]
PRODUCTS = [
    ((8, 16, 16), dtypes.half, dtypes.float, 32, (8, 4, 4)),
    ((8, 16, 16), dtypes.half, dtypes.half, 32, (8, 4, 4)),
    ((8, 16, 8), dtypes.half, dtypes.float, 32, (4, 2, 4)),
    ((8, 16, 8), dtypes.half, dtypes.half, 32, (4, 2, 4)),
]


def render(uops: list[UOp], arch: str = "sm_80") -> str:
    return get_renderer(f"ptx:{arch}").render("k", uops)


def instructions(uops: list[UOp]) -> list[str]:
    """The lines of the body without their indentation and declarations."""
    body = render(uops).split("{\n")[1]
    return [line.strip().rstrip(";") for line in body.splitlines() if not line.startswith("  .")]


def binary(op: Ops, dtype: DType, out: DType | None = None) -> list[UOp]:
    return elementwise(out or dtype, [dtype, dtype], lambda x, y: alu(op, x, y), 8)


def programs_of_integers() -> list[list[UOp]]:
    made = []
    for dtype in INTEGERS:
        ops = [Ops.ADD, Ops.SUB, Ops.MUL, Ops.IDIV, Ops.MOD, Ops.MAX, Ops.AND, Ops.OR, Ops.XOR, Ops.SHL, Ops.SHR]
        made += [binary(op, dtype) for op in ops] + [binary(op, dtype, dtypes.bool) for op in (Ops.CMPLT, Ops.CMPNE)]
        made.append(elementwise(dtype, [dtype], lambda x: alu(Ops.NEG, x), 8))
    for op in (Ops.ADD, Ops.MUL, Ops.MAX, Ops.AND, Ops.OR, Ops.XOR, Ops.CMPLT, Ops.CMPNE):
        made.append(binary(op, dtypes.bool))
    return made


def programs_of_conversions() -> list[list[UOp]]:
    made = [elementwise(to, [since], lambda x, to=to: cast(x, to), 8) for to in TYPES for since in TYPES]
    of_size: dict[int, list[DType]] = {}
    for dtype in TYPES:
        if not dtype.is_bool:
            of_size.setdefault(dtype.itemsize, []).append(dtype)
    pairs = [(to, since) for group in of_size.values() for to in group for since in group]
    return made + [bits(to, since) for to, since in pairs]


def test_ptxas_accepts_every_op_of_integers() -> None:
    assert complaints("ptx", [render(uops) for uops in programs_of_integers()]) == []


def test_ptxas_accepts_every_conversion() -> None:
    assert complaints("ptx", [render(uops) for uops in programs_of_conversions()]) == []


@pytest.mark.parametrize("arch", ["sm_75", "sm_80", "sm_90"])
def test_ptxas_accepts_what_only_gpus_have(arch: str) -> None:
    made = [group_sum(), flat(), eight_halves(), wrapping(), shared_vectors(dtypes.long), shared_vectors(dtypes.half)]
    made += [matrix_product(*product) for product in (PRODUCTS[2:] if arch == "sm_75" else PRODUCTS)]
    of_floats = [elementwise(d, [d], lambda x, op=op: alu(op, x), 8) for d in FLOATS for op in (Ops.SQRT, Ops.RECIP)]
    of_floats += [binary(Ops.FDIV, dtype) for dtype in FLOATS]
    texts = [render(uops, arch) for uops in made + of_floats]
    texts += [source(f"ptx:{arch}", name) for backend, name in EVERY if backend == "ptx"]
    assert complaints(f"ptx:{arch}", texts) == []


def test_floats_round_to_nearest_and_are_never_fused() -> None:
    for dtype, name in ((dtypes.float, "f32"), (dtypes.double, "f64"), (dtypes.half, "f16")):
        uops = elementwise(dtype, [dtype] * 3, lambda x, y, z: alu(Ops.ADD, alu(Ops.MUL, x, y), z), 8)
        text = render(uops)
        assert f"mul.rn.{name} " in text
        assert f"add.rn.{name} " in text
        assert "fma" not in text
        assert ".ftz" not in text
    assert "div.rn.f32" in render(binary(Ops.FDIV, dtypes.half))


def test_a_gated_load_reads_nothing_where_the_gate_is_false() -> None:
    place = index(buffer(1, dtypes.float), const(dtypes.int, 3))
    gate = alu(Ops.CMPNE, load(buffer(2, dtypes.int), 0), const(dtypes.int, 0))
    value = UOp(Ops.LOAD, dtypes.float, (place, const(dtypes.float, 7.0), gate))
    text = instructions(program(store(buffer(0, dtypes.float), 0, value)))
    at = next(number for number, line in enumerate(text) if "ld.global.f32" in line)
    assert text[at - 1] == "mov.f32 %f0, 0f40E00000"
    assert text[at] == "@%p0 ld.global.f32 %f0, [%rd3+12]"


def test_division_is_total() -> None:
    text = instructions(binary(Ops.IDIV, dtypes.int))
    order = [line.split(" ")[0] for line in text if line.startswith(("setp.eq", "selp", "div", "sub"))]
    assert order == [
        "setp.eq.s32", "setp.eq.s32", "selp.b32", "selp.b32", "div.s32", "sub.s32", "selp.b32", "selp.b32",
    ]  # fmt: skip
    by_three = elementwise(dtypes.int, [dtypes.int], lambda x: alu(Ops.IDIV, x, const(dtypes.int, 3)), 8)
    assert not any(line.startswith("selp") for line in instructions(by_three))


def test_bytes_are_extended_after_each_op() -> None:
    assert "cvt.s16.s8" in render(binary(Ops.ADD, dtypes.char))
    assert "cvt.u16.u8" in render(binary(Ops.SHL, dtypes.uchar))
    assert "cvt." not in render(binary(Ops.AND, dtypes.int))


def test_what_is_read_from_an_accumulator_is_copied() -> None:
    """Both lanes are exchanged: the second assignment must not see what the first one wrote."""
    pair = dtypes.float.vec(2)
    total = UOp(Ops.DEFINE_ACC, pair, (const(pair, 0.0),), 0)
    low, high = (UOp(Ops.GEP, dtypes.float, (total,), lane) for lane in (0, 1))
    swapped = UOp(Ops.ASSIGN, pair, (total, UOp(Ops.VECTORIZE, pair, (high, low))))
    text = instructions(program(total, swapped, store(buffer(0, dtypes.float), 0, total)))
    moves = [line.removeprefix("mov.f32 ").split(", ") for line in text if line.startswith("mov.f32")]
    accumulator = [to for to, since in moves if since == "0f00000000"]
    written = [since for to, since in moves if to in accumulator and since != "0f00000000"]
    assert len(accumulator) == len(written) == 2
    assert not set(written) & set(accumulator)


def test_launch_bounds_and_dimensions() -> None:
    text = render(group_sum())
    assert ".maxntid 16, 1, 1\n" in text
    assert "mov.u32 %r0, %ctaid.x;" in text
    assert "bar.sync 0;" in text
    assert ".maxntid" not in render(flat())


def test_what_is_refused() -> None:
    def refusal(uops: list[UOp], arch: str = "sm_80") -> str:
        with pytest.raises(RenderError) as caught:
            render(uops, arch)
        return str(caught.value)

    brain = elementwise(dtypes.bfloat16, [dtypes.bfloat16], lambda x: x, 8)
    assert refusal(brain) == "ptx cannot render bfloat16: the backend has no such type"
    sine = elementwise(dtypes.float, [dtypes.float], lambda x: alu(Ops.SIN, x), 8)
    assert refusal(sine) == "ptx cannot render SIN of float: the backend has no such op"
    assert "architecture sm_75 multiplies no such matrices" in refusal(matrix_product(*PRODUCTS[0]), "sm_75")


def test_addresses_that_differ_by_a_constant_share_a_register_within_a_block() -> None:
    thread = special("lidx0", 16)
    later = alu(Ops.ADD, thread, const(dtypes.int, 4))
    copied = program(
        thread,
        store(buffer(0, dtypes.float), thread, load(buffer(1, dtypes.float), thread)),
        store(buffer(0, dtypes.float), later, load(buffer(1, dtypes.float), later)),
    )
    text = instructions(copied)
    assert sum(line.startswith("mul.wide.s32") for line in text) == 2
    assert any(line.startswith("ld.global.f32") and line.endswith("+16]") for line in text)


def test_an_address_of_a_block_that_may_be_skipped_is_computed_anew_after_it() -> None:
    thread = special("lidx0", 16)
    few = UOp(Ops.IF, dtypes.void, (alu(Ops.CMPLT, thread, const(dtypes.int, 5)),))
    inside = store(buffer(0, dtypes.int), thread, thread)
    after = store(buffer(0, dtypes.int), alu(Ops.ADD, thread, const(dtypes.int, 16)), thread)
    text = instructions(program(thread, few, inside, end(few), after))
    assert sum(line.startswith("mul.wide.s32") for line in text) == 2


@pytest.mark.parametrize(("dtype", "setting"), [(dtypes.half, "mov.b16 %h"), (dtypes.bool, "setp.eq.s32 %p")])
def test_a_constant_of_a_block_that_may_be_skipped_is_set_anew_after_it(dtype: DType, setting: str) -> None:
    steps = loop(load(buffer(1, dtypes.int), 0))
    one = const(dtype, 1)
    made = program(steps, store(buffer(0, dtype), steps, one), end(steps), store(buffer(0, dtype), 0, one))
    text = instructions(made)
    done = next(number for number, line in enumerate(text) if line.startswith("$done"))
    assert [any(line.startswith(setting) for line in part) for part in (text[:done], text[done:])] == [True, True]


def test_a_far_constant_index_is_added_to_the_address() -> None:
    """An instruction has 32 bits for what it adds to a register; ptxas says nothing of what is cut off."""
    for place, parts in ((1 << 20, ["+4194304]"]), (1 << 29, ["mul.wide.s32", "536870912, 4", "add.s64"])):
        text = render(program(store(buffer(0, dtypes.int), place, const(dtypes.int, 7))))
        assert all(part in text for part in parts), text
    thread = special("lidx0", 16)
    far = alu(Ops.ADD, thread, const(dtypes.int, 1 << 29))
    text = render(program(store(buffer(0, dtypes.int), far, const(dtypes.int, 7))))
    assert "st.global.s32 [%rd3], 7;" in text


def test_every_op_of_halves_is_rounded() -> None:
    """What 16 bits have no instruction for is computed in 32 and rounded, which for one op gives the same."""
    for op, instruction in ((Ops.RECIP, "rcp.rn.f32"), (Ops.SQRT, "sqrt.rn.f32")):
        text = instructions(elementwise(dtypes.half, [dtypes.half], lambda x, op=op: alu(op, x), 8))
        at = next(number for number, line in enumerate(text) if line.startswith(instruction))
        assert text[at - 1].startswith("cvt.f32.f16 ")
        assert text[at + 1].startswith("cvt.rn.f16.f32 ")


def test_conversions_name_their_rounding_and_leave_room_for_the_sign() -> None:
    def conversions(since: DType, to: DType) -> list[str]:
        made = instructions(elementwise(to, [since], lambda x: cast(x, to), 8))
        return [
            line.split(" ")[0] for line in made if line.startswith(("cvt.", "setp.ne", "selp")) and "to.g" not in line
        ]

    assert conversions(dtypes.float, dtypes.int) == ["cvt.rzi.s32.f32"]
    assert conversions(dtypes.float, dtypes.uchar) == ["cvt.rzi.s32.f32", "cvt.u16.s32", "cvt.u16.u8"]
    assert conversions(dtypes.double, dtypes.uint) == ["cvt.rzi.s64.f64", "cvt.u32.s64"]
    assert conversions(dtypes.double, dtypes.half) == ["cvt.rn.f16.f64"]
    assert conversions(dtypes.half, dtypes.float) == ["cvt.f32.f16"]
    assert conversions(dtypes.long, dtypes.half) == ["cvt.rn.f16.s64"]
    assert conversions(dtypes.char, dtypes.ulong) == ["cvt.u64.s16"]
    assert conversions(dtypes.char, dtypes.ushort) == []
    assert conversions(dtypes.short, dtypes.uchar) == ["cvt.u16.u8"]
    assert conversions(dtypes.float, dtypes.bool) == ["setp.neu.f32", "selp.b16"]


def test_a_count_of_a_shift_is_never_cut_off() -> None:
    """PTX reads it as 32 bits without a sign: of a long, what is beyond them must not get lost."""
    shifted = elementwise(dtypes.int, [dtypes.int, dtypes.long], lambda x, y: UOp(Ops.SHL, dtypes.int, (x, y)), 8)
    text = [line.split(" ")[0] for line in instructions(shifted)]
    at = text.index("setp.hi.u64")
    assert text[at : at + 4] == ["setp.hi.u64", "selp.b64", "cvt.u32.s64", "shl.b32"]
    negative = elementwise(dtypes.int, [dtypes.int, dtypes.char], lambda x, y: UOp(Ops.SHR, dtypes.int, (x, y)), 8)
    assert "cvt.s32.s16" in render(negative)


def test_max_gives_its_first_operand_where_one_is_nan() -> None:
    text = instructions(binary(Ops.MAX, dtypes.float))
    at = next(number for number, line in enumerate(text) if line.startswith("setp.lt.f32"))
    left, right = text[at].split(", ")[1:]
    assert text[at + 1].endswith(f", {right}, {left}, %p1")
    assert not any(line.startswith("max.f32") for line in text)
