"""A tiny compiler with the seam of the real one, for tests of the harness: quick, and wrong in every way on request."""
