"""Publish to a bucket of an S3-compatible service, and read from it.

An object is replaced as a whole: half of one is never read. Archives and chapters are written first, the documents that
apps poll last, and what is not published any more is deleted at the end. An object is not written if it has these bytes
already: its ETag is their MD5 digest, except for buckets that encrypt with keys of KMS, where all are written.

A bucket has no copies packed as gzip: how a client gets a file is up to the network that delivers it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import cache
from hashlib import md5
from pathlib import Path
from typing import Final

from msgspec import Struct

from aggregator.errors import ConfigError, PublishError
from aggregator.generator.files import Staged, check_names
from aggregator.generator.storage.names import (
    PAGE,
    TYPES,
    find_media_type,
    find_page_language,
    is_archive,
    is_chapters,
    is_private,
    is_translation,
    make_cache_control,
)
from aggregator.model.files import WrittenFile
from aggregator.version import name_install

try:
    import obstore
    from obstore.exceptions import BaseError
    from obstore.store import S3Store
except ModuleNotFoundError as error:
    raise ConfigError(f"output: {error.name} is not installed: {name_install('s3')}") from error

_DOCUMENTS: Final = ("feed.json", "feed.atom", "feed.xml", "podcast.xml", "feeds.opml")
"""What apps poll, written last."""

_MESSAGE: Final = re.compile(r"<Message>([^<]+)</Message>")
_TRIED: Final = re.compile(r"Error performing (\w+) \S+ in \S+, after (\d+) retries, [^-]*- (.+)")
"""The message of object_store (0.12) about a request that had no answer."""

_LONGEST_REASON: Final = 300
_RETRIES: Final = 4
_RETRY_FOR: Final = timedelta(seconds=60)


class Object(Struct, frozen=True):
    """An object of a folder: its size in bytes and the digest of its content."""

    size: int
    digest: str


class Bucket:
    """A bucket, or what stands in it under a prefix; for use in several threads."""

    def __init__(self, address: str) -> None:
        """Open what ``s3://bucket/prefix`` names; credentials, region and endpoint are those of the environment."""
        self._address = address.rstrip("/")
        with self._translating_errors(""):
            self._store = S3Store.from_url(
                self._address, retry_config={"max_retries": _RETRIES, "retry_timeout": _RETRY_FOR}
            )

    def find_objects(self, folder: str) -> dict[str, Object]:
        """Return the published files of a folder by name; those of folders in it are left out."""
        with self._translating_errors(folder):
            found = obstore.list_with_delimiter(self._store, folder or None)["objects"]
        named = ((each["path"].rpartition("/")[2], each) for each in found)
        return {
            name: Object(each["size"], (each["e_tag"] or "").strip('"'))
            for name, each in named
            if Path(name).suffix in TYPES
        }

    def upload(self, folder: str, place: Path, staged: Staged) -> tuple[WrittenFile, ...]:
        """Write what was staged in an empty place, and delete archives and chapters that are outdated."""
        with self._translating_errors(folder):
            check_names(staged)
        present = self.find_objects(folder)
        parts = {name: place / part for part, name in staged.renames}
        private = PAGE in parts and is_private(parts[PAGE].read_bytes())
        changed = set()
        for name in sorted((each.name for each in staged.written), key=_rank):
            with self._translating_errors(folder):
                content = parts[name].read_bytes()
            if name not in present or present[name].digest != _digest(content):
                changed.add(name)
                self._write(folder, name, content, private=private)
        current = {each.name for each in staged.written}
        self.remove(folder, [each for each in present if each not in current and _is_optional(each)])
        return tuple(WrittenFile(each.name, changed=each.name in changed) for each in staged.written)

    def remove(self, folder: str, names: Collection[str]) -> None:
        """Delete objects of a folder; those that are not there are ignored."""
        with self._translating_errors(folder):
            if names:
                obstore.delete(self._store, [_join(folder, name) for name in names])

    def download(self, folder: str, place: Path) -> None:
        """Make the place, a folder of this machine, have the published files of a folder."""
        present = self.find_objects(folder)
        place.mkdir(parents=True, exist_ok=True)
        for path in place.iterdir():
            if path.name not in present:
                path.unlink()
        for name, known in present.items():
            path = place / name
            if not path.exists() or _digest(path.read_bytes()) != known.digest:
                part = path.with_name(f".{name}.part")
                part.write_bytes(self.read(folder, name))
                part.replace(path)

    def read(self, folder: str, name: str) -> bytes:
        """Return the content of an object; raise PublishError if there is none."""
        with self._translating_errors(folder):
            return bytes(obstore.get(self._store, _join(folder, name)).bytes())

    def write(self, folder: str, name: str, content: bytes) -> None:
        """Write one object of a published folder; raise PublishError if that fails."""
        private = PAGE in self.find_objects(folder) and is_private(self.read(folder, PAGE))
        self._write(folder, name, content, private=private)

    def _write(self, folder: str, name: str, content: bytes, *, private: bool) -> None:
        """Write one object, with its media type; raise PublishError if that fails."""
        attributes = {"Content-Type": find_media_type(name), "Cache-Control": make_cache_control(private=private)}
        if language := find_page_language(content):
            attributes["Content-Language"] = language
        with self._translating_errors(folder):
            obstore.put(self._store, _join(folder, name), content, attributes=attributes, use_multipart=False)

    @contextmanager
    def _translating_errors(self, folder: str) -> Iterator[None]:
        try:
            yield
        except (OSError, ValueError, BaseError) as error:
            place = _join(self._address, folder)
            raise PublishError(f"{place}: {_describe(error)}; the next refresh writes the rest") from error


@cache
def open_bucket(address: str) -> Bucket:
    """Return the bucket at the address, opened once for this process."""
    return Bucket(address)


def _is_optional(name: str) -> bool:
    """Return whether a file of this name is made for some editions of a feed only."""
    return is_archive(name) or is_chapters(name) or is_translation(name)


def _rank(name: str) -> int:
    """Return a number by which files are written in the order of their references to each other."""
    if _is_optional(name):
        return 0
    return 2 if name in _DOCUMENTS else 1


def _join(folder: str, name: str) -> str:
    return "/".join(filter(None, (folder, name)))


def _describe(error: Exception) -> str:
    """Return the service's message in an error, in one line; the whole text of the error if there is none."""
    text = str(error).partition("\n\nDebug source:")[0]
    message = _MESSAGE.search(text)
    if message is None and (tried := _TRIED.search(text)):
        return (
            f"no answer to {tried[1]}, asked {int(tried[2]) + 1} times: {' '.join(tried[3].split())[:_LONGEST_REASON]}"
        )
    return " ".join((message[1] if message else text).split())[:_LONGEST_REASON]


def _digest(content: bytes) -> str:
    return md5(content, usedforsecurity=False).hexdigest()
