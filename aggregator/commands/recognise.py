"""What an address is: by its shape where that is enough, else by what its document says to each reader."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from urllib.parse import urlsplit

from msgspec.structs import replace

from aggregator.errors import FetchError, ReadError
from aggregator.fetchers import registry
from aggregator.fetchers.fetch import Resources
from aggregator.model.entry import Listing
from aggregator.model.source import Document, PollState, Source
from aggregator.text.fold import fold

TRIED = ("jsonfeed", "feed", "apple", "listing", "blog")
"""The readers that are asked about a document, the most particular first: a blog is what any page may be."""

SHORTEST = 3
"""A label of a host as short as this, such as the co of co.uk, is taken for no name."""

_APPLE = re.compile(r"/id(\d+)")
_APPLE_HOSTS = {"podcasts.apple.com", "itunes.apple.com"}
_NAME = re.compile(r"[^a-z0-9]+")
_APOSTROPHE = re.compile("['’]")


def by_address(url: str) -> Source | None:
    """The source that an address names by its shape alone; ``None`` where its document must be asked for.

    >>> by_address("https://podcasts.apple.com/us/podcast/any/id1566080008?i=1").show
    '1566080008'
    >>> by_address("https://feeds.simplecast.com/OB5FkIl8").kind
    'simplecast'
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    shown = _APPLE.search(parts.path)
    if host in _APPLE_HOSTS and shown:
        return Source("apple", "apple", show=shown[1])
    if host in {"feeds.simplecast.com", "api.simplecast.com"}:
        return Source("simplecast", "simplecast", url=url)
    return None


def listen(candidates: Sequence[Source], resources: Resources, now: datetime) -> tuple[Source, Listing]:
    """The first candidate whose reader understands its document, and what it says.

    FetchError where the address is silent, ReadError where nobody understands what it answers.
    """
    said: dict[str, Document] = {}
    refused: list[str] = []
    for source in candidates:
        for url in registry.locate(source)[:1]:
            if url not in said:
                said[url] = _asked(source, url, resources, now)
            try:
                listing = resources.parsers().read(replace(said[url], source=source))
            except ReadError as error:
                refused.append(str(error))
            else:
                return _refined(source, listing), listing
    raise ReadError(refused[0] if len(refused) == 1 else "no reader understands it; --kind page reads by selectors")


def candidates(url: str) -> Iterator[Source]:
    """The address as each kind of source, in the order in which they are tried."""
    host = urlsplit(url).hostname or ""
    return (Source(_called(host) or kind, kind, url=url) for kind in TRIED)


def slug(text: str, otherwise: str) -> str:
    """A name for a folder or a source, made of a title.

    >>> slug("Élan & Vital: the show!", "feed"), slug("The Baker’s Desk", "feed"), slug("日本", "feed")
    ('elan-vital-the-show', 'the-bakers-desk', 'feed')
    """
    return _NAME.sub("-", fold(_APOSTROPHE.sub("", text))).strip("-")[:64].rstrip("-") or otherwise


def _called(host: str) -> str:
    """The name by which people call a host; empty where it has none.

    >>> _called("www.goodpods.com"), _called("feeds.bbci.co.uk"), _called("127.0.0.1"), _called("localhost")
    ('goodpods', 'bbci', '', 'localhost')
    """
    labels = host.split(".")
    if labels[-1].isdecimal() or ":" in host:
        return ""
    names = [label for label in labels[:-1] if len(label) > SHORTEST] or labels[-1:]
    return slug(names[-1], "")


def _asked(source: Source, url: str, resources: Resources, now: datetime) -> Document:
    """The document at an address."""
    answer = resources.limiter().ask(source, PollState(url), now, force=True)
    if answer.document is None:
        raise FetchError(answer.message or f"{url}: no answer")
    return answer.document


def _refined(source: Source, listing: Listing) -> Source:
    """A feed without any audio is a blog: its items are posts, and its text is trusted less than a show's."""
    if source.kind != "feed" or any(entry.enclosure for entry in listing.entries):
        return source
    return replace(source, kind="blog", name="blog" if source.name == source.kind else source.name)
