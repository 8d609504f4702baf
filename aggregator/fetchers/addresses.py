"""Normalize addresses that people paste: without a scheme, of apps and directories, of services with a feed."""

from __future__ import annotations

import re
from urllib.parse import unquote

from aggregator.errors import ConfigError
from aggregator.text.urls import is_web
from aggregator.translation.marks import N_

_SCHEMES = re.compile(
    r"(?:feed|itms|itpc|pcast|podcast|rss|antennapod-subscribe|view-source):(?://)?(?=(?P<web>https?://)?)",
    re.IGNORECASE,
)
_HOST = re.compile(r"(?:[\w-]+\.)+[^\W\d_][\w-]+(?::\d+)?(?:[/?#].*)?", re.IGNORECASE)
_LOCAL_HOST = re.compile(r"(?:localhost|(?:\d{1,3}\.){3}\d{1,3}|\[[\da-f:.]+\])(?::\d+)?(?:[/?#].*)?", re.IGNORECASE)

_MISTYPED = re.compile(r"(https?)(?::/?|//)(?![/:])", re.IGNORECASE)

_REWRITTEN = (
    # YouTube has a feed of each channel and playlist; the newest 15 videos, without their lengths.
    (
        r"https?://(?:www\.|m\.)?youtube\.com/channel/(UC[\w-]{22})\b.*",
        r"https://www.youtube.com/feeds/videos.xml?channel_id=\1",
    ),
    (
        r"https?://(?:www\.|m\.|music\.)?youtube\.com/(?:playlist|watch)\?(?:[^#]*&)?list=([\w-]+).*",
        r"https://www.youtube.com/feeds/videos.xml?playlist_id=\1",
    ),
    # These apps name a show by Apple's number.
    (r"https?://overcast\.fm/itunes(\d+).*", r"https://podcasts.apple.com/us/podcast/id\1"),
    (r"https?://(?:pca\.st|castro\.fm)/itunes/(\d+).*", r"https://podcasts.apple.com/us/podcast/id\1"),
    (r"https?://(?:geo|embed)\.((?:itunes|podcasts)\.apple\.com/.*)", r"https://\1"),
    (
        r"https?://itunes\.apple\.com/(?:[a-z]{2}/)?podcast\?(?:[^#]*&)?id=(\d+).*",
        r"https://podcasts.apple.com/us/podcast/id\1",
    ),
    # These have the address of the feed in theirs.
    (r"https?://(?:www\.)?podcastaddict\.com/feed/(https?[%:].*)", r"\1"),
    (r"https?://(?:www\.)?feedly\.com/i/subscription/feed(?:/|%2F)(https?[%:].*)", r"\1"),
    (r"https?://(?:www\.)?antennapod\.org/deeplink/subscribe\?(?:[^#]*&)?url=(https?[%:][^&#]*).*", r"\1"),
    (r"https?://(?:www\.)?subscribeonandroid\.com/(?:https?://)?(.*)", r"https://\1"),
)
_WITHOUT_FEED = (
    (r"https?://(?:open|play)\.spotify\.com/|spotify:", "Spotify"),
    (r"https?://music\.amazon\.[a-z.]+/podcasts|https?://(?:www\.)?audible\.[a-z.]+/", "Amazon"),
    (r"https?://(?:www\.)?pandora\.com/|https?://(?:www\.)?deezer\.com/", N_("This service")),
)


def normalize(text: str) -> str:
    """Return the address that a pasted text stands for; raise ConfigError if there can be none.

    Without a scheme a name stands for https; an IP address and localhost, which seldom have a certificate, for http.

    >>> normalize("example.com/show"), normalize("feed://example.com/rss")
    ('https://example.com/show', 'https://example.com/rss')
    >>> normalize("localhost:8000/show"), normalize("192.168.1.20:8080/rss.xml")
    ('http://localhost:8000/show', 'http://192.168.1.20:8080/rss.xml')
    >>> normalize("https:/example.com/rss"), normalize("'example.com/rss'"), normalize("itms://example.com/rss")
    ('https://example.com/rss', 'https://example.com/rss', 'https://example.com/rss')
    >>> normalize("overcast.fm/itunes1566080008/pytorch-developer-podcast")
    'https://podcasts.apple.com/us/podcast/id1566080008'
    """
    url = _MISTYPED.sub(r"\1://", text.strip().strip("<>\"'"), count=1)
    if (scheme := _SCHEMES.match(url)) is not None:
        url = url[scheme.end() :] if scheme["web"] else f"https://{url[scheme.end() :].lstrip('/')}"
    elif _HOST.fullmatch(url):
        url = f"https://{url}"
    elif _LOCAL_HOST.fullmatch(url):
        url = f"http://{url}"
    for pattern, service in _WITHOUT_FEED:
        if re.match(pattern, url, re.IGNORECASE):
            raise ConfigError(
                f"{service} publishes no feed of its shows: add the show's page at podcasts.apple.com, or its own "
                "site; a show that is nowhere else cannot be aggregated"
            )
    url = find_original(url)
    if not is_web(url):
        raise ConfigError(f'"{text}" is not an http or https URL, and there is no such file')
    return url


def find_original(url: str) -> str:
    """Return the address of the feed, or of the show at Apple, that an address of an app or a service stands for."""
    for pattern, target in _REWRITTEN:
        if (found := re.fullmatch(pattern, url, re.IGNORECASE)) is not None:
            url = unquote(found.expand(target)) if target == r"\1" else found.expand(target)
    return url
