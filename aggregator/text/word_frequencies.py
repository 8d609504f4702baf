"""Word frequencies by language, from wordfreq (data CC BY-SA 4.0), loaded when first needed.

The lists answer one question: of two readings of a word, is one of them a word? They never add anything to a text.
"""

from __future__ import annotations

import gzip
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise
from math import log
from types import MappingProxyType

from msgspec import msgpack

_LONGEST_WORD = 100  # characters; the longest word of the lists, a German compound, has 80


@lru_cache(maxsize=16)
def load_frequencies(language: str) -> Mapping[str, float]:
    """Return how often the words of a language (ISO 639-1) occur, the commonest first; none where there is no list."""
    import wordfreq  # noqa: PLC0415 - takes a fifth of a second, and most texts need no list

    known = language in wordfreq.available_languages("best")  # else it would take the nearest language
    return wordfreq.get_frequency_dict(language, "best") if known else MappingProxyType({})


@lru_cache(maxsize=1 << 14)
def frequency(word: str, language: str | None) -> float:
    """Return how often a word occurs in texts of its language, between 0 and 1; 0 where it is not known.

    English words count in every language, a hundred times less. Longer words than 100 characters are unknown.
    """
    plain = _strip_marks(word)
    if len(plain) > _LONGEST_WORD:
        return 0.0
    plain = plain.replace("’", "'").lower()
    own = load_frequencies(language).get(plain, 0.0) if language else 0.0
    return own or load_frequencies("en").get(plain, 0.0) / 100


def _strip_marks(word: str) -> str:
    """Return the word without what is neither letter nor digit at its ends.

    >>> _strip_marks("(don’t!)"), _strip_marks("…")
    ('don’t', '')
    """
    first, end = 0, len(word)
    while first < end and not word[first].isalnum():
        first += 1
    while first < end and not word[end - 1].isalnum():
        end -= 1
    return word[first:end]


@lru_cache(maxsize=1 << 14)
def familiarity(word: str, language: str) -> float:
    """Return how much a reading looks like its language, 0 where it does not; comparable between readings of one word.

    A word is as familiar as it is frequent. Chinese, written without spaces, is as familiar as its characters and
    its pairs of characters are.
    """
    if language != "zh":
        return load_frequencies(language).get(word.lower(), 0.0)
    return added_familiarity("", word)


def added_familiarities(before: Sequence[str], part: str) -> list[float]:
    """Return how much a stretch adds to how familiar Chinese is, behind each of several characters."""
    if len(part) != 1:
        return [added_familiarity(one, part) for one in before]
    alone = _chinese_familiarity(part)
    return [alone + (_chinese_familiarity(one + part) if one else 0.0) for one in before]


def added_familiarity(before: str, part: str) -> float:
    """Return how much a stretch adds to how familiar Chinese is that so far ends in ``before``."""
    pairs = (one + other for one, other in pairwise(before + part))
    return sum(map(_chinese_familiarity, part)) + sum(map(_chinese_familiarity, pairs))


@lru_cache(maxsize=1 << 15)
def _chinese_familiarity(part: str) -> float:
    """Return how familiar a character, or a pair of them, is in Chinese, whose list is in simplified characters."""
    often = load_frequencies("zh").get(part.translate(_load_simplifications()))
    return max(0.0, 18 + log(often)) * len(part) ** 2 if often else 0.0


@lru_cache(maxsize=1)
def _load_simplifications() -> dict[int, str]:
    """Return wordfreq's table of simplified characters by code point; its own function needs a tokeniser of Chinese."""
    packed = files("wordfreq").joinpath("data", "_chinese_mapping.msgpack.gz").read_bytes()
    return msgpack.decode(gzip.decompress(packed), type=dict[int, str])
