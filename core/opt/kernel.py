"""`Kernel`: an AST, a backend, and how its axes are laid out for it; optimisations change the layout, step by step.

The axes stand in this order, each group possibly empty:

    global, local | grouped reduce, reduce loop | unrolled reduce and upcast, mixed
                  first_reduce                  first_upcast
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from core.ir.ops import Ops
from core.ir.uop import UOp, all_int, sint
from core.opt.analysis import analyse
from core.opt.apply import change_kernel
from core.opt.heuristics import hand_coded_optimizations, required_optimizations
from core.opt.matrix import MatrixAxes, apply_tensor_cores, change_to_tensor_core
from core.opt.memory import memory_bytes
from core.opt.names import colored_name, colored_shape, colors, kernel_name
from core.opt.opt import Opt, OptOps
from core.opt.optimized_ast import optimized_ast
from core.opt.simplify import differ, divides, first_difference, map_trackers
from core.opt.tensor_core import TensorCore
from core.shape import ShapeTracker

if TYPE_CHECKING:
    from core.render.base import Renderer
    from core.render.program import ProgramSpec

__all__ = ["Kernel"]

Layout: TypeAlias = "tuple[list[ShapeTracker], int, int, int, bool]"


class Kernel:
    """An AST on its way to becoming a program for the backend `opts`.

    Raises SpecError if the AST breaks a spec. `applied_opts` are the optimisations in order, `opt_steps` says beside
    each which step of the heuristics made it (`given`: asked for from outside).
    """

    __slots__ = (
        "applied_opts",
        "ast",
        "buf_index",
        "bufs",
        "dont_use_locals",
        "full_buf_index",
        "group_for_reduces",
        "local_dims",
        "matrix_axes",
        "opt_step",
        "opt_steps",
        "opts",
        "reduceops",
        "sts",
        "tensor_core",
        "uops",
        "upcasted",
        "use_tensor_cores",
        "vars",
    )

    sts: list[ShapeTracker]
    uops: list[UOp]

    def __init__(self, ast: UOp, opts: Renderer) -> None:
        known = analyse(ast)
        self.ast, self.opts = ast, opts
        self.reduceops, self.vars, self.bufs = known.reduceops, known.vars, known.bufs
        self.buf_index, self.full_buf_index = known.buf_index, known.full_buf_index
        self.sts = list(known.sts)

        self.applied_opts: list[Opt] = []
        self.opt_steps: list[str] = []
        self.opt_step = "given"
        self.group_for_reduces = 0
        self.upcasted = 0
        self.local_dims = 0
        self.dont_use_locals = False
        self.tensor_core: TensorCore | None = None
        self.matrix_axes: MatrixAxes | None = None
        self.use_tensor_cores = 0

    def copy(self) -> Kernel:
        """A kernel of its own with the same layout."""
        other = object.__new__(Kernel)
        for field in self.__slots__:
            if field != "uops":  # those of another layout
                setattr(other, field, getattr(self, field))
        other.applied_opts, other.opt_steps = self.applied_opts[:], self.opt_steps[:]
        return other

    # ---- the axes -------------------------------------------------------------------------------------------------

    @property
    def reduceop(self) -> UOp | None:
        return self.reduceops[0] if self.reduceops else None

    @property
    def membufs(self) -> list[UOp]:
        """The buffers that are loaded from or stored to, each once, the output first."""
        return list(dict.fromkeys([buf.src[0] for buf in self.bufs if buf.op is Ops.LOAD or buf.op is Ops.STORE]))

    @property
    def output_shape(self) -> tuple[sint, ...]:
        return self.sts[0].shape

    @property
    def full_shape(self) -> tuple[sint, ...]:
        return self.sts[self.full_buf_index].shape

    @property
    def full_unupcasted_shape(self) -> tuple[sint, ...]:
        return self.full_shape[: self.first_upcast]

    @property
    def shape_len(self) -> int:
        return len(self.sts[0].shape)

    @property
    def first_reduce(self) -> int:
        return first_difference(self.output_shape, self.full_shape, self.first_upcast)

    @property
    def first_upcast(self) -> int:
        return len(self.sts[0].shape) - self.upcasted

    @property
    def global_dims(self) -> int:
        return self.first_reduce - self.local_dims

    def reduce_shapes(self, reduce_index: int) -> tuple[tuple[sint, ...], tuple[sint, ...]]:
        """The shapes of the result and of the operand of a reduce."""
        first = len(self.bufs) + 2 * reduce_index
        return self.sts[first].shape, self.sts[first + 1].shape

    def reduced_by(self, axis: int) -> tuple[int, ...]:
        """The numbers of the reduces that reduce `axis`."""
        shapes = [self.reduce_shapes(index) for index in range(len(self.reduceops))]
        return tuple([index for index, (result, operand) in enumerate(shapes) if differ(result[axis], operand[axis])])

    def float4_axis(self, buf_index: int) -> list[int]:
        """The upcast axes along which four neighbouring elements of a buffer are read or written as one, counted from
        the first upcast axis."""
        st, first = self.sts[buf_index], self.first_upcast
        return [axis - first for axis in st.unit_stride_axes() if axis >= first and divides(4, st.shape[axis])]

    def upcasted_axis(self, buf_index: int) -> list[tuple[int, sint | None, bool]]:
        """Size, stride in a buffer, and whether it is reduced, of each upcast axis."""
        first, st = self.first_upcast, self.sts[buf_index]
        sizes = st.shape[first:]
        assert all_int(sizes), f"cannot upcast a symbolic amount {sizes}"
        reduced = [differ(a, b) for a, b in zip(self.output_shape[first:], self.full_shape[first:], strict=True)]
        return list(zip(sizes, st.real_strides()[first:], reduced, strict=True))

    def colors(self) -> list[str]:
        return colors(self)

    def colored_shape(self, pad: int = 0) -> str:
        return colored_shape(self, pad)

    def describe_axes(self) -> str:
        """How many axes there are, for messages."""
        return (
            f"the kernel has {self.shape_len} axes, reduces from {self.first_reduce}, upcasts from {self.first_upcast}"
        )

    # ---- changing them --------------------------------------------------------------------------------------------

    @property
    def layout(self) -> Layout:
        """All that an optimisation changes, to be put back when it turns out not to apply."""
        return self.sts, self.local_dims, self.upcasted, self.group_for_reduces, self.dont_use_locals

    @layout.setter
    def layout(self, before: Layout) -> None:
        self.sts, self.local_dims, self.upcasted, self.group_for_reduces, self.dont_use_locals = before

    def apply_opt(self, opt: Opt) -> None:
        """Apply one optimisation. Raises KernelOptError, and leaves the kernel as it was, if it does not apply."""
        if opt.op is OptOps.TC:
            change_to_tensor_core(self, opt)
        else:
            self.change(opt)
        self.applied_opts.append(opt)
        self.opt_steps.append(self.opt_step)

    def change(self, opt: Opt) -> None:
        """Do to the axes what `opt` says, as a part of an optimisation that is counted as one."""
        change_kernel(self, opt)

    def reshape_and_permute(
        self, reshape: Callable[[tuple[sint, ...]], Sequence[sint]] | None, axes: Sequence[int] | None
    ) -> None:
        """Give every buffer and reduce the shape that `reshape` makes of its own, then the order `axes`."""
        order = None if axes is None else tuple(axes)

        def move(st: ShapeTracker) -> ShapeTracker:
            if reshape is not None:
                st = st.reshape(tuple(reshape(st.shape)))
            return st if order is None else st.permute(order)

        self.sts = map_trackers(self.sts, move)

    def shift_to(self, axis: int, amount: int, top: bool = False, insert_before: int | None = None) -> bool:
        """Split `amount` steps off `axis` into an axis of their own and move that to before axis `insert_before`, the
        end if None. Neighbouring steps are split off, or with `top` steps as far apart as possible.

        Returns whether the whole axis was moved, so that there is none more than before.
        """
        count = self.shape_len
        stop = count if insert_before is None else insert_before
        if self.full_shape[axis] == amount:
            rest = [i for i in range(count) if i != axis]
            stop -= axis < stop
            self.reshape_and_permute(None, [*rest[:stop], axis, *rest[stop:]])
            return True

        def split(shape: tuple[sint, ...]) -> tuple[sint, ...]:
            size = shape[axis]
            if size.__class__ is int and size == 1:  # an axis that this buffer does not have
                return (*shape[:axis], 1, 1, *shape[axis + 1 :])
            rest = size // amount
            return (*shape[:axis], *((amount, rest) if top else (rest, amount)), *shape[axis + 1 :])

        moved = axis if top else axis + 1
        others = [i for i in range(count + 1) if i != moved]
        self.reshape_and_permute(split, [*others[:stop], moved, *others[stop:]])
        return False

    # ---- choosing optimisations -----------------------------------------------------------------------------------

    def required_optimizations(self) -> Kernel:
        """Apply what the backend cannot do without."""
        required_optimizations(self)
        return self

    def hand_coded_optimizations(self) -> Kernel:
        """Apply what the heuristics choose, what is required included."""
        hand_coded_optimizations(self)
        return self

    def apply_tensor_cores(
        self,
        use_tensor_cores: int = 1,
        extra_opts: Sequence[Opt] | None = None,
        axis: int = 0,
        tc_select: int | None = None,
        tc_opt: int | None = None,
    ) -> bool:
        """Give the kernel's matrix product to a tensor core of the backend; returns whether one fits."""
        return apply_tensor_cores(self, use_tensor_cores, extra_opts, axis, tc_select, tc_opt)

    # ---- results --------------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The kernel's name, without colours."""
        return kernel_name(self)

    @property
    def colored_name(self) -> str:
        """The kernel's name, the sizes of its axes coloured by their kind."""
        return colored_name(self)

    def get_optimized_ast(self) -> UOp:
        """The AST over the axes as they are now; its SINK says in a KernelInfo what kind each axis is."""
        return optimized_ast(self)

    def linearize(self) -> Kernel:
        """Lower the kernel to `uops`, its linear program."""
        from core.compiler import linearize_kernel

        self.uops = linearize_kernel(self)
        return self

    def to_program(self, name_override: str | None = None) -> ProgramSpec:
        """The kernel rendered; with CAPTURE_PROCESS_REPLAY it is recorded. Opens no device."""
        from core.compiler import to_program

        return to_program(self, name_override)

    def mem_estimate(self) -> int:
        """How many bytes of global memory the kernel reaches."""
        return memory_bytes(self.ast)
