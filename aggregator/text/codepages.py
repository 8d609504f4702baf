"""Which bytes a character may have been, for each encoding that UTF-8 is wrongly read as, worn forms included.

A byte shows as its character in the code page; pages then fold it (² to 2), replace what is undefined by "•", and
recognition takes one mark for another. Each form has a cost: how unlikely it is that the byte came to look so.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import NamedTuple

ENCODINGS = ("cp1252", "cp1251", "cp1250")
UNDEFINED = "•"
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
# The Cyrillic and Vietnamese letters that recognition takes for the Latin capital Eth.
LEADS_WORN = (("Ð", "Đ"),)


class Page(NamedTuple):
    """One encoding: the lead bytes by character, and the continuation bytes by form with their costs."""

    name: str
    leads: dict[str, int]
    tails: dict[str, tuple[tuple[int, float], ...]]
    longest: int


@lru_cache(maxsize=8)
def page(name: str) -> Page:
    """The table of one encoding."""
    shown = {byte: _shown(byte, name) for byte in range(0x80, 0x100)}
    leads = {character: byte for byte, character in shown.items() if 0xC2 <= byte <= 0xF4}
    leads |= {worn: leads[character] for character, worn in LEADS_WORN if character in leads and worn not in leads}
    forms: dict[str, dict[int, float]] = {}
    for byte in range(0x80, 0xC0):
        for form, cost in _forms(byte, shown[byte]):
            known = forms.setdefault(form, {})
            known[byte] = min(cost, known.get(byte, 9.0))
    tails = {form: tuple(sorted(bytes_.items())) for form, bytes_ in forms.items()}
    return Page(name, leads, tails, max(map(len, tails)))


def _shown(byte: int, name: str) -> str:
    """The character a byte is shown as; what the encoding leaves undefined keeps its C1 control character."""
    try:
        return bytes([byte]).decode(name)
    except UnicodeDecodeError:
        return chr(byte)


def _forms(byte: int, character: str) -> list[tuple[str, float]]:
    forms = [(character, UNDEFINED_COST if character == UNDEFINED else 0.0), (chr(byte), 0.0)]
    if "\x80" <= character <= "\x9f":
        forms.append((UNDEFINED, UNDEFINED_COST))
    folded = unicodedata.normalize("NFKC", character)
    if folded != character:
        forms.append((folded, FOLDED))
    forms += [(form, cost) for characters, form, cost in WORN if character in characters]
    return forms
