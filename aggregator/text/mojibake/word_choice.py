"""Choose between the readings of damaged characters: by word lists, and by the letters that follow each other.

The readings of a word are chosen together. Chinese and Japanese have no blanks between words: there, and for a word
that no list has, the likeliest sequence of letters is taken.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain, pairwise, product
from math import prod

from aggregator.text import word_frequencies
from aggregator.text.fold import is_mark
from aggregator.text.mojibake.byte_sequences import Choice

Piece = str | tuple[Choice, ...]
"""A stretch of text that stays as it is, or its readings; the first is taken where no word list decides."""

_MOST_CHOICES = 400  # readings of a word; with more, the likeliest is taken without a word list
LONGEST_WORD = 60
"""Pieces of a word for which a word list decides."""

MOST_WEIGHED = 20_000
"""Readings looked up in word lists for one text; a page of damaged Vietnamese has some hundreds."""
_LANGUAGE_OF = {
    "CYRILLIC": "ru",
    "HEBREW": "he",
    "GREEK": "el",
    "ARABIC": "ar",
    "CJK": "zh",
    "HANGUL": "ko",
    "DEVANAGARI": "hi",
    "BENGALI": "bn",
    "TAMIL": "ta",
} | dict.fromkeys(("HIRAGANA", "KATAKANA"), "ja")
ALPHABETS = {
    "ca": "àçèéíïòóúü",
    "cs": "áčďéěíňóřšťúůýž",
    "da": "æøå",
    "de": "äöüß",
    "es": "áéíñóúü",
    "fi": "äö",
    "fr": "àâæçèéêëîïôùûœ",
    "hu": "áéíóöőúüű",
    "is": "áæðéíóöúýþ",
    "it": "àèéìòù",
    "lt": "ąčęėįšųūž",
    "lv": "āčēģīķļņšūž",
    "nb": "æøå",
    "pl": "ąćęłńóśźż",
    "pt": "àáâãçéêíóôõú",
    "ro": "ăâîșț",
    "sh": "čćđšž",
    "sk": "áäčďéíĺľňóôŕšťúýž",
    "sl": "čšž",
    "sv": "åäö",
    "tr": "âçğıöşü",
}
"""Letters beyond ASCII of languages in Latin script that have a word list, but Vietnamese.

