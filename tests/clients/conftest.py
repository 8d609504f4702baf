"""What the real clients need: the programs, a server of published files, a server of sound, a place for pictures."""

from __future__ import annotations

import os
import socket
import struct
import subprocess
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
import uvicorn

from aggregator.service import web
from tests.support import sample_feed
from tests.support.origin import Request, answer, playing
from tests.support.tools import need
from tests.support.web import Media, Served

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def program() -> Callable[[str], str]:
    return need


@pytest.fixture(scope="session")
def made() -> ModuleType:
    return sample_feed


@pytest.fixture(scope="session")
def artefacts() -> Path:
    folder = Path(os.environ.get("AGGREGATOR_ARTEFACTS") or HERE / "artefacts")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """An empty output folder, served by the program's own server on loopback."""
    listener = socket.create_server(("127.0.0.1", 0))
    folder = tmp_path / "output"
    folder.mkdir()
    config = uvicorn.Config(web.app(folder), log_level="error", access_log=False, timeout_graceful_shutdown=2)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    yield Served(folder, f"http://127.0.0.1:{listener.getsockname()[1]}")
    server.should_exit = True
    thread.join(60)
    listener.close()


def tone(seconds: float = 1.0) -> bytes:
    """A WAV file of silence: 8 kHz, 8 bit, one channel."""
    sound = b"\x80" * int(8000 * seconds)
    shape = struct.pack(
        "<4sI4s4sIHHIIHH4sI",
        b"RIFF",
        36 + len(sound),
        b"WAVE",
        b"fmt ",
        16,
        1,
        1,
        8000,
        8000,
        1,
        8,
        b"data",
        len(sound),
    )
    return shape + sound


@pytest.fixture
def media() -> Iterator[Media]:
    """Sound at every path, on another origin than the feeds; 3 s, so that AntennaPod's least size is passed."""
    asked: Counter[str] = Counter()
    body = tone(3)

    def play(request: Request) -> bytes:
        if request.method == "HEAD":
            return answer(200, b"", ("Content-Type", "audio/x-wav"), length=len(body))
        asked[request.path] += 1
        return answer(200, body, ("Content-Type", "audio/x-wav"))

    with playing(play) as origin:
        yield Media(origin.url(""), asked)


@pytest.fixture
def gpo(program: Callable[[str], str], tmp_path: Path) -> Callable[..., str]:
    """Runs one command of ``gpo`` in a home of its own and gives what it printed."""
    path = program("gpo")
    environment = {**os.environ, "GPODDER_HOME": str(tmp_path / "gpodder"), "LANG": "C.UTF-8", "HOME": str(tmp_path)}

    def run(*words: str) -> str:
        done = subprocess.run(
            [path, *words],
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=True,
            stdin=subprocess.DEVNULL,
        )
        return done.stdout

    return run
