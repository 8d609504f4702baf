"""Any bytes are read in a child that the kernel ends when they cost too much: one document is lost, nothing else.

The children come from a nursery, are used again, and each reads one document at a time under limits of processor
time, wall time and memory. Documents that seem small or familiar are no exception.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import asdict

from aggregator.errors import ReadError
from aggregator.fetchers import registry
from aggregator.fetchers.http.target import printable, shown
from aggregator.fetchers.sandbox import lots
from aggregator.fetchers.sandbox.exchange import DEFECT, READ, exchanged
from aggregator.fetchers.sandbox.worker import Limits
from aggregator.model.entry import Listing
from aggregator.model.source import Document

_ANY_MODULE = "aggregator.fetchers.feeds.feed"  # what is imported before a child reads a kind of a third party
_GRACE = 0.5  # seconds a child may be late: its own clock ends it, and if it took that away, we do
_IMPORT_SECONDS = 30.0  # in which a nursery must answer; it imports readers, which a cold disk may make slow
_PROGRAM = """\
import gc
gc.disable()
from aggregator.fetchers.sandbox import worker
worker.main({})
"""  # as cli begins; only what is of others waits, for what waits is loaded by each child anew
_ENDS: dict[int | None, str] = {
    None: "its reader was ended by the system",
    -signal.SIGALRM: "reading it takes longer than {limits.wall_seconds:g} s",
    -signal.SIGXCPU: "reading it takes more than {limits.cpu_seconds} s of processor time",
    -signal.SIGKILL: "its reader was ended by the system",
    -signal.SIGSEGV: "it crashed its reader",
    -signal.SIGABRT: "it crashed its reader",
}


def read(document: Document) -> Listing:
    """What the document says, by `roster.read` in a child; ReadError also where it costs too much.

    Uses the pool of this process, which starts with the first document and ends with the process.
    """
    return _pool().read(document)


@contextmanager
def pool(limits: Limits | None = None, size: int | None = None) -> Iterator[Pool]:
    """A pool for as long as the block; at most ``size`` children, by default one for each processor."""
    children = Pool(limits or Limits(), size or os.cpu_count() or 1)
    try:
        yield children
    finally:
        children.close()


class _Child(Struct):
    """One reading process: its number and our end of its line."""

    number: int
    line: socket.socket


class Pool(Struct):
    """Children that read; may be used from several threads, which wait where all children are busy.

    What they say at length waits on the disk of the folder ``beside``, else of the system's own.
    """

    limits: Limits
    size: int
    beside: Path | None = None
    _idle: list[_Child] = field(default_factory=list)
    _nursery: tuple[subprocess.Popen[bytes], socket.socket] | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _places: threading.BoundedSemaphore = field(default_factory=threading.BoundedSemaphore)

    def __post_init__(self) -> None:
        """Make as many places as there may be children, and be ready for what they say."""
        lots.prepare()
        self._places = threading.BoundedSemaphore(self.size)

    def read(self, document: Document) -> Listing:
        """What the document says; ReadError where it says nothing, or costs more than its share."""
        heap = lots.Heap(self.beside)
        return lots.whole(heap, self._asked(document, heap, discover=False))

    def discover(self, document: Document) -> tuple[str, ...]:
        """The addresses that the document hands on to, as `roster.discover`; ReadError as for `read`."""
        return tuple(map(str, json.loads(self._asked(document, lots.Heap(), discover=True))))

    def close(self) -> None:
        """End every child and the nursery; the pool may be used again, and starts anew."""
        with self._lock:
            for child in self._idle:
                child.line.close()
            self._idle.clear()
            if self._nursery is not None:
                _dissolved(*self._nursery)
                self._nursery = None

    def _asked(self, document: Document, heap: lots.Heap, *, discover: bool) -> bytearray:
        name = f"{document.source.name}: {{}} ({shown(document.url)})"
        with self._places:
            child = self._taken(document.source.kind)
            try:
                seconds = self.limits.wall_seconds + _GRACE
                word, last, text = exchanged(child.line, document, seconds, heap, discover=discover)
            except OSError:
                raise ReadError(name.format(self._end_of(child))) from None
            except ReadError as error:
                self._end_of(child)
                raise ReadError(name.format(error)) from error
            self._returned(child, last=last)
        if word == READ:
            return text
        said = printable(text.decode("utf-8", "replace"))
        if word == DEFECT:
            raise ReadError(name.format(f"its reader failed, which is a defect of ours: {said}"))
        raise ReadError(said if said.startswith(document.source.name) else name.format(said))

    def _taken(self, kind: str) -> _Child:
        """A child that waits for work, an idle one before a new one."""
        with self._lock:
            while self._idle:
                child = self._idle.pop()
                if not _ended(child):
                    return child
                child.line.close()
                self._status(child)
            ours, theirs = socket.socketpair()
            order = {"module": registry.MODULES.get(kind, _ANY_MODULE), "limits": asdict(self.limits)}
            try:
                return _Child(self._ordered(order, theirs.fileno()), ours)
            except OSError as error:
                ours.close()
                raise ReadError(f"no process to read in could be started: {error}") from error
            finally:
                theirs.close()

    def _returned(self, child: _Child, *, last: bool) -> None:
        """Keep the child for the next document, unless this was the last it reads."""
        with self._lock:
            if not last:
                self._idle.append(child)
                return
            child.line.close()
            self._status(child)

    def _end_of(self, child: _Child) -> str:
        """Why the child ended while it read, in words; the child is gone for certain afterwards."""
        child.line.close()
        with self._lock:
            status = self._status(child)
        return _ENDS.get(status, f"its reader ended with status {status}").format(limits=self.limits)

    def _status(self, child: _Child) -> int | None:
        """How a child ended, as `os.waitstatus_to_exitcode`; None where the nursery ended too. The lock is held.

        Killing one that has ended changes nothing; one that closed its line and lives on would keep us waiting.
        """
        with suppress(ProcessLookupError):
            os.kill(child.number, signal.SIGKILL)
        try:
            return self._ordered({"wait": child.number}) if self._nursery is not None else None
        except OSError:
            return None

    def _ordered(self, order: Mapping[str, object], *descriptors: int) -> int:
        """What the nursery answers to an order: the new child's number, or how a child ended. The lock is held."""
        _, control = self._nursery = self._nursery or _founded()
        try:
            socket.send_fds(control, [json.dumps(order).encode()], descriptors)
            answer = control.recv(64)
        except OSError:
            answer = b""
        if answer:
            return int(answer)
        _dissolved(*self._nursery)
        self._nursery = None
        raise ConnectionError("the nursery ended")


@cache
def _pool() -> Pool:
    """The pool of this process, closed when it exits."""
    children = Pool(Limits(), os.cpu_count() or 1)
    atexit.register(children.close)
    return children


def _founded() -> tuple[subprocess.Popen[bytes], socket.socket]:
    """A nursery, and our end of the line to it; it ends when that is closed, as it is when this process ends."""
    ours, theirs = socket.socketpair()
    ours.settimeout(_IMPORT_SECONDS)
    with theirs:
        program = _PROGRAM.format(theirs.fileno())
        process = subprocess.Popen(  # noqa: S603  # our own interpreter and our own words
            [sys.executable, "-P", "-c", program],
            stdin=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
    return process, ours


def _dissolved(process: subprocess.Popen[bytes], control: socket.socket) -> None:
    """End the nursery: it leaves when its line is closed, and is made to where it hangs."""
    control.close()
    try:
        process.wait(_GRACE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _ended(child: _Child) -> bool:
    """Whether an idle child has closed its line; it says nothing on its own."""
    poll = select.poll()
    poll.register(child.line, select.POLLIN)
    return bool(poll.poll(0))
