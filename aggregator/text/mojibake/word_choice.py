"""Choose between the readings of damaged characters: by word lists, and by the letters that follow each other.

The readings of a word are chosen together. Chinese and Japanese have no blanks between words: there, and for a word
that no list has, the likeliest sequence of letters is taken.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, pairwise, product
from math import prod
from operator import itemgetter

from aggregator.text import word_frequencies
from aggregator.text.fold import is_mark
from aggregator.text.mojibake.byte_sequences import REPLACED, Choice

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
_OF_SCRIPT = {"ru": _CYRILLIC, "ar": ("ar", "fa", "ur")}
"""Languages of a script whose words are asked, by the one that stands for it."""
# A word, and words with a mark between them, with marks as writers set them before and behind.
_SOUND = re.compile(r"[(\[“”„‘’«»\"'¿¡]*([^\W\d_]+(?:[-’'/&][^\W\d_]+)*)[)\]“”„’«»\"'.,:;!?…€™]*|[\x00-\x7f–—…•|]+")
_TOKEN = re.compile(r"[^ \t\r\n]+")  # other blanks may be bytes
_WORD = re.compile(r"[^\W_]+")
_BETWEEN = re.compile("[-’'/&]")
_LATIN_LETTERS = frozenset(chain.from_iterable(ALPHABETS.values()))
_MOST_LANGUAGES = 6
_SHORT, _COMMON = 3, 3e-5  # letters of a word that counts only if it has such a share of a language's words
_MAIN = 1.0  # by which, of languages of one script, another must fit a word better than the main one
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
    return measure_share(word) > 0.0


def measure_share(word: str) -> float:
    """Return the share of a word in the language, of those of `is_known_word`, in which it is most frequent, else 0."""
    letters = {letter for letter in word if not letter.isascii()}
    languages = [language for language, own in ALPHABETS.items() if letters.issubset(own)]
    languages += ["vi"] * letters.issubset(_VIETNAMESE_LETTERS)
    languages += _CYRILLIC * all("\u0400" <= letter <= "\u052f" for letter in word)
    share = max((word_frequencies.familiarity(word, language) for language in languages), default=0.0)
    return share if len(word) > _SHORT or share > _COMMON else 0.0


def count_unknown_letters(text: str) -> int:
    """Return how many letters beyond ASCII are in words that the languages of their script do not have."""
    words = _WORD.findall(text)
    return sum(len(word) for word in words if not (word.isascii() or word.isdecimal() or _is_listed(word.lower())))


@lru_cache(maxsize=1 << 12)
def _is_listed(word: str) -> bool:
    language = _guess_language(word)
    if language in {None, "vi"}:
        return is_known_word(word)
    return bool(_find_listed([[word]], _OF_SCRIPT.get(language, (language,))))


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
    every: list[Sequence[str]] = [
        (piece,) if isinstance(piece, str) else [one.character for one in piece] for piece in word
    ]
    language = _guess_language(plain if plain.strip(REPLACED) else every[0][-1])
    if language is None:
        return _choose_latin(every, plain, certain)
    if language == "zh":
        return _choose_chinese(every)
    if language not in _BY_LETTERS:
        asked = _OF_SCRIPT.get(language, (language,))
        if prod(map(len, every)) >= _MOST_CHOICES:
            every = _drop_foreign_letters(every, asked)
        if listed := _find_listed(every, asked):
            return max(listed, key=lambda one: (is_cased(one), listed[one], one == plain))
    if language not in _LANGUAGE_OF.values():
        return plain
    (read, fit), *others = [_choose_letters(word, one) for one in _OF_SCRIPT.get(language, (language,))]
    return max([(read, fit + _MAIN), *others], key=itemgetter(1))[0]


def _drop_foreign_letters(every: Sequence[Sequence[str]], languages: Sequence[str]) -> list[Sequence[str]]:
    """Return the characters of each place without those that no common word of the languages has, unless all are so."""
    return [
        [one for one in place if any(word_frequencies.has_letter(one, language) for language in languages)] or place
        if len(place) > 1
        else place
        for place in every
    ]


def _find_listed(every: Sequence[Sequence[str]], languages: Sequence[str]) -> dict[str, float]:
    """Return the readings that are words of the languages, each with its largest share; of very many, common words."""
    lists = list(map(word_frequencies.load_frequencies, languages))
    if prod(map(len, every)) >= _MOST_CHOICES:
        small = [[one.lower() for one in place if len(one.lower()) == len(one)] for place in every]
        common = {word for language in languages for word in word_frequencies.match_words(small, language)}
        readings: Iterable[str] = (_restore_case(word, every) for word in common)
    else:
        readings = map("".join, product(*every))
    shares = {one: max([list_.get(one.casefold(), 0.0) for list_ in lists], default=0.0) for one in readings}
    return {one: share for one, share in shares.items() if share}


def _restore_case(word: str, every: Sequence[Sequence[str]]) -> str:
    """Return a word with capitals where only these are possible."""
    at, parts = 0, []
    for place in every:
        size = len(place[0])
        small = word[at : at + size]
        parts.append(small if small in place else next(one for one in place if one.lower() == small))
        at += size
    return "".join(parts)


def _choose_latin(every: Sequence[Sequence[str]], plain: str, certain: frozenset[str]) -> str:
    """Return the reading that is the most frequent word of a language with its letters, ``plain`` if none is a word.

    ``certain`` are letters of the text: languages that have all of these are asked, if there are any.
    """
    letters = {*"".join(chain.from_iterable(every)).lower()} - {*plain.lower()}
    languages = [language for language, own in ALPHABETS.items() if not letters.isdisjoint(own)]
    fitting = [language for language in languages if certain.issubset(ALPHABETS[language])]
    asked = (["vi"] if _VIETNAMESE.search("".join(letters)) else []) + (fitting or languages)[:_MOST_LANGUAGES]

    listed = _find_listed(every, asked)
    known = {one: share for one, share in listed.items() if len(one) > _SHORT or share > _COMMON}
    return max(known, key=lambda one: (known[one], one == plain), default=plain)


def is_cased(word: str) -> bool:
    """Return whether a word has a capital only at its beginning, or nothing else: "sổ", not "sỐ"."""
    return word[1:] == word[1:].lower() or word == word.upper()


def _choose_letters(word: Sequence[Piece], language: str) -> tuple[str, float]:
    """Return the reading whose letters follow each other most often in a language, and how often (Viterbi)."""
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
    return max(best.values(), key=itemgetter(1))


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
