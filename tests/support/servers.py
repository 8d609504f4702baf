"""Real servers of our own: PostgreSQL and Redis, which can be killed and started again."""

from __future__ import annotations

import os
import pwd
import re
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psycopg

from tests.support.ports import find_port
from tests.support.tools import miss, need_s3rver
from tests.support.waiting import wait_for
from tests.support.web import ask

ANSWERS_WITHIN_SECONDS = 120

_END_OTHERS = b"""
SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
"""


class PostgreSQL:
    """A server in a folder, which is reached at a socket there; it runs as a user who is not root."""

    def __init__(self, folder: Path, *settings: str) -> None:
        """Make its files; ``settings`` are in the words of its command line."""
        programs = _find_programs()
        if programs is None:
            miss("PostgreSQL's server is not installed")
        self.folder, self._programs, self._settings = folder, programs, settings
        self._server: subprocess.Popen[bytes] | None = None
        self._become: list[str | Path] = []
        if os.geteuid() == 0:
            user = _find_user()
            shutil.chown(folder, user)
            self._become = ["runuser", "-u", user, "--"]
        options = ("-U", "tester", "--auth=trust", "-E", "UTF8", "-N")
        begin = [*self._become, programs / "initdb", "-D", folder / "data", *options]
        subprocess.run(begin, check=True, capture_output=True, cwd="/")

    def start(self) -> None:
        """Start it, and wait until it answers."""
        serve = [*self._become, self._programs / "postgres", "-D", self.folder / "data", "-k", self.folder, "-h", ""]
        self._server = subprocess.Popen(
            [*serve, *self._settings], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/"
        )
        end = time.monotonic() + ANSWERS_WITHIN_SECONDS
        while True:
            try:
                psycopg.connect(f"host={self.folder} user=tester dbname=postgres").close()
            except psycopg.OperationalError:
                assert time.monotonic() < end, "the server does not answer"
                time.sleep(0.1)
            else:
                return

    def kill(self) -> None:
        """End it at once, as a power cut does; it recovers at its next start."""
        stop = [*self._become, self._programs / "pg_ctl", "-D", self.folder / "data", "-m", "immediate", "stop"]
        subprocess.run(stop, check=False, capture_output=True, cwd="/", timeout=60)
        if self._server is not None:
            self._server.kill()
            self._server.wait()

    def make_schema(self, name: str) -> str:
        """Make a schema and return the address of a store in it: as empty as a new database, made 30 times as fast.

        What is connected still to the store of another test is ended: its locks would hold for this one, too.
        """
        with psycopg.connect(f"host={self.folder} user=tester dbname=postgres", autocommit=True) as connection:
            connection.execute(_END_OTHERS)
            connection.execute(f"CREATE SCHEMA {name}".encode())
        return f"postgresql://tester@/postgres?host={self.folder}&options=-csearch_path%3D{name}"

    def make_database(self, name: str) -> str:
        """Make a database and return the address of a store in it."""
        with psycopg.connect(f"host={self.folder} user=tester dbname=postgres", autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} STRATEGY wal_log".encode())
        return f"postgresql://tester@/{name}?host={self.folder}"


@contextmanager
def running_postgresql(*settings: str) -> Iterator[PostgreSQL]:
    """Give a server that has been started."""
    folder = Path(tempfile.mkdtemp(prefix="store-postgresql-"))
    try:
        server = PostgreSQL(folder, *settings)
        try:
            server.start()
            yield server
        finally:
            server.kill()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class Redis:
    """A server on a port of its own that keeps nothing."""

    def __init__(self, password: str = "") -> None:
        """Choose the port."""
        if shutil.which("redis-server") is None:
            miss("Redis is not installed")
        self.port = find_port()
        self._password = password
        self.address = f"redis://127.0.0.1:{self.port}/0"
        self._server: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it empty, and wait until it answers."""
        words = ("--port", f"{self.port}", "--bind", "127.0.0.1", "--save", "", "--appendonly", "no")
        words += ("--requirepass", self._password) if self._password else ()
        self._server = subprocess.Popen(["redis-server", *words], stdout=subprocess.DEVNULL, cwd="/tmp")  # noqa: S108
        end = time.monotonic() + ANSWERS_WITHIN_SECONDS
        while True:
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1):
                return
            assert time.monotonic() < end, "Redis does not answer"
            time.sleep(0.05)

    def kill(self) -> None:
        """End it at once; what it had is gone."""
        if self._server is not None:
            self._server.kill()
            self._server.wait()


@contextmanager
def running_redis(password: str = "") -> Iterator[Redis]:
    """Give a server that has been started."""
    server = Redis(password)
    try:
        server.start()
        yield server
    finally:
        server.kill()


class S3:
    """A server that stores objects in a folder as S3 does, with a bucket ``feeds``."""

    def __init__(self, folder: Path) -> None:
        """Say where its objects are, and start it."""
        self._folder, self._log, self._port = folder, folder.with_name(f"{folder.name}.log"), find_port()
        self._looked = 0
        self.start()

    def start(self) -> None:
        """Start it, again at the same port, and wait until it says it."""
        words = ("-d", self._folder, "--address", "127.0.0.1", "--port", f"{self._port}", "--configure-bucket", "feeds")
        with self._log.open("w") as log:
            self._server = subprocess.Popen(["node", need_s3rver(), *words], stdout=log, stderr=subprocess.STDOUT)
        end = time.monotonic() + ANSWERS_WITHIN_SECONDS
        while f":{self._port}\n" not in self._log.read_text():
            assert time.monotonic() < end, "the server does not answer"
            time.sleep(0.05)
        self.environment = {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self._port}",
            "AWS_ALLOW_HTTP": "true",
            "AWS_ACCESS_KEY_ID": "S3RVER",
            "AWS_SECRET_ACCESS_KEY": "S3RVER",
        }

    def log(self) -> str:
        """The requests so far, one a line.

        The server writes the line of a request after its answer: a request of our own, left out here, comes last.
        """
        self._looked += 1
        ours = f"/log-{self._looked} "
        ask(self._port, f"/feeds{ours.strip()}")
        lines = wait_for(lambda: log if ours in (log := self._log.read_text()) else "").splitlines(keepends=True)
        return "".join(line for line in lines if re.search(r"/log-\d+ ", line) is None)

    def place(self, key: str) -> Path:
        """Where the content of an object is."""
        return self._folder / "feeds" / f"{key}._S3rver_object"

    def read(self, prefix: str = "") -> dict[str, bytes]:
        """The content of each object whose key begins so."""
        ending, bucket = "._S3rver_object", self._folder / "feeds"
        found = {str(path.relative_to(bucket)).removesuffix(ending): path for path in bucket.rglob(f"*{ending}")}
        return {key: path.read_bytes() for key, path in found.items() if key.startswith(prefix)}

    def stop(self) -> None:
        """End it."""
        self._server.kill()
        self._server.wait()


@contextmanager
def running_s3(folder: Path) -> Iterator[S3]:
    """Give a server that has been started."""
    server = S3(folder)
    try:
        yield server
    finally:
        server.stop()


def _find_programs() -> Path | None:
    """Where the server's programs are: Debian keeps them off the path, one folder a version."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    on_path = shutil.which("initdb")
    return found[-1].parent if found else Path(on_path).resolve().parent if on_path else None


def _find_user() -> str:
    """A user for the server, which refuses to run as root."""
    names = {each.pw_name for each in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"
