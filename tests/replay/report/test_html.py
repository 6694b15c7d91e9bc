"""The page's data: its size is bounded as it is written, and what is left out is said where it is missing."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from typing import Any

from replay.diff import Diff
from replay.outcome import Outcome
from replay.report import html
from tests.replay.report.test_formats import HOSTILE, REVISION, every_outcome, finding

HEAD = "--- base\n+++ head\n@@ -1 +1 @@\n"


def data_of(page: str) -> dict[str, Any]:
    (data,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    return dict(json.loads(data))


def test_only_the_one_script_and_the_one_style_may_run() -> None:
    page = html.render(every_outcome(HOSTILE))
    policy = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)[0]
    assert "unsafe" not in policy
    for name, tag in (("script", "script"), ("style", "style")):
        (inside,) = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in policy


def test_the_bound_holds_for_what_grows_when_it_is_escaped() -> None:
    diff = Diff(REVISION, REVISION, [])
    diff.findings = [
        finding(Outcome.CHANGED, record=f"{number:032x}", diff=f"{HEAD}-{number}{'<' * (1 << 20)}")
        for number in range(6)
    ]
    page = html.render(diff)
    assert len(page) < html.MAX_DIFF_BYTES + 100_000
    found = data_of(page)
    places = [result["diff"] for result in found["results"]]
    assert places == [0, 1, 2, html.NO_ROOM, html.NO_ROOM, html.NO_ROOM]
    assert found["omitted"] == "; not in this page: the diffs of 3"


def test_long_messages_and_many_origins_are_cut_and_say_so() -> None:
    diff = every_outcome()
    diff.findings = [
        finding(Outcome.ERROR, record=f"{number:032x}", provenance=[f"t{place}" for place in range(100)],
                error={"side": "head", "type": "T", "message": "m" * 100_000}, changes=["c" * 5000] * 60)
        for number in range(120)
    ]  # fmt: skip
    page = html.render(diff)
    assert len(page) < html.MAX_FACT_BYTES + 200_000
    found = data_of(page)
    first, last = found["results"][0], found["results"][-1]
    assert first["origins"][-1] == "… and 80 more, in the JSON report"
    assert len(first["lines"]) == html.MAX_FACTS + 1
    assert max(map(len, first["lines"])) == html.MAX_LINE
    assert "no room" in last["lines"][0]
    assert re.fullmatch("; not in this page: what is said of [0-9]+", found["omitted"])


def test_equal_diffs_are_there_once() -> None:
    diff = Diff(REVISION, REVISION, [])
    diff.findings = [finding(Outcome.CHANGED, mode=mode, diff=f"{HEAD}-a\n+b") for mode in ("pinned", "free")]
    found = data_of(html.render(diff))
    assert len(found["diffs"]) == 1
    assert [result["diff"] for result in found["results"]] == [0, 0]


def test_each_result_names_a_cluster_of_the_list() -> None:
    diff = Diff(REVISION, REVISION, [])
    diff.findings = [finding(Outcome.CHANGED, diff=f"{HEAD}-a\n+b"), finding(Outcome.FLAKY, diff=f"{HEAD}-c\n+d")]
    found = data_of(html.render(diff))
    assert {result["cluster"] for result in found["results"]} == {cluster["id"] for cluster in found["clusters"]}
