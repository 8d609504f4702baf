"""Find the feeds that an HTML page names (autodiscovery): ``<link rel="alternate">`` with the type of a feed.

HTML Living Standard, 4.6.7.1; the wrong types, and links without one, were seen in real pages. A page may name one show
in several formats of audio: they are one source, so the feed that most players can play comes first. Beside the feed of
a blog, that of its podcast is the show. A page that names none may send its
visitors on (``<meta http-equiv="refresh">``, 4.2.5.3), as hosts without redirects do after a move.
"""

from __future__ import annotations

import re
from urllib.parse import urldefrag

from aggregator.fetchers.parsing import enclosures, html_page, xml
from aggregator.model.source import Document

_TYPES = {
    "application/rss+xml": 0, "application/atom+xml": 0, "application/rdf+xml": 1, "application/feed+json": 2,
    "application/rss": 0, "application/atom": 0, "text/xml": 3, "application/xml": 3, "application/json": 4,
}  # fmt: skip
_OF_COMMENTS = 10  # is added to the rank of a type
_COMMENTS = re.compile(r"comment|kommentar", re.IGNORECASE)
_MP3 = re.compile(r"\bmp3\b", re.IGNORECASE)
_PODCAST = re.compile(r"podcast|episode", re.IGNORECASE)
_OTHER_AUDIO = re.compile(r"\b(?:m4a|aac|oga|ogg|vorbis|opus)\b", re.IGNORECASE)
_NOT_FEEDS = re.compile(r"oembed|/wp-json/|opensearch", re.IGNORECASE)
_FEED_LINK = re.compile(r"(?:\.(?:rss|xml|atom)|/(?:feed|rss|atom)/?)(?:\?|$)|^https?://feeds?\d*\.", re.IGNORECASE)
_SOUNDCLOUD = re.compile(r"soundcloud://users:(\d+)")
_MAX_FEEDS = 20  # addresses
_REFRESH = re.compile(r"""\s*+(\d{1,2})(?:\.\d*+)?\s*+[;,]?\s*+url\s*+=\s*+["']?\s*+([^"'\s]+)""", re.IGNORECASE)
_LONGEST_DELAY = 15  # seconds; a page that is shown for longer is one to read


def find_feeds(document: Document) -> tuple[str, ...]:
    """Return the addresses of the feeds that an HTML page names or is replaced by, none for other documents.

    The best comes first: MP3 before other audio, a podcast before other feeds unless the source is a blog, the page's
    language before others; feeds of comments only if there are no others.
    """
    root = html_page.parse(document)
    if root is None:
        return ()
    base = html_page.find_base(document, root)
    language = (root.get("lang") or "").lower()
    found: dict[str, tuple[int, bool, int, int]] = {}
    for position, link in enumerate(root.iter("link")):
        kind = (link.get("type") or "").partition(";")[0].strip().lower()
        url = enclosures.resolve_url(base, link.get("href"))
        words = f"{link.get('title') or ''} {url}"
        if url is None or link.get("media") or _NOT_FEEDS.search(words) or not _names_feed(link, kind, url):
            continue
        other_language = not language.startswith((link.get("hreflang") or "").lower())
        rank = _TYPES.get(kind, 0) + (_OF_COMMENTS if _COMMENTS.search(words) else 0)
        found.setdefault(url, (rank, other_language, _rank_format(words, document.source.kind), position))
    best = sorted(found, key=lambda url: found[url])[:_MAX_FEEDS]
    own = [url for url in best if found[url][0] < _OF_COMMENTS]
    return tuple(own or best) or _find_app_feed(root) or _find_refresh(root, base, document.url)


def _find_app_feed(root: xml.Element) -> tuple[str, ...]:
    """Return the feed of a page of SoundCloud, which names its user only for its app; none for other pages."""
    links = (meta.get("content") or "" for meta in root.iter("meta") if meta.get("property") == "al:ios:url")
    users = (found[1] for link in links if (found := _SOUNDCLOUD.fullmatch(link)))
    return tuple(f"https://feeds.soundcloud.com/users/soundcloud:users:{user}/sounds.rss" for user in users)


def is_feed_link(url: str) -> bool:
    """Return whether an address is written like one of a feed."""
    return _FEED_LINK.search(url) is not None


def _names_feed(link: xml.Element, kind: str, url: str) -> bool:
    """Return whether a link names a feed: by its type, or without one by its address, if it is no translation."""
    relations = (link.get("rel") or "").lower().split()
    is_typed = kind in _TYPES or (not kind and not link.get("hreflang") and is_feed_link(url))
    return is_typed and not {"alternate", "feed"}.isdisjoint(relations)


def _rank_format(words: str, kind: str) -> int:
    """Return the rank of a feed by what its title and address say of its files, the best least."""
    if _MP3.search(words):
        return 0
    if _OTHER_AUDIO.search(words):
        return 3
    return 1 if kind != "blog" and _PODCAST.search(words) else 2


def _find_refresh(root: xml.Element, base: str, page: str) -> tuple[str, ...]:
    """Return the address that a page sends its visitors to at once, if it is another one."""
    for meta in root.iter("meta"):
        asked = _REFRESH.match(meta.get("content") or "")
        if asked and (meta.get("http-equiv") or "").strip().lower() == "refresh" and int(asked[1]) <= _LONGEST_DELAY:
            url = enclosures.resolve_url(base, asked[2])
            return () if url is None or urldefrag(url).url == urldefrag(page).url else (url,)
    return ()
