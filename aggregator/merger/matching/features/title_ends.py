"""Learn what a listing does to the ends of its titles: digits that it adds to nearly all, and whether it cuts them.

Digits of a title are its own unless they are marked as its number ("race 1" is not "race 2"), so that an item of
"4.11.2024 Lighthouses", "Lighthouses [720p]" or "Lighthouses (38 min)" would be another one than "Lighthouses".

**Dates.** An end whose numbers are those of the entry's own day, or of the day before or after, is a date, in any order
and language. If one listing of a show has it, its titles are compared without it: the dates of the entries are compared
anyway. If several have it, it is the best id of an item, because the date of an entry may be late; it is then written
in one form.

**Other ends.** An end that four in five titles of a listing share but for its digits is decoration if no other listing
of the show has such an end and the titles are as different from each other without it.

**Cut titles.** Many platforms cut titles after some characters, with an ellipsis or without, before or in a word. That
a listing does is seen by its longest titles: several are of one length, more than are a little shorter, or of about one
length and end with an ellipsis.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import cache
from typing import NamedTuple

from aggregator.merger.matching.features.habits import MIN_TITLES, is_habit
from aggregator.merger.matching.features.records import Record
from aggregator.text.fold import fold, normalize
from aggregator.text.titles.frames import MIN_SHARE
from aggregator.text.titles.markers import find_part, find_tag, strip_numbers

_HABIT = 0.6  # share of the titles of a listing with a date: the listing adds it
_SOMETIMES = 0.2  # the same: a listing has such dates, too
_LONGEST = 200  # characters of a title that are examined
_WIDEST = 40  # characters of an end
_MAX_WORDS = 3  # beside the numbers of a date: the name of a month, "年月日"
_TOKEN = re.compile(r"\d+|[^\W\d_]+")
_DIGITS = re.compile(r"\d+")
_OPEN = re.compile(r"\s[-–—|~•·/]\s|\s?[\[(【（]|[:,]\s")
_CLOSE = re.compile(r"\s[-–—|~•·/]\s|[\])】）]\s?|:\s")
_EDGE = " \t-–—:|,;·•~/.()[]【】（）"

_Listed = Mapping[int, Mapping[str, Sequence[int]]]  # the places of titles by show and source


class _Dated(NamedTuple):
    """A title that has the day of its entry at one end: the rest, and the day in one form."""

    rest: str
    day: str


def list_by_show(rows: Sequence[Record], shows: Sequence[int]) -> _Listed:
    """Return the places of rows by show and source."""
    listed: defaultdict[int, defaultdict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for at, (row, show) in enumerate(zip(rows, shows, strict=True)):
        listed[show][row.source].append(at)
    return listed


# Dates


def type_days(rows: Sequence[Record], texts: Sequence[str], listed: _Listed, learned: Sequence[bool]) -> list[str]:
    """Return the titles with the days at their ends removed, or in one form if several listings of a show have them.

    ``learned`` says which titles show what their listing adds.
    """
    found, read_day = list(texts), cache(_read_day)  # most sources list the same titles
    for listings in listed.values():
        dated: list[dict[int, _Dated]] = []
        is_added = False
        for places in listings.values():
            read = {at: end for at in places if (end := read_day(texts[at], rows[at].day)) is not None}
            size, often = sum(learned[at] for at in places), sum(learned[at] for at in read)
            if often >= max(MIN_TITLES, _SOMETIMES * size):
                dated.append(read)
                is_added |= often >= _HABIT * size
        if is_added:
            for read in dated:
                for at, end in read.items():
                    found[at] = f"{end.rest} {end.day}" if len(dated) > 1 else end.rest
    return found


def _read_day(text: str, day: int | None) -> _Dated | None:
    """Return a title without the date at one end, if that is the day, the day before or the day after."""
    if day is None or not _DIGITS.search(text[:_LONGEST]):
        return None
    tokens = list(_TOKEN.finditer(text[:_LONGEST]))
    for size in range(min(2 * _MAX_WORDS, len(tokens)), 0, -1):
        for some, rest in (
            (tokens[:size], text[tokens[size - 1].end() :].removeprefix("日")),
            (tokens[-size:], text[: tokens[-size].start()]),
        ):
            own, said = rest.strip(_EDGE), _match_day([each[0] for each in some], day)
            if said is not None and any(map(str.isalpha, own)):
                return _Dated(own, said)
    return None


def _match_day(tokens: Sequence[str], day: int) -> str | None:
    """Return the day near to another one that some numbers and words are, as year, month and day; ``None`` if none.

    Words stand between the numbers, but "日" behind them and the name of a month before them ("November 4, 2024").
    """
    numbers = [each for each in tokens if each.isdecimal()]
    words = len(tokens) - len(numbers)
    named = len(numbers) == 2 and not tokens[0].isdecimal() and tokens[1:] == numbers  # noqa: PLR2004 - day and year
    if not numbers or words > _MAX_WORDS or not (named or tokens[0].isdecimal()) or tokens[-1] not in {*numbers, "日"}:
        return None
    given = sorted(map(int, numbers))
    for each in (day, day - 1, day + 1):
        known = date.fromordinal(each)
        forms = [[known.month, known.day, known.year], [known.month, known.day, known.year % 100]]
        if len(numbers) == 2:  # noqa: PLR2004 - without a year, or with the name of the month
            forms = (
                [[known.day, known.year]] if named else [[known.month, known.day], [known.day, known.year]][: 1 + words]
            )
        if any(given == sorted(form) for form in forms) or numbers == [f"{known:%Y%m%d}"]:
            return f"{known:%Y %m %d}"
    return None


# Other ends


def strip_shared_ends(texts: Sequence[str], listed: _Listed, learned: Sequence[bool]) -> list[str]:
    """Return the titles without the ends that only one listing of a show has, the same but for their digits.

    ``learned`` says which titles show what their listing adds.
    """
    found = list(texts)
    for listings in listed.values():
        for cut in (cache(_cut_tail), cache(_cut_head)):
            ends = {at: cut(found[at]) for places in listings.values() for at in places}
            shown = [[at for at in places if learned[at]] for places in listings.values()]
            seen = [Counter(ends[at][1] for at in places if ends[at][1]) for places in shown]
            for own, few, places in zip(seen, shown, listings.values(), strict=True):
                others: set[str] = set().union(*(each for each in seen if each is not own))
                shared = {end for end in own.keys() - others if own[end] >= MIN_SHARE * len(few)}
                shared = shared if is_habit(sum(own[end] for end in shared), len(few)) else set()
                kept = {at: ends[at][0] if ends[at][1] in shared else found[at] for at in places if shared}
                if shared and _stay_distinct((found[at], kept[at]) for at in few):
                    for at, rest in kept.items():
                        found[at] = rest
    return found


def _cut_tail(text: str) -> tuple[str, str]:
    """Return a title without its last segment and this one with digits as #, empty if it has none or is a number."""
    cuts = [match.start() for match in _OPEN.finditer(text[:_LONGEST]) if match.start() > 0]
    return _cut(text[: cuts[-1]], text[cuts[-1] :], leads=False) if cuts else (text, "")


