"""Undo decoding of one Latin code page as another, or as a Cyrillic one.

"Dziœ du¿o s³oñca" is Polish of cp1250 read as cp1252. Every byte is a character of either page, so that only words
tell: a text whose letters no language has together is read in each page, and one reading must turn unknown words into
words of a language of that page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

import ftfy.bad_codecs  # noqa: F401 - registers "sloppy-windows-1252"

from aggregator.text import word_frequencies
from aggregator.text.mojibake.word_choice import ALPHABETS, LONGEST_WORD, is_known_word

_WESTERN: Final = "sloppy-windows-1252"
_MAC: Final = "mac_roman"
_DOS: Final = "cp850"
_LANGUAGES: Final = {
    "cp1250": ("pl", "cs", "sk", "hu", "ro", "sl", "sh"),
    "iso8859_2": ("pl", "cs", "sk", "hu", "ro", "sl", "sh"),
    "cp1254": ("tr",),
    "cp1257": ("lt", "lv"),
    **dict.fromkeys((_WESTERN, _MAC, _DOS), ("es", "fr", "de", "pt", "it", "sv", "da", "nb", "fi", "ca", "is")),
}
"""Code pages, and the languages with a word list that were written in them."""

_TAKEN_FOR: Final = {
    _WESTERN: ("cp1250", "iso8859_2", "cp1254", "cp1257", _MAC, _DOS),
    "cp1250": (_WESTERN,),
    "cp1251": (_WESTERN, "cp1250", "cp1254"),
    _MAC: (_WESTERN,),
}
"""By the page that a text was read as, the pages that it may have been written in."""
_CHARACTERS = frozenset(map(chr, range(0x80, 0x100))).union(
    *(bytes(range(0x80, 0x100)).decode(page, "ignore") for page in _TAKEN_FOR)
)
_WHOLE = frozenset((_WESTERN, _MAC, _DOS))
_CONTROLS = re.compile("[\x80-\x9f]")
_OF_ISO = re.compile("[\x80\x82-\x8c\x8e\x91-\x9c\x9e\x9f]")  # cp1252 has characters there: it was read as ISO 8859-1
_CONTROLS_OF_LETTERS = re.compile("[\x8a\x8c\x8e\x9a\x9c\x9e\x9f]")  # as cp1252 has them: "ŠŒŽšœžŸ"
_LETTER = r"[^\W\d_]"
# A sign or a control in a word: "¿ó³æ", "S³owo"; "n°", "3ª" and "x²" are sound. Portuguese has "õ" before "e" alone; no
# word of French or Romanian ends in one of the last letters.
_ODD = re.compile(
    f"(?<={_LETTER})[\x80-\x9f¢£¥¦¨¯±³¶¹º¼¾¿](?={_LETTER})|(?<=[A-Za-z])(?:[†‡ˆ‰‹›•˜]|[ŠŒŽŸ](?![A-Z]))"
    f"|[\x80-\x9f£¥¯±³¹º](?={_LETTER}{{2}})"
    "|(?<=[a-z])[À-ÖØ-Þ](?![A-Z])"
    "|[\x81\x87\x88\x8a-\x90\x98\x9a\x9c-\x9f]|õ(?!e)|[âîïûç](?!\\w)"
)
_MIXED, _CYRILLIC_WORD = re.compile("[A-Za-z][Ѐ-ӿ]|[Ѐ-ӿ][A-Za-z]"), re.compile("[Ѐ-ӿ]{3}")
_ICELANDIC, _OFTEN_ICELANDIC = frozenset("ðýþ"), frozenset("áæéíóú")  # Turkish has the first three alone
_TOKEN = re.compile(r"\S+")
_ELIDED = re.compile("^[a-z]{1,2}[\x92’]")
_AROUND = "".join(filter(lambda one: not one.isalnum(), map(chr, range(0x21, 0x7F)))) + "“”„’‘–—…«»"
_BETWEEN = re.compile(r"[-’'/&.,]")
_COMMAS = str.maketrans("şţ", "șț")  # cp1250 has no letters with a comma below, the words of Romanian no cedillas
PART = 10_000  # characters that prove a page
_LEAST = 2  # different words that prove it; one alone if long or with a control, and most others are of its language
_LONG = 6  # letters of such a word
_MOST_KNOWN_BEFORE, _LEAST_KNOWN_AFTER = 0.2, 0.6  # shares of the words that change
_SHORT, _COMMON = 3, 3e-5  # letters of a word that counts only if it has such a share of a language's words


class _Reading(NamedTuple):
    """Two pages and a language, the words that they change, before and after, and which of these are known."""

    read_as: str
    page: str
    language: str
    words: dict[str, str]
    known: frozenset[str]


def redecode_latin(text: str) -> str:
    """Return the text decoded with its own Latin code page; sound text comes back as it is.

    >>> redecode_latin("Dziœ du¿o s³oñca"), redecode_latin("Ýþ arayan genç þarkýcýlar"), redecode_latin("très près")
    ('Dziś dużo słońca', 'İş arayan genç şarkıcılar', 'très près')
    """
    if text.isascii() or not is_doubtful(text[:PART]):
        return text
    part = text[:PART].rsplit(None, 1)[0] if len(text) > PART else text
    tokens = {token for token in _TOKEN.findall(part) if not token.isascii()}
    best = max(_read_pages(tokens), key=lambda reading: 2 * len(reading.known) - len(reading.words), default=None)
    if best is None or not _is_proved(best, part):
        return text
    return _TOKEN.sub(lambda found: _decode(found[0], best.read_as, best.page) or found[0], text)


@lru_cache(maxsize=64)
def is_doubtful(text: str) -> bool:
    """Return whether the text has letters of Western pages that no language has together, or signs where none has."""
    letters = {letter for letter in {*text} if not letter.isascii() and letter.isalpha()}
    if not _CHARACTERS.issuperset(letters):
        return False
    own = {*"".join(letters).lower()}
    if any("Ѐ" <= letter <= "ӿ" for letter in own):
        return _MIXED.search(text) is not None and _CYRILLIC_WORD.search(text) is None
    if _ODD.search(text) or (own & _ICELANDIC and not own & _OFTEN_ICELANDIC):
        return True
    return not any(own.issubset(alphabet) for alphabet in ALPHABETS.values())


def _read_pages(tokens: set[str]) -> Iterator[_Reading]:
    """Yield a reading for each two pages that have all bytes of the tokens, and each of their languages."""
    is_iso = any(map(_OF_ISO.search, tokens))
    for read_as, page in ((read_as, page) for read_as, pages in _TAKEN_FOR.items() for page in pages):
        wrong = "latin_1" if is_iso and read_as == _WESTERN else read_as
        read = {token: _decode(token, wrong, page) for token in tokens}
        if None in read.values():
            continue
        # letters that become quotes prove nothing, nor controls that stand for the same quote or dash in cp1252
        changed = {
            token: after.strip(_AROUND)
            for token, after in read.items()
            if after
            and after != token
            and not after.strip(_AROUND).isascii()
            and (wrong != "latin_1" or _CONTROLS_OF_LETTERS.search(token) or after != _decode(token, wrong, _WESTERN))
        }
        for language in _LANGUAGES[page]:
            known = frozenset(token for token, after in changed.items() if _is_known(after, language, page))
            yield _Reading(wrong, page, language, changed, known)


def _decode(word: str, read_as: str, page: str) -> str | None:
    """Return a word in another page, ``None`` if one of the two lacks a character."""
    try:
        return word.encode(read_as).decode(page)
    except UnicodeError:
        return None


def _is_known(word: str, language: str, page: str) -> bool:
    """Return whether a language has each part of a word, with its own letters only; short ones must be common.

    Of languages that join many endings the list has few forms: a beginning with all letters beyond ASCII is enough, but
    not of Western ones: Mac Roman has letters where others have dashes, and "ser—cero" is no "seró".
    """
    small = word.lower().replace("\u0307", "")  # of "İ"
    if language == "ro":
        small = small.translate(_COMMAS)
    if any(part[1:] != part[1:].lower() and part != part.upper() for part in _BETWEEN.split(word)):
        return False  # a capital behind a small letter: "herêmî" is no "herÍmÓ"
    parts = list(filter(None, _BETWEEN.split(small.casefold())))
    letters = {letter for letter in small if not letter.isascii()}
    if max(map(len, parts), default=0) > LONGEST_WORD or not letters.issubset(f"{ALPHABETS[language]}’"):
        return False
    frequencies, is_whole = word_frequencies.load_frequencies(language), page in _WHOLE
    return all(_is_listed(part, frequencies, is_whole=is_whole) for part in parts)


def _is_listed(word: str, frequencies: Mapping[str, float], *, is_whole: bool) -> bool:
    """Return whether a word, or a beginning of it with all letters beyond ASCII, has a share of a language's words."""
    if len(word) <= _SHORT:
        return frequencies.get(word, 0.0) > _COMMON
    if is_whole:
        return word in frequencies
    last = max((at for at, letter in enumerate(word) if not letter.isascii()), default=0)
    return any(word[:end] in frequencies for end in range(len(word), max(_SHORT, last), -1))


def _is_proved(reading: _Reading, part: str) -> bool:
    """Return whether the reading turns enough unknown words into known ones."""
    known, changed = len(reading.known), len(reading.words)
    before = sum(_was_known(word) for word in reading.words)
    if known < _LEAST_KNOWN_AFTER * changed or before > _MOST_KNOWN_BEFORE * changed:
        return False
    if known >= _LEAST:
        return True
    others = [word for token in part.split() if token not in reading.words and (word := token.strip(_AROUND))]
    of_language = sum(word.lower() in word_frequencies.load_frequencies(reading.language) for word in others)
    is_long = any(len(word) >= _LONG or (_CONTROLS.search(word) and word[1:]) for word in reading.known)
    return is_long and 0 < len(others) <= 2 * of_language


def _was_known(word: str) -> bool:
    r"""Return whether a word is known as it stands, or behind an apostrophe, also a control: "m\x92a" is no "mía"."""
    bare = word.strip(_AROUND).lower()
    return is_known_word(_ELIDED.sub("", bare))
