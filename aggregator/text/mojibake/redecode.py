"""Undo the decoding of UTF-8 as a code page, in texts that were damaged since.

``ftfy.fix_encoding`` undoes what is undamaged. Here a lead byte and its continuation bytes, each in a form that it may
have taken (see ``byte_sequences``), become the likeliest character; where several are possible, the word list of the
language decides. Only texts with enough of such sequences are changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

import ftfy
import regex
from ftfy.badness import badness, is_bad

from aggregator.text import word_frequencies
from aggregator.text.fold import is_mark
from aggregator.text.mojibake.byte_sequences import (
    ENCODINGS,
    MOST_COST,
    REPLACED,
    UNDEFINED_COST,
    Choice,
    CodePage,
    list_choices,
    load_page,
)
from aggregator.text.mojibake.known_words import complete_known_words, looks_windows
from aggregator.text.mojibake.lone_letters import find_blank, fix_lone_letter, is_about_letter
from aggregator.text.mojibake.other_encodings import keep_beyond_ascii
from aggregator.text.mojibake.word_choice import Piece, choose_characters, count_unknown_letters, is_known

# Chinese characters whose UTF-8 contains byte 95: it is "•" in cp1252, and pages show undefined bytes as "•", too.
_DOT = b"\x95"
# A page that shows undefined bytes as themselves or as U+FFFD has "•" for byte 95 only.
_DOT_SHOWN, _SURE_DOT = "•", "\x95"
_UNDEFINED_SHOWN = re.compile("[\x81\x8d\x8f\x90\x9d\ufffd]")
_DOTTED = re.compile(f"[{''.join(one for one in map(chr, range(0x4E00, 0xA000)) if _DOT in one.encode())}]")
# "ã¬ " (Italian "ì ", wrongly decoded and in small letters) is 㬠; such a character stands among common ones.
_RARE_CHINESE, _CHINESE = re.compile("[\u3400-\u4dbf]"), re.compile("[\u4e00-\u9fff]")
_ROUNDS = 3
# UTF-8 read as Latin-1 has control characters for half of the last bytes. A text that lacks these lost a third of its
# letters for good: of Russian, Greek or Hindi so, every third word would be invented.
_SEQUENCE = re.compile("[Â-ß][\u0080-\u00bf]?|[à-ï][\u0080-\u00bf]{0,2}")
_MANY, _LOST_SHARE = 3, 0.18
_BLANK = "\x1f"  # a blank that is no byte
# A lead byte, with other bytes of its sequence, before a blank that may be byte A0, or before a byte shown as "?".
_LEAD_AND_BLANK = re.compile("[\u00c2-\u00f4][\u0080-\u00bf\u0152-\u017e\u0192-\u2122]{0,2} ")
_UNKNOWN_BYTE = re.compile("[Â-ß]\\?|[à-ï][\u00a1-\u00bf\u0152-\u017e\u0192-\u2122]?\\?")
# A lead byte beside letters that were read.
_MIXED = re.compile("[À-ÿ][\u0370-\ud7ff]|[\u0370-\u1dff\u3040-\ud7ff][À-ÿ]")
_MOST_LEFT = 0.3  # of the oddities of a text that may be left; of the development files at most .18 is
_FEW_ODDITIES = 4
_PROOF = 1.4  # sequences that a text must have before damaged ones are read; an undamaged one of three bytes counts 2
_LEAST_WORD = 0.6  # proof of a word that counts
_ENOUGH = 100.0  # proof in the first parts of a text that decides for its encoding
_PART = 10_000  # characters
# Proof per letter that may be a byte: damaged mojibake of seven languages .39 to .76, emoji and marks .09 and .1,
# random bytes .01. Noise has such letters only; in sound Ukrainian read as cp1251 every twelfth is one.
_LEAST_SHARE = 0.2
_NOISE_SHARE = 0.03
_MOST_STRANGE = _PART // 2
_LONGEST_KNOWN = 200  # characters of a word whose proof is cached
_NOISE = -1.0
# First two letters of sequences: at most 70 different in one language, 113 in six, twice as many if damaged. A text
# with more is noise, and stays as it is.
_BEGINNING = 2
_MOST_BEGINNINGS = 500
_INSIDE = 0.5  # additional proof of a capital lead byte directly behind a small letter, which spelling hardly has
_LONE_LEAD = re.compile("â(?![\\w\u0080-\u00ff€]| €)")
_READ_LEAD = re.compile("â(?=•)")  # of text that was decoded twice, so that it has just been read itself
_TAIL = "[\u0080-\u00bf\u0152-\u017e\u0192-\u2122]"
# "“ATÉ AMANHÃ”": the closing quote is no byte of a letter, though "Ã”" is "Ô"; nor is it one of an emoji.
_QUOTED = re.compile(rf"(“[^“”]*(?:Ã|ðŸ{_TAIL}?|ï¸|â{_TAIL}?)|“Â)”(?!\w)")
_QUOTE = "\ue201"
# "ðŸ˜ here" lost a byte that has no character; it is not 😠 with the blank, or with a mark, for its last byte.
_CUT_EMOJI = re.compile(
    f"ð(?=Ÿ{_TAIL}?(?:[ \n{_QUOTE}âð]|\\Z))|ï(?=¸[ â{_QUOTE}])|â(?=[^\x80-\xa0€](?<={_TAIL})[ {_QUOTE}])"
)
_CUT_LEADS = {"ð": "\ue202", "ï": "\ue203", "â": "\ue204"}
# A closing quote behind an opening one, with its last byte lost, or shown as "?".
_CLOSING = re.compile(r"(â€œ(?:(?!â€œ).)*?â€)(?:\?|(?=[ \n.,;:!)]|\Z))", re.DOTALL)
_STRIPPED = re.compile(r"(?<=[a-zß-ÿ])Ã(?:[\x83ƒ]Â)?\Z")  # "à" at an end whose second byte, a blank, was stripped
_COLOURED, _EMOJI = "\ufe0f", regex.compile(r"\p{Emoji}")
_NOT_LATIN = "\u0370"
_LETTER_COST = 1.5  # of a letter that is taken for a byte: "i" for "¡"
_COMMON = "”’\ufe0f"  # of the characters whose last byte is undefined only these are common


def redecode(text: str) -> str:
    """Return the text with wrong decoding undone; sound text of any language comes back as it is.

    >>> redecode("PortuguÃªs"), redecode("PortuguÃas"), redecode("Português"), redecode("“NÃO, AMANHÃ”")
    ('Português', 'Português', 'Português', '“NÃO, AMANHÃ”')
    """
    if text.isascii():
        return text
    if _QUOTED.search(text) and _QUOTE not in text:
        return redecode(_QUOTED.sub(rf"\1{_QUOTE}", text)).replace(_QUOTE, "”")
    if _CUT_EMOJI.search(text) and not any(one in text for one in _CUT_LEADS.values()):
        better = redecode(_CUT_EMOJI.sub(lambda found: _CUT_LEADS[found[0]], text))
        for lead, stand_in in _CUT_LEADS.items():
            better = better.replace(stand_in, lead)
        return better
    if is_about_letter(text):
        return text
    better = _redecode_blanks(_STRIPPED.sub(_add_last_byte, _CLOSING.sub("\\1\x9d", text)))
    better = complete_known_words(better, proved=better != text or _prove_encoding(text)[0] >= _PROOF)
    if better == text or _is_hopeless(text, better):
        return text
    return text if len(text) <= _PART and is_known(text) else better


def _add_last_byte(found: re.Match[str]) -> str:
    """Return a lead byte at the end of a text with a no-break space, unless its word is known with another byte."""
    begin = found.string.rfind(" ", 0, found.start()) + 1
    word = found.string[begin:]
    return found[0] if complete_known_words(word, proved=True) != word else f"{found[0]}\xa0"


def _redecode_blanks(text: str) -> str:
    """Return the text decoded with its blanks as byte A0, which many pages show so, or as blanks behind lost bytes."""
    if _UNKNOWN_BYTE.search(text) and _prove_encoding(text)[0] >= _PROOF:
        text = _UNKNOWN_BYTE.sub(_replace_unknown, text)
    if _BLANK in text or not _LEAD_AND_BLANK.search(text):
        return _redecode(_fix_undamaged(text))
    read = _redecode(_fix_undamaged(text))
    if read == text:
        return text
    kept = _redecode(_fix_undamaged(text.replace(" ", _BLANK))).replace(_BLANK, " ")
    if "\xa0" in text:
        return kept
    if kept == read or count_oddities(kept) > count_oddities(read):
        return read
    return kept if count_unknown_letters(kept) < count_unknown_letters(read) else read


def _redecode(text: str) -> str:
    familiar: dict[str, frozenset[int]] = {}
    whole = None
    if _lacks_controls(text):
        return text
    for _ in range(_ROUNDS):
        proof, name = _prove_encoding(text)
        if proof == _NOISE:
            break
        read = _read_damaged(text, familiar, name) if proof >= _PROOF else fix_lone_letter(text)
        if read == whole:
            break
        whole = _fix_whole(read)
        if whole == text:
            break
        text = whole
    if "cp1252" in familiar:
        text = _DOTTED.sub(_replace_dotted, text)
    for name, leads in familiar.items():
        if name != "cp1251":
            text = _reread(text, load_page(name), leads, lost=True)
    return text


def _lacks_controls(text: str) -> bool:
    """Return whether it is UTF-8 read as Latin-1 that lost its control characters, which half of the last bytes are."""
    if looks_windows(text):
        return False
    found = _SEQUENCE.findall(text)
    lost = sum(len(one) < (2 if one < "à" else 3) for one in found)
    return min(lost, len(found) - lost) >= _MANY and lost >= _LOST_SHARE * len(found)


def _replace_unknown(found: re.Match[str]) -> str:
    """Return U+FFFD for a question mark that a page shows for an undefined byte."""
    return found[0] if _ends_word(found.string, found.start()) else f"{found[0][:-1]}{REPLACED}"


def _is_hopeless(text: str, better: str) -> bool:
    """Return whether too much of a text looks damaged still once it was decoded."""
    if len(text) > _PART:
        return False
    return count_oddities(better) > _MOST_LEFT * max(_FEW_ODDITIES, count_oddities(text))


def _replace_dotted(found: re.Match[str]) -> str:
    """Return the Chinese character that is the most familiar between its neighbours, of those shown alike by pages."""
    text = found.string
    return _choose_alike(text[max(0, found.start() - 1) : found.start()], found[0], text[found.end() : found.end() + 1])


@lru_cache(maxsize=1 << 13)
def _choose_alike(before: str, character: str, after: str) -> str:
    alike = _list_alike(character)
    added = [word_frequencies.added_familiarity(before, one + after) for one in alike]
    return alike[added.index(max(added))]


@lru_cache(maxsize=1 << 12)
def _list_alike(character: str) -> tuple[str, ...]:
    """Return a Chinese character with byte 95 and those with another undefined byte of cp1252 in its place."""
    read = character.encode()
    alike = [read.replace(_DOT, bytes([byte]), 1).decode() for byte in load_page("cp1252").undefined]
    return character, *alike


@lru_cache(maxsize=1 << 12)
def count_oddities(text: str) -> int:
    """Return how many spots look like a wrong decoding to ftfy's detector; 0 in sound text of any language."""
    return 0 if text.isascii() else int(badness(keep_beyond_ascii(text)))


