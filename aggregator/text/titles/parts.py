"""Which part of a longer item a title names: "Part 2 of 3", "Pt. II", "2. Teil", "(2/3)", 前半, 第2部."""

from __future__ import annotations

import re
from typing import NamedTuple

_ROMAN = {"i": 1, "ii": 2, "iii": 3, "iv": 4, "v": 5, "vi": 6, "vii": 7, "viii": 8, "ix": 9, "x": 10}
_COUNTED = (  # as they stand behind the word for a part: "Part One", "Parte segunda", "Часть вторая"
    "one eins un uno um een ett أول الأول א",
    "two zwei deux due dos dois twee två الثاني ב",
    "three drei trois tre tres três drie الثالث ג",
    "four vier quatre quattro cuatro quatro fyra",
    "five fünf cinq cinque cinco",
    "six sechs sei seis",
)
_ORDERED = (  # as they stand before it, and often behind it
    "first erster erste première prima primera primeira первая pierwsza eerste första",
    "second zweiter zweite deuxième seconde seconda segunda вторая druga tweede andra",
    "third dritter dritte troisième terza tercera terceira третья trzecia derde tredje",
    "fourth vierter vierte quatrième quarta cuarta четвёртая четвертая czwarta vierde fjärde",
)
_ORDINALS = {word: at for at, words in enumerate(_ORDERED, 1) for word in words.split()}
_NAMED = {word: at for at, words in enumerate(_COUNTED, 1) for word in words.split()} | _ORDINALS
_WORDS = (
    *("part", "pt", "teil", "partie", "parte", "partea", "deel", "czesc", "część", "cz", "часть", "частина"),
    *("ч", "osa", "bölüm", "rész", "díl", "μέρος", "パート", "الجزء", "חלק", "भाग"),
)
_AFTER = (
    "part",
    "half",
    "teil",
    "hälfte",
    "partie",
    "parte",
    "deel",
    "delen",
    "część",
    "часть",
    "bölüm",
    "rész",
    "díl",
)
_VALUE = rf"(?P<n>\d{{1,2}}|{'|'.join(sorted({*_ROMAN, *_NAMED}, key=len, reverse=True))})"
_OF = r"(?:\s?(?:/|of|von|de|di|sur|van|av|af|z|из)\s?(?P<of>\d{1,2})(?!\d))?"
# Swedish "Del 2", and neither "noticias del 5" nor "Del 5 al 10 de mayo".
_DEL = r"(?<!\w\s)del(?=\s?\d{1,2}(?!\d|\s(?:al|de)\s))"
# "The part I played": a lone letter is a number only where the mark is set off, before or behind.
_LETTERS = frozenset("ivx")
_WORDED = re.compile(
    rf"(?<![\s\-:,|])[\s\-:,|]*+[(\[]?\b(?:{'|'.join(_WORDS)}|{_DEL})(?:\b|(?=\d))\.?\s?#?{_VALUE}(?!\w|/(?!\d\d?\b)|[.:]\d){_OF}[)\]]?",
    re.IGNORECASE,
)
_SET_OFF = r"[)\]]?(?=\s*(?:$|[\-:,|)\]]))"
_NUMBERED = re.compile(  # "2. Teil", "2e partie", "2nd part"; in compatibility form "2ª parte" is "2a parte"
    rf"(?<![\s\-:,|])[\s\-:,|]*+[(\[]?(?<![\w.])(?P<n>\d{{1,2}})(?:\.|st|nd|rd|th|[eè]?re|er|[eè]me|e|a|o|-?я)?"
    rf"\s?(?:{'|'.join(_AFTER)})\b{_SET_OFF}",
    re.IGNORECASE,
)
_SPELT = re.compile(  # " - zweiter Teil", "(segunda parte)": set off on both sides, or it is part of a sentence
    rf"(?<![\s\-:,|(\[])(?>(?:\s*+[\-:,|(\[])+)\s?(?P<n>{'|'.join(_ORDINALS)})\s(?:{'|'.join(_AFTER)})\b{_SET_OFF}",
    re.IGNORECASE,
)
_FRACTION = re.compile(
    r"(?<!\s)\s*+(?:[(\[](?P<n>\d{1,2})\s?(?:/|of|von|de|di|из)\s?(?P<of>\d{1,2})[)\]]|(?<!\S)(?P<n2>\d)/(?P<of2>\d)$)"
)
# The last of two or of three: 3, so that it is not the middle one.
_HALVES = {"前半": 1, "後半": 2, "前編": 1, "中編": 2, "後編": 3, "前篇": 1, "後篇": 3, "上": 1, "中": 2, "下": 3}
_HALF = re.compile(
    r"(?<![\s\-])[\s\-]*+[(（\[【〈<]?(?P<h>前半|後半|前編|中編|後編|前篇|後篇)(?:戦)?[)）\]】〉>]?|[(（【]\s?(?P<b>[上中下])\s?[)）】]"
)
_CHINESE = "一二三四五六七八九十"
_PIECE = re.compile(  # 第2部, 第二部分, 2부, 제2편, その2, （二）, 下集; 三部作 is a trilogy
    r"(?<![\s\-])[\s\-]*+[(（\[【]?(?:第\s?(?P<d>[\d一二三四五六七八九十])\s?部分?|제?\s?(?P<k>\d)\s?[부편]|その(?P<s>[\d一二三四五]))"
    r"(?!\w)[)）\]】]?|[(（【]\s?(?P<c>[一二三四五])\s?[)）】]|(?<!\w)(?P<u>[上中下])集(?!\w)"
)
# What every word above has in it: most titles are done with these alone.
_STEM = re.compile("|".join(map(re.escape, (*_WORDS, "del", "half"))))