They are the exemplar characters of Unicode CLDR 48.2 (``exemplarCharacters`` in ``characters.json`` of its package
``cldr-misc-full``), but not the letters of foreign words that it lists for fi, fr, nb, pt and sv; "â" of Turkish is one
of its auxiliary characters.
"""
_BY_LETTERS = frozenset(("zh", "ja"))  # languages without blanks between words
_VIETNAMESE_LETTERS = frozenset("àáâãèéêìíòóôõùúýăđĩũơư").union(map(chr, range(0x1EA0, 0x1EFA)))
_CYRILLIC = ("ru", "uk", "bg", "mk")
# A word, and words with a mark between them, with marks as writers set them before and behind.
_SOUND = re.compile(r"[(\[“”„‘’«»\"'¿¡]*([^\W\d_]+(?:[-’'/&][^\W\d_]+)*)[)\]“”„’«»\"'.,:;!?…€™]*|[\x00-\x7f–—…•|]+")
_TOKEN = re.compile(r"[^ \t\r\n]+")  # other blanks may be bytes
_BETWEEN = re.compile("[-’'/&]")
_LATIN_LETTERS = frozenset(chain.from_iterable(ALPHABETS.values()))
_MOST_LANGUAGES = 6
_SHORT, _COMMON = 3, 3e-5  # letters of a word that counts only if it has such a share of a language's words
_PRICE = 1.0  # weight of how damaged and unusual a character is against how well it follows others
_VIETNAMESE = re.compile("[đĐƠơƯư\u1ea0-\u1ef9]")


def is_known(text: str) -> bool:
    """Return whether each word beyond ASCII is known in a language of its script, between marks as writers set them.

    Short ones ("Â", "Ã") must be common. Only Latin and Cyrillic letters stand for bytes in a text wrongly decoded.

    >>> is_known("Hún er í „MÓTMÆLTU“"), is_known("Ã la carte"), is_known("cÅ“ur")
    (True, False, False)
    """
    found = [_SOUND.fullmatch(token) for token in _TOKEN.findall(text)]
    if not all(found):
        return False
    words = [word for one in found if one and one[1] for word in _BETWEEN.split(one[1]) if not word.isascii()]
    return bool(words) and all(is_known_word(word.lower()) for word in words)


@lru_cache(maxsize=1 << 12)
def is_known_word(word: str) -> bool:
    """Return whether a language in Latin or Cyrillic script, whose alphabet has its letters, has a word."""
    letters = {letter for letter in word if not letter.isascii()}
    languages = [language for language, own in ALPHABETS.items() if letters.issubset(own)]
    languages += ["vi"] * letters.issubset(_VIETNAMESE_LETTERS)
    languages += _CYRILLIC * all("\u0400" <= letter <= "\u052f" for letter in word)
    least = 0.0 if len(word) > _SHORT else _COMMON
    return any(word_frequencies.familiarity(word, language) > least for language in languages)


def choose_characters(pieces: Sequence[Piece]) -> Iterator[str]:
    """Yield the text of the pieces; the readings of a word are chosen together, by the word list of its language."""
    word: list[Piece] = []
    left = MOST_WEIGHED
    sure = [
        one if isinstance(one, str) else one[0].character for one in pieces if isinstance(one, str) or len(one) == 1
    ]
    certain = _LATIN_LETTERS.intersection("".join(sure).lower())
    for piece in (*pieces, ""):
        likeliest = piece if isinstance(piece, str) else piece[0].character
        if likeliest.isalpha() or _has_marks(likeliest) or (likeliest is not piece and len(piece) > 1):
            word.append(piece)
            continue
        if word:
            count = _count_readings(word)
            left -= count
            yield _choose_word(tuple(word), certain) if count and left > 0 else _join_likeliest(word)
            word = []
        yield likeliest


def _has_marks(text: str) -> bool:
    """Return whether a text consists of letters and of marks that belong to them."""
    return not text.isascii() and all(one.isalpha() or is_mark(one) for one in text)


def _count_readings(word: Sequence[Piece]) -> int:
    """Return the readings to look up for a word, or its pairs of neighbours; 0 where it has one, or too many."""
    if len(word) > LONGEST_WORD:
        return 0
    several = [1 if isinstance(piece, str) else len(piece) for piece in word]
    count = prod(several)
    if count == 1 or (1 < count < _MOST_CHOICES and _guess_language(_join_likeliest(word)) not in _BY_LETTERS):
        return count if count > 1 else 0
    return sum([one * other for one, other in pairwise([1, *several])])


def _join_likeliest(word: Sequence[Piece]) -> str:
    return "".join([piece if isinstance(piece, str) else piece[0].character for piece in word])


@lru_cache(maxsize=1 << 12)
def _choose_word(word: tuple[Piece, ...], certain: frozenset[str]) -> str:
    plain = _join_likeliest(word)
    language = _guess_language(plain)
    every = [(piece,) if isinstance(piece, str) else [one.character for one in piece] for piece in word]
    if language is None:
        return _choose_latin(every, plain, certain)
    if language == "zh":
        return _choose_chinese(every)
    if language not in _BY_LETTERS and prod(map(len, every)) < _MOST_CHOICES:
        shares = word_frequencies.load_frequencies(language)
        listed = [reading for reading in map("".join, product(*every)) if reading.casefold() in shares]
        if listed:
            return max(listed, key=lambda one: (is_cased(one), shares[one.casefold()], one == plain))
    return _choose_letters(word, language) if language in _LANGUAGE_OF.values() else plain


def _choose_latin(every: Sequence[Sequence[str]], plain: str, certain: frozenset[str]) -> str:
    """Return the reading that is the most frequent word of a language with its letters, ``plain`` if none is a word.

    ``certain`` are letters of the text: languages that have all of these are asked, if there are any.
    """
    if prod(map(len, every)) >= _MOST_CHOICES:
        return plain
    readings = ["".join(reading) for reading in product(*every)]
    letters = {*"".join(readings).lower()} - {*plain.lower()}
    languages = [language for language, own in ALPHABETS.items() if not letters.isdisjoint(own)]
    fitting = [language for language in languages if certain.issubset(ALPHABETS[language])]
    asked = (["vi"] if _VIETNAMESE.search("".join(letters)) else []) + (fitting or languages)[:_MOST_LANGUAGES]

    shares = list(map(word_frequencies.load_frequencies, asked))

    def rate(reading: str) -> tuple[float, bool]:
        word = reading.casefold()
        known = max([one.get(word, 0.0) for one in shares], default=0.0)
        return known if len(reading) > _SHORT or known > _COMMON else 0.0, reading == plain

    return max(readings, key=rate)


def is_cased(word: str) -> bool:
    """Return whether a word has a capital only at its beginning, or nothing else: "sổ", not "sỐ"."""
    return word[1:] == word[1:].lower() or word == word.upper()


def _choose_letters(word: Sequence[Piece], language: str) -> str:
    """Return the reading whose letters follow each other most often in a language (Viterbi)."""
    best = {"": ("", 0.0)}  # by its last letter, the likeliest reading so far
    for piece in word:
        options = (
            ((piece[-1:], piece, 0.0),)
            if isinstance(piece, str)
            else ((one.character, one.character, one.price) for one in piece)
        )
        further: dict[str, tuple[str, float]] = {}
        for last, part, price in options:
            read, fit = max(
                (
                    (text + part, sum_ + word_frequencies.measure_fit(before, part[:1], language))
                    for before, (text, sum_) in best.items()
                ),
                key=lambda one: one[1],
            )
            if last not in further or fit - _PRICE * price > further[last][1]:
                further[last] = read, fit - _PRICE * price
        best = further
    return max(best.values(), key=lambda one: one[1])[0]


def _choose_chinese(every: Sequence[Sequence[str]]) -> str:
    """Return the most familiar of all readings (Viterbi: familiarity depends on neighbouring characters only)."""
    best = [("", 0.0)]
    for parts in every:
        further = []
        for part in parts:
            sums = [sum_ + word_frequencies.added_familiarity(read[-1:], part) for read, sum_ in best]
            most = max(sums)
            further.append((best[sums.index(most)][0] + part, most))
        best = further
    return max(best, key=lambda one: one[1])[0]


def _guess_language(word: str) -> str | None:
    if _VIETNAMESE.search(word):
        return "vi"
    found = list(filter(None, map(_find_language, word)))
    return "ja" if "ja" in found else next(iter(found), None)


@lru_cache(maxsize=1 << 12)
def _find_language(letter: str) -> str | None:
    """Return the language whose word list is used for the script of a letter, ``None`` without one."""
    return _LANGUAGE_OF.get(unicodedata.name(letter, "").split(" ", maxsplit=1)[0])
