"""Sequences: what character a stretch of text may have been, read as the bytes of UTF-8 in another encoding."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import takewhile
from math import inf
from operator import attrgetter
from typing import NamedTuple

from aggregator.text.mojibake.code_pages import LOST_COST, Page, needed, page

# "..." is the longest form of a byte.
LONGEST_FORM = 3
# Two bytes shown as "•" leave 36 readings; of made-up sequences the likeliest are kept.
MOST_READINGS = 48
# What a reading may cost at most, and what one worn byte costs; at 10 % more, French "é :" becomes Chinese.
MOST_WORN = 3.0
ONE_WORN = 1.05
INVISIBLE = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff\u200e\u200f")
PUNCTUATION = frozenset("’‘“”–—…•„‚«»¡¿·°№™€")
# Blocks nobody's feed is written in: C1 controls, IPA, old Cyrillic, Braille, boxes, scripts without a living press,
# and the rare Chinese characters whose bytes, shown as "•", are those of Japanese letters.
RARE = re.compile(
    "[\u0080-\u009f\u0180-\u019f\u01a2-\u01ae\u01b1-\u0217\u021c-\u036f\u0460-\u048f\u0700-\u08ff\u1000-\u10ff\u1200-\u17ff\u1800-\u1dff"
    "\u1f00-\u1fff\u2010\u2011\u2012\u2015-\u2017\u2300-\u245f\u2500-\u25ff\u2800-\u2dff\u2e00-\u2fff"
    "\u3400-\u4dbf\ua000-\uabff\ud7b0-\uf8ff]"
)
# RFC 3629, section 4: what the byte behind a lead byte may be, so that no character has two forms.
TAILS = range(0x80, 0xC0)
SECOND = {0xE0: range(0xA0, 0xC0), 0xED: range(0x80, 0xA0), 0xF0: range(0x90, 0xC0), 0xF4: range(0x80, 0x90)}
PRICE = attrgetter("price")
ELLIPSIS = "…"
NOT_LATIN = "\u0370"
HEBREW = re.compile("[\u0590-\u05ff]")
EAST_ASIAN = (("\u3000", "\u9fff"), ("\uac00", "\ud7a3"))  # a class of so many takes 2 ms to compile
STRANGENESS = {"Ll": 0.0, "Lo": 0.0, "Lu": 0.2, "Mn": 0.5, "Lm": 0.2, "Pd": 1.5, "So": 0.6}


class Choice(NamedTuple):
    """What a stretch of text may have been: the character, how much of the text it takes, and the price of the reading.

    ``cost`` is how worn its bytes are, ``price`` also how strange its character is.
    """

    character: str
    size: int
    cost: float
    price: float


def choices(
    text: str, at: int, table: Page, familiar: frozenset[int] | None = None, *, lost: bool = False
) -> tuple[Choice, ...]:
    """The characters that may begin at a lead byte, by the forms of the bytes that follow, the likeliest first.

    ``lost``: one byte is missing. Where ``familiar`` lead bytes are given, readings with two worn bytes or a lost one
    need one of these.
    """
    before = text[at - 1 : at]
    if lost and text[at].islower() and before.isalpha() and text[at + 1 : at + 2] != "\u00a0":
        return ()
    lead = table.leads[text[at]]
    found = _read(_window(text, at, table), table.name, lost, familiar is None or lead in familiar)
    if text[-1] == ELLIPSIS:  # "ä1…" ends in dots, and is no 久 with a folded byte
        found = tuple([one for one in found if not one.cost or at + one.size < len(text)])
    if not before.isdigit() and not (before.islower() and before < NOT_LATIN):
        return found
    return tuple([one for one in found if _joins(before, one, text[at + one.size : at + one.size + 1], table)])


def clear(text: str, at: int, table: Page) -> str:
    """The characters of a run of sequences from a place on, each of which ``choices`` can read in one way only.

    They are read in one step, for page after page may not be worn at all.
    """
    found = table.plain.match(text, at)
    if not found:
        return ""
    read = found.group().translate(table.bytes).encode("latin-1")
    try:
        characters = read.decode()
    except UnicodeDecodeError as error:
        characters = read[: error.start].decode()
    if not characters.isprintable():
        characters = "".join(takewhile(_written, characters))
    end = at + len(characters.encode())
    lone = _east_asian(characters[-1:]) and text[end : end + 1] not in table.leads
    return characters[:-1] if lone else characters


def _window(text: str, at: int, table: Page) -> str:
    """As much of the text as the sequence that begins there can take: a short one is remembered better (``_read``)."""
    need = needed(table.leads[text[at]])
    shortest = text[at : at + 1 + need]
    return shortest if table.wide.isdisjoint(shortest[1:]) else text[at : at + 1 + need * LONGEST_FORM]


def _east_asian(character: str) -> bool:
    return any(first <= character[:1] <= last for first, last in EAST_ASIAN)


def _joins(before: str, choice: Choice, after: str, table: Page) -> bool:
    """Whether a reading may stand right behind a digit or a small Latin letter.

    Chinese, Japanese or Korean does not stand alone behind such a letter ("surdoué »"), and "×2" behind a digit is a
    product.
    """
    if before.isdigit():
        return not choice.cost or not HEBREW.match(choice.character)
    return not _east_asian(choice.character) or after in table.leads


@lru_cache(maxsize=1 << 13)
def _read(text: str, name: str, lost: bool, familiar: bool) -> tuple[Choice, ...]:  # noqa: FBT001 -- a key of the memory
    """The characters that a text may begin with, the likeliest first; those that no page would show are left out."""
    table = page(name)
    lead = table.leads[text[0]]
    need = needed(lead)
    most = MOST_WORN if familiar else ONE_WORN
    allowed = SECOND.get(lead, TAILS)
    partial: list[tuple[int, int, float]] = [] if lost and not familiar else [(lead & 0x3F >> need, 1, 0.0)]
    for _ in range(need):
        partial = [
            (code << 6 | byte & 0x3F, end + len(form), cost + price)
            for code, end, cost in partial
            for form, byte, price in _forms(text, end, table, lost=lost and cost < LOST_COST)
            if cost + price <= most and byte in allowed
        ]
        allowed = TAILS
    found = [
        Choice(chr(code), end, cost, cost + _strangeness(code))
        for code, end, cost in partial
        if (cost >= LOST_COST or not lost) and cost + _strangeness(code) < MOST_WORN
    ]
    found.sort(key=PRICE)
    return tuple(found[:MOST_READINGS])


def _forms(text: str, at: int, table: Page, *, lost: bool) -> Iterator[tuple[str, int, float]]:
    """The forms of a continuation byte at a place, and no form at all where one may be lost."""
    for form, byte, cost in table.tails.get(text[at : at + 1], ()):
        if text.startswith(form, at):
            yield form, byte, cost
    if lost:
        for byte in table.lost:
            yield "", byte, LOST_COST


@lru_cache(maxsize=4096)
def _written(character: str) -> bool:
    """Whether a character is assigned, and no half of one."""
    return unicodedata.category(character) not in {"Cn", "Co", "Cs"}


@lru_cache(maxsize=1 << 13)
def _strangeness(code: int) -> float:
    """How unlikely a character is in any text: letters, quotes and what is invisible are likely, boxes are not.

    What is no character is in none.
    """
    character = chr(code)
    if not _written(character):
        return inf
    if character in PUNCTUATION:
        return 0.0
    if character in INVISIBLE:
        return 0.2
    if RARE.match(character):
        return 2.5
    return STRANGENESS.get(unicodedata.category(character), 1.0)
