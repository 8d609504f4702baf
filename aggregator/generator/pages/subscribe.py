"""Subscribe links: the addresses that make a podcast app offer one feed.

``antennapod.org/deeplink``, ``feed:`` and ``www.subscribeonandroid.com`` stand in AntennaPod's manifest (2026). The
other schemes are the ones that link collections agree on: Apple, Pocket Casts, Castro, Podcast Addict and gPodder
put their scheme in the place of the feed's own, Overcast alone takes the whole address, percent-encoded.
"""

from __future__ import annotations

import colorsys
import hashlib
import ipaddress
from typing import Literal
from urllib.parse import quote, urlsplit

import segno
from markupsafe import Markup
from msgspec import Struct

from aggregator.translation.marks import N_

_Reach = Literal["device", "server"]

# (name, where it runs, template, who fetches the feed). {bare} is HOST/PATH, {url} the address, {encoded} all of it
# percent-encoded. "server" is an app whose maker's servers fetch the feed: it cannot see a feed on this machine.
_APPS: tuple[tuple[str, str, str, _Reach], ...] = (
    ("AntennaPod", "Android", "https://antennapod.org/deeplink/subscribe?url={encoded}", "device"),
    ("Apple Podcasts", "iPhone, iPad, Mac", "podcast://{bare}", "server"),
    ("Overcast", "iPhone, iPad", "overcast://x-callback-url/add?url={encoded}", "server"),
    ("Pocket Casts", "Android, iPhone", "pktc://subscribe/{bare}", "server"),
    ("Castro", "iPhone", "castro://subscribe/{bare}", "server"),
    ("Podcast Addict", "Android", "podcastaddict://{bare}", "device"),
    ("gPodder", "Linux, Windows, Mac", "gpodder://{bare}", "device"),
    (N_("Any Android app"), N_("asks which one"), "https://www.subscribeonandroid.com/{bare}", "device"),
    (N_("Any feed reader"), N_("feed: link"), "feed:{url}", "device"),
)


class _Link(Struct, frozen=True):
    """One button: the app's name, where it runs, and the address that opens it."""

    app: str
    platform: str
    href: str


def make_links(url: str, *, has_audio: bool = True) -> tuple[_Link, ...]:
    """Return the buttons for one feed, without podcast apps if it has no audio (not ``has_audio``).

    Apps whose servers cannot reach the feed are left out.

    >>> [link.href for link in make_links("https://example.org/a/podcast.xml")][3]
    'pktc://subscribe/example.org/a/podcast.xml'
    >>> [link.app for link in make_links("http://localhost:8000/a/podcast.xml")]
    ['AntennaPod', 'Podcast Addict', 'gPodder', 'Any Android app', 'Any feed reader']
    """
    bare = url.partition("://")[2] or url
    parts = {"url": url, "bare": bare, "encoded": quote(url, safe="")}
    public = is_public(url)
    return tuple(
        _Link(app, platform, template.format_map(parts))
        for app, platform, template, reach in _APPS
        if (public or reach == "device") and (has_audio or template.startswith("feed:"))
    )


def is_public(url: str) -> bool:
    """Return whether a server on the Internet could fetch this URL, judged by its host name.

    >>> (
    ...     is_public("https://feeds.example.org/a"),
    ...     is_public("http://192.168.1.4:8000/a"),
    ...     is_public("http://nas.local/a"),
    ... )
    (True, False, False)
    """
    host = (urlsplit(url).hostname or "").rstrip(".")
    try:
        return ipaddress.ip_address(host).is_global
    except ValueError:
        return "." in host and not host.endswith((".local", ".localhost", ".lan", ".internal", ".home.arpa"))


def is_loopback(url: str) -> bool:
    """Return whether this URL leads to the machine that opens it, judged by its host name.

    >>> [is_loopback(f"http://{host}:8000/a") for host in ("localhost", "127.0.0.1", "[::1]", "0.0.0.0", "nas.local")]
    [True, True, True, True, False]
    """
    host = (urlsplit(url).hostname or "").rstrip(".")
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
    return address.is_loopback or address.is_unspecified


# Degrees of hue, 24 apart: neighbours differ to the eye, and white text on each keeps a contrast of at least 4.5:1
# at the saturation and lightness below (checked in the tests).
_HUES = 15
_SATURATION, _LIGHTNESS = 0.42, 0.34

# One of the standard's eight patterns (ISO/IEC 18004, 7.8). To try all and take the best is four fifths of the cost of
# a code, and every scanner reads each: at the size drawn here, on a screen, nothing is gained by it.
_MASK = 3


def make_qr_code(text: str, title: str = "QR code") -> Markup:
    """Draw a QR code as an SVG element, black on white with the quiet zone that scanners need.

    >>> make_qr_code("https://example.org/").startswith("<svg")
    True
    """
    code = segno.make(text, error="m", micro=False, mask=_MASK)
    drawn: str = code.svg_inline(
        border=4, dark="#000", light="#fff", omitsize=True, svgclass="qr", lineclass=None, title=title
    )
    described = drawn.replace("<svg ", '<svg role="img" shape-rendering="crispEdges" ', 1)
    return Markup(described)  # noqa: S704 - the text is drawn, not written


def draw_tile(name: str, title: str) -> Markup:
    """Draw the show's initials on a colour chosen by its name, as an SVG element that screen readers skip."""
    red, green, blue = _choose_colour(name)
    return Markup(
        '<svg class="tile" viewBox="0 0 120 120" aria-hidden="true" focusable="false">'
        '<rect width="120" height="120" fill="rgb({},{},{})"/>'
        '<circle cx="120" cy="0" r="72" fill="#fff" fill-opacity=".08"/>'
        '<circle cx="0" cy="120" r="54" fill="#000" fill-opacity=".10"/>'
        '<text x="60" y="63" text-anchor="middle" dominant-baseline="middle" font-size="46" font-weight="700" '
        'fill="#fff">{}</text></svg>'
    ).format(red, green, blue, _make_initials(title))


def _choose_colour(name: str) -> tuple[int, int, int]:
    """Return the colour for a name as red, green and blue from 0 to 255; deterministic."""
    hue = hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()[0] % _HUES * (360 // _HUES)
    red, green, blue = colorsys.hls_to_rgb(hue / 360, _LIGHTNESS, _SATURATION)
    return round(255 * red), round(255 * green), round(255 * blue)


def _make_initials(title: str) -> str:
    """Return at most two letters for a title.

    >>> (
    ...     _make_initials("PyTorch Developer Podcast"),
    ...     _make_initials("  99% Invisible"),
    ...     _make_initials("…"),
    ...     _make_initials("日本語"),
    ... )
    ('PD', '9I', '♪', '日')
    """
    words = [word for word in (part.strip("\"'“”‘’([{#") for part in title.split()) if word[:1].isalnum()]
    return "".join(word[0].upper() for word in words[:2]) or "♪"
