import pytest

from replay.cosmetic import is_cosmetic

C = "void r_4(float* data0, float* data1) {\n  float val0 = data1[0];\n  data0[0] = exp2(val0);\n}\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [("val0", "x7"), ("data1", "source"), ("  float", "\tfloat"), (";\n}", ";\n  // done\n}"), ("r_4", "other")],
)
def test_names_spaces_and_comments(before: str, after: str) -> None:
    head = C.replace(before, after)
    assert is_cosmetic("c", ("r_4", C), ("other" if after == "other" else "r_4", head))


@pytest.mark.parametrize(
    ("before", "after"),
    [("exp2", "log2"), ("float", "half"), ("data0[0]", "data0[1]"), ("data0[0] =", "data1[0] ="),
     ("= exp2(", "= -exp2("),
     ("float* data0, float* data1", "float* data1, float* data0")],
)  # fmt: skip
def test_what_means_something_else(before: str, after: str) -> None:
    assert not is_cosmetic("c", ("r_4", C), ("r_4", C.replace(before, after)))


def test_a_name_stands_for_one_name_only() -> None:
    base = "void k(int* a, int* b) {\n  a[0] = b[0];\n  b[1] = 1;\n}"
    head = "void k(int* x, int* y) {\n  x[0] = y[0];\n  x[1] = 1;\n}"
    assert not is_cosmetic("c", ("k", base), ("k", head))
    assert is_cosmetic("c", ("k", base), ("k", head.replace("x[1]", "y[1]")))


def test_comments_are_those_of_the_language() -> None:
    assert is_cosmetic("llvm", ("k", "%a = add i32 %b, 1 ; one"), ("k", "%a = add i32 %b, 1"))
    assert is_cosmetic("python", ("k", "x = 1  # one"), ("k", "x = 1"))
    assert not is_cosmetic("c", ("k", "x = 1; y = 2;"), ("k", "x = 1;"))


def test_indentation_means_something_in_python() -> None:
    base = "for i in x:\n    a()\n    b()"
    assert not is_cosmetic("python", ("k", base), ("k", base.replace("    b()", "b()")))


def test_a_line_without_end_is_not_looked_at() -> None:
    line = "x" * 1_000_000
    assert not is_cosmetic("c", ("k", line), ("k", line + " "))
