"""Media types of enclosures: what sources write, and what the extension of an address says."""

from __future__ import annotations

import re

from aggregator.model.entry import Enclosure

MEDIA_TYPE = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]*/[a-z0-9][a-z0-9!#$&^_.+-]*")
# Apple's list of formats, and what else podcasts were seen to use; extension of the path to media type.
TYPES = {
    "mp3": "audio/mpeg", "m4a": "audio/x-m4a", "m4b": "audio/x-m4b", "aac": "audio/aac", "mp4": "video/mp4",
    "m4v": "video/x-m4v", "mov": "video/quicktime", "pdf": "application/pdf", "ogg": "audio/ogg", "oga": "audio/ogg",
    "opus": "audio/opus", "wav": "audio/wav", "flac": "audio/flac", "webm": "video/webm", "jpg": "image/jpeg",
    "jpeg": "image/jpeg", "png": "image/png", "gif": "image/gif", "webp": "image/webp", "zip": "application/zip",
}  # fmt: skip
# Names of audio/mpeg that apps do not all know.
SPELLINGS = dict.fromkeys(
    ("audio/mp3", "audio/mpeg3", "audio/x-mpeg", "audio/x-mp3", "audio/mpg", "audio/x-mpeg-3"), "audio/mpeg"
)
VAGUE_TYPES = frozenset(
    {
        "application/octet-stream", "binary/octet-stream", "application/x-download", "application/force-download",
        "text/plain", "text/html",
    }
)  # fmt: skip
UNKNOWN_TYPE = "application/octet-stream"


def find_media_type(enclosure: Enclosure) -> str:
    """Return the media type: the source's if it is specific, else by the extension, else that of unknown bytes.

    >>> find_media_type(Enclosure("https://example.org/a.mp3?x=1"))
    'audio/mpeg'
    """
    given = (enclosure.type or "").split(";")[0].strip().lower()
    given = SPELLINGS.get(given, given)
    if MEDIA_TYPE.fullmatch(given) and given not in VAGUE_TYPES:
        return given
    return media_type_by_extension(enclosure.url) or (given if MEDIA_TYPE.fullmatch(given) else UNKNOWN_TYPE)


def media_type_by_extension(address: str) -> str | None:
    """Return the media type for the extension of a URL's path; ``None`` if it is unknown."""
    path = re.split("[?#]", address, maxsplit=1)[0]
    return TYPES.get(path.rpartition(".")[2].lower())
