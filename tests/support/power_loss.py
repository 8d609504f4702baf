"""What a folder has after a power loss: system calls, recorded by strace, are replayed up to each fsync.

A disk keeps what was flushed. Of the rest it may have everything, nothing, or the names without the content (a file
system that writes its journal first, as XFS and ext4 with data=writeback do); all three are made. Flushing a new file
keeps its name too, as these file systems do, and Btrfs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

CALLS = "openat,write,pwrite64,ftruncate,rename,renameat,renameat2,unlink,unlinkat,mkdir,fsync,fdatasync"
NEVER = "sendfile,copy_file_range,link,linkat,fallocate,writev,pwritev,truncate"
"""Calls that are not replayed: none may concern the folder."""

_LINE = re.compile(r"(\d+) +(?:(\w+)\((.*)|<\.\.\. (\w+) resumed>(.*))")
_HEX = re.compile(r"(?:\\x[0-9a-f]{2})+")
_STRING = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
_OPENED = re.compile(r"<((?:\\x[0-9a-f]{2})+)>")

State = dict[str, bytes]
"""The content of each file by its path."""


@dataclass(eq=False)
class _File:
    now: bytearray
    kept: bytes
    at: int = 0


@dataclass
class _Disk:
    """Files by path as programs see them, and as they are kept."""

    now: dict[str, _File]
    kept: dict[str, _File] = field(default_factory=dict)

    def flush(self, path: str) -> None:
        """Keep the content of a file and its name, or the names of a folder."""
        if path in self.now:
            self.now[path].kept = bytes(self.now[path].now)
            if all(file is not self.now[path] for file in self.kept.values()):
                self.kept[path] = self.now[path]
        else:
            inside = re.compile(rf"{re.escape(path)}/[^/]+")
            others = {name: file for name, file in self.kept.items() if not inside.fullmatch(name)}
            self.kept = others | {name: file for name, file in self.now.items() if inside.fullmatch(name)}

    def states(self) -> Iterator[tuple[str, State]]:
        yield "flushed", {name: file.kept for name, file in self.kept.items()}
        yield "names", {name: file.kept for name, file in self.now.items()}
        yield "all", {name: bytes(file.now) for name, file in self.now.items()}


def trace_command(trace: Path) -> tuple[str, ...]:
    """The words before a command that is recorded."""
    return ("strace", "-f", "-y", "-xx", "-s", "100000000", "-o", str(trace), "-e", f"trace={CALLS},{NEVER}")


def replay(trace: Path, folder: Path, before: State) -> Iterator[tuple[str, State]]:
    """The states of a folder, which had the files ``before``, at each fsync of it, each with what it is."""
    disk = _Disk({name: _File(bytearray(content), content) for name, content in before.items()})
    disk.kept = dict(disk.now)
    number = 0
    for call, words in _read_calls(trace):
        path, *_ = paths = [path for path in _find_paths(call, words, folder) if path is not None] or [None]
        if path is None or path.endswith("-shm"):
            continue
        assert call not in NEVER.split(","), words
        if call in ("fsync", "fdatasync"):
            number += 1
            yield from ((f"{kind} at {call} {number} of {path}", state) for kind, state in disk.states())
            disk.flush(path)
        else:
            _change(disk, call, words, [each for each in paths if each is not None])
    yield from ((f"{kind} at the end", state) for kind, state in disk.states())


def _change(disk: _Disk, call: str, words: str, paths: list[str]) -> None:
    path = paths[0]
    if call == "openat":
        if "O_CREAT" in words and path not in disk.now:
            disk.now[path] = _File(bytearray(), b"")
        if "O_TRUNC" in words:
            del disk.now[path].now[:]
        if path in disk.now:
            disk.now[path].at = len(disk.now[path].now) if "O_APPEND" in words else 0
    elif call in ("write", "pwrite64"):
        file = disk.now[path]
        [content] = [_unescape(each) for each in _STRING.findall(words)]
        count = int(words.rpartition("= ")[2])
        place = int(words.rpartition(")")[0].rpartition(", ")[2]) if call == "pwrite64" else file.at
        file.now.extend(bytes(max(0, place - len(file.now))))
        file.now[place : place + count] = content[:count]
        file.at = place + count if call == "write" else file.at
    elif call == "ftruncate":
        file, size = disk.now[path], int(words.rpartition(")")[0].rpartition(", ")[2])
        file.now[:] = file.now[:size].ljust(size, b"\0")
    elif call.startswith("rename"):
        disk.now[paths[1]] = disk.now.pop(path)
    elif call.startswith("unlink"):
        disk.now.pop(path, None)


def _read_calls(trace: Path) -> Iterator[tuple[str, str]]:
    """Calls that succeeded, in the order of their ends, each with its arguments and result."""
    begun: dict[str, str] = {}
    for line in trace.read_text("ascii").splitlines():
        if (met := _LINE.match(line)) is None:
            continue
        task, call, words, resumed, rest = met.groups()
        if resumed:
            call, words = resumed, begun.pop(task) + rest
        elif words.endswith("<unfinished ...>"):
            begun[task] = words.removesuffix("<unfinished ...>")
            continue
        if not re.search(r"= -1 E|= \?$", words):
            yield call, words


def _find_paths(call: str, words: str, folder: Path) -> Iterator[str | None]:
    """The paths that a call concerns, under the folder; ``None`` for others."""
    arguments, _, result = words.rpartition("= ")
    within = folder
    if call == "openat":
        found = _OPENED.findall(result)
    elif call.startswith(("rename", "unlink", "mkdir", "link")):
        found = _STRING.findall(arguments)
        for one in _OPENED.findall(arguments)[:1]:  # of a call that ends with "at": names are relative to it
            within = Path(_unescape(one).decode("utf-8", "replace"))
    else:
        found = _OPENED.findall(_STRING.sub("", arguments))[:1]
    for one in found:
        text = _unescape(one).decode("utf-8", "replace")
        path = within / text
        is_file = not text.endswith(("]", "(deleted)")) and path.is_relative_to(folder)
        yield str(path.relative_to(folder)) if is_file else None


def _unescape(text: str) -> bytes:
    return bytes.fromhex(text.replace("\\x", ""))
