"""A kind that does what its document says, as a reader would that a hostile document has in its hand."""

from __future__ import annotations

import os
import signal
import socket
import tempfile
import time

from aggregator.errors import ReadError
from aggregator.fetchers.sandbox import wire
from aggregator.fetchers.sandbox.exchange import PART, READ, REPORT
from aggregator.model.entry import Entry, Listing
from aggregator.model.source import Document, Source


def locate(source: Source) -> tuple[str, ...]:
    return (source.url or "",)


def read(document: Document) -> Listing:  # noqa: C901, PLR0912  # a word, a misdeed
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
        case "open":
            os.dup(0)
        case "write":
            with tempfile.TemporaryFile() as file:
                file.write(b"x" * 100)
                file.flush()
        case "feign":  # closes its line, takes its clock away, and lives on
            signal.setitimer(signal.ITIMER_REAL, 0)
            os.closerange(3, 64)
            time.sleep(60)
        case "half":  # tells the beginning of a listing and ends, or says that there is more
            tell = _line()
            lot = wire.encode((Entry("rogue", "1", "t"), Entry("rogue", "2", "t")))
            tell.sendall(REPORT.pack(PART, 0, len(lot)) + lot)
            if not number:
                os.kill(os.getpid(), signal.SIGKILL)
            end = wire.encode((int(number), Listing(())))
            tell.sendall(REPORT.pack(READ, 1, len(end)) + end)
            os._exit(0)
        case "long":
            text = "A long text. " * 3_000
            return Listing(tuple(Entry("rogue", str(key), "t", description=text) for key in range(int(number))))
        case "many":
            return Listing(tuple(Entry("rogue", str(key), "t") for key in range(int(number))))
    return Listing((Entry("rogue", str(os.getpid()), "\ud800 lone"),))


def _line() -> socket.socket:
    """The child's end of its line: its only socket."""
    for number in range(3, 64):
        try:
            return socket.socket(fileno=number)
        except OSError:
            continue
    raise ReadError("rogue: no line")
