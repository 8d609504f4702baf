"""The characters of a word chosen together, where bytes left several possible, by the words of its language."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise, product
from math import prod

from aggregator.text import word_frequencies
from aggregator.text.mojibake.byte_sequences import Choice

Piece = str | tuple[Choice, ...]
"""A stretch of text that stays as it is, or what it may have been; the first is taken where no word list can tell."""

# Of a worn word with more readings than this the likeliest is taken.
MOST_CHOICES = 400
LONGEST_WORD = 60
# So many readings of its words are weighed in a text; a page of worn Vietnamese has some hundreds.
MOST_WEIGHED = 20_000
LANGUAGE_OF = {"CYRILLIC": "ru", "HEBREW": "he", "GREEK": "el", "ARABIC": "ar", "CJK": "zh", "HANGUL": "ko"}
VIETNAMESE = re.compile("[đĐƠơƯư\u1ea0-\u1ef9]")


def chosen(pieces: Sequence[Piece]) -> Iterator[str]:
    """The characters of each word, chosen together where the words of the language can tell."""
    word: list[Piece] = []
    left = MOST_WEIGHED
    for piece in (*pieces, ""):
        likeliest = piece if isinstance(piece, str) else piece[0].character
        if likeliest.isalpha() or (likeliest is not piece and len(piece) > 1):
            word.append(piece)
            continue
        if word:
            count = _count(word)
            left -= count
            yield _best_word(tuple(word)) if count and left > 0 else _plain(word)
            word = []
        yield likeliest


def _count(word: Sequence[Piece]) -> int:
    """How much is to be weighed for a word: readings, in Chinese neighbours; 0 where it has one, or too many."""
    if len(word) > LONGEST_WORD:
        return 0
    several = [1 if isinstance(piece, str) else len(piece) for piece in word]
    count = prod(several)
    if count > 1 and _language(_plain(word)) == "zh":
        return sum([one * other for one, other in pairwise([1, *several])])
    return count if 1 < count < MOST_CHOICES else 0


def _plain(word: Sequence[Piece]) -> str:
    """The word by its likeliest characters."""
    return "".join([piece if isinstance(piece, str) else piece[0].character for piece in word])


@lru_cache(maxsize=1 << 11)
def _best_word(word: tuple[Piece, ...]) -> str:
    plain = _plain(word)
    language = _language(plain)
    if language is None:
        return plain
    every = [(piece,) if isinstance(piece, str) else [one.character for one in piece] for piece in word]
    if language == "zh":
        return _best_chinese(every)
    readings = ["".join(reading) for reading in product(*every)]
    best = max(readings, key=lambda reading: (word_frequencies.familiarity(reading, language), reading == plain))
    return best if word_frequencies.familiarity(best, language) else plain


def _best_chinese(every: Sequence[Sequence[str]]) -> str:
    """The most familiar of all readings, found character by character: only neighbours are known together."""
    best = [("", 0.0)]
    for parts in every:
        ends = [read[-1:] for read, _ in best]
        further = []
        for part in parts:
            worths = [worth + more for (_, worth), more in zip(best, word_frequencies.steps(ends, part), strict=True)]
            most = max(worths)
            further.append((best[worths.index(most)][0] + part, most))
        best = further
    return max(best, key=lambda one: one[1])[0]


def _language(word: str) -> str | None:
    if VIETNAMESE.search(word):
        return "vi"
    return next(filter(None, map(_script, word)), None)


@lru_cache(maxsize=1 << 12)
def _script(letter: str) -> str | None:
    """The language whose words tell about a script, if one does."""
    return LANGUAGE_OF.get(unicodedata.name(letter, "").split(" ", maxsplit=1)[0])
