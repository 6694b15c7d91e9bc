"""What a gate leaves for the service it runs in: a summary, annotations and outputs, as GitHub's actions take them.

Everything that comes from captures or from the compiler is escaped: nothing of it can begin a command of its own.
"""

import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path

from replay.cluster import Cluster
from replay.diff import Diff
from replay.errors import ReplayError
from replay.outcome import CHANGES, UNKNOWNS, Outcome
from replay.report import markdown
from replay.report.escape import one_line
from replay.report.text import EXPLAINED, verdict_line

__all__ = ["MAX_ANNOTATIONS", "annotations", "outputs", "publish"]

MAX_ANNOTATIONS = 10
_REPORTED = [*sorted(CHANGES), *sorted(UNKNOWNS)]


def publish(diff: Diff, environment: Mapping[str, str], report: Path | None) -> list[str]:
    """Write the summary and the outputs where `environment` names files for them; give the lines to print."""
    if summary := environment.get("GITHUB_STEP_SUMMARY"):
        _append(Path(summary), markdown.render(diff))
    if target := environment.get("GITHUB_OUTPUT"):
        _append(Path(target), "".join(outputs(diff, report)))
    return list(annotations(diff)) if environment.get("GITHUB_ACTIONS") == "true" else []


def _append(path: Path, text: str) -> None:
    try:
        with path.open("a", encoding="utf-8") as stream:
            stream.write(text)
    except OSError as error:
        raise ReplayError(f"{path}: {error.strerror or error}") from error


def annotations(diff: Diff) -> Iterator[str]:
    """At most ten commands `::error`: the verdict, what could not be read, and the clusters with most members."""
    messages = [f"replay: {verdict_line(diff)}"] if diff.verdict.exit_code else []
    messages += [f"replay could not tell: {problem}" for problem in diff.problems]
    wanted = [cluster for cluster in diff.clusters if cluster.outcome in _REPORTED and not cluster.approved]
    messages += [_sentence(cluster) for cluster in sorted(wanted, key=lambda one: _REPORTED.index(one.outcome))]
    for message in messages[:MAX_ANNOTATIONS]:
        yield f"::error title=replay::{escape(one_line(message, 400))}"


def _sentence(cluster: Cluster) -> str:
    first = cluster.smallest
    where = f"{first.name} on {first.backend}, {first.mode}"
    reason = f": {first.error['type']}: {first.error['message']}" if first.error else ""
    meaning = EXPLAINED.get(cluster.outcome, "the source or the launch dimensions differ")
    return f"{len(cluster.findings)} × {cluster.outcome} ({meaning}), cluster {cluster.id}, such as {where}{reason}"


def outputs(diff: Diff, report: Path | None) -> Iterator[str]:
    """What `$GITHUB_OUTPUT` takes: verdict, exit code, counts and the path of the report."""
    values = {
        "verdict": str(diff.verdict),
        "exit-code": str(diff.verdict.exit_code),
        "changed": str(sum(diff.total(outcome) for outcome in CHANGES) - diff.approved),
        "approved": str(diff.approved),
        "unknown": str(sum(diff.total(outcome) for outcome in UNKNOWNS)),
        "same": str(diff.total(Outcome.SAME)),
        "report": str(report) if report else "",
    }
    for name, value in values.items():
        end = f"end-{secrets.token_hex(8)}"  # no value can hold what no one knew before
        yield f"{name}<<{end}\n{value}\n{end}\n"


def escape(text: str) -> str:
    """A message of a workflow command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
