"""Parse each document in a process of its own, which is killed if it exceeds its limits.

This process decodes the parser's answer into known record types and never unpickles it, so a parser that its document
has taken over cannot run code here.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from aggregator.errors import ReadError
from aggregator.fetchers.http.target import make_printable, redact
from aggregator.model.entry import Entry, Listing
from aggregator.model.outline import Outline, Pick
from aggregator.model.record import make_msgpack_decoder, replace_surrogates
from aggregator.model.source import Document, Proposals, Source
from aggregator.model.subscription import Subscription
from aggregator.sandbox import forks
from aggregator.sandbox.forks import ForkError
from aggregator.sandbox.limits import Limits

LIMITS: Final = Limits(cpu_seconds=5, wall_seconds=60.0, megabytes=200)
"""Most that one document may cost.

The dearest honest documents measured, 18,000 full items of a sound feed (72 MB) and 50,000 short ones, need 2.5 and
4.4 s of processor time, 4,000 full ones that only feedparser takes 2.5 s. 10 % less loses none of them.
"""

_KNOWN_BYTES: Final = 3
"""Memory of a character of known entries: 1 byte was measured for ASCII, 8,000 entries of which 5,575 are known."""

MOST_ITEMS: Final = 50_000
"""Items that one document may list."""

LARGEST_ANSWER: Final = 128 * 1024 * 1024
"""Bytes that a parser may write; a listing of 50,000 full items has 100 MB."""


class Task(Struct):
    """Parse a document, or find the feeds that it names, or propose how it can be read.

    Or show it as an ``outline`` from that piece on, or make selectors of what was chosen of it (``pick``), or read
    ``subscriptions``.
    """

    document: Document
    discover: bool = False
    propose: bool = False
    outline: int | None = None
    pick: Pick | None = None
    subscriptions: bool = False
    most_items: int = MOST_ITEMS


class Answer(Struct, omit_defaults=True):
    """One message of a parser; the entries of a long listing come in several. ``error`` is why it was refused.

    ``traceback`` is that of a bug.
    """

    entries: tuple[Entry, ...] = ()
    listing: Listing | None = None
    feeds: tuple[str, ...] = ()
    proposals: Proposals | None = None
    outline: Outline = Outline()
    options: dict[str, str] = {}
    subscriptions: tuple[Subscription, ...] = ()
    error: str = ""
    traceback: str = ""


_encoder = msgspec.msgpack.Encoder()
_decoder = make_msgpack_decoder(Answer)


def read(document: Document, limits: Limits = LIMITS, most_items: int = MOST_ITEMS) -> Listing:
    """Return the listing of a document; ReadError if it cannot be parsed or exceeds the limits.

    The entries that it is given as known, which are ours, need memory beside those limits.
    """
    known = sum(map(len, (document.known or {}).values()))
    limits = replace(limits, megabytes=limits.megabytes + _KNOWN_BYTES * known // 1_000_000)
    return _run(Task(document, most_items=most_items), limits).listing or Listing(())


def discover(document: Document) -> tuple[str, ...]:
    """Return the addresses of the feeds that a page names, best first; ReadError as for `read`."""
    return _run(Task(document, discover=True), LIMITS).feeds


def propose(document: Document) -> Proposals:
    """Return how a document of no known kind can be read, the best first; ReadError as for `read`."""
    return _run(Task(document, propose=True), LIMITS).proposals or Proposals()


def outline(document: Document, first: int) -> Outline:
    """Return a page as an outline, from that piece on; ReadError as for `read`."""
    return _run(Task(document, outline=first), LIMITS).outline


def pick(document: Document, chosen: Pick) -> dict[str, str]:
    """Return the options of the document's source with the selectors of what was chosen; ReadError as for `read`."""
    return _run(Task(document, pick=chosen), LIMITS).options


def read_subscriptions(name: str, body: bytes) -> tuple[Subscription, ...]:
    """Return the subscriptions of an OPML list; ReadError as for `read`, with the name of the list."""
    document = Document(Source(name, "feed"), name, body)
    try:
        return _run(Task(document, subscriptions=True), LIMITS).subscriptions
    except ReadError as error:
        raise ReadError(str(error).removesuffix(f" ({redact(name)})")) from error  # it has no address


def encode(message: Any) -> bytes:
    """Return a record as MessagePack; a lone surrogate in a text, which UTF-8 cannot hold, becomes U+FFFD."""
    try:
        return _encoder.encode(message)
    except UnicodeEncodeError:
        return _encoder.encode(replace_surrogates(msgspec.to_builtins(message, builtin_types=(bytes,))))


def _run(task: Task, limits: Limits) -> Answer:
    """Return the answer to a task with all entries of its listing; ReadError."""
    source, url = task.document.source, task.document.url
    try:
        with forks.parsers.run(encode(task), limits) as file:
            answer = _join(forks.read_messages(file), task.most_items)
    except ForkError as error:
        raise ReadError(f"{source.name}: it cannot be parsed: {error} ({redact(url)})") from error
    except (ValueError, RecursionError) as error:
        why = f"the parser process wrote what is no listing: {make_printable(str(error))}"
        raise ReadError(f"{source.name}: {why} ({redact(url)})") from error
    if answer.error:
        forks.log_traceback(answer.traceback)
        refused = make_printable(answer.error.replace(url, redact(url)))
        named = refused.startswith(source.name)
        raise ReadError(refused if named else f"{source.name}: {refused} ({redact(url)})")
    return answer


def _join(messages: Any, most_items: int) -> Answer:
    """Return the last message with the entries of all; ValueError or RecursionError if they are no answer."""
    entries: list[Entry] = []
    answer = Answer(error="the parser process wrote nothing")
    for message in messages:
        answer = _decoder.decode(message)
        entries += answer.entries
        if len(entries) > most_items:
            raise ValueError("too many entries")
    listing = None if answer.listing is None else replace(answer.listing, entries=tuple(entries))
    return replace(answer, entries=(), listing=listing)
