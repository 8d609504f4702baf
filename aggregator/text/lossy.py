"""Copies that went through something that cannot write all letters, with the letters put back that another copy shows.

"Ge?ici" beside "Geçici", "Cafe creme" beside "Café crème": the poorer copy contradicts nothing. To see whether the
richer one explains it, the richer one is damaged in the same way, and the two are compared: only where they are then
equal, and where that happens more than by chance, the letters come back. A copy that has such letters itself is never
touched in that way, and an accent that only one word differs by is a matter for the vote.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache

from aggregator.text.blocks import equal_blocks

MARKS = ("?", "\ufffd")
# Letters that must come back, and the share of what looks lost that the other copy explains. One question mark behind a
# word is a question; at two thirds, two texts of one length begin to explain each other.
LEAST = 3
SHARE = 0.8
Poorer = Callable[[str], str]


def restored(texts: Sequence[str]) -> list[str]:
    """The texts in their order, with the letters that were lost to question marks, or of their accents.

    >>> restored(["Ge?ici g?n i?in", "Geçici gün için"])
    ['Geçici gün için', 'Geçici gün için']
    >>> restored(["Ou est-elle? A demain!", "Où est-elle? À demain!"])[0]
    'Ou est-elle? A demain!'
    """
    if all(text.isascii() for text in texts):
        return list(texts)
    return [_restored(text, [other for other in dict.fromkeys(texts) if other != text]) for text in texts]


def _restored(text: str, others: Sequence[str]) -> str:
    """The text as the other that explains most of it shows it."""
    best = (0, text)
    mark = max(MARKS, key=text.count)
    if text.count(mark) >= LEAST:
        letters = frozenset(text)
        for other in others:
            best = max(best, _explained(text, other, lambda one: one if one.isascii() or one in letters else mark))
    elif text.isascii() or not any(bare(one) != one for one in frozenset(text)):
        for other in others:
            best = max(best, _explained(text, other, bare))
    return best[1]


def _explained(text: str, other: str, poorer: Poorer) -> tuple[int, str]:
    """How many letters of a text another copy gives back, and the text with them; 0 where it does not explain it."""
    often = {one: count for one, count in Counter(other).items() if not one.isascii() and poorer(one) != one}
    claimed = 0 if poorer is bare else max(map(text.count, MARKS))
    if sum(often.values()) < max(LEAST, SHARE * claimed):
        return 0, text
    damaged = other.translate({ord(one): poorer(one) for one in often})
    lost = [at for at, one in enumerate(other) if one in often]
    letters, back, reach = list(text), 0, 0
    for i, j, size in equal_blocks(text, damaged):
        if size:
            reach = j + size
            for at in lost[bisect_left(lost, j) : bisect_left(lost, reach)]:
                letters[i + at - j] = other[at]
                back += 1
    claimed = claimed or bisect_left(lost, reach)
    return (back, "".join(letters)) if back >= LEAST and back >= SHARE * claimed else (0, text)


@lru_cache(maxsize=4096)
def bare(letter: str) -> str:
    """A letter without its accent; what is no accented letter of Latin, Greek or Cyrillic stays.

    >>> bare("é"), bare("й"), bare("が"), bare("a")
    ('e', 'и', 'が', 'a')
    """
    if not "\u00c0" <= letter <= "\u1eff":
        return letter
    first, *marks = list(unicodedata.normalize("NFD", letter))
    return first if all("\u0300" <= mark <= "\u036f" for mark in marks) else letter
