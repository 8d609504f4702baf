"""A kind that does what its document says, as a reader would that a hostile document has in its hand."""

# ruff: noqa: PTH101, PTH102, PTH104, PTH108, PTH110, PTH114, PTH115, PTH123, PTH211, S103, S606, SIM115

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import pickle
import resource
import signal
import socket
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from aggregator.errors import ReadError
from aggregator.model.entry import Entry, Listing
from aggregator.model.record import encode_msgpack
from aggregator.model.source import Document, Request, Source
from aggregator.sandbox import seccomp
from aggregator.sandbox.calls import write_part


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
        case "deaf":  # leaves no signal its effect and sleeps on
            for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
                signal.signal(number, signal.SIG_IGN)
            time.sleep(60)
        case "eat":
            bytearray(int(number) * 1_048_576)
        case "deep":
            return read(document)
        case "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "leave":
            os._exit(4)
        case "fail":
            raise KeyError("no such \x1b[31mthing\n")
        case "refuse":
            raise ReadError("rogue: this is not for us")
        case "write":
            with tempfile.TemporaryFile() as file:
                file.write(b"x" * 100)
                file.flush()
        case "feign":  # closes its file and lives on
            os.closerange(3, 64)
            time.sleep(60)
        case "half":  # writes the beginning of a listing and ends
            _write(encode_msgpack((Entry("rogue", "1", "t"),)))
            os.kill(os.getpid(), signal.SIGKILL)
        case "pickle":  # writes what would run a command where it is unpickled
            _write(pickle.dumps(_Command()))
            os._exit(0)
        case "flood":  # writes entries until it is stopped
            message = encode_msgpack((Entry("rogue", "1", "t"),) * 400)
            with suppress(OSError):
                while True:
                    _write(message)
            os._exit(0)
        case "more":  # writes more entries than a listing may have
            for _ in range(2):
                _write(encode_msgpack((Entry("rogue", "1", "t"),) * 400))
        case "begin":  # writes the beginning of a message
            os.write(_file(), bytes(7) + b"\x09half")
            os._exit(0)
        case "empty":
            os._exit(0)
        case "fork":  # another process holds the line while this one ends
            if os.fork() == 0:
                time.sleep(60)
            os._exit(0)
        case "attempt":
            return Listing((Entry("rogue", "1", _attempt(number)),))
        case "long":
            text = "A long text. " * 3_000
            return Listing(tuple(Entry("rogue", str(key), "t", description=text) for key in range(int(number))))
        case "many":
            return Listing(tuple(Entry("rogue", str(key), "t") for key in range(int(number))))
    return Listing((Entry("rogue", str(os.getpid()), "\ud800 lone"),))


def _attempt(name: str) -> str:
    """What came of a misdeed: the error's name, or what it returned."""
    try:
        found = MISDEEDS[name]()
        return found if isinstance(found, str) else repr(found)
    except OSError as error:
        return type(error).__name__


def _call(name: str, *arguments: int) -> None:
    if getattr(ctypes.CDLL(None, use_errno=True), name)(*arguments) < 0:
        raise OSError(ctypes.get_errno(), name)


def _open() -> int:
    return os.open(PLACE, os.O_RDONLY)


def _try_every_call() -> str:
    """The numbers of calls that are neither permitted nor refused as they should be, with what came of them."""
    machine = os.uname().machine
    known = {*range(295 if machine == "aarch64" else 335), *range(424, 470)} - {435, 437}  # clone3, openat2
    # Tried as a fork; not filtered by the kernel, for they are made for its own probes (uretprobe, uprobe).
    others = {220} if machine == "aarch64" else {56, 335, 336}
    wrong = []
    for number in {*range(1024), *range(1 << 30, (1 << 30) + 600)} - {*seccomp.list_permitted(machine), *others}:
        returned = ctypes.CDLL(None, use_errno=True).syscall(number, *[ctypes.c_long(-1)] * 6)
        wanted = errno.EPERM if number in known or number >= 1 << 30 else errno.ENOSYS
        if (returned, ctypes.get_errno()) != (-1, wanted):
            wrong.append(f"{number}: {returned}, {errno.errorcode.get(ctypes.get_errno())}")
    return "; ".join(wrong)


