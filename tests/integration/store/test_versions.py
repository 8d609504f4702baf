"""Stores of other versions: each released one is opened, migrated, backed up and restored; a newer one is refused."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import Connection, Table, select

from aggregator.errors import DamagedError, StoreError
from aggregator.model.item import Item
from aggregator.store import database, examine, migrations, schema
from aggregator.store.backup import back_up_daily, backup, find_newest_good, restore
from aggregator.store.connection import damaged
from aggregator.store.facts import read_fact, write_fact
from aggregator.store.items import FeedItems
from tests.support import recorded_store

NOON = datetime(2024, 3, 9, 12, tzinfo=UTC)
KEPT = {
    "entries": [
        (f"{source}/{key}", f"Tide {key} \0 \u6e2f", f"https://{source}.example/{key}.mp3")
        for source in ("host", "shop")
        for key in (1, 2, "a", "x" * 300)
    ],
    "guids": [
        ("tag:harbour.example,2024:1", NOON, ("host/1", "shop/a")),
        ("\u6e2f-2", NOON + timedelta(days=7), ("host/2",)),
    ],
    "decisions": [("different", "host/1", "shop/x")],
    "overrides": [("tag:harbour.example,2024:1", "title", "Low tide, again")],
    "guid": "9b2f4c1e-0000-5000-8000-000000000001",
    "fact": b"\x00\xff",
    "etags": ['"1"', '"1"'],
}
RECORDED = recorded_store.list_versions()


def read(state: str) -> dict[str, object]:
    with database.open_store(state) as store:
        return recorded_store.read_kept(store)


def read_version(path: Path) -> str:
    with closing(sqlite3.connect(path)) as connection:
        return str(connection.execute("SELECT value FROM meta WHERE name = 'schema'").fetchone()[0])


def test_the_tables_are_those_that_were_released(state: str) -> None:
    """Whoever changes a table writes a step, records a store, and leaves the older ones as they are."""
    recorded = Path(state).with_name("recorded.db")
    recorded_store.make(schema.VERSION, recorded)
    with database.open_store(state):
        assert list_tables(state) == list_tables(str(recorded))
    assert len(migrations.STEPS) + 1 == schema.VERSION == max(RECORDED)


def list_tables(state: str) -> list[str]:
    with closing(sqlite3.connect(state)) as connection:
        found = connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name")
        return [" ".join(text.split()) for (text,) in found]


def test_a_recorded_store_has_rows_in_every_table(tmp_path: Path) -> None:
    recorded_store.record(file := tmp_path / "now.sql")
    for text in (file.read_text(), (recorded_store.FOLDER / f"store-{schema.VERSION}.sql").read_text()):
        assert [name for name in schema.metadata.tables if f'INSERT INTO "{name}"' not in text] == []


@pytest.mark.parametrize("version", RECORDED)
def test_a_store_of_each_version_is_opened_and_restored(version: int, state: str, tmp_path: Path) -> None:
    recorded_store.make(version, Path(state))
    recorded_store.make(version, copy := tmp_path / "copy.db")
    assert list(examine.find_damage_of_store(state)) == []
    assert read(state) == KEPT
    restore(state, copy)
    assert read(state) == KEPT


@pytest.mark.parametrize("version", RECORDED)
def test_a_store_of_each_version_is_migrated_backed_up_and_restored(
    version: int, state: str, tmp_path: Path, next_version: Table
) -> None:
    recorded_store.make(version, Path(state))
    assert list(examine.find_damage_of_store(state)) == []
    backup(state, tmp_path / "before.db")
    back_up_daily(state, NOON, 7)
    assert read_version(tmp_path / "before.db") == str(version)
    assert read(state) == KEPT
    assert read_version(Path(state)) == str(schema.VERSION)
    for copy in (tmp_path / "before.db", Path(f"{state}.version-{version}"), find_newest_good(state)):
        assert copy is not None
        Path(state).unlink()
        restore(state, copy)
        assert read(state) == KEPT
        with database.open_store(state) as store, database.reading(store) as connection:
            assert connection.execute(select(next_version)).all() == []
            assert set(connection.exec_driver_sql("SELECT mean FROM poll_days").scalars()) == {80}


def test_an_older_backup_is_restored_into_a_server(server_state: str, tmp_path: Path, next_version: Table) -> None:
    recorded_store.make(1, copy := tmp_path / "copy.db")
    restore(server_state, copy)
    assert read(server_state) == KEPT
    with database.open_store(server_state) as store, database.reading(store) as connection:
        assert connection.execute(select(next_version)).all() == []


def test_the_items_of_version_1_are_those_of_the_next_publication(state: str) -> None:
    recorded_store.make(1, Path(state))
    with database.open_store(state) as store:
        published = FeedItems(store, "harbour")
        known, new = (Item("Low tide", ("host/1",), guid=guid) for guid in ("tag:harbour.example,2024:1", "new"))
        assert (published.read(), published.find(known.guid)) == ((), None)
        assert published.remove_others([known.guid]) == ()
        assert published.write([known, new]) == [(None, new)]
        assert published.write([known, new]) == []
        assert published.find(known.guid) == known


def damage_pages(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[4096 * 4 : 4096 * 12] = bytes(4096 * 8)
    path.write_bytes(content)


def damage_a_row(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE guids SET record = replace(record, '2024', '2023')")


def check_store(state: str) -> None:
    for line in examine.find_damage_of_store(state):
        raise damaged(state, line)


@pytest.mark.parametrize("damage", [damage_pages, damage_a_row])
@pytest.mark.usefixtures("next_version")
def test_damage_of_an_older_store_is_told_and_the_copy_before_is_named(
    damage: Callable[[Path], None], state: str, tmp_path: Path
) -> None:
    recorded_store.make(1, Path(state))
    back_up_daily(state, NOON, 7)
    recorded_store.make(1, copy := tmp_path / "copy.db")
    for path in (Path(state), copy):
        damage(path)
    with pytest.raises(DamagedError, match=rf"^{copy}: is damaged \([^\n]+\), and was not restored$") as caught:
        restore(state, copy)
    assert find_newest_good(caught.value.store) == Path(f"{state}.backup-2024-03-09")
    with pytest.raises(DamagedError, match=rf"^{state}: is damaged \([^\n]+\)$"):
        backup(state, tmp_path / "other.db")
    with pytest.raises(DamagedError, match=rf"^{state}: is damaged \([^\n]+\)$"):
        back_up_daily(state, NOON + timedelta(days=1), 7)
    with pytest.raises(DamagedError, match=rf"^{state}: is damaged \([^\n]+\)$"):
        check_store(state)


def test_a_newer_store_is_refused_by_an_older_program(
    any_state: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as newer:
        newer.setattr(schema, "VERSION", schema.VERSION + 1)
        with database.open_store(any_state) as store:
            write_fact(store, "show", "x", b"1")
        backup(any_state, copy := tmp_path / "copy.db")
    with pytest.raises(StoreError, match=r"^[^\n]+ newer version[^\n]+$"), database.open_store(any_state):
        pass
    with pytest.raises(StoreError, match=r"^[^\n]+ newer version[^\n]+$"):
        list(examine.find_damage_of_store(any_state))
    state = str(tmp_path / "other.db")
    with pytest.raises(StoreError, match=rf"^{copy}: was written by a newer version[^\n]+$"):
        restore(state, copy)
    assert not Path(state).exists()
    with pytest.raises(StoreError, match=r"^[^\n]+ newer version[^\n]+$"):
        backup(any_state, tmp_path / "third.db")


def test_a_store_of_before_the_first_release_is_told_what_to_do(any_state: str) -> None:
    with database.open_store(any_state) as store, database.writing(store) as connection:
        is_version = schema.meta.c.name == "schema"
        connection.execute(schema.meta.update().where(is_version).values(name="version", value="4"))
    expected = r"^[^\n]+ before the first release [^\n]+ refresh --new [^\n]+$"
    with pytest.raises(StoreError, match=expected), database.open_store(any_state):
        pass


@pytest.mark.usefixtures("next_version")
def test_a_step_that_fails_leaves_the_old_store(state: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def drop_facts(connection: Connection) -> None:
        connection.exec_driver_sql("DROP TABLE facts")
        connection.exec_driver_sql("SELECT nonsense")

    recorded_store.make(1, Path(state))
    with monkeypatch.context() as broken:
        broken.setattr(migrations, "STEPS", (*migrations.STEPS, drop_facts))
        with pytest.raises(StoreError, match=r"nonsense"), database.open_store(state):
            pass
    assert read_version(Path(state)) == "1"
    with database.open_store(state) as store:
        assert read_fact(store, "harbour", "match/table") == b"\x00\xff"
