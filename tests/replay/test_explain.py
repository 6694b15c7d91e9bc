"""Two traces aligned: the pass, the rewrite, the functions; and with results, the pass that is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from replay.errors import ReplayError
from replay.explain import Wrong, explain, first_wrong

Rewrite = tuple[str, str, str]


def rewrites(*given: Rewrite) -> list[dict[str, Any]]:
    return [
        {"rule": rule, "file": "core/rules.py", "line": 7, "before": before, "after": after}
        for rule, before, after in given
    ]


def one_pass(name: str, *lines: str, made: tuple[Rewrite, ...] = (), ran: dict[str, str] | None = None) -> Any:
    functions = {
        function: {"digest": digest, "file": "core/a.py", "line": 3} for function, digest in (ran or {}).items()
    }
    return {"name": name, "lines": list(lines), "rewrites": rewrites(*made), "functions": functions}


def trace(*passes: Any, rules: tuple[str, ...] = ("add", "sub"), error: dict[str, str] | None = None) -> dict[str, Any]:
    return {"passes": list(passes), "rules": {"symbolic": list(rules)}, "error": error}


# ---- traces ---------------------------------------------------------------------------------------------------------


def test_traces_that_are_alike() -> None:
    one = trace(one_pass("index", "a"), one_pass("render", "b"))
    assert explain(one, one).stage is None


def test_the_first_pass_that_differs_and_what_it_gives() -> None:
    base = trace(one_pass("index", "a"), one_pass("expand", "b"), one_pass("render", "c"))
    head = trace(one_pass("index", "a"), one_pass("expand", "B"), one_pass("render", "C"))
    found = explain(base, head)
    assert (found.stage, found.before, found.after) == ("expand", ["b"], ["B"])


@pytest.mark.parametrize(
    ("left", "right", "culprit", "verdict"),
    [
        ([("s.add", "x", "y")], [("s.add", "x", "z")], "s.add", "the rule gives another result"),
        ([("s.add", "x", "y")], [("s.sub", "x", "z")], "s.add", "s.add rewrites the node on base, s.sub on head"),
        ([("s.add", "x", "y")], [], "s.add", "only the base makes this rewrite"),
        ([], [("s.sub", "x", "y")], "s.sub", "only the head makes this rewrite"),
        ([("s.a", "w", "v"), ("s.add", "x", "y")], [("s.add", "x", "y")], "s.a", "only the base makes this rewrite"),
        (
            [("s.a", "w", "v"), ("s.b", "x", "y")],
            [("s.b", "x", "y"), ("s.a", "w", "v")],
            "s.a",
            "the same rewrites come in another order",
        ),
    ],
)
def test_the_first_rewrite_that_differs(left: Any, right: Any, culprit: str, verdict: str) -> None:
    found = explain(trace(one_pass("index", "a", made=left)), trace(one_pass("index", "b", made=right)))
    assert found.rewrite is not None
    assert (found.rewrite.stage, found.rewrite.culprit, found.rewrite.verdict) == ("index", culprit, verdict)


def test_rules_that_came_and_went_are_suspected_first() -> None:
    base = trace(one_pass("index", "a", made=(("symbolic.old", "x", "y"),)), rules=("add", "old"))
    head = trace(one_pass("index", "b"), rules=("add", "new"))
    found = explain(base, head)
    assert (found.rules_lost, found.rules_new) == (["symbolic.old"], ["symbolic.new"])
    assert found.suspects == ["symbolic.old", "symbolic.new"]


def test_functions_that_are_another_come_nearest_to_the_difference_first() -> None:
    base = trace(one_pass("index", "a", ran={"f": "1", "g": "1"}), one_pass("expand", "b", ran={"h": "1"}))
    head = trace(one_pass("index", "a", ran={"f": "2", "g": "1"}), one_pass("expand", "B", ran={"h": "2"}))
    assert [function.name for function in explain(base, head).functions] == ["h", "f"]


def test_where_none_is_another_those_that_one_side_runs_are_named() -> None:
    base = trace(one_pass("index", "a", ran={"f": "1"}))
    head = trace(one_pass("index", "b", ran={"f": "1", "g": "1"}))
    (only,) = explain(base, head).functions
    assert (only.name, only.base, only.head) == ("g", "", "core/a.py:3")


def test_the_pass_that_raises() -> None:
    failed = {"pass": "expand", "type": "ValueError", "message": "no"}
    base = trace(one_pass("index", "a"), one_pass("expand", "b"))
    found = explain(base, trace(one_pass("index", "a"), one_pass("expand"), error=failed))
    assert (found.stage, found.errors) == ("expand", {"head": failed})


def test_revisions_with_no_pass_of_one_name() -> None:
    with pytest.raises(ReplayError, match="no pass of one name"):
        explain(trace(one_pass("index")), trace(one_pass("lower")))


# ---- results --------------------------------------------------------------------------------------------------------


def ran(**passes: list[float] | None) -> dict[str, Any]:
    """What `run_passes` gives: by pass its one output, or None for one that was not interpreted."""
    found = []
    for name, values in passes.items():
        if values is None:
            found.append({"name": name, "not_run": "too large"})
            continue
        array = np.array(values, np.float32)
        output = {"dtype": "float32", "bytes": array.tobytes(), "rtol": 1e-3, "atol": 1e-6}
        found.append({"name": name, "outputs": {"0": output}, "digest": str(values)})
    return {"inputs": "i", "passes": found}


def test_the_first_pass_whose_results_differ() -> None:
    base = ran(ast=[1, 2], index=[1, 2], expand=[1, 2], render=[1, 2])
    wrong = first_wrong(base, ran(ast=[1, 2], index=[1, 2], expand=[1, 5], render=[1, 5]))
    assert wrong is not None
    assert (wrong.stage, wrong.unseen) == ("expand", ())
    assert (wrong.facts["index"], wrong.facts["base"], wrong.facts["head"], wrong.facts["agrees"]) == (1, 2, 5, "base")


def test_rounding_is_not_wrong() -> None:
    near = 1.0000001
    assert first_wrong(ran(ast=[1], render=[1]), ran(ast=[1], render=[near])) is None
    wrong = first_wrong(ran(ast=[1], index=[1], render=[1]), ran(ast=[1], index=[near], render=[2]))
    assert wrong is not None
    assert wrong.stage == "render"


def test_passes_that_were_not_interpreted_may_be_to_blame() -> None:
    base = ran(ast=[1], index=[1], expand=None, decompose=[1], render=[1])
    wrong = first_wrong(base, ran(ast=[1], index=None, expand=[1], decompose=[2], render=[2]))
    assert wrong is not None
    assert (wrong.stage, wrong.unseen) == ("decompose", ("index", "expand"))


def test_other_inputs_cannot_be_compared() -> None:
    with pytest.raises(ReplayError, match="do not draw the same inputs"):
        first_wrong(ran(ast=[1]), ran(ast=[1]) | {"inputs": "j"})


def test_what_is_wrong_is_looked_for_where_the_results_differ_and_not_before() -> None:
    """The head loses a rule that fires in `index` and leaves the results alone; the fault is in `decompose`."""
    base = trace(
        one_pass("index", "a", made=(("symbolic.old", "x", "y"),), ran={"f": "1"}),
        one_pass("decompose", "b", made=(("symbolic.add", "p", "q"),), ran={"d": "1"}),
        rules=("add", "old"),
    )
    head = trace(
        one_pass("index", "A", ran={"f": "2"}),
        one_pass("decompose", "B", made=(("symbolic.add", "p", "r"),), ran={"d": "2"}),
        rules=("add",),
    )
    assert explain(base, head).stage == "index"
    found = explain(base, head, Wrong("decompose", {}))
    assert (found.stage, found.before, found.after) == ("decompose", ["b"], ["B"])
    assert found.rewrite is not None
    assert (found.rewrite.stage, found.rewrite.culprit) == ("decompose", "symbolic.add")
    assert found.functions[0].name == "d"
    assert found.suspects[:2] == ["symbolic.add", "d"]
