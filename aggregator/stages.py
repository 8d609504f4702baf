"""repair, match, reconcile, settle: each stage with what it takes from the store and from the plan.

Every stage is a pure function of the store, the plan, the run's clock and the stage before; none writes anything but
work that need not be done again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from hashlib import blake2b

from msgspec import Struct
from msgspec.structs import replace

from aggregator import enclosure_probe, former_sources
from aggregator import source_state as told
from aggregator.cached_results import Mended, mend
from aggregator.generator.content import links, unique_titles
from aggregator.kept import Work
from aggregator.learned import Learned, remarks
from aggregator.merger import other_shows
from aggregator.merger.identity import admission
from aggregator.merger.identity.settle import Past, Settlement, settle
from aggregator.merger.matching import match, scoring
from aggregator.merger.reconciling.channel import complete_channel
from aggregator.merger.reconciling.enclosure_hold import describe_holds
from aggregator.merger.reconciling.provenance import Weights, order_sources
from aggregator.model.cluster import Cluster, Decision, Matching, Pair
from aggregator.model.entry import Entry
from aggregator.model.feed import Channel, Feed, Plan
from aggregator.model.item import Admission, Item, Override, Promise
from aggregator.store import decisions, entries, facts, guids
from aggregator.store.database import Store


class Composition(Struct, frozen=True):
    """A feed as the store knows it, what composing it settled, and what it taught.

    ``repaired`` counts the entries mended; ``alarms`` are what a person should look at while it lasts; ``taught``
    are the table of weights, the lore of texts, and how much work had to be done that need not be done again.
    ``until`` is when the same store would give another feed, ``None`` where time alone changes nothing; ``arrived``
    is one line for each source of which this run first saw items that are held.
    """

    feed: Feed
    settlement: Settlement
    entries: int
    repaired: int
    fingerprint: str
    alarms: tuple[str, ...]
    taught: tuple[Learned, Learned, *tuple[Work, ...]]
    until: datetime | None = None
    arrived: tuple[str, ...] = ()


def repaired(store: Store, plan: Plan) -> Mended:
    """Everything the feed's sources ever said, each copy mended by itself; audio that is held back as it was."""
    return mend(store, plan, told.held_audio(store, plan), decisions.read_forgotten(store, plan.name))


def alone(store: Store, plan: Plan, entries: Sequence[Entry]) -> tuple[Cluster, ...] | None:
    """The clusters where one source speaks alone, with nothing to be compared; ``None`` where there is something."""
    return match.cluster_single_source(entries, *_orders(store, plan))


def compared(entries: Sequence[Entry]) -> match.Pairs:
    """The entries side by side, before they are weighed: for the table, where it is fitted, and for the match."""
    return match.compare_entries(entries)


def matched(
    store: Store,
    plan: Plan,
    entries: Sequence[Entry],
    weighing: scoring.Table,
    pairs: match.Pairs | None = None,
) -> Matching:
    """The clusters, under a person's decisions and with what was published together kept together."""
    decided, pins = _orders(store, plan)
    return match.match(entries, decisions=decided, pins=pins, table=weighing, pairs=pairs)


def _orders(store: Store, plan: Plan) -> tuple[Sequence[Decision], Mapping[str, str]]:
    """What people decided, and under which guid each entry was published."""
    decided = (*plan.decisions, *decisions.read_decisions(store, plan.name))
    return decided, pinned(guids.read_guids(store, plan.name))


def weighed(store: Store, plan: Plan, mended: Mended) -> Weights:
    """What each source's word weighs in this feed."""
    links = repeated_links(mended.entries)
    order = order_sources(mended.entries, mended.began)
    trust = told.trust_of(store, plan)
    return Weights(trust, links, plan.keeps, ahead=mended.ahead, since=mended.since, seniority=order)


