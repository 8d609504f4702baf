"""The media file of an item, chosen from all that a source names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

from aggregator.model.entry import Enclosure
from aggregator.model.source import Document
from aggregator.text.urls import is_plain, is_web

TYPES = {
    "mp3": "audio/mpeg", "mpga": "audio/mpeg", "m4a": "audio/x-m4a", "m4b": "audio/x-m4b", "aac": "audio/aac",
    "ogg": "audio/ogg", "oga": "audio/ogg", "opus": "audio/opus", "wav": "audio/wav", "flac": "audio/flac",
    "mp4": "video/mp4", "m4v": "video/x-m4v", "mov": "video/quicktime", "webm": "video/webm", "ogv": "video/ogg",
}  # fmt: skip
LARGEST = 2**53  # bytes; more is no length, and no JSON number either
DIGITS = len(str(LARGEST))
KNOWN = {*TYPES.values(), "audio/mp3", "audio/mp4"}
AUDIO = re.compile(r"audio/|application/ogg")


class Offer(NamedTuple):
    """A file as a source offers it: address, type, length in bytes and length in seconds, each as it was written."""

    url: object
    type: object = None
    length: object = None
    duration: object = None


def chosen(offers: Iterable[Offer]) -> tuple[Enclosure, Offer] | None:
    """The file to publish and the offer it came from: MP3 before other audio before video, the first of the best.

    ``None`` where none is audio or video. A type that is missing or says nothing is told by the file's ending.
    """
    best: tuple[int, Enclosure, Offer] | None = None
    for offer in offers:
        url = address(offer.url)
        kind = _kind(offer.type, url) if url else ""
        if url and (rank := _rank(kind)) and (best is None or rank > best[0]):
            best = (rank, Enclosure(url, None if kind.endswith("/*") else kind, length(offer.length)), offer)
    return best[1:] if best else None


def address(url: object) -> str | None:
    """A web address with the blanks that some feeds leave in file names made ``%20``; ``None`` for anything else."""
    if not isinstance(url, str):
        return None
    if is_plain(url):
        return url
    url = url.strip().replace(" ", "%20")
    return url if is_web(url) else None


def absolute(base: str, url: object) -> str | None:
    """The web address that a link on the page at ``base`` leads to; ``None`` where it leads nowhere on the web."""
    if isinstance(url, str) and is_plain(url):
        return url
    try:
        return address(urljoin(base, url.strip())) if isinstance(url, str) and url.strip() else None
    except ValueError:
        return None


def base(document: Document) -> str:
    """Where the relative links of a document start: where it came from, for a recording where its source is."""
    return document.source.url or document.url if document.url.startswith("file:") else document.url


def _kind(named: object, url: str) -> str:
    """The media type as it is named, or by the file's ending where the name is none or says nothing; "" for neither."""
    if isinstance(named, str) and named in KNOWN:
        return named
    kind = named.partition(";")[0].strip().lower() if isinstance(named, str) and "/" in named else ""
    if kind and not kind.endswith(("/octet-stream", "/*")) and not kind.startswith("text/"):
        return kind
    return TYPES.get(urlsplit(url).path.rpartition(".")[2].lower(), kind)


def _rank(kind: str) -> int:
    """4 for MP3, 3 for other audio, 2 for video, 0 for what is neither."""
    if kind in {"audio/mpeg", "audio/mp3"}:
        return 4
    if AUDIO.match(kind):
        return 3
    return 2 if kind.startswith("video/") else 0


def length(said: object) -> int | None:
    """A length in bytes; ``None`` for 0 and for what is none."""
    text = said.strip() if isinstance(said, str) else str(said)
    number = int(text) if len(text) <= DIGITS and text.isascii() and text.isdecimal() else 0
    return number if 0 < number < LARGEST else None
