"""Undo the decoding of UTF-8 as a code page, in texts that were damaged since.

``ftfy.fix_encoding`` undoes what is undamaged. Here a lead byte and its continuation bytes, each in a form that it may
have taken (see ``byte_sequences``), become the likeliest character; where several are possible, the word list of the
language decides. Only texts with enough of such sequences are changed.
"""

from __future__ import annotations

import re
from functools import lru_cache

import ftfy
from ftfy.badness import badness, is_bad

from aggregator.text import word_frequencies
from aggregator.text.mojibake.byte_sequences import ENCODINGS, REPLACED, load_page
from aggregator.text.mojibake.encoding_proof import BLANK, MIN_PROOF, NOISE, PART, prove_encoding
from aggregator.text.mojibake.known_words import complete_known_words, looks_windows
from aggregator.text.mojibake.lone_letters import fix_lone_letter, is_about_letter
from aggregator.text.mojibake.other_encodings import keep_beyond_ascii
from aggregator.text.mojibake.sequence_reading import ends_word, find_familiar_leads, read_sequences
from aggregator.text.mojibake.word_choice import count_unknown_letters, is_known

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
_MIN_SEQUENCES, _LOST_SHARE = 3, 0.18
_TAIL = "[\u0080-\u00bf\u0152-\u017e\u0192-\u2122]"  # a letter that may be another byte of a sequence
# A lead byte, with other bytes of its sequence, before a blank that may be byte A0, or before a byte shown as "?".
_LEAD_AND_BLANK = re.compile(f"[\u00c2-\u00f4]{_TAIL}{{0,2}} ")
_UNKNOWN_BYTE = re.compile("[Â-ß]\\?|[à-ï][\u00a1-\u00bf\u0152-\u017e\u0192-\u2122]?\\?")
# A lead byte beside letters that were read.
_MIXED = re.compile("[À-ÿ][\u0370-\ud7ff]|[\u0370-\u1dff\u3040-\ud7ff][À-ÿ]")
_MAX_LEFT = 0.3  # of the oddities of a text that may be left; of the development files at most .18 is
_FEW_ODDITIES = 4
# "“ATÉ AMANHÃ”": the closing quote is no byte of a letter, though "Ã”" is "Ô"; nor is it one of an emoji.
_QUOTED = re.compile(rf"(“[^“”]*(?:Ã|ðŸ{_TAIL}?|ï¸|â{_TAIL}?)|“Â)”(?!\w)")
_QUOTE = "\ue201"  # stands for such a quote
# "ðŸ˜ here" lost a byte that has no character; it is not 😠 with the blank, or with a mark, for its last byte.
_CUT_EMOJI = re.compile(
    f"ð(?=Ÿ{_TAIL}?(?:[ \n{_QUOTE}âð]|\\Z))|ï(?=¸[ â{_QUOTE}])|â(?=[^\x80-\xa0€](?<={_TAIL})[ {_QUOTE}])"
)
_CUT_LEADS = {"ð": "\ue202", "ï": "\ue203", "â": "\ue204"}  # what stands for their lead bytes
# A closing quote behind an opening one, with its last byte lost, or shown as "?".
_CLOSING = re.compile(r"(â€œ(?:(?!â€œ).)*?â€)(?:\?|(?=[ \n.,;:!)]|\Z))", re.DOTALL)
# In a text that got small letters after it was decoded, "Ã¼" is "ã¼", and "ÃŸ" is "ãÿ".
_LOWERED = re.compile("[ãåäâðñîïøù][\u0080-\u00bfƒˆ˜–—‘’‚“”„†‡•…‰‹›€™œšžÿ]")
_CAPITAL_LEAD = re.compile("[À-Þ]")
_STRIPPED = re.compile(r"(?<=[a-zß-ÿ])Ã(?:[\x83ƒ]Â)?\Z")  # "à" at an end whose second byte, a blank, was stripped


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
    better = complete_known_words(better, proved=better != text or prove_encoding(text)[0] >= MIN_PROOF)
    better = _redecode_lowered(better)
    if better == text or _is_hopeless(text, better):
        return text
    return text if len(text) <= PART and is_known(text) else better


def _redecode_lowered(text: str) -> str:
    """Return the text decoded with its lead bytes as capitals, if all words are then known: it got small letters since.

    >>> _redecode_lowered("fã¼r groãÿe leute"), _redecode_lowered("irmã»")
    ('für große leute', 'irmã»')
    """
    if not _LOWERED.search(text) or _CAPITAL_LEAD.search(text) or len(text) > PART or is_known(text):
        return text
    raised = redecode(_LOWERED.sub(_raise_lead, text))
    small = "".join(one if one.isascii() else one.lower() for one in raised)
    return small if is_known(small) and not _LOWERED.search(small) else text


def _raise_lead(found: re.Match[str]) -> str:
    return found[0].upper() if found[0].endswith("ÿ") else found[0][0].upper() + found[0][1:]


def _add_last_byte(found: re.Match[str]) -> str:
    """Return a lead byte at the end of a text with a no-break space, unless its word is known with another byte."""
    begin = found.string.rfind(" ", 0, found.start()) + 1
    word = found.string[begin:]
    return found[0] if complete_known_words(word, proved=True) != word else f"{found[0]}\xa0"


def _redecode_blanks(text: str) -> str:
    """Return the text decoded with its blanks as byte A0, which many pages show so, or as blanks behind lost bytes."""
    if _UNKNOWN_BYTE.search(text) and prove_encoding(text)[0] >= MIN_PROOF:
        text = _UNKNOWN_BYTE.sub(_replace_unknown, text)
    if BLANK in text or not _LEAD_AND_BLANK.search(text):
        return _redecode(_fix_undamaged(text))
    read = _redecode(_fix_undamaged(text))
    if read == text:
        return text
    kept = _redecode(_fix_undamaged(text.replace(" ", BLANK))).replace(BLANK, " ")
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
        proof, name = prove_encoding(text)
        if proof == NOISE:
            break
        read = _read_damaged(text, familiar, name) if proof >= MIN_PROOF else fix_lone_letter(text)
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
            text = read_sequences(text, load_page(name), leads, lost=True)
    return text


def _lacks_controls(text: str) -> bool:
    """Return whether it is UTF-8 read as Latin-1 that lost its control characters, which half of the last bytes are."""
    if looks_windows(text):
        return False
    found = _SEQUENCE.findall(text)
    lost = sum(len(one) < (2 if one < "à" else 3) for one in found)
    return min(lost, len(found) - lost) >= _MIN_SEQUENCES and lost >= _LOST_SHARE * len(found)


def _replace_unknown(found: re.Match[str]) -> str:
    """Return U+FFFD for a question mark that a page shows for an undefined byte."""
    return found[0] if ends_word(found.string, found.start()) else f"{found[0][:-1]}{REPLACED}"


def _is_hopeless(text: str, better: str) -> bool:
    """Return whether too much of a text looks damaged still once it was decoded."""
    if len(text) > PART:
        return False
    return count_oddities(better) > _MAX_LEFT * max(_FEW_ODDITIES, count_oddities(text))


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
    if len(text) > PART:
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
    familiar[name] = familiar.get(name, frozenset()) | find_familiar_leads(text, load_page(name))
    return read_sequences(text.replace(_DOT_SHOWN, dot), load_page(name), familiar[name]).replace(dot, _DOT_SHOWN)
