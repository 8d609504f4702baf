"""What became of each source in one run: asked, read, and, where it stayed silent, its recording or its memory.

A source speaks through the documents of its addresses, in the order of ``locate``. A document that is not new leaves
a gap: what it said before stands. A recording (``snapshot``) speaks until the live source is first understood.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256

from aggregator.errors import FetchError, ReadError
from aggregator.fetchers import manners, roster, sandbox, web
from aggregator.fetchers.web import Policy
from aggregator.model.sighting import Listing
from aggregator.model.source import Answer, Heard, Memory, Source

# Sources asked at once. How many of one host is the gate's; beyond a dozen threads one feed gains nothing more.
AT_ONCE = 12

SPOKEN: frozenset[Heard] = frozenset({"heard", "unchanged", "recorded", "resting", "remembered"})
"""The states in which a source has something to say, now or from memory."""

Tell = Callable[[Source, str, str], None]


@dataclass(frozen=True, slots=True)
class Terms:
    """How a run asks: the policy, the run's clock, and whether sources that are not due are asked too."""

    policy: Policy
    now: datetime
    force: bool = False


@dataclass(frozen=True, slots=True)
class Voice:
    """One source in one run: an answer for each address, what was read from those that were new, and in a word how.

    ``message`` says why a silent source is silent, or what else a person should know.
    """

    source: Source
    answers: tuple[Answer, ...] = ()
    listings: tuple[Listing | None, ...] = ()
    state: Heard = "silent"
    message: str = ""

    @property
    def sightings(self) -> int:
        """How many entries were read in this run."""
        return sum(len(listing.sightings) for listing in self.listings if listing is not None)


def fetch(
    sources: Sequence[Source], known: Mapping[str, Sequence[Memory]], terms: Terms, tell: Tell
) -> tuple[Voice, ...]:
    """The answers of all sources, asked side by side, in their order; ``known`` is what is remembered of each."""

    def ask(source: Source) -> Voice:
        memories = {memory.url: memory for memory in known[source.name]}
        if source.path is not None:
            return Voice(source, (_recorded(source, memories, terms.now),))
        tell(source, "fetch", "")
        return Voice(source, tuple(_asked(source, memories, url, terms) for url in roster.locate(source)))

    if len(sources) < 2:  # noqa: PLR2004 - one needs no thread
        return tuple(map(ask, sources))
    with ThreadPoolExecutor(max_workers=AT_ONCE) as threads:
        return tuple(threads.map(ask, sources))


def _asked(source: Source, memories: Mapping[str, Memory], url: str, terms: Terms) -> Answer:
    """The answer of one address of a source."""
    memory = memories.get(url, Memory(url))
    return web.ask(source, memory, terms.policy, terms.now, force=terms.force)


def _recorded(source: Source, memories: Mapping[str, Memory], now: datetime) -> Answer:
    """The answer of a local file: a document where its bytes are not those read last."""
    try:
        document = roster.recorded(source)[0]
    except (FetchError, ReadError) as error:
        return Answer("silent", Memory(f"file:{source.name}"), message=str(error))
    memory = memories.get(document.url, Memory(document.url))
    digest = sha256(document.body).hexdigest()
    if memory.digest == digest:
        return Answer("silent" if memory.unread else "unchanged", memory, message=memory.unread)
    return Answer("heard", replace(memory, digest=digest, asked=now, heard=now), document)


def read(voices: Sequence[Voice], known: Mapping[str, Sequence[Memory]], terms: Terms, tell: Tell) -> tuple[Voice, ...]:
    """The voices with what their new documents say; a source that was never understood lets its recording speak."""
    return tuple(_with_recording(_read(voice, terms, tell), known, terms, tell) for voice in voices)


def _read(voice: Voice, terms: Terms, tell: Tell) -> Voice:
    """The voice with its documents read and let go."""
    read = [_understood(answer, terms, voice.source, tell) for answer in voice.answers]
    answers = tuple(answer for answer, _ in read)
    listings = tuple(listing for _, listing in read)
    messages = dict.fromkeys(answer.message for answer in answers if answer.message)
    message = "; ".join(messages) if answers else "it has no address to ask"
    return replace(voice, answers=answers, listings=listings, state=_state(answers, listings), message=message)


def _understood(answer: Answer, terms: Terms, source: Source, tell: Tell) -> tuple[Answer, Listing | None]:
    """The answer without its document, and what that says, ``None`` where there is none or it cannot be read."""
    if answer.document is None:
        return answer, None
    tell(source, "read", "")
    try:
        listing = sandbox.read(answer.document)
    except ReadError as error:
        unread = replace(answer.memory, unread=str(error))
        return replace(answer, state="silent", memory=unread, document=None, message=str(error)), None
    believed = replace(answer.memory, unread="", listings=answer.memory.listings + 1)
    paced = manners.with_rhythm(believed, listing.rhythm, terms.policy.pace)
    return replace(answer, memory=paced, document=None), listing


def _state(answers: Sequence[Answer], listings: Sequence[Listing | None]) -> Heard:
    """The source in a word: heard where anything was read, else the best of what its addresses came to."""
    if any(listing is not None for listing in listings):
        return "heard"
    states = {answer.state for answer in answers}
    order: tuple[Heard, ...] = ("suspicious", "unchanged", "resting")
    known = next((state for state in order if state in states), None)
    return known or ("remembered" if any(answer.memory.listings for answer in answers) else "silent")


def _with_recording(voice: Voice, known: Mapping[str, Sequence[Memory]], terms: Terms, tell: Tell) -> Voice:
    """The voice, with its recording speaking for it where the live source was never understood."""
    source = voice.source
    if source.snapshot is None or source.path or any(answer.memory.listings for answer in voice.answers):
        return voice
    memories = {memory.url: memory for memory in known[source.name]}
    answer, listing = _understood(_recorded(source, memories, terms.now), terms, source, tell)
    if answer.state == "silent":
        return replace(voice, message=f"{voice.message}; its recording: {answer.message}")
    return replace(voice, answers=(*voice.answers, answer), listings=(listing,), state="recorded")
