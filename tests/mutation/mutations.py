"""Seeded changes of the compiler, one at a time: faults that a gate must find, and refactors that it must let pass."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

__all__ = ["FAULTS", "REFACTORS", "Mutation", "drop_rule"]


@dataclass(frozen=True)
class Mutation:
    """One exact replacement in a file of the compiler. `expect` is an outcome that the gate must report, where the change
    is of a kind that decides it; else it is what the oracle sees."""

    name: str
    path: str
    before: str
    after: str
    expect: str | None = None

    def apply(self, root: Path) -> None:
        """Change the file below `root`. Raises AssertionError if the text is not there exactly once."""
        file = root / self.path
        text = file.read_text(encoding="utf-8")
        assert text.count(self.before) == 1, f"{self.name}: {self.path} has the text {text.count(self.before)} times"
        file.write_text(text.replace(self.before, self.after), encoding="utf-8")


@dataclass(frozen=True)
class DroppedRule(Mutation):
    """A rule taken out of its table."""

    def apply(self, root: Path) -> None:
        file = root / self.path
        text = file.read_text(encoding="utf-8")
        found = re.findall(
            rf'    Rule\(\n?\s*"{self.before}".*?\n?    \),\n|    Rule\("{self.before}".*\),\n', text, re.DOTALL
        )
        assert found, f"{self.name}: {self.path} has no rule {self.before}"
        file.write_text(text.replace(found[0], "", 1), encoding="utf-8")


def drop_rule(name: str, path: str = "core/ir/symbolic.py") -> Mutation:
    return DroppedRule(f"rule {name} dropped", path, name, "")


_COMPARISON = "core/ir/rule_comparison.py"
_DIVISION = "core/ir/rule_division.py"
_HEURISTICS = "core/opt/heuristics.py"
_OPERATORS = "core/render/operators.py"
_RECORD = "core/record.py"
_COMPILED = '        """The program. Raises CompileError."""\n'
_COMPILE = _COMPILED + "        ast = self.ast\n"

FAULTS: list[Mutation] = [
    *[drop_rule(name) for name in ("constant_right", "canonical_sum", "distribute", "less_than_constant", "not_not")],
    Mutation("sign of a bound flipped", _COMPARISON, "bound = c.arg - form.constant", "bound = c.arg + form.constant"),
    Mutation(
        "rounding of a bound", _COMPARISON, "bound = bound // g if above else -(-bound // g)", "bound = bound // g"
    ),
    Mutation(
        "group when fewer outputs", _HEURISTICS, "GROUP_WHEN_OUTPUTS: Final = 2048", "GROUP_WHEN_OUTPUTS: Final = 16"
    ),
    Mutation("unroll up to 4", _HEURISTICS, "UNROLL_WHOLE_MAX: Final = 32", "UNROLL_WHOLE_MAX: Final = 4"),
    Mutation("unroll by 2", _HEURISTICS, "UNROLL_PART: Final = 4", "UNROLL_PART: Final = 2"),
    Mutation("upcast by 2 or 4", _HEURISTICS, "for amount in (3, 4) if divides", "for amount in (2, 4) if divides"),
    Mutation("matvec block", _HEURISTICS, "MATVEC_BLOCK: Final = 4", "MATVEC_BLOCK: Final = 2"),
    Mutation("vectors of two", "core/lower/memory.py", "_WIDTHS: Final = (4, 2)", "_WIDTHS: Final = (2,)"),
    Mutation(
        "halves by four", "core/lower/memory.py", "_HALF_WIDTHS: Final = (8, 4, 2)", "_HALF_WIDTHS: Final = (4, 2)"
    ),
    Mutation("less or equal", _OPERATORS, 'infix("<", Rank.LESS)', 'infix("<=", Rank.LESS)'),
    Mutation("plus for minus", _OPERATORS, '_minus = infix("-", Rank.ADD)', '_minus = infix("+", Rank.ADD)'),
    Mutation("shift to the left", _OPERATORS, '_right = infix(">>", Rank.SHIFT)', '_right = infix("<<", Rank.SHIFT)'),
    Mutation(
        "precedence",
        _OPERATORS,
        "    MUL: Final = 14\n    ADD: Final = 13\n",
        "    MUL: Final = 13\n    ADD: Final = 13\n",
    ),
    Mutation("c without restrict", "core/render/c.py", '"{type}* restrict {name}"', '"{type}* {name}"'),
    Mutation("cuda's barrier", "core/render/cuda.py", '"__syncthreads();"', '"__syncwarp();"'),
    Mutation("metal's sine", "core/render/metal.py", 'float="precise::sin"', 'float="fast::sin"'),
    Mutation("ptx fuses", "core/render/ptx_operators.py", 'f="mul.rn", i="mul.lo"', 'f="mul", i="mul.lo"'),
    Mutation(
        "wgsl packs at the wrong bit",
        "core/render/wgsl.py",
        "per_word = {8: 2, 16: 1}[bits]",
        "per_word = {8: 1, 16: 1}[bits]",
    ),
    Mutation(
        "llvm compares unsigned",
        "core/render/llvm_operators.py",
        'i="icmp slt", u="icmp ult", b',
        'i="icmp ult", u="icmp ult", b',
    ),
    Mutation(
        "a renderer raises",
        "core/render/hip.py",
        '        return ["#include <hip/hip_runtime.h>"]',
        '        raise KeyError("no headers")',
        "error",
    ),
    Mutation("locals of 64", _HEURISTICS, "LOCAL_MAX: Final = 128", "LOCAL_MAX: Final = 64"),
    Mutation("two local axes", _HEURISTICS, "LOCAL_AXES_MAX: Final = 3", "LOCAL_AXES_MAX: Final = 1"),
    Mutation("groups of 128", _HEURISTICS, "for amount in (256, 16) if", "for amount in (128, 16) if"),
    Mutation("local sizes", _HEURISTICS, "LOCAL_SIZES: Final = (16, 8, 4, 3, 2)", "LOCAL_SIZES: Final = (8, 4, 3, 2)"),
    Mutation("llvm may unwind", "core/render/llvm.py", ') nounwind {{"', ') {{"'),
    Mutation("llvm's sign", "core/render/llvm.py", "icmp slt {typed}", "icmp sle {typed}"),
    Mutation("a tab for two spaces", "core/render/body.py", '_INDENT: Final = "  "', '_INDENT: Final = "\\t"'),
    Mutation(
        "variables by another name",
        "core/render/body.py",
        'self.declare(node, Expr(text, Rank.CHOICE, 1), "val")',
        'self.declare(node, Expr(text, Rank.CHOICE, 1), "tmp")',
    ),
    Mutation(
        "hip without its header",
        "core/render/hip.py",
        '"#include <hip/hip_runtime.h>"',
        '"#include <hip/hip_runtime_api.h>"',
    ),
    Mutation(
        "metal in another namespace", "core/render/metal.py", '"using namespace metal;"', '"using namespace mtl;"'
    ),
    Mutation("metal's barrier", "core/render/metal.py", "mem_flags::mem_threadgroup", "mem_flags::mem_none"),
    Mutation("opencl's group", "core/render/opencl.py", "get_group_id({dimension})", "get_global_id({dimension})"),
    Mutation("ptx without bounds", "core/render/ptx.py", '".maxntid ', '".reqntid '),
    Mutation("ptx's version", "core/render/ptx.py", '_VERSION: Final = "8.0"', '_VERSION: Final = "8.1"'),
    Mutation("wgsl's index", "core/render/wgsl.py", 'f"i32({index})"', 'f"i32({index}+0u)"'),
    Mutation("longer expressions", "core/render/body.py", "MAX_LENGTH: Final = 120", "MAX_LENGTH: Final = 12"),
    Mutation(
        "max of the other", _OPERATORS, '?{b.text}:{a.text}", Rank.CHOICE, 2)', '?{a.text}:{b.text}", Rank.CHOICE, 2)'
    ),
    Mutation(
        "launch dims in order",
        "core/lower/launch.py",
        "target.global_max, reverse=True),\n        *_grouped",
        "target.global_max),\n        *_grouped",
    ),
    Mutation(
        "division towards nothing", _OPERATORS, '_modulo = infix("%", Rank.MUL)', '_modulo = infix("/", Rank.MUL)'
    ),
    Mutation(
        "an exception for reduces",
        _RECORD,
        _COMPILED,
        _COMPILE + '        if "REDUCE_AXIS" in repr(ast):\n            raise ValueError("no reduces")\n',
        "error",
    ),
    Mutation(
        "a deep recursion",
        _RECORD,
        _COMPILED,
        _COMPILE
        + "        def deep(n):\n            return deep(n + 1)\n        if len(ast.toposort()) > 25:\n            deep(0)\n",
        "error",
    ),
    Mutation(
        "10 GB",
        _RECORD,
        _COMPILED,
        _COMPILE + "        if len(ast.toposort()) > 25:\n            bytearray(10 << 30)\n",
        "error",
    ),
    Mutation(
        "leaves",
        _RECORD,
        _COMPILED,
        _COMPILE + "        if len(ast.toposort()) > 25:\n            os._exit(3)\n",
        "crash",
    ),
    Mutation(
        "killed",
        _RECORD,
        _COMPILED,
        _COMPILE + "        if len(ast.toposort()) > 25:\n            os.kill(os.getpid(), 9)\n",
        "crash",
    ),
    Mutation(
        "an endless loop",
        _RECORD,
        _COMPILED,
        _COMPILE + "        while len(ast.toposort()) > 30:\n            pass\n",
        "timeout",
    ),
    Mutation(
        "names in hash order",
        "core/render/names.py",
        "        name = function_name(wanted)\n        while",
        '        name = function_name(wanted) + str(list({"a", "b", "c", "d"}).index("a"))\n        while',
        "flaky",
    ),
    Mutation(
        "unknown setting",
        "core/ir/rows.py",
        "def from_rows(",
        "def from_rows(rows, *_):\n    raise RecordError('ast', 'another layout')\n\n\ndef _from_rows(",
        "unsupported",
    ),
]
"""At least 40, of which each alters some output of the corpus."""

REFACTORS: list[Mutation] = [
    Mutation(
        "a comment",
        "core/compiler.py",
        "from __future__ import annotations\n",
        "from __future__ import annotations\n\n# how a kernel flows\n",
    ),
    Mutation(
        "a local renamed",
        _COMPARISON,
        "least = min(c.arg, d.arg) if node.op is Ops.AND else max(c.arg, d.arg)\n    return x < UOp.const(x.dtype, least)",
        "bound = min(c.arg, d.arg) if node.op is Ops.AND else max(c.arg, d.arg)\n    return x < UOp.const(x.dtype, bound)",
    ),
    Mutation(
        "an early return",
        _COMPARISON,
        "    product = c.arg * d.arg\n    return x < product if c.arg > 0 and d.arg > 0 and product <= x.dtype.max else None",
        "    product = c.arg * d.arg\n    if c.arg <= 0 or d.arg <= 0 or product > x.dtype.max:\n        return None\n    return x < product",
    ),
    Mutation(
        "a docstring",
        _DIVISION,
        '    """x // c for c > 1, with the parts',
        '    """The quotient x // c for c > 1, with the parts',
    ),
    Mutation(
        "a comprehension for a loop",
        _HEURISTICS,
        "    return [st.real_strides()[first:] if kernel.upcasted else () for st in kernel.sts]",
        "    found = []\n    for st in kernel.sts:\n        found.append(st.real_strides()[first:] if kernel.upcasted else ())\n    return found",
    ),
    Mutation("a constant computed", _HEURISTICS, "MASKED_UPCAST_MAX: Final = 7 * 7", "MASKED_UPCAST_MAX: Final = 49"),
    Mutation(
        "a message",
        "core/opt/heuristics.py",
        "needs an axis of stride 1 and a size that 4 divides, ",
        "wants an axis of stride 1 and a size that 4 divides, ",
    ),
    Mutation(
        "the order of a set",
        "core/lower/memory.py",
        "_WIDTHS: Final = (4, 2)",
        "_WIDTHS: Final = tuple(sorted({2, 4}, reverse=True))",
    ),
    Mutation(
        "a private name", _OPERATORS, '_compare = infix("<", Rank.LESS)', '_compare = _is_less = infix("<", Rank.LESS)'
    ),
    Mutation("a dead branch removed", "core/render/cuda.py", "        threads = 1\n", "        threads = 0 + 1\n"),
]
"""Ten changes that alter no output."""
