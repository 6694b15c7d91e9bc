"""What each optimisation demands of a kernel and what it does to its axes, as a table by OptOps.

A rule first says why it does not apply, if it does not, and only then changes anything.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from core.errors import KernelOptError
from core.ir.uop import resolve, sint, sint_prod
from core.opt.grouping import local_bytes
from core.opt.opt import Opt, OptOps
from core.opt.padding import padding_fault
from core.opt.simplify import differ, map_trackers

if TYPE_CHECKING:
    from core.opt.kernel import Kernel

__all__ = ["OptRule", "change_kernel"]

MAX_UPCAST: Final = 16
MAX_UNROLL: Final = 32
# far above what the heuristics reach (some 1,000); a body of more steps takes minutes to compile
MAX_BODY: Final = 1 << 14


@dataclass(frozen=True, slots=True)
class OptRule:
    """`refusal(kernel, axis, amount)` says why an opt does not apply, or None; `change` applies it.

    `axis` is an axis of the kernel. `amount` is what it is split or padded by, or for SWAP the other axis.
    """

    refusal: Callable[[Kernel, int, int], str | None]
    change: Callable[[Kernel, int, int], None]
    splits: bool = True
    uses_locals: bool = False


def change_kernel(kernel: Kernel, opt: Opt) -> None:
    """Apply any opt but TC. Raises KernelOptError, and leaves the kernel as it was, if it does not apply."""
    rule = RULES[opt.op]
    if rule.uses_locals and kernel.dont_use_locals:
        raise _refused(opt, "not using locals")

    axis, amount = _resolved(kernel, opt, rule)
    if reason := rule.refusal(kernel, axis, amount):
        raise _refused(opt, reason)

    before = kernel.layout
    rule.change(kernel, axis, amount)
    if kernel.group_for_reduces and (reason := _shared_memory_refusal(kernel)):
        kernel.layout = before
        raise _refused(opt, reason)


def _refused(opt: Opt, reason: str) -> KernelOptError:
    return KernelOptError(f"{opt} does not apply: {reason}")


def _resolved(kernel: Kernel, opt: Opt, rule: OptRule) -> tuple[int, int]:
    """The axis of the kernel and the amount that `opt` means."""
    if opt.op is OptOps.NOLOCALS:
        if opt.axis is not None or opt.arg is not None:
            raise _refused(opt, "it takes no axis and no arg")
        return -1, -1
    if opt.axis.__class__ is not int or opt.axis is None or opt.axis < 0:
        raise _refused(opt, "it needs an axis, a number from 0")
    axis = opt.real_axis(kernel)
    if axis >= kernel.shape_len:
        raise _refused(opt, f"invalid axis, {kernel.describe_axes()}")
    if not isinstance(opt.arg, int) or isinstance(opt.arg, bool):
        raise _refused(opt, "arg should be int")

    size = kernel.full_shape[axis]
    if opt.op is OptOps.SWAP:
        return axis, opt.arg
    amount = opt.arg or size
    if not isinstance(amount, int) or amount < 2:
        raise _refused(opt, f"an amount of {_text(amount)} is meaningless, it must be a number from 2")
    if rule.splits and (not isinstance(size, int) or size % amount):
        raise _refused(opt, f"no longer valid shift: axis {axis} has size {_text(size)}, not a multiple of {amount}")
    return axis, amount


def _text(size: sint) -> str:
    return str(size) if isinstance(size, int) else size.render()


def _shared_memory_refusal(kernel: Kernel) -> str | None:
    needed, most = local_bytes(kernel), kernel.opts.shared_max
    if needed > most:
        return f"exceeds maximum shared memory size: needs {needed} bytes, {kernel.opts.name} has {most}"
    return None


# ---- one pair of functions an op ------------------------------------------------------------------------------------


def _refuse_local(kernel: Kernel, axis: int, amount: int) -> str | None:
    if not kernel.opts.has_local:
        return f"target {kernel.opts.name} does not support local"
    if axis >= kernel.global_dims:
        return f"local is for globals, the axes before {kernel.global_dims}"
    return None


def _local(kernel: Kernel, axis: int, amount: int) -> None:
    kernel.shift_to(axis, amount, insert_before=kernel.first_reduce)
    kernel.local_dims += 1


def _refuse_group(kernel: Kernel, axis: int, amount: int) -> str | None:
    if not (kernel.opts.has_local and kernel.opts.has_shared):
        return f"target {kernel.opts.name} does not support local or shared mem"
    if not kernel.first_reduce + kernel.group_for_reduces <= axis < kernel.first_upcast:
        return f"must be reduce axis to group, axis {axis} is not"
    if kernel.tensor_core is not None:
        return "can't group with tensor cores"
    reduced = [axis for reduceop in kernel.reduceops for axis in reduceop.arg[1]]
    if len(reduced) != len(set(reduced)):
        return "can't group with parallel reduces"
    if kernel.reduced_by(axis) != (len(kernel.reduceops) - 1,):
        return f"can't group axis {axis}, a later reduce needs the result in every thread"
    return None


def _group(kernel: Kernel, axis: int, amount: int, top: bool = False) -> None:
    kernel.shift_to(axis, amount, top=top, insert_before=kernel.first_reduce + kernel.group_for_reduces)
    kernel.group_for_reduces += 1


def _group_top(kernel: Kernel, axis: int, amount: int) -> None:
    _group(kernel, axis, amount, top=True)


def _refuse_body(kernel: Kernel, amount: int) -> str | None:
    steps = sint_prod(kernel.full_shape[kernel.first_upcast :]) * amount
    return None if resolve(steps <= MAX_BODY) else f"it would unroll {_text(steps)} steps, more than {MAX_BODY}"


def _refuse_unroll(kernel: Kernel, axis: int, amount: int) -> str | None:
    if axis >= kernel.first_upcast:
        return f"can't unroll axis {axis}, it is upcast already"
    if amount > MAX_UNROLL:
        return f"don't unroll more than {MAX_UNROLL}"
    return _refuse_body(kernel, amount)


def _unroll(kernel: Kernel, axis: int, amount: int) -> None:
    was_grouped = axis < kernel.first_reduce + kernel.group_for_reduces
    if kernel.shift_to(axis, amount) and was_grouped:
        kernel.group_for_reduces -= 1
    kernel.upcasted += 1


def _refuse_upcast(kernel: Kernel, axis: int, amount: int) -> str | None:
    if axis >= kernel.first_reduce:
        return f"upcast is for non-reduce, the axes before {kernel.first_reduce}"
    unit = kernel.tensor_core
    if unit is not None and kernel.global_dims <= axis < kernel.global_dims + len(unit.local_axes):
        return f"can't upcast TC locals, axis {axis} is one"
    if amount > MAX_UPCAST:
        return f"don't upcast more than {MAX_UPCAST}"
    return _refuse_body(kernel, amount)


def _upcast(kernel: Kernel, axis: int, amount: int) -> None:
    was_local = axis >= kernel.global_dims
    if kernel.shift_to(axis, amount) and was_local:
        kernel.local_dims -= 1
    kernel.upcasted += 1


def _refuse_no_locals(kernel: Kernel, axis: int, amount: int) -> str | None:
    if not kernel.opts.has_local or kernel.dont_use_locals:
        return "NOLOCALS is meaningless if target does not support local or already not using locals"
    if kernel.local_dims or kernel.group_for_reduces:
        return "can't have no locals with locals"
    return None


def _no_locals(kernel: Kernel, axis: int, amount: int) -> None:
    kernel.dont_use_locals = True


def _refuse_swap(kernel: Kernel, axis: int, amount: int) -> str | None:
    if not axis < amount < kernel.global_dims:
        return f"swap is only for globals with axis < arg, there are {kernel.global_dims} globals"
    return None


def _swap(kernel: Kernel, axis: int, amount: int) -> None:
    order = list(range(kernel.shape_len))
    order[axis], order[amount] = order[amount], order[axis]
    kernel.reshape_and_permute(None, order)


def _refuse_pad_to(kernel: Kernel, axis: int, amount: int) -> str | None:
    if kernel.vars:
        return "it does not work with symbolic shape"
    if axis >= kernel.first_upcast:
        return f"cannot pad upcasted axis {axis}"
    if axis >= kernel.first_reduce:
        faults = [padding_fault(kernel.reduceops[i]) for i in kernel.reduced_by(axis)]
        if fault := next((fault for fault in faults if fault), None):
            return f"cannot pad reduce axis {axis}: {fault}"
    size = kernel.full_shape[axis]
    assert isinstance(size, int)
    if size <= amount // 4:
        return f"pad adds more than quadruple the work, from {size} to {amount}"
    if size % amount == 0:
        return f"nothing was padded, axis {axis} has size {size}"
    return None


def _pad_to(kernel: Kernel, axis: int, amount: int) -> None:
    size = kernel.full_shape[axis]
    assert isinstance(size, int)
    missing = -size % amount
    padding = tuple([(0, missing if i == axis else 0) for i in range(kernel.shape_len)])
    # an axis of size 1 is one that this buffer does not have
    kernel.sts = map_trackers(kernel.sts, lambda st: st.pad(padding) if differ(st.shape[axis], 1) else st)


RULES: Final = {
    OptOps.LOCAL: OptRule(_refuse_local, _local, uses_locals=True),
    OptOps.GROUP: OptRule(_refuse_group, _group, uses_locals=True),
    OptOps.GROUPTOP: OptRule(_refuse_group, _group_top, uses_locals=True),
    OptOps.UNROLL: OptRule(_refuse_unroll, _unroll),
    OptOps.UPCAST: OptRule(_refuse_upcast, _upcast),
    OptOps.NOLOCALS: OptRule(_refuse_no_locals, _no_locals, splits=False),
    OptOps.SWAP: OptRule(_refuse_swap, _swap, splits=False),
    OptOps.PADTO: OptRule(_refuse_pad_to, _pad_to, splits=False),
}
