"""The channel of a feed: what it says of the show, and how often it asks to be asked."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from aggregator.fetchers.feeds.entry import EXPLICIT, of
from aggregator.fetchers.feeds.podcast import Beside
from aggregator.fetchers.parsing import enclosures
from aggregator.fetchers.parsing.json_fields import flag
from aggregator.model.entry import Rhythm, Show
from aggregator.model.source import Document
from aggregator.text import html

DAYS = {"monday": 0, "tuesday": 1, "wednesday": 2, "thursday": 3, "friday": 4, "saturday": 5, "sunday": 6}
PERIODS = {  # RSS 1.0 syndication module
    "hourly": timedelta(hours=1), "daily": timedelta(days=1), "weekly": timedelta(weeks=1),
    "monthly": timedelta(days=30), "yearly": timedelta(days=365),
}  # fmt: skip
LONGEST_TTL = 60 * 24 * 366  # minutes; what asks for more has mistaken the unit
HOURS = 24


def show(document: Document, channel: Mapping[str, Any], sound: Beside | None) -> Show:
    """The show as the feed tells it; the title is "" where a feed has none, for a feed it is."""
    said, base = sound.channel if sound else {}, enclosures.base(document)
    texts = (said.get("description"), of(channel, "subtitle"), said.get("itunes:summary"), of(channel, "summary"))
    image = channel.get("image")
    kind = (said.get("itunes:type") or of(channel, "itunes_type") or "").lower()
    description = next((html.to_text(text) for text in texts if text), None)
    return Show(
        title=of(channel, "title") or "",
        link=enclosures.absolute(base, channel.get("link")),
        description=description,
        author=said.get("itunes:author") or of(channel, "author") or of(channel, "owner"),
        image=enclosures.absolute(base, image.get("href") or image.get("url")) if isinstance(image, dict) else None,
        language=of(channel, "language"),
        copyright=of(channel, "rights"),
        explicit=EXPLICIT.get(said.get("itunes:explicit", "").lower(), flag(channel, "itunes_explicit")),
        type="serial" if kind == "serial" else "episodic" if kind == "episodic" else None,
        complete=said.get("itunes:complete", "").lower() in {"yes", "true"},
        categories=tuple(path for path in sound.categories if path) if sound else (),
        feed_url=_own(channel, base),
        new_feed_url=enclosures.address(said.get("itunes:new-feed-url") or of(channel, "itunes_new-feed-url")),
        guid=next((tag.text for tag in sound.tags if tag.name == "podcast:guid"), None) if sound else None,
        tags=tuple(sound.tags) if sound else (),
    )


def rhythm(sound: Beside | None) -> Rhythm:
    """The longest of what ``ttl`` and ``sy:updatePeriod`` ask, and the hours (GMT) and days to leave out (RSS 2.0)."""
    if sound is None:
        return Rhythm()
    asked = [interval for interval in (_ttl(sound.channel), _period(sound.channel)) if interval]
    hours = {int(hour) % HOURS for hour in sound.skipped["hour"] if _is_number(hour) and int(hour) <= HOURS}
    days = {DAYS[day.lower()] for day in sound.skipped["day"] if day.lower() in DAYS}
    return Rhythm(
        interval=max(asked, default=None),
        skip_hours=frozenset(hours) if len(hours) < HOURS else frozenset(),
        skip_days=frozenset(days) if len(days) < len(DAYS) else frozenset(),
    )


def _ttl(said: Mapping[str, str]) -> timedelta | None:
    ttl = said.get("ttl", "")
    return timedelta(minutes=int(ttl)) if _is_number(ttl) and 0 < int(ttl) <= LONGEST_TTL else None


def _period(said: Mapping[str, str]) -> timedelta | None:
    period = PERIODS.get(said.get("sy:updatePeriod", "").lower())
    times = said.get("sy:updateFrequency", "1")
    return period / int(times) if period and _is_number(times) and int(times) > 0 else None


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < len("1000000")


def _own(channel: Mapping[str, Any], base: str) -> str | None:
    """The feed's own address (``atom:link rel="self"``)."""
    selves = (link.get("href") for link in channel.get("links", ()) if link.get("rel") == "self")
    return next((url for href in selves if (url := enclosures.absolute(base, href))), None)
