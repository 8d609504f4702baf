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

from aggregator import kept, source_state
from aggregator.kept import Work
from aggregator.merger.identity.settle import AHEAD
from aggregator.merger.reconciling.enclosure_hold import HeldAudio, restore_held_audio
from aggregator.merger.reconciling.items import reconcile
from aggregator.merger.reconciling.provenance import RankedEntries, Weights, rank_entries
from aggregator.merger.repair.repair import repair
from aggregator.model.cluster import Cluster
from aggregator.model.entry import Entry
from aggregator.model.feed import Plan
from aggregator.model.item import Item
from aggregator.store import records
from aggregator.store.database import Store
from aggregator.store.entries import PLACE_FIELDS, EntryRows, read_rows, to_entry, to_stored_entry

T = TypeVar("T")

MENDED, RECONCILED = "mended", "reconciled"
"""The kinds of work that are kept: by an entry's digest, and by that of all that an item depends on."""

PLACED = frozenset({"rank", "pairs"})
"""The fields of an Item that follow its place on a page and the other items: not kept, but given anew."""


class Mended(Struct, frozen=True):
    """Every entry mended, the digest by entry id of what was mended, and the work that this took.

    ``ahead`` are the ids of entries whose dates were still to come when they were first
    seen. Where sources are trusted alike, ``since`` gives for each entry since when its source says so, and
    ``began`` for each source when it was first heard; else both are empty.
    """

    entries: tuple[Entry, ...]
    digests: Mapping[str, str]
    work: Work
    ahead: frozenset[str]
    since: Mapping[str, datetime]
    began: Mapping[str, datetime]


def mend(store: Store, plan: Plan, held: Sequence[HeldAudio], forgotten: Collection[str] = ()) -> Mended:
    """Return every entry of the feed's sources repaired by itself, with the audio that is held back as it was.

    Entries of ``forgotten`` sources are left out.
    """
    trust = source_state.trust_of(store, plan)
    tied = len(set(trust.values())) < len(trust)
    since: dict[str, datetime] = {}
    began: dict[str, datetime] = {}
    entries: list[Entry] = []
    digests: dict[str, str] = {}
    made = 0
    ahead: set[str] = set()
    accounts = (each for each in read_rows(store, plan.name) if each.source not in forgotten)
    for lot in kept.lots(accounts):
        mended, fresh = _mended(store, plan, lot)
        made += _keep(store, plan, MENDED, fresh)
        for account, before, entry in zip(lot, mended, restore_held_audio(mended, held), strict=True):
            if entry.published is not None and entry.published.at > account.first_seen + AHEAD:
                ahead.add(entry.id)
            if tied:
                since[entry.id] = account.since
                began[entry.source] = min(began.get(entry.source, account.first_seen), account.first_seen)
            moved = "" if before.enclosure == entry.enclosure else repr(entry.enclosure)
            digests[entry.id] = account.digest + moved
            entries.append(entry)
    entries.sort(key=lambda each: (each.source, each.key))
    _swept(store, plan, MENDED, digests.values())
    return Mended(tuple(entries), digests, Work(MENDED, made), frozenset(ahead), since, began)


def _mended(store: Store, plan: Plan, lot: Sequence[EntryRows]) -> tuple[Sequence[Entry], Mapping[str, bytes]]:
    """What some accounts say, mended; by digest what was mended only now, as it is to be kept.

    What was mended before is read as it was kept; an empty value says that nothing was to be mended.
    """
    known = kept.found(store, plan.name, MENDED, [account.digest for account in lot])
    mended: list[Entry] = []
    fresh: dict[str, bytes] = {}
    for account in lot:
        value = known.get(account.digest)
        entry = to_entry(account, value.decode()) if value else to_stored_entry(account).entry
        if value is None:
            said, entry = entry, repair(entry)
            fresh[account.digest] = b"" if entry == said else records.encode(entry, without=PLACE_FIELDS).encode()
        mended.append(entry)
    return mended, fresh


def _keep(store: Store, plan: Plan, kind: str, fresh: Mapping[str, bytes]) -> int:
    """Keep what was made of a lot, where the store is within a transaction; how much was made."""
    if store.connection is not None:
        kept.add(store, plan.name, kind, fresh)
    return len(fresh)


def _swept(store: Store, plan: Plan, kind: str, used: Collection[str]) -> None:
    """Keep no more of a kind of work than is still asked for, where the store is within a transaction."""
    if store.connection is not None:
        kept.sweep(store, plan.name, kind, used)


class Brief(Struct, frozen=True):
    """What items are reconciled by: the entries' digests by id, what words weigh, the digest of the lore."""

    digests: Mapping[str, str]
    weights: Weights
    lore: str

    def of(self, votes: RankedEntries) -> str:
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
            for each in votes.entries
        ]
        return blake2b(repr((self.lore, said)).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def reconcile_all(store: Store, plan: Plan, clusters: Sequence[Cluster], brief: Brief) -> tuple[list[Item], Work]:
    """Return one item for each cluster, each field with its source, and the work that this took."""
    items: list[Item] = []
    used: list[str] = []
    made = 0
    for lot in kept.lots(clusters):
        votes = [rank_entries(cluster.entries, brief.weights) for cluster in lot]
        names = [brief.of(each) for each in votes]
        used += names
        known = kept.found(store, plan.name, RECONCILED, names)
        fresh: dict[str, bytes] = {}
        for cluster, voted, name in zip(lot, votes, names, strict=True):
            value = known.get(name)
            if value is None:
                item = reconcile(cluster, brief.weights)
                fresh[name] = records.encode(item, without=PLACED).encode()
            else:
                rank = voted.entries[0].position
                item = records.decode(Item, value.decode(), rank=rank, pairs=cluster.pairs)
            items.append(item)
        made += _keep(store, plan, RECONCILED, fresh)
    _swept(store, plan, RECONCILED, used)
    return items, Work(RECONCILED, made)
