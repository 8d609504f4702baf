"""Read poll states from the store, write what was fetched to it, and read the last result of each source."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from aggregator.fetchers.fetched import FetchedSource, PollStates, explain_next_poll, find_due_time, judge_source
from aggregator.fetchers.http import polling
from aggregator.merger.reconciling import enclosure_hold
from aggregator.merger.reconciling.enclosure_hold import HeldAudio
from aggregator.model.cluster import Decision
from aggregator.model.entry import Show
from aggregator.model.feed import Plan, SourceResult
from aggregator.model.item import Override, PublishedItem
from aggregator.model.record import replace_surrogates
from aggregator.model.results import NextPoll
from aggregator.model.source import Poll, PollState, Source, Validators
from aggregator.store import cache, decisions, entries, facts, guids, hub_subscriptions, polls, publications
from aggregator.store.database import Store
from aggregator.store.facts import Fact, FeedFacts
from aggregator.store.listings import compare_with_stored, write_history, write_listings

_HELD_AUDIO: Final = Fact(facts.HELD_AUDIO, tuple[HeldAudio, ...])
_FORMER_SOURCES: Final = Fact("former sources", tuple[Source, ...])
"""Sources that the config does not name any more, with the addresses that it gave."""

_READING: Final = "reading/"
"""Before a source's name: the fact that says how its documents were read."""

_SNAPSHOTS: Final = "snapshots/"
"""Before a source's name: the fact with how many listings of its snapshot were stored."""

_EVERY_SHOW: Final = "Only(show=None, category=None, title=None)"
"""In place of the shows that a source is read for, where it is read for all.

With other words than those of earlier versions every source would be fetched unconditionally after an upgrade.
"""

_ANSWERS: Final = frozenset({"ok", "unchanged", "snapshot"})
"""States of a source that was read, or is known to be unchanged."""

_NEWEST_TIME: Final = "newest time"
"""The fact of no feed with the newest time at which anything was fetched."""

_BEHIND = timedelta(hours=1)
"""How far the clock may be behind that time: it is set by hand, or a run ends later than it began."""

_KEPT_FOR = timedelta(minutes=1)
"""How long that time is not written again: many workers would wait for one another at its row."""

_LONGEST_REASON: Final = 300
"""Characters of the reason why a poll failed that are stored."""

_BATCH = 100
"""Feeds whose poll states are read at once: more are no cheaper each, and wait in memory."""


class StoredState(Struct, frozen=True):
    """A feed as the store has it beside its entries, read once a composition.

    - ``trust``: of each source, as in the config, else as in the last config that named it.
    - ``former``: the sources that the config names no more.
    - ``results``: of the last poll of each source.
    - ``shows``: what each source says of the show.
    - ``held_audio``: audio that is still published though its source moved all of its own at once.
    - ``decided``, ``overrides`` and ``removed``: of people, those of the config with them.
    - ``forgotten``: sources that take no part.
    - ``published``: every guid.
    - ``feed``: the channel's guid, and what was last published.
    """

    trust: Mapping[str, float]
    former: tuple[Source, ...]
    results: tuple[SourceResult, ...]
    shows: Mapping[str, Show]
    held_audio: tuple[HeldAudio, ...]
    decided: tuple[Decision, ...]
    overrides: tuple[Override, ...]
    removed: Mapping[str, str]
    forgotten: frozenset[str]
    published: tuple[PublishedItem, ...]
    feed: FeedFacts


def read_poll_states(store: Store, plans: Iterable[Plan]) -> Iterator[tuple[Plan, Mapping[str, PollStates]]]:
    """Yield each feed with the poll states of its sources, by name and address.

    They have no validators if the config has the source's documents read otherwise now: they are fetched again.
    """
    rest = iter(plans)
    while some := list(islice(rest, _BATCH)):
        names = [plan.name for plan in some]
        known, read_as = hub_subscriptions.read_poll_states(store, names), facts.read_facts(store, names, _READING)
        for plan in some:
            yield (
                plan,
                {
                    each.name: _poll_states(
                        each, known.get((plan.name, each.name), ()), read_as.get((plan.name, _READING + each.name))
                    )
                    for each in plan.sources
                },
            )


def _poll_states(source: Source, states: Sequence[PollState], read_as: bytes | None) -> PollStates:
    if read_as != _how_read(source):
        states = [replace(each, validators=Validators(), digest=None) for each in states]
    return {each.url: each for each in states}


def _how_read(source: Source) -> bytes:
    """Return how the source's documents are read, as the config says.

    The program's version is left out: an upgrade must not ask every origin unconditionally once more.
    """
    shows = source.filter.only.show, source.filter.exclude.show
    only = repr(shows) if any(shows) else _EVERY_SHOW
    return (
        f"({source.kind!r}, {source.url!r}, {source.show!r}, {only}, {source.options!r})".encode()
        + b" private" * source.private
    )


