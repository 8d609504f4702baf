"""A real store for each test: an SQLite file, and a schema of a real PostgreSQL server where one is installed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy import BigInteger, Column, Connection, Table, Text

from aggregator.store import database, migrations, schema
from aggregator.store.database import Store
from tests.support.servers import PostgreSQL, running_postgresql

NUMBERS = count(1)


@pytest.fixture
def state(tmp_path: Path) -> str:
    """An SQLite store that is not there yet."""
    return str(tmp_path / "state" / "store.db")


@pytest.fixture(params=["sqlite", "postgresql"])
def any_state(request: pytest.FixtureRequest) -> str:
    """A store that is not there yet, of either kind."""
    name = "state" if request.param == "sqlite" else "server_state"
    return str(request.getfixturevalue(name))


@pytest.fixture
def server_state(postgresql: PostgreSQL) -> str:
    """A fresh schema of the server."""
    return postgresql.make_schema(f"store_{next(NUMBERS)}")


@pytest.fixture
def store(any_state: str) -> Iterator[Store]:
    """An open store of either kind."""
    with database.open_store(any_state) as opened:
        yield opened


@pytest.fixture
def next_version(monkeypatch: pytest.MonkeyPatch) -> Iterator[Table]:
    """The program of a made-up next version: a new table, a column whose values follow from old ones, one step."""

    def add_colours(connection: Connection) -> None:
        table.create(connection)
        connection.exec_driver_sql("ALTER TABLE poll_days ADD COLUMN mean INTEGER")
        connection.exec_driver_sql("UPDATE poll_days SET mean = milliseconds / answers WHERE answers > 0")

    table = Table("colours", schema.metadata, Column("checksum", BigInteger), Column("feed", Text, primary_key=True))
    monkeypatch.setattr(schema, "VERSION", schema.VERSION + 1)
    monkeypatch.setattr(migrations, "STEPS", (*migrations.STEPS, add_colours))
    yield table
    schema.metadata.remove(table)


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgreSQL]:
    """A server that is ours alone."""
    with running_postgresql("-F") as server:
        yield server
