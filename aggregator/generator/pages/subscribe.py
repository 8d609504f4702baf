"""Subscribe links: the addresses that make a podcast app offer one feed.

``antennapod.org/deeplink``, ``feed:`` and ``www.subscribeonandroid.com`` stand in AntennaPod's manifest (2026). The
other schemes are the ones that link collections agree on: Apple, Pocket Casts, Castro, Podcast Addict and gPodder
put their scheme in the place of the feed's own, Overcast alone takes the whole address, percent-encoded.
"""

from __future__ import annotations

import ipaddress
from typing import Literal
from urllib.parse import quote, urlsplit

from msgspec import Struct

Reach = Literal["device", "server"]

# (name, where it runs, template, who fetches the feed). {bare} is HOST/PATH, {url} the address, {encoded} all of it
# percent-encoded. "server" is an app whose maker's servers fetch the feed: it cannot see a feed on this machine.
APPS: tuple[tuple[str, str, str, Reach], ...] = (
    ("AntennaPod", "Android", "https://antennapod.org/deeplink/subscribe?url={encoded}", "device"),
    ("Apple Podcasts", "iPhone, iPad, Mac", "podcast://{bare}", "server"),
    ("Overcast", "iPhone, iPad", "overcast://x-callback-url/add?url={encoded}", "server"),
    ("Pocket Casts", "Android, iPhone", "pktc://subscribe/{bare}", "server"),
    ("Castro", "iPhone", "castro://subscribe/{bare}", "server"),
    ("Podcast Addict", "Android", "podcastaddict://{bare}", "device"),
    ("gPodder", "Linux, Windows, Mac", "gpodder://{bare}", "device"),
    ("Any Android app", "asks which one", "https://www.subscribeonandroid.com/{bare}", "device"),
    ("Any feed reader", "feed: link", "feed:{url}", "device"),
)


class Link(Struct, frozen=True):
    """One button: the app's name, where it runs, and the address that opens it."""

    app: str
    platform: str
    href: str


def links(url: str, *, heard: bool = True) -> tuple[Link, ...]:
    """The buttons for one feed; apps whose servers could not reach it are left out, and those for podcasts where
    nothing is ``heard``.

    >>> [link.href for link in links("https://example.org/a/podcast.xml")][3]
    'pktc://subscribe/example.org/a/podcast.xml'
    >>> [link.app for link in links("http://localhost:8000/a/podcast.xml")]
    ['AntennaPod', 'Podcast Addict', 'gPodder', 'Any Android app', 'Any feed reader']
    """
    bare = url.partition("://")[2] or url
    parts = {"url": url, "bare": bare, "encoded": quote(url, safe="")}
    open_to_all = public(url)
    return tuple(
        Link(app, platform, template.format_map(parts))
        for app, platform, template, reach in APPS
        if (open_to_all or reach == "device") and (heard or template.startswith("feed:"))
    )


def public(url: str) -> bool:
    """Whether a server elsewhere could fetch this address, as far as its host name tells.

    >>> public("https://feeds.example.org/a"), public("http://192.168.1.4:8000/a"), public("http://nas.local/a")
    (True, False, False)
    """
    host = (urlsplit(url).hostname or "").rstrip(".")
    try:
        return ipaddress.ip_address(host).is_global
    except ValueError:
        return "." in host and not host.endswith((".local", ".localhost", ".lan", ".internal", ".home.arpa"))
