"""What is left of a text when case, accents, punctuation and spacing no longer count: for keys, never for print.

The guids that are minted for items without one depend on this function, so its answers are for ever: a change here
would give a rebuilt store other guids. Unicode 15 (Python 3.11) is what it was made with.
"""

from __future__ import annotations

import re
import unicodedata

from aggregator.text.normalization import normalize

_WORDS = re.compile(r"[^\W_]+", re.UNICODE)
# What each character of ASCII becomes: nothing is to be decomposed, and most texts have nothing else.
_ASCII = {code: chr(code).lower() if chr(code).isalnum() else " " for code in range(128)}
# So many kinds of signs are taken out one after the other, which is a third sooner; more would take the more time.
_FEW = 64


def fold(text: str) -> str:
    """The letters and digits of a text in compatibility form, lower case, without marks, words one space apart.

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