PLACE = "rogue"  # made by the test
PARENT = os.getppid()
MISDEEDS = {
    "environment": lambda: dict(os.environ),
    "inet socket": lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM),
    "inet6 datagram": lambda: socket.socket(socket.AF_INET6, socket.SOCK_DGRAM),
    "unix socket": lambda: socket.socket(socket.AF_UNIX),
    "netlink": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW),
    "name": lambda: socket.getaddrinfo("name.invalid", 80),
    "write": lambda: open(PLACE, "w"),
    "append": lambda: open(PLACE, "a"),
    "read and write": lambda: os.open(PLACE, os.O_RDWR),
    "create": lambda: os.open(PLACE + "-new", os.O_CREAT | os.O_EXCL),
    "truncate": lambda: os.truncate(PLACE, 0),
    "remove": lambda: os.unlink(PLACE),
    "rename": lambda: os.rename(PLACE, PLACE + "-new"),
    "link": lambda: os.link(PLACE, PLACE + "-new"),
    "symbolic link": lambda: os.symlink(PLACE, PLACE + "-new"),
    "folder": lambda: os.mkdir(PLACE + "-new"),
    "mode": lambda: os.chmod(PLACE, 0o777),
    "owner": lambda: os.chown(PLACE, 1, 1),
    "times": lambda: os.utime(PLACE),
    "fifo": lambda: os.mkfifo(PLACE + "-new"),
    "fork": os.fork,
    "program": lambda: os.execv("/bin/true", ["true"]),
    "signal to the parent": lambda: os.kill(PARENT, 0),
    "owner of a file": lambda: fcntl.fcntl(0, fcntl.F_SETOWN, PARENT),
    "signal of a file": lambda: fcntl.fcntl(0, 10, signal.SIGKILL),  # F_SETSIG
    "pipe": os.pipe,
    "lock": lambda: fcntl.flock(_open(), fcntl.LOCK_EX | fcntl.LOCK_NB),
    "lock of a part": lambda: fcntl.lockf(_open(), fcntl.LOCK_SH | fcntl.LOCK_NB),
    "lock of an open file": lambda: fcntl.fcntl(_open(), 37, bytes(32)),  # F_OFD_SETLK, F_RDLCK
    "lease": lambda: fcntl.fcntl(_open(), fcntl.F_SETLEASE, fcntl.F_RDLCK),
    "notice of changes": lambda: fcntl.fcntl(os.open("/proc/self", os.O_RDONLY), fcntl.F_NOTIFY, 1),
    "flags of a file": lambda: fcntl.ioctl(_open(), 0x40086602, bytes(8)),  # FS_IOC_SETFLAGS
    "attribute": lambda: os.setxattr(PLACE, "user.a", b"b"),
    "attribute, newer": lambda: _call("syscall", 463, -100, 0, 0, 0, 0, 0),  # setxattrat
    "attributes of a file": lambda: _call("syscall", 469, -100, 0, 0, 0, 0),  # file_setattr
    "key": lambda: _call("syscall", 217 if os.uname().machine == "aarch64" else 248, 0, 0, 0, 0, -1),  # add_key
    "every call": _try_every_call,
    "shared memory": lambda: _call("shmget", 0, 4096, 0o1600),
    "message queue": lambda: _call("msgget", 0, 0o1600),
    "memory file": lambda: os.memfd_create("x"),
    "pair of sockets": socket.socketpair,
    "priority of the parent": lambda: os.setpriority(os.PRIO_PROCESS, PARENT, os.getpriority(os.PRIO_PROCESS, PARENT)),
    "limit of the parent": lambda: resource.prlimit(PARENT, resource.RLIMIT_CPU),
    "more memory": lambda: resource.setrlimit(resource.RLIMIT_AS, (-1, -1)),
    "more time": lambda: resource.setrlimit(resource.RLIMIT_CPU, (-1, -1)),
    "more files": lambda: [os.dup(0) for _ in range(64)],
    "environment at the start": lambda: " ".join(
        line.partition("=")[0] for line in Path("/proc/self/environ").read_text("utf-8").split("\0")
    ),
    "files": lambda: " ".join(
        os.readlink(f"/proc/self/fd/{number}").removesuffix(" (deleted)")
        for number in range(64)
        if os.path.islink(f"/proc/self/fd/{number}")
    ),
    "read": lambda: len(Path(PLACE).read_text("ascii")),
}


class _Command:
    def __reduce__(self):
        return (os.mkdir, (os.environ.get("ROGUE_PLACE", "/tmp/rogue"),))  # noqa: S108


def _write(message: bytes) -> None:
    with os.fdopen(os.dup(_file()), "wb") as file:
        write_part(file, message)


def _file() -> int:
    """The file of the answer: the only one."""
    return next(number for number in range(3, 64) if os.path.exists(f"/proc/self/fd/{number}"))
