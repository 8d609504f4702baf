"""Copies that went through something that cannot write all letters, with the letters put back that another copy shows.

"Ge?ici" beside "Geçici", "Cafe creme" beside "Café crème": the poorer copy contradicts nothing. To see whether the
richer one explains it, the richer one is damaged in the same way, and the two are compared: only where they are then
equal, and where that happens more than by chance, the letters come back. A copy that has such letters itself is never
touched in that way, and an accent that only one word differs by is a matter for the vote. A word with a question mark
inside, "gro?es", comes back as another copy writes it, letter for letter.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import chain

from aggregator.text.alignment_blocks import akin, equal_blocks

MARKS = ("?", "\ufffd")
# Letters that must come back, and the share of what looks lost that the other copy explains. One question mark behind a
# word is a question; at two thirds, two texts of one length begin to explain each other.
LEAST = 3
SHARE = 0.8
LOSABLE = re.compile(r"[^\x00-\x7f]")
MARKED = re.compile(r"(?<!\S)[^\s?\ufffd]*+[?\ufffd]\S*+")
# Words of one length in a script without ASCII have one outline; of so many in a long text none is tried.
MOST_ALIKE = 64
# The copies of an item of up to so many characters are remembered with what they became: 20 MB at most.
LONGEST_KNOWN = 10_000
LONGEST = 1_000_000  # characters of several texts that are remembered at all
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
    size = sum(map(len, texts))
    return list((_known if size <= LONGEST_KNOWN else _long if size <= LONGEST else _together)(tuple(texts)))


def _together(texts: tuple[str, ...]) -> list[str]:
    marked = any(mark in text for mark in MARKS for text in texts)
    spelt = {text: _spelt(text) if marked else [] for text in texts}
    back = []
    for text in texts:
        others = [other for other in spelt if other != text]
        back.append(_reworded(_restored(text, others), [spelt[other] for other in others]))
    return back


# Who learns from an item reads it again after that.
_known = lru_cache(maxsize=1 << 10)(_together)
_long = lru_cache(maxsize=2)(_together)


def _restored(text: str, others: Sequence[str]) -> str:
    """The text as the other that explains most of it shows it."""
    best = (0, text)
    mark = max(MARKS, key=text.count)
    if text.count(mark) >= LEAST:
        letters = frozenset(text)
        for other in others:
            best = max(best, _explained(text, other, lambda one: one if one.isascii() or one in letters else mark))
    elif not any(bare(one) != one for one in _losable(text)):
        for other in others:
            best = max(best, _explained(text, other, bare))
    return best[1]


def _explained(text: str, other: str, poorer: Poorer) -> tuple[int, str]:
    """How many letters of a text another copy gives back, and the text with them; 0 where it does not explain it."""
    often = {one: count for one, count in _losable(other).items() if poorer(one) != one}
    claimed = 0 if poorer is bare else max(map(text.count, MARKS))
    if sum(times for one, times in often.items() if one not in MARKS) < max(LEAST, SHARE * claimed):
        return 0, text
    damaged = other.translate({ord(one): poorer(one) for one in often})
    if not akin(text, damaged):
        return 0, text
    lost = [at for at, one in enumerate(other) if one in often and one not in MARKS]
    letters, back, reach = list(text), 0, 0
    for i, j, size in equal_blocks(text, damaged):
        if size:
            reach = j + size
            for at in lost[bisect_left(lost, j) : bisect_left(lost, reach)]:
                letters[i + at - j] = other[at]
                back += 1
    claimed = claimed or bisect_left(lost, reach)
    return (back, "".join(letters)) if back >= LEAST and back >= SHARE * claimed else (0, text)


def _losable(text: str) -> Mapping[str, int]:
    """How often a text has each letter that a poorer copy may lack."""
    return {} if text.isascii() else Counter(LOSABLE.findall(text))


def _reworded(text: str, spelt: Sequence[Sequence[tuple[str, str]]]) -> str:
    """The text with the words that lost a letter or two as the other copies write them, where these agree."""
    marked = list(dict.fromkeys(MARKED.findall(text))) if any(spelt) and any(mark in text for mark in MARKS) else []
    if not marked:
        return text
    outlines = _outline("\n".join(marked)).split("\n")
    written: dict[str, dict[str, int]] = {outline: {} for outline in outlines}
    for outline, word in chain.from_iterable(spelt):
        if outline in written:
            written[outline][word] = written[outline].get(word, 0) + 1
    whole = {word: _whole(word, written[outline]) for word, outline in zip(marked, outlines, strict=True)}
    return MARKED.sub(lambda found: whole[found.group()], text)


def _spelt(text: str) -> list[tuple[str, str]]:
    """Each word of a text that may have lost a letter elsewhere, after its outline."""
    words = [] if text.isascii() else [word for word in dict.fromkeys(text.split()) if not word.isascii()]
    return list(zip(_outline("\n".join(words)).split("\n"), words, strict=True)) if words else []


def _outline(words: str) -> str:
    """A word with a question mark for each letter that may be lost."""
    return LOSABLE.sub("?", words)


def _whole(word: str, written: Mapping[str, int]) -> str:
    """The word as most write it of those who have all its letters; a mark at its end may be a question's."""
    if not written or len(written) > MOST_ALIKE:
        return word
    letters, marks = sum(map(str.isalnum, word)), sum(map(word.count, MARKS))
    if marks > max(1, letters / 2) or not letters:
        return word
    fitting = [(times, other) for other, times in written.items() if _fits(word, other)]
    most = max(fitting, default=(0, word))
    return most[1] if [times for times, _ in fitting].count(most[0]) == 1 else word


def _fits(word: str, other: str) -> bool:
    """Whether a word is another of its length with letters lost; at its end only a letter can have been lost."""
    if word[-1] in MARKS and not other[-1].isalpha():
        return False
    return all(one == whole or (one in MARKS and not whole.isascii()) for one, whole in zip(word, other, strict=True))


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
