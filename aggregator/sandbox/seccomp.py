"""Leave this process only the system calls that reading a document needs, for good, by a seccomp filter (Linux).

The filter permits what is listed here, as the sandboxes of OpenSSH and Chromium do. A call that is known and not listed
is refused with EPERM, one of a later kernel with ENOSYS, so that the C library takes an older one. What is open stays
open, files can still be read, modules imported.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, Literal

from msgspec import Struct

_Test = Literal["is", "lacks", "has"]

_MACHINES: Final[Mapping[str, tuple[int, int]]] = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""The column of each kind of processor in the tables below, and its AUDIT_ARCH (include/uapi/linux/audit.h)."""

_Numbers = tuple[int, int | None]
"""The numbers of a call on x86-64 and ARM64, of the kernel's tables (arch/x86/entry/syscalls/syscall_64.tbl,
include/uapi/asm-generic/unistd.h); ``None`` where it has none."""

# fmt: off
_PERMITTED: Final[Mapping[str, _Numbers]] = {
    # open files: read, write, look
    "read": (0, 63), "write": (1, 64), "readv": (19, 65), "writev": (20, 66), "pread64": (17, 67),
    "pwrite64": (18, 68), "lseek": (8, 62), "close": (3, 57), "dup": (32, 23), "dup2": (33, None), "dup3": (292, 24),
    "fstat": (5, 80), "poll": (7, None), "ppoll": (271, 73), "select": (23, None), "pselect6": (270, 72),
    # names of files: look only
    "stat": (4, None), "lstat": (6, None), "newfstatat": (262, 79), "statx": (332, 291), "access": (21, None),
    "faccessat": (269, 48), "faccessat2": (439, 439), "readlink": (89, None), "readlinkat": (267, 78),
    "getcwd": (79, 17), "getdents64": (217, 61),
    # memory
    "brk": (12, 214), "mmap": (9, 222), "mprotect": (10, 226), "munmap": (11, 215), "mremap": (25, 216),
    "madvise": (28, 233),
    # threads and their locks
    "futex": (202, 98), "set_robust_list": (273, 99), "set_tid_address": (218, 96), "rseq": (334, 293),
    "membarrier": (324, 283), "sched_yield": (24, 124), "sched_getaffinity": (204, 123), "getcpu": (309, 168),
    # own signals, end
    "rt_sigaction": (13, 134), "rt_sigprocmask": (14, 135), "rt_sigreturn": (15, 139), "sigaltstack": (131, 132),
    "restart_syscall": (219, 128), "exit": (60, 93), "exit_group": (231, 94),
    # time
    "clock_gettime": (228, 113), "clock_getres": (229, 114), "clock_nanosleep": (230, 115), "nanosleep": (35, 101),
    "gettimeofday": (96, 169), "time": (201, None), "times": (100, 153),
    # facts about the process and the machine
    "getpid": (39, 172), "gettid": (186, 178), "getppid": (110, 173), "getuid": (102, 174), "geteuid": (107, 175),
    "getgid": (104, 176), "getegid": (108, 177), "getrusage": (98, 165), "getrlimit": (97, 163), "uname": (63, 160),
    "sysinfo": (99, 179), "getrandom": (318, 278),
}
# fmt: on

_ENOSYS: Final[Mapping[str, _Numbers]] = {"clone3": (435, 435), "openat2": (437, 437)}
"""Calls whose arguments a filter cannot see; the C library then takes an older one."""

_KNOWN: Final = (range(335), range(295)), range(424, 470)
"""The numbers that Linux 6.17 has, on each kind of processor and on all: those that are not listed are refused."""

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CLONE_THREAD = 0x10000
_FCNTL: Final = (0, 1, 2, 3, 1030)
"""F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC: no locks, leases, owners, seals or sizes of pipes."""

_IOCTL: Final = (0x5401, 0x5413, 0x541B, 0x5450, 0x5451)
"""TCGETS, TIOCGWINSZ, FIONREAD, FIONCLEX, FIOCLEX: what Python asks of a file that it opens."""


class _Condition(Struct, frozen=True):
    """A call that is permitted if one of its arguments is one of the values, lacks their bits, or has them."""

    numbers: _Numbers
    argument: tuple[int, int]
    test: _Test
    values: tuple[int, ...]


