"""A text as tokens: what is compared (the key), what is shown (the surface), and what stood before it (the gap)."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

# Scripts without spaces between words: one token for each character with its marks.
UNSPACED = (
    "\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u3001-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
)
MARKS = "\u0300-\u036f\u0e31\u0e33-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd\u3099\u309a\ufe00-\ufe0f\u200d"
ONE_UNSPACED = re.compile(f"[{UNSPACED}]")
PIECE = re.compile(rf"(?<!\s)(\s*)([{UNSPACED}][{MARKS}]*|[^\s{UNSPACED}]+)")
PARTS = re.compile(r"^([\W_]*)(.*?)([\W_]*)$", re.DOTALL)
APOSTROPHES = re.compile("['’‘ʼ`´]")
# Accents are decoration in these scripts and letters in all others (Hebrew, Arabic, Indic, Thai).
FOLDABLE = re.compile("[\u00c0-\u024f\u0370-\u03ff\u0400-\u052f\u1e00-\u1fff]")
COMBINING = re.compile("[\u0300-\u036f]+")
HIDDEN = re.compile("[\u200c-\u200f\u202a-\u202e\u2066-\u2069\ufe0e\ufe0f]")


class Token(NamedTuple):
    """One token: punctuation before, the word, punctuation behind, the key it is compared by, white space before.

    A token of punctuation alone has an empty ``lead`` and ``trail`` and is its own word.
    """

    lead: str
    word: str
    trail: str
    key: str
    gap: str

    @property
    def surface(self) -> str:
        """What is shown of the token, without the gap."""
        return self.lead + self.word + self.trail

    @property
    def lexical(self) -> bool:
        """Whether there is a letter or a digit in it."""
        return self.key[:1].isalnum()


def tokenise(text: str) -> list[Token]:
    """The tokens of a text in order; their gaps and surfaces together are the text without its last white space.

    >>> [token.key for token in tokenise("Hello, Wörld - again!")]
    ['hello', 'world', '-', 'again']
    """
    return [Token(*_parts(found.group(2)), _gap(found.group(1))) for found in PIECE.finditer(text)]


def unspaced(key: str) -> bool:
    """Whether a key is of a script that writes without spaces between words.

    >>> unspaced("台"), unspaced("word")
    (True, False)
    """
    return bool(ONE_UNSPACED.match(key))


def _gap(blank: str) -> str:
    return blank if blank in {"", " "} else "\n\n" if blank.count("\n") > 1 else "\n" if "\n" in blank else " "


@lru_cache(maxsize=1 << 15)
def _parts(surface: str) -> tuple[str, str, str, str]:
    found = PARTS.match(surface)
    lead, word, trail = found.groups() if found else ("", surface, "")
    key = fold(word) if word else ""
    return (lead, word, trail, key) if key else ("", surface, "", _mark(surface))


def _mark(surface: str) -> str:
    """The key of punctuation: dashes and quotes of all styles are one."""
    return re.sub("[‐-―−]", "-", re.sub("[“”„«»]", '"', APOSTROPHES.sub("'", surface))).replace("…", "...")


@lru_cache(maxsize=1 << 15)
def fold(word: str) -> str:
    """What a word is compared by: NFKC, case folded, no apostrophes, no accents where accents are decoration.

    >>> fold("Ünïted’s"), fold("İstanbul")
    ('uniteds', 'istanbul')
    """
    if word.isascii():
        return APOSTROPHES.sub("", word.casefold())
    folded = APOSTROPHES.sub("", HIDDEN.sub("", unicodedata.normalize("NFKC", word).casefold()))
    if FOLDABLE.search(folded) or COMBINING.search(folded):
        folded = COMBINING.sub("", unicodedata.normalize("NFD", folded))
    return unicodedata.normalize("NFC", folded)