def admitted(store: Store, plan: Plan, made: Made, now: datetime, *, adding: bool) -> Made:
    """What was made without the new items that are held, and which those are.

    Unless ``adding`` is set no new item is published: the answer is the feed as it was last published.
    """
    promised = guids.read_guids(store, plan.name)
    made = replace(made, promised=promised)
    published = {entry for promise in promised for entry in promise.entries}
    fresh = admission.select_new(made.items, published)
    if not fresh:
        return made
    links = [entry for item in fresh for entry in item.entries]
    known = sum(promise.alias_of is None and promise.buried is None for promise in promised)
    situation = admission.Situation(
        sources=plan.sources,
        heard=_answering(store, plan, now),
        coverage=made.told.coverage,
        arrivals={
            name: admission.Arrival(*seen) for name, seen in entries.read_arrivals(store, plan.name, links).items()
        },
        decided=decisions.read_admissions(store, plan.name),
        quota=admission.compute_quota(known) if promised else None,
    )
    found = admission.admit(fresh, situation, now)
    found = found if adding else admission.hold_rest(fresh, found)
    held = {each.entries for each in found.held}
    items = [item for item in made.items if item.entries not in held]
    arrived = [each for each in found.held if all(situation.arrivals[name].first_seen >= now for name in each.entries)]
    return replace(made, items=items, admission=found, arrived=admission.describe_held(arrived))


def _answering(store: Store, plan: Plan, now: datetime) -> Mapping[str, datetime | None]:
    """The sources that answer, as admission counts it."""
    known = told.answering(store, plan, admission.HOLD)
    return {name: until for name, until in known.items() if until is None or until > now}


def settled(store: Store, plan: Plan, made: Made, now: datetime) -> Settlement:
    """The items under their promised guids, dates and titles, newest first, and the promises as they stand now."""
    wanted: dict[str, tuple[Override, ...]] = {}
    for each in (*decisions.read_overrides(store, plan.name), *plan.overrides):
        wanted[each.guid] = (*wanted.get(each.guid, ()), each)
    undated = any(item.published is None or item.published.at > now for item in made.items)
    first_seen = entries.read_first_seen(store, plan.name) if undated else {}
    past = Past(
        plan.name,
        made.promised,
        first_seen,
        told.trust_of(store, plan),
        wanted,
        dict(plan.buried),
    )
    settlement = settle(enclosure_probe.completed(store, plan, made.items), past, now)
    named = unique_titles.make_titles_unique(settlement.items, past.promises, settlement.promises, now, past.trust)
    changed = tuple(sorted({*settlement.changed, *named.changed}))
    promised = _buried(named.promises, {item.guid for item in named.items}, decisions.read_forgotten(store, plan.name))
    return replace(settlement, items=named.items, promises=promised, changed=changed)


def _buried(promised: Sequence[Promise], published: set[str], forgotten: frozenset[str]) -> tuple[Promise, ...]:
    """The promises, those of items that only forgotten sources gave as tombstones: their guids stay theirs."""
    if not forgotten:
        return tuple(promised)
    return tuple(
        replace(each, buried=f"its only source was forgotten: {', '.join(sorted(_sources(each)))}")
        if each.guid not in published and each.buried is None and each.alias_of is None and _given_by(each, forgotten)
        else each
        for each in promised
    )


def _given_by(promise: Promise, sources: frozenset[str]) -> bool:
    """Whether these sources gave all entries of the promise."""
    return bool(promise.entries) and _sources(promise) <= sources


def _sources(promise: Promise) -> set[str]:
    """The sources of a promise's entries."""
    return {name.partition("/")[0] for name in promise.entries}


class Sorted(Struct, frozen=True):
    """What is told of a feed's entries when they are let go: how many there are, and how many of them were mended.

    ``coverage`` and ``listed`` are what each source lists now, ``seniority`` is the order of sources that are trusted
    alike.
    """

    entries: int
    repaired: int
    near_misses: tuple[Pair, ...]
    remarks: tuple[str, ...]
    work: Work
    coverage: Mapping[str, admission.Coverage]
    seniority: Mapping[str, int]
    listed: Mapping[str, Sequence[other_shows.Listed]]


def sorted_out(mended: Mended, matching: Matching) -> Sorted:
    """What is left to be told of the entries once they stand in clusters."""
    repaired = sum(bool(entry.notes) for entry in mended.entries)
    cover, order = admission.find_coverage(mended.entries), order_sources(mended.entries, mended.began)
    return Sorted(
        len(mended.entries),
        repaired,
        matching.near_misses,
        matching.remarks,
        mended.work,
        cover,
        order,
        other_shows.listed(matching.clusters),
    )


