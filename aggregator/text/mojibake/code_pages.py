"""Which bytes a character may have been, for each encoding that UTF-8 is wrongly read as, worn forms included.

A byte shows as its character in the code page; pages then fold it (² to 2), replace what is undefined by "•" or U+FFFD,
and recognition takes one mark for another. Each form has a cost: how unlikely it is that the byte came to look so.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

ENCODINGS = ("cp1252", "cp1251", "cp1250")
UNDEFINED = "•"
REPLACED = "\ufffd"
# RFC 3629, section 4: what the first byte of a longer sequence may be.
LEADS = range(0xC2, 0xF5)
# Forms seen in the store page of the seed documents and in folding by Unicode's own tables (NFKC).
WORN: tuple[tuple[str, str, float], ...] = (
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
FOLDED = 0.8
UNDEFINED_COST = 0.4
# "•" is also byte 95 itself, a little more likely than each byte that it stands in for.
DEFINED_COST = 0.3
# A control character is often dropped: nothing stands where the byte was.
LOST_COST = 0.9
# The Cyrillic and Vietnamese letters that recognition takes for the Latin capital Eth.
LEADS_WORN = (("Ð", "Đ"),)
# Sequences that are read in one step: what is wrong in a longer run would be looked at again too often.
LONGEST_RUN = 60


class Page(NamedTuple):
    """One encoding: its lead bytes by character, and by first character the forms of continuation bytes with costs.

    ``shown`` are all characters that a byte above 7F is shown as. ``lost`` are the bytes that the encoding leaves
    undefined, which pages drop. ``wide`` are the characters that forms of several begin with. ``leader`` finds lead
    bytes, ``finder`` those that as many forms of continuation bytes follow as they need. ``plain`` finds sequences that
    can be read in one way only, ``bytes`` are the bytes of their characters.
    """

    name: str
    leads: dict[str, int]
    tails: dict[str, list[tuple[str, int, float]]]
    lost: tuple[int, ...]
    shown: frozenset[str]
    wide: frozenset[str]
    leader: re.Pattern[str]
    finder: re.Pattern[str]
    plain: re.Pattern[str]
    bytes: dict[int, int]


@lru_cache(maxsize=8)
def page(name: str) -> Page:
    """The table of one encoding."""
    shown = {byte: _shown(byte, name) for byte in range(0x80, 0x100)}
    leads = {character: byte for byte, character in shown.items() if byte in LEADS}
    leads |= {worn: leads[character] for character, worn in LEADS_WORN if character in leads and worn not in leads}
    tails: dict[str, list[tuple[str, int, float]]] = {}
    for byte in range(0x80, 0xC0):
        for form, cost in _forms(byte, shown[byte]).items():
            tails.setdefault(form[0], []).append((form, byte, cost))
    every = frozenset((*shown.values(), UNDEFINED, REPLACED))
    wide = frozenset(first for first, found in tails.items() if any(len(form) > 1 for form, _, _ in found))
    clear = {form: byte for (form, byte, cost), *more in tails.values() if not more and not cost and len(form) == 1}
    return Page(
        name,
        leads,
        tails,
        lost=tuple(byte for byte in range(0x80, 0xC0) if shown[byte] == chr(byte)),
        shown=every,
        wide=wide,
        leader=re.compile(f"[{''.join(leads)}]"),
        finder=_finder(leads, tails),
        plain=_plain(leads, clear),
        bytes={ord(character): byte for character, byte in (leads | clear).items()},
    )


def _finder(leads: dict[str, int], tails: dict[str, list[tuple[str, int, float]]]) -> re.Pattern[str]:
    """What finds the lead bytes that enough forms of continuation bytes follow."""
    forms = {form for found in tails.values() for form, _, _ in found}
    single = "".join(re.escape(form) for form in sorted(forms) if len(form) == 1)
    longer = [re.escape(form) for form in sorted(forms) if len(form) > 1]
    form = f"(?:{'|'.join([f'[{single}]', *longer])})"
    by_need = sorted(_by_need(leads).items())
    parts = (rf"(?<=[{''.join(characters)}]){form}{{{count}}}" for count, characters in by_need)
    return re.compile(f"[{''.join(leads)}](?={'|'.join(parts)})")


def _plain(leads: dict[str, int], clear: Iterable[str]) -> re.Pattern[str]:
    """What finds a run of sequences that are not worn and can be read in one way only."""
    tail = f"[{''.join(map(re.escape, clear))}]"
    parts = (f"[{''.join(each)}]{tail}{{{count}}}" for count, each in sorted(_by_need(leads).items()))
    return re.compile(f"(?:{'|'.join(parts)}){{1,{LONGEST_RUN}}}")


def _by_need(leads: dict[str, int]) -> dict[int, list[str]]:
    by_need: dict[int, list[str]] = {}
    for character, lead in leads.items():
        by_need.setdefault(needed(lead), []).append(character)
    return by_need


def needed(lead: int) -> int:
    """How many continuation bytes a lead byte needs (RFC 3629, section 3)."""
    return 1 if lead < 0xE0 else 2 if lead < 0xF0 else 3  # noqa: PLR2004


def _shown(byte: int, name: str) -> str:
    """The character a byte is shown as; what the encoding leaves undefined keeps its C1 control character."""
    try:
        return bytes([byte]).decode(name)
    except UnicodeDecodeError:
        return chr(byte)


def _forms(byte: int, character: str) -> dict[str, float]:
    """The forms a continuation byte may have taken, each with the lowest of its costs."""
    forms = {chr(byte): 0.0, character: 0.0}
    if character == UNDEFINED:
        forms[character] = DEFINED_COST
    if "\x80" <= character <= "\x9f":
        forms[UNDEFINED] = forms[REPLACED] = UNDEFINED_COST
    folded = unicodedata.normalize("NFKC", character)
    forms.setdefault(folded, FOLDED)
    for characters, form, cost in WORN:
        if character in characters:
            forms[form] = min(cost, forms.get(form, cost))
    return forms
