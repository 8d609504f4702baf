"""Read a text in another encoding beside signs that are sound: "🎧 Ïðèâåò" is "🎧 Привет".

An emoji, a star, or a quote at the edge of a word may have been written after the text beside it was decoded: no page
has a byte for it, or another one. One such sign would keep all of the text from being read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import regex

from aggregator.text.mojibake.latin_pages import PART, is_doubtful
from aggregator.text.mojibake.other_encodings import count_odd_spots, is_of_windows
from aggregator.text.mojibake.word_choice import count_unknown_letters, is_known

_SIGNS = r"[\p{Emoji}\ufe0f\u200d★☆♪♫✓✗→►●--[\x00-\x7f©®™‼⁉ℹ↔Ⓜ▪▫▶◀◻-◾]]"
_DASHES, _QUOTES = r"(?<=\s)[–—](?=\s)|…(?=\s|\Z)", r"(?<!\S)[“„‘«]|[”’»](?=[\s.,;:!?)]|\Z)"
_ALONE, _UNQUOTED = regex.compile(_SIGNS, regex.V1), regex.compile(f"{_SIGNS}|{_DASHES}", regex.V1)
_EVERY, _OPENING = regex.compile(f"{_UNQUOTED.pattern}|{_QUOTES}", regex.V1), regex.compile(r"(?<!\S)[“„‘«]")
_WRONG = regex.compile("[⌠⌡■√]")  # what KOI8 has for the quotes and dashes of Windows
_TOKEN = regex.compile(r"\S+")
_STAND_IN = "\x1e"


def read_beside_signs(text: str, reader: Callable[[str], str]) -> str:
    """Return the text as it is read, or as it is read without its sound signs and words, with these in their places.

    The latter is taken if it has fewer sequences that no writer makes, and beside words more words that are known.
    """
    whole = reader(text)
    if _STAND_IN in text or (whole == text and not _may_be_wrong(text)):
        return whole
    # marks may be bytes of UTF-8 read as a page of Windows, a closing quote without an opening one those of any page
    marked = _EVERY if _OPENING.search(text) else _UNQUOTED
    pattern = _ALONE if is_of_windows(_ALONE.sub("", text)) else marked
    signs, words = _set_apart(text, pattern.finditer(text)), _set_apart(text, _find_known(text, pattern))
    beside_signs, beside_words = _read_between(*signs, reader), _read_between(*words, reader)
    best = beside_signs if whole == text or _rate(beside_signs) < _rate(whole) else whole
    is_better = _rate(beside_words) < _rate(best) and count_unknown_letters(beside_words) < count_unknown_letters(best)
    return beside_words if is_better else best


def _find_known(text: str, pattern: regex.Pattern[str]) -> Iterator[regex.Match[str]]:
    """Yield the words of a text that are known, beyond ASCII, and the signs of the others."""
    for token in _TOKEN.finditer(text):
        if not token[0].isascii() and is_known(token[0]):
            yield token
        elif not token[0].isascii():
            yield from pattern.finditer(text, token.start(), token.end())


def _read_between(bare: str, apart: Sequence[str], reader: Callable[[str], str]) -> str:
    """Return what is read of a text with stand-ins, with what was set apart in their places again."""
    read = reader(bare) if apart else bare
    if read.count(_STAND_IN) != len(apart):
        read = bare
    left = iter(apart)
    return "".join(next(left) if one == _STAND_IN else one for one in read)


def _set_apart(text: str, places: Iterable[regex.Match[str]]) -> tuple[str, list[str]]:
    """Return the text with stand-ins in these places, and what stood there."""
    parts, apart, end = [], [], 0
    for found in places:
        parts += [text[end : found.start()], _STAND_IN]
        apart.append(found[0])
        end = found.end()
    return "".join([*parts, text[end:]]), apart


def _may_be_wrong(text: str) -> bool:
    return count_odd_spots(text) > 0 or is_doubtful(text[:PART])


def _rate(text: str) -> int:
    return count_odd_spots(text) + len(_WRONG.findall(text))
