"""The heuristics: an ordered table of steps, each of which may apply optimisations to a kernel.

Their choices are those of tinygrad 0.10.1, with which tests/conformance/decisions.py compares them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from core.context import MATVEC, NOLOCALS
from core.dtype import ImageDType
from core.errors import KernelOptError
from core.ir.ops import Ops
from core.ir.uop import UOp, all_int, resolve, sint, sint_prod
from core.opt.opt import Opt, OptOps
from core.opt.simplify import differ, divides
from core.shape import ShapeTracker

if TYPE_CHECKING:
    from core.opt.kernel import Kernel

__all__ = ["STEPS", "Step", "hand_coded_optimizations", "required_optimizations"]


@dataclass(frozen=True, slots=True)
class Step:
    """One heuristic. `run` applies what it chooses and returns whether the kernel is finished with it."""

    name: str
    does: str
    run: Callable[[Kernel], bool]


def hand_coded_optimizations(kernel: Kernel) -> None:
    """Run the steps in order until one of them says that the kernel is finished.

    A choice that does not apply is passed over. Raises KernelOptError only for what is required.
    """
    given = kernel.opt_step
    try:
        for step in STEPS:
            kernel.opt_step = step.name
            if step.run(kernel):
                break
    finally:
        kernel.opt_step = given


def required_optimizations(kernel: Kernel) -> None:
    """What must be done whatever the heuristics say: four neighbouring elements of an image are stored as one.

    Raises KernelOptError if a stored image has no axis of which four elements are neighbours.
    """
    if not isinstance(kernel.bufs[0].src[0].dtype, ImageDType):
        return
    axes = _float4_candidates(kernel.sts[0])
    if not axes:
        raise KernelOptError(
            f"the image of buffer {kernel.bufs[0].src[0].arg} needs an axis of stride 1 and a size that 4 divides, "
            f"shape {kernel.output_shape} has none"
        )
    if all(axis < kernel.first_upcast for axis in axes):
        kernel.apply_opt(Opt(OptOps.UPCAST, axes[0], 4))


def _required(kernel: Kernel) -> bool:
    required_optimizations(kernel)
    return False


def _try(kernel: Kernel, *opts: Opt) -> bool:
    """Apply all of `opts` or, if one of them does not apply, none; returns whether they applied."""
    before, count = kernel.layout, len(kernel.applied_opts)
    try:
        for opt in opts:
            kernel.apply_opt(opt)
    except KernelOptError:
        kernel.layout = before
        del kernel.applied_opts[count:], kernel.opt_steps[count:]
        return False
    return True


# ---- matrix-vector products -----------------------------------------------------------------------------------------

MATVEC_THREADS_PER_ROW: Final = 8
MATVEC_BLOCK: Final = 4
MATVEC_ROWS_PER_THREAD: Final = 4


def _matvec(kernel: Kernel) -> bool:
    if not (MATVEC and kernel.opts.has_local and kernel.opts.has_shared and _is_matvec(kernel)):
        return False
    if not divides(MATVEC_THREADS_PER_ROW, kernel.full_shape[kernel.first_reduce]):
        return False

    for axis in range(kernel.global_dims):
        if divides(MATVEC_BLOCK * MATVEC_ROWS_PER_THREAD, kernel.full_shape[axis]):
            return _try(
                kernel,
                Opt(OptOps.GROUP, 0, MATVEC_THREADS_PER_ROW),
                Opt(OptOps.LOCAL, axis, MATVEC_BLOCK),
                Opt(OptOps.UPCAST, axis, MATVEC_ROWS_PER_THREAD),
            )
    return False


def _is_matvec(kernel: Kernel) -> bool:
    """A sum of products of two loads, the first contiguous along the reduce, of which one at most is broadcast."""
    reduceop = kernel.reduceop
    if reduceop is None or reduceop.arg[0] is not Ops.ADD or kernel.first_reduce == kernel.first_upcast:
        return False
    product = reduceop.src[0]
    if product.op is not Ops.MUL or product.src[0].op is not Ops.LOAD or product.src[1].op is not Ops.LOAD:
        return False
    left, right = (kernel.sts[kernel.buf_index[load]] for load in product.src)
    return left.real_strides()[kernel.first_reduce] == 1 and not (_is_broadcast(left) and _is_broadcast(right))


def _is_broadcast(st: ShapeTracker) -> bool:
    return any(
        stride is not None and resolve(size > 1) and not differ(stride, 0)
        for size, stride in zip(st.shape, st.real_strides(), strict=True)
    )


# ---- sharing a reduce between threads -------------------------------------------------------------------------------

GROUP_WHEN_OUTPUTS: Final = 2048
WIDE_GROUP_WHEN_OUTPUTS: Final = 32


def _group_reduce(kernel: Kernel) -> bool:
    first_reduce = kernel.first_reduce
    outputs = kernel.output_shape[:first_reduce]
    if not (kernel.opts.has_local and kernel.opts.has_shared) or not all_int(outputs):
        return False
    if first_reduce > 2 or first_reduce >= kernel.shape_len or kernel.float4_axis(0):
        return False
    count = sint_prod(outputs)
    if not resolve(count <= GROUP_WHEN_OUTPUTS):
        return False

    sizes = [st.shape[first_reduce] for st in kernel.sts]
    for amount in (256, 16) if resolve(count <= WIDE_GROUP_WHEN_OUTPUTS) else (16,):
        if all(size == 1 or divides(amount, size) for size in sizes) and _try(kernel, Opt(OptOps.GROUPTOP, 0, amount)):
            break
    return False


# ---- images ---------------------------------------------------------------------------------------------------------


def _float4_candidates(st: ShapeTracker) -> list[int]:
    return [axis for axis in st.unit_stride_axes(ignore_valid=True) if divides(4, st.shape[axis])]


def _image_float4(kernel: Kernel) -> bool:
    for index, buf in enumerate(kernel.bufs):
        if not isinstance(buf.src[0].dtype, ImageDType):
            continue
        axes = _float4_candidates(kernel.sts[index])
        if not axes or any(axis >= kernel.first_upcast for axis in axes):
            continue
        if axes[0] < kernel.first_reduce:
            _try(kernel, Opt(OptOps.UPCAST, axes[0], 4))
        else:
            _try(kernel, Opt(OptOps.UNROLL, axes[0] - kernel.first_reduce, 4))
    return False


def _grouped(kernel: Kernel) -> bool:
    return kernel.group_for_reduces > 0


# ---- upcasting ------------------------------------------------------------------------------------------------------

MASKED_AXIS_MAX: Final = 7
MASKED_UPCAST_MAX: Final = 7 * 7


def _upcast_masked(kernel: Kernel) -> bool:
    full = kernel.full_shape
    upcasted = sint_prod(full[kernel.first_upcast :])
    chosen = []
    for axis in range(kernel.first_reduce):
        size = full[axis]
        if not isinstance(size, int) or size > MASKED_AXIS_MAX or not resolve(upcasted * size <= MASKED_UPCAST_MAX):
            continue
        if any(st.axis_is_masked(axis) for st in dict.fromkeys(kernel.sts)):
            chosen.append(axis)
            upcasted = upcasted * size
    for axis in reversed(chosen):  # the last first, so that the numbers of the others stay right
        _try(kernel, Opt(OptOps.UPCAST, axis, 0))
    return False


REUSE_WHEN_OUTPUTS: Final = 1024


def _upcast_reused(kernel: Kernel) -> bool:
    done: set[int] = set()
    while resolve(sint_prod(kernel.output_shape[: kernel.first_reduce]) >= REUSE_WHEN_OUTPUTS):
        best = min(_reused_axes(kernel, done), default=None)
        if best is None:
            break
        _, _, axis, amount = best
        _try(kernel, Opt(OptOps.UPCAST, axis, amount))
        done.add(axis)
    return False


def _reused_axes(kernel: Kernel, done: set[int]) -> Iterator[tuple[int, int, int, int]]:
    """The axes along which some buffer that no upcast axis reuses is read again: how many buffers move along the axis,
    by how much in all, axis, amount."""
    full = kernel.full_shape
    last_strides = [st.views[-1].strides for st in kernel.sts]
    reusable = [
        strides
        for strides, upcast_strides in zip(last_strides, _upcast_strides(kernel), strict=True)
        if not any(stride.__class__ is int and stride == 0 for stride in upcast_strides)
    ]
    for axis in range(kernel.first_reduce):
        amounts = [amount for amount in (3, 4) if divides(amount, full[axis])]
        if not amounts or axis in done or not any(strides[axis] == 0 for strides in reusable):
            continue
        steps = [_least(strides[axis]) for strides in last_strides]
        moving = sum([step > 0 for step in steps])
        for amount in amounts:
            yield moving, sum(steps), axis, amount


def _upcast_strides(kernel: Kernel) -> list[tuple[sint | None, ...]]:
    first = kernel.first_upcast
    return [st.real_strides()[first:] if kernel.upcasted else () for st in kernel.sts]


def _least(stride: sint) -> int:
    return int(stride.vmin) if isinstance(stride, UOp) else stride


# ---- unrolling ------------------------------------------------------------------------------------------------------

UNROLL_WHOLE_MAX: Final = 32
UNROLL_SECOND_MAX: Final = 3
UNROLL_PART: Final = 4


def _unroll_reduce(kernel: Kernel) -> bool:
    if not (kernel.first_reduce < kernel.first_upcast and _unroll_is_worth_it(kernel)):
        return False
    size = _last_loop(kernel)
    if isinstance(size, int) and size <= UNROLL_WHOLE_MAX:
        _unroll_last_loop(kernel, 0)
        if size <= UNROLL_SECOND_MAX and kernel.first_reduce < kernel.first_upcast:
            second = _last_loop(kernel)
            if isinstance(second, int) and second <= UNROLL_SECOND_MAX:
                _unroll_last_loop(kernel, 0)
    elif divides(UNROLL_PART, size):
        _unroll_last_loop(kernel, UNROLL_PART)
    return False


def _unroll_is_worth_it(kernel: Kernel) -> bool:
    """The body is small yet, or holds no unrolled reduce."""
    upcast_axes = kernel.upcasted_axis(kernel.full_buf_index)
    body = sint_prod([size for size, _, _ in upcast_axes])
    unrolled = any(reduced for _, _, reduced in upcast_axes)
    return resolve(body <= 4) or (not unrolled and resolve(body < 64))


def _last_loop(kernel: Kernel) -> sint:
    return kernel.full_shape[kernel.first_upcast - 1]


def _unroll_last_loop(kernel: Kernel, amount: int) -> None:
    _try(kernel, Opt(OptOps.UNROLL, kernel.first_upcast - 1 - kernel.first_reduce, amount))


def _upcast_something(kernel: Kernel) -> bool:
    last = kernel.first_upcast - 1
    if kernel.upcasted == 0 and last >= 0 and divides(4, kernel.full_shape[last]):
        _try(kernel, Opt(OptOps.UPCAST, last, 4))
    return False


# ---- locals ---------------------------------------------------------------------------------------------------------

LOCAL_SIZES: Final = (16, 8, 4, 3, 2)
FIRST_AXIS_LOCAL_SIZES: Final = (32, *LOCAL_SIZES)
LOCAL_MAX: Final = 128
LOCAL_AXES_MAX: Final = 3


def _locals(kernel: Kernel) -> bool:
    if not kernel.opts.has_local or kernel.dont_use_locals:
        return True
    if NOLOCALS and kernel.local_dims == 0:
        _try(kernel, Opt(OptOps.NOLOCALS))
        return True

    removed = 0
    for axis, amount in sorted(_local_sizes(kernel)[:LOCAL_AXES_MAX]):
        whole = kernel.full_shape[axis - removed] == amount
        if _try(kernel, Opt(OptOps.LOCAL, axis - removed, amount)):
            removed += whole
    return True


def _local_sizes(kernel: Kernel) -> list[tuple[int, int]]:
    """How much of which axis to make local. Axes along which a buffer stands still come first, then later ones."""
    full = kernel.full_shape
    last_strides = [st.views[-1].strides for st in dict.fromkeys(kernel.sts)]
    still = [any(strides[axis] == 0 for strides in last_strides) for axis in range(kernel.first_reduce)]
    threads = 1
    chosen = []
    for axis in sorted(range(kernel.first_reduce), key=lambda axis: (not still[axis], -axis)):
        for amount in FIRST_AXIS_LOCAL_SIZES if axis == 0 else LOCAL_SIZES:
            if threads * amount <= LOCAL_MAX and divides(amount, full[axis]):
                chosen.append((axis, amount))
                threads *= amount
                break
    return chosen


STEPS: Final = (
    Step("required", "what the backend cannot do without: float4 stores of images", _required),
    Step("matvec", "a matrix-vector product: a few threads share a row, each takes a few rows", _matvec),
    Step("group", "few outputs: the threads of a workgroup share the reduce", _group_reduce),
    Step("image_float4", "read images four neighbouring elements at a time", _image_float4),
    Step("grouped", "a kernel with a shared reduce takes no more", _grouped),
    Step("upcast_masked", "unroll small axes that are masked, so that the masks are constant", _upcast_masked),
    Step("upcast_reused", "unroll axes along which a buffer stands still, so that a load serves many", _upcast_reused),
    Step("unroll_reduce", "unroll the last reduce loop, all of it if it is short", _unroll_reduce),
    Step(
        "upcast_something", "nothing is unrolled yet: unroll the last axis by 4 if that is possible", _upcast_something
    ),
    Step("locals", "make up to three axes threads of a workgroup", _locals),
)
