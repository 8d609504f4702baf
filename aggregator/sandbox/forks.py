"""Run tasks in forks of a template process that are killed when one costs too much: its task fails, nothing else.

The template (`template`) imports the modules of the tasks and has no threads, so that a fork of it is safe and takes
milliseconds. It is given no task and no environment, which a hostile document might read. A task and what becomes of it
are bytes in one file without a name; nothing that a fork writes is unpickled.
"""

from __future__ import annotations

import atexit
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from typing import IO

import msgspec
from msgspec import Struct

HEAD = 512
"""Bytes at the beginning of the file: what the fork is at work on, for the message if it is killed."""

_LENGTH = 8
"""Bytes before each message that say how long it is."""

OUT_OF_MEMORY = 3
"""Exit code of a fork that took more memory than it may."""

_NO_STATUS = 2
"""In place of the exit code of a fork whose template has ended."""

_START_SECONDS = 120.0
"""For the template to start, on a machine that is busy, and to fork."""

_KILL_SECONDS = 10.0
"""For the template to kill a fork and to say so."""

_CRASHES = {-signal.SIGSEGV, -signal.SIGABRT, -signal.SIGBUS, -signal.SIGILL, -signal.SIGFPE}


class Limits(Struct, frozen=True):
    """Most that one task may cost: processor and wall seconds, megabytes above the template."""

    cpu_seconds: int
    wall_seconds: float
    megabytes: int


class Order(Struct, frozen=True):
    """A task with its limits, as the fork reads it."""

    limits: Limits
    task: bytes


class ForkError(Exception):
    """A fork did not do its task; ``at`` is what it was at work on, empty if that is not known."""

    def __init__(self, why: str, at: str = "") -> None:
        """Say why, in the words that follow the subject."""
        super().__init__(why)
        self.at = at


class Forks:
    """Forks of one template, which is started when needed and ends with this process; for use in several threads."""

    def __init__(self, *modules: str) -> None:
        """Start no process yet; each of the modules has ``run(task, out, note)``, which a fork calls."""
        self._modules = modules
        self._lock = threading.Lock()
        self._line: socket.socket | None = None

    def load(self, module: str) -> None:
        """Have the template import a module, so that it is ready when it is needed."""
        self._send(module, [])

    def run(self, module: str, task: bytes, limits: Limits) -> IO[bytes]:
        """Have a fork do the task, and return the file at the beginning of what it wrote; raise ForkError."""
        file = open_file()
        try:
            _write_all(file.fileno(), msgspec.msgpack.encode(Order(limits, task)))
            self._fork(module, file.fileno(), limits)
            file.seek(HEAD)
        except ForkError:
            file.close()
            raise
        return file

    def _fork(self, module: str, file: int, limits: Limits) -> None:
        """Have a fork do the task of the file; raise ForkError."""
        status = self._wait(module, file, limits)
        if status != 0:
            note = os.pread(file, HEAD, 0).rstrip(b"\0").decode("utf-8", "replace")
            raise ForkError(_explain(status, limits), note)

    def _wait(self, module: str, file: int, limits: Limits) -> int | None:
        """Return the exit code of a fork; ``None`` if it took too long."""
        ours, theirs = socket.socketpair()
        with ours:
            with theirs:
                self._send(module, [theirs.fileno(), file])
            try:
                ours.settimeout(_START_SECONDS)
                ours.recv(1)  # it was forked
                ours.settimeout(limits.wall_seconds)
                return int(ours.recv(16) or _NO_STATUS)
            except TimeoutError:
                ours.shutdown(socket.SHUT_WR)  # then the template kills the fork
                ours.settimeout(_KILL_SECONDS)
                with suppress(TimeoutError):
                    ours.recv(16)
                return None

    def _send(self, module: str, files: list[int]) -> None:
        """Name a module to the template, with the files of a new fork; it is started again if it has ended."""
        word = bytes([self._modules.index(module)])
        with self._lock:
            self._line = self._line or self._start()
            try:
                socket.send_fds(self._line, [word], files)
            except OSError:
                self._line.close()
                self._line = self._start()
                socket.send_fds(self._line, [word], files)

    def _start(self) -> socket.socket:
        """Start the template and return our end of its socket."""
        ours, theirs = socket.socketpair()
        with theirs:
            process = subprocess.Popen(  # noqa: S603  # our own interpreter and our own words
                [sys.executable, "-P", "-m", "aggregator.sandbox.template", str(theirs.fileno()), *self._modules],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
                env={
                    **_find_loader_settings(),
                    "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
                    "OPENBLAS_NUM_THREADS": "1",  # numpy's threads would make a fork unsafe
                },
            )
        atexit.register(_end, ours, process)
        return ours


shared = Forks("aggregator.fetchers.parse", "aggregator.processes.composer")
"""The forks of this process: those that parse a document, and those that compose a feed."""


def write_message(out: IO[bytes], message: bytes) -> None:
    """Write one of the messages of a fork."""
    out.write(len(message).to_bytes(_LENGTH))
    out.write(message)


def find_messages(file: IO[bytes]) -> Iterator[tuple[int, int]]:
    """Yield the place and length of each message; ValueError if the last is not whole."""
    end = os.fstat(file.fileno()).st_size
    while head := file.read(_LENGTH):
        place, length = file.tell(), int.from_bytes(head)
        if len(head) < _LENGTH or place + length > end:
            raise ValueError("it ends in the middle of a message")
        yield place, length
        file.seek(place + length)


def read_messages(file: IO[bytes]) -> Iterator[bytes]:
    """Yield each message; ValueError if the last is not whole."""
    for place, length in find_messages(file):
        file.seek(place)
        yield file.read(length)


def open_file() -> IO[bytes]:
    """Open a file without a name, in memory where the system can."""
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("aggregator"), "rb")
    return tempfile.TemporaryFile(buffering=0)


def _find_loader_settings() -> dict[str, str]:
    """Return what the system needs to start Python where it stands in no usual place; no other part of the environment.

    Passwords and tokens stand in environments.
    """
    names = ("PYTHONHOME", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT")
    return {name: os.environ[name] for name in names if name in os.environ}


def _end(line: socket.socket, process: subprocess.Popen[bytes]) -> None:
    """Let the template end, and wait for it."""
    with closing(line), suppress(OSError):
        line.shutdown(socket.SHUT_RDWR)
    process.wait()


def _write_all(file: int, content: bytes) -> None:
    """Write the content behind the head of a file."""
    left = memoryview(content)
    while left:
        left = left[os.pwrite(file, left, HEAD + len(content) - len(left)) :]


def _explain(status: int | None, limits: Limits) -> str:
    """Return why a fork with this exit code has not done its task."""
    if status is None:
        return f"it takes longer than {limits.wall_seconds:g} s"
    if status == -signal.SIGXCPU:
        return f"it takes more than {limits.cpu_seconds} s of processor time"
    if status == OUT_OF_MEMORY:
        return f"it takes more than {limits.megabytes} MB of memory"
    if status in _CRASHES:
        return f"its process crashed ({signal.Signals(-status).name})"
    if status == -signal.SIGKILL:
        return "its process was killed"
    return f"its process ended with status {status}"
