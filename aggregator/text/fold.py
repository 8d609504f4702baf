"""Fold a text for comparison, when case, accents, punctuation and spacing do not count; Unicode normalization.

The guids that are made for items without one depend on ``fold``, so its results must never change: a change here
would give a rebuilt store other guids. Unicode 15 (Python 3.11) is what it was made with.
"""

from __future__ import annotations

import re
import unicodedata
from functools import partial
from itertools import filterfalse, groupby
from typing import Literal

_WORDS = re.compile(r"[^\W_]+")
_ASCII = {code: chr(code).lower() if chr(code).isalnum() else " " for code in range(128)}
_Form = Literal["NFC", "NFD", "NFKC", "NFKD"]
_MAX_MARKS = 100
_MARK = re.compile(r"[^\w\s\x00-\x7f]|[\uff9e\uff9f]")  # the two halfwidth marks count as letters
# Hebrew and Arabic points, which are mostly left out: they say how a word is read, not which one it is.
_POINTS = re.compile("[\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed]")
# Letters that are written as a plain one where they cannot be: their stroke is part of them, and no mark to Unicode.
STROKES = str.maketrans("łŁđĐøØħĦŧŦı", "lLdDoOhHtTi")
_MANY_MARKS = re.compile(rf"(?:{_MARK.pattern}){{{_MAX_MARKS},}}")


def fold(text: str) -> str:
    """Return the letters and digits of a text in compatibility form, lower case, without marks, words one space apart.

    >>> fold("Inductor – Post-grad FX passes")
    'inductor post grad fx passes'
    >>> fold("Élan  vital!")
    'elan vital'
    """
    if text.isascii():  # the same answer in a fifth of the time; most texts are ASCII
        return " ".join(text.translate(_ASCII).split())
    letters = filterfalse(unicodedata.combining, normalize("NFKD", text))
    return " ".join(_WORDS.findall("".join(letters).casefold()))


def normalize(form: _Form, text: str) -> str:
    r"""Return what ``unicodedata.normalize`` returns, in linear time.

    The library takes quadratic time for combining marks in a row, 3 seconds for 60,000. Here they are brought to
    canonical order first (UAX #15, section 1.1).

    >>> normalize("NFC", "e\u0301")
    'é'
    """
    # A run of so many marks has one at these positions.
    if len(text) >= _MAX_MARKS and _MARK.search(text[_MAX_MARKS - 1 :: _MAX_MARKS]):
        text = _MANY_MARKS.sub(partial(_order_marks, "NFKD" if "K" in form else "NFD"), text)
    return unicodedata.normalize(form, text)


def _order_marks(form: _Form, found: re.Match[str]) -> str:
    decomposed = "".join([unicodedata.normalize(form, mark) for mark in found[0]])
    runs = (list(run) for _, run in groupby(decomposed, key=lambda letter: unicodedata.combining(letter) > 0))
    return "".join(["".join(sorted(run, key=unicodedata.combining)) for run in runs])


def is_mark(character: str) -> bool:
    """Return whether a character is a mark that belongs to the letter before it (virama, vowel signs)."""
    return character >= "\u0300" and unicodedata.category(character).startswith("M")


def is_of_word(character: str) -> bool:
    """Return whether a character is a letter, a digit, or a mark that is part of a letter; points are not.

    >>> is_of_word("é"), is_of_word("7"), is_of_word("ी"), is_of_word("-")
    (True, True, True, False)
    """
    return character.isalnum() or (is_mark(character) and not _POINTS.match(character))
