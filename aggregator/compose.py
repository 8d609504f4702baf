"""Compose a feed from its entries in the store.

merge      Entry   -> Item       merge.merge_entries: repair, match, reconcile
identify   Item    -> Item       _admit (new items that wait for a second source are held), _identify: guid, date, title

Every stage is a function of the store, the config and the clock.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from hashlib import blake2b

from msgspec.structs import replace

from aggregator import enclosure_probe, full_texts, merge, persist
from aggregator.errors import PublishError
from aggregator.fetchers.http.target import make_printable
from aggregator.generator.content import links, unique_titles
from aggregator.merge import Merged, Note
from aggregator.merger import filters, other_shows
from aggregator.merger.identity import admission
from aggregator.merger.identity.settle import Past, settle
from aggregator.merger.model import learning
from aggregator.merger.reconciling import note_chapters
from aggregator.merger.reconciling.channel import complete_channel, drop_ended
from aggregator.merger.reconciling.enclosure_hold import describe_holds
from aggregator.model.cluster import Decision
from aggregator.model.feed import Channel, Feed, Plan
from aggregator.model.item import Item, LeftOut, Override, PublishedItem, Settlement, sources_of
from aggregator.model.results import Composition
from aggregator.new_items import read_situation
from aggregator.persist import StoredState
from aggregator.sandbox.limits import CostError, limited, make_limits
from aggregator.store import database, decisions, entries
from aggregator.store.cache import CachePart
from aggregator.store.database import Store
from aggregator.translation.marks import N_


def _ignore(_: object) -> None:
    """Do nothing with a note, or with what is to be kept."""


def compose(  # noqa: PLR0913 - each is a part of one question
    store: Store,
    plan: Plan,
    now: datetime,
    *,
    adding: bool = True,
    note: Note = _ignore,
    keep: Callable[[CachePart], object] = _ignore,
) -> Composition:
    """Return the feed, newest first, from every entry its sources ever listed.

    Unless ``adding`` is set it has no item that was not published before. ``keep`` receives what is to be cached.
    """
    state = persist.read_state(store, plan)
    merged = merge.merge_entries(merge.Cache(store, plan.name, keep), plan, state, now, note)
    merged = _admit(store, plan, state, merged, now, adding=adding)
    settlement = _identify(store, plan, state, merged, now)
    merged, settlement = _filter_published(plan, merged, settlement)
    return _to_composition(store, plan, state, merged, settlement, now)


def compose_published(
    state: str, plan: Plan, now: datetime, *, decision: Decision | None = None, forgotten: Collection[str] | None = None
) -> Feed:
    """Return the feed without items that were not published before, with what the store ``state`` knows now.

    It is composed in this process within the limits of a compose process, as if the ``decision`` had been made, and
    these sources and no others had been ``forgotten``. Raises StoreError, and PublishError if it costs too much.
    """
    at_work = "reading the store"

    def note(text: str) -> None:
        nonlocal at_work
        at_work = text

    with database.open_store(state) as opened:
        store = opened if decision is None else decisions.as_if_decided(opened, plan.name, decision)
        store = store if forgotten is None else decisions.as_if_forgotten(store, plan.name, forgotten)
        try:
            with limited(make_limits(*entries.measure_entries(store, plan.name))):
                return compose(store, plan, now, adding=False, note=note).feed
        except CostError as error:
            what = f"{plan.name}: cannot be composed: {error} (it was at {make_printable(at_work)})"
            raise PublishError(what) from None


def _filter_items(plan: Plan, items: Sequence[Item]) -> tuple[tuple[Item, ...], tuple[LeftOut, ...]]:
    place = f"feeds.{plan.name}"
    judged = [(item, filters.find_reason(item, plan.filter, place)) for item in items]
    left_out = (LeftOut(item.title, item.entries, why, "", item.published) for item, why in judged if why)
    return tuple(item for item, why in judged if not why), tuple(left_out)


def _admit(  # noqa: PLR0913 - each is a part of one question
    store: Store,
    plan: Plan,
    state: StoredState,
    merged: Merged,
    now: datetime,
    *,
    adding: bool,
) -> Merged:
    """Return the items without new ones that are held or left out, and which; without any new one unless ``adding``."""
    parted = {entry for each in state.decided if each.verdict == "different" for entry in (each.left, each.right)}
    new = admission.select_new(merged.items, state.published, state.trust, parted)
    new, left_out = _filter_items(plan, new)
    merged = _without(merged, {each.entries for each in left_out}, left_out)
    if not new:
        return merged
    living = sum(record.alias_of is None and record.buried is None for record in state.published)
    situation = replace(
        read_situation(store, plan, new, now),
        coverage=merged.coverage,
        quota=admission.compute_quota(living) if state.published else None,
        misdating=merged.misdating,
        undecided=merged.matching.undecided,
        fileless=merged.matching.fileless,
    )
    found = admission.admit(new, situation, now)
    found = found if adding else admission.hold_rest(new, found)
    arrived = [each for each in found.held if all(situation.arrivals[name].first_seen >= now for name in each.entries)]
    merged = _without(merged, {each.entries for each in found.held})
    return replace(merged, admission=found, arrived=admission.describe_held(arrived))


def _without(merged: Merged, dropped: Collection[tuple[str, ...]], left_out: tuple[LeftOut, ...] = ()) -> Merged:
    if not dropped:
        return merged
    items = [item for item in merged.items if item.entries not in dropped]
    return replace(merged, items=items, left_out=(*merged.left_out, *left_out))


def _identify(store: Store, plan: Plan, state: StoredState, merged: Merged, now: datetime) -> Settlement:
    """Return the items under their permanent guids, dates and titles, newest first, and all guids as they are now."""
    items = merged.items
    overrides: dict[str, tuple[Override, ...]] = {}
    for each in state.overrides:
        overrides[each.guid] = (*overrides.get(each.guid, ()), each)
    undated = any(item.published is None or item.published.at > now for item in (*items, *merged.undecided))
    arrivals = entries.read_arrivals(store, plan.name) if undated else {}
    first_seen = {name: seen for name, (seen, _) in arrivals.items()}
    past = Past(plan.name, state.published, first_seen, state.trust, merged.since, overrides, state.removed)
    if plan.reads_chapters:
        items = note_chapters.add_chapters(items)
    settlement = settle(enclosure_probe.fill_enclosures(store, plan, items), past, now, _leave_undecided(merged))
    settlement = unique_titles.make_titles_unique(settlement, state.published, now, state.trust)
    published = {item.guid for item in settlement.items}
    return replace(settlement, published_items=_bury_forgotten(settlement.published_items, published, state.forgotten))


def _filter_published(plan: Plan, merged: Merged, settlement: Settlement) -> tuple[Merged, Settlement]:
    """Return the items without published ones that the feed's filter leaves out: their guids are kept."""
    items, left_out = _filter_items(plan, settlement.items)
    if not left_out:
        return merged, settlement
    gone = {item.guid for item in settlement.items} - {item.guid for item in items}
    changed = tuple(guid for guid in settlement.changed if guid not in gone)
    return _without(merged, {each.entries for each in left_out}, left_out), replace(
        settlement, items=items, changed=changed
    )