class Made(Struct, frozen=True):
    """What the stages made of a feed's entries: its items until they are settled, and what all this taught.

    ``promised`` is what the feed has promised so far, ``admission`` which new items are held, and ``arrived`` one line
    for each source of which this run first saw such items.
    """

    items: Sequence[Item]
    told: Sorted
    taught: tuple[Learned, Learned, *tuple[Work, ...]]
    promised: tuple[Promise, ...] = ()
    admission: Admission = Admission()
    arrived: tuple[str, ...] = ()


def composed(store: Store, plan: Plan, made: Made, settlement: Settlement, now: datetime) -> Composition:
    """The feed as it may be published, out of what the stages before made of it."""
    alarmed = (*describe_holds(told.held_audio(store, plan)), *_other_shows(store, plan, made))
    channel = _channel(store, plan, made.told.seniority)
    fingerprint = _fingerprint(channel, settlement)
    known = facts.read_feed_state(store, plan.name)
    changed = known.updated is None or known.fingerprint != fingerprint
    forgotten = decisions.read_forgotten(store, plan.name)
    feed = Feed(
        channel=channel,
        items=settlement.items,
        updated=now if changed or known.updated is None else known.updated,
        source_results=told.source_results(store, plan),
        near_misses=made.told.near_misses,
        remarks=(
            *alarmed,
            *made.told.remarks,
            *settlement.remarks,
            *remarks(made.taught[1], plan),
            *(f"{name}: forgotten, its entries take no part in the feed" for name in sorted(forgotten)),
        ),
        gone=tuple(source for source in former_sources.gone(store, plan) if source.name not in forgotten),
        held=made.admission.held,
    )
    return Composition(
        feed,
        settlement,
        made.told.entries,
        made.told.repaired,
        fingerprint,
        alarmed,
        made.taught,
        made.admission.until,
        made.arrived,
    )


def _other_shows(store: Store, plan: Plan, made: Made) -> tuple[str, ...]:
    """One line for each source of the config that lists another show."""
    named = {source.name for source in plan.sources}
    shows = {name: show.title for name, show in entries.read_shows(store, plan.name).items() if name in named}
    listed = {name: entries for name, entries in made.told.listed.items() if name in named}
    filtered = frozenset(source.name for source in plan.sources if source.only.show is not None)
    return other_shows.find_other_shows(plan.channel.title, listed, shows, filtered)


def repeated_links(entries: Sequence[Entry]) -> frozenset[tuple[str, str]]:
    """The links that a source gives to more than one of its items, with the source: homepages, not items."""
    met = Counter((entry.source, entry.link) for entry in entries if entry.link)
    return frozenset((source, link) for (source, link), times in met.items() if times > 1 and link is not None)


def pinned(promised: Sequence[Promise]) -> Mapping[str, str]:
    """The guid that each published entry belongs to, aliases followed; its first entry stands first."""
    known = {promise.guid: promise for promise in promised}
    pins: dict[str, str] = {}
    for promise in sorted(promised, key=lambda promise: promise.alias_of is not None):
        root = promise
        while root.alias_of is not None:
            root = known[root.alias_of]
        pins.update(dict.fromkeys(promise.entries, root.guid))
    return pins


def _channel(store: Store, plan: Plan, seniority: Mapping[str, int]) -> Channel:
    """What the feed says of itself; its guid is the one once assigned, the config's, or that of its address."""
    forgotten = decisions.read_forgotten(store, plan.name)
    shows = {name: show for name, show in entries.read_shows(store, plan.name).items() if name not in forgotten}
    channel = complete_channel(plan.channel, shows, told.trust_of(store, plan), seniority)
    guid = (
        facts.read_feed_state(store, plan.name).guid
        or channel.guid
        or links.make_podcast_guid(f"{channel.base_url}/podcast.xml")
    )
    return replace(channel, guid=guid)


def _fingerprint(channel: Channel, settlement: Settlement) -> str:
    """The digest of all that subscribers see: when it changes, and only then, the feed was updated."""
    promised = {promise.guid: promise for promise in settlement.promises}
    said = [repr(channel), *(_line(item, promised[item.guid]) for item in settlement.items)]
    return blake2b("\n".join(said).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _line(item: Item, promise: Promise) -> str:
    """One item in the fingerprint: what it is, and the digest of its content."""
    return f"{item.guid} {promise.digest} {promise.updated}"
