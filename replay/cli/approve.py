"""`replay approve`: let changes through that were looked at."""

import subprocess
from datetime import UTC, datetime
from typing import Any

import click

from replay.approvals import Approvals, apply
from replay.cli.diff import DiffOptions, approvals_folder, diff_options, run_diff
from replay.cluster import Cluster
from replay.diff import Diff
from replay.errors import ReplayError
from replay.home import project_root
from replay.outcome import CHANGES
from replay.report.escape import one_line

__all__ = ["approve"]

DEFAULT_BRANCHES = ("origin/HEAD", "origin/main", "origin/master", "main", "master")


@click.command()
@click.argument("clusters", metavar="CLUSTER…", nargs=-1)
@click.option("--reason", metavar="TEXT", help="Why the change is meant. It stands in the file and in every report.")
@click.option("--expires", metavar="DATE", type=click.DateTime(["%Y-%m-%d"]),
              help="The last day on which the approval holds, such as 2030-01-31. Default: it never ends.")  # fmt: skip
@click.option("--prune", is_flag=True, help="Remove approvals that have expired, or that nothing matches any more.")
@click.option("--list", "listing", is_flag=True, help="List what is approved.")
@diff_options
def approve(
    clusters: tuple[str, ...], reason: str | None, expires: datetime | None, prune: bool, listing: bool, **options: Any
) -> int:
    """Write CLUSTER (the id that a diff shows, or its beginning) into captures/approvals.toml.

    An approval holds for exactly the sources that the cluster's kernels have now, before and after; when one of them
    becomes another again, it has to be approved again. Commit the file with the change that it is about. The diff is
    computed as `replay diff` does it, from the results that it remembers; without --since against the branch that
    origin/HEAD, main or master is.

    Exit codes: 0, or 2 if there is no such cluster.
    """
    root = project_root()
    approvals = Approvals.read(approvals_folder(root))
    if listing:
        _list(approvals)
        return 0
    if not clusters and not prune:
        raise click.UsageError("name the clusters to approve, or --prune, or --list")
    if not all(wanted.strip() for wanted in clusters):
        raise click.UsageError("CLUSTER is empty: name the clusters to approve")
    if clusters and not (reason and reason.strip()):
        raise click.UsageError("--reason TEXT is missing: say why the change is meant")
    if options["since"] is None:
        options["since"] = _default_branch()
        click.echo(f"compared with {options['since']}", err=True)
    diff = run_diff(DiffOptions(**options))
    today = datetime.now(UTC).date()
    done = []
    for wanted in clusters:
        cluster = _find(diff, wanted)
        entry = approvals.add(cluster, str(reason), _author(), today, expires.date() if expires else None)
        done.append(f"approved {cluster.id}: {len(entry.members)} changes of {len(cluster.records)} kernels")
    if prune:
        _, report = apply(diff.findings, approvals, today)
        useless = [*report.stale, *report.expired]
        approvals.entries = [entry for entry in approvals.entries if entry not in useless]
        done.append(f"removed {len(report.stale)} stale and {len(report.expired)} expired approvals")
    approvals.write()
    for sentence in done:
        click.echo(sentence)
    return 0


def _find(diff: Diff, wanted: str) -> Cluster:
    clusters = [cluster for cluster in diff.clusters if cluster.outcome in CHANGES]
    found = [cluster for cluster in clusters if cluster.id.startswith(wanted)]
    if not found:
        known = ", ".join(cluster.id for cluster in clusters[:5]) or "none"
        raise ReplayError(f"no cluster of this diff begins with {wanted!r}; its clusters are {known}")
    if len(found) > 1:
        raise ReplayError(f"{wanted!r} begins {len(found)} clusters: {', '.join(cluster.id for cluster in found[:5])}")
    return found[0]


def _default_branch() -> str:
    for name in DEFAULT_BRANCHES:
        if _git("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}"):
            return name
    raise ReplayError(f"--since REV is missing, and none of {', '.join(DEFAULT_BRANCHES)} exists here")


def _author() -> str:
    name, email = _git("config", "user.name"), _git("config", "user.email")
    return f"{name} <{email}>" if name and email else name or email or "unknown"


def _git(*arguments: str) -> str:
    try:
        ran = subprocess.run(["git", *arguments], capture_output=True, text=True, check=False)
    except OSError as error:
        raise ReplayError(f"git cannot be run: {error.strerror or error}") from error
    return ran.stdout.strip() if ran.returncode == 0 else ""


def _list(approvals: Approvals) -> None:
    if not approvals.entries:
        click.echo(f"{approvals.path}: nothing is approved")
    for entry in approvals.entries:
        until = f", until {entry.expires}" if entry.expires else ""
        what = f"{len(entry.members)} changes{until}, by {one_line(entry.author)} on {entry.created}"
        click.echo(f"{one_line(entry.cluster)}  {what}: {one_line(entry.reason)}")
