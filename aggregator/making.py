"""Repair and reconcile, each content once: what was made of it in an earlier run is read as it was kept.

The answer is that of repairing and reconciling everything anew: what is kept is found by the digest of all that it
depends on. In a refresh what was made is kept a lot at a time, in its transaction; a feed that is only looked at
leaves nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from hashlib import blake2b
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import force_setattr

from aggregator import kept, told
from aggregator.aside import Aside, Shelf
from aggregator.kept import Work
from aggregator.ledger import recall, records
from aggregator.ledger.ledger import Ledger
from aggregator.ledger.recall import Account
from aggregator.ledger.remember import LOOSE
from aggregator.merger.attest import Ballot, Weights, ballot
from aggregator.merger.held import Held, with_held
from aggregator.merger.reconcile import reconcile
from aggregator.merger.repair import repair
from aggregator.merger.settle import AHEAD
from aggregator.model.cluster import Cluster
from aggregator.model.feed import Plan
from aggregator.model.item import Item
from aggregator.model.sighting import Sighting

T = TypeVar("T")

MENDED, RECONCILED = "mended", "reconciled"
"""The kinds of work that are kept: by a sighting's digest, and by that of all that an item depends on."""

PLACED = frozenset({"rank", "pairs"})
"""The fields of an Item that follow its place on a page and the other items: not kept, but given anew."""

COMMON = ("origin", "duration", "image", "author", "language", "categories")
"""The fields of an Item in which many say the same: 8 MB less of 20,000 items that were made before."""

ALIKE = ("source", "span", "duration", "image", "author", "language", "show", "categories")
"""The fields of a Sighting in which many say the same: equal values are one object, 7 MB less of 20,000 sightings."""


class Mended(Struct, frozen=True):
    """Every sighting mended, the digest by sighting id of what was mended, and the work that this took.

    Their texts may lie aside. ``ahead`` are the ids of sightings whose dates were still to come when they were first
    seen. Where sources are trusted alike, ``since`` gives for each sighting since when its source says so, and
    ``began`` for each source when it was first heard; else both are empty.
    """

    sightings: tuple[Sighting, ...]
    digests: Mapping[str, str]
    work: Work
    ahead: frozenset[str]
    since: Mapping[str, datetime]
    began: Mapping[str, datetime]


def mend(
    book: Ledger, plan: Plan, held: Sequence[Held], shelf: Shelf[Sighting], forgotten: Collection[str] = ()
) -> Mended:
    """Everything the feed's sources ever said, each copy mended by itself, with the audio that is held back as it was.

    The texts are laid on the shelf. What ``forgotten`` sources said is left out.
    """
    trust = told.trust_of(book, plan)
    tied = len(set(trust.values())) < len(trust)
    since: dict[str, datetime] = {}
    began: dict[str, datetime] = {}
    sightings: list[Sighting] = []
    digests: dict[str, str] = {}
    made = 0
    ahead: set[str] = set()
    said: dict[object, Any] = {}
    accounts = (each for each in recall.accounts(book, plan.name) if each.rows[0][recall.SOURCE] not in forgotten)
    for lot in kept.lots(accounts):
        mended, fresh = _mended(book, plan, lot)
        made += _keep(book, plan, MENDED, fresh)
        for account, before, sighting in zip(lot, mended, with_held(mended, held), strict=True):
            if sighting.published is not None and sighting.published.at > account.first_seen + AHEAD:
                ahead.add(sighting.id)
            if tied:
                since[sighting.id] = account.since
                began[sighting.source] = min(began.get(sighting.source, account.first_seen), account.first_seen)
            moved = "" if before.enclosure == sighting.enclosure else repr(sighting.enclosure)
            digests[sighting.id] = account.digest + moved
            sightings.append(shelf.lay(_shared(sighting, said)))
    sightings.sort(key=lambda each: (each.source, each.key))
    _swept(book, plan, MENDED, digests.values())
    return Mended(tuple(sightings), digests, Work(MENDED, made), frozenset(ahead), since, began)


def _shared(sighting: Sighting, known: dict[object, Any]) -> Sighting:
    """The same sighting, which must be nobody else's yet, what it says as others do in the words of the first."""
    for name in ALIKE:
        value = getattr(sighting, name)
        force_setattr(sighting, name, known.setdefault(value, value))
    if sighting.guid == sighting.key:
        force_setattr(sighting, "guid", sighting.key)
    if sighting.enclosure is not None:
        kind = sighting.enclosure.type
        force_setattr(sighting.enclosure, "type", known.setdefault(kind, kind))
    return sighting


