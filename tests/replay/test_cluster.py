from dataclasses import replace

from replay.cluster import changes_in_words, cluster_findings, cluster_id, normalised
from replay.finding import Finding
from replay.outcome import Outcome


def finding(old: str, new: str, record: str = "a", **fields: object) -> Finding:
    diff = "\n".join(["--- base", "+++ head", "@@ -1 +1 @@", " {", *[f"-{line}" for line in old.split("\n")],
                      *[f"+{line}" for line in new.split("\n")], " }"])  # fmt: skip
    given = {"record": record, "name": "k", "backend": "c", "mode": "free", "outcome": Outcome.CHANGED}
    return Finding(**(given | {"provenance": [], "diff": diff} | fields))  # type: ignore[arg-type]


def test_numbers_names_and_indentation_make_no_other_cluster() -> None:
    one = finding("  float val0 = data1[ridx0*4+3];", "  float val0 = data1[ridx0<<2];")
    other = finding("      float val17 = data2[ridx3*128+1];", "      float val17 = data2[ridx3<<7];")
    assert cluster_id(one) == cluster_id(other)


def test_another_edit_or_another_function_is_another_cluster() -> None:
    edits = [
        ("a+b", "b+a"),
        ("a+b", "a-b"),
        ("sin(x)", "cos(x)"),
        ("float4 v", "half4 v"),
        ("x", "x\ny"),
        ("x*2", "x*3"),
        ("x+y", "x+x+y"),
    ]
    assert len({cluster_id(finding(*edit)) for edit in edits}) == len(edits)


def test_the_id_is_the_same_in_every_version() -> None:
    # approvals name it: a change of the normal form makes all of them stale
    assert cluster_id(finding("x+1", "x+2")) == "ba794c95cab5"


def test_an_edit_repeated_by_unrolling_is_one() -> None:
    once = finding("acc0 = acc0*2;", "acc0 = acc0<<1;")
    often = finding("acc0 = acc0*2;\nacc1 = acc1*2;", "acc0 = acc0<<1;\nacc1 = acc1<<1;")
    assert cluster_id(once) == cluster_id(often)


def test_names_of_kernels_and_vectors_of_another_length_are_alike() -> None:
    assert normalised("void r_4_16_32n1(") == normalised("void r_2(")
    four = finding("(float4){val0,val1,val2,val3}", "(float2){val0,val1}")
    eight = finding("(float8){val0,val1,val2,val3,val4,val5,val6,val7}", "(float2){val4,val5}")
    assert cluster_id(four) == cluster_id(eight)


def test_a_variable_more_is_no_other_edit() -> None:
    plain = finding("data0[ridx0*4] = x;", "data0[ridx0<<2] = x;")
    named = finding("data0[ridx0*4] = x;", "int alu0 = ridx0<<2;\ndata0[alu0] = x;")
    assert cluster_id(plain) == cluster_id(named)


def test_failures_cluster_by_type_and_message() -> None:
    def failure(message: str, kind: str = "RenderError", outcome: Outcome = Outcome.ERROR) -> Finding:
        error = {"side": "head", "type": kind, "message": message}
        return finding("", "", outcome=outcome, diff="", error=error)

    alike = {cluster_id(failure("no op in node 3")), cluster_id(failure("no op in node 14"))}
    others = {cluster_id(failure("no op in node 3", "KeyError")), cluster_id(failure("no dtype in node 3")),
              cluster_id(failure("no op in node 3", outcome=Outcome.FIXED))}  # fmt: skip
    assert len(alike) == 1
    assert len(alike | others) == 4


def test_a_cluster_has_its_smallest_member_first_and_says_where_its_kernels_come_from() -> None:
    long = finding("x*2", "x+x", "b", backend="opencl", provenance=["tests/a.py", "tests/b.py"])
    long = replace(long, diff=long.diff + "\n more\n lines")
    short = finding("x*4", "x+x", "a", provenance=["tests/b.py"])
    other = finding("x", "y", "a")
    first, second = cluster_findings([other, long, short])
    assert [member.record for member in first.findings] == ["a", "b"]
    assert first.smallest is short
    assert (first.backends, first.records, first.sources) == (["c", "opencl"], ["a", "b"], ["tests/b.py", "tests/a.py"])
    assert second.findings == (other,)


def test_changes_besides_the_source_are_counted_by_kernel() -> None:
    found = [
        finding("x", "y", record, mode=mode, changes=["applied_opts[0]: UPCAST(0, 4) -> UPCAST(0, 2)"])
        for record in "ab"
        for mode in ("free", "free", "pinned")
    ]
    assert changes_in_words(found) == [
        "free: UPCAST(0, 4) -> UPCAST(0, 2) on 2 kernels",
        "pinned: UPCAST(0, 4) -> UPCAST(0, 2) on 2 kernels",
    ]


def test_a_line_without_end_costs_no_more_than_its_beginning() -> None:
    assert cluster_id(finding("x" * 3_000_000, "y")) == cluster_id(finding("x" * 5_000_000, "y"))
