"""Giving a kernel's matrix product to a tensor core: which axes are M, N and K, and what becomes of the AST.

Applying the opt TC pads the axes if need be, unrolls K, and splits M and N into the threads and elements of the unit.
The AST then multiplies whole fragments (WMMA). With USE_TC=2 only the axes are split; with USE_TC=3 the fragments are
exchanged through local memory, as the unit would do it, and multiplied element by element.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from core.context import AMX, TC_OPT, TC_SELECT, USE_TC
from core.dtype import dtypes
from core.errors import KernelOptError
from core.ir.ops import Ops
from core.ir.uop import UOp, sint_prod
from core.opt.opt import Opt, OptOps
from core.opt.simplify import divides
from core.opt.tensor_core import Swizzle, TensorCore
from core.shape import ShapeTracker

if TYPE_CHECKING:
    from core.opt.kernel import Kernel

__all__ = ["MatrixAxes", "apply_tensor_cores", "change_to_tensor_core", "matrix_product"]

# levels of TC_OPT
CASTS_AND_MANY_REDUCES: Final = 1
PADDING: Final = 2
# modes of USE_TC
SHAPE_ONLY: Final = 2
STAGED: Final = 3

UPCASTS: Final = (5, 4, 3, 2)
LOCALS: Final = (4, 2)


@dataclass(frozen=True, slots=True)
class MatrixAxes:
    """The axes of the kernel that are N, M and K; None for one that the unit took whole. `pads`: (axis, multiple)."""

    n: int | None
    m: int | None
    k: int
    pads: tuple[tuple[int, int], ...] = ()

    def of(self, dim: int) -> int | None:
        """The axis of N (0) or M (1)."""
        return self.m if dim else self.n

    def without(self, removed: int) -> MatrixAxes:
        """The same after an axis of the kernel was used up."""

        def moved(axis: int | None) -> int | None:
            return axis if axis is None or axis < removed else None if axis == removed else axis - 1

        return replace(self, n=moved(self.n), m=moved(self.m))


# ---- choosing and applying ----------------------------------------------------------------------------------------


def change_to_tensor_core(kernel: Kernel, opt: Opt) -> None:
    """Apply an opt TC, arg (tc_select, tc_opt). Raises KernelOptError, and leaves the kernel as it was, if it fails."""
    select, level = _checked(kernel, opt)
    units = kernel.opts.tensor_cores if select == -1 else kernel.opts.tensor_cores[select : select + 1]
    for unit in units:
        every = {_matrix_axes(kernel, reduceop, unit, opt.axis or 0, level) for reduceop in kernel.reduceops}
        if len(every) != 1 or (axes := every.pop()) is None:
            continue
        before = kernel.layout
        try:
            kernel.matrix_axes = _split(kernel, unit, axes)
        except KernelOptError:
            kernel.layout = before
            continue
        kernel.tensor_core, kernel.use_tensor_cores = unit, USE_TC.value
        return
    raise KernelOptError(f"{opt} does not apply: no tensor core available for this product")


def _checked(kernel: Kernel, opt: Opt) -> tuple[int, int]:
    """(tc_select, tc_opt) of the opt."""
    units = kernel.opts.tensor_cores
    if kernel.applied_opts:
        raise KernelOptError(f"{opt} does not apply: tensor core opts must be first")
    if not USE_TC or not units:
        raise KernelOptError(f"{opt} does not apply: {kernel.opts.name} has no tensor cores, or USE_TC is 0")
    if not isinstance(opt.axis, int) or opt.axis < 0:
        raise KernelOptError(f"{opt} does not apply: tensor core opts must have an axis, a number from 0")
    if not isinstance(opt.arg, tuple) or len(opt.arg) != 2:
        raise KernelOptError(f"{opt} does not apply: tensor core opts must have tc_select and tc_opt")
    select, level = opt.arg
    if not -1 <= select < len(units):
        raise KernelOptError(f"{opt} does not apply: tc_select must lie between -1 and {len(units) - 1}")
    if not 0 <= level <= PADDING:
        raise KernelOptError(f"{opt} does not apply: tc_opt must be 0, 1 or 2")
    if kernel.reduceop is None or kernel.reduceop.arg[0] is not Ops.ADD:
        raise KernelOptError(f"{opt} does not apply: the kernel's first reduce is not a sum")
    return select, level


def _matrix_axes(kernel: Kernel, reduceop: UOp, unit: TensorCore, choice: int, level: int) -> MatrixAxes | None:
    """The axes of the product that `reduceop` sums up, if `unit` can do it; `choice` picks among several."""
    factors = _factors(kernel, reduceop, unit, level)
    if factors is None:
        return None
    first, strides = kernel.first_reduce, [kernel.sts[index].real_strides() for index in factors]
    n_axes = [axis for axis, stride in enumerate(strides[0][:first]) if _is_zero(stride)]
    m_axes = [axis for axis, stride in enumerate(strides[1][:first]) if _is_zero(stride)]
    if not n_axes or not m_axes or (kernel.shape_len - first != 1 and level < CASTS_AND_MANY_REDUCES):
        return None

    choices = list(itertools.product(n_axes, m_axes, range(first, kernel.shape_len)))
    if choice >= len(choices):
        return None
    chosen = choices[-(choice + 1)]
    pads = tuple(
        [
            (axis, size)
            for axis, size in zip(chosen, unit.dims, strict=True)
            if not divides(size, kernel.full_shape[axis])
        ]
    )
    return None if pads and level < PADDING else MatrixAxes(*chosen, pads)


def _is_zero(stride: object) -> bool:
    return stride.__class__ is int and stride == 0


def _factors(kernel: Kernel, reduceop: UOp, unit: TensorCore, level: int) -> tuple[int, int] | None:
    """The indices in `kernel.bufs` of the two loads that are multiplied, if their types are those of the unit."""
    value = reduceop.src[0]
    if unit.dtype_in is not unit.dtype_out:
        if value.op is not Ops.CAST or value.dtype is not unit.dtype_out:
            return None
        value = value.src[0]
    if value.op is not Ops.MUL:
        return None
    found = [_loaded(kernel, source, unit, level) for source in value.src]
    return None if found[0] is None or found[1] is None else (found[0], found[1])


def _loaded(kernel: Kernel, source: UOp, unit: TensorCore, level: int) -> int | None:
    if source.dtype is not unit.dtype_in:
        return None
    if source.op is Ops.CAST and level >= CASTS_AND_MANY_REDUCES:
        source = source.src[0]
    return kernel.buf_index.get(source) if source.op is Ops.LOAD else None


def _split(kernel: Kernel, unit: TensorCore, axes: MatrixAxes) -> MatrixAxes:
    """Pad the axes, unroll K, and split M and N into threads and elements."""
    for axis, multiple in axes.pads:
        _pad(kernel, axis, multiple)
    for _ in unit.reduce_axes:
        kernel.change(Opt(OptOps.UNROLL, axes.k - kernel.first_reduce, 2))
    for half in unit.opts:
        halved = axes.of(int(half[1]))
        if halved is None:
            raise KernelOptError(f"{unit} needs more of an axis than the kernel has")
        axes = _changed(kernel, Opt(OptOps.UPCAST if half[0] == "u" else OptOps.LOCAL, halved, 2), axes)
    return axes


def _pad(kernel: Kernel, axis: int, multiple: int) -> None:
    """Pad an axis. A factor that does not change along an axis of the output is not masked there either: whoever holds
    one of its elements, for whatever position of that axis, holds the same value."""
    before, size = kernel.sts, kernel.full_shape[axis]
    kernel.change(Opt(OptOps.PADTO, axis, multiple))
    if axis >= kernel.first_reduce:
        return
    after = list(kernel.sts)
    for i, st in enumerate(before[: len(kernel.bufs)]):
        if st.shape[axis] == size and _is_zero(st.real_strides()[axis]):
            one = tuple([(0, 1 if other == axis else length) for other, length in enumerate(st.shape)])
            after[i] = st.shrink(one).expand(after[i].shape)
    kernel.sts = after


def _changed(kernel: Kernel, opt: Opt, axes: MatrixAxes) -> MatrixAxes:
    """Apply `opt` without counting it as one; the matrix axes afterwards."""
    count = kernel.shape_len
    kernel.change(opt)
    return axes.without(opt.real_axis(kernel)) if kernel.shape_len == count else axes


def apply_tensor_cores(
    kernel: Kernel,
    use_tensor_cores: int = 1,
    extra_opts: Sequence[Opt] | None = None,
    axis: int = 0,
    tc_select: int | None = None,
    tc_opt: int | None = None,
) -> bool:
    """Give the kernel's product to a tensor core if one fits, and upcast and localise around it (or as `extra_opts`
    say). Returns whether it did. `axis` picks among the products a kernel may be read as; tc_select and tc_opt default
    to the settings.
    """
    if not use_tensor_cores or not kernel.opts.tensor_cores:
        return False
    select = TC_SELECT.value if tc_select is None else tc_select
    level = TC_OPT.value if tc_opt is None else tc_opt
    try:
        kernel.apply_opt(Opt(OptOps.TC, axis, (select, level)))
        if extra_opts is not None:
            for opt in extra_opts:
                kernel.apply_opt(opt)
        elif not AMX:
            _upcast_and_localise(kernel)
    except KernelOptError:
        return False
    return True


def _upcast_and_localise(kernel: Kernel) -> None:
    """Let each thread do several tiles along M and N, and several groups of threads share a block along N."""
    assert kernel.matrix_axes is not None
    for dim in (1, 0):
        _split_off(kernel, kernel.matrix_axes.of(dim), OptOps.UPCAST, UPCASTS)
    _split_off(kernel, kernel.matrix_axes.of(0), OptOps.LOCAL, LOCALS)


def _split_off(kernel: Kernel, axis: int | None, op: OptOps, amounts: tuple[int, ...]) -> None:
    if axis is None or kernel.matrix_axes is None:
        return
    amount = next((amount for amount in amounts if divides(amount, kernel.full_shape[axis])), None)
    if amount is None:
        return
    count = kernel.shape_len
    kernel.apply_opt(Opt(op, axis, amount))
    if kernel.shape_len == count:
        kernel.matrix_axes = kernel.matrix_axes.without(axis)


# ---- the AST ------------------------------------------------------------------------------------------------------


def matrix_product(kernel: Kernel, operand: UOp) -> tuple[UOp, tuple[int, ...]]:
    """The sum along K of `operand` (a product of two loads, maybe cast) on the kernel's unit, and the axes of K."""
    unit = kernel.tensor_core
    assert unit is not None
    product = operand.src[0] if operand.op is Ops.CAST else operand
    factors = [
        source if swizzle is None else _swizzled(source, _permutation(kernel, unit, swizzle))
        for source, swizzle in zip(product.src, unit.swizzle, strict=True)
    ]
    first = kernel.first_upcast
    k_axes = tuple([first + axis for axis in unit.reduce_axes])
    if kernel.use_tensor_cores == STAGED:
        staged = [_staged(kernel, unit, number, factor) for number, factor in enumerate(factors)]
        value = UOp(Ops.MUL, unit.dtype_in, tuple(staged))
        value = value if unit.dtype_in is unit.dtype_out else UOp(Ops.CAST, unit.dtype_out, (value,))
        return UOp(Ops.REDUCE_AXIS, unit.dtype_out, (value,), (Ops.ADD, k_axes)), k_axes

    axes_a, axes_b, axes_c = (_fragment_axes(unit, first, count) for count in unit.elements_per_thread)
    vectors = [
        UOp(Ops.CONTRACT, unit.dtype_in.vec(count), (factor,), axes)
        for factor, axes, count in zip(factors, (axes_a, axes_b), unit.elements_per_thread, strict=False)
    ]
    result = unit.dtype_out.vec(unit.elements_per_thread[2])
    # what the unit is, as the seed has it: name, dims, types, device, threads, the axes of each fragment, those of K
    arg = (
        str(unit),
        unit.dims,
        unit.dtype_in,
        unit.dtype_out,
        kernel.opts.device,
        unit.threads,
        (axes_a, axes_b, axes_c),
        k_axes,
    )
    wmma = UOp(Ops.WMMA, result, (*vectors, UOp.const(result, 0.0)), arg)
    return UOp(Ops.UNROLL, unit.dtype_out, (wmma,), axes_c), k_axes


