"""Choose the media file of an item from those that a source names."""

from __future__ import annotations

import html
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
_IN_QUERY = re.compile(rf"=[^&=]{{1,500}}\.({'|'.join(TYPES)})(?=&|$)", re.IGNORECASE)
_MAX_BYTES = 2**53  # bytes; more is no length, and no JSON number either
_DIGITS = len(str(_MAX_BYTES))
_KNOWN = {*TYPES.values(), "audio/mp3", "audio/mp4"}
_AUDIO = re.compile(r"audio/|application/ogg")
_PICTURES = {"jpg", "jpeg", "png", "gif", "webp", "avif", "svg", "bmp", "ico"}
_OTHER_FILES = {  # what an item encloses beside media
    *_PICTURES, "txt", "htm", "html", "php", "asp", "aspx", "xml", "rss", "json", "srt", "vtt", "md", "csv", "ics",
    "pdf", "epub", "doc", "docx", "odt", "ppt", "pptx", "xls", "xlsx", "zip", "gz", "tar", "rar", "7z", "torrent",
    "exe", "msi", "dmg", "apk", "deb", "iso", "swf",
}  # fmt: skip
_UNSPECIFIC = re.compile(
    r"(?:application|binary)/(?:octet-stream|(?:x-)?(?:force-)?download|force|binary|x-binary|unknown)|unknown/unknown|"
    r"\*/\*|audio|video|"
)


class Offer(NamedTuple):
    """A file of an item: address, type, length in bytes and duration in seconds, each as the source wrote it.

    ``enclosed`` says whether it stands in an element for the item's file, which may be audio whatever its type.
    """

    url: object
    type: object = None
    length: object = None
    duration: str | float | None = None
    enclosed: bool = False


class ChosenFile(NamedTuple):
    """The file to publish, ``None`` if none is audio or video, and its length in seconds as it was written."""

    enclosure: Enclosure | None = None
    duration: str | float | None = None

    @property
    def ids(self) -> tuple[tuple[str, str], ...]:
        """Return the host's id of the item, if the address has it."""
        found = audio_id(self.enclosure.url) if self.enclosure else None
        return (("simplecast", found),) if found else ()


def choose(*offers: Offer) -> ChosenFile:
    """Return the file to publish: MP3 before other audio before video before unknown, the first of the best.

    The type follows from the file's ending, else from the element and the declared type. A file that is neither text
    nor picture nor another known kind by its ending or type has no type, if it stands in an element for the item's
    file.
    """
    best, chosen = 0, ChosenFile()
    for offer in offers:
        url = clean_url(offer.url)
        kind = _find_type(offer.type, url) if url else ""
        rank = _rank(kind) or (1 if url and offer.enclosed and _may_be_media(kind, url) else 0)
        if url and rank > best:
            file = Enclosure(url, kind if rank > 1 and not kind.endswith("/*") else None, _parse_length(offer.length))
            best, chosen = rank, ChosenFile(file, offer.duration)
    return chosen


def is_picture(offer: Offer) -> bool:
    """Return whether a file of an item is a picture, by its ending or else its type."""
    kind, ending = offer.type.lower() if isinstance(offer.type, str) else "", _get_ending(str(offer.url))
    if kind.startswith("image/"):
        return ending not in TYPES
    return ending in _PICTURES and _UNSPECIFIC.fullmatch(kind) is not None


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


_RELATIVE = re.compile(
    r"""(<(?:a|img|audio|video|source|iframe)\s(?:[^<>]{0,300}\s)?(?:href|src)\s{0,3}=\s{0,3}(["']))"""
    r"""(?!\s*(?:[a-zA-Z][a-zA-Z0-9+.\-]{0,20}:|\#))([^"'<>]{1,2000})(?=\2)""",
    re.IGNORECASE,
)


def resolve_markup(base: str, markup: str) -> str:
    """Return HTML with its relative addresses resolved against the address of the page that it is of."""
    if "href" not in markup and "src" not in markup:
        return markup

    def resolve(match: re.Match[str]) -> str:
        url = resolve_url(base, html.unescape(match[3]))
        return match[1] + (html.escape(url) if url else match[3])

    return _RELATIVE.sub(resolve, markup)


def find_base(document: Document) -> str:
    """Return the base of a document's relative links: its address, for a snapshot its source's."""
    return document.source.url or document.url if document.url.startswith("file:") else document.url


def _find_type(named: object, url: str) -> str:
    """Return the media type by the file's ending, or as named where that is more exact; "" for neither."""
    if isinstance(named, str) and named in _KNOWN:
        return named
    kind = named.partition(";")[0].strip().lower() if isinstance(named, str) else ""
    by_ending = TYPES.get(_get_ending(url), "")
    if _rank(kind) and not kind.endswith("/*"):
        return kind
    return by_ending or kind


def _get_ending(url: str) -> str:
    """Return the ending of the file in an address, in lower case; "" if it has none.

    A script's address may name the file in its query: ``get.php?file=12.mp3``.
    """
    parts = urlsplit(url)
    name = parts.path.rpartition("/")[2]
    ending = name.rpartition(".")[2].lower() if "." in name else ""
    if parts.query and ending not in {*TYPES, *_PICTURES} and (named := _IN_QUERY.search(parts.query)):
        return named[1].lower()
    return ending


def _may_be_media(kind: str, url: str) -> bool:
    """Return whether nothing says that a file is something else than audio or video."""
    return _UNSPECIFIC.fullmatch(kind) is not None and _get_ending(url) not in _OTHER_FILES


def _rank(kind: str) -> int:
    """Return 4 for MP3, 3 for other audio, 2 for video, else 0."""
    if kind in {"audio/mpeg", "audio/mp3"}:
        return 4
    if _AUDIO.match(kind):
        return 3
    return 2 if kind.startswith("video/") else 0


def _parse_length(length: object) -> int | None:
    """Return a length in bytes; ``None`` for 0 and for what is no number."""
    text = (length.strip() if isinstance(length, str) else str(length)).removesuffix(".0")
    number = int(text) if len(text) <= _DIGITS and text.isascii() and text.isdecimal() else 0
    return number if 0 < number < _MAX_BYTES else None
