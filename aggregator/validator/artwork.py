"""Check a show's artwork by its first bytes: the format of the picture, its size, and its colours.

Only the headers of PNG (PNG 1.2, section 11.2.2) and JPEG (ITU T.81, B.2.2) are read; no picture is decoded.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from aggregator.text.media_types import media_type_by_extension

# Apple and PSP-1: pixels of each side.
_MIN_PIXELS, _MAX_PIXELS = 1400, 3000
_PNG: Final = b"\x89PNG\r\n\x1a\n"
_JPEG: Final = b"\xff\xd8\xff"
# PNG's colour types with colours, and JPEG's number of components; the others are grey or made for printing.
_COLOURED: Final = frozenset({2, 3, 6})
_COMPONENTS: Final = 3
# JPEG's markers without a length, and those of a frame's header (all of C0 to CF but tables and DAC).
_BARE: Final = frozenset({0x01, *range(0xD0, 0xD8)})
_FRAMES: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}


class Picture(Struct, frozen=True):
    """Answers of the artwork's host to GET (on failure ``body`` is ``None`` and ``why`` the reason) and to HEAD.

    ``media_type`` is what the host calls it.
    """

    address: str
    body: bytes | None
    media_type: str | None = None
    head: bool = True
    why: str = ""


class _Measures(Struct, frozen=True):
    """A picture by its own bytes: its media type, its sides in pixels, and whether it is of red, green and blue."""

    kind: str
    width: int
    height: int
    coloured: bool


def measure(body: bytes) -> _Measures | None:
    r"""Measure a PNG or JPEG; ``None`` if it is neither, or cut off too early.

    >>> measure(_PNG + b"\0\0\0\rIHDR" + bytes((0, 0, 5, 120, 0, 0, 5, 120, 8, 2)))
    _Measures(kind='image/png', width=1400, height=1400, coloured=True)
    """
    if body.startswith(_PNG) and len(body) >= 26 and body[12:16] == b"IHDR":  # noqa: PLR2004 - up to its colour type
        width, height = struct.unpack(">II", body[16:24])
        return _Measures("image/png", width, height, body[25] in _COLOURED)
    return _measure_jpeg(body) if body.startswith(_JPEG) else None


def _measure_jpeg(body: bytes) -> _Measures | None:
    at = 2
    while at + 10 <= len(body):
        if body[at] != 0xFF:  # noqa: PLR2004 - every marker begins so
            return None
        marker = body[at + 1]
        if marker == 0xFF or marker in _BARE:  # noqa: PLR2004 - a fill byte
            at += 1 if marker == 0xFF else 2  # noqa: PLR2004
            continue
        length = int.from_bytes(body[at + 2 : at + 4], "big")
        if marker in _FRAMES:
            height, width, components = struct.unpack(">HHB", body[at + 5 : at + 10])
            return _Measures("image/jpeg", width, height, components == _COMPONENTS)
        at += 2 + max(length, 2)
    return None


def find_faults(picture: Picture) -> Iterator[str]:
    """Yield what directories refuse or show badly."""
    if picture.body is None:
        yield f"cannot be fetched: {picture.why or 'nothing came back'}"
        return
    if not picture.head:
        yield "its host does not answer HEAD, by which Apple looks for new artwork"
    found = measure(picture.body)
    if found is None:
        yield f"is neither PNG nor JPEG ({picture.media_type or 'of no type'}, {len(picture.body):,} bytes)"
        return
    named = media_type_by_extension(picture.address)
    if named is not None and named != found.kind:
        yield f"is {found.kind}, but its extension is that of {named}"
    if picture.media_type != found.kind:
        yield f"is {found.kind}, and is served as {picture.media_type}"
    if found.width != found.height:
        yield f"is not square: {found.width} by {found.height} pixels"
    if min(found.width, found.height) < _MIN_PIXELS or max(found.width, found.height) > _MAX_PIXELS:
        yield f"has {found.width} by {found.height} pixels; Apple asks for 1,400 to 3,000 a side"
    if not found.coloured:
        yield "is grey or made for printing; Apple asks for RGB"
