"""The line between the parent and a child that reads: a document goes out, what came of it comes back."""

from __future__ import annotations

import socket
import struct
import time

from msgspec.structs import replace

from aggregator.fetchers.sandbox import wire
from aggregator.fetchers.sandbox.lots import Heap
from aggregator.model.source import Document

ORDER = struct.Struct("!BII")
"""Before a document: 1 where the feeds it names are wanted and not its listing, bytes of its record, of its body."""
REPORT = struct.Struct("!BBI")
"""Before what came of it: one of the words below as a number, 1 where the child now leaves, bytes that follow."""
READ, REFUSED, DEFECT, PART = range(4)
"""PART is a lot of the listing, to which one of the others is the end."""

_LARGEST_REPORT = 128 * 1024 * 1024  # bytes; a listing of 50,000 full items has 100 MB


def exchanged(
    line: socket.socket, document: Document, seconds: float, heap: Heap, *, discover: bool
) -> tuple[int, bool, bytearray]:
    """What a child reports of the document at last, and whether it leaves after it; the lots before lie on the heap.

    OSError where it does not report in time.
    """
    record = wire.encode(replace(document, body=b""))
    until = time.monotonic() + seconds
    line.settimeout(seconds)
    line.sendall(ORDER.pack(discover, len(record), len(document.body)) + record)
    line.sendall(document.body)
    left = _LARGEST_REPORT
    while True:
        word, last, size = REPORT.unpack(_received(line, REPORT.size, until))
        left -= size
        if left < 0:
            raise ConnectionError("it reports too much")
        said = _received(line, size, until)
        if word != PART:
            return word, bool(last), said
        heap.add(said)


def _received(line: socket.socket, size: int, until: float) -> bytearray:
    """So many bytes before the time is up; OSError where they do not come."""
    data = bytearray(size)
    view, got = memoryview(data), 0
    while got < size:
        line.settimeout(max(until - time.monotonic(), 0.001))
        more = line.recv_into(view[got:])
        if not more:
            raise ConnectionError("it ended")
        got += more
    return data
