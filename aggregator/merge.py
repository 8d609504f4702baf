"""Merge the entries of a feed in the store into items.

repair     Entry   -> Entry      _repair: each copy by itself, each change noted
match      Entry   -> Cluster    _match: explainable log-odds, under a person's decisions
reconcile  Cluster -> Item       _reconcile: each field by its own rule, with provenance

What repair and reconcile made of an input is kept in the cache, by a digest of all that it depends on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial

from msgspec import Struct
from msgspec.structs import asdict, replace

from aggregator import enclosure_probe, full_texts, persist
from aggregator.fetchers import registry
from aggregator.merger import filters, full_text, mixed_shows, other_shows
from aggregator.merger.hidden_sources import adopt_guids, hide, hide_in_matching
from aggregator.merger.identity import admission
from aggregator.merger.identity.admission import Coverage
from aggregator.merger.identity.settle import AHEAD
from aggregator.merger.matching import match
from aggregator.merger.matching.features.frame import Kept
from aggregator.merger.matching.scoring import SHIPPED, Table, parse_table
from aggregator.merger.model import learning
from aggregator.merger.reconciling.enclosure_hold import find_rekeyed, restore_held_audio
from aggregator.merger.reconciling.items import reconcile
from aggregator.merger.reconciling.living_audio import LostAudio, find_lost_audio
from aggregator.merger.reconciling.provenance import RankedEntries, Weights, order_sources, rank_entries
from aggregator.merger.repair.repair import repair
from aggregator.merger.rewriting import rewrite_entry, rewrite_item
from aggregator.model.cluster import Cluster, Matching
from aggregator.model.entry import Entry, FullText
from aggregator.model.feed import Plan
from aggregator.model.feed_model import FeedModel
from aggregator.model.item import Admission, Item, LeftOut, PublishedItem
from aggregator.model.record import digest_value
from aggregator.model.source import Filter, Source
from aggregator.persist import StoredState
from aggregator.store import cache, entries, facts, records
from aggregator.store.cache import CachePart
from aggregator.store.database import Store, batches
from aggregator.store.entries import PLACE_FIELDS, EntryRows

_REPAIR, _COMPARE, _RECONCILE = "repair", "compare", "reconcile"
"""The stages whose results are cached: by the digest of an entry, by the part of all that was compared (``Kept``, which
has digests inside), and by the digest of all that an item depends on."""

_MOST_NOTED = 5
"""Entries of a cluster that a note names, the most trusted first."""

_ITEM_PLACE_FIELDS = frozenset({"rank", "pairs"})
"""The fields of an Item that follow from its place and the other items: not cached."""


class _Repaired(Struct, frozen=True):
    """Every entry of a feed repaired, and by entry id the digest of what was repaired.

    ``seen`` is when each was first listed, by id, and ``ahead`` the ids of those whose dates were still to come then.
    If any sources are trusted alike, ``since`` is since when each entry has its present content, by id, and ``began``
    when each source was first listed; else both are empty. ``lost`` are the entries whose audio gives way to another
    source's. ``left_out`` are the entries that the filters of their sources leave out: of them nothing else is here.
    ``model`` is what was learned of the feed before, ``None`` if it is to be learned again.
    """

    entries: tuple[Entry, ...]
    digests: Mapping[str, str]
    seen: Mapping[str, datetime]
    ahead: frozenset[str]
    since: Mapping[str, datetime]
    began: Mapping[str, datetime]
    lost: LostAudio
    left_out: tuple[LeftOut, ...]
    model: FeedModel | None


class Merged(Struct, frozen=True):
    """The items of a feed before they have guids, and what was learned on the way.

    - ``undecided``: the items that the evidence alone would make of the entries of those that a person decided about.
    - ``matching``: without its clusters.
    - ``entries``: how many there are; ``repaired``: how many of them were repaired.
    - ``coverage``, ``listed``: what each source lists now.
    - ``misdating``: sources whose dates are mostly wrong.
    - ``seniority``: the order of sources trusted alike.
    - ``since``: when each entry came to have its present content, where sources are trusted alike.
    - ``until``: when the same entries make other items, ``None`` for never.
    - ``left_out``: the entries and new items that the filters leave out.
    - ``rekeyed``: entries whose audio is held back (``reconciling.enclosure_hold``), by source.
    - ``admission``: which new items are held.
    - ``arrived``: one line for each source that first listed such items in this run.
    """

    items: Sequence[Item]
    undecided: Sequence[Item]
    matching: Matching
    model: FeedModel
    entries: int
    repaired: int
    coverage: Mapping[str, Coverage]
    misdating: frozenset[str]
    seniority: Mapping[str, int]
    since: Mapping[str, datetime]
    listed: Mapping[str, Sequence[other_shows.Listed]]
    until: datetime | None
    left_out: tuple[LeftOut, ...]
    rekeyed: Mapping[str, frozenset[str]]
    admission: Admission = Admission()
    arrived: tuple[str, ...] = ()


Note = Callable[[str], object]
"""Called with the entry that is at work, before it can take long."""


class Cache(Struct, frozen=True):
    """Results of the stages, by a digest of all that each depends on; ``keep`` receives new ones."""

    store: Store
    feed: str
    keep: Callable[[CachePart], object]

    def read(self, stage: str, digests: Sequence[str]) -> Mapping[str, bytes]:
        """Return the values for those of the digests that have one."""
        keys = {f"{learning.CODE}/{digest}": digest for digest in digests}
        return {keys[key]: value for key, value in cache.read_cached(self.store, self.feed, stage, keys).items()}

    def write(self, stage: str, values: Mapping[str, bytes]) -> None:
        """Keep values by digest."""
        if values:
            self.keep(CachePart(stage, {f"{learning.CODE}/{digest}": value for digest, value in values.items()}))

    def drop_unused(self, stage: str, digests: Collection[str]) -> None:
        """Have dropped what was not used for long; these are used."""
        self.keep(CachePart(stage, used={f"{learning.CODE}/{digest}" for digest in digests}))


def merge_entries(cached: Cache, plan: Plan, state: StoredState, now: datetime, note: Note) -> Merged:
    """Repair, match and reconcile the entries of a feed; they are released afterwards."""
    repaired = _repair(cached, plan, state, now, note)
    note("matching")
    table, matching, undecided = _match(cached, plan, state, repaired)
    rekeyed = find_rekeyed(matching.clusters, state.held_audio)
    if rekeyed:
        lost = repaired.lost.entries.union(*rekeyed.values())
        repaired = replace(repaired, lost=repaired.lost._replace(entries=lost))
    whole, hidden = (*matching.clusters, *undecided), plan.without
    if hidden:
        matching, undecided = hide_in_matching(matching, hidden), tuple(hide(undecided, hidden))
    note("learning how reliable each source's texts are")
    weights = _make_weights(plan, state, repaired, matching.clusters)
    model = repaired.model or learning.make_model(
        now, table, learning.learn_texts(matching.clusters, weights), matching, weights.trust
    )
    clusters, digests = (*matching.clusters, *undecided), repaired.digests
    every = _reconcile(cached, plan, clusters, digests=digests, model=model, weights=weights, note=note)
    if hidden:
        every = adopt_guids(every, whole, hidden, state.trust)
    every = [rewrite_item(item, plan.rewrite, f"feeds.{plan.name}") for item in every] if plan.rewrite else every
    if plan.shows_in_titles:
        every = mixed_shows.put_before_titles(every, mixed_shows.find_shows(repaired.entries, state.shows))
    items, others = every[: len(matching.clusters)], every[len(matching.clusters) :]
    return Merged(
        items,
        others,
        replace(matching, clusters=()),
        model,
        entries=len(repaired.entries) + len(repaired.left_out),
        repaired=sum(bool(entry.notes) for entry in repaired.entries),
        coverage=admission.find_coverage(repaired.entries),
        misdating=admission.find_misdating(items, matching.clusters),
        seniority=order_sources(repaired.entries, repaired.began),
        since=repaired.since,
        listed=other_shows.find_listed(matching.clusters),
        until=repaired.lost.until,
        left_out=tuple(each for each in repaired.left_out if each.source not in hidden),
        rekeyed=rekeyed,
    )


def _repair(cached: Cache, plan: Plan, state: StoredState, now: datetime, note: Note) -> _Repaired:
    """Return every entry of the feed repaired by itself, without forgotten sources, with held audio as it was."""
    some_trusted_alike = len(set(state.trust.values())) < len(state.trust)
    since: dict[str, datetime] = {}
    began: dict[str, datetime] = {}
    every: list[Entry] = []
    kept: list[str] = []
    digests: dict[str, str] = {}
    seen: dict[str, datetime] = {}
    ahead: set[str] = set()
    listed: dict[str, datetime] = {}
    store = cached.store
    model, renewed = facts.MODEL.read(store, plan.name), set[str]()
    rules = {each.name: each.rewrite for each in _list_sources(plan, state.former) if each.rewrite}
    for some in batches(each for each in entries.read_rows(store, plan.name) if each.source not in state.forgotten):
        repaired = _repair_some(cached, some, note)
        for stored, before, entry in zip(some, repaired, restore_held_audio(repaired, state.held_audio), strict=True):
            seen[entry.id] = stored.first_seen
            if entry.published is not None and entry.published.at > seen[entry.id] + AHEAD:
                ahead.add(entry.id)
            if some_trusted_alike:
                since[entry.id] = stored.since
                began[entry.source] = min(began.get(entry.source, seen[entry.id]), seen[entry.id])
            if model is not None and stored.since > model.at:
                renewed.add(entry.id)
            listed[entry.id] = stored.last_seen
            moved = "" if before is entry else repr((entry.enclosure, entry.tags))
            if entry.source in rules:
                note(f"rewriting {entry.id}")
                place = f"feeds.{plan.name}.sources.{entry.source}"
                entry = rewrite_entry(entry, rules[entry.source], place)  # noqa: PLW2901
                moved += repr(rules[entry.source])
            kept.append(stored.digest)
            digests[entry.id] = stored.digest + moved
            every.append(entry)
    every.sort(key=lambda each: (each.source, each.key))
    cached.drop_unused(_REPAIR, kept)
    lost = _find_lost_audio(store, plan, every, listed, now)
    chosen, left_out = _filter_entries(plan, state.former, every, note)
    learned_from = [each for each in chosen if each.source not in plan.without]
    counts, changed = Counter(each.source for each in learned_from), Counter[str]()
    changed.update(each.source for each in learned_from if each.id in renewed)
    if model is not None and learning.is_outgrown(model, counts, changed):
        model = None
    return _Repaired(chosen, digests, seen, frozenset(ahead), since, began, lost, left_out, model)


def _list_sources(plan: Plan, former: Sequence[Source]) -> Collection[Source]:
    """Return the sources of the feed; one that the config names no more keeps its filter and its rules."""
    return {each.name: each for each in (*former, *plan.sources)}.values()


def _filter_entries(
    plan: Plan, former: Sequence[Source], every: Sequence[Entry], note: Note
) -> tuple[tuple[Entry, ...], tuple[LeftOut, ...]]:
    """Return the entries that belong to the feed, and those that the filters of their sources leave out."""
    filtered = {each.name: each.filter for each in _list_sources(plan, former) if each.filter != Filter()}
    chosen: list[Entry] = []
    left_out: list[LeftOut] = []
    for entry in every:
        why = None
        if entry.source in filtered:
            note(f"filtering {entry.id}")
            place = f"feeds.{plan.name}.sources.{entry.source}"
            why = filters.find_reason(entry, filtered[entry.source], place)
        if why is None:
            chosen.append(entry)
        else:
            left_out.append(LeftOut(entry.title, (entry.id,), why, entry.source, entry.published))
    return tuple(chosen), tuple(left_out)


def _find_lost_audio(
    store: Store, plan: Plan, every: Sequence[Entry], listed: Mapping[str, datetime], now: datetime
) -> LostAudio:
    """Return the entries whose audio gives way; a source that is not polled any more counts from its last listing."""
    grace = timedelta(days=plan.audio_grace)
    latest: dict[str, datetime] = {}
    for entry in every:
        latest[entry.source] = max(latest.get(entry.source, listed[entry.id]), listed[entry.id])
    answering = {name: at + grace for name, at in latest.items()} | dict(persist.read_answering(store, plan, grace))
    lost, gone = find_lost_audio(every, listed, answering, grace, now), set(enclosure_probe.read_gone(store, plan))
    absent = {entry.id for entry in every if entry.enclosure is not None and entry.enclosure.url in gone}
    return lost._replace(entries=lost.entries | absent)


def _repair_some(cached: Cache, some: Sequence[EntryRows], note: Note) -> list[Entry]:
    """Return some entries repaired, those of the cache as they are there; an empty value is an entry as it was."""
    known = cached.read(_REPAIR, [stored.digest for stored in some])
    repaired: list[Entry] = []
    new: dict[str, bytes] = {}
    for stored in some:
        value = known.get(stored.digest)
        entry = entries.to_entry(stored, value.decode()) if value else entries.to_stored_entry(stored).entry
        if value is None:
            note(f"repairing {entry.id}")
            before, entry = entry, repair(entry)
            new[stored.digest] = b"" if entry == before else records.encode(entry, without=PLACE_FIELDS).encode()
        repaired.append(entry)
    cached.write(_REPAIR, new)
    return repaired


def _match(
    cached: Cache, plan: Plan, state: StoredState, repaired: _Repaired
) -> tuple[Table, Matching, Sequence[Cluster]]:
    """Return the weights of evidence and the clusters, under a person's decisions; published items stay together.

    The last are clusters as they would be without decisions, where those are others. The entries of a single source are
    compared with nothing.
    """
    decided, pins = state.decided, guids_of_entries(state.published)
    every, model = repaired.entries, repaired.model
    table, alignments = (parse_table(model.weights), model.alignments) if model else (None, ())
    alone = match.cluster_single_source(every, decided, pins)
    if alone is not None:
        table = table or SHIPPED
        return table, Matching(alone, (), table.version), ()
    fresh = {name for name, at in repaired.seen.items() if model is not None and at > model.at}
    assuming = registry.list_assuming((*state.former, *plan.sources))
    kept = Kept(**cached.read(_COMPARE, Kept.__struct_fields__))
    pairs = match.compare_entries(every, assuming, repaired.seen, fresh, kept)
    if pairs.kept is not None:
        before = asdict(kept)
        cached.write(_COMPARE, {name: made for name, made in asdict(pairs.kept).items() if made != before[name]})
    cached.drop_unused(_COMPARE, Kept.__struct_fields__)
    del kept
    pairs = replace(pairs, alignments=alignments, kept=None)  # what is kept is as large as the compared pairs
    if plan.is_mixed:
        pairs = match.part_shows(pairs, mixed_shows.find_shows(every, state.shows))
    table = table or match.fit_table(pairs)
    find = partial(match.match, every, pins=pins, table=table, pairs=pairs)
    matching = find(decisions=decided)
    if not decided:
        return table, matching, ()
    known = {tuple(entry.id for entry in cluster.entries) for cluster in matching.clusters}
    undecided = find().clusters
    return table, matching, [each for each in undecided if tuple(one.id for one in each.entries) not in known]


def guids_of_entries(published: Sequence[PublishedItem]) -> Mapping[str, str]:
    """Return the guid of each published entry, by its id, aliases followed; an item's first entry stands first.

    What a person has parted counts with the item that it was parted from.
    """
    known = {record.guid: record for record in published}
    found: dict[str, str] = {}
    undecided = (record for record in published if not record.decided)
    for record in sorted(undecided, key=lambda record: record.alias_of is not None):
        root = record
        while root.alias_of is not None:
            root = known[root.alias_of]
        found.update(dict.fromkeys(record.entries, root.guid))
    return found


def _make_weights(plan: Plan, state: StoredState, repaired: _Repaired, clusters: Sequence[Cluster]) -> Weights:
    """Return by what copies are ranked, without what was learned of their texts."""
    return Weights(
        state.trust,
        _repeated_links(clusters),
        plan.keeps,
        ahead=repaired.ahead,
        since=repaired.since,
        seniority=order_sources(repaired.entries, repaired.began),
        lost=repaired.lost.entries,
        video=plan.video,
    )


def _reconcile(  # noqa: PLR0913 - each is a part of one question
    cached: Cache,
    plan: Plan,
    clusters: Sequence[Cluster],
    *,
    digests: Mapping[str, str],
    model: FeedModel,
    weights: Weights,
    note: Note,
) -> list[Item]:
    """Return one item for each cluster, each field with its provenance.

    Full texts count from here on: what is one item, and what is learned, is decided by what sources list.
    """
    weights = replace(weights, source_model=learning.to_source_model(model, plan))
    texts = full_texts.read_full_texts(cached.store, plan)
    digests = {name: digest + repr(texts.get(name, "")) for name, digest in digests.items()} if texts else digests
    model_digest = learning.digest_source_model(model, plan)
    items: list[Item] = []
    used: list[str] = []
    for some in batches(clusters):
        ranked = [rank_entries(cluster.entries, weights) for cluster in some]
        keys = [_digest_ranked(each, digests, model_digest) for each in ranked]
        items += _reconcile_some(cached, list(zip(some, ranked, keys, strict=True)), weights, texts, note)
        used += keys
    cached.drop_unused(_RECONCILE, used)
    return items


def _reconcile_some(
    cached: Cache,
    some: Sequence[tuple[Cluster, RankedEntries, str]],
    weights: Weights,
    texts: Mapping[str, FullText],
    note: Note,
) -> list[Item]:
    """Return the items of some clusters, each with its ranked entries and digest; cached ones are not made again."""
    known = cached.read(_RECONCILE, [digest for *_, digest in some])
    items: list[Item] = []
    new: dict[str, bytes] = {}
    for cluster, ranked, digest in some:
        value = known.get(digest)
        if value is None:
            note(f"reconciling {', '.join(each.id for each in ranked.entries[:_MOST_NOTED])}")
            item = reconcile(_add_full_texts(cluster, texts), weights)
            new[digest] = records.encode(item, without=_ITEM_PLACE_FIELDS).encode()
        else:
            rank = ranked.entries[0].position
            item = records.decode(Item, value.decode(), rank=rank, pairs=cluster.pairs)
        items.append(item)
    cached.write(_RECONCILE, new)
    return items


def _add_full_texts(cluster: Cluster, texts: Mapping[str, FullText]) -> Cluster:
    if texts.keys().isdisjoint(each.id for each in cluster.entries):
        return cluster
    completed = (full_text.complete(each, texts[each.id]) if each.id in texts else each for each in cluster.entries)
    return replace(cluster, entries=tuple(completed))


def _digest_ranked(ranked: RankedEntries, digests: Mapping[str, str], model_digest: str) -> str:
    """Return the digest of all that the item of ranked entries depends on, without its rank and its pairs."""
    weights = ranked.weights
    used = [
        (
            *(each.id, digests[each.id], weights.of(each), weights.of_text(each), each.source in weights.keeps),
            *((each.source, each.link) in weights.repeated_links, each.id in weights.ahead, each.id in weights.lost),
        )
        for each in ranked.entries
    ]
    return digest_value((model_digest, weights.video, used))


def _repeated_links(clusters: Sequence[Cluster]) -> frozenset[tuple[str, str]]:
    """Return the links that a source gives to several items, with the source: homepages, not items."""
    counts = Counter(pair for cluster in clusters for pair in {(each.source, each.link) for each in cluster.entries})
    return frozenset((source, link) for (source, link), count in counts.items() if count > 1 and link is not None)
