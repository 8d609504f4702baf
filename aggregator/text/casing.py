"""Copies that lost the case of their letters, with the case put back that another copy shows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import IntEnum

from aggregator.text.alignment_blocks import akin, equal_blocks

WORD = re.compile(r"[^\W\d_][\w'’]*")
LEAST_WORDS = 2
LEAST_WORDS_TITLED = 4
LEAST_LETTERS = 6
LEAST_STRETCH = 3  # characters that are compared
LEAST_SMALL = 0.25  # of the words


class _Case(IntEnum):
    """How much the case of a text tells: nothing, where words begin, or what its author wrote."""

    SINGLE = 0
    TITLED = 1
    MIXED = 2


def recased(texts: Sequence[str], trusts: Sequence[float]) -> list[str]:
    """Return the texts with the case of letters as a copy shows it that is trusted at least as much.

    A text in capitals, in small letters, or with a capital at each word tells less than one that has both.

    >>> recased(["RAIN OVER PORTO", "Rain over Porto"], [1, 1])
    ['Rain over Porto', 'Rain over Porto']
    >>> recased(["RAIN OVER PORTO", "Rain over Porto"], [1, 0.5])[0]
    'RAIN OVER PORTO'
    """
    cases = [_case(text) for text in texts]
    if len(set(cases)) == 1:
        return list(texts)
    back = []
    for text, case, trust in zip(texts, cases, trusts, strict=True):
        told = [(other, one) for other, one, theirs in zip(cases, texts, trusts, strict=True) if theirs >= trust]
        others = [one for other, one in told if other > case and (case is _Case.SINGLE or _has_small_words(one))]
        back.append(_like(text, max(others, key=_case)) if others else text)
    return back


def _case(text: str) -> _Case:
    words = [word for word in WORD.findall(text) if word.lower() != word.upper()]
    if len(words) < LEAST_WORDS or sum(map(len, words)) < LEAST_LETTERS:
        return _Case.MIXED
    if text in {text.upper(), text.lower()}:
        return _Case.SINGLE
    titled = text == text.title() or not any(word[0].islower() or word[1:] != word[1:].lower() for word in words)
    return _Case.TITLED if titled and len(words) >= LEAST_WORDS_TITLED else _Case.MIXED


def _has_small_words(text: str) -> bool:
    """Return whether small letters at the beginning of words are a habit of the text, not one slip."""
    words: list[str] = WORD.findall(text)
    small = sum(word[0].islower() for word in words)
    return small >= LEAST_WORDS and small >= LEAST_SMALL * len(words)


def _like(text: str, other: str) -> str:
    """Return the text with the letters of another one wherever both have the same but for their case."""
    one, two = _small(text), _small(other)
    if not akin(one, two):
        return text
    letters = list(text)
    capital = text[:1].isupper()
    for i, j, size in equal_blocks(one, two):
        if size >= LEAST_STRETCH:
            letters[i : i + size] = other[j : j + size]
    return (letters[0].upper() if capital else letters[0]) + "".join(letters[1:])


def _small(text: str) -> str:
    """Return the text in small letters, each at its place ("İ" is two of them)."""
    small = text.lower()
    return small if len(small) == len(text) else "".join(one.lower() if len(one.lower()) == 1 else one for one in text)
