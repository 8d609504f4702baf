"""Which words a language knows, from the lists of wordfreq (data CC BY-SA 4.0), loaded only when first asked.

The lists answer one question: of two readings of a word, is one of them a word? They never add anything to a text.
"""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from itertools import pairwise, repeat, starmap
from math import log
from pathlib import Path

from msgspec import msgpack

# The large lists know names and rare words; they load in a tenth of a second each, the small ones in a hundredth.
_SIZES = ("large", "small")
# Words of a part of a list: twenty parts of 700 000 words are made in half the time of one, for they fit into the
# processor's memory; with ten times as many parts a word is sought too long.
_PART = 40_000
_LONGEST_WORD = 100  # characters; the longest word of the lists, a German compound, has 80


@lru_cache(maxsize=16)
def load_frequencies(language: str) -> tuple[dict[str, float], ...]:
    """The words of a language (ISO 639-1), lower case, and how often they occur, in parts; none where there is no list.

    The file, as wordfreq describes it (``read_cBpack``): behind a header, the words that occur once in 10**(n/100).
    """
    is_known = (_find_lists().get(f"{size}_{language}.msgpack.gz") for size in _SIZES)
    path = next(filter(None, is_known), None)
    if path is None:
        return ()
    bins: list[list[str]] = msgpack.decode(gzip.decompress(path.read_bytes()))[1:]
    parts: list[dict[str, float]] = [{}]
    for number, found in enumerate(bins):
        if len(parts[-1]) > _PART:
            parts.append({})
        parts[-1].update(zip(found, repeat(10 ** (-number / 100))))
    return tuple(parts)


@lru_cache(maxsize=1)
def _find_lists() -> dict[str, Path]:
    """The files of wordfreq by their names. They are read here: its module would load much that is not needed."""
    spec = find_spec("wordfreq")
    folder = Path(spec.origin).parent if spec and spec.origin else Path()
    return {path.name: path for path in (folder / "data").glob("*.msgpack.gz")}


def _find_frequency(word: str, language: str) -> float:
    """How often exactly this word occurs in texts of the language; 0 where it is not known."""
    for part in load_frequencies(language):
        if word in part:
            return part[word]
    return 0.0


@lru_cache(maxsize=1 << 14)
def frequency(word: str, language: str | None) -> float:
    """How often a word occurs in texts of its language, between 0 and 1; 0 where it is not known.

    English words count in every language, a hundred times less. Longer words than ``_LONGEST_WORD`` are unknown.
    """
    plain = strip_marks(word)
    if len(plain) > _LONGEST_WORD:
        return 0.0
    plain = plain.replace("’", "'").lower()
    own = _find_frequency(plain, language) if language else 0.0
    return own or _find_frequency(plain, "en") / 100


def strip_marks(word: str) -> str:
    """Return the word without what is neither letter nor digit at its ends.

    >>> strip_marks("(don’t!)"), strip_marks("…")
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
    """How much a reading looks like its language, 0 where it does not; comparable between readings of one word.

    A word is as familiar as it is frequent. Chinese, written without spaces, is as familiar as its characters and
    its pairs of characters are.
    """
    if language != "zh":
        return _find_frequency(word.lower(), language)
    return _added_familiarity("", word)


def _added_familiarity(before: str, part: str) -> float:
    """What a stretch adds to how familiar Chinese is that so far ends in ``before``: its characters and their pairs."""
    if len(part) == 1:
        return _character_familiarity(part) + (_pair_familiarity(before[-1], part) if before else 0.0)
    return sum(map(_character_familiarity, part)) + sum(starmap(_pair_familiarity, pairwise(before + part)))


def added_familiarities(before: Sequence[str], part: str) -> list[float]:
    """The same for a stretch behind each of several characters."""
    if len(part) != 1:
        return [_added_familiarity(one, part) for one in before]
    alone = _character_familiarity(part)
    return [alone + (_pair_familiarity(one, part) if one else 0.0) for one in before]


def between(before: str, one: str, after: str) -> float:
    """What ``_added_familiarity`` says of a character and the one behind it, if there is one."""
    if not after:
        return _added_familiarity(before, one)
    pairs = _pair_familiarity(before, one) + _pair_familiarity(one, after) if before else _pair_familiarity(one, after)
    return _character_familiarity(one) + _character_familiarity(after) + pairs


def _chinese_familiarity(part: str) -> float:
    """How familiar a simplified character, or a pair of them, is in Chinese; most pairs are not."""
    often = _load_characters().get(part)
    return max(0.0, 18 + log(often)) * len(part) ** 2 if often else 0.0


@lru_cache(maxsize=1)
def _load_characters() -> dict[str, float]:
    """How often Chinese characters and pairs of them occur, in one table: a long text asks for 100 000 of them."""
    return {word: often for part in load_frequencies("zh") for word, often in part.items() if len(word) <= 2}  # noqa: PLR2004


@lru_cache(maxsize=1 << 14)
def _character_familiarity(one: str) -> float:
    return _chinese_familiarity(_simplify_character(one))


@lru_cache(maxsize=1 << 15)
def _pair_familiarity(one: str, other: str) -> float:
    return _chinese_familiarity(_simplify_character(one) + _simplify_character(other))


@lru_cache(maxsize=1 << 14)
def _simplify_character(one: str) -> str:
    return simplify(one)


def simplify(word: str) -> str:
    """A Chinese word in simplified characters, in which the word list is written."""
    return word.translate(_load_simplifications())


@lru_cache(maxsize=1)
def _load_simplifications() -> dict[int, str]:
    """The table of wordfreq: the simplified character by the code point of the traditional one."""
    packed = gzip.decompress(_find_lists()["_chinese_mapping.msgpack.gz"].read_bytes())
    return msgpack.decode(packed, type=dict[int, str])


def is_known(word: str, language: str | None) -> bool:
    """Whether the word is in the list of its language or of English."""
    return frequency(word, language) > 0
