"""Run tasks in forks of a template process that are killed when one costs too much: its task fails, nothing else.

The template (`template`) imports what the tasks need and has no threads, so that a fork of it is safe and takes
milliseconds. A task and what becomes of it are bytes in one file without a name; nothing that a fork writes is
unpickled.
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
from contextlib import closing, suppress
from typing import IO

import msgspec
from msgspec import Struct

HEAD = 512
"""Bytes at the beginning of the file: what the fork is at work on, for the message if it is killed."""

OUT_OF_MEMORY = 3
"""Exit code of a fork that took more memory than it may."""

_NO_STATUS = 2
"""In place of the exit code of a fork whose template has ended."""

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

    def __init__(self, module: str) -> None:
        """Start no process yet; ``module`` has ``run(task, out, note)``, which a fork calls."""
        self._module = module
        self._lock = threading.Lock()
        self._line: socket.socket | None = None

    def start(self) -> None:
        """Start the template, which imports its modules meanwhile."""
        with self._lock:
            self._line = self._line or self._start()

    def run(self, task: bytes, limits: Limits) -> IO[bytes]:
        """Have a fork do the task, and return the file at the beginning of what it wrote; raise ForkError."""
        file = open_file()
        try:
            _write_all(file.fileno(), msgspec.msgpack.encode(Order(limits, task)))
            self._fork(file.fileno(), limits)
            file.seek(HEAD)
        except ForkError:
            file.close()
            raise
        return file

    def _fork(self, file: int, limits: Limits) -> None:
        """Have a fork do the task of the file; raise ForkError."""
        status = self._wait(file, limits)
        if status != 0:
            note = os.pread(file, HEAD, 0).rstrip(b"\0").decode("utf-8", "replace")
            raise ForkError(_explain(status, limits), note)

    def _wait(self, file: int, limits: Limits) -> int | None:
        """Return the exit code of a fork; ``None`` if it took too long."""
        ours, theirs = socket.socketpair()
        with ours:
            with theirs:
                self._send([theirs.fileno(), file])
            ours.settimeout(limits.wall_seconds)
            try:
                return int(ours.recv(16) or _NO_STATUS)
            except TimeoutError:
                ours.shutdown(socket.SHUT_WR)  # then the template kills the fork
                ours.settimeout(_KILL_SECONDS)
                with suppress(TimeoutError):
                    ours.recv(16)
                return None

    def _send(self, files: list[int]) -> None:
        """Hand the template the files of a new fork; it is started again if it has ended."""
        with self._lock:
            self._line = self._line or self._start()
            try:
                socket.send_fds(self._line, [b"!"], files)
            except OSError:
                self._line.close()
                self._line = self._start()
                socket.send_fds(self._line, [b"!"], files)

    def _start(self) -> socket.socket:
        """Start the template and return our end of its socket."""
        ours, theirs = socket.socketpair()
        with theirs:
            process = subprocess.Popen(  # noqa: S603  # our own interpreter and our own words
                [sys.executable, "-P", "-m", "aggregator.processes.template", str(theirs.fileno()), self._module],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
                env={
                    **os.environ,
                    "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
                    "OPENBLAS_NUM_THREADS": "1",  # numpy's threads would make a fork unsafe
                },
            )
        atexit.register(_end, ours, process)
        return ours


def open_file() -> IO[bytes]:
    """Open a file without a name, in memory where the system can."""
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("aggregator"), "rb")
    return tempfile.TemporaryFile(buffering=0)


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
