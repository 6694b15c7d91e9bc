"""Outcomes: the table of what two results say together, written out by hand."""

from __future__ import annotations

import pytest

from replay.compare import confirmed, describe_failure, facts_changed, judge, unified
from replay.outcome import CHANGES, UNKNOWNS, Outcome, Result, Status, Verdict

A = Result(Status.OK, name="k", src="int k() {\n  return 1;\n}")
B = Result(Status.OK, name="k", src="int k() {\n  return 2;\n}")
WIDE = Result(Status.OK, name="k", src=A.src, global_size=[4, 1, 1])
FAILED = Result(Status.ERROR, type="RenderError", message="no way")
OTHER = Result(Status.ERROR, type="RenderError", message="another way")
CANNOT = Result(Status.UNSUPPORTED, field="ast[0].op", message="unknown op")
DEAD = Result(Status.CRASH, message="killed by SIGSEGV")
SLOW = Result(Status.TIMEOUT, message="no answer")
NONE = Result(Status.MISSING, message="not started")


@pytest.mark.parametrize(
    ("base", "head", "outcome"),
    [
        (A, A, "same"),
        (A, B, "changed"),
        (A, WIDE, "changed"),
        (A, FAILED, "error"),
        (FAILED, A, "fixed"),
        (FAILED, FAILED, "same-error"),
        (FAILED, OTHER, "changed"),
        (A, CANNOT, "unsupported"),
        (CANNOT, A, "unsupported"),
        (CANNOT, CANNOT, "unsupported"),
        (FAILED, CANNOT, "unsupported"),
        (A, DEAD, "crash"),
        (DEAD, DEAD, "crash"),
        (DEAD, SLOW, "crash"),
        (A, SLOW, "timeout"),
        (SLOW, NONE, "timeout"),
        (A, NONE, "missing"),
        (NONE, CANNOT, "missing"),
    ],
)
def test_outcomes(base: Result, head: Result, outcome: str) -> None:
    assert judge(base, head) == outcome


def test_what_is_not_output_does_not_matter() -> None:
    slower = Result(Status.OK, name="k", src=A.src, ms=99.0, estimates={"flops": 1}, applied_opts=[["UPCAST", 0, 4]])
    assert judge(A, slower) is Outcome.SAME


@pytest.mark.parametrize(
    ("again", "outcome"),
    [
        ((A, B), "changed"),
        ((A, A), "flaky"),
        ((B, B), "flaky"),
        ((WIDE, B), "flaky"),
        ((A, FAILED), "flaky"),
        ((A, DEAD), "crash"),
        ((SLOW, B), "timeout"),
        ((A, NONE), "missing"),
    ],
)
def test_a_change_is_confirmed(again: tuple[Result, Result], outcome: str) -> None:
    assert confirmed(Outcome.CHANGED, (A, B), again) == outcome


def test_every_outcome_counts_as_one_thing() -> None:
    neither = set(Outcome) - CHANGES - UNKNOWNS
    assert neither == {Outcome.SAME, Outcome.SAME_ERROR, Outcome.FLAKY}
    assert not CHANGES & UNKNOWNS
    assert [verdict.exit_code for verdict in (Verdict.SAME, Verdict.CHANGED, Verdict.UNKNOWN)] == [0, 1, 2]


def test_the_diff_of_a_source() -> None:
    assert unified(A, B).split("\n") == [
        "--- base", "+++ head", "@@ -1,3 +1,3 @@", " int k() {", "-  return 1;", "+  return 2;", " }",
    ]  # fmt: skip


def test_the_diff_of_launch_dims() -> None:
    lines = unified(A, WIDE).split("\n")
    assert "-launch: global None, local None" in lines
    assert "+launch: global [4, 1, 1], local None" in lines


def test_the_diff_of_two_failures() -> None:
    assert unified(FAILED, OTHER).split("\n")[-2:] == ["-RenderError: no way", "+RenderError: another way"]


def test_a_diff_of_very_long_sources_is_not_tried() -> None:
    long = Result(Status.OK, src="x\n" * 30_000)
    assert unified(A, long) == "@@ too long to compare line by line: 3 lines before, 30001 after @@"


def test_facts_in_words() -> None:
    base = Result(Status.OK, src="a", applied_opts=[["UPCAST", 0, 4]], global_size=[16, 1], estimates={"flops": 8})
    head = Result(
        Status.OK, src="b", applied_opts=[["UPCAST", 0, 2], ["UNROLL", 0, 0]], global_size=[32, 1], estimates={"mem": 1}
    )
    assert facts_changed(base, head) == [
        "applied_opts[0]: UPCAST(0, 4) -> UPCAST(0, 2)",
        "applied_opts[1]: UNROLL(0, 0) added",
        "estimates.flops: 8 removed",
        "estimates.mem: 1 added",
        "global_size[0]: 16 -> 32",
    ]
    assert facts_changed(base, base) == []
    assert facts_changed(base, FAILED) == []


def test_a_launch_size_that_appears() -> None:
    assert facts_changed(A, WIDE) == ["global_size: None -> [4, 1, 1]"]


@pytest.mark.parametrize(
    ("base", "head", "side", "kind"),
    [
        (A, FAILED, "head", "RenderError"),
        (FAILED, A, "base", "RenderError"),
        (FAILED, FAILED, "both", "RenderError"),
        (FAILED, OTHER, "head", "RenderError"),
        (DEAD, A, "base", "crash"),
        (A, SLOW, "head", "timeout"),
    ],
)
def test_failures_say_whose_they_are(base: Result, head: Result, side: str, kind: str) -> None:
    failure = describe_failure(base, head)
    assert failure is not None
    assert (failure["side"], failure["type"]) == (side, kind)


def test_failures_name_the_field() -> None:
    failure = describe_failure(A, CANNOT)
    assert failure is not None
    assert failure["field"] == "ast[0].op"
    assert describe_failure(A, B) is None
