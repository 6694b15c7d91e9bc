"""The graph: ops, nodes, patterns, the rewrite driver, rules, specs, and the forms in which a graph is stored."""

from core.ir import symbolic as _symbolic  # noqa: F401 - importing it installs the rules that fold nodes as they are built
