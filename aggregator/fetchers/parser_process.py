"""Parse each document in a process of its own, which is killed if it exceeds its limits.

This process decodes the parser's answer into known record types and never unpickles it, so a parser that its document
has taken over cannot run code here.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeVar

from msgspec.structs import replace

from aggregator.errors import ReadError
from aggregator.fetchers.http.target import make_printable, redact
from aggregator.model.entry import Entry, Listing
from aggregator.model.outline import Outline
from aggregator.model.record import make_msgpack_decoder
from aggregator.model.source import Document, Proposals
from aggregator.model.subscription import Subscription
from aggregator.sandbox import calls, forks
from aggregator.sandbox.calls import BugError
from aggregator.sandbox.forks import ForkError
from aggregator.sandbox.limits import Limits
from aggregator.translation.marks import N_

R = TypeVar("R")

LIMITS: Final = Limits(cpu_seconds=5, wall_seconds=60.0, megabytes=200)
"""Most that one document may cost.

The dearest honest documents measured, 18,000 full items of a sound feed (72 MB) and 50,000 short ones, need 2.5 and
4.4 s of processor time, 4,000 full ones that only feedparser takes 2.5 s. 10 % less loses none of them.
"""

_KNOWN_BYTES: Final = 3
"""Memory of a character of known entries: 1 byte was measured for ASCII, 8,000 entries, 5,575 of them known."""

MOST_ITEMS: Final = 50_000
"""Items that one document may list."""

_decoder = make_msgpack_decoder(tuple[Entry, ...])


def read(document: Document, limits: Limits = LIMITS, most_items: int = MOST_ITEMS) -> Listing:
    """Return the listing of a document; ReadError if it cannot be parsed or exceeds the limits.

    The entries that it is given as known, which are ours, need memory beside those limits.
    """
    known = sum(map(len, (document.known or {}).values()))
    limits = replace(limits, megabytes=limits.megabytes + _KNOWN_BYTES * known // 1_000_000)
    entries: list[Entry] = []
    with _describing_errors(document.source.name, document.url):
        with calls.call_for_parts(forks.parsers, "read", document, most_items, kind=Listing, limits=limits) as returned:
            for part in returned.read_parts(_decoder):
                entries += part
                if len(entries) > most_items:
                    raise ValueError("too many entries")
        return replace(returned.result, entries=tuple(entries))


def discover(document: Document) -> tuple[str, ...]:
    """Return the addresses of the feeds that a page names, best first; ReadError as for `read`."""
    return _call("discover", document, kind=tuple[str, ...])


def propose(document: Document) -> Proposals:
    """Return how a document of no known kind can be read, the best first; ReadError as for `read`."""
    return _call("propose", document, kind=Proposals)


def outline(document: Document, first: int) -> Outline:
    """Return a page as an outline, from that piece on; ReadError as for `read`."""
    return _call("outline", document, first, kind=Outline)


def pick(document: Document, number: int, field: str) -> dict[str, str]:
    """Return the options of the document's source with the selectors of what was chosen; ReadError as for `read`."""
    return _call("pick", document, number, field, kind=dict[str, str])


def read_full_text(document: Document) -> str:
    """Return the HTML of the post on a page; ReadError as for `read`, and if none is found."""
    with _describing_errors(document.source.name, document.url):
        return calls.call(forks.page_readers, "read", document, kind=str, limits=LIMITS)


def read_subscriptions(name: str, body: bytes) -> tuple[Subscription, ...]:
    """Return the subscriptions of an OPML list; ReadError as for `read`, with the name of the list."""
    with _describing_errors(name):
        return calls.call(forks.parsers, "subscriptions", body, kind=tuple[Subscription, ...], limits=LIMITS)


def _call(function: str, document: Document, *more: Any, kind: type[R]) -> R:
    with _describing_errors(document.source.name, document.url):
        return calls.call(forks.parsers, function, document, *more, kind=kind, limits=LIMITS)


@contextmanager
def _describing_errors(name: str, url: str = "") -> Iterator[None]:
    """Raise every error of a parser as ReadError, with the name of its source and the address."""
    try:
        yield
    except (ReadError, ForkError, BugError, ValueError, RecursionError) as error:
        why = _explain(error)
        where = f" ({redact(url)})" if url else ""
        why = make_printable(why.replace(url, redact(url)) if url else why)
        raise ReadError(why if why.startswith(name) else f"{name}: {why}{where}") from error


def _explain(error: Exception) -> str:
    if isinstance(error, ForkError):
        return N_(f"it cannot be parsed: {error}")
    if isinstance(error, BugError):
        return N_(f"the parser failed, which is a bug in the aggregator: {error}")
    return str(error) if isinstance(error, ReadError) else N_(f"the parser process wrote what is no listing: {error}")
