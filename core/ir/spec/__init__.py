"""Specs: what an AST and a linear program must be like, as tables of named rules.

`tensor_spec` is about the nodes of an AST, `shape_spec` about how their shapes fit together, `program_spec` about a
linear program. A graph that breaks a rule is refused with a SpecError that names the rule and the node.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from core.ir.spec.program import program_spec
from core.ir.spec.rule import GraphRule, Rule, Spec
from core.ir.spec.shape import ShapeRule, ShapeSpec, ast_shapes, shape_spec
from core.ir.spec.tensor import tensor_spec
from core.ir.uop import UOp

__all__ = [
    "GraphRule",
    "Rule",
    "ShapeRule",
    "ShapeSpec",
    "Spec",
    "ast_shapes",
    "program_spec",
    "shape_spec",
    "tensor_spec",
    "type_verify",
    "verify_ast",
]


class _Verifies(Protocol):
    def verify(self, uops: Sequence[UOp]) -> None: ...


def type_verify(uops: Sequence[UOp], *specs: _Verifies) -> None:
    """Check `uops`, operands before their users, against each spec. Raises SpecError for the first rule they break."""
    for spec in specs:
        spec.verify(uops)


def verify_ast(ast: UOp) -> None:
    """Check that `ast` is one that a kernel can be made of. Raises SpecError for the first rule it breaks."""
    type_verify(ast.toposort(), tensor_spec, shape_spec)
