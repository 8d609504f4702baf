"""What became of each source in one run: asked, read, and, where it stayed silent, its recording or its memory.

A source speaks through the documents of its addresses, in the order of ``locate``. A document that is not new leaves
a gap: what it said before stands. A recording (``snapshot``) speaks until the live source is first understood.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from hashlib import sha256

from msgspec import Struct
from msgspec.structs import replace

from aggregator.door import Door
from aggregator.errors import FetchError, ReadError
from aggregator.fetchers import doubt, roster
from aggregator.fetchers.rounds import Errand, Rounds
from aggregator.fetchers.waits import ALONE, Asking
from aggregator.ledger import due
from aggregator.model.sighting import Listing
from aggregator.model.source import Answer, Heard, Memory, Source

SPOKEN: frozenset[Heard] = frozenset({"heard", "unchanged", "recorded", "resting", "remembered"})
"""The states in which a source has something to say, now or from memory."""

Memories = Mapping[str, Memory]
"""What is remembered of a source, by address."""

Tell = Callable[[Source, str, str], None]
"""Who listens is told of a source that it is being asked ("fetch"), what it answered, and that it is read ("read")."""


class Terms(Struct, frozen=True):
    """How a run asks and reads: by which door, the run's clock, and who listens.

    ``cron`` says when the feed is to be refreshed (``None``: any time); ``force`` asks sources that are not due, too.
    """

    door: Door
    now: datetime
    tell: Tell
    cron: str | None = None
    force: bool = False


class Voice(Struct, frozen=True):
    """One source in one run: the answers of its addresses, what was read of those that were new, and in a word how.

    ``listings`` has a place for each address, ``None`` where nothing new was said there. ``memories`` are what is to
    be remembered. ``message`` says why a silent source is silent, or what else a person should know.
    """

    source: Source
    answers: tuple[Answer, ...] = ()
    listings: tuple[Listing | None, ...] = ()
    memories: tuple[Memory, ...] = ()
    state: Heard = "silent"
    message: str = ""

    @property
    def sightings(self) -> int:
        """How many entries were read in this run."""
        return sum(len(listing.sightings) for listing in self.listings if listing is not None)


def ask(
    rounds: Rounds, sources: Sequence[Source], known: Mapping[str, Memories], terms: Terms, done: Callable[[], object]
) -> tuple[Errand[Voice], ...]:
    """The answers of all sources as they will come, in the sources' order; ``known`` is what is remembered of each.

    ``done`` is called with each that has come.
    """

    def asking(source: Source) -> Asking[Voice]:
        if source.path is not None:
            yield ALONE
            return Voice(source, (_recorded(source, known[source.name], terms.now),))
        if (due_at := _due(source, known[source.name], terms)) > terms.now:
            return Voice(source, _resting(source, known[source.name], due_at))
        terms.tell(source, "fetch", "")
        answers: tuple[Answer, ...] = ()
        for url in roster.locate(source):
            answers = (*answers, (yield from _asking(source, known[source.name], url, terms)))
        terms.tell(
            source, "fetch", "; ".join(answer.message or answer.state for answer in answers) or "no address to ask"
        )
        return Voice(source, answers)

    return tuple([rounds.send(asking(source), done) for source in sources])


def _due(source: Source, memories: Memories, terms: Terms) -> datetime:
    """When the source is to be asked: the run's own time where it is due, or where all are asked."""
    if terms.force:
        return terms.now
    return due.due_at(terms.cron, [memories[url] for url in roster.locate(source) if url in memories], terms.now)


def _resting(source: Source, memories: Memories, due_at: datetime) -> tuple[Answer, ...]:
    """The answers of a source that nobody asks before it is due."""
    message = f"not asked before {due_at:%Y-%m-%d %H:%M:%S} UTC"
    return tuple(Answer("resting", memories.get(url, Memory(url)), message=message) for url in roster.locate(source))


def _asking(source: Source, memories: Memories, url: str, terms: Terms) -> Asking[Answer]:
    """The answer of one address of a source, or of the feed that its page once named.

    Where that feed falls silent its page is asked, which may name another; a page with nothing new speaks for nothing.
    """
    memory, gate = memories.get(url, Memory(url)), terms.door.gate()
    if memory.leads_to is None:
        return (yield from gate.asking(source, memory, terms.now, force=terms.force))
    known = memories.get(memory.leads_to, Memory(memory.leads_to))
    feed = yield from gate.asking(source, known, terms.now, force=terms.force, found=True)
    if feed.state != "silent":
        return feed
    page = yield from gate.asking(source, memory, terms.now, force=terms.force)
    return replace(feed, beside=(page,)) if page.document is None else replace(page, beside=(feed,))


def _recorded(source: Source, memories: Memories, now: datetime) -> Answer:
    """The answer of a local file: a document where its bytes are not those read last."""
    try:
        document = roster.recorded(source)[0]
    except (FetchError, ReadError) as error:
        return Answer("silent", Memory(f"file:{source.name}"), message=_why(error, source))
    memory = memories.get(document.url, Memory(document.url))
    digest = sha256(document.body).hexdigest()
    if memory.digest == digest:
        return Answer("silent" if memory.unread else "unchanged", memory, message=memory.unread)
    return Answer("heard", replace(memory, digest=digest, asked=now, heard=now), document)


