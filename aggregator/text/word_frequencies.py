"""Word frequencies by language, from wordfreq (data CC BY-SA 4.0), loaded when first needed.

The lists only decide between readings of a word that the text allows; nothing is added to a text from them.
"""

from __future__ import annotations

import gzip
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from itertools import islice, pairwise
from math import log
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from msgspec import msgpack

_COMMONEST = 40_000  # words of a language that are kept as they are, and whose letters are counted
_PAIR_SHARE = 0.7  # of the likelihood of a letter that depends on the one before it
_UNKNOWN_SHARE = 1e-6  # likelihood of a letter that no word has
_LONGEST_WORD = 100  # characters; the longest word of the lists, a German compound, has 80


class _Words(Mapping[str, float]):
    """The shares of words; it iterates over the commonest only.

    Of the others it keeps 64 bits of a hash and the number of their bucket, ten bytes in place of a hundred: texts that
    are wrongly decoded in many scripts may ask for all lists. Two words in 10^13 have one hash.
    """

    def __init__(self, buckets: Sequence[Sequence[str]], shares: Sequence[float]) -> None:
        """Keep the words of buckets, each with the share at its place, the commonest first."""
        every = zip(buckets, shares, strict=True)
        self._commonest = dict(islice(((word, share) for words, share in every for word in words), _COMMONEST))
        hashes = np.array([hash(word) for words in buckets for word in words], dtype=np.int64)
        order = np.argsort(hashes)
        self._hashes = hashes[order]
        self._buckets = np.repeat(np.arange(len(buckets), dtype=np.uint16), list(map(len, buckets)))[order]
        self._shares = shares

    def __getitem__(self, word: str) -> float:
        if word not in self:
            raise KeyError(word)
        return float(self.get(word))

    def get(self, word: str, default: Any = None) -> Any:
        if word in self._commonest:
            return self._commonest[word]
        code = hash(word)
        at = int(np.searchsorted(self._hashes, code))
        if at < len(self._hashes) and self._hashes[at] == code:
            return self._shares[self._buckets[at]]
        return default

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self.get(word) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self._commonest)

    def __len__(self) -> int:
        return len(self._commonest)


@cache
def load_frequencies(language: str) -> Mapping[str, float]:
    """Return the share of each word in texts of a language (ISO 639-1), the commonest first; empty without a list.

    One iterates over the commonest 40,000 only, in Chinese over all.
    """
    import wordfreq  # noqa: PLC0415 - takes a fifth of a second, and most texts need no list

    path = wordfreq.available_languages("best").get(language)
    if path is None:
        return MappingProxyType({})
    # wordfreq's own functions keep each list for good; the buckets are behind a header, each a centibel rarer
    _, *buckets = msgpack.decode(gzip.decompress(Path(path).read_bytes()))
    shares = [10 ** (-place / 100) for place in range(len(buckets))]
    if language == "zh":
        return {word: share for words, share in zip(buckets, shares, strict=True) for word in words}
    return _Words(buckets, shares)


@lru_cache(maxsize=1 << 14)
def frequency(word: str, language: str | None) -> float:
    """Return the share of a word in texts of a language, from 0 (unknown, or no word) to 1.

    A word unknown in the language counts a hundredth of its frequency in English, which all languages borrow from.
    """
    if len(word) > _LONGEST_WORD or not word[:1].isalnum():
        return 0.0
    plain = word.replace("’", "'").casefold()  # as the lists are: "weisse" for "weiße"
    own = load_frequencies(language).get(plain, 0.0) if language else 0.0
    return own or load_frequencies("en").get(plain, 0.0) / 100


@lru_cache(maxsize=1 << 14)
def familiarity(word: str, language: str) -> float:
    """Return how likely a reading of a word is in a language, 0 for unknown; comparable among readings of one word.

    It is the frequency of the word; in Chinese, written without spaces, that of its characters and pairs of them.
    """
    if language != "zh":
        return load_frequencies(language).get(word.casefold(), 0.0)
    return added_familiarity("", word)


@lru_cache(maxsize=1 << 14)
def measure_fit(before: str, letter: str, language: str) -> float:
    """Return the natural logarithm of how likely a letter is behind another one ("" for none) in a language."""
    letters, pairs = _count_letters(language)
    behind = pairs.get(before + letter, 0.0) / letters[before] if before in letters else 0.0
    return log(_PAIR_SHARE * behind + (1 - _PAIR_SHARE) * letters.get(letter, 0.0) + _UNKNOWN_SHARE)


def has_letter(letter: str, language: str) -> bool:
    """Return whether a common word of a language has a letter, in small letters."""
    return letter.casefold() in _count_letters(language)[0]


def match_words(places: Sequence[Sequence[str]], language: str) -> list[str]:
    """Return the common words of a language that have one of the strings of each place.

    Each string is one letter, or a stretch that stays as it is.
    """
    letters: list[Sequence[str]] = []
    for place in places:
        letters += [place] if len(place) > 1 else list(place[0]) if place else [()]
    words = _group_by_length(language).get(len(letters), ())
    return [word for word in words if all(letter in place for letter, place in zip(word, letters, strict=True))]


@lru_cache(maxsize=8)
def _group_by_length(language: str) -> dict[int, list[str]]:
    """Return the commonest words of a language by their length."""
    words: defaultdict[int, list[str]] = defaultdict(list)
    for word in islice(load_frequencies(language), _COMMONEST):
        words[len(word)].append(word)
    return dict(words)


@lru_cache(maxsize=8)
def _count_letters(language: str) -> tuple[dict[str, float], dict[str, float]]:
    """Return the share of each letter, and of each pair of neighbours, in a language's commonest words."""
    letters: defaultdict[str, float] = defaultdict(float)
    pairs: defaultdict[str, float] = defaultdict(float)
    for word, share in islice(load_frequencies(language).items(), _COMMONEST):
        for letter in word:
            letters[letter] += share
        for pair in map("".join, pairwise(word)):
            pairs[pair] += share
    total = sum(letters.values()) or 1.0
    return {one: share / total for one, share in letters.items()}, {one: share / total for one, share in pairs.items()}


def added_familiarity(before: str, part: str) -> float:
    """Return how much more familiar a Chinese text that ends in ``before`` is with ``part`` behind it."""
    known = _measure_chinese()
    simple = (before + part).translate(_load_simplifications())
    pairs = [simple[at : at + 2] for at in range(len(simple) - 1)]
    return sum([known.get(one, 0.0) for one in [*simple[len(before) :], *pairs]])


@lru_cache(maxsize=1)
def _measure_chinese() -> dict[str, float]:
    """Return how familiar each simplified character is in Chinese, and each pair that is a word."""
    words = load_frequencies("zh").items()
    return {word: max(0.0, 18 + log(share)) * len(word) ** 2 for word, share in words if len(word) < 3}  # noqa: PLR2004


@lru_cache(maxsize=1)
def _load_simplifications() -> dict[int, str]:
    """Return wordfreq's table of simplified characters by code point; wordfreq's own loader needs the package jieba."""
    packed = files("wordfreq").joinpath("data", "_chinese_mapping.msgpack.gz").read_bytes()
    return msgpack.decode(gzip.decompress(packed), type=dict[int, str])
