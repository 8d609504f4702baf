"""The characters of a word chosen together, where bytes left several possible, by the words of its language."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import product
from math import prod

from aggregator.text import words
from aggregator.text.sequences import Choice, cheapest

MOST_CHOICES = 400
LONGEST_WORD = 60
LANGUAGE_OF = {"CYRILLIC": "ru", "HEBREW": "he", "GREEK": "el", "ARABIC": "ar", "CJK": "zh", "HANGUL": "ko"}
VIETNAMESE = re.compile("[đĐƠơƯư\u1ea0-\u1ef9]")


def chosen(pieces: Sequence[list[Choice]]) -> Iterator[str]:
    """The characters of each word, chosen together where the words of the language can tell."""
    word: list[list[Choice]] = []
    for piece in pieces:
        if piece[0].character.isalpha() or len(piece) > 1:
            word.append(piece)
        else:
            yield _best_word(word)
            word = []
            yield cheapest(piece).character
    yield _best_word(word)


def _best_word(word: Sequence[list[Choice]]) -> str:
    plain = "".join(cheapest(piece).character for piece in word)
    if len(word) > LONGEST_WORD or prod(len(piece) for piece in word) not in range(2, MOST_CHOICES):
        return plain
    language = _language(plain)
    if language is None:
        return plain
    readings = ["".join(choice.character for choice in reading) for reading in product(*word)]
    best = max(readings, key=lambda reading: (words.familiarity(reading, language), reading == plain))
    return best if words.familiarity(best, language) else plain


def _language(word: str) -> str | None:
    if VIETNAMESE.search(word):
        return "vi"
    for letter in word:
        script = unicodedata.name(letter, "").split(" ", maxsplit=1)[0]
        if script in LANGUAGE_OF:
            return LANGUAGE_OF[script]
    return None
