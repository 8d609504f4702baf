"""Guess the dates of new items that have none, so that old posts are not published as news.

The first that applies:

1. the day or year in the item's address;
2. when it was first seen, if it is the first of a listing that was read before;
3. between its dated neighbours in the listing of its most trusted source;
4. a year in its title or text, or in those of an undated item below it, because the newest is listed first;
5. just before every dated item; without any, when it was first seen.

A guess is shown as its year and never changes.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

from msgspec import Struct

from aggregator.model.entry import Moment
from aggregator.model.item import Item, PublishedItem, sources_of

_MOMENT = timedelta(seconds=1)
_FEW_YEARS = 2  # different years that may ascend by chance
_FIRST_YEAR = 1995  # older than any blog or podcast
_URL_DATE = re.compile(r"/((?:19|20)\d\d)(?:[/-](\d\d?)(?:[/-](\d\d?))?)?(?=[/._-]|$)")
_YEAR = re.compile(r"(?<![\d.,-])(?:19|20)\d\d(?![\d.,]*\d)")


class _Dated(Struct, frozen=True):
    """The position of a dated item in the listing of its source, and its date."""

    rank: int
    at: datetime


def guess_dates(
    items: Sequence[Item], published_items: Iterable[PublishedItem], now: datetime
) -> Mapping[tuple[str, ...], Moment]:
    """Return the guessed dates of new items without one, by the entries of the item; others are dated as seen now."""
    dates = {entry: record.published.at for record in published_items for entry in record.entries}
    undated = [item for item in items if item.published is None and not any(entry in dates for entry in item.entries)]
    if not undated:
        return {}
    read_before = set(sources_of(dates))
    dated: dict[str | None, list[_Dated]] = defaultdict(list)
    for item in items:
        at = next((dates[entry] for entry in item.entries if entry in dates), None)
        at = at or (item.published.at if item.published else None)
        if at is not None and at <= now:
            dated[item.origin].append(_Dated(item.rank, at))
    by_url = {item.entries: date for item in undated if (date := _parse_url_date(item.link, now))}
    for item in undated:
        if (date := by_url.get(item.entries)) and date.precision == "day":
            dated[item.origin].append(_Dated(item.rank, date.at))
    oldest = min((each.at for group in dated.values() for each in group), default=None)
    by_text = _find_years([item for item in undated if item.entries not in by_url], now)
    guesses: dict[tuple[str, ...], Moment] = {}
    for item in undated:
        neighbours = dated.get(item.origin, ())
        guess = by_url.get(item.entries)
        if guess is None and item.origin in read_before and all(each.rank > item.rank for each in neighbours):
            continue
        guess = guess or _date_between(item.rank, neighbours) or by_text.get(item.entries)
        if guess is None and oldest is not None:
            guess = Moment(oldest - _MOMENT, "guess")
        if guess is not None:
            guesses[item.entries] = guess
    return guesses


def _parse_url_date(url: str | None, now: datetime) -> Moment | None:
    """Return the day or the year in the path of an address.

    >>> _parse_url_date("https://blog.example/2012/03/04/title", datetime(2024, 1, 1, tzinfo=UTC)).at.isoformat()
    '2012-03-04T00:00:00+00:00'
    >>> _parse_url_date("https://blog.example/title-2012", datetime(2024, 1, 1, tzinfo=UTC))
    """
    match = _URL_DATE.search(urlsplit(url).path) if url else None
    if match is None:
        return None
    try:
        at = datetime(int(match[1]), int(match[2] or 1), int(match[3] or 1), tzinfo=UTC)
    except ValueError:
        return None
    return Moment(at, "day" if match[3] else "year", zoned=False) if at.year >= _FIRST_YEAR and at <= now else None


def _date_between(rank: int, neighbours: Sequence[_Dated]) -> Moment | None:
    """Return a date between those of the neighbours; for the first of a listing, just before the next one.

    ``None`` if the neighbours have no dates or are listed oldest first.
    """
    newer = max((each for each in neighbours if each.rank < rank), key=lambda each: each.rank, default=None)
    older = min((each for each in neighbours if each.rank > rank), key=lambda each: each.rank, default=None)
    if newer is not None and older is not None and newer.at < older.at:
        return None
    if older is not None:
        return Moment(older.at + (_MOMENT if newer is not None else -_MOMENT), "guess")
    return Moment(newer.at - _MOMENT, "guess") if newer is not None else None


def _find_years(items: Iterable[Item], now: datetime) -> Mapping[tuple[str, ...], Moment]:
    """Return a year for each undated item of a listing in which any text names one, in the order of the listing.

    A text is not older than a year that it names, nor are the items above it; items below the last named year have that
    year. If the years only ascend, the oldest item is listed first, and each item has its own year.
    """
    listings: dict[str | None, list[Item]] = defaultdict(list)
    for item in items:
        listings[item.origin].append(item)
    found: dict[tuple[str, ...], Moment] = {}
    for listing in listings.values():
        listing.sort(key=lambda item: item.rank)
        own = [_find_year(item, now) for item in listing]
        named = [year for year in own if year is not None]
        rises = named == sorted(named) and len(set(named)) > _FEW_YEARS
        year = next(iter(reversed(named)), None)
        for item, named_year in zip(reversed(listing), reversed(own), strict=True):
            year = named_year if rises or year is None else max(year, named_year or year)
            if year is not None:
                found[item.entries] = Moment(datetime(year, 1, 1, tzinfo=UTC), "guess")
    return found


def _find_year(item: Item, now: datetime) -> int | None:
    """Return the latest year before this one that the title names, else the text."""
    for text in (item.title, item.description or ""):
        years = [year for each in _YEAR.findall(text) if _FIRST_YEAR <= (year := int(each)) < now.year]
        if years:
            return max(years)
    return None
