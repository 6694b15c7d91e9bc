"""A kernel compiler: from an AST of loads, views, arithmetic, reduces and stores to source text for many backends."""
