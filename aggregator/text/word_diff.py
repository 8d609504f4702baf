"""Mark the words in which two texts differ, as ``git diff --word-diff`` does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from aggregator.text.alignment import find_equal_blocks

_MARKS = {"same": ("", ""), "removed": ("[-", "-]"), "added": ("{+", "+}")}
_AROUND = 6
"""Words of a longer equal run that are shown on each side of a change."""

Change = Literal["same", "removed", "added"]


def mark_words(before: str, after: str, around: int = _AROUND) -> Iterator[tuple[Change, str]]:
    """Yield the pieces of one line that shows both texts, with each change marked and long equal runs shortened.

    >>> " ".join(text for _, text in mark_words("a b c d old", "a b c d new", around=2))
    '… c d [-old-] {+new+}'
    """
    runs = list(_iterate_runs(before.split(), after.split()))
    for place, (change, run) in enumerate(runs):
        words = run
        if change == "same":
            first = around if place or len(runs) == 1 else 0
            words = _shorten(run, first, around if place < len(runs) - 1 else 0)
        opening, closing = _MARKS[change]
        yield change, f"{opening}{' '.join(words)}{closing}"


def mark_sides(before: str, after: str) -> tuple[tuple[tuple[Change, str], ...], tuple[tuple[Change, str], ...]]:
    """Return the pieces of each text, for two columns: words that only it has marked, long equal runs shortened.

    >>> mark_sides("rye bread", "rye cake")
    ((('same', 'rye'), ('removed', '[-bread-]')), (('same', 'rye'), ('added', '{+cake+}')))
    """
    pieces = tuple(mark_words(before, after, 2 * _AROUND))
    return (
        tuple(piece for piece in pieces if piece[0] != "added"),
        tuple(piece for piece in pieces if piece[0] != "removed"),
    )


def _iterate_runs(old: list[str], new: list[str]) -> Iterator[tuple[Change, list[str]]]:
    """Yield the words of both texts in order: equal words once, and removed words before those that replace them."""
    at_old = at_new = 0
    for i, j, size in (*find_equal_blocks(old, new), (len(old), len(new), 0)):
        runs: tuple[tuple[Change, list[str]], ...] = (
            ("removed", old[at_old:i]),
            ("added", new[at_new:j]),
            ("same", old[i : i + size]),
        )
        yield from (run for run in runs if run[1])
        at_old, at_new = i + size, j + size


def _shorten(words: list[str], first: int, last: int) -> list[str]:
    """Return the first and the last words of a run, an ellipsis in place of those between."""
    if len(words) <= first + last + 1:
        return words
    return [*words[:first], "…", *words[len(words) - last :]]
