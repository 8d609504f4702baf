"""Parse a document by the module of its kind, in a parser process, which has no network and writes no files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial, wraps
from typing import IO, Any, Final, TypeVar

from msgspec.structs import replace

from aggregator.errors import ReadError
from aggregator.fetchers import opml, registry
from aggregator.fetchers.directories import outline, proposals
from aggregator.fetchers.feeds import known_elements
from aggregator.fetchers.feeds.known_elements import OtherElementsError
from aggregator.fetchers.parser_process import MOST_ITEMS
from aggregator.fetchers.parsing import enclosures, html_page
from aggregator.fetchers.parsing.bombs import check_bombs
from aggregator.fetchers.parsing.entries import limit_lengths, make_keys_unique
from aggregator.model.entry import Entry, Listing
from aggregator.model.record import encode_msgpack
from aggregator.model.source import Document, Filter
from aggregator.sandbox import calls
from aggregator.text import html
from aggregator.text.fold import fold
from aggregator.text.times import dates
from aggregator.translation.marks import N_

R = TypeVar("R")

_ENTRIES: Final = 100
"""Entries in one part, so that neither process holds all of a long listing in encoded form."""

_START: Final = 2000
"""Bytes of a document in which its first element is looked for."""

_FEED: Final = re.compile(rb"<(?:rss|feed|(?:\w+:)?RDF)[\s>]")

for _name in registry.KINDS:
    registry.load(_name)  # before the process is forked for each document
dates.preload()
known_elements.get_code()


def run(task: bytes, out: IO[bytes], _note: Callable[[str], None]) -> None:
    """Call the function that the task names, in a fork."""
    functions: dict[str, Callable[..., Any]] = {
        "read": partial(_read, out),
        "discover": _guard(discover),
        "propose": _guard(proposals.propose),
        "outline": _guard(outline.make_outline),
        "pick": _guard(outline.pick),
        "subscriptions": opml.read,
    }
    calls.answer(functions, task, out)


def _guard(function: Callable[..., R]) -> Callable[..., R]:
    """Have a function refuse documents that are made to be expensive, and those that are nested too deep."""

    @wraps(function)
    def guarded(document: Document, *more: object) -> R:
        with _refusing_bombs(document.body, MOST_ITEMS):
            return function(document, *more)

    return guarded


@contextmanager
def _refusing_bombs(body: bytes, most_items: int) -> Iterator[None]:
    check_bombs(body, most_items)
    try:
        yield
    except RecursionError as error:
        raise ReadError("it is nested too deep to be parsed") from error


def _read(out: IO[bytes], document: Document, most_items: int) -> Listing:
    """Return the listing of a document without its entries, which are written before it in parts."""

    def read_listing(rest: Document) -> Listing:
        with _refusing_bombs(rest.body, most_items):
            return _read_listing(rest)

    listing = _read_rest(document, read_listing)
    if len(listing.entries) > most_items:
        raise ReadError(f"it lists more than {most_items} items")
    for start in range(0, len(listing.entries), _ENTRIES):
        calls.write_part(out, encode_msgpack(listing.entries[start : start + _ENTRIES]))
    return replace(listing, entries=())


def discover(document: Document) -> tuple[str, ...]:
    """Return the addresses of the feeds that a page names, best first; none if the kind does not look for them."""
    find = getattr(registry.load(document.source.kind), "discover", None)
    return tuple(find(document)) if find else ()


def read(document: Document) -> Listing:
    """Return the listing of a document with unique keys, long texts cut, and only the shows that the config selects.

    Raise ReadError for a document that is not understood, such as a page without an item or title. A sound feed without
    items gives an empty listing.
    """
    return _read_rest(document, _read_listing)


def _read_rest(document: Document, read_listing: Callable[[Document], Listing]) -> Listing:
    """Return the listing of a document, of which elements that are known are left out first."""
    rest = known_elements.leave_out(document)
    try:
        return read_listing(rest)
    except ReadError:
        if rest.body == document.body:
            raise
    except OtherElementsError:
        pass
    return read_listing(document)


def _read_listing(document: Document) -> Listing:
    name = document.source.name
    if not document.body.strip():
        raise ReadError(f"{name}: the document is empty ({document.url})")
    listing = limit_lengths(registry.load(_find_kind(document)).read(document), document.known or ())
    if not listing.entries and listing.show.title is None:
        raise ReadError(f"{name}: nothing in the document was understood ({document.url})")
    genre = dict(document.source.options).get("genre")
    shown = (replace(_show_images(document, each), genre=genre or each.genre) for each in listing.entries)
    chosen = [entry for entry in shown if _is_of_show(entry, document.source.filter, listing)]
    entries, remarks = make_keys_unique(chosen)
    if listing.entries and not chosen:
        count = len(listing.entries)
        remarks += (N_(f"none of the {count} entries is of the show that the config asks for"),)
    show = listing.show
    if show.title:
        show = replace(show, title=html.to_line(show.title) or show.title)
    return replace(listing, entries=entries, show=show, remarks=listing.remarks + remarks)


def _find_kind(document: Document) -> str:
    """Return the kind that the document is read as: a host may write its feed in another format from one day on."""
    kind, start = document.source.kind, document.body[:_START].lstrip(b"\xef\xbb\xbf \t\r\n")
    if kind == "feed" and b"jsonfeed.org/version" in document.body and not _FEED.search(start):
        return "jsonfeed"
    if kind == "jsonfeed" and start.startswith(b"<") and _FEED.search(start):
        return "feed"
    return kind


def _show_images(document: Document, entry: Entry) -> Entry:
    """Return the entry with the real addresses of the lazy images in its text."""
    shown = html_page.show_lazy_images(entry.html) if entry.html else None
    if shown is None or shown == entry.html:
        return entry
    resolved = enclosures.resolve_markup(entry.link or enclosures.find_base(document), shown)
    return replace(entry, html=resolved, element=None)


def _is_of_show(entry: Entry, chosen: Filter, listing: Listing) -> bool:
    """Return whether an entry is of a show that the config asks for; other conditions are for what is stored."""
    show = fold(entry.show or listing.show.title or "")
    only, excluded = ({fold(name) for name in each.show} for each in (chosen.only, chosen.exclude))
    return show not in excluded and (not only or show in only)
