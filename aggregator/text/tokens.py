"""Split a text into tokens: the key to compare by, the surface to show, and the gap before it."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import starmap
from typing import NamedTuple

from aggregator.text.fold import STROKES, is_of_word, normalize

# Tokens of a text are cached, because each text is read twice: to learn about its source, and to blend it.
_SHORT = 2000  # characters; 8,192 texts up to this length are cached
_MAX_CACHED = 200_000  # characters; 8 texts up to this length are cached, 5 MB each, and no longer ones
# Scripts without spaces between words: one token for each character with its marks.
_UNSPACED = (
    "\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u3001-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
)
_MARKS = "\u0300-\u036f\u0e31\u0e33-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd\u3099\u309a\ufe00-\ufe0f\u200d"
_ONE_UNSPACED = re.compile(f"[{_UNSPACED}]")
_PIECE = re.compile(rf"(?<!\s)(\s*)([{_UNSPACED}][{_MARKS}]*|[^\s{_UNSPACED}]+)")
_APOSTROPHES = re.compile("['’‘ʼ`´]")
# Accents are decoration in these scripts and letters in all others (Hebrew, Arabic, Indic, Thai).
_FOLDABLE = re.compile("[\u00c0-\u024f\u0370-\u03ff\u0400-\u052f\u1e00-\u1fff]")
_COMBINING = re.compile("[\u0300-\u036f]+")
_DIGITS = re.compile(r"\d+")
_HIDDEN = re.compile("[\u200c-\u200f\u202a-\u202e\u2066-\u2069\ufe0e\ufe0f]")


class Token(NamedTuple):
    """One token: the white space ``gap`` before it and its ``surface``, which is ``lead``, ``word`` and ``trail``.

    ``lead`` and ``trail`` are the punctuation around the word, empty for a token of punctuation alone. Tokens are
    compared by ``key``: the word folded. ``bare`` is the key without punctuation, ``unnumbered`` is the key with every
    number as #.
    """

    lead: str
    word: str
    trail: str
    key: str
    gap: str
    surface: str
    bare: str
    unnumbered: str

    @property
    def lexical(self) -> bool:
        """Return whether the token has a letter or a digit."""
        return self.key[:1].isalnum()


def tokenise(text: str) -> list[Token]:
    """Return the tokens of a text in order; gaps and surfaces together are the text without its last white space.

    >>> [token.key for token in tokenise("Hello, Wörld - again!")]
    ['hello', 'world', '-', 'again']
    """
    if len(text) > _MAX_CACHED:
        return _split_tokens(text)
    return list((_split_short if len(text) <= _SHORT else _split_long)(text))


def _split_tokens(text: str) -> list[Token]:
    return list(starmap(_make_token, _PIECE.findall(text)))


_split_short = lru_cache(maxsize=1 << 13)(_split_tokens)
_split_long = lru_cache(maxsize=8)(_split_tokens)


def is_unspaced(key: str) -> bool:
    """Return whether a key is of a script that writes without spaces between words.

    >>> is_unspaced("台"), is_unspaced("word")
    (True, False)
    """
    return bool(_ONE_UNSPACED.match(key))


@lru_cache(maxsize=1 << 14)
def _make_token(blank: str, surface: str) -> Token:
    gap = blank if blank in {"", " "} else "\n\n" if blank.count("\n") > 1 else "\n" if "\n" in blank else " "
    begin, end = 0, len(surface)
    while begin < end and not surface[begin].isalnum():
        begin += 1
    while end > begin and not surface[end - 1].isalnum():
        end -= 1
    while begin < end < len(surface) and is_of_word(surface[end]):
        end += 1
    word = surface[begin:end]
    key = _fold_word(word) if word else ""
    lead, trail = (surface[:begin], surface[end:]) if key else ("", "")
    word, key = (word, key) if key else (surface, _fold_mark(surface))
    bare = key if key.isalnum() else "".join(filter(is_of_word, key))
    return Token(lead, word, trail, key, gap, surface, bare, _DIGITS.sub("#", key))


def _fold_mark(surface: str) -> str:
    """Return the key of punctuation, the same for dashes of all styles, and for quotes."""
    quotes = re.sub("[“”„«»]|``|''", '"', surface)
    return re.sub("-{2,3}|[‐-―−]", "-", _APOSTROPHES.sub("'", quotes)).replace("…", "...")


@lru_cache(maxsize=1 << 14)
def _fold_word(word: str) -> str:
    """Return the key of a word: NFKC, case folded, no apostrophes, no accents where accents are decoration.

    >>> _fold_word("Ünïted’s"), _fold_word("İstanbul"), _fold_word("Łódź")
    ('uniteds', 'istanbul', 'lodz')
    """
    if word.isascii():
        return _APOSTROPHES.sub("", word.casefold())
    folded = _APOSTROPHES.sub("", _HIDDEN.sub("", normalize("NFKC", word).casefold()))
    if _FOLDABLE.search(folded) or _COMBINING.search(folded):
        folded = _COMBINING.sub("", normalize("NFD", folded)).translate(STROKES)
    return normalize("NFC", folded)
