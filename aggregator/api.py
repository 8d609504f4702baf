"""The program as a library. What is named here is stable; every other module may change with each version.

Two listings of one show become one feed:

>>> def write(**titles: str) -> bytes:
...     items = (f"<item><title>{titles[day]}</title><pubDate>{day} May 2024</pubDate></item>" for day in titles)
...     return f"<rss version='2.0'><channel><title>Quay</title>{''.join(items)}</channel></rss>".encode()
>>> host = read(write(**{"8": "Salt marsh at low tide", "1": "Bell buoys, explained"}))
>>> shelf = read(write(**{"8": "Quay: Salt marsh at low tide", "1": "Quay: Bell buoys, explained"}))
>>> [(item.title, len(item.entries)) for item in merge({"host": host, "shelf": shelf}).items]
[('Salt marsh at low tide', 2), ('Bell buoys, explained', 2)]
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal

from msgspec.structs import replace

from aggregator import compose, detection, opml_lists
from aggregator import refresh as refreshing
from aggregator.commands.item_report import format_item
from aggregator.config.load import load
from aggregator.errors import AggregatorError, ConfigError
from aggregator.generator import atom, jsonfeed
from aggregator.generator.content.prepared import prepare
from aggregator.generator.feed_files import render_files
from aggregator.merger.blending.blend import Reading, Text, read_text
from aggregator.merger.blending.copies import Copy
from aggregator.merger.matching.features.records import parse_records
from aggregator.merger.matching.match import THRESHOLD, match_records
from aggregator.model.entry import Entry, Listing, Show
from aggregator.model.feed import Channel, Feed, Plan
from aggregator.model.item import Item
from aggregator.model.results import Outcome
from aggregator.model.source import Source
from aggregator.store import database
from aggregator.store.listings import write_listings
from aggregator.validator.examine import examine
from aggregator.validator.rule import Finding

__all__ = [
    "AggregatorError",
    "Entry",
    "Feed",
    "Finding",
    "Item",
    "Listing",
    "Outcome",
    "Reading",
    "Show",
    "explain",
    "match",
    "merge",
    "read",
    "reconcile",
    "refresh",
    "render",
    "validate",
]

_FORMS: Final = {"rss": "feed.xml", "podcast": "podcast.xml", "atom": atom.NAME, "json": jsonfeed.NAME}
"""The name of the file of each form (docs/output.md)."""

_WIDTH = 120
"""Characters of a line of an explanation."""

_OWNER, _OTHER = 1.0, 0.5
"""The trust in the first listing, which is taken for the show's own, and in every other one."""


def read(listing: str | bytes | os.PathLike[str], *, kind: str | None = None, allow: Sequence[str] = ()) -> Listing:
    """Read what a document lists: a URL, a file, or the bytes of a feed, a page or an API's answer.

    ``kind`` is one of docs/kinds.md; without it the kinds are tried, and selectors are made for a page that repeats
    elements. A URL may lead to the private networks of ``allow`` (CIDR), else only to public addresses. The document is
    read in a process of its own, with limits. Raises ConfigError for a kind that there is not, FetchError and
    ReadError, which are all AggregatorErrors.
    """
    if isinstance(listing, bytes):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "listing")
            file.write_bytes(listing)
            return read(file, kind=kind)
    is_file = not isinstance(listing, str) or "://" not in listing
    candidates = detection.list_candidates(os.fspath(listing), kind, allow=allow, files=is_file)
    return detection.find_ways(None, candidates, _now())[0].listing


