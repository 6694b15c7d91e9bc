"""From expressions to one kernel's AST.

Movement ops are pushed down to the leaves: each value is asked for at a `Position`, its own array after the moves that
stand above it, and a LOAD turns those into a view. The axes of every position are those of the kernel, its frame. A
reduce that nothing above moves takes the axes at which it stands, so that the kernel has the axes of what is reduced;
those of another one come last, behind the axes of its moved result.
"""

from __future__ import annotations

from typing import NamedTuple

from core.builder.error import BuildError
from core.builder.expr import Expr, Reduction, const
from core.builder.masking import ZeroTest
from core.builder.movement import Move, chain, is_one, lifted, moved, prepended, shape_text
from core.dtype import dtypes
from core.ir.ops import Ops
from core.ir.uop import UOp, sint, sint_prod
from core.shape import ShapeTracker, View
from core.shape.view import Shape, same

__all__ = ["Lowering"]


class Position(NamedTuple):
    """Where a value is wanted: after `moves`, which give it `shape`, inside of reduces over the axes `busy`."""

    moves: tuple[Move, ...]
    shape: Shape
    busy: frozenset[int] = frozenset()


class Lowering:
    """The making of one AST.

    `frame` has the size of every axis of the kernel known so far, the first of them those of `base`, the shape in which
    the outputs are stored. `buffers` are those met so far by name, in the order of their numbers.
    """

    def __init__(self, base: Shape, longest_range: int) -> None:
        self.base, self.longest_range = base, longest_range
        self.frame: list[sint] = list(base)
        self.buffers: dict[str, UOp] = {}
        self._inputs: dict[str, Expr] = {}
        self._values: dict[tuple[Expr, Position], UOp] = {}
        self._operands: dict[tuple[Expr, Position], list[tuple[Expr, Position]]] = {}
        self._reduced: dict[tuple[Expr, Position], tuple[int, ...]] = {}
        self._counts: dict[int, Expr] = {}
        self._zero = ZeroTest()

    def output(self, name: str, expr: Expr) -> UOp:
        """The buffer that output `name` is stored to."""
        size = sint_prod(self.base)
        pointer = expr.dtype.ptr(size if isinstance(size, int) else int(size.vmax))
        return self.buffers.setdefault(name, UOp(Ops.DEFINE_GLOBAL, pointer, (), len(self.buffers)))

    def store(self, name: str, expr: Expr) -> UOp:
        """The STORE of output `name`. All outputs are to be declared before the first is stored."""
        position = Position(chain(expr.shape, [Move("reshape", self.base)]), self.base)
        value = self._lowered(expr, position)
        return UOp(Ops.STORE, dtypes.void, (self.buffers[name], ShapeTracker.from_shape(self.base).to_uop(), value))

    def _lowered(self, root: Expr, position: Position) -> UOp:
        pending = [(root, position)]
        while pending:
            key = pending[-1]
            if key not in self._values:
                if key not in self._operands:
                    self._operands[key] = self._find_operands(*key)
                missing = [operand for operand in self._operands[key] if operand not in self._values]
                if missing:
                    pending.extend(reversed(missing))
                    continue
                self._values[key] = self._build(*key, [self._values[operand] for operand in self._operands[key]])
            pending.pop()
        return self._values[root, position]

    # ---- what a value is made of ------------------------------------------------------------------------------------

    def _find_operands(self, expr: Expr, position: Position) -> list[tuple[Expr, Position]]:
        if expr.op is Ops.VIEW:
            moves = prepended(expr.src[0].shape, expr.arg, position.moves)
            return [(expr.src[0], position._replace(moves=moves))]
        if expr.op is Ops.RANGE:
            return [(self._counting(expr.arg), position)]
        if expr.op is Ops.REDUCE_AXIS:
            below, self._reduced[expr, position] = self._reduce_position(expr, position)
            return [(expr.src[0], below)]
        return [(source, position) for source in expr.src]

    def _counting(self, length: int) -> Expr:
        """1, 2, ..., `length` as a sum of ones. All ranges of a kernel count along one axis, as long as the longest."""
        if length not in self._counts:
            longest = self.longest_range
            ones = const(1).reshape(1, 1).expand(longest + 1, longest).pad([(0, 0), (longest - 1, 0)])
            # each row begins one further: element (i, j) is 1 where i + j >= longest - 1
            rows = ones.reshape(-1).shrink([(0, 2 * longest * longest)]).reshape(longest, 2 * longest)
            self._counts[length] = rows[:, :length].T.sum(1, recompute=True)
        return self._counts[length]

    def _reduce_position(self, expr: Expr, position: Position) -> tuple[Position, tuple[int, ...]]:
        """The position of what is reduced, and the axes of the kernel that are."""
        source, reduction = expr.src[0], expr.arg
        assert isinstance(reduction, Reduction)
        if not position.moves and all(self._is_free(axis, source.shape[axis]) for axis in reduction.axes):
            for axis in reduction.axes:
                self.frame[axis] = source.shape[axis]
            return Position((), source.shape, position.busy.union(reduction.axes)), reduction.axes
        if not reduction.recompute:
            _refuse_repeats(expr, position.moves)
        return self._behind(source, reduction.axes, position)

    def _is_free(self, axis: int, size: sint) -> bool:
        """Whether `axis`, along which no value has been wanted yet, can be an axis of `size`."""
        return is_one(self.frame[axis]) or same(self.frame[axis], size)

    def _behind(self, source: Expr, axes: tuple[int, ...], position: Position) -> tuple[Position, tuple[int, ...]]:
        """`source` where its sum over `axes` is wanted at `position`: the same moves on its other axes, `axes` last."""
        found = self._free_axes([source.shape[axis] for axis in axes], position)
        targets, axes = zip(*sorted(zip(found, axes, strict=True)), strict=True)
        sizes = tuple([source.shape[axis] for axis in axes])

        kept = [axis for axis in range(source.ndim) if axis not in axes]
        ones = tuple([1 if axis in axes else size for axis, size in enumerate(source.shape)])
        moves = [Move("permute", (*kept, *axes)), Move("reshape", (*ones, *sizes))]
        moves += [lifted(move, sizes) for move in position.moves]

        rank = len(position.shape)
        stay = [axis for axis in range(rank) if axis not in targets]
        placed = [*stay, *targets]
        shape: list[sint] = [*position.shape, *[1] * (max(targets) + 1 - rank)]
        for target, size in zip(targets, sizes, strict=True):
            shape[target] = size
        moves.append(Move("reshape", (*[position.shape[axis] for axis in stay], *sizes)))
        moves.append(Move("permute", tuple(sorted(range(len(placed)), key=lambda i: placed[i]))))
        moves.append(Move("reshape", tuple(shape)))
        return Position(chain(source.shape, moves), tuple(shape), position.busy.union(targets)), targets

    def _free_axes(self, sizes: list[sint], position: Position) -> list[int]:
        """An axis of the kernel for each of `sizes`, one along which nothing at `position` changes, else a new one."""
        chosen: list[int] = []
        for size in sizes:
            free = [
                axis
                for axis, known in enumerate(self.frame)
                if same(known, size)
                and axis not in position.busy
                and axis not in chosen
                and (axis >= len(position.shape) or is_one(position.shape[axis]))
            ]
            if not free:
                self.frame.append(size)
                free = [len(self.frame) - 1]
            chosen.append(free[0])
        return chosen

    # ---- nodes ------------------------------------------------------------------------------------------------------

    def _build(self, expr: Expr, position: Position, operands: list[UOp]) -> UOp:
        op, dtype = expr.op, expr.dtype
        if op is Ops.DEFINE_GLOBAL:
            view = moved(ShapeTracker.from_shape(expr.shape), position.moves).simplify()
            return UOp(Ops.LOAD, dtype, (self._input(expr), view.to_uop()))
        if op is Ops.CONST or op is Ops.DEFINE_VAR:
            return UOp(op, dtype, (_everywhere(position.shape),), expr.arg)
        if op is Ops.VIEW:
            return self._masked(expr, position, operands[0])
        if op is Ops.RANGE:
            return operands[0]
        if op is Ops.REDUCE_AXIS:
            return UOp(op, dtype, tuple(operands), (expr.arg.op, self._reduced[expr, position]))
        return UOp(op, dtype, tuple(operands))

    def _input(self, expr: Expr) -> UOp:
        name, known = expr.arg, self._inputs.setdefault(expr.arg, expr)
        if known.dtype is not expr.dtype or known.shape != expr.shape:
            kinds = f"{known.dtype} {shape_text(known.shape)} and as {expr.dtype} {shape_text(expr.shape)}"
            raise BuildError(f"buffer {name!r} is used as {kinds}; one name is one buffer")
        if name not in self.buffers:
            size = sint_prod(expr.shape)
            pointer = expr.dtype.ptr(size if isinstance(size, int) else int(size.vmax))
            self.buffers[name] = UOp(Ops.DEFINE_GLOBAL, pointer, (), len(self.buffers))
        return self.buffers[name]

    def _masked(self, expr: Expr, position: Position, value: UOp) -> UOp:
        """`value` with 0 where a pad has put it, unless it is 0 there already because all that it loads is masked."""
        source = expr.src[0]
        if expr.arg.kind != "pad" or self._zero(source):
            return value
        plain = ShapeTracker((View.create(source.shape, (0,) * source.ndim),))
        view = moved(plain, (expr.arg, *position.moves)).simplify()
        if all(part.mask is None for part in view.views):
            return value
        valid = UOp(Ops.VALID, dtypes.bool, (view.to_uop(),))
        zero = UOp.const(expr.dtype, 0).replace(src=(_everywhere(position.shape),))
        return UOp(Ops.WHERE, expr.dtype, (valid, value, zero))


def _everywhere(shape: Shape) -> UOp:
    """The view of a scalar that is the same at each element of `shape`."""
    return ShapeTracker((View.create(shape, (0,) * len(shape)),)).to_uop()


def _refuse_repeats(expr: Expr, moves: tuple[Move, ...]) -> None:
    for move in moves:
        if move.kind == "expand":
            raise BuildError(
                f"the {_REDUCES[expr.arg.op]} over axes {shape_text(expr.arg.axes)} of the shape "
                f"{shape_text(expr.src[0].shape)} is repeated to {shape_text(move.arg)}, so each element would compute "
                "it again: store it with a kernel of its own and read it back, or reduce with recompute=True"
            )


_REDUCES = {Ops.ADD: "sum", Ops.MUL: "product", Ops.MAX: "maximum"}
