"""What running and compiling both sides of a change showed, in words that every report uses."""

from typing import Any

from replay.approvals import Approved
from replay.finding import Finding

__all__ = ["refusals", "words_of_approvals", "words_of_verification"]


def words_of_verification(found: dict[str, Any]) -> str:
    """What `replay.verify` found out about one change."""
    if "not_run" in found:
        return f"not run, because {found['not_run']}"
    if "failed" in found:
        return f"the base runs, and the head does not: {found['failed']}"
    if "index" in found:
        place = f"output {found.get('output', 0)}, element {found['index']}"
        agrees = {"both": "both sides agree", "neither": "neither side agrees", "unknown": "neither was compared"}
        who = agrees.get(found["agrees"], f"the {found['agrees']} agrees")
        return f"{place}: {found['base']} on base, {found['head']} on head; {who} with the reference interpreter"
    if "ulp" in found:
        return f"results differ by at most {found['ulp']} ULP, {found['relative']:.2g} relative"
    return "results are bit-identical"


def words_of_approvals(approved: Approved | None) -> list[str]:
    """What the file of approvals did, a sentence each."""
    if approved is None:
        return []
    said = [f"{approved.used} changes are approved in {approved.file}"] if approved.used else []
    for name, entries in (("stale", approved.stale), ("expired", approved.expired)):
        if entries:
            clusters = ", ".join(entry.cluster for entry in entries)
            what = f"{len(entries)} {name} approvals in {approved.file} ({clusters})"
            said.append(f"{what}: remove them with `replay approve --prune`")
    return said


def refusals(finding: Finding) -> list[tuple[str, str]]:
    """(side, message) for each side whose source its real compiler refuses."""
    sides = finding.validation or {}
    return [(side, verdict["message"]) for side, verdict in sides.items() if verdict.get("accepted") is False]
