"""Describe in words what was learned of the listings of a feed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from aggregator.model.entry import Precision
from aggregator.model.feed_model import FeedModel, ListingModel, ListingPair
from aggregator.translation.locale import ENGLISH, Locale
from aggregator.translation.marks import N_

_MIN_MISSPELT = 0.03  # share of words from which it is said: the default rate is .02
_SHOWN = 3  # affixes that are named
_NUMBER = re.compile(r"#(?!#)")  # of “##. Title” the first is a sign that the listing writes
_HOUR, _DAY = 60, 24 * 60  # minutes
_DATES: Mapping[Precision, str] = {
    "guess": N_("its dates are guesses"),
    "year": N_("it gives years alone"),
    "day": N_("it gives days without times"),
    "minute": N_("its times have no seconds"),
}


def describe_listings(model: FeedModel, locale: Locale = ENGLISH) -> dict[str, tuple[str, ...]]:
    """Return by source what was learned of its listing, one clause each; most ordinary things are not said."""
    pairs = {pair.source: pair for pair in model.pairs}
    return {
        each.source: (
            *_describe_listing(each, locale),
            *(_describe_pair(pairs[each.source], locale) if each.source in pairs else ()),
        )
        for each in model.listings
    }


def _describe_listing(listing: ListingModel, locale: Locale) -> Iterator[str]:
    yield locale.ngettext("%(count)s entry", "%(count)s entries", listing.entries)
    if listing.genre == "post":
        yield locale.gettext("it lists posts")
    title = locale.gettext("Title")
    written = [f"{head}{title}" for head in listing.heads] + [f"{title}{tail}" for tail in listing.tails]
    written = [locale.gettext("“%(text)s”", text=_NUMBER.sub("N", each)) for each in written]
    if written:
        yield locale.gettext("it writes %(titles)s", titles=locale.comma.join(written[:_SHOWN]))
    if listing.precision is None:
        yield locale.gettext("it gives no dates")
    elif listing.precision in _DATES:
        yield locale.gettext(_DATES[listing.precision])
    if listing.precision in ("minute", "second") and not listing.zoned:
        yield locale.gettext("its times have no zone")
    if listing.step == 60:  # noqa: PLR2004 - seconds in a minute
        yield locale.gettext("it rounds lengths to minutes")
    elif listing.step is not None and listing.step > 1:
        yield locale.gettext("it rounds lengths to %(seconds)s seconds", seconds=listing.step)
    if listing.cut_at is not None:
        yield locale.ngettext(
            "it shortens texts at %(count)s character", "it shortens texts at %(count)s characters", listing.cut_at
        )
    if listing.misspelt >= _MIN_MISSPELT:
        yield locale.gettext("about one of %(words)s of its words is misspelt", words=round(1 / listing.misspelt))


def _describe_pair(pair: ListingPair, locale: Locale) -> Iterator[str]:
    if pair.exchanged:
        yield locale.gettext("day and month of its dates are exchanged, compared with %(source)s", source=pair.trusted)
    elif pair.minutes:
        message = (
            N_("its dates are %(time)s later than those of %(source)s")
            if pair.minutes > 0
            else N_("its dates are %(time)s earlier than those of %(source)s")
        )
        yield locale.gettext(message, time=_describe_minutes(abs(pair.minutes), locale), source=pair.trusted)
    if pair.ahead:
        message = (
            N_("it counts %(number)s higher than %(source)s")
            if pair.ahead > 0
            else N_("it counts %(number)s lower than %(source)s")
        )
        yield locale.gettext(message, number=abs(pair.ahead), source=pair.trusted)
    if pair.recounted:
        yield locale.gettext("its guids are those of other entries of %(source)s", source=pair.trusted)


def _describe_minutes(minutes: int, locale: Locale) -> str:
    if minutes >= _DAY and minutes % _DAY == 0:
        return locale.ngettext("%(count)s day", "%(count)s days", minutes // _DAY)
    if minutes >= _HOUR and minutes % _HOUR == 0:
        return locale.ngettext("%(count)s hour", "%(count)s hours", minutes // _HOUR)
    return locale.ngettext("%(count)s minute", "%(count)s minutes", minutes)
