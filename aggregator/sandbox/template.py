"""The process that is forked for each task: single-threaded, with the module loaded that the tasks need."""

from __future__ import annotations

import gc
import importlib
import os
import resource
import select
import signal
import socket
import sys
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import IO, Any

import msgspec
from msgspec import Struct

from aggregator.sandbox import seccomp
from aggregator.sandbox.limits import Limits, find_most_memory

HEAD = 512
"""Bytes at the beginning of the file: what the fork is at work on, for the message if it is killed."""

OUT_OF_MEMORY = 3
"""Exit code of a fork that took more memory than it may."""

_LOST_WAKE_SECONDS = 1.0
"""After so long ended forks are looked for without a wake-up: the byte that wakes may fail to be written."""

_LARGEST_FILE = 128 * 1024 * 1024
"""Bytes that a confined fork may write; a listing of 50,000 full items has 100 MB."""

_MOST_FILES = 64
"""Open files of a confined fork; pipes hold memory that no limit counts."""

Note = Callable[[str], None]
"""Called with what a task is at work on, in a few words."""

Run = Callable[[bytes, IO[bytes], Note], None]
"""Do a task and write what comes of it."""


class Order(Struct, frozen=True):
    """A task with its limits, as the fork reads it; a fork without ``environment`` is confined."""

    limits: Limits
    task: bytes
    environment: Mapping[str, str] | None


def main(descriptor: str, module: str) -> None:
    """Fork for each task until the parent has closed its socket; a fork is killed if its task was given up."""
    seccomp.hide()
    line = socket.socket(fileno=int(descriptor))
    gc.set_threshold(100_000, 20, 100)  # as in a refresh: records make no reference cycles
    waker, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    forks: dict[int, socket.socket] = {}
    try:
        _serve(line, waker, module, forks)
    finally:
        for number in forks:
            os.kill(number, signal.SIGKILL)


def _serve(line: socket.socket, waker: int, module: str, forks: dict[int, socket.socket]) -> None:
    while True:
        waited: list[Any] = [line, waker, *forks.values()]
        ready, _, _ = select.select(waited, [], [], _LOST_WAKE_SECONDS if forks else None)
        if waker in ready:
            os.read(waker, 4096)
        _report_ended(forks)
        for number, reply in forks.items():
            if reply in ready:  # nothing is ever sent: the parent has closed it, or has gone
                with suppress(ProcessLookupError):
                    os.kill(number, signal.SIGKILL)
        if line in ready:
            word, files, _, _ = socket.recv_fds(line, 1, 2)
            if not word:
                return
            run = _load(module)
            if not files:
                continue
            reply, task = socket.socket(fileno=files[0]), files[1]
            try:
                number = _fork(run, task)
            except OSError:  # the machine has no more processes: the parent sees its socket closed
                reply.close()
            else:
                forks[number] = reply
                with suppress(OSError):  # the parent has gone, which is seen next
                    reply.sendall(b".")
            os.close(task)


def close_files(kept: Collection[int]) -> None:
    """Close every open file of this process but these."""
    for number in [int(each.name) for each in Path("/dev/fd").iterdir()]:
        if number not in kept:
            with suppress(OSError):  # that of the folder itself
                os.close(number)


def _load(module: str) -> Run:
    """Return what does the tasks of a module, imported when it is first named."""
    if module not in sys.modules:
        importlib.import_module(module)
        gc.freeze()
    run: Run = sys.modules[module].run
    return run


def _report_ended(forks: dict[int, socket.socket]) -> None:
    """Tell the parent the exit codes of the forks that have ended."""
    for number in list(forks):
        ended, status = os.waitpid(number, os.WNOHANG)
        if ended:
            with forks.pop(number) as reply, suppress(OSError):
                reply.sendall(str(os.waitstatus_to_exitcode(status)).encode())


def _fork(run: Run, file: int) -> int:
    """Fork, and return the number of the new process; that one does the task and ends."""
    number = os.fork()
    if number:
        return number
    status = 1
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        _do_task(run, file)
        status = 0
    except MemoryError:
        status = OUT_OF_MEMORY
    except BaseException as error:  # noqa: BLE001  # the loop of the template must never go on here
        _note(file, f"{type(error).__name__}: {error}")
    finally:
        os._exit(status)


def _do_task(run: Run, file: int) -> None:
    """Do the task that the file holds within its limits, and write what comes of it in its place."""
    size = os.fstat(file).st_size - HEAD
    order = msgspec.msgpack.decode(os.pread(file, size, HEAD), type=Order)
    os.truncate(file, HEAD)
    os.lseek(file, HEAD, os.SEEK_SET)
    os.environ.update(order.environment or {})
    _limit(order.limits)
    with os.fdopen(file, "wb", buffering=1 << 20) as out:
        if order.environment is None:
            _confine(file)
        run(order.task, out, partial(_note, file))


def _note(file: int, text: str) -> None:
    """Write what the task is at work on into the head of its file."""
    os.pwrite(file, text.encode("utf-8", "replace")[:HEAD].ljust(HEAD, b"\0"), 0)


def _limit(limits: Limits) -> None:
    """Let the kernel end this process once its share of processor time is used, and refuse more memory."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (limits.cpu_seconds, limits.cpu_seconds + 2))
    most = find_most_memory(limits)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _confine(file: int) -> None:
    """Remove all access that no parser needs: files except that of its result, the network, the environment.

    `aggregator check` reports machines without such filters of system calls.
    """
    close_files({0, 1, 2, file})
    os.environ.clear()
    sys.dont_write_bytecode = True
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    most = _LARGEST_FILE if hard == resource.RLIM_INFINITY else min(_LARGEST_FILE, hard)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    resource.setrlimit(resource.RLIMIT_NOFILE, (_MOST_FILES, _MOST_FILES))
    seccomp.confine()


if __name__ == "__main__":
    main(*sys.argv[1:])
