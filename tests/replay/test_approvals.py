from datetime import date
from pathlib import Path

import pytest

from replay.approvals import Approvals, Member, apply
from replay.cluster import cluster_findings
from replay.errors import ReplayError
from replay.finding import Finding
from replay.outcome import Outcome

TODAY = date(2026, 5, 1)
OLD, NEW, OTHER = "a" * 32, "b" * 32, "c" * 32


def finding(record: str, **fields: object) -> Finding:
    given = {"name": "k", "backend": "c", "mode": "free", "outcome": Outcome.CHANGED, "provenance": []}
    return Finding(record * 8, **(given | {"digests": (OLD, NEW), "cluster": "1234abcd5678"} | fields))  # type: ignore[arg-type]


@pytest.fixture
def approvals(tmp_path: Path) -> Approvals:
    made = Approvals.read(tmp_path)
    (cluster,) = cluster_findings([finding("a"), finding("b", backend="opencl")])
    made.add(cluster, 'wider "loads"\n\u2028', "A <a@b>", TODAY, date(2026, 6, 1))
    return made


def test_what_is_written_is_read_again(approvals: Approvals) -> None:
    approvals.write()
    again = Approvals.read(approvals.path.parent)
    assert again.entries == approvals.entries
    again.write()
    assert Approvals.read(approvals.path.parent).entries == approvals.entries
    assert approvals.path.read_text().startswith("# Changes of generated kernels that were reviewed.")


def test_exactly_the_approved_sources_are_let_through(approvals: Approvals) -> None:
    changed = [finding("a"), finding("a", digests=(OLD, OTHER)), finding("a", digests=(OTHER, NEW)), finding("c"),
               finding("a", mode="pinned"), finding("a", backend="opencl")]  # fmt: skip
    judged, report = apply(changed, approvals, TODAY)
    assert [found.approved is not None for found in judged] == [True, False, False, False, False, False]
    assert (report.used, report.stale, report.expired) == (1, [], [])


def test_only_changes_can_be_let_through(approvals: Approvals) -> None:
    judged, _ = apply([finding("a", outcome=Outcome.CRASH)], approvals, TODAY)
    assert judged[0].approved is None


def test_an_approval_ends_and_goes_stale(approvals: Approvals) -> None:
    last = date(2026, 6, 1)
    assert apply([finding("a")], approvals, last)[1].used == 1
    judged, report = apply([finding("a")], approvals, date(2026, 6, 2))
    assert judged[0].approved is None
    assert report.expired == approvals.entries
    assert apply([finding("c")], approvals, TODAY)[1].stale == approvals.entries


def test_approving_again_takes_the_place_of_the_old_entry(approvals: Approvals) -> None:
    (cluster,) = cluster_findings([finding("a"), finding("b", backend="opencl")])
    approvals.add(cluster, "again", "B", TODAY, None)
    assert [entry.reason for entry in approvals.entries] == ["again"]
    (more,) = cluster_findings([finding("a"), finding("d")])
    approvals.add(more, "more", "B", TODAY, None)
    assert [entry.reason for entry in approvals.entries] == ["again", "more"]
    assert Member.of(finding("a")) in approvals.entries[1].members


GOOD = """
[[approval]]
cluster = "1234"
reason = "because"
author = "me"
created = 2026-01-01
members = [{record = "aaaaaaaa", backend = "c", mode = "free", base = "aaaaaaaa", head = "bbbbbbbb"}]
"""


@pytest.mark.parametrize(
    ("before", "after", "complaint"),
    [
        ("[[approval]]", "[[approval", "not TOML"),
        ("[[approval]]", "[approval]", "`approval` must be a list of tables"),
        ('reason = "because"', 'reason = " "', "approval 1: reason must be text, and not empty"),
        ('cluster = "1234"', "cluster = 1234", "approval 1: cluster must be text"),
        ("created = 2026-01-01", 'created = "yesterday"', "approval 1: created must be a date"),
        ("created = 2026-01-01", "created = 2026-01-01\nexpires = 3", "approval 1: expires must be a date"),
        ('record = "aaaaaaaa"', 'record = "nothing"', "approval 1, member 1: record must be a digest"),
        ("members = [{", "members = [3, {", "approval 1, member 1 is no table"),
        ("members = [", "other = [", "approval 1: members must be a list"),
    ],
)
def test_a_malformed_file_is_named_with_the_entry(tmp_path: Path, before: str, after: str, complaint: str) -> None:
    file = tmp_path / "approvals.toml"
    file.write_text(GOOD)
    assert len(Approvals.read(tmp_path).entries) == 1
    file.write_text(GOOD.replace(before, after))
    with pytest.raises(ReplayError, match=complaint) as caught:
        Approvals.read(tmp_path)
    assert str(file) in str(caught.value)


def test_a_file_that_is_not_text(tmp_path: Path) -> None:
    (tmp_path / "approvals.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ReplayError, match="not TOML"):
        Approvals.read(tmp_path)
