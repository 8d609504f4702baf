"""Read a text in another encoding beside signs that are sound: "🎧 Ïðèâåò" is "🎧 Привет".

An emoji, a star, or a quote at the edge of a word may have been written after the text beside it was decoded: no page
has a byte for it, or another one. One such sign would keep all of the text from being read.
"""

from __future__ import annotations

from collections.abc import Callable

import regex

from aggregator.text.mojibake.latin_pages import PART, is_doubtful
from aggregator.text.mojibake.other_encodings import count_odd_spots, is_of_windows

_SIGNS = r"[\p{Emoji}\ufe0f\u200d★☆♪♫✓✗→►●--[\x00-\x7f©®™‼⁉ℹ↔Ⓜ▪▫▶◀◻-◾]]"
_MARKS = r"(?<!\S)[“„‘«]|[”’…»](?=[\s.,;:!?)]|\Z)|(?<=\s)[–—](?=\s)"
_ALONE, _EVERY = regex.compile(_SIGNS, regex.V1), regex.compile(f"{_SIGNS}|{_MARKS}", regex.V1)
_WRONG = regex.compile("[⌠⌡■√]")  # what KOI8 has for the quotes and dashes of Windows
_STAND_IN = "\x1e"


def read_beside_signs(text: str, reader: Callable[[str], str]) -> str:
    """Return the text as it is read, or as it is read without its sound signs, with these in their places.

    The latter is taken if it is another text that has fewer sequences that no writer makes.
    """
    whole = reader(text)
    if not _EVERY.search(text) or _STAND_IN in text or (whole == text and not _may_be_wrong(text)):
        return whole
    # marks may be bytes of UTF-8 read as a page of Windows
    pattern = _ALONE if is_of_windows(_ALONE.sub("", text)) else _EVERY
    signs, bare = pattern.findall(text), pattern.sub(_STAND_IN, text)
    read = reader(bare)
    if read == bare or read.count(_STAND_IN) != len(signs) or (whole != text and _rate(whole) <= _rate(read)):
        return whole
    left = iter(signs)
    return "".join(next(left) if one == _STAND_IN else one for one in read)


def _may_be_wrong(text: str) -> bool:
    return count_odd_spots(text) > 0 or is_doubtful(text[:PART])


def _rate(text: str) -> int:
    return count_odd_spots(text) + len(_WRONG.findall(text))
