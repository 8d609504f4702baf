"""Read from the store what was published of a feed, and write what was composed and published."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from hashlib import blake2b
from typing import Final

from msgspec.structs import replace

from aggregator import enclosure_probe, persist
from aggregator.config.load import Config
from aggregator.errors import DamagedError, LockedError
from aggregator.generator.storage.output import Output
from aggregator.model.feed import Cover, Feed, Plan
from aggregator.model.files import FileState
from aggregator.model.results import Composition, Publication
from aggregator.store import connection, decisions, facts, guids, leases
from aggregator.store.database import Store, transaction
from aggregator.store.decisions import Event
from aggregator.store.facts import Fact
from aggregator.store.leases import INDEX
from aggregator.version import VERSION

_COVER: Final = Fact("cover", Cover)
"""The fact with the feed's entry on the page of all feeds."""

_FEED: Final = Fact("feed", Feed)
"""The fact with the feed as it was last published, without its items."""

_PUBLISHED: Final = ("feed.json", "feed.xml")
"""Files that every published feed has."""


def require_known(known: Collection[str], output: Output, state: str, plans: Iterable[Plan]) -> None:
    """Raise DamagedError if a feed is published and not ``known``: its store is gone, was emptied, or is another one.

    Published anew, its items could have other guids and dates, and a person's decisions would be forgotten.
    """
    for plan in plans:
        folder = plan.channel.folder
        if plan.name not in known and output.exists(folder, _PUBLISHED):
            store = connection.printable_name(connection.parse_address(state))
            raise DamagedError(
                f"{store}: has nothing of {plan.name}, which is published in "
                f"{plan.channel.hide_token(f'{output}/{folder}')}; restore a backup, or begin anew "
                "with aggregator refresh --new",
                store,
            )


def input_digest(store: Store, plan: Plan) -> str:
    """Return the digest of all that a feed is made from besides its entries: program, plan, decisions, results."""
    decided = decisions.read_decisions(store, plan.name), decisions.read_overrides(store, plan.name)
    persons = (decisions.ADMISSIONS, decisions.HELD, decisions.FORGOTTEN, decisions.REMOVED)
    kept = facts.read_named(store, plan.name, (facts.SOURCE_RESULTS.name, facts.HELD_AUDIO, *persons))
    return _digest((VERSION, plan, decided, kept, *enclosure_probe.read_gone(store, plan)))


def index_digest(store: Store, plans: Sequence[Plan]) -> str:
    """Return the digest of all that the list of all feeds is made from."""
    kept = facts.read_fact_of_feeds(store, _COVER.name)
    return _digest((VERSION, [kept.get(plan.name) for plan in plans]))


def _digest(value: object) -> str:
    return blake2b(repr(value).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def read_publication(store: Store, feed: str, input_digest: str, now: datetime) -> Publication | None:
    """Return what was last published of the feed, ``None`` if another input or time makes it another feed."""
    found = read_last(store, feed)
    if found.input != input_digest or (found.until is not None and now >= found.until):
        return None
    return found


def read_last(store: Store, feed: str) -> Publication:
    """Return what was last published of the feed; one without input or files if nothing was."""
    return persist.PUBLICATION.read(store, feed) or Publication("")


def read_feed(store: Store, feed: str) -> Feed | None:
    """Return the feed as it was last published, without its items (`store.items`); ``None`` if it never was."""
    return _FEED.read(store, feed)


def write_publication(store: Store, feed: str, publication: Publication) -> None:
    """Write what was published of the feed."""
    persist.PUBLICATION.write(store, feed, publication)


def read_publications(store: Store) -> dict[str, Publication]:
    """Return what was last published of each feed."""
    return {feed: kept for feed, kept in persist.PUBLICATION.read_of_feeds(store).items() if feed != INDEX}


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


def read_file_states(output: Output, names: Iterable[str]) -> tuple[FileState, ...]:
    """Return the files under the output as they are now."""
    return tuple(FileState(*each) for each in output.read_states(tuple(names)))


def are_files_unchanged(config: Config, files: Sequence[FileState]) -> bool:
    """Return whether all the files are as they were written; false if there are none.

    What was written to a bucket is not looked at again: each look would be a request. Nor is anything for a preview.
    """
    output = config.output
    if config.is_copy:
        return bool(files)
    if output.bucket:
        return bool(files) and all(each.written == output.mark for each in files)
    try:
        return bool(files) and all(_is_unchanged(f"{output}/{each.name}", each) for each in files)
    except OSError:
        return False


def _is_unchanged(path: str, known: FileState) -> bool:
    stat = os.stat(path)  # noqa: PTH116 -- of some ten files a feed: a Path takes four times as long
    return (stat.st_size, stat.st_mtime_ns) == (known.size, known.written)


@contextmanager
def noticing_lost_lease(store: Store, output: Output, name: str, at: datetime) -> Iterator[None]:
    """Have the feed, or the list of all feeds, published again if writing to a bucket fails and its lease was lost.

    Another worker may then have published a later edition, of which this one has replaced objects. In a folder the next
    refresh finds that by the times of the files.
    """
    is_done = False
    try:
        yield
        is_done = True
    finally:
        if not is_done and output.bucket and _has_lost_lease(store):
            unclaimed = replace(store, claim=None)
            persist.require_publication(unclaimed, name)
            leases.make_due(unclaimed, name, at)


def _has_lost_lease(store: Store) -> bool:
    try:
        with transaction(store):  # compares the tokens of the leases
            return False
    except LockedError:
        return True