def _leave_undecided(merged: Merged) -> Sequence[Item] | None:
    """Return the items as they would be without decisions, ``None`` if these are the same; without any that is held."""
    if not merged.undecided:
        return None
    here = {entry for item in merged.items for entry in item.entries}
    others = [item for item in merged.undecided if not here.isdisjoint(item.entries)]
    within = {entry for item in others for entry in item.entries}
    return [*others, *(item for item in merged.items if within.isdisjoint(item.entries))]


def _bury_forgotten(
    published_items: Sequence[PublishedItem], published: set[str], forgotten: frozenset[str]
) -> tuple[PublishedItem, ...]:
    """Return the guids, those of items that only forgotten sources listed as tombstones."""
    if not forgotten:
        return tuple(published_items)
    return tuple(
        replace(each, buried=f"its only source was forgotten: {', '.join(sources_of(each.entries))}")
        if each.guid not in published
        and each.buried is None
        and each.alias_of is None
        and each.entries
        and forgotten.issuperset(sources_of(each.entries))
        else each
        for each in published_items
    )


def _to_composition(  # noqa: PLR0913, PLR0917 - each is a part of one question
    store: Store, plan: Plan, state: StoredState, merged: Merged, settlement: Settlement, now: datetime
) -> Composition:
    """Return the feed as it may be published; its time changes only with its content."""
    alarmed = (
        *describe_holds(state.held_audio, merged.rekeyed),
        *_other_shows(plan, state, merged),
        *filters.list_emptied(merged.left_out, merged.coverage),
        *full_texts.find_faults(plan),
    )
    channel, live_until = drop_ended(_complete_channel(plan, state, merged.seniority), now)
    fingerprint = _fingerprint(channel, settlement)
    known, unused = state.feed, {*state.forgotten, *plan.without}
    feed = Feed(
        channel=channel,
        items=settlement.items,
        updated=known.updated if known.updated and known.fingerprint == fingerprint else now,
        source_results=tuple(each for each in state.results if each.source.name not in plan.without),
        near_misses=merged.matching.near_misses,
        remarks=(
            *alarmed,
            *merged.matching.remarks,
            *full_texts.describe(store, plan),
            *settlement.remarks,
            *learning.boilerplate_remarks(merged.model, plan),
            *(N_(f"{name}: forgotten, its entries take no part in the feed") for name in sorted(state.forgotten)),
        ),
        gone=tuple(source for source in state.former if source.name not in unused),
        held=merged.admission.held,
        left_out=merged.left_out,
    )
    return Composition(
        feed=feed,
        settlement=settlement,
        entries=merged.entries,
        repaired=merged.repaired,
        fingerprint=fingerprint,
        alarms=alarmed,
        model=merged.model,
        until=min((at for at in (merged.admission.until, merged.until, live_until) if at), default=None),
        arrived=merged.arrived,
    )


