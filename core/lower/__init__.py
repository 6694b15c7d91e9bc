"""Lowering: from the optimised AST to a linear program, one pass a module."""
