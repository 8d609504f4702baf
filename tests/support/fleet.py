"""Many feeds of a polite origin, refreshed by real dispatchers and workers, or by one process on SQLite."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support import fleet_origin
from tests.support.config import make_feed, write_config
from tests.support.program import PLAIN, list_forked_words, run_program


@dataclass
class Fleet:
    """A folder with configs, the port of the origin, and the processes that were started."""

    folder: Path
    port: int
    started: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def ask(self, path: str) -> Any:
        """Ask the origin for something of the test's own."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/{path}") as answer:
            body = answer.read()
        return json.loads(body) if body else None

    def config(self, name: str, state: str, *, feeds: int, hosts: int = 50, **keys: object) -> Path:
        """Write a config of so many feeds with two sources each, on so many hosts; its output folder has its name."""
        shows = {}
        for number in range(feeds):
            base, other = (f"http://127.{net}.{1 + number % hosts}.1:{self.port}/show-{number}" for net in (0, 1))
            sources = {"host": f"{base}/host", "directory": f"{other}/directory"}
            shows[f"show-{number}"] = make_feed(f"Show {number}", sources, refresh="0 * * * *")
        return write_config(
            self.folder, shows, name=f"{name}.yaml", state=state, **{"output": f"output-{name}", **keys}
        )

    def start(self, *words: str, program: Sequence[str] = ()) -> subprocess.Popen[bytes]:
        """Start the program; what it prints goes to a file beside the configs."""
        command = [*(program or list_forked_words()), *words]
        environment = {**os.environ, **PLAIN, "PYTHONUNBUFFERED": "1"}
        with (self.folder / f"log-{len(self.started)}").open("wb") as log:
            child = subprocess.Popen(command, cwd=self.folder, stdout=log, stderr=subprocess.STDOUT, env=environment)
        self.started.append(child)
        return child

    def workers(
        self, config: Path, count: int, threads: int = 2, program: Sequence[str] = ()
    ) -> list[subprocess.Popen[bytes]]:
        """Start workers."""
        words = ("worker", "-c", config.name, "--threads", f"{threads}")
        return [self.start(*words, program=program) for _ in range(count)]

    def dispatch(self, config: Path, now: int, *, seconds: float = 300) -> None:
        """Set the round of the origin, and have all that is due in it refreshed."""
        self.ask(f"round/{now}")
        done = run_program(
            self.folder, "dispatch", "-c", config.name, "--once", "--at", round_time(now), seconds=seconds
        )
        assert done.returncode == 0, done.stderr

    def refresh(self, config: Path, now: int) -> None:
        """Set the round of the origin, and refresh all feeds in one process."""
        self.ask(f"round/{now}")
        words = ("refresh", "-q", "-c", config.name, "--at", round_time(now))
        done = run_program(self.folder, *words, seconds=1800)
        assert done.returncode == 0, done.stderr

    def output(self, name: str) -> dict[str, str]:
        """The digest of each published file."""
        folder = self.folder / f"output-{name}"
        files = [path for path in folder.rglob("*") if path.is_file()]
        return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}

    def logs(self) -> str:
        """All that was printed by what was started."""
        return "\n".join(path.read_text() for path in sorted(self.folder.glob("log-*")))


def round_time(now: int) -> str:
    """The clock of a round: one an hour."""
    return f"2024-05-{1 + (12 + now) // 24:02}T{(12 + now) % 24:02}:10:00Z"


def kill(child: subprocess.Popen[bytes]) -> None:
    """kill -9."""
    with suppress(ProcessLookupError):
        child.kill()
    child.wait(180)


@contextmanager
def running_fleet(folder: Path) -> Iterator[Fleet]:
    """Give a fleet with its origin; all that it started is killed at the end."""
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, str(Path(fleet_origin.__file__))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as origin:
        assert origin.stdout is not None
        assert origin.stdin is not None
        fleet = Fleet(folder, int(origin.stdout.readline()))
        try:
            yield fleet
        finally:
            for child in fleet.started:
                kill(child)
            origin.stdin.close()
    shutil.rmtree(folder, ignore_errors=True)
