"""What a renderer refuses, and how it says so."""

from __future__ import annotations

import pytest

from core.dtype import dtypes, image_dtype
from core.errors import RenderError
from core.ir.ops import Ops
from core.ir.uop import UOp
from core.render import BACKENDS, get_renderer
from core.render.base import parameters
from tests.core.render.programs import alu, buffer, cast, const, end, index, load, loop, program, store

every_backend = pytest.mark.parametrize("backend", list(BACKENDS))

A, B = (UOp(Ops.DEFINE_VAR, dtypes.int, (), (name, 0, 9)) for name in "ab")
# what some backends can express and others refuse
HAS = {
    "metal": ("bfloat16",),
    "cuda": ("bfloat16",),
    "hip": ("bfloat16",),
    "opencl": ("imageh((4,4,4))",),
    "qcom": ("imageh((4,4,4))",),
}
F = load(buffer(1, dtypes.float), 0)


def stored(value: UOp) -> list[UOp]:
    return program(store(buffer(0, value.dtype.scalar()), 0, value))


def image_store() -> list[UOp]:
    image = UOp(Ops.DEFINE_GLOBAL, image_dtype("imageh", (4, 4, 4)), (), 0)
    return program(UOp(Ops.STORE, dtypes.void, (index(image, 0), const(dtypes.float, 1.0))))


def special() -> list[UOp]:
    work_item = UOp(Ops.SPECIAL, dtypes.int, (), ("gidx0", 4))
    return program(store(buffer(0, dtypes.int), work_item, work_item))


def local() -> list[UOp]:
    return program(store(UOp(Ops.DEFINE_LOCAL, dtypes.float.ptr(4, local=True), (), "temp0"), 0, F))


REFUSED = [
    (stored(cast(F, dtypes.bfloat16)), "bfloat16"),
    (stored(const(dtypes.bfloat16.vec(2), 0.0)), "bfloat16"),
    (image_store(), "imageh((4,4,4))"),
    (stored(alu(Ops.THREEFRY, cast(A, dtypes.ulong), cast(B, dtypes.ulong))), "THREEFRY of ulong"),
    (stored(alu(Ops.MULACC, F, F, F)), "MULACC of float"),
    (stored(alu(Ops.SIN, A)), "SIN of int"),
    (stored(alu(Ops.SQRT, A)), "SQRT of int"),
    (stored(alu(Ops.IDIV, F, F)), "IDIV of float"),
    (stored(alu(Ops.XOR, F, F)), "XOR of float"),
    (stored(alu(Ops.NEG, cast(A, dtypes.bool))), "NEG of bool"),
    (stored(UOp(Ops.WMMA, dtypes.float.vec(4), (F, F, F))), "WMMA"),
    (program(store(buffer(0, dtypes.int), 0, UOp(Ops.LANE, dtypes.int, (), (0, 4)))), "LANE"),
]


@pytest.mark.parametrize(
    ("backend", "uops", "what"),
    [(backend, *case) for backend in BACKENDS for case in REFUSED if case[1] not in HAS.get(backend, ())],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_expressed_is_refused_by_name(backend: str, uops: list[UOp], what: str) -> None:
    with pytest.raises(RenderError) as caught:
        get_renderer(backend).render("k", uops)
    assert (caught.value.backend, caught.value.what) == (backend, what)
    assert str(caught.value).startswith(f"{backend} cannot render {what}: ")


@pytest.mark.parametrize("backend", ["c", "llvm"])
@pytest.mark.parametrize(
    "uops", [special(), local(), [UOp(Ops.BARRIER, dtypes.void, ())]], ids=["launch", "local", "barrier"]
)
def test_a_backend_of_one_thread_has_no_groups(backend: str, uops: list[UOp]) -> None:
    with pytest.raises(RenderError, match="its kernels run as one thread"):
        get_renderer(backend).render("k", uops)


def test_c_has_no_vectors_of_three() -> None:
    uops = program(store(buffer(0, dtypes.float), 0, load(buffer(1, dtypes.float), 0, 3)))
    with pytest.raises(RenderError, match=r"c cannot render float.vec\(3\): .* power of two"):
        get_renderer("c").render("k", uops)


def test_parameters_come_in_a_fixed_order() -> None:
    buffers = [buffer(number, dtypes.int) for number in (10, 2, 0)]
    assert parameters([B, *buffers, A, *buffers]) == [*reversed(buffers), A, B]


@every_backend
def test_rendering_again_gives_the_same(backend: str) -> None:
    steps = loop(4)
    uops = program(store(buffer(0, dtypes.int), steps, alu(Ops.MUL, steps, A)), end(steps))
    renderer = get_renderer(backend)
    assert renderer.render("k", uops) == renderer.render("k", uops) == type(renderer)().render("k", uops)


@every_backend
def test_options_make_the_renderer_again(backend: str) -> None:
    renderer = get_renderer(backend)
    assert renderer.options() == {"backend": backend, "arch": BACKENDS[backend].default_arch}
    assert get_renderer(backend) is renderer
    assert repr(renderer) == f"{type(renderer).__name__}({renderer.arch!r})".replace("(None)", "()")


@every_backend
def test_an_architecture_that_a_backend_does_not_have_is_refused(backend: str) -> None:
    reason = "this backend has no architectures" if BACKENDS[backend].default_arch is None else "choose from"
    with pytest.raises(RenderError, match=f"for architecture 'z80': {reason}"):
        get_renderer(f"{backend}:z80")


def test_a_backend_that_does_not_exist() -> None:
    with pytest.raises(
        RenderError, match="'vax' cannot render anything: there is no such backend; choose from c, llvm"
    ):
        get_renderer("vax")
