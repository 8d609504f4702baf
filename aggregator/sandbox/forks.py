"""Run tasks in forks of a template process that are killed when one costs too much: its task fails, nothing else.

The template (`template`) imports the module of the tasks and has no threads, so that a fork of it is safe and takes
milliseconds. It is given no task and no environment, which a hostile document might read. A task and what becomes of it
are bytes in one file without a name; nothing that a fork writes is unpickled.
"""

from __future__ import annotations

import atexit
import importlib
import logging
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from contextlib import closing, suppress
from functools import cache, partial
from typing import IO, NoReturn

import msgspec

from aggregator.errors import AggregatorError, DamagedError, PublishError, ReadError, StoreError
from aggregator.sandbox import seccomp, template
from aggregator.sandbox.limits import Limits, describe_memory, describe_time
from aggregator.sandbox.template import HEAD, OUT_OF_MEMORY, Order

_IN_PROCESS = "AGGREGATOR_IN_PROCESS"
"""The environment variable that has tasks done in this process."""

_log = logging.getLogger(__name__)

_NO_STATUS = 2
"""In place of the exit code of a fork whose template has ended."""

_START_SECONDS = 120.0
"""For the template to start, on a machine that is busy, and to fork."""

_KILL_SECONDS = 10.0
"""For the template to kill a fork and to report it."""

_SINGLE_THREADED = {"OPENBLAS_NUM_THREADS": "1"}
"""The environment of a template: numpy's threads would make a fork unsafe."""

_LOADER_SETTINGS = ("PYTHONHOME", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT")
"""Variables that Python needs to start from an unusual place; no others are handed on, as some have passwords."""

_CRASHES = {-signal.SIGSEGV, -signal.SIGABRT, -signal.SIGBUS, -signal.SIGILL, -signal.SIGFPE}


_TURN = threading.Lock()
"""Held by a task that is done in this process: two at a time would mix what they print."""


def is_in_process() -> bool:
    """Return whether tasks are done in this process, so that a debugger and ``print`` reach them.

    The environment decides, which no fork has: neither limits nor a filter of system calls then keep a hostile document
    from anything.
    """
    return os.environ.get(_IN_PROCESS) == "1"


@cache
def _warn_once() -> None:
    _log.warning(
        "aggregator: %s: documents are parsed in this process, without limits: only for debugging", _IN_PROCESS
    )


class ForkError(Exception):
    """A fork did not do its task; ``at`` is what it was at work on, empty if that is not known."""

    def __init__(self, why: str, at: str = "") -> None:
        """Note why, in words that follow the name of the task in a message, and what it was at work on."""
        super().__init__(why)
        self.at = at


class Forks:
    """Forks of one template, which is started when needed and ends with this process; for use in several threads."""

    def __init__(
        self, module: str, errors: tuple[type[AggregatorError], ...] = (), *, is_confined: bool = False
    ) -> None:
        """Start no process yet; ``module`` has ``run(task, out, note)``, which a fork calls.

        ``errors`` are those of its functions for people (`calls`). A confined fork has no environment, no network and
        no files but that of its result; others have the environment of this process: it may have the store's password.
        """
        self.errors = errors
        self._module, self._is_confined = module, is_confined
        self._lock = threading.Lock()
        self._line: socket.socket | None = None

    def fork_template(self) -> None:
        """Start the template as a fork of this process, so that what both need is imported once.

        For a process with one thread and without an open store, and for tasks that may see what this process has in
        memory.
        """
        with self._lock:
            if self._line is None:
                ours, theirs = socket.socketpair()
                with theirs:
                    number = os.fork() or _become_template(theirs.fileno(), self._module)
                atexit.register(_end, os.getpid(), ours, partial(os.waitpid, number, 0))
                self._line = ours

    def load(self) -> None:
        """Have the template import its module, so that it is ready when it is needed."""
        if not is_in_process():
            self._send([])

    def run(self, task: bytes, limits: Limits) -> IO[bytes]:
        """Have a fork do the task, and return the file at the beginning of what it wrote; raise ForkError."""
        if is_in_process():
            return self._run_here(task)
        order = Order(limits, task, None if self._is_confined else dict(os.environ))
        file = _open_file()
        try:
            _write_all(file.fileno(), msgspec.msgpack.encode(order))
            self._fork(file.fileno(), limits)
            file.seek(HEAD)
        except ForkError:
            file.close()
            raise
        except OSError as error:  # a limit on the size of files counts for those in memory, too
            file.close()
            raise ForkError(f"its task cannot be handed on ({error.strerror})") from error
        return file

    def _run_here(self, task: bytes) -> IO[bytes]:
        """Do the task in this process, one at a time and without limits; what it raises is raised."""
        _warn_once()
        run: template.Run = importlib.import_module(self._module).run
        file = tempfile.TemporaryFile()  # noqa: SIM115  # the caller closes it
        with _TURN:
            run(task, file, lambda _: None)
        file.seek(0)
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

    def _send(self, files: list[int]) -> None:
        """Hand the template the files of a new fork, or none; it is started again if it has ended."""
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
        seccomp.hide()  # the environment of this process may have passwords
        ours, theirs = socket.socketpair()
        with theirs:
            process = subprocess.Popen(  # noqa: S603  # our own interpreter and our own words
                [sys.executable, "-P", "-m", "aggregator.sandbox.template", str(theirs.fileno()), self._module],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
                env={
                    **{name: os.environ[name] for name in _LOADER_SETTINGS if name in os.environ},
                    "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
                    **_SINGLE_THREADED,
                },
            )
        atexit.register(_end, os.getpid(), ours, process.wait)
        return ours


def _become_template(line: int, module: str) -> NoReturn:
    """Be the template, in a process that has just been forked."""
    try:
        os.setsid()
        null = os.open(os.devnull, os.O_RDWR)
        for place, file in enumerate((null, null, null, line)):
            os.dup2(file, place)
        template.close_files({0, 1, 2, 3})
        os.environ.clear()
        os.environ.update(_SINGLE_THREADED)
        template.main("3", module)
    finally:
        os._exit(0)


parsers = Forks("aggregator.fetchers.parse", (ReadError,), is_confined=True)
page_readers = Forks("aggregator.fetchers.full_text", (ReadError,), is_confined=True)
composers = Forks("aggregator.processes.composer", (PublishError, StoreError, DamagedError))
"""The forks of this process: those that parse a document, that read the text of a page, and that compose a feed."""


def _open_file() -> IO[bytes]:
    """Open a file without a name, in memory where the system can."""
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("aggregator"), "rb")
    return tempfile.TemporaryFile(buffering=0)


def _end(owner: int, line: socket.socket, wait: Callable[[], object]) -> None:
    """Let the template end, and wait for it; a fork of the process that owns it leaves it alone."""
    if os.getpid() == owner:
        with closing(line), suppress(OSError):
            line.shutdown(socket.SHUT_RDWR)
        wait()


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
        return describe_time(limits)
    if status == OUT_OF_MEMORY:
        return describe_memory(limits)
    if status in _CRASHES:
        return f"its process crashed ({signal.Signals(-status).name})"
    if status == -signal.SIGKILL:
        return "its process was killed"
    return f"its process ended with status {status}"
