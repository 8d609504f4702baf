"""What a refresh reads from the store before it fetches, and what it writes there of each source afterwards."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from hashlib import blake2b
from itertools import islice
from typing import Final

from msgspec.structs import replace

from aggregator import former_sources, source_state, unchanged_output
from aggregator.fetchers.fetch import Memories, Voice
from aggregator.merger.reconciling import enclosure_hold
from aggregator.model.feed import Cover, Hearing, Plan
from aggregator.model.source import Heard, Memory, Source, Validators
from aggregator.source_state import HEARINGS, HELD
from aggregator.store import decisions, facts, poll_states, read_entries, records, write_entries
from aggregator.store.admissions import ADMISSIONS, FORGOTTEN
from aggregator.store.database import Store
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


def memories_of(store: Store, plans: Iterable[Plan]) -> Iterator[tuple[Plan, Mapping[str, Memories]]]:
    """Each feed with what is remembered of its sources' addresses, by source, as they are asked for.

    Without validators where a source's documents must be read again.
    """
    rest = iter(plans)
    while some := list(islice(rest, AT_ONCE)):
        kept = poll_states.of_feeds(store, [plan.name for plan in some])
        yield from [(plan, {each.name: _memories(store, plan, each, kept) for each in plan.sources}) for plan in some]


def _memories(store: Store, plan: Plan, source: Source, kept: Mapping[tuple[str, str], Sequence[Memory]]) -> Memories:
    """Return what is ``kept`` of one source's addresses, without validators if its documents must be read again."""
    known = kept.get((plan.name, source.name), ())
    if facts.facts(store, plan.name, READING + source.name) != _reading(source):
        known = [replace(each, validators=Validators(), digest=None) for each in known]
    return {memory.url: memory for memory in known}


def remember_all(store: Store, heard: Sequence[tuple[Plan, Sequence[Voice]]], now: datetime) -> None:
    """Write down what became of many feeds at once: what was heard, and what is to be remembered of every address."""
    said = ((plan.name, voice) for plan, voices in heard for voice in voices)
    poll_states.keep_memories(
        store, [(feed, voice.source.name, each) for feed, voice in said for each in voice.memories]
    )
    for plan, voices in heard:
        _remember(store, plan, voices, now)


def _remember(store: Store, plan: Plan, voices: Sequence[Voice], now: datetime) -> None:
    """Write down what one feed's sources said, and what became of each.

    Where anything new was read, what stands in the output is no longer what the store would give.
    """
    _hold_audio(store, plan, voices)
    for voice in voices:
        if any(listing is not None for listing in voice.listings):
            write_entries.remember(store, plan.name, voice.source, voice.listings, now)
        if voice.entries or voice.state in ("heard", "recorded"):
            facts.keep_fact(store, plan.name, READING + voice.source.name, _reading(voice.source))
    before = source_state.hearings(store, plan)
    past = {hearing.source.name: hearing for hearing in before}
    former_sources.note(store, plan, [hearing.source for hearing in before], {voice.source.name for voice in voices})
    after = tuple(_hearing(voice, past.get(voice.source.name)) for voice in voices)
    if after != before:
        facts.keep_fact(store, plan.name, HEARINGS, records.encode_all(after).encode())
    if any(listing is not None for voice in voices for listing in voice.listings):
        unchanged_output.keep_standing(store, plan.name, None)


def _hold_audio(store: Store, plan: Plan, voices: Sequence[Voice]) -> None:
    """Note which sources' audio moved to another host all at once, and count how long that is held back."""
    known = {each.source: each for each in source_state.held_audio(store, plan)}
    if not known and not any(voice.entries for voice in voices):
        return
    said = {voice.source.name: enclosure_hold.audio_of(voice.listings) for voice in voices}
    before = read_entries.with_audio(store, plan.name, said)
    noted = [
        enclosure_hold.hold(before[name], after, known.get(name, enclosure_hold.Held(name)))
        for name, after in said.items()
    ]
    kept = tuple(each for each in noted if each.audio)
    facts.keep_fact(store, plan.name, HELD, records.encode_all(kept).encode() if kept else None)


def covers(store: Store, plans: Sequence[Plan]) -> tuple[Cover, ...]:
    """What the list of all feeds says of each that was ever published."""
    kept = facts.everywhere(store, COVER)
    return tuple(records.decode(Cover, kept[plan.name].decode()) for plan in plans if plan.name in kept)


def basis_of_all(store: Store, plans: Sequence[Plan]) -> str:
    """The digest of all that the list of all feeds is made from."""
    kept = facts.everywhere(store, COVER)
    return _digest((VERSION, [kept.get(plan.name) for plan in plans]))


def basis(store: Store, plan: Plan) -> str:
    """The digest of all that a feed is made from besides its entries: program, plan, decisions, hearings."""
    decided = decisions.decisions(store, plan.name), decisions.overrides(store, plan.name)
    heard = facts.facts(store, plan.name, HEARINGS), facts.facts(store, plan.name, HELD)
    chosen = facts.facts(store, plan.name, ADMISSIONS), facts.facts(store, plan.name, FORGOTTEN)
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


def _hearing(voice: Voice, before: Hearing | None) -> Hearing:
    """What the report says of the source: the same words as long as nothing new was learned of it."""
    if before is not None and voice.answers and all(answer.state == "resting" for answer in voice.answers):
        return before
    rests: Heard = "heard" if any(memory.listings for memory in voice.memories) else "silent"
    state: Heard = {"unchanged": "heard", "resting": rests}.get(voice.state, voice.state)
    said = [listing for listing in voice.listings if listing is not None]
    remarks = tuple(dict.fromkeys(remark for listing in said for remark in listing.remarks))
    return Hearing(
        source=_nowhere(voice.source),
        state=state,
        message=voice.message,
        entries=voice.entries or (before.entries if before else 0),
        remarks=remarks if said or before is None else before.remarks,
    )


def _nowhere(source: Source) -> Source:
    """The source without the names of files on this machine."""
    return replace(source, path=None, snapshot=None) if source.path or source.snapshot else source


def hearings(heard: Sequence[Voice]) -> tuple[Hearing, ...]:
    """Return what became of each source in this run, without its entries."""
    return tuple(Hearing(voice.source, voice.state, voice.message, voice.entries) for voice in heard)
