"""One copy of a text, mended by itself: named fixers in a measured order, each change kept so that it can be replayed.

Wrong decodings go first, because soft hyphens, no-break spaces and control characters are bytes of theirs; the mark of
a cut goes last, when nothing stands behind it any more. Sound text comes back as it was.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from aggregator.text import debris, escapes, homoglyphs, html, truncation, whitespace
from aggregator.text.mojibake import recoding, redecode

Fixer = Callable[[str], str]

FIXERS: tuple[tuple[str, Fixer], ...] = (
    ("escape sequence", escapes.unescaped),
    ("code page", recoding.recoded),
    ("mojibake", redecode.redecoded),
    ("entity", html.unescaped),
    ("silent part", debris.without_silent_parts),
    ("tag", html.untagged),
    ("foreign markup", debris.without_foreign_markup),
    ("quoted line", debris.unquoted),
    ("invisible", whitespace.without_invisibles),
    ("blank", whitespace.with_plain_blanks),
    ("letter form", debris.with_plain_letters),
    ("link", html.unlinked),
    ("escape", html.unbackslashed),
    ("bold", html.unbolded),
    ("bullet", html.unbulleted),
    ("hyphen", whitespace.rejoined),
    ("wrap", whitespace.unwrapped),
    ("space", whitespace.squeezed),
    ("twice", debris.once),
    ("look-alike", homoglyphs.unmasked),
)
# Fixers uncover work for each other (an entity that hides mojibake); four rounds settle all that was seen.
ROUNDS = 6
PASSAGE = 120
# What learns from texts reads them again after that: thousands of up to so many characters are remembered with what
# they became (16 MB at most), and the copies of one item or two that are longer.
LONGEST_KNOWN = 2000
LONGEST = 200_000  # characters of a text that is remembered at all


class Change(NamedTuple):
    """What one fixer did: its name, the passage it met and what it made of it (at most 120 characters each)."""

    cause: str
    before: str
    after: str


class Mended(NamedTuple):
    """A mended text, whether it is cut, and the changes in the order they were made."""

    text: str
    cut: bool
    changes: tuple[Change, ...]


def mend(text: str, *, cut: bool = False) -> Mended:
    r"""The text made whole as far as it can be by itself; ``cut`` says that it is known to be cut.

    A mark of truncation is taken off where it is sure, with the torn word before it. Idempotent.

    >>> mend("TORCH\\_TRACE and  friends")[:2]
    ('TORCH_TRACE and friends', False)
    """
    return (_known if len(text) <= LONGEST_KNOWN else _long if len(text) <= LONGEST else _mended)(text, cut=cut)


def _mended(text: str, *, cut: bool) -> Mended:
    changes: list[Change] = []
    sound: dict[str, str] = {}  # by fixer the text that it left as it was
    for _ in range(ROUNDS):
        before = text
        for cause, fixer in FIXERS:
            if sound.get(cause) == text:
                continue
            mended = fixer(text)
            if mended == text:
                sound[cause] = text
            text = _noted(cause, text, mended, changes)
        uncut = truncation.unmarked(text, known=cut)
        cut = uncut.cut
        shorter = truncation.without_torn_word(uncut.text) if uncut.torn else uncut.text
        text = _noted("cut", text, shorter, changes)
        if text == before:
            break
    return Mended(text, cut, tuple(changes))


_known = lru_cache(maxsize=1 << 10)(_mended)
_long = lru_cache(maxsize=8)(_mended)


def _noted(cause: str, before: str, after: str, changes: list[Change]) -> str:
    if before != after:
        changes.append(Change(cause, *passage(before, after)))
    return after


def passage(before: str, after: str) -> tuple[str, str]:
    """The changed stretch of two texts, each cut to 120 characters.

    >>> passage("one twwo three", "one two three")
    ('w', '')
    """
    start = _common(before, after)
    end = _common(before[start:][::-1], after[start:][::-1])
    return before[start : len(before) - end][:PASSAGE], after[start : len(after) - end][:PASSAGE]


def _common(left: str, right: str) -> int:
    """The length of the beginning that two strings share."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if left[:middle] == right[:middle] else (low, middle - 1)
    return low
