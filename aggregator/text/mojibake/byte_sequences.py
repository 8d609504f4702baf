"""List the characters that a stretch of text may have been, if its UTF-8 was decoded as a code page.

A byte is shown as its character in the code page; then pages fold it (² to 2) or replace an undefined one by "•" or
U+FFFD, and recognition takes one mark for another. Each such form has a cost: how unlikely it is for the byte.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from math import inf
from typing import NamedTuple

ENCODINGS = ("cp1252", "cp1251", "cp1250")
_UNDEFINED = "•"
REPLACED = "\ufffd"
_LEADS = range(0xC2, 0xF5)  # first bytes of a sequence of several (RFC 3629, section 4)
# Characters, their damaged form, its cost: seen on Apple's store pages and in folding by Unicode's tables (NFKC).
_DAMAGED: tuple[tuple[str, str, float], ...] = (
    ("‘’", "'", 1.0),
    ("“”„¨", '"', 1.0),
    ("„", ",,", 0.5),
    ("‚¸", ",", 1.0),
    ("–—\u00ad¯", "-", 1.0),
    ("—", "--", 1.0),
    ("›", "⟩", 0.5),
    ("›", "᠈", 1.0),
    ("‹", "⟨", 0.5),
    ("¯", "⁻", 0.5),
    ("¯", "ˉ", 0.5),
    ("ˆ", "^", 0.5),
    ("˜", "~", 0.5),
    ("¡", "i", 1.5),
    ("µ", "μ", 0.2),
    ("…", "...", 0.5),
    ("\u00a0", " ", 0.6),
    ("\u00ad", "-", 0.4),
    ("´", "'", 1.0),
)
_FOLDED = 0.8
UNDEFINED_COST = 0.4
_DEFINED_COST = 0.3  # "•" is also byte 95 itself, a little more likely than each byte that it replaces
_LOST_COST = 0.9  # of a byte without any form: pages often drop control characters
_SOFT_HYPHEN = 0xAD
_DAMAGED_LEADS = (("Ð", "Đ"),)  # recognition reads the Latin Eth as a Vietnamese letter


class CodePage(NamedTuple):
    """Tables of one encoding.

    - ``leads``: lead bytes by their character.
    - ``needs``: how many continuation bytes they need, by their character.
    - ``tails``: by first character, the forms of continuation bytes: (form, byte, cost).
    - ``lost``: the bytes that pages drop: control characters and the soft hyphen.
    - ``undefined``: those of them that the encoding has no character for, which pages show as "•".
    - ``shown``: all characters that a byte above 7F is shown as.
    - ``wide``: first characters of forms of several.
    - ``leader``: finds lead bytes.
    - ``finder``: finds lead bytes with as many forms of continuation bytes behind them as they need.
    """

    name: str
    leads: dict[str, int]
    needs: dict[str, int]
    tails: dict[str, list[tuple[str, int, float]]]
    lost: tuple[int, ...]
    undefined: tuple[int, ...]
    shown: frozenset[str]
    wide: frozenset[str]
    leader: re.Pattern[str]
    finder: re.Pattern[str]


@lru_cache(maxsize=8)
def load_page(name: str) -> CodePage:
    """Return the tables of one encoding."""
    shown = {byte: _show_byte(byte, name) for byte in range(0x80, 0x100)}
    leads = {character: byte for byte, character in shown.items() if byte in _LEADS}
    leads |= {
        damaged: leads[character]
        for character, damaged in _DAMAGED_LEADS
        if character in leads and damaged not in leads
    }
    tails: dict[str, list[tuple[str, int, float]]] = {}
    for byte in range(0x80, 0xC0):
        for form, cost in _find_damaged_forms(byte, shown[byte]).items():
            tails.setdefault(form[0], []).append((form, byte, cost))
    every = frozenset((*shown.values(), _UNDEFINED, REPLACED))
    wide = frozenset(first for first, found in tails.items() if any(len(form) > 1 for form, _, _ in found))
    return CodePage(
        name,
        leads,
        {character: _count_continuations(lead) for character, lead in leads.items()},
        tails,
        lost=tuple(byte for byte in (*range(0x80, 0xA0), _SOFT_HYPHEN) if shown[byte] == chr(byte)),
        undefined=tuple(byte for byte in range(0x80, 0xA0) if shown[byte] == chr(byte)),
        shown=every,
        wide=wide,
        leader=re.compile(f"[{''.join(leads)}]"),
        finder=_compile_finder(leads, tails),
    )


def _compile_finder(leads: dict[str, int], tails: dict[str, list[tuple[str, int, float]]]) -> re.Pattern[str]:
    """Return the pattern of a lead byte that enough forms of continuation bytes follow."""
    forms = {form for found in tails.values() for form, _, _ in found}
    single = "".join(re.escape(form) for form in sorted(forms) if len(form) == 1)
    longer = [re.escape(form) for form in sorted(forms) if len(form) > 1]
    form = f"(?:{'|'.join([f'[{single}]', *longer])})"
    by_need = sorted(_group_leads(leads).items())
    parts = (rf"(?<=[{''.join(characters)}]){form}{{{count}}}" for count, characters in by_need)
    return re.compile(f"[{''.join(leads)}](?={'|'.join(parts)})")


def _group_leads(leads: dict[str, int]) -> dict[int, list[str]]:
    by_need: dict[int, list[str]] = {}
    for character, lead in leads.items():
        by_need.setdefault(_count_continuations(lead), []).append(character)
    return by_need


def _count_continuations(lead: int) -> int:
    """Return how many continuation bytes a lead byte needs (RFC 3629, section 3)."""
    return 1 if lead < 0xE0 else 2 if lead < 0xF0 else 3  # noqa: PLR2004


def _show_byte(byte: int, name: str) -> str:
    """Return the character that a byte is shown as; an undefined one as its C1 control character."""
    try:
        return bytes([byte]).decode(name)
    except UnicodeDecodeError:
        return chr(byte)


def _find_damaged_forms(byte: int, character: str) -> dict[str, float]:
    """Return the forms a continuation byte may have taken, each with the lowest of its costs."""
    forms = {chr(byte): 0.0, character: 0.0}
    if character == _UNDEFINED:
        forms[character] = _DEFINED_COST
    if "\x80" <= character <= "\x9f":
        forms[_UNDEFINED] = forms[REPLACED] = UNDEFINED_COST
    folded = unicodedata.normalize("NFKC", character)
    forms.setdefault(folded, _FOLDED)
    for characters, form, cost in _DAMAGED:
        if character in characters:
            forms[form] = min(cost, forms.get(form, cost))
    return forms


_LONGEST_FORM = 3  # characters: "..."
_MOST_READINGS = 48  # the likeliest; two bytes shown as "•" have 36
MOST_COST = 3.0  # of a reading
_ONE_DAMAGED = 1.05  # cost of one damaged byte, at most; at 10 % more, French "é :" becomes Chinese
_INVISIBLE = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff\u200e\u200f")
_PUNCTUATION = frozenset("’‘“”–—…•„‚«»¡¿·°№™€、。「」")
# Blocks that no feed is written in: C1 controls, IPA, old Cyrillic, Braille, boxes, historic scripts, and the rare
# Chinese characters whose bytes, shown as "•", are those of Japanese letters.
_RARE = re.compile(
    "[\u0080-\u009f\u0180-\u018e\u0190-\u019f\u01a2-\u01ae\u01b1-\u0217\u021c-\u0258\u025a-\u02ba\u02bd-\u036f\u0460-\u048f\u0700-\u08ff\u1000-\u10ff\u1200-\u17ff\u1800-\u1dff"
    "\u1f00-\u1fff\u2010\u2011\u2012\u2015-\u2017\u2300-\u245f\u2500-\u25ff\u2801-\u2dff\u2e00-\u2fff"
    "\u3400-\u4dbf\ua000-\uabff\ud7b0-\uf8ff\ufe00-\ufe0e\ufe10-\ufe1f]"
)
_EAST = "\u3400"
_TAILS = range(0x80, 0xC0)  # continuation bytes; behind some lead bytes only these (RFC 3629, section 4):
_SECOND = {0xE0: range(0xA0, 0xC0), 0xED: range(0x80, 0xA0), 0xF0: range(0x90, 0xC0), 0xF4: range(0x80, 0x90)}
_ELLIPSIS = "…"
_MARKERS = frozenset("■□▪▫▲△▶►▼▽◀◄◆◇○●")  # before the items of lists
_NOT_LATIN = "\u0370"
_HEBREW = re.compile("[\u0590-\u05ff]")
_STRANGENESS = {"Ll": 0.0, "Lo": 0.0, "Lu": 0.2, "Mn": 0.5, "Lm": 0.2, "Pd": 1.5, "So": 0.6}


_NO_LETTERS = ("\u00a0", "»")  # bytes that stand behind a letter in no spelling: "há»i" is "hỏi"


class Choice(NamedTuple):
    """One reading of a stretch of text: the character, and how many characters of the text it replaces.

    ``cost`` is how damaged its bytes are; ``price`` adds how unusual the character is. Lower is likelier.
    """

    character: str
    size: int
    cost: float
    price: float


def list_choices(
    text: str, at: int, table: CodePage, familiar: frozenset[int] | None = None, *, lost: bool = False
) -> tuple[Choice, ...]:
    """Return the characters that may begin at a lead byte, the likeliest first.

    With ``lost``, one byte is missing. If ``familiar`` lead bytes are given, only these may have readings with two
    damaged bytes or a lost one.
    """
    before = text[at - 1 : at]
    in_word = before.isalpha() and before < _NOT_LATIN
    if lost and text[at].islower() and in_word and text[at + 1 : at + 2] not in _NO_LETTERS:
        return ()
    lead = table.leads[text[at]]
    found = _read_sequence(_cut_window(text, at, table), table.name, lost, familiar is None or lead in familiar)
    if text[-1] == _ELLIPSIS:  # "ä1…" ends in an ellipsis; it is not 久 with a folded byte
        found = tuple([one for one in found if not one.cost or at + one.size < len(text)])
    if not before.isdigit() and not (before.islower() and before < _NOT_LATIN):
        return found
    return tuple([one for one in found if _may_follow(before, one, text[at + one.size : at + one.size + 1], table)])


def _cut_window(text: str, at: int, table: CodePage) -> str:
    """Return the part of the text that the sequence at a place can take, as short as possible: it is a cache key."""
    need = table.needs[text[at]]
    shortest = text[at : at + 1 + need]
    return shortest if table.wide.isdisjoint(shortest[1:]) else text[at : at + 1 + need * _LONGEST_FORM]


def _may_follow(before: str, choice: Choice, after: str, table: CodePage) -> bool:
    """Return whether a reading may stand right behind a digit or a small Latin letter.

    Chinese, Japanese or Korean does not stand alone behind such a letter ("surdoué »"), and "×2" behind a digit is a
    product.
    """
    if before.isdigit():
        return not choice.cost or not _HEBREW.match(choice.character)
    if choice.cost and choice.character.isupper() and choice.character < _NOT_LATIN:
        return False
    return after in table.leads or not (
        "\u3000" <= choice.character <= "\u9fff" or "\uac00" <= choice.character <= "\ud7a3"
    )


@lru_cache(maxsize=1 << 13)
def _read_sequence(text: str, name: str, lost: bool, familiar: bool) -> tuple[Choice, ...]:  # noqa: FBT001 -- a cache key
    """Return the characters that a text may begin with, the likeliest first, of those that cost less than the limit."""
    table = load_page(name)
    lead = table.leads[text[0]]
    need = _count_continuations(lead)
    most = MOST_COST if familiar else _ONE_DAMAGED
    allowed = _SECOND.get(lead, _TAILS)
    partial: list[tuple[int, int, float]] = [] if lost and not familiar else [(lead & 0x3F >> need, 1, 0.0)]
    for _ in range(need):
        partial = [
            (code << 6 | byte & 0x3F, end + len(form), cost + price)
            for code, end, cost in partial
            for form, byte, price in _find_forms(text, end, table, lost=lost and cost < _LOST_COST)
            if cost + price <= most and byte in allowed
        ]
        allowed = _TAILS
    found = [
        Choice(chr(code), end, cost, cost + _measure_strangeness(code))
        for code, end, cost in partial
        if (cost >= _LOST_COST or not lost) and cost + _measure_strangeness(code) < MOST_COST
    ]
    found.sort(key=lambda one: (one.price, -one.size))  # "1⁄4" is ¼ rather than ¹
    return tuple(found[:_MOST_READINGS])


def _find_forms(text: str, at: int, table: CodePage, *, lost: bool) -> Iterator[tuple[str, int, float]]:
    """Yield (form, byte, cost) for a continuation byte at a place, with empty forms if it may be lost."""
    for form, byte, cost in table.tails.get(text[at : at + 1], ()):
        if text.startswith(form, at):
            yield form, byte, cost
    if lost:
        for byte in table.lost:
            yield "", byte, _LOST_COST


@lru_cache(maxsize=4096)
def _is_assigned(character: str) -> bool:
    """Return whether a character is assigned, not for private use, and no surrogate."""
    return unicodedata.category(character) not in {"Cn", "Co", "Cs"}


@lru_cache(maxsize=1 << 13)
def _measure_strangeness(code: int) -> float:
    """Return how unusual a character is in texts: 0 for letters and quotes, infinite for an unassigned one."""
    character = chr(code)
    if not _is_assigned(character):
        return inf
    if character in _PUNCTUATION:
        return 0.0
    if character in _INVISIBLE:
        return 0.2
    if _RARE.match(character) and character not in _MARKERS:
        return inf if character.isalpha() and character < _EAST else 2.5
    return _STRANGENESS.get(unicodedata.category(character), 1.0)
