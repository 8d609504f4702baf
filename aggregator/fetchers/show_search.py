"""Ask public catalogues for the addresses at which a show is listed.

Each catalogue is asked by what it can search: the show's ids where it knows them, else its title. Sources of the forms:

- Apple: https://performance-partners.apple.com/search-api, which asks for at most about 20 requests a minute
- Podcast Index: https://podcastindex-org.github.io/docs-api/, with a key of one's own
- fyyd: https://github.com/eazyliving/fyyd-api
- gpodder.net: https://gpoddernet.readthedocs.io/en/latest/api/reference/directory.html
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from hashlib import sha1
from typing import Any, Final
from urllib.parse import quote

import msgspec
from msgspec import Struct

from aggregator.model.source import Request
from aggregator.text.fold import fold

KEY, SECRET = "PODCASTINDEX_KEY", "PODCASTINDEX_SECRET"
"""Environment variables with the key of Podcast Index: its terms forbid one in a program."""

_MAX_SHOWS: Final = 10
"""Shows of one answer that are looked at: the best come first."""

_ADDRESS: Final = re.compile(rb"https?://[A-Za-z0-9.-]{1,253}(?::\d{1,5})?/[^\s\"'<>\\)\]]{1,1500}")

_FEED: Final = re.compile(r"(?i)[/.](?:feed|rss|podcast)s?(?:[/.?]|$)|[.](?:xml|rss|atom)(?:[?]|$)")
_LONGEST_PAGE: Final = 2_000_000

_Document = Mapping[str, Any]


class ShowQuery(Struct, frozen=True):
    """Facts by which a show is searched; ``apple`` is its number there, ``guid`` its podcast:guid, empty if unknown."""

    title: str
    apple: str = ""
    guid: str = ""
    feeds: tuple[str, ...] = ()


class Catalogue(Struct, frozen=True):
    """A catalogue: its name, its address, the paths at which it is asked about a show, and the reader of an answer.

    The reader yields the title and the address of each show; ``is_keyed`` is whether it needs the key of the
    environment.
    """

    name: str
    base: str
    list_paths: Callable[[ShowQuery], list[str]]
    read: Callable[[Any], Iterator[tuple[str, str]]]
    is_keyed: bool = False


def list_requests(catalogue: Catalogue, show: ShowQuery, now: datetime) -> list[Request]:
    """Return the requests to a catalogue about a show; none if it needs a key that the environment lacks."""
    headers: tuple[tuple[str, str], ...] = ()
    if catalogue.is_keyed:
        key, secret = os.environ.get(KEY, ""), os.environ.get(SECRET, "")
        if not (key and secret):
            return []
        at = str(int(now.timestamp()))
        signed = sha1(f"{key}{secret}{at}".encode(), usedforsecurity=False).hexdigest()
        headers = (("X-Auth-Key", key), ("X-Auth-Date", at), ("Authorization", signed))
    return [Request(f"{catalogue.base}{path}", headers) for path in catalogue.list_paths(show)]


def read_shows(catalogue: Catalogue, body: bytes, show: ShowQuery) -> list[tuple[str, str]]:
    """Return title and address of the shows in an answer with the title of this one; ValueError if it is none."""
    try:
        found = list(catalogue.read(msgspec.json.decode(body)))
    except (msgspec.DecodeError, LookupError, TypeError, AttributeError) as error:
        raise ValueError("its answer cannot be read") from error
    wanted = fold(show.title)
    return [
        (title, url)
        for title, url in found[: 2 * _MAX_SHOWS]
        if url and (fold(title) in wanted or wanted in fold(title))
    ]


def find_links(body: bytes) -> Iterator[str]:
    """Yield the web addresses that stand in a page, wherever: buttons, JSON-LD, scripts; each once."""
    text = body[:_LONGEST_PAGE].replace(b"\\/", b"/").replace(b"&amp;", b"&")
    yield from dict.fromkeys(match[0].decode("ascii", "ignore") for match in _ADDRESS.finditer(text))


def is_feed_like(url: str) -> bool:
    """Return whether an address looks like one of a feed.

    >>> is_feed_like("https://show.example/feed/"), is_feed_like("https://show.example/about")
    (True, False)
    """
    return _FEED.search(url) is not None


def _list_apple_paths(show: ShowQuery) -> list[str]:
    if show.apple:
        return [f"/lookup?id={quote(show.apple)}&entity=podcast"]
    return [f"/search?media=podcast&entity=podcast&limit={_MAX_SHOWS}&term={quote(show.title)}"]


def _read_apple(answer: _Document) -> Iterator[tuple[str, str]]:
    for each in answer["results"]:
        title = each.get("collectionName", "")
        if number := each.get("collectionId"):
            yield title, f"https://podcasts.apple.com/podcast/id{number}"
        yield title, each.get("feedUrl", "")


def _list_index_paths(show: ShowQuery) -> list[str]:
    known = (
        *([f"byguid?guid={quote(show.guid)}"] if show.guid else []),
        *([f"byitunesid?id={quote(show.apple)}"] if show.apple else []),
        *(f"byfeedurl?url={quote(url, safe='')}" for url in show.feeds[:1]),
    )
    return [
        *(f"/api/1.0/podcasts/{each}" for each in known),
        f"/api/1.0/search/byterm?q={quote(show.title)}&max={_MAX_SHOWS}",
    ]


def _read_index(answer: _Document) -> Iterator[tuple[str, str]]:
    one = answer.get("feed")
    for each in (*([one] if isinstance(one, dict) else []), *answer.get("feeds", ())):
        title = each.get("title", "")
        yield title, each.get("url", "")
        if number := each.get("itunesId"):
            yield title, f"https://podcasts.apple.com/podcast/id{number}"


CATALOGUES: Final = (
    Catalogue("Apple", "https://itunes.apple.com", _list_apple_paths, _read_apple),
    Catalogue("Podcast Index", "https://api.podcastindex.org", _list_index_paths, _read_index, is_keyed=True),
    Catalogue(
        "fyyd",
        "https://api.fyyd.de",
        lambda show: [f"/0.2/search/podcast?title={quote(show.title)}&count={_MAX_SHOWS}"],
        lambda answer: ((each.get("title", ""), each.get("xmlURL", "")) for each in answer["data"]),
    ),
    Catalogue(
        "gpodder.net",
        "https://gpodder.net",
        lambda show: [f"/search.json?q={quote(show.title)}"],
        lambda answer: ((each.get("title", ""), each.get("url", "")) for each in answer),
    ),
)
