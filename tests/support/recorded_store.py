"""A store as a released version of the program wrote it: ``python -m tests.support.recorded_store`` records this one's.

A record is the SQL of the whole store, so that a review sees what changed. It is made once for each version of the
tables and is never changed after that version is released; ``read_kept`` is what every later program finds in it.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from aggregator.model.cluster import Decision
from aggregator.model.entry import Enclosure, Entry, Listing, Moment, Show
from aggregator.model.item import Item, Override, PublishedItem
from aggregator.model.source import Poll, PollState, Source, Validators
from aggregator.store import (
    cache,
    database,
    decisions,
    entries,
    facts,
    guids,
    hosts,
    items,
    leases,
    listings,
    polls,
    schema,
)
from aggregator.store.database import Store

FOLDER: Final = Path(__file__).parents[1] / "integration" / "store" / "data"
_NOON: Final = datetime(2024, 3, 9, 12, tzinfo=UTC)
_LATER: Final = _NOON + timedelta(days=7)
_FEED: Final = "harbour"
_OTHER: Final = "island"
_PUBLISHED: Final = (
    PublishedItem("tag:harbour.example,2024:1", _NOON, Moment(_NOON), ("host/1", "shop/a"), "Low tide"),
    PublishedItem(
        "\u6e2f-2", _NOON + timedelta(days=7), Moment(_NOON + timedelta(days=7)), ("host/2",), "H\u00f8yvann"
    ),
)


def record(file: Path) -> None:
    """Write the SQL of a store with rows in every table."""
    with TemporaryDirectory() as folder:
        state = str(Path(folder) / "store.db")
        with database.open_store(state, fence=True) as store:
            leases.set_feeds(store, (_FEED, _OTHER), _NOON)
            hosts.lease_host(
                store, "host.example", "a run", _NOON, lease=timedelta(minutes=1), pause=timedelta(seconds=2)
            )
            for feed in (_FEED, _OTHER):
                with database.transaction(store) as tx:
                    _fill(tx, feed)
        with closing(sqlite3.connect(state)) as connection:
            file.write_text("\n".join(connection.iterdump()) + "\n", encoding="utf-8")


def _fill(store: Store, feed: str) -> None:
    for name in ("host", "shop"):
        listed = tuple(
            Entry(
                name,
                f"{key}",
                f"Tide {key} \0 \u6e2f",
                published=Moment(_NOON),
                enclosure=Enclosure(f"https://{name}.example/{key}.mp3", "audio/mpeg", 1000),
            )
            for key in (1, 2, "a", "x" * 300)
        )
        show = Show(title="Harbour talk")
        listings.write_listings(store, feed, Source(name, "feed"), [Listing(listed, show=show)], _NOON)
        polls.write_poll_states(store, [(feed, name, PollState(f"https://{name}.example/feed", Validators('"1"')))])
        polls.add_polls(store, {(feed, name): Poll(int(_NOON.timestamp()), "ok", 200, milliseconds=80)})
    guids.write_guids(store, feed, _PUBLISHED)
    items.FeedItems(store, feed).write([Item(each.title, each.entries, guid=each.guid) for each in _PUBLISHED])
    decisions.write_decision(store, feed, Decision("different", "host/1", "shop/x"), _NOON)
    decisions.write_override(store, feed, Override(_PUBLISHED[0].guid, "title", "Low tide, again"), _NOON)
    facts.write_feed_state(store, feed, fingerprint="f", updated=_NOON, guid="9b2f4c1e-0000-5000-8000-000000000001")
    facts.write_fact(store, feed, "match/table", b"\x00\xff")
    cache.write_cached(store, feed, "repair", {"a key": b"\x00\xff"})


def make(version: int, file: Path) -> None:
    """Make the store that was recorded of a version of the tables."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(f"PRAGMA application_id = {schema.APPLICATION}")
        connection.executescript((FOLDER / f"store-{version}.sql").read_text(encoding="utf-8"))


def list_versions() -> list[int]:
    """Return the versions of the tables that were recorded."""
    return sorted(int(each.stem.removeprefix("store-")) for each in FOLDER.glob("store-*.sql"))


def read_kept(store: Store) -> dict[str, object]:
    """Return what must be the same in every version: ids, guids, dates, decisions and learned values."""
    etags = [each[0].validators.etag for each in polls.read_poll_states(store, [_FEED]).values()]
    return {
        "entries": [
            (each.entry.id, each.entry.title, each.entry.enclosure and each.entry.enclosure.url)
            for each in entries.read_entries(store, _FEED)
        ],
        "guids": [(each.guid, each.published.at, each.entries) for each in guids.read_guids(store, _FEED)],
        "decisions": [(each.verdict, each.left, each.right) for each in decisions.read_decisions(store, _FEED)],
        "overrides": [(each.guid, each.field, each.value) for each in decisions.read_overrides(store, _FEED)],
        "guid": facts.read_feed_state(store, _FEED).guid,
        "fact": facts.read_fact(store, _FEED, "match/table"),
        "etags": etags,
    }


if __name__ == "__main__":
    record(FOLDER / f"store-{schema.VERSION}.sql")
