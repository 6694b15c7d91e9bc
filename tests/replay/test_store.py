"""The database of captures: what it keeps, and the files that it refuses."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlite_utils import Database
from sqlite_utils.migrations import Migrations

from replay import store as stores
from replay.errors import RecordError, StoreError, StoreLockedError
from replay.record import parse_capture
from replay.store import Entry, Store

Make = Callable[..., dict[str, Any]]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.db"


@pytest.fixture
def filled(path: Path, record: Make) -> Path:
    with Store.open(path) as store:
        store.add([parse_capture(record(f"{number} 2 ADD")) for number in range(20)])
        store.settle()
    return path


def entries(path: Path) -> list[Entry | RecordError]:
    with Store.open_readonly(path) as store:
        return list(store.entries())


def test_the_same_kernel_is_one_record_with_many_provenances(path: Path, record: Make) -> None:
    with Store.open(path) as store:
        for number in range(1000):
            name = f"E_3n{number}" if number else "E_3"
            made = record(name=name, src=f"int {name}(void);", provenance={"source": None, "test": f"t{number % 10}"})
            store.add([parse_capture(made)])
    with Store.open_readonly(path) as store:
        stats = store.stats()
        (entry,) = store.entries()
        assert isinstance(entry, Entry)
        seen = store.observations(entry.digest)
    assert (stats["records"], stats["captures"], stats["sources"], stats["tests"]) == (1, 1000, 1, 10)
    assert {observation.src for observation in seen} == {"int E_3(void);"}
    assert [observation.count for observation in seen] == [100] * 10


def test_what_add_returns(path: Path, record: Make) -> None:
    with Store.open(path) as store:
        first = store.add([parse_capture(record("1 2 ADD")), parse_capture(record("1 2 ADD"))])
        second = store.add([parse_capture(record("1 2 ADD")), parse_capture(record("1 2 MUL"))])
        nothing = store.add([])
    assert (first.captures, first.records) == (2, 1)
    assert (second.captures, second.records) == (2, 1)
    assert (nothing.captures, nothing.records) == (0, 0)


def test_observations_keep_what_was_seen(path: Path, record: Make) -> None:
    observed = {"global_size": [4, "n"], "local_size": [2], "vars": [["n", 1, 8]], "estimates": {"flops": 3}}
    made = record(observed=observed, provenance={"source": "asts.txt:17", "test": "a test"})
    with Store.open(path) as store:
        store.add([parse_capture(made)], version="abc")
        (entry,) = store.entries()
        assert isinstance(entry, Entry)
        (seen,) = store.observations(entry.digest)
        assert store.provenance(entry.digest) == ["asts.txt:17", "a test"]
    assert (seen.global_size, seen.local_size, seen.vars, seen.estimates) == tuple(observed.values())
    assert (seen.version, seen.name, seen.src) == ("abc", "E_3", made["src"])


def test_paging_yields_every_record_once(path: Path, record: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stores, "PAGE", 7)
    with Store.open(path) as store:
        store.add([parse_capture(record(f"{number} NEG")) for number in range(50)])
        digests = [entry.digest for entry in store.entries() if isinstance(entry, Entry)]
    assert len(digests) == len(set(digests)) == 50


def test_find_by_digest_and_name(filled: Path) -> None:
    with Store.open_readonly(filled) as store:
        first = next(iter(store.entries()))
        assert isinstance(first, Entry)
        assert [entry.digest for entry in store.find(first.digest)] == [first.digest]
        assert first.digest in [entry.digest for entry in store.find(first.digest[:4])]
        assert len(store.find("E_3")) == 20
        assert store.find(first.digest[:3]) == []
        for hostile in ("%", "_", "' or 1=1 --", '"; drop table records; --'):
            assert store.find(hostile) == []


def test_errors_are_counted(path: Path) -> None:
    with Store.open(path) as store:
        store.add([], errors={("RecordError", "ast: empty"): 2})
        store.add([], errors={("RecordError", "ast: empty"): 3, ("dropped", "too many"): 1})
        found = {(row["kind"], row["message"]): row["count"] for row in store.stats()["capture_errors"]}
    assert found == {("RecordError", "ast: empty"): 5, ("dropped", "too many"): 1}


def test_names_are_data_never_sql(path: Path, record: Make) -> None:
    name = "'); drop table records; --"
    with Store.open(path) as store:
        store.add([parse_capture(record(name=name, provenance={"source": name, "test": name}))], version=name)
        (entry,) = store.entries()
        assert isinstance(entry, Entry)
        assert entry.name == name
        assert store.find(name) == [entry]


# -- files that are not fit to be read --------------------------------------------------------------------------------


def test_a_file_that_is_not_there(path: Path) -> None:
    with pytest.raises(StoreError, match="there is no such file"):
        Store.open_readonly(path)


def test_a_file_that_is_no_database(path: Path) -> None:
    path.write_text("some text that is long enough to be taken for a page of a database\n" * 100)
    before = path.read_bytes()
    for opener in (Store.open, Store.open_readonly):
        with pytest.raises(StoreError, match="not a SQLite database"):
            opener(path)
    assert path.read_bytes() == before


def test_a_database_of_another_program_is_not_touched(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("create table records (digest text)")
        connection.commit()
    before = path.read_bytes()
    for opener in (Store.open, Store.open_readonly):
        with pytest.raises(StoreError, match="of another program"):
            opener(path)
    assert path.read_bytes() == before
    assert sorted(os.listdir(path.parent)) == [path.name]


def test_an_empty_file_can_be_written_but_not_read(path: Path, record: Make) -> None:
    path.touch()
    with pytest.raises(StoreError, match="nothing has been captured"):
        Store.open_readonly(path)
    with Store.open(path) as store:
        store.add([parse_capture(record())])
    assert len(entries(path)) == 1


@pytest.mark.parametrize("part", [0.02, 0.3, 0.6, 0.9])
def test_a_truncated_file_says_so_and_gives_what_comes_before(filled: Path, part: float) -> None:
    whole = filled.read_bytes()
    filled.write_bytes(whole[: int(len(whole) * part)])
    taken: list[Entry | RecordError] = []

    def read() -> None:
        with Store.open_readonly(filled) as store:
            for entry in store.entries():
                taken.append(entry)
            store.stats()

    with pytest.raises(StoreError, match=r"a\.db: .*(damaged or truncated|not a SQLite database)"):
        read()
    assert len(taken) <= 20


def test_a_file_of_a_newer_program(filled: Path) -> None:
    database = Database(filled)
    database.table("_sqlite_migrations").insert({"migration_set": "process-replay", "name": "99", "applied_at": ""})
    database.close()
    for opener in (Store.open, Store.open_readonly):
        with pytest.raises(StoreError, match=r"newer process-replay \(layout 99\)"):
            opener(filled)


@pytest.mark.parametrize(
    "sql",
    [
        "alter table records rename to other; create view records as select * from other",
        "create trigger surprise after insert on records begin delete from records; end",
        "create virtual table other using fts5(x)",
    ],
)
def test_a_file_with_views_triggers_or_virtual_tables_is_refused(filled: Path, sql: str) -> None:
    with closing(sqlite3.connect(filled)) as connection:
        connection.executescript(sql)
    for opener in (Store.open, Store.open_readonly):
        with pytest.raises(StoreError, match="a view, trigger or virtual table"):
            opener(filled)


def test_a_marked_file_without_the_tables(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"pragma application_id={stores.APPLICATION_ID}")
        connection.execute("create table other (x)")
        connection.commit()
    with pytest.raises(StoreError, match=r"a\.db"):
        Store.open_readonly(path)


@pytest.mark.parametrize(
    ("column", "value"),
    [("digest", 3), ("digest", "x"), ("digest", "../../etc"), ("name", b"\xff"), ("nodes", "many"), ("blob", "text")],
)
def test_columns_of_the_wrong_type_cost_only_their_record(filled: Path, column: str, value: object) -> None:
    with closing(sqlite3.connect(filled)) as connection:
        connection.execute(f"update records set {column} = ? where rowid = 5", [value])
        connection.commit()
    found = entries(filled)
    assert len(found) == 20
    assert len([entry for entry in found if isinstance(entry, Entry)]) == 19


def test_text_that_is_not_utf8_is_shown_escaped(filled: Path) -> None:
    with closing(sqlite3.connect(filled)) as connection:
        connection.execute("update records set name = cast(x'ff41' as text) where rowid = 5")
        connection.commit()
    assert "\\xffA" in [entry.name for entry in entries(filled) if isinstance(entry, Entry)]


def test_damaged_observations_are_a_record_error(filled: Path) -> None:
    with closing(sqlite3.connect(filled)) as connection:
        connection.execute("update observations set vars = '[' where id = 1")
        connection.execute("update sources set blob = x'00' where rowid = 2")
        connection.commit()
    errors = 0
    with Store.open_readonly(filled) as store:
        for entry in store.entries():
            assert isinstance(entry, Entry)
            try:
                store.observations(entry.digest)
            except RecordError:
                errors += 1
    assert errors == 2


def test_a_locked_file_says_so(filled: Path, record: Make) -> None:
    with Store.open(filled, timeout=0.05) as store, closing(sqlite3.connect(filled)) as other:
        other.execute("begin immediate")
        with pytest.raises(StoreLockedError, match="locked by another process"):
            store.add([parse_capture(record())])
        other.rollback()
        assert store.add([parse_capture(record("9 9 MUL"))]).records == 1


def test_reading_leaves_no_files_and_changes_none(filled: Path, record: Make) -> None:
    before = filled.read_bytes()
    assert len(entries(filled)) == 20
    assert filled.read_bytes() == before
    with Store.open(filled) as store:  # now in WAL mode, and closed without settling
        store.add([parse_capture(record("7 7 MUL"))])
    assert len(entries(filled)) == 21
    assert os.listdir(filled.parent) == [filled.name]


def test_reading_while_another_process_writes(path: Path, record: Make) -> None:
    with Store.open(path) as writer:
        writer.add([parse_capture(record("1 2 ADD"))])
        with Store.open_readonly(path) as reader:
            assert len(list(reader.entries())) == 1
            writer.add([parse_capture(record("3 4 ADD"))])
            assert len(list(reader.entries())) == 2


@pytest.fixture
def next_layout(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The program of tomorrow: a second step that adds a column."""
    tomorrow = Migrations("process-replay")
    tomorrow(name="1")(stores._first_layout)

    @tomorrow(name="2")
    def second(database: Database) -> None:
        database.execute("alter table records add column note text default 'none'")

    with monkeypatch.context() as patched:
        patched.setattr(stores, "MIGRATIONS", tomorrow)
        yield


def test_an_older_file_is_updated_in_memory_for_reading(filled: Path, next_layout: None) -> None:
    before = filled.read_bytes()
    with Store.open_readonly(filled) as store:
        assert len(list(store.entries())) == 20
        assert store._rows("select distinct note from records") == [("none",)]
    assert filled.read_bytes() == before


def test_an_older_file_is_updated_on_disk_for_writing(filled: Path, next_layout: None) -> None:
    Store.open(filled).close()
    with Store.open_readonly(filled) as store:
        assert store._rows("select count(*) from records where note = 'none'") == [(20,)]
    with Store.open(filled) as store:
        assert store.stats()["records"] == 20
