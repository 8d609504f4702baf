"""Find whether two titles differ in one word, where damage would have left it out, cut it or misspelt it."""

from __future__ import annotations

import re

from rapidfuzz.distance import OSA

from aggregator.text.titles.markers import read_number

_MOST = 2  # words on each side
_BEFORE = 2  # words that both titles begin with: before these stand decorations ("Listen now: X", "Puntata 12: X")
_MISSPELT = 0.7  # similarity from which one word may be a damaged form of the other
_ARTICLES = frozenset(
    {
        *("the", "a", "an", "der", "die", "das", "den", "dem", "des", "ein", "eine", "einen", "einem", "einer"),
        *("le", "la", "les", "l", "un", "une", "el", "los", "las", "una", "o", "os", "as", "um", "uma"),
        *("il", "lo", "gli", "i", "de", "het", "een", "en", "ett", "az", "egy"),
    }
)
_COUNTED = re.compile(r"(\d+)(?:st|nd|rd|th|er|e|a|o)")  # "4th", "4e", "4ª" in compatibility form


def find_replaced_word(one: str, other: str) -> str | None:
    """Return the word of the first title in whose place the other has another one; ``None`` if they differ otherwise.

    Up to two words on each side count as one. Not counted are a word that is cut, misspelt (letters that changed places
    are one mistake), abbreviated or written as a number, articles, and words of two scripts.

    >>> find_replaced_word("the night library hour one", "the night library hour two")
    'one'
    >>> find_replaced_word("the night library volume 2", "the night library vol two")
    >>> find_replaced_word("listen now the night library", "new episode the night library")
    """
    left, right = one.split(), other.split()
    begin, least = 0, min(len(left), len(right))
    while begin < least and left[begin] == right[begin]:
        begin += 1
    end = 0
    while end < least - begin and left[-1 - end] == right[-1 - end]:
        end += 1
    left, right = left[begin : len(left) - end], right[begin : len(right) - end]
    if begin < _BEFORE or not 0 < len(left) <= _MOST or not 0 < len(right) <= _MOST:
        return None
    if len(left) == len(right):
        return next((word for word, another in zip(left, right, strict=True) if _is_another(word, another)), None)
    return left[0] if _is_another(left[0], right[0]) and _is_another("".join(left), "".join(right)) else None


def _is_another(one: str, other: str) -> bool:
    """Return whether two words are no forms of one word."""
    if one in _ARTICLES and other in _ARTICLES:
        return False
    numbers = _read_number(one), _read_number(other)
    if None not in numbers:
        return numbers[0] != numbers[1]
    short, long = sorted((one, other), key=len)
    is_form = long.startswith(short) or (short[0] == long[0] and _is_within(short, long))
    if is_form or one.isascii() != other.isascii():
        return False
    return OSA.normalized_similarity(one, other) < _MISSPELT


def _read_number(word: str) -> int | None:
    return int(found[1]) if (found := _COUNTED.fullmatch(word)) else read_number(word)


def _is_within(short: str, long: str) -> bool:
    """Return whether a word has the letters of a shorter one in their order, as of an abbreviation."""
    letters = iter(long)
    return all(letter in letters for letter in short)
