"""Find the titles that a listing may have cut.

Many platforms cut titles after some characters, with an ellipsis or without, before or in a word. That a listing does
is seen by its longest titles: several are of one length, more than are a little shorter, or of about one length and end
with an ellipsis.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from aggregator.merger.matching.features.habits import MIN_TITLES
from aggregator.merger.matching.features.records import Record

_SHORTEST = 20  # characters of a cut title
_WORD = 15  # characters by which a title may be shorter if it is cut between words
_BELOW = 8  # lengths below the longest two that together have no more titles than these, where titles are cut
_ELLIPSES = ("…", "...")


def find_cut_titles(
    rows: Sequence[Record], listed: Mapping[int, Mapping[str, Sequence[int]]], learned: Sequence[bool]
) -> list[bool]:
    """Return whether the title of each row may be cut; ``listed`` are the places of rows by show and source.

    ``learned`` says which titles show what their listing does.
    """
    found = [False] * len(rows)
    for places in (places for listings in listed.values() for places in listings.values()):
        lengths = {at: len(rows[at].title.removesuffix("…").removesuffix("...").rstrip()) for at in places}
        shown = {rows[at].title: lengths[at] for at in places if learned[at]}
        longest = max(shown.values(), default=0)
        for least in _find_limits(shown, longest) if longest >= _SHORTEST else ():
            for at in places:
                found[at] |= lengths[at] >= least and (least == longest - 1 or rows[at].title.endswith(_ELLIPSES))
    return found


def _find_limits(lengths: Mapping[str, int], longest: int) -> Iterator[int]:
    """Yield the length from which titles are cut, those with an ellipsis first."""
    marked = sum(title.endswith(_ELLIPSES) and length >= longest - _WORD for title, length in lengths.items())
    if marked >= MIN_TITLES:
        yield longest - _WORD
    full = sum(length >= longest - 1 for length in lengths.values())  # a blank at the end is lost
    if full >= max(MIN_TITLES, sum(longest - 1 > length >= longest - 1 - _BELOW for length in lengths.values())):
        yield longest - 1
