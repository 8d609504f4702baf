"""Repair and reconcile, each content once: what was made of it in an earlier run is read as it was kept.

The answer is that of repairing and reconciling everything anew: what is kept is found by the digest of all that it
depends on. In a refresh what was made is kept a lot at a time, in its transaction; a feed that is only looked at
leaves nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from hashlib import blake2b
from typing import TypeVar

from msgspec import Struct

from aggregator import kept, told
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


class Mended(Struct, frozen=True):
    """Every sighting mended, the digest by sighting id of what was mended, and the work that this took.

    ``ahead`` are the ids of sightings whose dates were still to come when they were first
    seen. Where sources are trusted alike, ``since`` gives for each sighting since when its source says so, and
    ``began`` for each source when it was first heard; else both are empty.
    """

    sightings: tuple[Sighting, ...]
    digests: Mapping[str, str]
    work: Work
    ahead: frozenset[str]
    since: Mapping[str, datetime]
    began: Mapping[str, datetime]


def mend(book: Ledger, plan: Plan, held: Sequence[Held], forgotten: Collection[str] = ()) -> Mended:
    """Return every entry of the feed's sources repaired by itself, with the audio that is held back as it was.

    Entries of ``forgotten`` sources are left out.
    """
    trust = told.trust_of(book, plan)
    tied = len(set(trust.values())) < len(trust)
    since: dict[str, datetime] = {}
    began: dict[str, datetime] = {}
    sightings: list[Sighting] = []
    digests: dict[str, str] = {}
    made = 0
    ahead: set[str] = set()
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
            sightings.append(sighting)
    sightings.sort(key=lambda each: (each.source, each.key))
    _swept(book, plan, MENDED, digests.values())
    return Mended(tuple(sightings), digests, Work(MENDED, made), frozenset(ahead), since, began)


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


def reconcile_all(book: Ledger, plan: Plan, clusters: Sequence[Cluster], brief: Brief) -> tuple[list[Item], Work]:
    """Return one item for each cluster, each field with its source, and the work that this took."""
    items: list[Item] = []
    used: list[str] = []
    made = 0
    for lot in kept.lots(clusters):
        votes = [ballot(cluster.sightings, brief.weights) for cluster in lot]
        names = [brief.of(each) for each in votes]
        used += names
        known = kept.found(book, plan.name, RECONCILED, names)
        fresh: dict[str, bytes] = {}
        for cluster, voted, name in zip(lot, votes, names, strict=True):
            value = known.get(name)
            if value is None:
                item = reconcile(cluster, brief.weights)
                fresh[name] = records.encode(item, without=PLACED).encode()
            else:
                rank = voted.witnesses[0].position
                item = records.decode(Item, value.decode(), rank=rank, pairs=cluster.pairs)
            items.append(item)
        made += _keep(book, plan, RECONCILED, fresh)
    _swept(book, plan, RECONCILED, used)
    return items, Work(RECONCILED, made)
