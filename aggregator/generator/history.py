"""The newest changes of a feed, run by run, as the ledger keeps them for the changes page."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import astuple, dataclass, replace
from datetime import UTC, datetime

from aggregator.generator import seen
from aggregator.generator.changes import Change, changes
from aggregator.generator.seen import State
from aggregator.model.feed import Feed
from aggregator.model.item import Whole, itself

# A page of half a year of a weekly show; older news are in nobody's reader.
EDITIONS = 60
# The first account of a source that moved can change every item: what is beyond this is summed up.
MOST = 200


@dataclass(frozen=True, slots=True)
class Edition:
    """What one run changed, and when (aware, UTC); ``more`` counts the changes that were too many to keep."""

    at: datetime
    changes: tuple[Change, ...]
    more: int = 0


@dataclass(frozen=True, slots=True)
class History:
    """The feed as it was last published, and its newest editions, newest first."""

    state: State
    editions: tuple[Edition, ...] = ()


def advance(
    past: History | None,
    feed: Feed,
    at: datetime,
    reasons: Mapping[str, str] | None = None,
    whole: Whole = itself,
) -> History:
    """The history with this run's changes; the same history where there are none. A first publication is no news.

    ``whole`` gives the feed's items with their texts.
    """
    state = seen.see(feed, whole, past.state if past else seen.NOTHING)
    if past is None:
        return History(state)
    found = changes(past.state, state, reasons)
    if not found:
        return past
    edition = Edition(at, found[:MOST], max(0, len(found) - MOST))
    return History(state, (edition, *past.editions)[:EDITIONS])


def editions_of(history: History) -> History:
    """The history without the state, which nobody but the next run asks for: of many items it is large."""
    return replace(history, state=State())


def pack(history: History) -> bytes:
    """The history for the ledger: the same history gives the same bytes."""
    editions = [
        [each.at.astimezone(UTC).isoformat(), each.more, [astuple(change) for change in each.changes]]
        for each in history.editions
    ]
    lines = seen.pack(history.state), json.dumps(editions, ensure_ascii=False, separators=(",", ":")), ""
    return b"\n".join(line.encode("utf-8", "replace") for line in lines)


def unpack(body: bytes | None) -> History | None:
    """The history that ``pack`` wrote; ``None`` where there is none yet."""
    if not body:
        return None
    state, line, _ = body.split(b"\n")
    editions = tuple(
        Edition(datetime.fromisoformat(at), tuple(Change(*each) for each in kept), more)
        for at, more, kept in json.loads(line)
    )
    return History(seen.unpack(state), editions)
