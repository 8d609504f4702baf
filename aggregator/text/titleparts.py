"""Which part of a longer item a title names: "Part 2 of 3", "Pt. II", "(2/3)", 前半, 後編."""

from __future__ import annotations

import re
from typing import NamedTuple

_ROMAN = {"i": 1, "ii": 2, "iii": 3, "iv": 4, "v": 5, "vi": 6, "vii": 7, "viii": 8, "ix": 9, "x": 10}
_NAMED = {
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "eins": 1,
    "zwei": 2,
    "drei": 3,
    "un": 1,
    "deux": 2,
    "uno": 1,
    "dos": 2,
}
_WORDS = ("part", "pt", "teil", "partie", "parte", "deel", "del", "czesc", "część", "часть", "osa", "bölüm")
_VALUE = rf"(?P<n>\d{{1,2}}|{'|'.join(sorted({*_ROMAN, *_NAMED}, key=len, reverse=True))})"
_OF = r"(?:\s?(?:of|von|de|/|van|из)\s?(?P<of>\d{1,2}))?"
_WORDED = re.compile(
    rf"(?<![\s\-:,|])[\s\-:,|]*+[(\[]?\b(?:{'|'.join(_WORDS)})\b\.?\s?#?{_VALUE}(?![\w/])(?![.:]\d){_OF}[)\]]?",
    re.IGNORECASE,
)
_FRACTION = re.compile(
    r"(?<!\s)\s*+(?:[(\[](?P<n>\d{1,2})\s?(?:/|of|von)\s?(?P<of>\d{1,2})[)\]]|(?<!\S)(?P<n2>\d)/(?P<of2>\d)$)"
)
_HALVES = {"前半": 1, "後半": 2, "前編": 1, "中編": 2, "後編": 3, "前篇": 1, "後篇": 3, "上": 1, "中": 2, "下": 3}
_HALF = re.compile(
    r"(?<![\s\-])[\s\-]*+[(（\[【〈<]?(?P<h>前半|後半|前編|中編|後編|前篇|後篇)(?:戦)?[)）\]】〉>]?|[(（【]\s?(?P<b>[上中下])\s?[)）】]"
)


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
    >>> part_of("Part time work")
    (Part(number=None, total=None), 'Part time work')
    """
    low = text.casefold()
    worded = any(word in low for word in _WORDS)
    for pattern in (
        (_WORDED, _FRACTION) if worded else (_FRACTION,) if "/" in low or " of " in low or " von " in low else ()
    ):
        met = pattern.search(text)
        if met is None:
            continue
        groups = met.groupdict()
        number, total = _value(groups.get("n") or groups.get("n2")), _value(groups.get("of") or groups.get("of2"))
        if number and (total is None or number <= total):
            return Part(number, total), _joined(text, met)
    met = None if text.isascii() else _HALF.search(text)
    if met is not None:
        return Part(_HALVES[met["h"] or met["b"]]), _joined(text, met)
    return Part(), text


def _joined(text: str, met: re.Match[str]) -> str:
    """The text without the mark, the two sides one space apart."""
    return f"{text[: met.start()]} {text[met.end() :]}".strip(" :-") or text


def _value(written: str | None) -> int | None:
    """A digit, roman numeral or number word as a number."""
    if written is None:
        return None
    low = written.casefold()
    return int(low) if low.isdecimal() else _ROMAN.get(low) or _NAMED.get(low)
