"""Choose the media file of an item from those that a source names."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

from aggregator.model.entry import Enclosure
from aggregator.model.source import Document
from aggregator.text.urls import audio_id, is_plain, is_web

TYPES = {
    "mp3": "audio/mpeg", "mpga": "audio/mpeg", "m4a": "audio/x-m4a", "m4b": "audio/x-m4b", "aac": "audio/aac",
    "ogg": "audio/ogg", "oga": "audio/ogg", "opus": "audio/opus", "wav": "audio/wav", "flac": "audio/flac",
    "mp4": "video/mp4", "m4v": "video/x-m4v", "mov": "video/quicktime", "webm": "video/webm", "ogv": "video/ogg",
}  # fmt: skip
_LARGEST = 2**53  # bytes; more is no length, and no JSON number either
_DIGITS = len(str(_LARGEST))
_KNOWN = {*TYPES.values(), "audio/mp3", "audio/mp4"}
_AUDIO = re.compile(r"audio/|application/ogg")


class Offer(NamedTuple):
    """A file of an item: address, type, length in bytes and duration in seconds, each as the source wrote it."""

    url: object
    type: object = None
    length: object = None
    duration: str | float | None = None


class Choice(NamedTuple):
    """The file to publish, ``None`` if none is audio or video, and its length in seconds as it was written."""

    enclosure: Enclosure | None = None
    duration: str | float | None = None

    @property
    def ids(self) -> tuple[tuple[str, str], ...]:
        """Return the host's id of the item, if the address has it."""
        found = audio_id(self.enclosure.url) if self.enclosure else None
        return (("simplecast", found),) if found else ()


def choose(*offers: Offer) -> Choice:
    """Return the file to publish: MP3 before other audio before video, the first of the best.

    A missing or vague type is derived from the file's ending.
    """
    best, chosen = 0, Choice()
    for offer in offers:
        url = clean_url(offer.url)
        kind = _find_type(offer.type, url) if url else ""
        if url and (rank := _rank(kind)) > best:
            file = Enclosure(url, None if kind.endswith("/*") else kind, _parse_length(offer.length))
            best, chosen = rank, Choice(file, offer.duration)
    return chosen


def clean_url(url: object) -> str | None:
    """Return a web address, blanks in file names as ``%20``; ``None`` for anything else."""
    if not isinstance(url, str):
        return None
    if is_plain(url):
        return url
    url = url.strip().replace(" ", "%20")
    return url if is_web(url) else None


def resolve_url(base: str, url: object) -> str | None:
    """Return the web address of a link on the page at ``base``; ``None`` if it is none."""
    if isinstance(url, str) and is_plain(url):
        return url
    try:
        return clean_url(urljoin(base, url.strip())) if isinstance(url, str) and url.strip() else None
    except ValueError:
        return None


def find_base(document: Document) -> str:
    """Return the base of a document's relative links: its address, for a snapshot its source's."""
    return document.source.url or document.url if document.url.startswith("file:") else document.url


def _find_type(named: object, url: str) -> str:
    """Return the media type as named, else by the file's ending, else ""."""
    if isinstance(named, str) and named in _KNOWN:
        return named
    kind = named.partition(";")[0].strip().lower() if isinstance(named, str) and "/" in named else ""
    if kind and not kind.endswith(("/octet-stream", "/*")) and not kind.startswith("text/"):
        return kind
    return TYPES.get(urlsplit(url).path.rpartition(".")[2].lower(), kind)


def _rank(kind: str) -> int:
    """Return 4 for MP3, 3 for other audio, 2 for video, else 0."""
    if kind in {"audio/mpeg", "audio/mp3"}:
        return 4
    if _AUDIO.match(kind):
        return 3
    return 2 if kind.startswith("video/") else 0


def _parse_length(length: object) -> int | None:
    """Return a length in bytes; ``None`` for 0 and for what is no number."""
    text = length.strip() if isinstance(length, str) else str(length)
    number = int(text) if len(text) <= _DIGITS and text.isascii() and text.isdecimal() else 0
    return number if 0 < number < _LARGEST else None