def _other_shows(plan: Plan, state: StoredState, merged: Merged) -> tuple[str, ...]:
    """Return one line for each source of the config that lists another show; a mixed feed has several."""
    if plan.is_mixed:
        return ()
    named = {source.name for source in plan.sources}
    described = {name: show for name, show in state.shows.items() if name in named}
    shows = {name: show.title for name, show in described.items()}
    listed = {name: listed for name, listed in merged.listed.items() if name in named}
    filtered = frozenset(source.name for source in plan.sources if source.filter.only.show)
    strangers = other_shows.find_strangers(described)
    return other_shows.find_other_shows(plan.channel.title, listed, shows, filtered, strangers)


def _complete_channel(plan: Plan, state: StoredState, seniority: Mapping[str, int]) -> Channel:
    """Return the channel; its guid is the one once assigned, else the config's, else that of its address."""
    unused = {*state.forgotten, *plan.without}
    shows = {name: show for name, show in state.shows.items() if name not in unused}
    channel = complete_channel(plan.channel, shows, state.trust, seniority)
    return replace(
        channel, guid=state.feed.guid or channel.guid or links.make_podcast_guid(f"{channel.base_url}/podcast.xml")
    )


def _fingerprint(channel: Channel, settlement: Settlement) -> str:
    """Return the digest of all that subscribers see: when it changes, and only then, the feed was updated."""
    by_guid = {record.guid: record for record in settlement.published_items}
    seen = [repr(channel)]
    for item in settlement.items:
        record = by_guid[item.guid]
        seen.append(f"{item.guid} {record.digest} {record.updated}")
    return blake2b("\n".join(seen).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
