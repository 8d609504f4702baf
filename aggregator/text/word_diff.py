"""Mark the words in which two texts differ, as ``git diff --word-diff`` does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from rapidfuzz.distance import LCSseq

_WORDS = re.compile(r"\S+")

_MARKS = {"same": ("", ""), "removed": ("[-", "-]"), "added": ("{+", "+}")}
_AROUND = 6
"""Words of a longer equal run that are shown on each side of a change."""

Change = Literal["same", "removed", "added"]


class _Run(NamedTuple):
    """Consecutive words that both texts have, or only the first (``removed``) or only the second (``added``)."""

    change: Change
    words: list[str]


def mark_words(before: str, after: str, around: int = _AROUND) -> Iterator[tuple[Change, str]]:
    """Yield the pieces of one line that shows both texts, with each change marked and long equal runs shortened.

    >>> " ".join(text for _, text in mark_words("a b c d old", "a b c d new", around=2))
    '… c d [-old-] {+new+}'
    """
    runs = list(_iterate_runs(_WORDS.findall(before), _WORDS.findall(after)))
    for place, run in enumerate(runs):
        words = run.words
        if run.change == "same":
            first = around if place or len(runs) == 1 else 0
            words = _shorten(words, first, around if place < len(runs) - 1 else 0)
        opening, closing = _MARKS[run.change]
        yield run.change, f"{opening}{' '.join(words)}{closing}"


def mark_sides(
    before: str, after: str, around: int = 2 * _AROUND
) -> tuple[tuple[tuple[Change, str], ...], tuple[tuple[Change, str], ...]]:
    """Return the pieces of each text, for two columns: words that only it has marked, long equal runs shortened.

    >>> mark_sides("rye bread", "rye cake")
    ((('same', 'rye'), ('removed', '[-bread-]')), (('same', 'rye'), ('added', '{+cake+}')))
    """
    pieces = tuple(mark_words(before, after, around))
    return (
        tuple(piece for piece in pieces if piece[0] != "added"),
        tuple(piece for piece in pieces if piece[0] != "removed"),
    )


def _iterate_runs(old: list[str], new: list[str]) -> Iterator[_Run]:
    """Yield the words of both texts in order: equal words once, and removed words before those that replace them."""
    removed: list[str] = []
    added: list[str] = []
    for step in LCSseq.opcodes(old, new):
        if step.tag == "equal":
            yield from _iterate_replaced(removed, added)
            removed, added = [], []
            yield _Run("same", old[step.src_start : step.src_end])
        else:
            removed += old[step.src_start : step.src_end]
            added += new[step.dest_start : step.dest_end]
    yield from _iterate_replaced(removed, added)


def _iterate_replaced(removed: list[str], added: list[str]) -> Iterator[_Run]:
    if removed:
        yield _Run("removed", removed)
    if added:
        yield _Run("added", added)


def _shorten(words: list[str], first: int, last: int) -> list[str]:
    """Return the first and the last words of a run, an ellipsis in place of those between."""
    if len(words) <= first + last + 1:
        return words
    return [*words[:first], "…", *words[len(words) - last :]]
