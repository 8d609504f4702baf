"""The roster: every kind of source and the module that speaks for it.

A kind is a module with two functions (``Kind``), and a third where its pages name feeds (``discover``). Modules are
imported when first needed: a refresh of two feeds need not load every library. Packages of third parties add kinds
through the entry-point group ``aggregator.sources``, whose name is the kind and whose value is the module.
"""

from __future__ import annotations

import re
from importlib import metadata
from typing import Protocol

from msgspec.structs import replace

from aggregator.errors import ReadError
from aggregator.fetchers import snapshot
from aggregator.fetchers.parsing import entry_keys, length_limits
from aggregator.model.entry import Entry, Listing
from aggregator.model.source import Document, Only, Source
from aggregator.text.fold import fold

ENTRY_POINTS = "aggregator.sources"
MODULES = {
    "feed": "aggregator.fetchers.feeds.feed",
    "simplecast": "aggregator.fetchers.feeds.simplecast",
    "apple": "aggregator.fetchers.apple.apple",
    "blog": "aggregator.fetchers.blog.blog",
    "listing": "aggregator.fetchers.directories.listing",
    "page": "aggregator.fetchers.directories.page",
    "jsonfeed": "aggregator.fetchers.feeds.jsonfeed",
}
PLACED = MODULES.keys() - {"apple"}
"""The kinds that are asked where the config says: to say so of a source that is not due, no reader is loaded."""


class Kind(Protocol):
    """What a module must offer to speak for a kind of source; both functions are pure."""

    def locate(self, source: Source) -> tuple[str, ...]:
        """The addresses to ask, in order; none where only a path or a snapshot speaks."""

    def read(self, document: Document) -> Listing:
        """What the document says; raises ``ReadError``, and nothing else, where it cannot be understood.

        Keys survive a re-reading. What shows some items only says so (``Listing.partial``).
        """


def kinds() -> tuple[str, ...]:
    """Every kind that can be read here: the built-in ones in the order of their table, then those of packages."""
    foreign = metadata.entry_points(group=ENTRY_POINTS).names
    return (*MODULES, *sorted(foreign - MODULES.keys()))


def locate(source: Source) -> tuple[str, ...]:
    """The addresses to ask for the source; none where its config names a local path."""
    if source.path or (source.kind in PLACED and not source.url):
        return ()
    return (source.url,) if source.kind in PLACED and source.url else _module(source).locate(source)


def discover(document: Document) -> tuple[str, ...]:
    """The addresses that the document hands on to (a page that names its feed), best first; none otherwise.

    A kind whose addresses may lead to such pages has a third function of this name.
    """
    finder = getattr(_module(document.source), "discover", None)
    return tuple(finder(document)) if finder else ()


def read(document: Document) -> Listing:
    """What the document says, keys made unique and ``only`` applied; raises ``ReadError`` where nothing is understood.

    A feed that is sound and empty gives an empty listing; a page that gives neither an item nor a show does not.
    """
    name = document.source.name
    if not document.body.strip():
        raise ReadError(f"{name}: the document is empty ({document.url})")
    listing = length_limits.measured(_module(document.source).read(document))
    if not listing.entries and listing.show.title is None:
        raise ReadError(f"{name}: nothing in the document was understood ({document.url})")
    chosen = [entry for entry in listing.entries if _belongs(entry, document.source.only, listing)]
    entries, remarks = entry_keys.unique(chosen)
    if listing.entries and not chosen:
        remarks += (f"none of the {len(listing.entries)} entries is what only asks for",)
    return replace(listing, entries=entries, remarks=listing.remarks + remarks)


def recorded(source: Source) -> tuple[Document, ...]:
    """The local documents of the source (its path, else its snapshot); errors as in ``recording.recorded``."""
    return snapshot.recorded(source)


def _module(source: Source) -> Kind:
    """The module that speaks for the source's kind; raises ``ReadError`` for a kind nobody speaks for."""
    if path := MODULES.get(source.kind):
        points = metadata.EntryPoints([metadata.EntryPoint(source.kind, path, ENTRY_POINTS)])
    else:
        points = metadata.entry_points(group=ENTRY_POINTS, name=source.kind)
    for point in points:
        kind: Kind = point.load()
        return kind
    raise ReadError(f'{source.name}: nobody speaks for the kind "{source.kind}"; there are {", ".join(kinds())}')


def _belongs(entry: Entry, only: Only, listing: Listing) -> bool:
    """Whether an entry is of the show and the category, and its title has the pattern, of those that are asked for."""
    if only.show is not None and fold(only.show) != fold(entry.show or listing.show.title or ""):
        return False
    if only.category is not None and fold(only.category) not in map(fold, entry.categories):
        return False
    return only.title is None or re.search(only.title, entry.title) is not None
