"""A real store for each test: an SQLite file, and a database of a real PostgreSQL server where one is installed."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import psycopg
import pytest

from aggregator.store import database
from aggregator.store.database import Store
from tests.support.tools import miss

ANSWERS_WITHIN_SECONDS = 30
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
def server_state(postgresql: str) -> str:
    """A fresh database of the server."""
    name = f"store_{next(NUMBERS)}"
    with psycopg.connect(f"host={postgresql} user=tester dbname=postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} STRATEGY wal_log".encode())
    return f"postgresql://tester@/{name}?host={postgresql}"


@pytest.fixture
def store(any_state: str) -> Iterator[Store]:
    """An open store of either kind."""
    with database.open_store(any_state) as opened:
        yield opened


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """The folder of the socket of a server that is ours alone; it runs as a user who is not root."""
    programs = _programs()
    if programs is None:
        miss("PostgreSQL's server is not installed")
    folder = Path(tempfile.mkdtemp(prefix="store-postgresql-"))
    become: list[str | Path] = []
    if os.geteuid() == 0:
        user = _somebody()
        shutil.chown(folder, user)
        become = ["runuser", "-u", user, "--"]
    try:
        data, options = folder / "data", ("-U", "tester", "--auth=trust", "-E", "UTF8", "-N")
        begin = [*become, programs / "initdb", "-D", data, *options]
        subprocess.run(begin, check=True, capture_output=True, cwd="/")
        serve = [*become, programs / "postgres", "-D", data, "-k", folder, "-h", "", "-F"]
        with subprocess.Popen(serve, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/") as server:
            try:
                _wait(folder)
                yield str(folder)
            finally:
                stop = [*become, programs / "pg_ctl", "-D", data, "-m", "immediate", "stop"]
                subprocess.run(stop, check=False, capture_output=True, cwd="/", timeout=60)
                server.kill()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _programs() -> Path | None:
    """Where the server's programs are: Debian keeps them off the path, one folder a version."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    on_path = shutil.which("initdb")
    return found[-1].parent if found else Path(on_path).resolve().parent if on_path else None


def _somebody() -> str:
    """A user for the server, which refuses to run as root."""
    names = {each.pw_name for each in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


def _wait(folder: Path) -> None:
    """Until the server answers."""
    end = time.monotonic() + ANSWERS_WITHIN_SECONDS
    while True:
        try:
            psycopg.connect(f"host={folder} user=tester dbname=postgres").close()
        except psycopg.OperationalError:
            assert time.monotonic() < end, "the server does not answer"
            time.sleep(0.1)
        else:
            return
