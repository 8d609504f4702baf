"""Read the further pages of a listing, at the host of its first page.

The next page is named by the document (RFC 5005 in RSS and Atom, ``next_url`` in JSON Feed, a path of kind ``json``)
or by the header field Link (RFC 8288). All pages are read each time that the first one has changed, because one new
item moves an item of each page to the next one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias
from urllib.parse import urlsplit

from msgspec.structs import replace

from aggregator.errors import BusyHostError, FetchError, ReadError
from aggregator.fetchers import parser_process
from aggregator.fetchers.http.target import redact
from aggregator.fetchers.parsing.entries import make_keys_unique
from aggregator.model.entry import Listing
from aggregator.model.source import Document, Request
from aggregator.translation.marks import N_

_MOST_PAGES = 20

_CAPS = frozenset({50, 100, 150, 200, 250, 300, 500, 1000})
"""Numbers of newest items that hosts list."""

Page: TypeAlias = tuple[Document, Listing]


def find_next(page: Page) -> str | None:
    """Return the address of the page after one; ``None`` if it is the last one.

    A page in HTML is not continued by the header field: there sites name the next article, too.
    """
    document, listing = page
    return listing.next_url or (None if "html" in (document.media_type or "") else document.next_url)


def describe_end(page: Page) -> str:
    """Return a remark on a feed that seems to list its newest items only and names no older page; empty for others."""
    listing, kind = page[1], page[0].source.kind
    begins = any(entry.episode == 1 and entry.season in (None, 1) for entry in listing.entries)
    if kind not in ("feed", "simplecast", "jsonfeed", "blog") or begins or len(listing.entries) not in _CAPS:
        return ""
    if find_next(page) is not None or page[0].source.history:
        return ""
    count = len(listing.entries)
    return N_(
        f"it lists exactly {count} items and names no page of older ones: if some are missing, name archived copies of "
        f"it under history"
    )


def read_pages(first: Page, request: Request, read_page: Callable[[Request, str | None], Page]) -> tuple[Listing, bool]:
    """Return the first page's listing with the entries of those that follow, and whether all were read.

    ``request`` is that of the first page. ``read_page`` returns a further one; it gets the request, and the address of
    the document that names it if that is not of the host that the config names; it may raise FetchError and ReadError.
    """
    (document, listing), why, is_whole = first, "", True
    entries, keys = list(listing.entries), {entry.key for entry in listing.entries}
    asked, number, next_url = {request.url, document.url}, 1, find_next(first)
    while next_url is not None and next_url not in asked:
        where = _choose_request(next_url, request, document.url)
        if where is None:
            why = N_(f"the next page is at another host, which is not asked: {redact(next_url)}")
            break
        if number == _MOST_PAGES or len(entries) >= parser_process.MOST_ITEMS:
            why = N_(f"only the first {number} pages are read: older items are left out")
            break
        asked.add(next_url)
        number += 1
        try:
            page = read_page(*where)
        except BusyHostError:
            raise
        except (FetchError, ReadError) as error:
            why, is_whole = N_(f"page {number} is missing: {error}"), False
            break
        entries += page[1].entries
        before, keys = len(keys), keys | {entry.key for entry in page[1].entries}
        next_url = find_next(page) if len(keys) > before else None  # some servers repeat a page for any number
    unique, remarks = make_keys_unique(replace(entry, position=at) for at, entry in enumerate(entries))
    remarks = (*listing.remarks, *remarks, *([why] if why else ()))
    return replace(listing, entries=unique, partial=True, remarks=remarks, next_url=None), is_whole


def _choose_request(url: str, first: Request, came_from: str) -> tuple[Request, str | None] | None:
    """Return how a further page is asked for; ``None`` if it is at a host other than the first page's.

    A page at the host to which the first one was redirected gets no header field of the config. Feeds behind HTTPS name
    their pages by HTTP, so the scheme of the first page counts.
    """
    for place in (first.url, came_from):
        if urlsplit(url)[1] == urlsplit(place)[1] and urlsplit(url)[0] in ("http", urlsplit(place)[0]):
            url = urlsplit(url)._replace(scheme=urlsplit(place)[0]).geturl()
            return (replace(first, url=url), None) if place == first.url else (Request(url), came_from)
    return None