def choose_time(
    store: Store, feeds: Sequence[tuple[Plan, Sequence[FetchedSource]]], now: datetime, *, ask_hosts: bool
) -> datetime:
    """Return the time with which new items are dated, and keep it: ``now``, or a later one if the clock is behind.

    It is behind if the store was written over an hour later, unless the hosts that answered in this run say the same as
    it does (the median of their ``Date``). If they say a later time than that of the store, theirs is the time.
    """
    kept = facts.read_fact(store, "", _NEWEST_TIME)
    newest = datetime.fromisoformat(kept.decode()) if kept else now
    if newest > now + _BEHIND:
        states = [each for _, every in feeds for fetched in every for each in fetched.poll_states] if ask_hosts else []
        times = sorted(each.host_time for each in states if each.host_time and each.asked and each.asked >= now)
        median = times[len(times) // 2] if times else newest
        now = now if abs(median - now) <= _BEHIND else max(newest, median)
    elif kept and newest > now - _KEPT_FOR:
        return now
    facts.write_fact(store, "", _NEWEST_TIME, now.isoformat().encode())
    return now


def write_fetched(store: Store, feeds: Sequence[tuple[Plan, Sequence[FetchedSource]]], now: datetime) -> None:
    """Write what was fetched of some feeds: poll states, entries, and the results of their sources."""
    polls.write_poll_states(
        store,
        [
            (plan.name, fetched.source.name, each)
            for plan, every in feeds
            for fetched in every
            for each in fetched.poll_states
        ],
    )
    made = {(plan.name, each.source.name): _to_poll(each, now) for plan, every in feeds for each in every}
    polls.add_polls(store, {of: poll for of, poll in made.items() if poll.status != "not due"})
    for plan, fetched_sources in feeds:
        _write_fetched(store, plan, fetched_sources, now)


def _to_poll(fetched: FetchedSource, now: datetime) -> Poll:
    """Return the poll of a source as it is stored."""
    answers = [each for each in fetched.answers if each.code is not None]
    return Poll(
        at=int(now.timestamp()),
        status=fetched.status,
        code=answers[-1].code if answers else None,
        size=sum(each.size or 0 for each in answers) if answers else None,
        milliseconds=sum(each.milliseconds or 0 for each in answers) if answers else None,
        items=fetched.entries if any(each is not None for each in fetched.listings) else None,
        message="" if fetched.status in ("ok", "unchanged") else replace_surrogates(fetched.message[:_LONGEST_REASON]),
    )


def _write_fetched(store: Store, plan: Plan, fetched_sources: Sequence[FetchedSource], now: datetime) -> None:
    """Write what was fetched of one feed; if anything new was read, its publication is outdated."""
    _hold_audio(store, plan, fetched_sources)
    has_news = False
    for fetched in fetched_sources:
        if any(listing is not None for listing in fetched.listings):
            written = write_listings(store, plan.name, fetched.source, fetched.listings, now)
            cache.write_elements(store, plan.name, fetched.source.name, written.elements)
            has_news |= written.is_news
            if fetched.status == "snapshot":
                has_news = True
                count = read_snapshots(store, plan).get(fetched.source.name, 0) + 1
                facts.write_fact(store, plan.name, _SNAPSHOTS + fetched.source.name, str(count).encode())
        if fetched.history:
            write_history(store, plan.name, fetched.source, fetched.history, now)
            has_news = True
        if fetched.entries or fetched.status in ("ok", "snapshot"):
            facts.write_fact(store, plan.name, _READING + fetched.source.name, _how_read(fetched.source))
    before = read_source_results(store, plan)
    by_name = {result.source.name: result for result in before}
    _write_former_sources(store, plan, [each.source for each in before], {each.source.name for each in fetched_sources})
    judged = [each for each in fetched_sources if not each.is_put_off or each.source.name in by_name]
    after = tuple(judge_source(fetched, by_name.get(fetched.source.name)) for fetched in judged)
    if after != before:
        facts.SOURCE_RESULTS.write(store, plan.name, after or None)
    if has_news:
        publications.require_publication(store, plan.name)


def forget_model(store: Store, feed: str) -> None:
    """Have the feed learned from anew, and published again."""
    facts.MODEL.write(store, feed, None)
    publications.require_publication(store, feed)


def read_snapshots(store: Store, plan: Plan) -> Mapping[str, int]:
    """Return how many listings of its snapshot were stored of each source that had any, before its own first one."""
    kept = facts.read_facts(store, [plan.name], _SNAPSHOTS)
    return {name.removeprefix(_SNAPSHOTS): int(value) for (_, name), value in kept.items()}


def _hold_audio(store: Store, plan: Plan, fetched_sources: Sequence[FetchedSource]) -> None:
    """Note which sources' audio moved to another host all at once, and count how long that is held back.

    A source that did not answer, or that the config has no more, proves nothing: what is held of it stays so.
    """
    known = {each.source: each for each in _HELD_AUDIO.read(store, plan.name) or ()}
    if not known and not any(fetched.entries for fetched in fetched_sources):
        return
    answers = (each for each in fetched_sources if each.status in _ANSWERS)
    listed = {
        fetched.source.name: {
            each.key: enclosure_hold.find_audio(each)
            for listing in fetched.listings
            if listing is not None
            for each in listing.entries
        }
        for fetched in answers
    }
    stored = {
        each.source.name: compare_with_stored(store, plan.name, each.source.name, each.listings)
        for each in fetched_sources
        if each.source.name in listed
    }
    others = {name: other for name, (_, other) in stored.items()}
    before = {
        name: {key: audio for key in stored[name][0] if (audio := listed[name][key]) is not None} | dict(former)
        for name, former in entries.read_listed(store, plan.name, others, enclosure_hold.find_audio).items()
    }
    listing = {each.source.name for each in read_source_results(store, plan) if each.entries}
    held = known | {
        name: enclosure_hold.hold_audio(before[name], now, known.get(name, HeldAudio(name)), is_known=name in listing)
        for name, now in listed.items()
    }
    kept = tuple(each for _, each in sorted(held.items()) if not each.is_empty)
    _HELD_AUDIO.write(store, plan.name, kept or None)


def read_next_polls(store: Store, plans: Sequence[Plan], now: datetime) -> dict[str, dict[str, NextPoll]]:
    """Return when each source is next polled, and why, by feed and source; files are left out."""
    found: dict[str, dict[str, NextPoll]] = {plan.name: {} for plan in plans}
    for plan, known in read_poll_states(store, plans):
        every = [each for poll_states in known.values() for each in poll_states.values()]
        schedule = polling.choose_schedule(plan.refresh, every, now)
        for source in plan.sources:
            if source.path is None:
                at, why = explain_next_poll(source, known[source.name], schedule, now)
                found[plan.name][source.name] = NextPoll(at, why)
    return found


def find_due_times(store: Store, plans: Sequence[Plan], now: datetime) -> dict[str, datetime | None]:
    """Return since when each feed is due, or when it will be; ``None`` if one of its sources was never polled."""
    found: dict[str, datetime | None] = {}
    for plan, known in read_poll_states(store, plans):
        every = [each for poll_states in known.values() for each in poll_states.values()]
        schedule = polling.choose_schedule(plan.refresh, every, now)
        sources = [source for source in plan.sources if source.path is None]
        times = [find_due_time(source, known[source.name], schedule) for source in sources]
        found[plan.name] = None if None in times else min((at for at in times if at), default=now)
    return found


def read_source_results(store: Store, plan: Plan) -> tuple[SourceResult, ...]:
    """Return the result of the last poll of each source, sorted by name."""
    return facts.SOURCE_RESULTS.read(store, plan.name) or ()


def read_results_of_feeds(store: Store) -> dict[str, tuple[SourceResult, ...]]:
    """Return the result of the last poll of each source of each feed."""
    return facts.SOURCE_RESULTS.read_of_feeds(store)


def read_answering(store: Store, plan: Plan, grace: timedelta) -> Mapping[str, datetime | None]:
    """Return the sources that still answer, each with the time at which its answer no longer counts (``None``: never).

    A source that fails, or whose answer is held back, counts for ``grace`` after its last good answer. A snapshot does
    not count.
    """
    states = {result.source.name: result.status for result in read_source_results(store, plan)}
    answering: dict[str, datetime | None] = {name: None for name, state in states.items() if state == "ok"}
    failing = {name for name, state in states.items() if state in ("cached", "held back")}
    known = polls.read_poll_states(store, [plan.name]) if failing else {}
    for source in plan.sources:
        answered = [
            each.answered
            for each in known.get((plan.name, source.name), ())
            if each.answered is not None and (source.path is not None or not each.url.startswith("file:"))
        ]
        if source.name in failing and answered:
            answering[source.name] = max(answered) + grace
    return answering


def read_state(store: Store, plan: Plan) -> StoredState:
    """Return what the store has of the feed beside its entries."""
    trust = {name: source.trust for name, source in entries.read_sources(store, plan.name).items()}
    return StoredState(
        trust=trust | {source.name: source.trust for source in plan.sources},
        former=_FORMER_SOURCES.read(store, plan.name) or (),
        results=read_source_results(store, plan),
        shows=entries.read_shows(store, plan.name),
        held_audio=_HELD_AUDIO.read(store, plan.name) or (),
        decided=(*plan.decisions, *decisions.read_decisions(store, plan.name)),
        overrides=(*decisions.read_overrides(store, plan.name), *plan.overrides),
        removed={**decisions.read_removed(store, plan.name), **dict(plan.buried)},
        forgotten=decisions.read_forgotten(store, plan.name),
        published=guids.read_guids(store, plan.name),
        feed=facts.read_feed_state(store, plan.name),
    )


def _write_former_sources(store: Store, plan: Plan, polled: Iterable[Source], named: Collection[str]) -> None:
    """Add the sources that were polled and are not named any more; remove those that are named again."""
    before = _FORMER_SOURCES.read(store, plan.name) or ()
    known = {source.name: source for source in (*before, *polled) if source.name not in named}
    after = tuple(source for _, source in sorted(known.items()))
    if after != before:
        _FORMER_SOURCES.write(store, plan.name, after or None)
