"""Publish files completely or not at all.

All files are first written under temporary names and flushed to disk (:func:`stage`), then renamed (:func:`place`),
which may be done by another process. A file whose bytes are the same is not touched, so its time and ETag stay. The
time of a new version is later than the old one's by at least a second, because static servers make ETags from size and
whole seconds.
"""

from __future__ import annotations

import errno
import gzip
import os
import re
import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from msgspec import Struct

from aggregator.errors import PublishError
from aggregator.model.files import WrittenFile

_PART = ".part"
_LEFTOVER = re.compile(r"\.[A-Za-z0-9][A-Za-z0-9._-]*\.[0-9a-f]{16}\.part")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)+")
_GZIP = 3
"""The level of gzip: a third of the time of 6, for 5 % more bytes (docs/performance.md)."""

_PACKED = ".gz"
_ENDINGS = (_PACKED, ".br")
"""Of packed copies that are removed with a file; until November 2026 brotli copies were written, too."""


class Staged(Struct, frozen=True):
    """The files of one folder under temporary names; ``outdated`` are published ones that are removed at the end.

    ``renames`` are the names of files that are new, the temporary and the published one.
    """

    written: tuple[WrittenFile, ...] = ()
    renames: tuple[tuple[str, str], ...] = ()
    compress: bool = False
    outdated: tuple[str, ...] = ()


def publish(
    folder: Path, files: Mapping[str, bytes] | Iterable[tuple[str, bytes]], *, compress: bool = False
) -> tuple[WrittenFile, ...]:
    """Write the files of one feed together, as :func:`stage` and :func:`place` do one after the other."""
    return place(folder, stage(folder, files, compress=compress))


def stage(folder: Path, files: Mapping[str, bytes] | Iterable[tuple[str, bytes]], *, compress: bool = False) -> Staged:
    """Write files under temporary names; with ``compress`` a ``.gz`` beside each.

    Names are the program's own, never a source's. Raises PublishError if a file cannot be written; no temporary file is
    left then.
    """
    renames: list[tuple[str, str]] = []
    written: list[WrittenFile] = []
    with _unchanged_on_failure(folder):
        folder.mkdir(parents=True, exist_ok=True)
        _sweep(folder)
        for name, content in files.items() if isinstance(files, Mapping) else files:
            if not _NAME.fullmatch(name):
                raise OSError(errno.EINVAL, f"{name!r} is not a name for a published file")
            made = _prepare(folder / name, content, compress=compress)
            written.append(WrittenFile(name, changed=any(new == name for _, new in made)))
            renames += made
        for part, _ in renames:
            _flush(folder / part)
    return Staged(tuple(written), tuple(renames), compress)


def place(folder: Path, staged: Staged) -> tuple[WrittenFile, ...]:
    """Give staged files their names; raise PublishError, with the old files as they were, if that fails."""
    with _unchanged_on_failure(folder):
        check_names(staged)
        _remove_siblings(folder, (one.name for one in staged.written if one.changed or not staged.compress))
        for part, name in staged.renames:
            (folder / part).replace(folder / name)
        if staged.renames:
            _flush(folder)
    remove(folder, staged.outdated)
    return staged.written


def check_names(staged: Staged) -> None:
    """Raise OSError if a name is not the program's own: what was staged comes from a process with foreign documents."""
    names = [*(each.name for each in staged.written), *(name for _, name in staged.renames), *staged.outdated]
    if not (all(map(_NAME.fullmatch, names)) and all(_LEFTOVER.fullmatch(part) for part, _ in staged.renames)):
        raise OSError(errno.EINVAL, "not a name for a published file")


def clear(folder: Path) -> None:
    """Remove temporary files, as far as possible."""
    with suppress(OSError):
        _sweep(folder)


@contextmanager
def _unchanged_on_failure(folder: Path) -> Iterator[None]:
    """Remove the temporary files if the body fails, and raise its OSError as PublishError."""
    done = False
    try:
        yield
        done = True
    except OSError as error:
        raise PublishError(
            f"{folder}: cannot publish ({error.strerror or error}); the old files are unchanged"
        ) from error
    finally:
        if not done:
            clear(folder)


def _sweep(folder: Path) -> None:
    """Remove the temporary files that a killed run left."""
    for path in folder.iterdir():
        if _LEFTOVER.fullmatch(path.name):
            path.unlink(missing_ok=True)


def remove(folder: Path, names: Iterable[str]) -> None:
    """Remove published files with their compressed copies; raise PublishError if that fails."""
    try:
        gone = tuple(names)
        for name in gone:
            (folder / name).unlink(missing_ok=True)
        if gone:
            _remove_siblings(folder, gone)
            _flush(folder)
    except OSError as error:
        raise PublishError(f"{folder}: cannot remove outdated files ({error.strerror or error})") from error


def remove_folder(folder: Path, names: Iterable[str]) -> int:
    """Remove a folder with these files, which are no longer published, and return how many were there.

    Other files in it stay, and then it does too; what a killed run left under temporary names is removed.
    """
    if not folder.is_dir():
        return 0
    present = [name for name in names if (folder / name).exists()]
    remove(folder, names)
    with suppress(OSError):
        _sweep(folder)
        folder.rmdir()
    return len(present)


def _prepare(place: Path, content: bytes, *, compress: bool) -> list[tuple[str, str]]:
    """Write a file and its compressed copy under temporary names, unless they are up to date."""
    renames: list[tuple[str, str]] = []
    if place.is_file() and place.stat().st_size == len(content) and place.read_bytes() == content:
        stamp = int(place.stat().st_mtime)
    else:
        part = _write(place, content)
        stamp = _set_time(part, place)
        renames.append((part.name, place.name))
    sibling = place.with_name(place.name + _PACKED)
    if compress and (not sibling.is_file() or int(sibling.stat().st_mtime) != stamp):
        beside = _write(sibling, gzip.compress(content, _GZIP, mtime=0))  # without a time: the same bytes each time
        os.utime(beside, (stamp, stamp))
        renames.append((beside.name, sibling.name))
    return renames


def _write(place: Path, content: bytes) -> Path:
    """Write a temporary file without flushing it.

    All are flushed together before the first is renamed: then the file system's journal is written for the first of
    them, and has nothing left to do for the others (ext4: half the processor time of 24 files).
    """
    part = place.with_name(f".{place.name}.{secrets.token_hex(8)}{_PART}")
    with part.open("xb") as handle:
        handle.write(content)
    return part


def _set_time(part: Path, place: Path) -> int:
    """Set the time of the new version in whole seconds, later than the old version's."""
    now = int(part.stat().st_mtime)
    stamp = max(now, int(place.stat().st_mtime) + 1) if place.exists() else now
    os.utime(part, (stamp, stamp))
    return stamp


def _remove_siblings(folder: Path, names: Iterable[str]) -> None:
    """Remove the compressed copies of files that are about to be replaced, or that have none any more.

    Static servers serve a compressed copy without looking at its file, and the plain file if there is no copy.
    """
    for name in names:
        for ending in _ENDINGS:
            (folder / f"{name}{ending}").unlink(missing_ok=True)


def _flush(path: Path) -> None:
    """Flush a file, or the renames within a folder, to disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
