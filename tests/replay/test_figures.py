from replay.figures import Tally, figures_of, pair_figures, rows_as_objects
from replay.outcome import Result, Status


def test_figures_of_a_result() -> None:
    result = Result(Status.OK, src="µ", ms=2.5, estimates={"flops": 7, "lds": "4*n", "mem": True})
    assert figures_of(result) == {"source_bytes": 2, "ms": 2.5, "flops": 7}
    assert figures_of(Result(Status.ERROR)) == {}
    assert pair_figures({"flops": 1, "mem": 2}, {"flops": 3}) == {"flops": (1, 3)}


def test_what_goes_from_nothing_to_something_counts() -> None:
    tally = Tally()
    tally.add("cuda", "a", {"spills": (0, 16), "flops": (8, 8)})
    tally.add("cuda", "b", {"spills": (4, 0), "flops": (8, 8)})
    tally.add("cuda", "c", {"spills": (0, 0), "flops": (8, 8)})
    tally.add("c", "a", {"spills": (1, 2), "ms": (1.0, 3.0)})
    assert [(row.backend, row.metric, row.helped, row.hurt) for row in tally.rows()] == [
        ("c", "spills", 0, 1), ("c", "ms", 0, 0), ("cuda", "spills", 1, 1),
    ]  # fmt: skip
    spills = rows_as_objects(tally.rows())[-1]
    assert spills["affected"] == {"base": 4, "head": 16}
    assert spills["all"] == {"base": 4, "head": 16}
    assert spills["worst"] == {"record": "a", "by": 16}
