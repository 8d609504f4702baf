"""The process from which the children that read are forked: it imports the readers once and never sees a document.

It has one thread, so forking it is safe, which of the aggregator itself nobody can say. Measured on 2 cores: 0.1 s
to start with one reader imported, 2 ms for each child then; `spawn` takes the first for every child.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import resource
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn

from msgspec import Struct
from msgspec.structs import replace

from aggregator.errors import ReadError
from aggregator.fetchers import registry
from aggregator.fetchers.sandbox import bomb_check, lots, wire
from aggregator.fetchers.sandbox.exchange import DEFECT, ORDER, PART, READ, REFUSED, REPORT
from aggregator.model.source import Document

_DOCUMENTS = 1_000  # that one child reads before another takes its place, whatever may have piled up in it
_MEGABYTE = 1_048_576
_SHORT = b"reading it takes more than %d MB of memory"
_STATM = Path("/proc/self/statm")


class Limits(Struct, frozen=True):
    """What reading one document may cost: processor and wall seconds, megabytes above the child's base, items.

    The dearest honest documents measured, 18,000 full items of a sound feed (72 MB) and 50,000 short ones, need 2.5 and
    4.4 s of processor time, 4,000 full ones that only the tolerant reader takes 2.5 s. 10 % less loses none of
    them; with 3 s more of wall time a refresh with a hostile document takes longer than 10 s on a busy machine.
    """

    cpu_seconds: int = 5
    wall_seconds: float = 6.0
    megabytes: int = 200
    items: int = 50_000


def main(descriptor: int) -> NoReturn:
    """Fork a child for each order that comes on the descriptor, and end when its other end is closed.

    It ends at once: Python would go through all that was imported once more.
    """
    with suppress(ConnectionError):  # the parent was killed
        _obey(socket.socket(fileno=descriptor))
    os._exit(0)


def _obey(control: socket.socket) -> None:
    """Fork a child for each order, until there is none; a child returns nothing, for it ends where it was forked."""
    while True:
        order, descriptors, _, _ = socket.recv_fds(control, 4096, 1)
        if not order:
            return
        wanted: dict[str, Any] = json.loads(order)
        if "wait" in wanted:
            control.sendall(b"%d\n" % _status(wanted["wait"]))
            continue
        with suppress(ImportError):  # the child meets it again, and says so
            importlib.import_module(wanted["module"])
        gc.freeze()
        gc.enable()
        child = os.fork()
        if child == 0:
            control.close()
            _serve(socket.socket(fileno=descriptors[0]), Limits(**wanted["limits"]))
            os._exit(0)
        os.close(descriptors[0])
        control.sendall(b"%d\n" % child)


def _status(child: int) -> int:
    """How a child ended; as if killed where it is another nursery's."""
    try:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    except ChildProcessError:
        return -signal.SIGKILL


def _serve(line: socket.socket, limits: Limits) -> None:
    """Read documents until the line is closed or memory was short; the kernel ends what takes too long."""
    sys.excepthook = _confess(line, limits)
    base = _confine(limits)
    for left in reversed(range(_DOCUMENTS)):
        order = _received(line, ORDER.size)
        if not order:
            return
        discover, size, body_size = ORDER.unpack(order)
        document = wire.decode(Document, _received(line, size))
        document = replace(document, body=_received(line, body_size))
        _arm(limits)
        word, parts, sound = _read(document, limits, discover=bool(discover))
        signal.setitimer(signal.ITIMER_REAL, 0)
        last = not left or not sound or _swollen(base, limits)
        for part in parts[:-1]:
            line.sendall(REPORT.pack(PART, 0, len(part)) + part)
        line.sendall(REPORT.pack(word, last, len(parts[-1])) + parts[-1])
        if last:
            return


def _read(document: Document, limits: Limits, *, discover: bool) -> tuple[int, list[bytes], bool]:
    """What came of one document, as a word and its text in parts, and whether the child is still sound.

    Nothing is told before all of it is there: whoever is ended half-way has told nothing.
    """
    try:
        bomb_check.check(document.body, limits.items)
        if discover:
            return READ, [json.dumps(registry.discover(document)).encode()], True
        listing = registry.read(document)
        if len(listing.entries) > limits.items:
            return REFUSED, [b"it lists more than %d items" % limits.items], True
        return READ, lots.parted(listing), True
    except ReadError as error:
        return REFUSED, [str(error).encode("utf-8", "replace")], True
    except RecursionError:
        return REFUSED, [b"it is nested too deep to be read"], True
    except MemoryError:
        return REFUSED, [_SHORT % limits.megabytes], False


def _confine(limits: Limits) -> int:
    """Take from this process what no reader needs; the kilobytes of memory that it began with."""
    sys.dont_write_bytecode = True
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    if _STATM.exists():
        pages = int(_STATM.read_text("ascii").split()[0])
        most = pages * resource.getpagesize() + limits.megabytes * _MEGABYTE
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _swollen(base: int, limits: Limits) -> bool:
    """Whether the process once took so much that the next document could miss it."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > base + limits.megabytes * 1_024 // 2


def _arm(limits: Limits) -> None:
    """Let the kernel end this process once its share is used: SIGALRM for wall, SIGXCPU for processor time."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    most = int(usage.ru_utime + usage.ru_stime) + limits.cpu_seconds + 1
    resource.setrlimit(resource.RLIMIT_CPU, (most, resource.RLIM_INFINITY))
    signal.setitimer(signal.ITIMER_REAL, limits.wall_seconds)


def _received(line: socket.socket, size: int) -> bytes:
    """So many bytes, or none where the other end is closed."""
    data = bytearray(size)
    view, got = memoryview(data), 0
    while got < size:
        more = line.recv_into(view[got:])
        if not more:
            return b""
        got += more
    return bytes(data)


def _confess(
    line: socket.socket, limits: Limits
) -> Callable[[type[BaseException], BaseException, TracebackType | None], None]:
    """What tells the parent of an exception nobody expected, a defect of the reader, and ends this child.

    Short memory comes this way too, from a callback of lxml that can raise it nowhere.
    """

    def confess(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        place = "" if trace is None else f" at {Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"
        word, text = DEFECT, f"{kind.__name__}: {error}{place}".encode("utf-8", "replace")[:2_000]
        if issubclass(kind, MemoryError):
            word, text = REFUSED, _SHORT % limits.megabytes
        with suppress(OSError):  # the parent was killed meanwhile
            line.sendall(REPORT.pack(word, 1, len(text)) + text)
        os._exit(1)

    return confess
