"""What a refresh commits to the store when it publishes a feed: promises before the files, what stands after them."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from aggregator import learned, stages, unchanged_output
from aggregator.generator.changes import changes
from aggregator.generator.pages import view
from aggregator.model.feed import Feed, Plan
from aggregator.persist import COVER
from aggregator.store import decisions, facts, guids, records
from aggregator.store.database import Store, transaction
from aggregator.store.decisions import Event
from aggregator.store.guids import LastPublished
from aggregator.unchanged_output import Standing

CHANGES: Final = "changes"
"""The fact that holds the history of the feed for its changes page."""


def promise(store: Store, plan: Plan, composed: stages.Composition, now: datetime) -> None:
    """Commit what the feed is about to promise its subscribers, and tell what they might ask about."""
    learned.keep(store, plan, *composed.taught[:2])
    guids.write_guids(store, plan.name, composed.settlement.promises)
    for event in composed.settlement.events:
        decisions.write_event(store, plan.name, Event(now, "settle", event))
    for line in composed.arrived:
        decisions.write_event(store, plan.name, Event(now, "held", line))
    feed = composed.feed
    facts.write_feed_state(
        store, plan.name, fingerprint=composed.fingerprint, updated=feed.updated, guid=feed.channel.guid
    )


def record_changes(store: Store, plan: Plan, feed: Feed, now: datetime) -> changes.History:
    """Return what each run changed of the feed, this one included, newest first, and keep it for the next."""
    past = changes.unpack_history(facts.read_fact(store, plan.name, CHANGES))
    with transaction(store) as tx:
        story = changes.advance_history(past, feed, now, LastPublished(tx, plan.name))
        if story is not past:
            facts.write_fact(tx, plan.name, CHANGES, changes.pack_history(story))
    return story


def stand_published(store: Store, plan: Plan, feed: Feed, stands: Standing) -> None:
    """Keep what stands in the output, and the entry of the feed on the page of all feeds."""
    with transaction(store) as tx:
        facts.write_fact(tx, plan.name, COVER, records.encode(view.make_cover(feed)).encode())
        unchanged_output.keep_standing(tx, plan.name, stands)