def _list_conditions() -> tuple[_Condition, ...]:
    """Return the calls that are permitted by an argument, for this process."""
    own = os.getpid()
    return (
        _Condition((2, None), (1, 1), "lacks", (_WRITING,)),  # open
        _Condition((257, 56), (2, 2), "lacks", (_WRITING,)),  # openat
        _Condition((56, 220), (0, 0), "has", (_CLONE_THREAD,)),  # clone
        _Condition((62, 129), (0, 0), "is", (own,)),  # kill
        _Condition((234, 131), (0, 0), "is", (own,)),  # tgkill
        _Condition((302, 261), (0, 0), "is", (0,)),  # prlimit64
        _Condition((72, 25), (1, 1), "is", _FCNTL),
        _Condition((16, 29), (1, 1), "is", _IOCTL),
    )


def explain_lack() -> str:
    """Return why this machine knows no such filter, "" if it does."""
    if not sys.platform.startswith("linux") or os.uname().machine not in _MACHINES:
        return "that needs Linux on x86-64 or ARM64"
    return "" if Path("/proc/sys/kernel/seccomp").exists() else "the kernel has no seccomp filters"


_PR_SET_DUMPABLE, _PR_SET_SECCOMP, _MODE_FILTER, _PR_SET_NO_NEW_PRIVS = 4, 22, 2, 38
_CAPABILITY_VERSION = 0x20080522
_INSTRUCTION = struct.Struct("HBBI")  # struct sock_filter: code, jump if true, jump if false, operand


def confine() -> bool:
    """Install the filter and give up all privileges for good; return whether it holds."""
    if explain_lack():
        return False
    program = b"".join(_make_filter(os.uname().machine))
    code = ctypes.create_string_buffer(program, len(program))
    head = ctypes.create_string_buffer(struct.pack("@HP", len(program) // _INSTRUCTION.size, ctypes.addressof(code)))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl.argtypes = (ctypes.c_int, *[ctypes.c_ulong] * 4)
    return bool(
        libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
        and libc.capset(struct.pack("II", _CAPABILITY_VERSION, 0), bytes(24)) == 0
        and libc.prctl(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.addressof(head), 0, 0) == 0
    )


def hide() -> None:
    """Refuse other processes of the account to read the memory and environment of this one (Linux)."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _AUDIT, _ARGUMENTS = 0, 4, 16  # where struct seccomp_data has them; an argument takes 8 bytes, low half first
_ALLOW, _ERROR, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_REFUSE, _UNKNOWN = _ERROR | errno.EPERM, _ERROR | errno.ENOSYS
_X32 = 0x40000000  # numbers from here on are the same calls by another table


def list_permitted(machine: str) -> tuple[int, ...]:
    """Return the numbers of the calls that are permitted on a kind of processor, whatever their arguments."""
    column, _ = _MACHINES[machine]
    return _pick(column, _PERMITTED.values())


def _pick(column: int, calls: Iterable[_Numbers]) -> tuple[int, ...]:
    return tuple(number for numbers in calls if (number := numbers[column]) is not None)


def _make_filter(machine: str) -> Iterator[bytes]:
    """Yield the instructions of the filter."""
    pack = _INSTRUCTION.pack
    column, audit = _MACHINES[machine]
    yield pack(_LOAD, 0, 0, _AUDIT)
    yield pack(_EQUAL, 1, 0, audit)
    yield pack(_RETURN, 0, 0, _KILL)
    yield pack(_LOAD, 0, 0, _NUMBER)
    yield pack(_AT_LEAST, 0, 1, _X32)
    yield pack(_RETURN, 0, 0, _REFUSE)
    for numbers, answer in ((list_permitted(machine), _ALLOW), (_pick(column, _ENOSYS.values()), _UNKNOWN)):
        for number in numbers:
            yield pack(_EQUAL, 0, 1, number)
            yield pack(_RETURN, 0, 0, answer)
    for each in _list_conditions():
        for number in _pick(column, [each.numbers]):
            yield pack(_EQUAL, 0, 2 + 2 * len(each.values), number)
            yield pack(_LOAD, 0, 0, _ARGUMENTS + 8 * each.argument[column])
            for value in each.values:
                yield pack(
                    _EQUAL if each.test == "is" else _ANY_BIT, *((1, 0) if each.test == "lacks" else (0, 1)), value
                )
                yield pack(_RETURN, 0, 0, _ALLOW)
            yield pack(_RETURN, 0, 0, _REFUSE)
    for known in (_KNOWN[0][column], _KNOWN[1]):
        yield pack(_AT_LEAST, 0, 2, known.start)
        yield pack(_AT_LEAST, 1, 0, known.stop)
        yield pack(_RETURN, 0, 0, _REFUSE)
    yield pack(_RETURN, 0, 0, _UNKNOWN)