def _fix_undamaged(text: str) -> str:
    """Return the text as ftfy reads it, through any number of encodings, if that leaves nothing that may be damaged.

    Byte 95 is not certain: pages show others like it. A long text has other parts that prove its encoding.
    """
    if len(text) > _PART:
        return text
    whole = _fix_whole(text)
    unsure = not _UNDEFINED_SHOWN.search(text) and _DOT in "".join({*whole}.difference(text)).encode()
    left = REPLACED in whole or count_oddities(whole) or unsure or _MIXED.search(whole)
    return text if left or any(load_page(name).finder.search(whole) for name in ENCODINGS) else whole


def _fix_whole(text: str) -> str:
    if text.isascii() or not is_bad(keep_beyond_ascii(text)):
        return text
    better = ftfy.fix_encoding(text)
    lost = "\ufffd" in better and "\ufffd" not in text
    return text if lost or (_RARE_CHINESE.search(better) and not _CHINESE.search(better)) else better


def _read_damaged(text: str, familiar: dict[str, frozenset[int]], name: str) -> str:
    """Return the text read through an encoding; add the lead bytes of undamaged sequences to ``familiar[name]``."""
    dot = _SURE_DOT if _UNDEFINED_SHOWN.search(text) else _DOT_SHOWN
    familiar[name] = familiar.get(name, frozenset()) | _find_familiar_leads(text, load_page(name))
    return _reread(text.replace(_DOT_SHOWN, dot), load_page(name), familiar[name]).replace(dot, _DOT_SHOWN)