def read(voices: Sequence[Voice], known: Mapping[str, Memories], terms: Terms) -> tuple[Voice, ...]:
    """The voices with what their new documents say; a source that was never understood lets its recording speak."""
    return tuple(_with_recording(_read(voice, known, terms), known, terms) for voice in voices)


def _read(voice: Voice, known: Mapping[str, Memories], terms: Terms) -> Voice:
    """The voice with its documents read and let go."""
    understood = [_understood(answer, known[voice.source.name], terms) for answer in voice.answers]
    answers = tuple(each.answer for each in understood)
    listings = tuple(each.listing for each in understood)
    messages = dict.fromkeys(answer.message for answer in answers if answer.message)
    return Voice(
        voice.source,
        answers,
        listings,
        memories=tuple(memory for each in understood for memory in (*each.pages, each.answer.memory)),
        state=_state(answers, listings),
        message="; ".join(messages) if answers else "it has no address to ask",
    )


class _Understood(Struct, frozen=True):
    """An answer without its document, what that says, and what is remembered of the other addresses that were asked."""

    answer: Answer
    listing: Listing | None = None
    pages: tuple[Memory, ...] = ()


def _understood(answer: Answer, memories: Memories, terms: Terms) -> _Understood:
    """What one answer's document says; where it is a page that names a feed, what that feed says."""
    pages = tuple(other.memory for other in answer.beside)
    if answer.document is None:
        return _Understood(answer, pages=pages)
    source, read = answer.document.source, answer
    terms.tell(source, "read", "")
    try:
        feeds = terms.door.children().discover(answer.document) if _may_lead_on(answer) else ()
        if feeds:
            pages = (*pages, replace(answer.memory, leads_to=feeds[0]))
            read = _led(source, feeds[0], answer.beside, memories, terms)
        return replace(_listed(read, memories, terms), pages=pages)
    except ReadError as error:
        before = memories.get(read.memory.url, Memory(read.memory.url))
        unread = doubt.refuse(before, read.memory, terms.now, terms.door.policy().pace)
        return _Understood(Answer("silent", unread, message=_why(error, source)), pages=pages)


def _led(source: Source, url: str, beside: tuple[Answer, ...], memories: Memories, terms: Terms) -> Answer:
    """The answer of the feed that a page names, unless it was asked just before the page."""
    asked = next((other for other in beside if other.memory.url == url), None)
    return asked or terms.door.gate().ask(source, memories.get(url, Memory(url)), terms.now, force=True, found=True)


def _why(error: FetchError | ReadError, source: Source) -> str:
    """What went wrong, without the source's name before it: whoever tells of it names the source."""
    return str(error).removeprefix(f"{source.name}: ")


def _may_lead_on(answer: Answer) -> bool:
    """Is the document a page that came over the network, not a feed and not a recording of one?"""
    document = answer.document
    return document is not None and "html" in (document.media_type or "")


def _listed(answer: Answer, memories: Memories, terms: Terms) -> _Understood:
    """What the document lists, where that is believed; ReadError where it cannot be read."""
    if answer.document is None:
        return _Understood(answer)
    listing = terms.door.children().read(answer.document)
    before = memories.get(answer.memory.url, Memory(answer.memory.url))
    verdict = doubt.weigh(before, answer.memory, listing, terms.door.policy().pace)
    if not verdict.believed:
        return _Understood(Answer("suspicious", verdict.memory, message=verdict.message))
    return _Understood(Answer("heard", verdict.memory, message=verdict.message), listing)


def _state(answers: Sequence[Answer], listings: Sequence[Listing | None]) -> Heard:
    """The source in a word: heard where anything was read, else the best of what its addresses came to."""
    if any(listing is not None for listing in listings):
        return "heard"
    states = {answer.state for answer in answers}
    order: tuple[Heard, ...] = ("suspicious", "unchanged", "resting")
    known = next((state for state in order if state in states), None)
    return known or ("remembered" if any(answer.memory.listings for answer in answers) else "silent")


def _with_recording(voice: Voice, known: Mapping[str, Memories], terms: Terms) -> Voice:
    """The voice, with its recording speaking for it where the live source was never understood."""
    source = voice.source
    if source.snapshot is None or source.path or any(memory.listings for memory in voice.memories):
        return voice
    recorded = _understood(_recorded(source, known[source.name], terms.now), known[source.name], terms)
    if recorded.answer.state == "silent":
        return replace(voice, message=f"{voice.message}; its recording: {recorded.answer.message}")
    memories = (*voice.memories, recorded.answer.memory)
    if voice.state == "resting" and recorded.listing is None:
        return replace(voice, memories=memories)
    return replace(voice, listings=(recorded.listing,), memories=memories, state="recorded")
