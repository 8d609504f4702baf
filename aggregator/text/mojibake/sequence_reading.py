"""Read the byte sequences of a text: each becomes a character that its bytes may be, chosen by the words of languages.

A letter that a language writes, such as the last one of "AMANHÃ", is no lead byte; a lead byte whose other bytes are
lost is dropped.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

import regex

from aggregator.text import word_frequencies
from aggregator.text.fold import is_mark
from aggregator.text.mojibake.byte_sequences import REPLACED, UNDEFINED_COST, Choice, CodePage, list_choices
from aggregator.text.mojibake.lone_letters import find_blank
from aggregator.text.mojibake.word_choice import Piece, choose_characters

# First two letters of sequences: at most 70 different in one language, 113 in six, twice as many if damaged. A text
# with more is noise, and stays as it is.
_BEGINNING = 2
_MOST_BEGINNINGS = 500
_LONE_LEAD = re.compile("â(?![\\w\u0080-\u00ff€]| €)")
_READ_LEAD = re.compile("â(?=•)")  # of text that was decoded twice, so that it has just been read itself
_COLOURED, _EMOJI = "\ufe0f", regex.compile(r"\p{Emoji}")
_NOT_LATIN = "\u0370"
_LETTER_COST = 1.5  # of a letter that is taken for a byte: "i" for "¡"
_COMMON = "”’\ufe0f"  # of the characters whose last byte is undefined only these are common
_PART = 10_000  # characters that tell the language
_TURKISH = re.compile("[ğışİ]")
_WORD_BEFORE = re.compile(r"[^\W\d_]{2,40}\Z")
_WORD_AFTER = re.compile(r"[^\W\d_]{1,40}")
_WRITES = {
    "Ä": ("de", "fi", "sv"),
    "Ã": ("pt",),
    "Å": ("sv", "nb"),
    "Â": ("fr", "pt", "ro"),
    "É": ("fr", "es"),
    "Ð": ("is",),
}


def read_sequences(text: str, table: CodePage, familiar: frozenset[int], *, lost: bool = False) -> str:
    """Return the text with its sequences read: with ``lost`` only those that lack a byte, else only complete ones."""
    finder = table.leader if lost else table.finder
    leads = [found.start() for found in finder.finditer(text)]
    if len({text[at : at + _BEGINNING] for at in leads}) > _MOST_BEGINNINGS:
        return text
    pieces: list[Piece] = []
    sure = 0
    for at in leads:
        if at < sure:
            continue
        readings = () if ends_word(text, at) else list_choices(text, at, table, familiar, lost=lost)
        lacking = (
            list_choices(text, at, table, familiar, lost=True) if not lost and _is_doubtful(readings, text, at) else ()
        )
        in_script = readings and not lost and readings[0].character > _NOT_LATIN
        if in_script and _is_beside_lost(text, at, readings[0].size, sure, table):
            readings = readings[:1]
        if not readings or (lost and _is_in_word(text, at)) or (lacking and lacking[0].price < readings[0].price):
            continue
        if sure < at:
            pieces += _split_plain(text[sure:at] if lost else _drop_lone_leads(text, sure, at))
        pieces.append(_keep_known_sizes(readings, text, at))
        if blank := find_blank(text, at, readings[0]):
            pieces.append(blank)
        sure = at + readings[0].size
    pieces += _split_plain(text[sure:] if lost else _drop_lone_leads(text, sure, len(text)))
    _choose_emoji(pieces)
    return _READ_LEAD.sub("", "".join(choose_characters(pieces)))


def _is_beside_lost(text: str, at: int, size: int, sure: int, table: CodePage) -> bool:
    """Return whether a character of the same word lacks a byte, so that the word is chosen when that is read."""
    end = at + size
    lacks_after = text[end : end + 1] in table.leads and not list_choices(text, end, table)
    return lacks_after or (sure < at and text[at - 1] in table.shown)


def _choose_emoji(pieces: list[Piece]) -> None:
    """Leave only emoji in each piece that U+FE0F follows, which asks for the form in colour; several are undecided."""
    for at, (piece, behind) in enumerate(pairwise(pieces)):
        if not isinstance(piece, str) and not isinstance(behind, str) and behind[0].character == _COLOURED:
            emoji = tuple([one for one in piece if _EMOJI.match(one.character)])
            pieces[at] = emoji if len(emoji) == 1 else (piece[0]._replace(character=REPLACED), *piece)


def _is_doubtful(readings: tuple[Choice, ...], text: str, at: int) -> bool:
    """Return whether a byte may be lost instead: the likeliest reading takes a letter or a comma for one."""
    if not readings or readings[0].cost >= _LETTER_COST:
        return bool(readings)
    return readings[0].character > _NOT_LATIN and "," in text[at : at + readings[0].size]


def _keep_known_sizes(readings: tuple[Choice, ...], text: str, at: int) -> tuple[Choice, ...]:
    """Return the readings as long as the likeliest one; U+FFFD comes first where the text has it in their place."""
    size = readings[0].size
    known = readings if len(readings) == 1 else tuple([one for one in readings if one.size == size])
    if REPLACED not in text[at : at + size] or readings[0].character in _COMMON:
        return known
    return (readings[0]._replace(character=REPLACED), *known)


def _split_plain(text: str) -> list[str]:
    """Return a stretch in up to three pieces: the letters at its start, the middle, the letters at its end."""
    first, last = 0, len(text)
    while first < len(text) and _is_letter(text[first]):
        first += 1
    while last > first and _is_letter(text[last - 1]):
        last -= 1
    return [part for part in (text[:first], text[first:last], text[last:]) if part]


def _is_letter(character: str) -> bool:
    return (character.isalnum() and not character.isdecimal()) or is_mark(character)


def _drop_lone_leads(text: str, begin: int, end: int) -> str:
    """Return a stretch of a text without lead bytes whose other bytes are lost; letters and ends of words stay."""
    if text.find("â", begin, end) < 0:
        return text[begin:end]
    lone = [
        found.start()
        for found in _LONE_LEAD.finditer(text, begin, end + 1)
        if found.start() < end and not _ends_turkish_word(text, found.end())
    ]
    ends = [*lone, end]
    return "".join([text[first:last] for first, last in zip([begin, *(at + 1 for at in lone)], ends, strict=True)])


def _ends_turkish_word(text: str, end: int) -> bool:
    """Return whether the letters before a place are a word of Turkish, such as "hâlâ", in a text with its letters."""
    word = _WORD_BEFORE.search(text[max(0, end - 40) : end]) if _is_turkish(text) else None
    return word is not None and word_frequencies.familiarity(word[0], "tr") > 0


@lru_cache(maxsize=4)
def _is_turkish(text: str) -> bool:
    """Return whether a text, by its first part, has letters that only Turkish has."""
    return _TURKISH.search(text, 0, _PART) is not None


def ends_word(text: str, at: int) -> bool:
    """Return whether a lead byte is the last letter of a word in capitals, or begins one, that a language has."""
    letter, last = text[at], text[at - 1 : at]
    if letter not in _WRITES or not last.isalnum() or last.islower() or text[at + 1 : at + 2].isalpha():
        return False
    before = _WORD_BEFORE.search(text[max(0, at - 40) : at])
    if before is None or not before[0].isupper():
        return False
    word = (before[0] + letter).lower()
    return any(word in word_frequencies.load_frequencies(language) for language in _WRITES[letter])


def _is_in_word(text: str, at: int) -> bool:
    """Return whether a letter that may be half of another stands in a word that a language has."""
    after = _WORD_AFTER.match(text, at) if text[at] in _WRITES else None
    if after is None:
        return False
    before = _WORD_BEFORE.search(text[max(0, at - 40) : at])
    word = ((before[0] if before else "") + after[0]).lower()
    return any(word in word_frequencies.load_frequencies(language) for language in _WRITES[text[at]])


def find_familiar_leads(text: str, table: CodePage) -> frozenset[int]:
    """Return the lead bytes of the sequences that are hardly damaged."""
    leads: set[str] = set()
    for found in table.finder.finditer(text):
        readings = () if found.group() in leads else list_choices(text, found.start(), table)
        if readings and readings[0].price <= UNDEFINED_COST:
            leads.add(found.group())
    return frozenset(table.leads[lead] for lead in leads)
