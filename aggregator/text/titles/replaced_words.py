"""Find whether two titles differ in a word where damage would have left it out, cut it or misspelt it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rapidfuzz.distance import OSA

from aggregator.text.titles.markers import read_number

_MAX_WORDS = 2  # words on each side
_BEFORE = 2  # words that both titles begin with: before these stand decorations ("Listen now: X", "Puntata 12: X")
_MISSPELT = 0.7  # similarity from which one word may be a damaged form of the other
_ARTICLES = frozenset(
    {
        *("the", "a", "an", "der", "die", "das", "den", "dem", "des", "ein", "eine", "einen", "einem", "einer"),
        *("le", "la", "les", "l", "un", "une", "el", "los", "las", "una", "o", "os", "as", "um", "uma"),
        *("il", "lo", "gli", "i", "de", "het", "een", "en", "ett", "az", "egy"),
    }
)
_JOINED = frozenset({"and", "und", "et", "y", "e", "och", "og", "en", "i", "ve", "и", "και"})  # as "&" may be written
_SHORT = 3  # words of a title that is another one in whole
_LETTERS = 3  # of a script without spaces that count as a word
_MISTYPED = 5  # letters from which a word with one more, or with two that changed places, is mistyped
_NUMERAL = re.compile(r"[ivxl]+|\d+")
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
    if begin < _BEFORE or not 0 < len(left) <= _MAX_WORDS or not 0 < len(right) <= _MAX_WORDS:
        return None
    if len(left) == len(right):
        return next((word for word, another in zip(left, right, strict=True) if _is_another(word, another)), None)
    return left[0] if _is_another(left[0], right[0]) and _is_another("".join(left), "".join(right)) else None


def are_other_short_titles(one: str, other: str) -> bool:
    """Return whether two short titles are no forms of one title.

    Forms are a title that contains the other, has other articles or numbers in words, or has one letter more or two
    that changed places in a word of five letters or more. A replaced letter makes another word ("Marie", "Maria"), and
    another order of the same words another title. If one title ends as the other begins, they are not
    judged: these may be two decorations of one.

    >>> are_other_short_titles("the red door", "the blue door"), are_other_short_titles("ajax porto", "porto ajax")
    (True, True)
    >>> are_other_short_titles("the harbour", "harbuor"), are_other_short_titles("listen ferry", "ferry podcast")
    (False, False)
    """
    mine, theirs = _drop_small_words(one), _drop_small_words(other)
    if _contains(mine, theirs) or _contains(theirs, mine):
        return False
    if sorted(mine) != sorted(theirs) and (_overlap(mine, theirs) or _overlap(theirs, mine)):
        return False
    if len(mine) != len(theirs):
        return not set(mine).isdisjoint(theirs)
    return any(not _is_mistyped(word, another) for word, another in zip(mine, theirs, strict=True) if word != another)


def is_short_title(title: str) -> bool:
    """Return whether a title has up to three words, without articles and single letters.

    In scripts without spaces three letters count as a word.
    """
    return (
        sum(-(-len(word) // _LETTERS) if word >= "\u2e80" else len(word) > 1 for word in _drop_small_words(title))
        <= _SHORT
    )


def _drop_small_words(title: str) -> list[str]:
    *words, last = title.split() or [""]
    return [*(word for word in words if word not in _ARTICLES and word not in _JOINED), last]  # "Book I", "Vitamin A"


def _contains(long: Sequence[str], short: Sequence[str]) -> bool:
    """Return whether a title has all words of another in a row; the last may be cut if it is no number."""
    if any(long[at : at + len(short)] == short for at in range(len(long) - len(short) + 1)):
        return True
    last = long[len(short) - 1] if len(long) >= len(short) else ""
    return long[: len(short) - 1] == short[:-1] and last.startswith(short[-1]) and not _NUMERAL.fullmatch(last)


def _overlap(first: Sequence[str], second: Sequence[str]) -> bool:
    return any(first[-count:] == second[:count] for count in range(1, min(len(first), len(second))))


def _is_mistyped(one: str, other: str) -> bool:
    numbers = _read_number(one), _read_number(other)
    if None not in numbers:
        return numbers[0] == numbers[1]
    short, long = sorted((one, other), key=len)
    is_one_edit = len(short) < len(long) or sorted(one) == sorted(other)
    return len(short) >= _MISTYPED and is_one_edit and OSA.distance(short, long, score_cutoff=1) <= 1


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
    """Return whether a word has the letters of a shorter one in their order: that may be its abbreviation."""
    letters = iter(long)
    return all(letter in letters for letter in short)
