"""A workspace of sources on loopback that change from round to round, and the real program that refreshes from them."""

from __future__ import annotations

import gzip
import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from xml.etree import ElementTree as ET

from tests.support.config import Keys, make_feed, write_config
from tests.support.origin import Site, serving
from tests.support.program import PLAIN, PROGRAM, run_program
from tests.support.rss import Episode

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
LISTED = 12
"""How many items a listing shows: older ones have left it and must stay in the feed."""

NOUNS = (
    *("Harbour", "Lantern", "Glacier", "Violin", "Pepper", "Orchard", "Compass", "Thunder", "Velvet", "Marble"),
    *("Saffron", "Tunnel", "Beacon", "Walnut", "Ribbon", "Meadow", "Copper", "Falcon", "Island", "Mirror"),
)


@dataclass
class Workspace(Site):
    """A site whose documents change from round to round, and a folder in which the program is at work."""

    folder: Path
    started: list[subprocess.Popen[str]] = field(default_factory=list)

    def config(
        self, *names: str, more: Mapping[str, Keys] = {}, whole: Mapping[str, object] = {}, **keys: object
    ) -> Path:
        """Write a config of one feed with sources of these names, at paths of their names.

        ``more`` are other sources, ``whole`` other keys of the config, the rest are keys of the feed.
        """
        sources = {name: self.source(f"/{name}") for name in names} | more
        return write_config(self.folder, {"show": make_feed(sources=sources, **{"window": 0, **keys})}, **whole)

    def start(self, *words: str, before: tuple[str, ...] = ()) -> subprocess.Popen[str]:
        """The program at work in the workspace's folder, in a process group of its own."""
        child = subprocess.Popen(
            [*before, *PROGRAM, *words],
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env={**os.environ, **PLAIN, "PYTHONUNBUFFERED": "1"},
        )
        self.started.append(child)
        return child

    def run(self, *words: str, before: tuple[str, ...] = (), seconds: float = 300) -> subprocess.CompletedProcess[str]:
        """The program run to its end; whatever it started has ended with it."""
        if before:
            child = self.start(*words, before=before)
            out, err = child.communicate(timeout=seconds)
            done = subprocess.CompletedProcess(words, child.returncode, out, err)
        else:
            done = run_program(self.folder, *words, seconds=seconds)
        self.alone()
        return done

    def refresh(self, at: datetime, *words: str) -> subprocess.CompletedProcess[str]:
        return self.run("refresh", "--quiet", "--force", "--at", format_time(at), *words)

    def alone(self, seconds: float = 180) -> None:
        """Checks that no process is left that was started in the folder."""
        end = time.monotonic() + seconds
        while left := find_processes(self.folder):
            assert time.monotonic() < end, f"still at work: {left}"
            time.sleep(0.02)

    @property
    def output(self) -> Path:
        return self.folder / "output"

    def items(self, feed: str = "show") -> list[dict[str, object]]:
        """What is published, newest first; empty before the first publication."""
        path = self.output / feed / "feed.json"
        return json.loads(path.read_bytes())["items"] if path.exists() else []


@contextmanager
def open_workspace(folder: Path, host: str = "127.0.0.1") -> Iterator[Workspace]:
    with serving(Workspace(folder=folder), host) as opened:
        try:
            yield opened
        finally:
            opened.door.set()
            for child in opened.started:
                kill(child)


def format_time(at: datetime) -> str:
    return f"{at:%Y-%m-%dT%H:%M:%SZ}"


def find_processes(folder: Path) -> list[str]:
    """The processes, by their command lines, that stand in the folder; those that have ended do not count."""
    found = []
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            try:
                if (place / "cwd").readlink() == folder:
                    found.append(f"{place.name} {(place / 'cmdline').read_bytes().replace(bytes(1), b' ')!r}")
            except OSError:
                continue
    return found


def kill(child: subprocess.Popen[str]) -> None:
    """kill -9; a child that has ended already is let be. What it started holds its output a little longer."""
    child.send_signal(signal.SIGKILL)
    child.communicate(timeout=180)


def make_item(
    number: int, *, source: str = "host", name: str | None = None, text: str = "", day: int | None = None
) -> str:
    """Return an item: the host knows guid and time, another source only an id of its own and the day."""
    at = NOON - timedelta(days=400 - (number if day is None else day))
    host = source == "host"
    return Episode(
        guid=f"host-{number}" if host else f"https://{source}.example/{number * 7}",
        title=name or make_title(number),
        at=at if host else at.replace(hour=0, minute=0, second=0),
        text=text or f"What was said of {', '.join(random.Random(number).sample(NOUNS, 9)).lower()}.",
        audio=f"https://media.example/{number}.mp3",
        size=1,
    ).to_xml()


def make_title(number: int, version: int = 0) -> str:
    dice = random.Random(number)
    again = " again" * version
    return f"{dice.choice(NOUNS)} and {dice.choice(NOUNS).lower()} number {number}{again}"


def check_published(workspace: Workspace) -> None:
    """Checks that no published file is torn, that packed ones are of the plain ones, and that the store is sound."""
    for path in workspace.output.rglob("*") if workspace.output.exists() else ():
        if path.is_dir() or path.name.startswith("."):
            continue
        body = path.read_bytes()
        if path.suffix == ".gz":
            assert gzip.decompress(body) == path.with_suffix("").read_bytes(), path
        elif path.suffix in {".xml", ".atom", ".opml"}:
            ET.fromstring(body)  # noqa: S314 - written by ourselves
        elif path.suffix == ".json":
            json.loads(body)
        elif path.suffix == ".html":
            assert body.rstrip().endswith(b"</html>"), path
    store = workspace.folder / "store.db"
    if store.exists():
        connection = sqlite3.connect(store, timeout=30)
        try:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        finally:
            connection.close()


def read_guids(workspace: Workspace, feed: str = "show") -> dict[str, str]:
    """The guid of each published item by its audio, which no round changes; no item stands twice."""
    items = workspace.items(feed)
    found = {each["attachments"][0]["url"]: each["id"] for each in items}
    assert len(found) == len(items), "an item twice"
    assert len(set(found.values())) == len(items), "a guid twice"
    return found


def check_no_leftovers(workspace: Workspace) -> None:
    """Checks that nothing is left over beside the published files."""
    assert [path.name for path in workspace.output.rglob(".*")] == []


class Peak:
    """The most memory, in megabytes, that a process has held, watched until it ends.

    ``ru_maxrss`` will not do: Linux hands the memory of whoever started a process on to it.
    """

    def __init__(self, number: int) -> None:
        self.megabytes = 0.0
        self._status = Path(f"/proc/{number}/status")
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        with suppress(OSError):
            while found := re.search(r"VmHWM:\s+(\d+)", self._status.read_text("ascii", "replace")):
                self.megabytes = int(found[1]) / 1024
                time.sleep(0.02)

    def seen(self) -> float:
        """The most, once the process has ended."""
        self._thread.join(60)
        return self.megabytes