def _fragment_axes(unit: TensorCore, first: int, elements: int) -> tuple[tuple[int, int], ...]:
    """The axes along which a thread holds its elements of a fragment, the one that runs fastest last."""
    end = first + len(unit.reduce_axes) + len(unit.upcast_axes)
    return tuple([(end - 1 - i, 2) for i in range(int(math.log2(elements)))])


def _permutation(kernel: Kernel, unit: TensorCore, swizzle: Swizzle) -> tuple[int, ...]:
    """The axes of the kernel in the order in which the fragment has them."""
    threads, elements = swizzle
    first_thread, first_element = kernel.global_dims, kernel.first_upcast
    count = len(threads)

    def place(axis: int) -> int:
        return first_thread + axis if axis < count else first_element + axis - count

    order = list(range(kernel.shape_len))
    order[first_thread : first_thread + count] = [place(axis) for axis in threads]
    order[first_element : first_element + len(elements)] = [place(axis) for axis in elements]
    return tuple(order)


def _swizzled(source: UOp, order: tuple[int, ...]) -> UOp:
    """A factor, a load or the cast of one, with the axes of its view in another order."""
    if source.op is Ops.CAST:
        return source.replace(src=(_swizzled(source.src[0], order),))
    buffer, view, *rest = source.src
    tracker: ShapeTracker = view.arg
    return source.replace(src=(buffer, tracker.permute(order).to_uop(), *rest))


def _staged(kernel: Kernel, unit: TensorCore, number: int, factor: UOp) -> UOp:
    """A factor written to local memory as the fragment has it, and read as the kernel does."""
    shape = tuple(
        [
            1 if axis < kernel.global_dims or kernel.first_reduce <= axis < kernel.first_upcast else size
            for axis, size in enumerate(kernel.full_shape)
        ]
    )
    st = ShapeTracker.from_shape(shape)
    size = sint_prod(shape)
    assert isinstance(size, int)
    buffer = UOp(Ops.DEFINE_LOCAL, unit.dtype_in.ptr(size, local=True), (), f"temp{number}")
    swizzle = unit.swizzle[number]
    written = st if swizzle is None else st.permute(_permutation(kernel, unit, swizzle))
    stored = UOp(Ops.STORE, dtypes.void, (buffer, written.to_uop(), factor))
    return UOp(Ops.LOAD, unit.dtype_in, (buffer, st.to_uop(), stored))
