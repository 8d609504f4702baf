"""Describe in words what was learned of the listings of a feed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from aggregator.model.entry import Precision
from aggregator.model.feed_model import FeedModel, ListingModel, ListingPair

_MIN_MISSPELT = 0.03  # share of words from which it is said: the default rate is .02
_SHOWN = 3  # affixes that are named
_NUMBER = re.compile(r"#(?!#)")  # of “##. Title” the first is a sign that the listing writes
_HOUR, _DAY = 60, 24 * 60  # minutes
_DATES: Mapping[Precision, str] = {
    "guess": "its dates are guesses",
    "year": "it gives years alone",
    "day": "it gives days without times",
    "minute": "its times have no seconds",
}


def describe_listings(model: FeedModel) -> dict[str, tuple[str, ...]]:
    """Return by source what was learned of its listing, one clause each; most ordinary things are not said."""
    pairs = {pair.source: pair for pair in model.pairs}
    return {
        each.source: (*_describe_listing(each), *(_describe_pair(pairs[each.source]) if each.source in pairs else ()))
        for each in model.listings
    }


def _describe_listing(listing: ListingModel) -> Iterator[str]:
    yield f"{listing.entries} {'entry' if listing.entries == 1 else 'entries'}"
    if listing.genre == "post":
        yield "it lists posts"
    written = [f"{head}Title" for head in listing.heads] + [f"Title{tail}" for tail in listing.tails]
    written = [f"“{_NUMBER.sub('N', each)}”" for each in written]
    if written:
        yield f"it writes {', '.join(written[:_SHOWN])}"
    if listing.precision is None:
        yield "it gives no dates"
    elif listing.precision in _DATES:
        yield _DATES[listing.precision]
    if listing.precision in ("minute", "second") and not listing.zoned:
        yield "its times have no zone"
    if listing.step is not None and listing.step > 1:
        yield f"it rounds lengths to {'minutes' if listing.step == 60 else f'{listing.step} seconds'}"  # noqa: PLR2004
    if listing.cut_at is not None:
        yield f"it shortens texts at {listing.cut_at:,} characters"
    if listing.misspelt >= _MIN_MISSPELT:
        yield f"about one of {round(1 / listing.misspelt)} of its words is misspelt"


def _describe_pair(pair: ListingPair) -> Iterator[str]:
    if pair.exchanged:
        yield f"day and month of its dates are exchanged, compared with {pair.trusted}"
    elif pair.minutes:
        way = "later" if pair.minutes > 0 else "earlier"
        yield f"its dates are {_describe_minutes(abs(pair.minutes))} {way} than those of {pair.trusted}"
    if pair.ahead:
        way = "higher" if pair.ahead > 0 else "lower"
        yield f"it counts {abs(pair.ahead)} {way} than {pair.trusted}"
    if pair.recounted:
        yield f"its guids are those of other entries of {pair.trusted}"


def _describe_minutes(minutes: int) -> str:
    for unit, size in (("day", _DAY), ("hour", _HOUR)):
        if minutes >= size and minutes % size == 0:
            return f"{minutes // size} {unit}{'s' if minutes != size else ''}"
    return f"{minutes} minute{'s' if minutes != 1 else ''}"
