"""What a refresh commits to the store when it publishes a feed: promises before the files, what stands after them."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from aggregator import learning, stages, standing
from aggregator.generator.changes import history
from aggregator.generator.pages import view
from aggregator.ledger import events, facts, promises, records
from aggregator.ledger.events import Event
from aggregator.ledger.ledger import Ledger, transaction
from aggregator.ledger.shown import Shown
from aggregator.model.feed import Feed, Plan
from aggregator.persist import COVER
from aggregator.standing import Standing

CHANGES: Final = "changes"
"""The fact that holds the history of the feed for its changes page."""


def promise(book: Ledger, plan: Plan, composed: stages.Composition, now: datetime) -> None:
    """Commit what the feed is about to promise its subscribers, and tell what they might ask about."""
    learning.keep(book, plan, *composed.taught[:2])
    promises.keep_promises(book, plan.name, composed.settlement.promises)
    for event in composed.settlement.events:
        events.tell(book, plan.name, Event(now, "settle", event))
    for line in composed.arrived:
        events.tell(book, plan.name, Event(now, "held", line))
    feed = composed.feed
    facts.keep_feed(book, plan.name, fingerprint=composed.fingerprint, updated=feed.updated, guid=feed.channel.guid)


def changes(book: Ledger, plan: Plan, feed: Feed, now: datetime) -> history.History:
    """Return what each run changed of the feed, this one included, newest first, and keep it for the next."""
    past = history.unpack(facts.facts(book, plan.name, CHANGES))
    with transaction(book) as page:
        story = history.advance(past, feed, now, Shown(page, plan.name))
        if story is not past:
            facts.keep_fact(page, plan.name, CHANGES, history.pack(story))
    return story


def stand_published(book: Ledger, plan: Plan, feed: Feed, stands: Standing) -> None:
    """Keep what stands in the output, and the entry of the feed on the page of all feeds."""
    with transaction(book) as page:
        facts.keep_fact(page, plan.name, COVER, records.encode(view.cover(feed)).encode())
        standing.keep_standing(page, plan.name, stands)
