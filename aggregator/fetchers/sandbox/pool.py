"""Parse documents in child processes that are killed when one costs too much: that document is lost, nothing else.

Each child has one thread of the parent at a time, a socket and MessagePack records on it. The parent decodes what a
child sends into known record types and never unpickles it, so a child taken over by its document cannot run code here.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any, Self

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from aggregator.errors import ReadError
from aggregator.fetchers.http.target import make_printable, redact
from aggregator.fetchers.sandbox.limits import Limits
from aggregator.model.entry import Entry, Listing
from aggregator.model.record import replace_surrogates
from aggregator.model.source import Document

READY = b"ready"
"""The first message of a child, sent once its parser is imported and its limits hold."""

_START_SECONDS = 60.0  # to import the parser, which a cold disk may make slow
_LARGEST_ANSWER = 128 * 1024 * 1024  # bytes; a listing of 50,000 full items has 100 MB
_CRASHES = {-signal.SIGSEGV, -signal.SIGABRT, -signal.SIGBUS, -signal.SIGILL, -signal.SIGFPE}


class Task(Struct):
    """Parse a document, whose body follows in a message of its own, or find the feeds that it names."""

    document: Document
    discover: bool = False


class Answer(Struct, omit_defaults=True):
    """One message of a child; a long listing comes in several, the last without ``more``.

    ``error`` says why the document was refused. ``retires`` is whether the child ends after this task.
    """

    entries: tuple[Entry, ...] = ()
    more: bool = False
    listing: Listing | None = None
    feeds: tuple[str, ...] = ()
    error: str = ""
    retires: bool = False


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Answer)


class Pool:
    """At most ``size`` parser processes, by default one for each processor, started when needed and used again.

    May be used from several threads, which wait while all processes are busy.
    """

    def __init__(self, limits: Limits | None = None, size: int | None = None) -> None:
        """Start no process yet."""
        self._limits = limits or Limits()
        self._places = threading.BoundedSemaphore(size or os.cpu_count() or 1)
        self._lock = threading.Lock()
        self._children: list[_Child] = []
        self._idle: list[_Child] = []

    def __enter__(self) -> Self:
        """Return the pool."""
        return self

    def __exit__(self, *_error: object) -> None:
        """Close the pool."""
        self.close()

    def read(self, document: Document) -> Listing:
        """Return what the document lists; ReadError if it cannot be parsed, or costs more than its share."""
        return self._run(Task(document)).listing or Listing(())

    def discover(self, document: Document) -> tuple[str, ...]:
        """Return the addresses of the feeds that a page names, best first; ReadError as for `read`."""
        return self._run(Task(document, discover=True)).feeds

    def close(self) -> None:
        """Kill the processes; documents they are parsing fail. The pool may be used again."""
        with self._lock:
            children, self._children = self._children, []
            idle, self._idle = self._idle, []
        for child in children:
            if child in idle:
                child.end()
            else:
                child.kill()  # the thread that uses it ends it

    def _run(self, task: Task) -> Answer:
        """Return the answer to a task with all entries of its listing."""
        source = task.document.source
        with self._places:
            child = self._take(source.kind)
            try:
                answer = child.run(task)
            except (OSError, EOFError, ValueError, RecursionError) as error:
                why = child.end(error)
                raise ReadError(f"{source.name}: {why} ({redact(task.document.url)})") from error
            finally:
                self._give_back(child)
        if answer.error:
            url = task.document.url
            refused = make_printable(answer.error.replace(url, redact(url)))
            named = refused.startswith(source.name)
            raise ReadError(refused if named else f"{source.name}: {refused} ({redact(url)})")
        return answer

    def _take(self, kind: str) -> _Child:
        """Return an idle child, or a new one."""
        with self._lock:
            while self._idle:
                child = self._idle.pop()
                if child.is_idle():
                    return child
                self._children.remove(child)
                child.end()
        try:
            child = _Child(self._limits, kind)
        except (OSError, EOFError) as error:
            raise ReadError(f"no parser process could be started: {error}") from error
        with self._lock:
            self._children.append(child)
        return child

    def _give_back(self, child: _Child) -> None:
        """Keep the child for the next document unless it has ended, was interrupted, or the pool was closed."""
        with self._lock:
            if child in self._children and child.answered:
                self._idle.append(child)
                return
            if child in self._children:
                self._children.remove(child)
        if not child.ended:
            child.end()


class _Child:
    """A parser process and our end of its socket."""

    def __init__(self, limits: Limits, kind: str) -> None:
        """Start the process and wait until it is ready; OSError or EOFError if it cannot start."""
        self.ended = False
        self.answered = False
        self._limits, self._too_late = limits, False
        ours, theirs = socket.socketpair()
        with theirs:
            words = [str(theirs.fileno()), msgspec.json.encode(limits).decode(), kind]
            self._process = subprocess.Popen(  # noqa: S603  # our own interpreter and our own words
                [sys.executable, "-P", "-m", "aggregator.fetchers.sandbox.worker", *words],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
                env={"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **_find_loader_settings()},
            )
        self._line = Connection(ours.detach())
        try:
            if not self._line.poll(_START_SECONDS) or self._line.recv_bytes(len(READY)) != READY:
                raise TimeoutError("it did not answer")
        except (OSError, EOFError):
            self.end()
            raise

    def is_idle(self) -> bool:
        """Return whether the child waits for work; one that has ended or sent something unasked does not."""
        return not self._line.poll(0)

    def run(self, task: Task) -> Answer:
        """Return the answer to a task; OSError, EOFError, ValueError or RecursionError if there is none."""
        self.answered = self._too_late = False
        timer = threading.Timer(self._limits.wall_seconds, self._kill_late)
        timer.start()
        try:
            self._line.send_bytes(encode(replace(task, document=replace(task.document, body=b""))))
            self._line.send_bytes(task.document.body)
            answer = self._receive()
        finally:
            timer.cancel()
        if answer.retires:
            self.end()
        self.answered = not self.ended
        return answer

    def kill(self) -> None:
        """Kill the process, and shut our own end: another process may hold the other one."""
        with suppress(OSError):
            os.killpg(self._process.pid, signal.SIGKILL)
        with suppress(OSError), socket.socket(fileno=os.dup(self._line.fileno())) as line:
            line.shutdown(socket.SHUT_RDWR)

    def end(self, error: BaseException | None = None) -> str:
        """Kill the process, and return why it ended, or was made to by the error."""
        self.ended = True
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)  # its status is kept if it has ended by itself
        self._line.close()
        status = self._process.wait()
        if self._too_late:
            return f"it takes longer than {self._limits.wall_seconds:g} s to parse"
        if status == -signal.SIGXCPU:
            return f"it takes more than {self._limits.cpu_seconds} s of processor time to parse"
        if status in _CRASHES:
            return "it crashed the parser process"
        if isinstance(error, ValueError | RecursionError):
            return f"the parser process sent what is no listing: {make_printable(str(error))}"
        if status == -signal.SIGKILL:
            return "the parser process was killed"
        return f"the parser process ended with status {status}"

    def _receive(self) -> Answer:
        """Return the answer with the entries of all its messages."""
        entries: list[Entry] = []
        left = _LARGEST_ANSWER
        while True:
            message = self._line.recv_bytes(left)
            left -= len(message)
            answer = _decoder.decode(message)
            entries += answer.entries
            if len(entries) > self._limits.items:
                raise ValueError("too many entries")
            if not answer.more:
                break
        listing = None if answer.listing is None else replace(answer.listing, entries=tuple(entries))
        return replace(answer, entries=(), listing=listing)

    def _kill_late(self) -> None:
        self._too_late = True
        self.kill()


def _find_loader_settings() -> dict[str, str]:
    """Return what the system needs to start Python where it stands in no usual place; no other part of the environment.

    Passwords and tokens stand in environments.
    """
    names = ("PYTHONHOME", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT")
    return {name: os.environ[name] for name in names if name in os.environ}


def encode(message: Any) -> bytes:
    """Return a record as MessagePack; a lone surrogate in a text, which UTF-8 cannot hold, becomes U+FFFD."""
    try:
        return _encoder.encode(message)
    except UnicodeEncodeError:
        return _encoder.encode(replace_surrogates(msgspec.to_builtins(message, builtin_types=(bytes,))))