def _mended(book: Ledger, plan: Plan, lot: Sequence[Account]) -> tuple[Sequence[Sighting], Mapping[str, bytes]]:
    """What some accounts say, mended; by digest what was mended only now, as it is to be kept.

    What was mended before is read as it was kept; an empty value says that nothing was to be mended.
    """
    known = kept.found(book, plan.name, MENDED, [account.digest for account in lot])
    mended: list[Sighting] = []
    fresh: dict[str, bytes] = {}
    for account in lot:
        value = known.get(account.digest)
        sighting = recall.read(account, value.decode()) if value else recall.remembered(account).sighting
        if value is None:
            said, sighting = sighting, repair(sighting)
            fresh[account.digest] = b"" if sighting == said else records.encode(sighting, without=LOOSE).encode()
        mended.append(sighting)
    return mended, fresh


def _keep(book: Ledger, plan: Plan, kind: str, fresh: Mapping[str, bytes]) -> int:
    """Keep what was made of a lot, where the ledger is within a transaction; how much was made."""
    if book.connection is not None:
        kept.add(book, plan.name, kind, fresh)
    return len(fresh)


def _swept(book: Ledger, plan: Plan, kind: str, used: Collection[str]) -> None:
    """Keep no more of a kind of work than is still asked for, where the ledger is within a transaction."""
    if book.connection is not None:
        kept.sweep(book, plan.name, kind, used)


class Brief(Struct, frozen=True):
    """What items are reconciled by: the sightings' digests by id, what words weigh, the digest of the lore."""

    digests: Mapping[str, str]
    weights: Weights
    lore: str

    def of(self, votes: Ballot) -> str:
        """The digest of all that the item of a ballot depends on, but for its rank and its pairs."""
        weights = votes.weights
        said = [
            (
                *(
                    each.id,
                    self.digests[each.id],
                    weights.of(each),
                    weights.of_text(each),
                    each.source in weights.keeps,
                ),
                *((each.source, each.link) in weights.repeated_links, each.id in weights.ahead),
            )
            for each in votes.witnesses
        ]
        return blake2b(repr((self.lore, said)).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def reconcile_all(
    book: Ledger, plan: Plan, clusters: deque[Cluster], brief: Brief, aside: Aside
) -> tuple[deque[Item], Work]:
    """One item for each cluster, every field with its witness, its texts laid aside, and the work that this took.

    The clusters are taken out of the queue, so that their sightings need not stand beside the items.
    """
    items: deque[Item] = deque()
    said: dict[object, Any] = {}
    used: list[str] = []
    made = 0
    for lot in kept.lots(taken(clusters)):
        votes = [ballot(cluster.sightings, brief.weights) for cluster in lot]
        names = [brief.of(each) for each in votes]
        used += names
        known = kept.found(book, plan.name, RECONCILED, names)
        fresh: dict[str, bytes] = {}
        for cluster, voted, name in zip(lot, votes, names, strict=True):
            value = known.get(name)
            if value is None:
                item = reconcile(aside.cluster(cluster), brief.weights)
                fresh[name] = records.encode(item, without=PLACED).encode()
            else:
                rank = voted.witnesses[0].position
                item = records.decode(Item, value.decode(), rank=rank, pairs=cluster.pairs)
            items.append(aside.items.lay(_alike(item, said)))
        made += _keep(book, plan, RECONCILED, fresh)
    _swept(book, plan, RECONCILED, used)
    aside.sightings.clear()
    return items, Work(RECONCILED, made)


def taken(queue: deque[T]) -> Iterator[T]:
    """What is in the queue one after the other, the first first, until none is left in it."""
    while queue:
        yield queue.popleft()


def _alike(item: Item, known: dict[object, Any]) -> Item:
    """The same item, which must be nobody else's yet, what it says as others do in the words of the first.

    Most items have their fields from one and the same source, each as sure as that of the one before.
    """
    for name in COMMON:
        value = getattr(item, name)
        if value is not None:
            force_setattr(item, name, known.setdefault((name, value), value))
    if item.enclosure is not None and item.enclosure.type is not None:
        kind = item.enclosure.type
        force_setattr(item.enclosure, "type", known.setdefault(kind, kind))
    said = tuple([each if each.dissent or each.notes else known.setdefault(each, each) for each in item.provenance])
    plain = not any(each.dissent or each.notes for each in said)
    force_setattr(item, "provenance", known.setdefault(tuple(map(id, said)), said) if plain else said)
    return item
