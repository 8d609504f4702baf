"""Whether a text could hold a wrong decoding at all: ftfy's detector, asked only about the spots that could show one.

The detector tries forty patterns at each character. Every one of them holds a mark of the sets below, nearly all with
another character beyond ASCII right beside it; a text without such a spot is done in a twentieth of the time.
``tests/unit/text/mojibake`` compares the answer with the detector's own over the letters of all its sets.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ftfy.badness import MOJIBAKE_CATEGORIES, badness, is_bad

# The detector's sets whose characters it takes as evidence; the others ("common") only stand beside them.
_EVIDENCE = (
    *("c1", "bad", "law", "currency", "start_punctuation", "end_punctuation", "numeric", "box"),
    *("upper_accented", "lower_accented"),
)
# Evidence by themselves or before a blank; "Ђ" is what the second byte of a dash or a quote is read as.
_ALONE = "\x80-\x9fŒœÃÂ"
_MARK = f"[{''.join(MOJIBAKE_CATEGORIES[name] for name in _EVIDENCE)}ŒœÎÙØЂ]"
_BEYOND = r"[^\x00-\x7f]"
_SPOT = re.compile(rf"{_MARK}(?:(?<=[{_ALONE}])|(?={_BEYOND})|(?<={_BEYOND}{_MARK}))")
# No pattern of the detector reaches further before or behind a mark of its own, in characters.
_BEFORE, _BEHIND = 4, 7
# A spot costs as much as the whole detector does on so many characters.
_PER_SPOT = 16


def is_suspect(text: str) -> bool:
    """Whether ftfy's detector finds a wrong decoding in the text; exactly its answer, sooner.

    >>> is_suspect("L’été à la plage"), is_suspect("Ã©tÃ©")
    (False, True)
    """
    return not text.isascii() and _is_suspect(text)


@lru_cache(maxsize=8)
def _is_suspect(text: str) -> bool:
    """The same remembered for as long as one text is looked at."""
    left = len(text) // _PER_SPOT + 1
    for found in _SPOT.finditer(text):
        left -= 1
        at = found.start()
        if not left or is_bad(text[max(0, at - _BEFORE) : at + _BEHIND]):
            return bool(is_bad(text))
    return False


def count_oddities(text: str) -> int:
    """How many spots look like a wrong decoding; 0 in sound text of any language."""
    return 0 if text.isascii() else _count_oddities(text)


@lru_cache(maxsize=1 << 12)
def _count_oddities(text: str) -> int:
    """The same remembered: it is asked of a text once for what its source is like, and once for what it says."""
    return int(badness(text)) if is_suspect(text) else 0
