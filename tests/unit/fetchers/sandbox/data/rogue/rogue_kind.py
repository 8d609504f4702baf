"""A kind that does what its document says, as a reader would that a hostile document has in its hand."""

from __future__ import annotations

import os
import pickle
import signal
import stat
import tempfile
import time
from multiprocessing.connection import Connection

from aggregator.errors import ReadError
from aggregator.fetchers.sandbox.pool import Answer, encode
from aggregator.model.entry import Entry, Listing
from aggregator.model.source import Document, Request, Source


def locate(source: Source) -> tuple[Request, ...]:
    return (Request(source.url or ""),)


def read(document: Document) -> Listing:  # noqa: C901, PLR0912, PLR0915  # a word, a misdeed
    word, _, number = document.body.decode().partition(" ")
    match word:
        case "spin":
            while True:
                pass
        case "sleep":
            time.sleep(60)
        case "deaf":  # takes its own clock away and sleeps on
            signal.setitimer(signal.ITIMER_REAL, 0)
            time.sleep(60)
        case "eat":
            bytearray(int(number) * 1_048_576)
        case "deep":
            return read(document)
        case "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "leave":
            os._exit(3)
        case "fail":
            raise KeyError("no such \x1b[31mthing\n")
        case "refuse":
            raise ReadError("rogue: this is not for us")
        case "write":
            with tempfile.TemporaryFile() as file:
                file.write(b"x" * 100)
                file.flush()
        case "feign":  # closes its line, takes its clock away, and lives on
            signal.setitimer(signal.ITIMER_REAL, 0)
            os.closerange(3, 64)
            time.sleep(60)
        case "half":  # sends the beginning of a listing and ends
            _line().send_bytes(encode(Answer((Entry("rogue", "1", "t"),), more=True)))
            os.kill(os.getpid(), signal.SIGKILL)
        case "pickle":  # sends what would run a command where it is unpickled
            _line().send_bytes(pickle.dumps(_Command()))
            time.sleep(60)
        case "flood":  # sends entries without end
            while True:
                _line().send_bytes(encode(Answer((Entry("rogue", "1", "t"),) * 400, more=True)))
        case "begin":  # sends the beginning of a message and sleeps
            line = _line()
            os.write(line.fileno(), b"\x00\x00\x00\x09half")
            time.sleep(60)
        case "fork":  # another process holds the line while this one ends
            if os.fork() == 0:
                time.sleep(60)
            os._exit(0)
        case "unasked":  # answers twice
            _line().send_bytes(encode(Answer(listing=Listing(()))))
        case "long":
            text = "A long text. " * 3_000
            return Listing(tuple(Entry("rogue", str(key), "t", description=text) for key in range(int(number))))
        case "many":
            return Listing(tuple(Entry("rogue", str(key), "t") for key in range(int(number))))
    return Listing((Entry("rogue", str(os.getpid()), "\ud800 lone"),))


class _Command:
    def __reduce__(self):
        return (os.mkdir, (os.environ.get("ROGUE_PLACE", "/tmp/rogue"),))  # noqa: S108


def _line() -> Connection:
    """The child's end of its line: its only socket."""
    for number in range(3, 64):
        try:
            if stat.S_ISSOCK(os.fstat(number).st_mode):
                return Connection(os.dup(number))
        except OSError:
            continue
    raise ReadError("rogue: no line")
