"""Read from the store what was composed and published of each feed, and write it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from msgspec.structs import replace

from aggregator.model.feed import Cover, Feed, Plan
from aggregator.model.record import digest_value
from aggregator.model.results import Composition, Publication
from aggregator.store import decisions, facts, guids, leases
from aggregator.store.database import Store, transaction
from aggregator.store.decisions import Event
from aggregator.store.facts import Fact
from aggregator.store.leases import INDEX
from aggregator.version import VERSION

_PUBLICATION: Final = Fact("publication", Publication)
"""The fact with what was last published of a feed, or of the files that list every feed."""

_COVER: Final = Fact("cover", Cover)
"""The fact with the feed's entry on the page of all feeds."""

_FEED: Final = Fact("feed", Feed)
"""The fact with the feed as it was last published, without its items."""


def input_digest(store: Store, plan: Plan, gone: Sequence[str]) -> str:
    """Return the digest of all that a feed is made from besides its entries: program, plan, decisions, results.

    ``gone`` are the addresses of audio that is gone.
    """
    decided = decisions.read_decisions(store, plan.name), decisions.read_overrides(store, plan.name)
    persons = (decisions.ADMISSIONS, decisions.HELD, decisions.FORGOTTEN, decisions.REMOVED)
    kept = facts.read_named(store, plan.name, (facts.SOURCE_RESULTS.name, facts.HELD_AUDIO, *persons))
    return digest_value((VERSION, plan, decided, kept, *gone))


def index_digest(store: Store, plans: Sequence[Plan]) -> str:
    """Return the digest of all that the list of all feeds is made from."""
    kept = facts.read_fact_of_feeds(store, _COVER.name)
    return digest_value((VERSION, [kept.get(plan.name) for plan in plans]))


def read_publication(store: Store, feed: str, input_digest: str, now: datetime) -> Publication | None:
    """Return what was last published of the feed, ``None`` if another input or time makes it another feed."""
    found = read_last(store, feed)
    if found.input != input_digest or (found.until is not None and now >= found.until):
        return None
    return found


def read_last(store: Store, feed: str) -> Publication:
    """Return what was last published of the feed; one without input or files if nothing was."""
    return _PUBLICATION.read(store, feed) or Publication("")


def read_feed(store: Store, feed: str) -> Feed | None:
    """Return the feed as it was last published, without its items (`store.items`); ``None`` if it never was."""
    return _FEED.read(store, feed)


def write_publication(store: Store, feed: str, publication: Publication) -> None:
    """Write what was published of the feed."""
    _PUBLICATION.write(store, feed, publication)


def require_publication(store: Store, feed: str) -> None:
    """Have the feed published again.

    Its files stay known: under a new token they are removed from the former folder.
    """
    if last := _PUBLICATION.read(store, feed):
        write_publication(store, feed, replace(last, input=""))


def forget_publication(store: Store, feed: str) -> None:
    """Forget what was published of the feed: its files are gone."""
    _PUBLICATION.write(store, feed, None)


def read_publications(store: Store) -> dict[str, Publication]:
    """Return what was last published of each feed."""
    return {feed: kept for feed, kept in _PUBLICATION.read_of_feeds(store).items() if feed != INDEX}


def read_covers(store: Store, plans: Sequence[Plan]) -> tuple[Cover, ...]:
    """Return the entries on the page of all feeds of those that were ever published."""
    kept = _COVER.read_of_feeds(store)
    return tuple(kept[plan.name] for plan in plans if plan.name in kept)


def write_composition(store: Store, plan: Plan, composed: Composition, now: datetime) -> None:
    """Write, before the files appear, the feed, its guids, what was learned, and events a person may ask about."""
    facts.MODEL.write(store, plan.name, composed.model)
    guids.write_guids(store, plan.name, composed.settlement.published_items)
    for line in composed.settlement.events:
        decisions.write_event(store, plan.name, Event(now, "settle", line))
    for line in composed.arrived:
        decisions.write_event(store, plan.name, Event(now, "held", line))
    feed = composed.feed
    _FEED.write(store, plan.name, replace(feed, items=()))
    facts.write_feed_state(
        store, plan.name, fingerprint=composed.fingerprint, updated=feed.updated, guid=feed.channel.guid
    )


def write_published(store: Store, plan: Plan, cover: Cover, publication: Publication, now: datetime) -> None:
    """Write, after the files, what was published, and the feed's entry on the page of all feeds.

    Where feeds are refreshed by several workers, that page is due if the entry has changed.
    """
    with transaction(store) as tx:
        if tx.claim is not None and _COVER.read(tx, plan.name) != cover:
            leases.make_due(tx, INDEX, now)
        _COVER.write(tx, plan.name, cover)
        write_publication(tx, plan.name, publication)
