"""The parser process: parses one document at a time within its limits, as `pool` asks."""

from __future__ import annotations

import gc
import math
import os
import resource
import signal
import sys
import traceback
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path

import msgspec
from msgspec.structs import replace

from aggregator.errors import ReadError
from aggregator.fetchers import parse, registry
from aggregator.fetchers.sandbox import seccomp
from aggregator.fetchers.sandbox.limits import Limits, check_bombs
from aggregator.fetchers.sandbox.pool import READY, Answer, Task, encode

_MOST_DOCUMENTS = 1_000  # parsed by one process, whatever memory a library leaks
_ENTRIES = 100  # in one message, so that neither side holds all of a long listing in encoded form
_MEGABYTE = 1_048_576
_STATM = Path("/proc/self/statm")
_task_decoder = msgspec.msgpack.Decoder(Task)


def main(descriptor: str, limits_json: str, kind: str) -> None:
    """Parse documents until the parent closes the socket, or this process is to be replaced."""
    line, limits = Connection(int(descriptor)), msgspec.json.decode(limits_json, type=Limits)
    with suppress(ImportError, ReadError):  # raised again, and reported, with the first document
        registry.load(kind)
    gc.freeze()
    base = _confine(limits)
    with suppress(EOFError, ConnectionError):  # the pool was closed, or the parent was killed
        line.send_bytes(READY)
        for left in reversed(range(_MOST_DOCUMENTS)):
            task = _task_decoder.decode(line.recv_bytes())
            _arm(limits)
            answer = _answer(line, task, limits)
            answer.retires = answer.retires or not left or _peak_megabytes() > base + limits.megabytes / 2
            signal.alarm(0)
            _send(line, answer)
            if answer.retires:
                return


def _answer(line: Connection, task: Task, limits: Limits) -> Answer:
    """Receive the document of a task and return the answer."""
    try:
        document = replace(task.document, body=line.recv_bytes())
        check_bombs(document.body, limits.items)
        if task.discover:
            return Answer(feeds=parse.discover(document))
        listing = parse.read(document)
        too_long = len(listing.entries) > limits.items
        return Answer(error=f"it lists more than {limits.items} items") if too_long else Answer(listing=listing)
    except ReadError as error:
        return Answer(error=str(error))
    except RecursionError:
        return Answer(error="it is nested too deep to be parsed")
    except MemoryError:
        return Answer(error=f"it takes more than {limits.megabytes} MB of memory to parse", retires=True)
    except BaseException as error:  # noqa: BLE001  # a bug in a parser costs its document only
        return Answer(error=_describe_bug(error), retires=True)


def _send(line: Connection, answer: Answer) -> None:
    """Send an answer, the entries of its listing before the rest."""
    if answer.listing is not None:
        entries, answer.listing = answer.listing.entries, replace(answer.listing, entries=())
        for start in range(0, len(entries), _ENTRIES):
            line.send_bytes(encode(Answer(tuple(entries[start : start + _ENTRIES]), more=True)))
    line.send_bytes(encode(answer))


def _confine(limits: Limits) -> float:
    """Take from this process what no parser needs; return the megabytes it has used so far."""
    os.environ.clear()
    sys.dont_write_bytecode = True
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    if _STATM.exists():  # Linux; elsewhere nothing tells how much address space is in use
        used = int(_STATM.read_text("ascii").split()[0]) * resource.getpagesize()
        most = used + limits.megabytes * _MEGABYTE
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    seccomp.confine()  # `check` says where that is not to be had
    return _peak_megabytes()


def _arm(limits: Limits) -> None:
    """Let the kernel end this process once its share of processor time is used.

    The parent watches the wall time. The alarm is for a parent that was killed meanwhile.
    """
    usage = resource.getrusage(resource.RUSAGE_SELF)
    most = int(usage.ru_utime + usage.ru_stime) + limits.cpu_seconds + 1
    resource.setrlimit(resource.RLIMIT_CPU, (most, resource.RLIM_INFINITY))
    signal.alarm(math.ceil(limits.wall_seconds) + 1)


def _peak_megabytes() -> float:
    """Return the most memory that this process has had resident."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / _MEGABYTE if sys.platform == "darwin" else peak / 1_024


def _describe_bug(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return f"the parser failed, which is a bug in the aggregator: {type(error).__name__}: {error}{place}"[:2_000]


if __name__ == "__main__":
    main(*sys.argv[1:])
