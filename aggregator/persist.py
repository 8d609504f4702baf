"""What a refresh reads from the store before it fetches, and what it writes there of each source afterwards."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from hashlib import blake2b
from itertools import islice
from typing import Final

from msgspec.structs import replace

from aggregator import former_sources, source_state, unchanged_output
from aggregator.fetchers.fetch import FetchedSource, PollStates
from aggregator.merger.reconciling import enclosure_hold
from aggregator.model.feed import Cover, Plan, SourceResult
from aggregator.model.source import PollState, Source, SourceStatus, Validators
from aggregator.source_state import HEARINGS, HELD
from aggregator.store import decisions, entries, facts, polls, records
from aggregator.store.database import Store
from aggregator.store.decisions import ADMISSIONS, FORGOTTEN
from aggregator.unchanged_output import Standing
from aggregator.version import VERSION

READING = "reading/"
"""The facts that say how a source's documents were read: read otherwise, an unchanged document is read again."""

COVER: Final = "cover"
"""The fact that holds what the page of all feeds says of the feed."""

AT_ONCE = 100
"""Feeds whose memories are taken out of the store at once: more are no cheaper each, and wait in memory."""

EVERY = ""
"""The name under which is kept what is of no feed: the store's own."""


def memories_of(store: Store, plans: Iterable[Plan]) -> Iterator[tuple[Plan, Mapping[str, PollStates]]]:
    """Each feed with what is remembered of its sources' addresses, by source, as they are asked for.

    Without validators where a source's documents must be read again.
    """
    rest = iter(plans)
    while some := list(islice(rest, AT_ONCE)):
        kept = polls.read_poll_states(store, [plan.name for plan in some])
        yield from [
            (plan, {each.name: _poll_states(store, plan, each, kept) for each in plan.sources}) for plan in some
        ]


def _poll_states(
    store: Store, plan: Plan, source: Source, kept: Mapping[tuple[str, str], Sequence[PollState]]
) -> PollStates:
    """Return what is ``kept`` of one source's addresses, without validators if its documents must be read again."""
    known = kept.get((plan.name, source.name), ())
    if facts.read_fact(store, plan.name, READING + source.name) != _reading(source):
        known = [replace(each, validators=Validators(), digest=None) for each in known]
    return {poll_state.url: poll_state for poll_state in known}


def remember_all(store: Store, heard: Sequence[tuple[Plan, Sequence[FetchedSource]]], now: datetime) -> None:
    """Write down what became of many feeds at once: what was heard, and what is to be remembered of every address."""
    said = ((plan.name, fetched) for plan, fetched_sources in heard for fetched in fetched_sources)
    polls.write_poll_states(
        store, [(feed, fetched.source.name, each) for feed, fetched in said for each in fetched.poll_states]
    )
    for plan, fetched_sources in heard:
        _remember(store, plan, fetched_sources, now)


def _remember(store: Store, plan: Plan, fetched_sources: Sequence[FetchedSource], now: datetime) -> None:
    """Write down what one feed's sources said, and what became of each.

    Where anything new was read, what stands in the output is no longer what the store would give.
    """
    _hold_audio(store, plan, fetched_sources)
    for fetched in fetched_sources:
        if any(listing is not None for listing in fetched.listings):
            entries.write_listings(store, plan.name, fetched.source, fetched.listings, now)
        if fetched.entries or fetched.state in ("heard", "recorded"):
            facts.write_fact(store, plan.name, READING + fetched.source.name, _reading(fetched.source))
    before = source_state.source_results(store, plan)
    past = {source_result.source.name: source_result for source_result in before}
    former_sources.note(
        store,
        plan,
        [source_result.source for source_result in before],
        {fetched.source.name for fetched in fetched_sources},
    )
    after = tuple(_source_result(fetched, past.get(fetched.source.name)) for fetched in fetched_sources)
    if after != before:
        facts.write_fact(store, plan.name, HEARINGS, records.encode_all(after).encode())
    if any(listing is not None for fetched in fetched_sources for listing in fetched.listings):
        unchanged_output.keep_standing(store, plan.name, None)