@lru_cache(maxsize=4)
def _prove_encoding(text: str) -> tuple[float, str]:
    """Return the proof of the encoding that explains most of a text, and its name; a long text by its first parts.

    Proof that explains a small share of the letters that may be bytes is 0; with next to none of them in a part, the
    text is noise and the proof is ``_NOISE``.
    """
    proofs = dict.fromkeys(ENCODINGS, 0.0)
    strange = dict.fromkeys(ENCODINGS, 0)
    for begin in range(0, len(text), _PART):
        part = {name: _explain_part(text[begin : begin + _PART], name) for name in ENCODINGS}
        for name, (proof, letters) in part.items():
            proofs[name] += proof
            strange[name] += letters
        name = max(proofs, key=lambda one: proofs[one])
        if len(text) > _PART and part[name][1] > _MOST_STRANGE and part[name][0] < _NOISE_SHARE * part[name][1]:
            return _NOISE, name
        if proofs[name] > _ENOUGH:
            return (proofs[name] if proofs[name] >= _LEAST_SHARE * strange[name] else 0.0), name
    return max(((proof, name) for name, proof in proofs.items()), key=lambda one: one[0])


def _explain_part(text: str, name: str) -> tuple[float, int]:
    """Return the proof of an encoding's sequences, and how many letters of their words may be bytes."""
    every = list(_find_suspect_words(text, load_page(name)))
    proof = sum([(_weigh_known if len(word) <= _LONGEST_KNOWN else _weigh_word)(word, name) for word in every])
    return proof, _count_strange("".join(every), load_page(name))