def _cut_head(text: str) -> tuple[str, str]:
    """Return the same of its first segment."""
    match = _CLOSE.search(text[:_LONGEST])
    return _cut(text[match.end() :], text[: match.end()], leads=True) if match else (text, "")


def _cut(rest: str, end: str, *, leads: bool) -> tuple[str, str]:
    plain = normalize("NFKC", end)
    if not _DIGITS.search(end) or len(end) > _WIDEST or find_tag(f"x {plain}") or find_part(f"x{plain}")[0]:
        return rest + end, ""
    if strip_numbers(f"{plain}x" if leads else f"x{plain}")[2]:  # typed as a number already
        return rest + end, ""
    return rest, _DIGITS.sub("#", plain.casefold())


def _stay_distinct(pairs: Iterable[tuple[str, str]]) -> bool:
    """Return whether titles keep words and are as different as before but for numbers, given each before and after."""
    before, after = ({fold(strip_numbers(text)[0]) for text in texts} for texts in zip(*pairs, strict=True))
    return len(before) == len(after) and all(any(map(str.isalpha, text)) for text in after)


# Cut titles

_SHORTEST_CUT = 20  # characters of a cut title
_WORD = 15  # characters by which a title may be shorter if it is cut between words
_BELOW = 8  # lengths below the longest two that together have no more titles than these, where titles are cut
_ELLIPSES = ("…", "...")


def find_cut_titles(rows: Sequence[Record], listed: _Listed, learned: Sequence[bool]) -> list[bool]:
    """Return whether the title of each row may be cut; ``listed`` are the places of rows by show and source.

    ``learned`` says which titles show what their listing does.
    """
    found = [False] * len(rows)
    for places in (places for listings in listed.values() for places in listings.values()):
        lengths = {at: len(rows[at].title.removesuffix("…").removesuffix("...").rstrip()) for at in places}
        shown = {rows[at].title: lengths[at] for at in places if learned[at]}
        longest = max(shown.values(), default=0)
        for least in _find_limits(shown, longest) if longest >= _SHORTEST_CUT else ():
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