def _hold_audio(store: Store, plan: Plan, fetched_sources: Sequence[FetchedSource]) -> None:
    """Note which sources' audio moved to another host all at once, and count how long that is held back."""
    known = {each.source: each for each in source_state.held_audio(store, plan)}
    if not known and not any(fetched.entries for fetched in fetched_sources):
        return
    said = {fetched.source.name: enclosure_hold.find_audio(fetched.listings) for fetched in fetched_sources}
    before = entries.read_enclosures(store, plan.name, said)
    noted = [
        enclosure_hold.hold_audio(before[name], after, known.get(name, enclosure_hold.HeldAudio(name)))
        for name, after in said.items()
    ]
    kept = tuple(each for each in noted if each.audio)
    facts.write_fact(store, plan.name, HELD, records.encode_all(kept).encode() if kept else None)


def covers(store: Store, plans: Sequence[Plan]) -> tuple[Cover, ...]:
    """What the list of all feeds says of each that was ever published."""
    kept = facts.read_fact_of_feeds(store, COVER)
    return tuple(records.decode(Cover, kept[plan.name].decode()) for plan in plans if plan.name in kept)


def basis_of_all(store: Store, plans: Sequence[Plan]) -> str:
    """The digest of all that the list of all feeds is made from."""
    kept = facts.read_fact_of_feeds(store, COVER)
    return _digest((VERSION, [kept.get(plan.name) for plan in plans]))


def basis(store: Store, plan: Plan) -> str:
    """The digest of all that a feed is made from besides its entries: program, plan, decisions, hearings."""
    decided = decisions.read_decisions(store, plan.name), decisions.read_overrides(store, plan.name)
    heard = facts.read_fact(store, plan.name, HEARINGS), facts.read_fact(store, plan.name, HELD)
    chosen = facts.read_fact(store, plan.name, ADMISSIONS), facts.read_fact(store, plan.name, FORGOTTEN)
    return _digest((VERSION, plan, decided, heard, chosen))


def stands(store: Store, plan: Plan, now: datetime) -> Standing | None:
    """What stands in the output and from what it was made, ``None`` where it must be made anew."""
    known = unchanged_output.standing(store, plan.name, basis(store, plan))
    return known if known is None or known.until is None or now < known.until else None


def _digest(said: object) -> str:
    return blake2b(repr(said).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _reading(source: Source) -> bytes:
    """How the source's documents are read, as the config says: read otherwise, an unchanged document is read again.

    The program's version is left out: an upgrade must not ask every origin unconditionally once more.
    """
    return repr((source.kind, source.url, source.show, source.only, source.options)).encode()


def _source_result(fetched: FetchedSource, before: SourceResult | None) -> SourceResult:
    """What the report says of the source: the same words as long as nothing new was learned of it."""
    if before is not None and fetched.answers and all(answer.state == "resting" for answer in fetched.answers):
        return before
    rests: SourceStatus = "heard" if any(poll_state.listings for poll_state in fetched.poll_states) else "silent"
    state: SourceStatus = {"unchanged": "heard", "resting": rests}.get(fetched.state, fetched.state)
    said = [listing for listing in fetched.listings if listing is not None]
    remarks = tuple(dict.fromkeys(remark for listing in said for remark in listing.remarks))
    return SourceResult(
        source=_nowhere(fetched.source),
        state=state,
        message=fetched.message,
        entries=fetched.entries or (before.entries if before else 0),
        remarks=remarks if said or before is None else before.remarks,
    )


def _nowhere(source: Source) -> Source:
    """The source without the names of files on this machine."""
    return replace(source, path=None, snapshot=None) if source.path or source.snapshot else source


def source_results(heard: Sequence[FetchedSource]) -> tuple[SourceResult, ...]:
    """Return what became of each source in this run, without its entries."""
    return tuple(SourceResult(fetched.source, fetched.state, fetched.message, fetched.entries) for fetched in heard)
