"""Fold a text for comparison, when case, accents, punctuation and spacing do not count; Unicode normalization.

The guids that are minted for items without one depend on ``fold``, so its answers are for ever: a change here
would give a rebuilt store other guids. Unicode 15 (Python 3.11) is what it was made with.
"""

from __future__ import annotations

import re
import unicodedata
from functools import partial
from itertools import groupby
from typing import Literal, TypeAlias

_WORDS = re.compile(r"[^\W_]+", re.UNICODE)
# What each character of ASCII becomes: nothing is to be decomposed, and most texts have nothing else.
_ASCII = {code: chr(code).lower() if chr(code).isalnum() else " " for code in range(128)}
# So many kinds of signs are taken out one after the other, which is a third sooner; more would take the more time.
_FEW = 64


def fold(text: str) -> str:
    """Return the letters and digits of a text in compatibility form, lower case, without marks, words one space apart.

    >>> fold("Inductor – Post-grad FX passes")
    'inductor post grad fx passes'
    >>> fold("Élan  vital!")
    'elan vital'
    """
    if text.isascii():
        return " ".join(text.translate(_ASCII).split())
    decomposed = normalize("NFKD", text)
    for mark in filter(unicodedata.combining, set(decomposed)):
        decomposed = decomposed.replace(mark, "")
    plain = decomposed.casefold()
    signs = [sign for sign in set(plain) if not sign.isalnum()]
    if len(signs) > _FEW:
        return " ".join(_WORDS.findall(plain))
    for sign in signs:
        plain = plain.replace(sign, " ")
    return " ".join(plain.split())


Form: TypeAlias = Literal["NFC", "NFD", "NFKC", "NFKD"]
_MANY = 100
_MANY_MARKS = re.compile(
    rf"(?:[^\w\s\x00-\x7f]|[\uff9e\uff9f]){{{_MANY},}}"
)  # the two halfwidth marks count as letters


def normalize(form: Form, text: str) -> str:
    r"""Return what ``unicodedata.normalize`` returns, which takes quadratic time for many combining marks in a row.

    60,000 marks take it 3 seconds. Here they are brought to canonical order first (UAX #15, section 1.1).

    >>> normalize("NFC", "e\u0301")
    'é'
    """
    if len(text) >= _MANY and not text[_MANY - 1 :: _MANY].isascii():  # any run of so many holds such a place
        text = _MANY_MARKS.sub(partial(_order_marks, "NFKD" if "K" in form else "NFD"), text)
    return unicodedata.normalize(form, text)


def _order_marks(form: Form, found: re.Match[str]) -> str:
    apart = "".join([unicodedata.normalize(form, mark) for mark in found[0]])
    runs = (list(run) for _, run in groupby(apart, key=lambda letter: unicodedata.combining(letter) > 0))
    return "".join(["".join(sorted(run, key=unicodedata.combining)) for run in runs])
