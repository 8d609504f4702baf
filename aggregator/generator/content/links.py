"""Addresses and media types as the output may carry them: web addresses in ASCII, types that apps know."""

from __future__ import annotations

import re
from urllib.parse import quote, urlsplit, urlunsplit

from aggregator.generator.content import plain_text
from aggregator.model.entry import Enclosure

# RFC 3986 section 2: what may stand in a path, query or fragment as it is ("%" too: nothing is encoded twice).
KEEP = "!#$%&'()*+,/:;=?@[]~-._"
PLAIN = re.compile(
    r"https?://[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*(?::\d{1,5})?(?:[/?#][A-Za-z0-9!#$%&'()*+,/:;=?@\[\]~._-]*)?"
)
MEDIA = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]*/[a-z0-9][a-z0-9!#$&^_.+-]*")
# A host has at most 253 characters (RFC 1035); urlsplit and IDNA take quadratic time for one of combining marks.
LONG_HOST = re.compile(r"[^/?#]*//[^/?#]{600}")
HOST = re.compile(r"[A-Za-z0-9.:\[\]_-]+")

# Apple's list of formats, and what else podcasts were seen to use; extension of the path to media type.
TYPES = {
    "mp3": "audio/mpeg", "m4a": "audio/x-m4a", "m4b": "audio/x-m4b", "aac": "audio/aac", "mp4": "video/mp4",
    "m4v": "video/x-m4v", "mov": "video/quicktime", "pdf": "application/pdf", "ogg": "audio/ogg", "oga": "audio/ogg",
    "opus": "audio/opus", "wav": "audio/wav", "flac": "audio/flac", "webm": "video/webm", "jpg": "image/jpeg",
    "jpeg": "image/jpeg", "png": "image/png", "gif": "image/gif", "webp": "image/webp", "zip": "application/zip",
}  # fmt: skip
# Names of audio/mpeg that apps do not all know.
SPELLINGS = {
    "audio/mp3": "audio/mpeg",
    "audio/mpeg3": "audio/mpeg",
    "audio/x-mpeg": "audio/mpeg",
    "audio/x-mp3": "audio/mpeg",
    "audio/mpg": "audio/mpeg",
    "audio/x-mpeg-3": "audio/mpeg",
}
VAGUE = frozenset(
    {
        "application/octet-stream",
        "binary/octet-stream",
        "application/x-download",
        "application/force-download",
        "text/plain",
        "text/html",
    }
)
SECRET = re.compile(r"(?i)(?:^|[&_-])(?:auth|key|apikey|pass|password|pwd|secret|sig|signature|token|user|uid)=")
FALLBACK = "application/octet-stream"


def web(value: str | None) -> str | None:
    """The http or https address in ASCII, nothing else changed; ``None`` where it is no web address.

    >>> web("https://example.org/ä b?x=1%20")
    'https://example.org/%C3%A4%20b?x=1%20'
    >>> web("javascript:alert(1)") is None
    True
    """
    if value is None or PLAIN.fullmatch(value):
        return value
    if LONG_HOST.match(value):
        return None
    try:
        parts = urlsplit("".join(plain_text.text(value).split("\n")))
        host = _host(parts.netloc)
    except ValueError:
        return None
    if parts.scheme.lower() not in {"http", "https"} or not host:
        return None
    path, query, fragment = (quote(piece, safe=KEEP) for piece in (parts.path, parts.query, parts.fragment))
    return urlunsplit((parts.scheme.lower(), host, path, query, fragment))


def public(value: str | None) -> str | None:
    """The web address of a source as it may be told to the world; ``None`` where it holds a name or a secret.

    >>> public("https://example.org/feed?token=1") is None
    True
    """
    address = web(value)
    if address is None or "@" in urlsplit(address).netloc or SECRET.search(urlsplit(address).query):
        return None
    return address


def media_type(enclosure: Enclosure) -> str:
    """The media type: the source's where it says something, else by the path's extension, else that of unknown bytes.

    >>> media_type(Enclosure("https://example.org/a.mp3?x=1"))
    'audio/mpeg'
    """
    given = (enclosure.type or "").split(";")[0].strip().lower()
    given = SPELLINGS.get(given, given)
    if MEDIA.fullmatch(given) and given not in VAGUE:
        return given
    return by_extension(enclosure.url) or (given if MEDIA.fullmatch(given) else FALLBACK)


def by_extension(address: str) -> str | None:
    """The media type that the path's extension stands for, ``None`` where it has none that is known."""
    path = re.split("[?#]", address, maxsplit=1)[0]
    return TYPES.get(path.rpartition(".")[2].lower())


def playable(media: str) -> bool:
    """Is this something that a podcast app plays?"""
    return media.startswith(("audio/", "video/"))


def _host(netloc: str) -> str | None:
    """The network location in ASCII (IDNA 2003, as the standard library has it), ``None`` where there is none."""
    if not netloc.isascii():
        netloc = netloc.encode("idna").decode("ascii")
    _, _, host = netloc.rpartition("@")
    return netloc if HOST.fullmatch(host) and host.strip(".:[]") else None
