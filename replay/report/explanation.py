"""An explanation in words, and both sides' passes as a page."""

import difflib
import html
from collections.abc import Iterator
from typing import Any

from replay.explain import Explanation, Rewrite
from replay.report.escape import one_line, visible
from replay.report.words import words_of_verification

__all__ = ["as_object", "page", "sentences", "story"]

CONTEXT = 2
MAX_LINES = 40
MAX_FUNCTIONS = 8


def sentences(found: Explanation) -> Iterator[str]:
    """The explanation, a line at a time."""
    for side, error in found.errors.items():
        yield f"{side}: pass {error['pass']} raises {error['type']}: {one_line(error['message'], 300)}"
    if found.stage is None:
        yield "no pass has another result on the two sides"
        return
    if found.wrong is not None:
        yield f"first pass after which the results differ: {found.stage}"
        yield f"  {one_line(words_of_verification(found.wrong.facts), 300)}"
        if found.wrong.unseen:
            yield f"  or one of the passes before it, which could not be interpreted: {', '.join(found.wrong.unseen)}"
    elif not found.errors:
        yield f"first pass that differs: {found.stage}"
    yield from _rewrite(found)
    for name, rules in (("only the base has", found.rules_lost), ("only the head has", found.rules_new)):
        if rules:
            yield f"rules that {name}: {', '.join(rules[:MAX_FUNCTIONS])}"
    if found.functions:
        yield "functions that ran and are not the same on the two sides:"
        for function in found.functions[:MAX_FUNCTIONS]:
            yield f"  {one_line(function.name, 160)}  {function.base or '–'} -> {function.head or '–'}"
        if len(found.functions) > MAX_FUNCTIONS:
            yield f"  … and {len(found.functions) - MAX_FUNCTIONS} more"
    yield from _lines(found)


def _rewrite(found: Explanation) -> Iterator[str]:
    divergence = found.rewrite
    if divergence is None:
        return
    yield f"first rewrite that differs, in pass {divergence.stage}: {divergence.culprit} ({divergence.verdict})"
    for side, rewrite in (("base", divergence.base), ("head", divergence.head)):
        if rewrite is not None:
            yield from _node(side, rewrite)


def _node(side: str, rewrite: Rewrite) -> Iterator[str]:
    yield f"  {side}: {rewrite.rule} at {rewrite.file}:{rewrite.line}"
    yield f"    {one_line(rewrite.before, 300)}"
    yield f"    -> {one_line(rewrite.after, 300)}"


def _lines(found: Explanation) -> Iterator[str]:
    if not found.before or not found.after:
        return
    diff = list(difflib.unified_diff(found.before, found.after, "base", "head", lineterm="", n=CONTEXT))
    yield f"what pass {found.stage} gives:"
    for line in diff[:MAX_LINES]:
        yield f"  {visible(line)}"
    if len(diff) > MAX_LINES:
        yield f"  … {len(diff) - MAX_LINES} more lines (--stage {found.stage} prints all)"


def as_object(found: Explanation) -> dict[str, Any]:
    """The explanation as plain data."""
    divergence = found.rewrite
    return {
        "stage": found.stage,
        "wrong": None if found.wrong is None else {**found.wrong.facts, "unseen": list(found.wrong.unseen)},
        "suspects": found.suspects,
        "rewrite": None
        if divergence is None
        else {
            "stage": divergence.stage,
            "rule": divergence.culprit,
            "verdict": divergence.verdict,
            "base": None if divergence.base is None else _plain(divergence.base),
            "head": None if divergence.head is None else _plain(divergence.head),
        },
        "rules_lost": found.rules_lost,
        "rules_new": found.rules_new,
        "functions": [{"name": one.name, "base": one.base, "head": one.head} for one in found.functions],
        "errors": found.errors,
    }


def _plain(rewrite: Rewrite) -> dict[str, Any]:
    return {
        "rule": rewrite.rule,
        "place": f"{rewrite.file}:{rewrite.line}",
        "before": rewrite.before,
        "after": rewrite.after,
    }


def story(trace: dict[str, Any]) -> Iterator[str]:
    """How one revision compiles a record: each pass with how often which rule fired."""
    for one in trace["passes"]:
        yield f"{one['name']}: {len(one['lines'])} lines, {len(one['rewrites'])} rewrites"
        if one["name"] == "opts":
            yield from (f"  {one_line(line)}" for line in one["lines"])
        counts: dict[str, int] = {}
        for rewrite in one["rewrites"]:
            counts[rewrite["rule"]] = counts.get(rewrite["rule"], 0) + 1
        for rule, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
            yield f"  {count:5} {one_line(rule, 100)}"
    if trace["error"]:
        error = trace["error"]
        yield f"pass {error['pass']} raises {error['type']}: {one_line(error['message'], 300)}"


_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>replay explain</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 14px/1.5 system-ui, sans-serif; margin: 1.5rem auto; max-width: 1500px; padding: 0 1rem; }}
pre {{ font: 12px/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }}
table.diff {{ font: 12px/1.5 ui-monospace, monospace; border-collapse: collapse; width: 100%; table-layout: fixed; }}
.diff td {{ white-space: pre-wrap; overflow-wrap: anywhere; vertical-align: top; }}
.diff_header, .diff_next {{ width: 3rem; opacity: .6; }}
.diff_add {{ background: #2da44e40; }} .diff_chg {{ background: #bf870040; }} .diff_sub {{ background: #cf222e40; }}
summary {{ cursor: pointer; font-weight: 600; padding: .3rem 0; }}
</style></head><body><h1>{title}</h1><pre>{words}</pre>{passes}</body></html>
"""


def page(title: str, found: Explanation, base: dict[str, Any], head: dict[str, Any]) -> str:
    """All passes side by side, those that differ open."""
    words = "\n".join(sentences(found))
    new = {one["name"]: one for one in head["passes"]}
    parts = []
    for one in base["passes"]:
        other = new.get(one["name"], {"lines": []})
        before, after = ([visible(line) for line in side["lines"]] for side in (one, other))
        differs = before != after
        table = difflib.HtmlDiff(wrapcolumn=110).make_table(before, after, "base", "head", context=True, numlines=3)
        body = table if differs else "<p>the same on both sides</p>"
        name = html.escape(one["name"])
        parts.append(f"<details{' open' if differs else ''}><summary>{name}</summary>{body}</details>")
    return _PAGE.format(title=html.escape(title), words=html.escape(words), passes="".join(parts))
