"""Publish to a folder, or to a bucket of an S3-compatible service."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any

from msgspec import Struct

from aggregator.generator import files
from aggregator.generator.files import Staged
from aggregator.model.files import FileState, WrittenFile


class Output(Struct, frozen=True):
    """The folder of published files, with one for each feed; with a ``bucket`` (``s3://…``) it is what stands there.

    ``path`` is then a folder of this machine for files on their way, which may be deleted at any time.
    """

    path: Path
    bucket: str | None = None

    def __str__(self) -> str:
        """Return it as a person names it."""
        return self.bucket or str(self.path)

    @property
    def staging(self) -> Path:
        """Return the folder in which files are written under temporary names."""
        return self.path / "write" if self.bucket else self.path

    def exists(self, folder: str, names: Collection[str]) -> bool:
        """Return whether any of the files is in the folder."""
        if self.bucket:
            return not self._bucket().find_objects(folder).keys().isdisjoint(names)
        return any((self.path / folder / name).exists() for name in names)

    def place(self, folder: str, staged: Staged) -> tuple[WrittenFile, ...]:
        """Publish what was staged for the folder; raise PublishError if that fails."""
        if not self.bucket:
            return files.place(self.path / folder, staged)
        try:
            written: tuple[WrittenFile, ...] = self._bucket().upload(folder, self.staging / folder, staged)
            return written
        finally:
            self.clear(folder)

    def read(self, folder: str, name: str) -> bytes:
        """Return a published file; raise OSError or PublishError if there is none."""
        return self._bucket().read(folder, name) if self.bucket else (self.path / folder / name).read_bytes()

    def replace(self, folder: str, name: str, content: bytes) -> None:
        """Publish one file of a folder anew; raise PublishError if that fails."""
        if self.bucket:
            self._bucket().write(folder, name, content)
        else:
            files.publish(self.path / folder, {name: content}, compress=True)

    def clear(self, folder: str) -> None:
        """Remove what was staged for the folder, as far as possible."""
        files.clear(self.staging / folder)
        if self.bucket and folder:
            with suppress(OSError):
                (self.staging / folder).rmdir()

    def remove_folder(self, folder: str, names: Collection[str]) -> int:
        """Remove a folder with these files, which are no longer published, and return how many; other files stay."""
        if not self.bucket:
            return files.remove_folder(self.path / folder, names)
        self._bucket().remove(folder, names)
        return len(names)

    def read_states(self, names: Sequence[str]) -> tuple[FileState, ...]:
        """Return files under the output as they are; of a bucket its :attr:`mark` stands in place of the time."""
        if self.bucket:
            folders = {name.rpartition("/")[0] for name in names}
            found = {
                f"{folder}/{name}".lstrip("/"): each
                for folder in folders
                for name, each in self._bucket().find_objects(folder).items()
            }
            return tuple(FileState(name, found[name].size, self.mark) for name in names)
        stats = ((name, os.stat(f"{self.path}/{name}")) for name in names)  # noqa: PTH116 - a Path takes four times as long
        return tuple(FileState(name, stat.st_size, stat.st_mtime_ns) for name, stat in stats)

    def are_unchanged(self, known: Sequence[FileState]) -> bool:
        """Return whether all the files are as they were written; false if there are none.

        What was written to a bucket is not looked at again: each look would be a request.
        """
        if self.bucket:
            return bool(known) and all(each.written == self.mark for each in known)
        try:
            return bool(known) and self.read_states([each.name for each in known]) == tuple(known)
        except OSError:
            return False

    @property
    def mark(self) -> int:
        """Return a number for the bucket: files that were written to another one do not count as written."""
        return int.from_bytes(blake2b(str(self).encode(), digest_size=7).digest())

    def open_folder(self, folder: str) -> Path:
        """Return a folder of this machine that has the published files of a folder, to read them."""
        if not self.bucket:
            return self.path / folder
        place = self.path / "read" / folder
        self._bucket().download(folder, place)
        return place

    def _bucket(self) -> Any:
        from aggregator.generator.storage.bucket import open_bucket  # noqa: PLC0415 - an extra

        return open_bucket(str(self))
