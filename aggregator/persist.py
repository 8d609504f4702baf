"""What a refresh reads from the store before it fetches, and what it writes there of each source afterwards."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from hashlib import blake2b
from itertools import islice
from typing import Final

from msgspec.structs import replace

from aggregator import credited, standing, told
from aggregator.fetchers.fetch import Memories, Voice
from aggregator.ledger import decisions, facts, memories, recall, records, remember
from aggregator.ledger.admissions import ADMISSIONS, FORGOTTEN
from aggregator.ledger.ledger import Ledger
from aggregator.merger import held
from aggregator.model.feed import Cover, Hearing, Plan
from aggregator.model.source import Heard, Memory, Source, Validators
from aggregator.standing import Standing
from aggregator.told import HEARINGS, HELD
from aggregator.version import VERSION

READING = "reading/"
"""The facts that say how a source's documents were read: read otherwise, an unchanged document is read again."""

COVER: Final = "cover"
"""The fact that holds what the page of all feeds says of the feed."""

AT_ONCE = 100
"""Feeds whose memories are taken out of the ledger at once: more are no cheaper each, and wait in memory."""

EVERY = ""
"""The name under which is kept what is of no feed: the ledger's own."""


def memories_of(book: Ledger, plans: Iterable[Plan]) -> Iterator[tuple[Plan, Mapping[str, Memories]]]:
    """Each feed with what is remembered of its sources' addresses, by source, as they are asked for.

    Without validators where a source's documents must be read again.
    """
    rest = iter(plans)
    while some := list(islice(rest, AT_ONCE)):
        kept = memories.of_feeds(book, [plan.name for plan in some])
        yield from [(plan, {each.name: _memories(book, plan, each, kept) for each in plan.sources}) for plan in some]


def _memories(book: Ledger, plan: Plan, source: Source, kept: Mapping[tuple[str, str], Sequence[Memory]]) -> Memories:
    """Return what is ``kept`` of one source's addresses, without validators if its documents must be read again."""
    known = kept.get((plan.name, source.name), ())
    if facts.facts(book, plan.name, READING + source.name) != _reading(source):
        known = [replace(each, validators=Validators(), digest=None) for each in known]
    return {memory.url: memory for memory in known}


def remember_all(book: Ledger, heard: Sequence[tuple[Plan, Sequence[Voice]]], now: datetime) -> None:
    """Write down what became of many feeds at once: what was heard, and what is to be remembered of every address."""
    said = ((plan.name, voice) for plan, voices in heard for voice in voices)
    memories.keep_memories(book, [(feed, voice.source.name, each) for feed, voice in said for each in voice.memories])
    for plan, voices in heard:
        _remember(book, plan, voices, now)


def _remember(book: Ledger, plan: Plan, voices: Sequence[Voice], now: datetime) -> None:
    """Write down what one feed's sources said, and what became of each.

    Where anything new was read, what stands in the output is no longer what the ledger would give.
    """
    _hold_audio(book, plan, voices)
    for voice in voices:
        if any(listing is not None for listing in voice.listings):
            remember.remember(book, plan.name, voice.source, voice.listings, now)
        if voice.sightings or voice.state in ("heard", "recorded"):
            facts.keep_fact(book, plan.name, READING + voice.source.name, _reading(voice.source))
    before = told.hearings(book, plan)
    past = {hearing.source.name: hearing for hearing in before}
    credited.note(book, plan, [hearing.source for hearing in before], {voice.source.name for voice in voices})
    after = tuple(_hearing(voice, past.get(voice.source.name)) for voice in voices)
    if after != before:
        facts.keep_fact(book, plan.name, HEARINGS, records.encode_all(after).encode())
    if any(listing is not None for voice in voices for listing in voice.listings):
        standing.keep_standing(book, plan.name, None)


def _hold_audio(book: Ledger, plan: Plan, voices: Sequence[Voice]) -> None:
    """Note which sources' audio moved to another host all at once, and count how long that is held back."""
    known = {each.source: each for each in told.held_audio(book, plan)}
    if not known and not any(voice.sightings for voice in voices):
        return
    said = {voice.source.name: held.audio_of(voice.listings) for voice in voices}
    before = recall.with_audio(book, plan.name, said)
    noted = [held.hold(before[name], after, known.get(name, held.Held(name))) for name, after in said.items()]
    kept = tuple(each for each in noted if each.audio)
    facts.keep_fact(book, plan.name, HELD, records.encode_all(kept).encode() if kept else None)


def covers(book: Ledger, plans: Sequence[Plan]) -> tuple[Cover, ...]:
    """What the list of all feeds says of each that was ever published."""
    kept = facts.everywhere(book, COVER)
    return tuple(records.decode(Cover, kept[plan.name].decode()) for plan in plans if plan.name in kept)


def basis_of_all(book: Ledger, plans: Sequence[Plan]) -> str:
    """The digest of all that the list of all feeds is made from."""
    kept = facts.everywhere(book, COVER)
    return _digest((VERSION, [kept.get(plan.name) for plan in plans]))


def basis(book: Ledger, plan: Plan) -> str:
    """The digest of all that a feed is made from besides its sightings: program, plan, decisions, hearings."""
    decided = decisions.decisions(book, plan.name), decisions.overrides(book, plan.name)
    heard = facts.facts(book, plan.name, HEARINGS), facts.facts(book, plan.name, HELD)
    chosen = facts.facts(book, plan.name, ADMISSIONS), facts.facts(book, plan.name, FORGOTTEN)
    return _digest((VERSION, plan, decided, heard, chosen))


def stands(book: Ledger, plan: Plan, now: datetime) -> Standing | None:
    """What stands in the output and from what it was made, ``None`` where it must be made anew."""
    known = standing.standing(book, plan.name, basis(book, plan))
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
        sightings=voice.sightings or (before.sightings if before else 0),
        remarks=remarks if said or before is None else before.remarks,
    )


def _nowhere(source: Source) -> Source:
    """The source without the names of files on this machine."""
    return replace(source, path=None, snapshot=None) if source.path or source.snapshot else source


def hearings(heard: Sequence[Voice]) -> tuple[Hearing, ...]:
    """Return what became of each source in this run, without its entries."""
    return tuple(Hearing(voice.source, voice.state, voice.message, voice.sightings) for voice in heard)
