"""Shapes: words that recognition takes for each other, and words whose accents were lost, have one shape.

Recognition reads "rn" for "m", "c" for "e", "b" for "h", "1" for "l", "ii" for "ü": what looks alike in small print. A
shape says only that one of two spellings may be a slip for the other; the words of the language say which.
"""

from __future__ import annotations

from functools import lru_cache

from aggregator.text.normalization import normalize

# Of two letters that are taken for one.
PAIRS = (("rn", "m"), ("cl", "d"), ("ii", "u"), ("vv", "w"))
DIGITS = str.maketrans("105", "los")
SINGLES = str.maketrans("cbiı", "ehll")


@lru_cache(maxsize=1 << 14)
def shape(word: str) -> str:
    """What a word looks like when nobody looks closely; for comparing only.

    >>> shape("Comrnunity") == shape("Community"), shape("fiir") == shape("für"), shape("Wusten") == shape("Wüsten")
    (True, True, True)
    >>> shape("form") == shape("farm")
    False
    """
    plain = word.lower()
    if not plain.isascii():
        plain = "".join(one for one in normalize("NFD", plain) if not "\u0300" <= one <= "\u036f")
    if sum(map(str.isdecimal, plain)) == 1:  # "a11y" is no slip for "ally"
        plain = plain.translate(DIGITS)
    for two, one in PAIRS:
        plain = plain.replace(two, one)
    return plain.translate(SINGLES)