class Part(NamedTuple):
    """The number of the part and how many there are; ``None`` where the title does not say."""

    number: int | None = None
    total: int | None = None


def part_of(text: str) -> tuple[Part, str]:
    """The part that a title names and the title without that mark.

    >>> part_of("The Long Way (Part 2 of 3)")
    (Part(number=2, total=3), 'The Long Way')
    >>> part_of("Pt. IV: Home")
    (Part(number=4, total=None), 'Home')
    >>> part_of("Die lange Reise (2. Teil)"), part_of("Part time work")
    ((Part(number=2, total=None), 'Die lange Reise'), (Part(number=None, total=None), 'Part time work'))
    """
    low = text.casefold()
    patterns: tuple[re.Pattern[str], ...] = ()
    if _STEM.search(low):
        patterns = (_WORDED, _NUMBERED, _SPELT)
    if "/" in low or "(" in low or "[" in low:
        patterns = (*patterns, _FRACTION)
    for pattern in patterns:
        met = pattern.search(text)
        if met is None:
            continue
        groups = met.groupdict()
        number, total = _value(groups.get("n") or groups.get("n2")), _value(groups.get("of") or groups.get("of2"))
        letter = (groups.get("n") or "").casefold() in _LETTERS
        if number and (total is None or number <= total) and not (letter and not _set_off(text, met)):
            return Part(number, total), _joined(text, met)
    return (Part(), text) if text.isascii() else _halved(text)


def _halved(text: str) -> tuple[Part, str]:
    """The part as Japanese, Chinese and Korean titles name it."""
    if met := _HALF.search(text):
        return Part(_HALVES[met["h"] or met["b"]]), _joined(text, met)
    if met := _PIECE.search(text):
        said = next(value for value in met.groups() if value)
        number = _HALVES.get(said) or (int(said) if said.isdecimal() else _CHINESE.index(said) + 1)
        return (Part(number), _joined(text, met)) if number else (Part(), text)
    return Part(), text


def _set_off(text: str, met: re.Match[str]) -> bool:
    """Whether the mark begins or ends the text, or a mark of punctuation stands on one of its sides."""
    around = (text[: met.start()][-1:], met.group().lstrip()[:1], text[met.end() :].lstrip()[:1])
    return not around[0] or not around[2] or not all(map(str.isalnum, around[1:]))


def _joined(text: str, met: re.Match[str]) -> str:
    """The text without the mark, the two sides one space apart."""
    return f"{text[: met.start()].rstrip()} {text[met.end() :].lstrip()}".strip(" :-,|") or text


def _value(written: str | None) -> int | None:
    """A digit, roman numeral or number word as a number."""
    if written is None:
        return None
    low = written.casefold()
    return int(low) if low.isdecimal() else _ROMAN.get(low) or _NAMED.get(low)
