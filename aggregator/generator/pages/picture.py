"""Pictures drawn here, as inline SVG: the QR code of an address, and a tile that stands for artwork.

Artwork lives on the sources' hosts, and the page asks no other host for anything until its reader does. The tile
is what is seen before that: the show's initials on a colour of its own.
"""

from __future__ import annotations

import hashlib
from xml.sax.saxutils import escape

import segno

# Degrees of hue, 24 apart: neighbours are told apart, and white text on each keeps a contrast of at least 4.5:1
# at the saturation and lightness below (checked in the tests).
HUES = 15
SATURATION, LIGHTNESS = 0.42, 0.34

# One of the standard's eight patterns (ISO/IEC 18004, 7.8). To try all and take the best is four fifths of the cost of
# a code, and every scanner reads each: at the size drawn here, on a screen, nothing is gained by it.
MASK = 3


def qr(text: str) -> str:
    """The QR code of a text as an SVG element, black on white with the quiet zone that scanners need.

    >>> qr("https://example.org/").startswith("<svg")
    True
    """
    code = segno.make(text, error="m", micro=False, mask=MASK)
    drawn: str = code.svg_inline(
        border=4, dark="#000", light="#fff", omitsize=True, svgclass="qr", lineclass=None, title="QR code"
    )
    return drawn.replace("<svg ", '<svg role="img" shape-rendering="crispEdges" ', 1)


def tile(name: str, title: str) -> str:
    """The show's initials on a colour that its name decides, as an SVG element that screen readers pass over."""
    red, green, blue = colour(name)
    letters = escape(initials(title))
    return (
        '<svg class="tile" viewBox="0 0 120 120" aria-hidden="true" focusable="false">'
        f'<rect width="120" height="120" fill="rgb({red},{green},{blue})"/>'
        '<circle cx="120" cy="0" r="72" fill="#fff" fill-opacity=".08"/>'
        '<circle cx="0" cy="120" r="54" fill="#000" fill-opacity=".10"/>'
        '<text x="60" y="63" text-anchor="middle" dominant-baseline="middle" font-size="46" font-weight="700" '
        f'fill="#fff">{letters}</text></svg>'
    )


def colour(name: str) -> tuple[int, int, int]:
    """The tile's colour as red, green and blue from 0 to 255: always the same for one name."""
    hue = hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()[0] % HUES * (360 // HUES)
    reach = SATURATION * min(LIGHTNESS, 1 - LIGHTNESS)

    def channel(offset: int) -> int:
        turn = (offset + hue / 30) % 12
        return round(255 * (LIGHTNESS - reach * max(-1, min(turn - 3, 9 - turn, 1))))

    return channel(0), channel(8), channel(4)


def initials(title: str) -> str:
    """At most two letters that stand for a title.

    >>> initials("PyTorch Developer Podcast"), initials("  99% Invisible"), initials("…"), initials("日本語")
    ('PD', '9I', '♪', '日')
    """
    words = [word for word in (part.strip("\"'“”‘’([{#") for part in title.split()) if word[:1].isalnum()]
    return "".join(word[0].upper() for word in words[:2]) or "♪"
