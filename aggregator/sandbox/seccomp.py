"""Take the network, writing and other processes from this process for good, by a seccomp filter (Linux).

The filter refuses system calls with EPERM. What is open stays open, files can still be read, modules imported. Numbers
of calls are those of the kernel's tables (arch/x86/entry/syscalls/syscall_64.tbl, include/uapi/asm-generic/unistd.h).
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

from msgspec import Struct

_Test = Literal["is", "lacks", "has"]
_Permitted = tuple[_Test, int]


class _Machine(Struct, frozen=True):
    """System calls of one kind of processor: those refused, those refused by an argument, those that are not known.

    ``arguments`` has for each call the index of an argument and what is permitted: that it is a value, that it has a
    bit, that it lacks some bits. ``unknown`` are calls whose arguments cannot be seen; the C library then takes others.
    """

    audit: int
    refused: tuple[int, ...]
    arguments: Mapping[int, tuple[int, _Test, int]]
    unknown: tuple[int, ...]


_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CLONE_THREAD = 0x10000
_OWNER = 0x8  # in fcntl's F_SETOWN, F_SETSIG, F_SETOWN_EX: any signal to any process; not in what Python uses
_SOCKET = 0x8000  # in ioctl's FIOSETOWN and SIOCSPGRP, which do the same; not in those of terminals


def _list_machines() -> dict[str, _Machine]:
    """Return the calls for each kind of processor, for this process."""
    own: _Permitted = ("is", os.getpid())
    itself: _Permitted = ("is", 0)
    lacks: _Permitted = ("lacks", _WRITING)
    thread: _Permitted = ("has", _CLONE_THREAD)
    no_owner: _Permitted = ("lacks", _OWNER)
    no_socket: _Permitted = ("lacks", _SOCKET)
    return {
        "x86_64": _Machine(
            0xC000003E,
            (
                41, 42, 49, 53,  # socket connect bind socketpair
                82, 83, 84, 85, 86, 87, 88, 258, 259, 133, 263, 264, 265, 266, 316,  # rename mkdir … creat link unlink
                76, 90, 91, 92, 93, 94, 260, 268, 452, 132, 235, 261, 280,  # truncate chmod chown utime
                188, 189, 190, 197, 198, 199, 240, 165, 304,  # xattr mq_open mount open_by_handle_at
                57, 58, 59, 322, 101, 310, 311, 200, 129, 297, 424, 434, 438,  # fork exec ptrace signals pidfd
                425, 321, 298, 250, 272, 308, 323,  # io_uring bpf perf keyctl unshare setns userfaultfd
                29, 30, 31, 64, 65, 66, 220, 68, 69, 70, 71, 319, 447,  # shared memory, semaphores, messages, memfd
                141, 142, 144, 203, 314, 251, 256, 279, 440, 448,  # priority, processors and memory of other processes
            ),
            {2: (1, *lacks), 257: (2, *lacks), 56: (0, *thread), 62: (0, *own), 234: (0, *own), 302: (0, *itself),
             72: (1, *no_owner), 16: (1, *no_socket)},
            (435, 437),  # clone3 openat2
        ),
        "aarch64": _Machine(
            0xC00000B7,
            (
                198, 203, 200, 199,  # in the same order
                38, 34, 33, 35, 36, 37, 276,
                45, 52, 53, 54, 55, 452, 88,
                5, 6, 7, 14, 15, 16, 180, 40, 265,
                221, 281, 117, 270, 271, 130, 138, 240, 424, 434, 438,
                425, 280, 241, 219, 97, 268, 282,
                194, 196, 195, 190, 193, 191, 192, 186, 189, 188, 187, 279, 447,
                140, 118, 119, 122, 274, 30, 238, 239, 440, 448,
            ),
            {56: (2, *lacks), 220: (0, *thread), 129: (0, *own), 131: (0, *own), 261: (0, *itself),
             25: (1, *no_owner), 29: (1, *no_socket)},
            (435, 437),
        ),
    }  # fmt: skip


def explain_lack() -> str:
    """Return why this machine knows no such filter, "" if it does."""
    if not sys.platform.startswith("linux") or os.uname().machine not in _list_machines():
        return "that needs Linux on x86-64 or ARM64"
    return "" if Path("/proc/sys/kernel/seccomp").exists() else "the kernel has no seccomp filters"


_PR_SET_DUMPABLE, _PR_SET_SECCOMP, _MODE_FILTER, _PR_SET_NO_NEW_PRIVS = 4, 22, 2, 38
_CAPABILITY_VERSION = 0x20080522
_INSTRUCTION = struct.Struct("HBBI")  # struct sock_filter: code, jump if true, jump if false, operand


def confine() -> bool:
    """Install the filter and give up all privileges for good; return whether it holds."""
    if explain_lack():
        return False
    program = b"".join(_make_filter(_list_machines()[os.uname().machine]))
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


def _make_filter(machine: _Machine) -> Iterator[bytes]:
    """Yield the instructions of the filter."""
    pack = _INSTRUCTION.pack
    yield pack(_LOAD, 0, 0, _AUDIT)
    yield pack(_EQUAL, 1, 0, machine.audit)
    yield pack(_RETURN, 0, 0, _KILL)
    yield pack(_LOAD, 0, 0, _NUMBER)
    yield pack(_AT_LEAST, 0, 1, _X32)
    yield pack(_RETURN, 0, 0, _REFUSE)
    for numbers, answer in ((machine.refused, _REFUSE), (machine.unknown, _UNKNOWN)):
        for number in numbers:
            yield pack(_EQUAL, 0, 1, number)
            yield pack(_RETURN, 0, 0, answer)
    for number, (index, test, value) in machine.arguments.items():
        yield pack(_EQUAL, 0, 4, number)
        yield pack(_LOAD, 0, 0, _ARGUMENTS + 8 * index)
        yield pack(_EQUAL if test == "is" else _ANY_BIT, *((0, 1) if test == "lacks" else (1, 0)), value)
        yield pack(_RETURN, 0, 0, _REFUSE)
        yield pack(_RETURN, 0, 0, _ALLOW)
    yield pack(_RETURN, 0, 0, _ALLOW)