def _find_suspect_words(text: str, table: CodePage) -> Iterator[str]:
    """Yield the words that may contain a sequence of the encoding, in order."""
    spaced = text.replace(_BLANK, " ").replace("\t", " ").replace("\r", " ").replace("\n", " ")
    done = 0
    for found in table.finder.finditer(text):
        at = found.start()
        if at >= done:
            begin = max(done, spaced.rfind(" ", done, at) + 1)
            end = spaced.find(" ", at)
            done = end if end >= 0 else len(text)
            yield text[begin:done]


def _weigh_word(word: str, name: str) -> float:
    """Return the proof of the sequences of a word: 1 of two bytes, 2 of more, less if damaged or with other letters."""
    table = load_page(name)
    at = explained = 0
    weight = 0.0
    while found := table.finder.search(word, at):
        at = found.start()
        readings = list_choices(word, at, table)
        if not readings:
            at += 1
            continue
        choice = readings[0]
        inside = at > 0 and word[at].isupper() and word[at - 1].islower()
        weight += (1 if choice.size == 2 else 2) * (1 - choice.price / MOST_COST) + _INSIDE * inside  # noqa: PLR2004
        explained += sum(map(table.shown.__contains__, word[at : at + choice.size]))
        at += choice.size
    if weight <= _LEAST_WORD:
        return 0.0
    return weight * min(1.0, explained / max(1, _count_strange(word, table))) ** 2


def _count_strange(word: str, table: CodePage) -> int:
    return sum(map(table.shown.__contains__, word))


_weigh_known = lru_cache(maxsize=4096)(_weigh_word)


def _reread(text: str, table: CodePage, familiar: frozenset[int], *, lost: bool = False) -> str:
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
        readings = () if _ends_word(text, at) else list_choices(text, at, table, familiar, lost=lost)
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


def _ends_word(text: str, at: int) -> bool:
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


def _find_familiar_leads(text: str, table: CodePage) -> frozenset[int]:
    """Return the lead bytes of the sequences that are hardly damaged."""
    leads: set[str] = set()
    for found in table.finder.finditer(text):
        readings = () if found.group() in leads else list_choices(text, found.start(), table)
        if readings and readings[0].price <= UNDEFINED_COST:
            leads.add(found.group())
    return frozenset(table.leads[lead] for lead in leads)