def merge(
    listings: Mapping[str, Listing],
    *,
    title: str | None = None,
    trust: Mapping[str, float] | None = None,
    at: datetime | None = None,
) -> Feed:
    """Merge listings of one show, by the names of their sources, into one feed: its channel and its items.

    The first listing is taken for the show's own, unless ``trust`` says how much each is trusted (0 to 1;
    docs/trust.md). ``title`` is the feed's, by default the show's. ``at`` stands for the time of the merge: items from
    after it are not in the feed. Nothing is kept: a guid is the one that the most trusted source gives, or made from
    the content; permanent guids need the store of :func:`refresh`. Raises ConfigError without any listing.
    """
    if not listings:
        raise ConfigError("merge: no listing was given")
    given = trust or {}
    ranks = {name: given.get(name, _OTHER if place else _OWNER) for place, name in enumerate(listings)}
    sources = [Source(name, "feed", trust=ranks[name]) for name in sorted(listings)]
    shown = title or next((each.show.title for each in listings.values() if each.show.title), "")
    plan = Plan("feed", Channel("feed", shown, "https://feed.invalid"), tuple(sources))
    with tempfile.TemporaryDirectory() as folder, database.open_store(str(Path(folder, "store.db"))) as store:
        now = at or _now()
        for source in sources:
            listing = listings[source.name]
            entries = tuple(replace(each, source=source.name) for each in listing.entries)
            write_listings(store, plan.name, source, [replace(listing, entries=entries)], now)
        return compose.compose(store, plan, now).feed


def render(feed: Feed, form: Literal["rss", "podcast", "atom", "json"] = "rss") -> bytes:
    """Write a feed as RSS 2.0, as RSS with its episodes alone, as Atom 1.0 or as JSON Feed 1.1, all on one page.

    The feed's own address is one that leads nowhere; `refresh` publishes feeds under the ``base_url`` of a config.
    """
    return dict(render_files(prepare(feed)))[_FORMS[form]]


def match(records: Iterable[Mapping[str, object]], *, threshold: float = THRESHOLD) -> list[list[str]]:
    """Return the ids of records that are the same item, cluster by cluster, each id in one.

    A record has "id" and "source", and any of the keys of ``aggregator match`` (docs/commands.md). ``threshold`` is the
    sum of evidence, in natural log-odds, from which two are the same.

    >>> songs = [{"id": "1", "source": "a", "title": "Bell buoys", "duration": 187}]
    >>> match([*songs, {"id": "2", "source": "b", "title": "Bell Buoys", "duration": 187}])
    [['1', '2']]
    """
    found = match_records(parse_records(list(records)), threshold=threshold)
    ids = [record.id for record in found.frame.records]
    return sorted(sorted(ids[row] for row in group) for group in found.groups)


def reconcile(copies: Mapping[str, str], *, field: str = "description", language: str | None = None) -> Reading:
    """Rebuild one text from damaged copies of it, by the names of their sources.

    ``field`` is "title" or "description": of a title only the copies count that resemble each other. ``language`` is a
    tag such as "en", ``None`` if it is not known.

    >>> reading = reconcile({"a": "The caf? by the quay", "b": "The café by the quay", "c": "The café by the q"})
    >>> reading.text, reading.confidence > 0.8
    ('The café by the quay', True)
    """
    return read_text(Text(field=field, copies=tuple(Copy(*each) for each in copies.items()), language=language))


def validate(document: bytes, *, at: datetime | None = None) -> tuple[Finding, ...]:
    """Return what is wrong with a feed by the specifications, and for apps, the most severe first.

    ``at`` decides what is in the future, by default now.

    >>> [finding.what for finding in validate(b"<rss version='2.0'><channel/></rss>")][:1]
    ['has no title']
    """
    return examine(document, at or _now())[1]


def refresh(
    config: str | os.PathLike[str], *, feeds: Collection[str] = (), force: bool = False, at: datetime | None = None
) -> tuple[Outcome, ...]:
    """Refresh the feeds of a config file, or those that are named, and return the outcome of each.

    It does what ``aggregator refresh`` does: sources that are due are polled, with ``force`` all. ``at`` is the time to
    work with, by default now. To be called in the main thread. Raises ConfigError, LockedError if another refresh runs,
    NothingToPublishError if nothing could be fetched and nothing was stored before, StoreError.
    """
    now, loaded = at or _now(), load(Path(config))
    if not feeds:
        news, _ = opml_lists.keep_in_step(loaded, now)
        loaded = load(loaded.path) if news else loaded
    return refreshing.refresh(loaded, at=now, feeds=feeds, force=force, is_clock=at is None)


def explain(item: Item) -> str:
    """Say from which source each field of an item is, who differs, what was repaired, and why its entries are one.

    The text is as ``aggregator explain`` prints it.
    """
    return format_item(item, _WIDTH)


def _now() -> datetime:
    return datetime.now(UTC).replace(microsecond=0)
