"""The report as one JSON object: the contract that scripts read. Fields may be added, never renamed."""

import json
from collections.abc import Mapping
from typing import Any

from replay.cluster import Cluster, changes_in_words
from replay.diff import Diff
from replay.figures import rows_as_objects
from replay.finding import Finding
from replay.outcome import Outcome
from replay.revision import Revision

__all__ = ["as_object", "render"]


def render(diff: Diff) -> str:
    """The object as indented ASCII text that ends with a newline; no source in it controls a terminal."""
    return json.dumps(as_object(diff), indent=2) + "\n"


def as_object(diff: Diff) -> dict[str, Any]:
    """The report as plain data."""
    places = {id(finding): place for place, finding in enumerate(diff.findings)}
    return {
        "verdict": str(diff.verdict),
        "exit_code": diff.verdict.exit_code,
        "base": _revision(diff.base),
        "head": _revision(diff.head),
        "captures": diff.files,
        "records": diff.records,
        "totals": {str(outcome): diff.total(outcome) for outcome in Outcome},
        "totals_by_backend": {backend: _counts(row) for backend, row in sorted(diff.totals.items())},
        "results": [_finding(finding) for finding in diff.findings],
        "clusters": [_cluster(cluster, places) for cluster in diff.clusters],
        "changes": changes_in_words(diff.findings),
        "figures": rows_as_objects(diff.figures),
        "approvals": _approvals(diff),
        "coverage": _coverage(diff),
        "problems": diff.problems,
        "notes": diff.notes,
        "compiled": diff.compiled,
        "memoised": diff.memoised,
        "elapsed_s": round(diff.elapsed_s, 3),
    }


def _approvals(diff: Diff) -> dict[str, Any] | None:
    if diff.approvals is None:
        return None
    return {
        "file": diff.approvals.file,
        "used": diff.approvals.used,
        "stale": [entry.cluster for entry in diff.approvals.stale],
        "expired": [entry.cluster for entry in diff.approvals.expired],
    }


def _coverage(diff: Diff) -> dict[str, Any] | None:
    found = diff.coverage
    return None if found is None else {"changed": found.changed, "reached": found.reached, "missed": found.missed}


def _revision(revision: Revision) -> dict[str, str]:
    return {"revision": revision.revision, "commit": revision.commit, "tree": revision.tree}


def _counts(row: Mapping[Outcome, int]) -> dict[str, int]:
    return {str(outcome): row[outcome] for outcome in Outcome}


def _cluster(cluster: Cluster, places: Mapping[int, int]) -> dict[str, Any]:
    members = [places[id(finding)] for finding in cluster.findings]
    return {
        "id": cluster.id,
        "outcome": str(cluster.outcome),
        "count": len(members),
        "records": len(cluster.records),
        "backends": cluster.backends,
        "modes": cluster.modes,
        "kinds": cluster.kinds,
        "smallest": members[0],
        "members": members,
        "sources": cluster.sources,
        "approved": cluster.approved,
    }


def _finding(finding: Finding) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "record": finding.record,
        "provenance": finding.provenance,
        "name": finding.name,
        "backend": finding.backend,
        "mode": finding.mode,
        "outcome": str(finding.outcome),
        "kind": finding.kind,
        "cluster": finding.cluster,
    }
    if finding.diff:
        fields["diff"] = finding.diff
    if finding.changes:
        fields["changes"] = finding.changes
    for name in ("error", "approved", "reproduce", "verification", "validation", "figures"):
        if (value := getattr(finding, name)) not in (None, "", {}) or (name == "verification" and value is not None):
            fields[name] = value
    return fields
