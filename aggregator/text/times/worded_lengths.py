"""Parse a length in words of any language of the tables: "1 ora e 5 minuti", "1 ч 5 мин", "saa 1 dakika 5"."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise, product

from msgspec import Struct

from aggregator.text.times import words

_TOKEN = re.compile(r"\d+(?:[.,]\d+)?|[^\W\d_](?:[^\W\d_]|[\u0900-\u0dff\u0e00-\u109f\u1780-\u17ff])*")
_THOUSANDS = re.compile(r"[1-9]\d{0,2}[.,]\d{3}")
_GAP = re.compile(r"[\s.,،、;'·\-]*")
_COLONS = re.compile(r"(\d{1,3}):(\d{2})(?::(\d{2}))?\s*(?=\D)")
_PRIMES = ((re.compile(r"(?<=\d)\s*(?:''|\")"), " s "), (re.compile(r"(?<=\d)\s*'"), " min "))
_FIRST_UNSPACED = "\u0590"  # Hebrew; Latin, Greek and Cyrillic before it write joints as words
_HOUR, _MINUTE, _SECOND = 3600, 60, 1
_CLEAR = 2  # times as many languages have one meaning of a word as another

_Meanings = Mapping[int, frozenset[str]]


class _Part(Struct, frozen=True):
    """A number and the seconds of its unit, with the languages of each meaning; no unit behind hours is minutes."""

    number: float
    units: _Meanings


def parse(text: str, language: str | None) -> tuple[float, int] | None:
    """Return seconds and their step, 60 without a word for seconds; ``None`` if any part of the text is no length."""
    folded = words.fold(text)
    for prime, unit in _PRIMES:
        folded = prime.sub(unit, folded)
    if match := _COLONS.match(folded):
        return _parse_colons(match, folded[match.end() :])
    tokens = _list_phrases(folded)
    if not tokens:
        return None
    parts = _list_parts(tokens)
    return _sum_parts(parts, language) if parts else None


def _parse_colons(match: re.Match[str], behind: str) -> tuple[float, int] | None:
    """Return the length of figures with colons before a unit, as in "1:05 h"."""
    phrase = words.split_words(behind)
    units = words.load().units.get(phrase, {})
    if not _GAP.fullmatch(behind.replace(phrase, "", 1)):
        return None
    one, two, three = int(match[1]), int(match[2]), match[3]
    if three is not None:
        return (one * _HOUR + two * _MINUTE + int(three), 1) if _HOUR in units else None
    if _HOUR in units:
        return one * _HOUR + two * _MINUTE, 60
    return (one * _MINUTE + two, 1) if _MINUTE in units else None


def _list_phrases(folded: str) -> list[str] | None:
    """Return numbers and the longest phrases of the tables; ``None`` if there is anything else."""
    found, end = [], 0
    for match in _TOKEN.finditer(folded):
        if not _GAP.fullmatch(folded[end : match.start()]):
            return None
        found.append(match[0])
        end = match.end()
    if not _GAP.fullmatch(folded[end:]):
        return None
    phrases: list[str] = []
    while found:
        sizes = range(min(words.LONGEST_PHRASE, len(found)), 0, -1)
        size = next((size for size in sizes if _is_known(found[:size])), 0)
        if not size:
            without = _remove_joint(found[0])
            if without is None:
                return None
            found[0], size = without, 1
        phrases.append(" ".join(found[:size]))
        del found[:size]
    return phrases


def _remove_joint(word: str) -> str | None:
    """Return a word without the joint written on to it, as in Arabic and Burmese; ``None`` if that is unknown, too."""
    cuts = ((word[:at], word[at:]) for at in range(1, len(word)) if word >= _FIRST_UNSPACED)
    joints = words.load().joints
    rests = (rest if joint in joints else joint for joint, rest in cuts if joint in joints or rest in joints)
    return next((rest for rest in rests if _is_known([rest])), None)


def _is_known(parts: Sequence[str]) -> bool:
    tables, phrase = words.load(), " ".join(parts)
    known = phrase in tables.units or phrase in tables.heads or phrase in tables.amounts or phrase in tables.joints
    return known or (len(parts) == 1 and phrase[:1].isdecimal())


def _list_parts(phrases: Sequence[str]) -> list[_Part] | None:
    """Return the parts of a length, ``None`` if the phrases are not numbers and units in turn."""
    tables = words.load()
    parts: list[_Part] = []
    at = 0
    while at < len(phrases):
        phrase, following = phrases[at], phrases[at + 1] if at + 1 < len(phrases) else ""
        if phrase in tables.joints and parts and following:
            at += 1
        elif (part := _read_pair(phrase, following)) is not None:
            parts.append(part)
            at += 2
        elif phrase in tables.amounts:
            parts.append(_Part(1, tables.amounts[phrase]))
            at += 1
        elif phrase.isdecimal() and parts and not following and _HOUR in parts[-1].units:  # "1 h 05"
            parts.append(_Part(float(phrase), {_MINUTE: parts[-1].units[_HOUR]}))
            at += 1
        else:
            return None
    return parts


def _read_pair(one: str, two: str) -> _Part | None:
    tables = words.load()
    text, units = (one, tables.units.get(two)) if one[:1].isdecimal() else (two, tables.heads.get(one))
    if not units or not text[:1].isdecimal() or (number := _to_number(text, units)) is None:
        return None
    return _Part(number, units)


def _to_number(text: str, units: _Meanings) -> float | None:
    """Return the number; ``None`` for three digits behind a sign, which are a fraction or, of seconds, thousands."""
    if _THOUSANDS.fullmatch(text):
        return float(text.replace(",", "").replace(".", "")) if _SECOND in units else None
    return float(text.replace(",", "."))


def is_hour(word: str) -> bool:
    """Return whether a word means an hour in any language."""
    return _HOUR in words.load().units.get(words.split_words(word), ())


def _sum_parts(parts: Sequence[_Part], language: str | None) -> tuple[float, int] | None:
    """Return the sum in the meaning that the language has, else most of the languages that have all of the words."""
    short = (language or "").split("-", maxsplit=1)[0].lower()
    ranked: dict[tuple[float, int], int] = {}
    for meaning in product(*(part.units.items() for part in parts)):
        units = [_find_base(unit) for unit, _ in meaning]
        common = frozenset.intersection(*(languages for _, languages in meaning))
        if any(one <= two for one, two in pairwise(units)):
            continue
        seconds = sum(part.number * unit for part, (unit, _) in zip(parts, meaning, strict=True))
        if min(units) > _HOUR:
            seconds = 0  # days alone are no length of an episode
        result = seconds, 1 if _SECOND in units else 60
        ranked[result] = max(ranked.get(result, 0), 1000 if short in common else len(common))
    best = sorted(ranked.items(), key=lambda each: -each[1])
    return best[0][0] if best and (len(best) == 1 or best[0][1] >= _CLEAR * max(best[1][1], 1)) else None


def _find_base(seconds: int) -> int:
    """Return the unit of an amount: an hour for two."""
    return max(unit for unit in words.UNITS.values() if unit <= seconds)
