"""Find the date and the length in a line of other text, such as "Episode 12 · May 1, 2024 · 34 min"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from msgspec import Struct

from aggregator.model.entry import Duration, Moment
from aggregator.text.times import dates, durations, relative, worded_lengths, yearless
from aggregator.text.times.yearless import YearlessDate

_LONGEST_LINE = 120  # characters of a text that a date or length is looked for in
_MOST_DATE_WORDS, _MOST_LENGTH_WORDS = 7, 5
_MARKS = re.compile(r"(?:(?<!\s)\s++)?[|·•–—●/]\s+|(?<!\s)\s++-\s+|\n")
_YEAR = re.compile(r"(?:19|20)\d\d|\d{1,2}\.\s?\d{1,2}\.\s?\d\d(?!\d)|[\u0660-\u0669\u06f0-\u06f9\u0966-\u096f]{4}")
_PLAIN_YEAR = re.compile(r"(?:19|20)\d\d")
_NUMBER = re.compile(r"\d")
_BEFORE = re.compile(r"\d\S*$|(?:^|\s)\d+\s+[^\W\d]+$")  # a number, or one with a word that may be a unit
_BEHIND = re.compile(r"\S*\d")
_EDGES = ",;:()[]"


class Dating(Struct, frozen=True):
    """Facts that decide how the dates of a listing are parsed; ``now`` is when it was polled, ``None`` if unknown."""

    day_first: bool | None = None
    language: str | None = None
    now: datetime | None = None


def learn_dating(
    texts: Iterable[str | None], option: str | None = None, language: str | None = None, now: datetime | None = None
) -> Dating:
    """Return how the dates of a listing are parsed: by the option ``day_first``, else all dates, then language."""
    if option is not None:
        return Dating(option.lower() in {"yes", "true"}, language, now)
    return Dating(dates.find_day_first(filter(None, texts)), language, now)


_PLAIN = Dating()


def find_date(text: str, dating: Dating = _PLAIN) -> Moment | None:
    """Return the date of a text, or the first one in it, as in "Posted on May 1, 2024 by Ann".

    A text that counts from today has no date without the time of the poll.

    >>> find_date("Folge 12 | 01.05.2024 | 34 Min.").at.isoformat()
    '2024-05-01T00:00:00+00:00'
    """
    if found := dates.parse(text, day_first=dating.day_first, language=dating.language):
        return found
    if (located := _locate_date(text, dating)) is not None or dating.now is None:
        return located[1] if located else None
    parts = [part for part in _MARKS.split(text[:_LONGEST_LINE]) if len(part.split()) <= _MOST_DATE_WORDS]
    pieces = [(part, piece) for part in parts for piece, _, _ in _cut(part, _MOST_DATE_WORDS)]
    certain = (piece for part, piece in pieces if piece == part.strip() or _NUMBER.search(piece))
    counted = (relative.parse(piece, dating.now, language=dating.language) for piece in certain)
    return next(filter(None, counted), None)


def find_dates(
    texts: Sequence[str], dating: Dating = _PLAIN, headings: Sequence[int | None] = ()
) -> list[Moment | None]:
    """Return the date of each text of a listing in its order; years that are not written are those of the listing.

    ``headings`` are the years under which its entries stand. Without the time of the poll, only written years count.
    """
    found = [find_date(text, dating) for text in texts]
    if dating.now is None or all(found):
        return found
    every = [each or find_yearless(text, dating) for each, text in zip(found, texts, strict=True)]
    return yearless.resolve(every, dating.now.date(), headings)


def find_yearless(text: str, dating: Dating = _PLAIN) -> YearlessDate | None:
    """Return the date without a year of a text, or of a part of it that begins or ends in one; else ``None``.

    >>> found = find_yearless("Posted on Oct 12 · 34 min")
    >>> found.month, found.day, find_yearless("Episode 12 Oct special")
    (10, 12, None)
    """
    if len(text) > _LONGEST_LINE or not _NUMBER.search(text):
        return None
    pieces = (piece for part in _MARKS.split(text) for piece in yearless.list_pieces(part.strip(_EDGES + " ")))
    parsed = (yearless.parse(piece, day_first=dating.day_first, language=dating.language) for piece in pieces)
    return next(filter(None, parsed), None)


def is_counted(text: str) -> bool:
    """Return whether a text has a date that counts from today, and no other one."""
    return find_date(text) is None and find_date(text, Dating(now=_ANY_DAY)) is not None


_ANY_DAY = datetime.fromisoformat("2020-01-01T00:00:00+00:00")


def find_duration(text: str, *, language: str | None = None) -> Duration | None:
    """Return the length of a text, or the first one in it, as in "May 1, 2024 · 34 min".

    Words with a number beside them are no length: they may be a part of one in unknown words.
    """
    found = durations.parse(text, language=language)
    if found is not None or len(text) > _LONGEST_LINE or not _NUMBER.search(text):
        return found
    located = _locate_date(text, Dating(language=language))
    rest = text.replace(located[0], " | ") if located else text
    for part in _MARKS.split(rest):
        if relative.parse(part, _ANY_DAY, language=language):
            continue
        for piece, before, behind in _cut(part, _MOST_LENGTH_WORDS):
            if piece.rstrip(".,").isdecimal() or _BEFORE.search(before) or _BEHIND.match(behind):
                continue
            found = durations.parse(piece, language=language)
            if found and not any(map(worded_lengths.is_hour, before.split())):  # "an hour and 5 minutes"
                return found
    return None


def _locate_date(text: str, dating: Dating) -> tuple[str, Moment] | None:
    """Return the first date in a line and the words that it stands in."""
    if len(text) > _LONGEST_LINE or not _YEAR.search(text):
        return None
    for part in _MARKS.split(text):
        for piece, _, behind in _cut(part, _MOST_DATE_WORDS):
            if _has_year(piece, behind):
                found = dates.parse(piece, day_first=dating.day_first, language=dating.language)
                if found and found.precision not in {"guess", "year"}:
                    return piece, found
    return None


def _has_year(piece: str, behind: str) -> bool:
    """Return whether a piece of a line has a year, and more; the number of a length behind a day is none."""
    if _PLAIN_YEAR.search(piece):
        return _PLAIN_YEAR.fullmatch(piece) is None
    return _YEAR.search(piece) is not None and durations.parse(f"{piece.rpartition(' ')[2]} {behind}") is None


def _cut(part: str, most: int) -> Iterator[tuple[str, str, str]]:
    """Yield the pieces of so many words, the longest first, with two words before and one behind each."""
    words = part.split()
    for size in range(min(most, len(words)), 0, -1):
        for at in range(len(words) - size + 1):
            before, behind = " ".join(words[max(at - 2, 0) : at]), words[at + size] if at + size < len(words) else ""
            yield " ".join(words[at : at + size]).strip(_EDGES), before, behind
