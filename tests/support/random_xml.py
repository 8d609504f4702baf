"""Feeds as programs print them: every item from one of a few templates, with odd items and odd places among them."""

from __future__ import annotations

import random
from xml.sax.saxutils import escape, quoteattr

from tests.support.random_feeds import ATTRIBUTES, SPACES, WORDS

NAMES = (
    *("title", "link", "guid", "pubDate", "description", "content:encoded", "enclosure", "category", "author"),
    *("dc:creator", "itunes:author", "itunes:summary", "itunes:subtitle", "itunes:duration", "itunes:season"),
    *("itunes:episode", "itunes:episodeType", "itunes:explicit", "itunes:image", "itunes:keywords", "itunes:title"),
    *("feedburner:origLink", "podcast:transcript", "podcast:person", "podcast:season", "podcast:episode", "comments"),
    *("x:thing", "slash:comments", "nobody:knows", "media:content", "source", "atom:link", "Title", "pubdate"),
)
SURELY = NAMES[:9]
OWN = {
    "enclosure": ("url", "length", "type"),
    "itunes:image": ("href",),
    "guid": ("isPermaLink",),
    "category": ("domain",),
    "podcast:transcript": ("url", "type"),
    "podcast:person": ("role", "href"),
}
VALUES = {
    "url": ["https://example.org/e/1.mp3", "e/2.m4a", "https://cdn.simplecast.com/audio/a/episodes/b/x.mp3?a=1&b=2"],
    "type": ["audio/mpeg", "Audio/MPEG", "video/mp4", "text/html", ""],
    "length": ["12", "0", "-1", "", "9" * 30],
    "isPermaLink": ["true", "false", "True"],
    "href": ["https://example.org/a.jpg", "a.jpg", ""],
    "domain": ["https://example.org/", "a&b"],
    "role": ["host", 'a "guest"'],
}
ODD_ITEMS = (
    "<item/>",
    "<item></item>",
    "<item><title>One<!-- aside --></title></item>",
    "<item><title>One</title><description><b>bold</b></description></item>",
    "<item x='1'><title>Two</title></item>",
    "<item><title>Three &#8217; &#x2019;</title><guid>https://example.org/3</guid></item>",
)
BROKEN = (
    "<item><title>One & two</title></item>",
    "<item><title>&nbsp;</title></item>",
    "<item><title>&#0;</title></item>",
    "<item><title>]]></title></item>",
    "<item><title>One</title><enclosure url='a' url='b'/></item>",
    "<item><title>One</title><none:such>x</none:such></item>",
    "<item><title>One</title>",
    "<item><title>One</titel></item>",
)
BESIDE = (
    "<!-- <item><title>In a comment</title></item> -->",
    "<ttl>60</ttl>",
    "<description><![CDATA[<item><title>In a section</title></item>]]></description>",
    "<x:thing><item><title>Elsewhere</title></item></x:thing>",
    "<?program <item><title>In an instruction</title></item> ?>",
    "text between",
    "<image><title>Picture</title><url>https://example.org/p.png</url></image>",
    "<atom:link xmlns:atom='http://www.w3.org/2005/Atom' rel='hub' href='https://example.org/'/>",
    "<link xmlns='http://www.w3.org/2005/Atom' rel='hub' href='https://example.org/'/>",
    "<x:thing xmlns:itunes='https://example.org/another'/>",
    "<content:encoded>One</content:encoded><content:encoded>Two</content:encoded>",
    "<itunes:summary>One</itunes:summary><itunes:summary>Two</itunes:summary>",
)


def feed(dice: random.Random, items: int = 18) -> bytes:
    """A feed of RSS 2.0 with so many items and a few odd ones; not always well-formed."""
    templates = [_template(dice) for _ in range(dice.choice((1, 1, 1, 2, 3)))]
    printed = [_item(dice, dice.choice(templates)) for _ in range(items)]
    for few, odd in ((3, ODD_ITEMS), (3, BESIDE), (1, BROKEN)):
        for _ in range(dice.choice((0, 0, 0, 0, few))):
            printed.insert(dice.randrange(len(printed) + 1), dice.choice(odd))
    blank = dice.choice(("", "\n", "\r\n  ", " \t"))
    spaces = "".join(f' xmlns:{prefix}="{address}"' for prefix, address in SPACES.items())
    spaces += dice.choice(
        ("", "", "", ' xmlns="http://backend.userland.com/rss2"', ' xmlns="http://purl.org/rss/1.0/"')
    )
    spaces += dice.choice(("", ' xmlns:nobody="https://example.org/nobody"'))
    head = "".join(f"<{name}>{_text(dice)}</{name}>" for name in ("title", "link", "language", "itunes:author"))
    return f'<rss version="2.0"{spaces}><channel>{head}{blank}{blank.join(printed)}{blank}</channel></rss>'.encode()


def _template(dice: random.Random) -> list[tuple[str, tuple[str, ...], int]]:
    """The elements of an item in their order: name, attributes, and how the text is written."""
    names = (
        [SURELY[0]] * (dice.random() < 0.9)
        + dice.sample(SURELY[1:], dice.randint(1, 8))
        + dice.sample(NAMES[9:27], dice.randint(0, 8))
    )
    names += dice.choices(NAMES[27:], k=dice.choice((0, 0, 0, 1)))
    names += dice.choices(("category", "podcast:person", "title"), (5, 5, 1), k=dice.choice((0, 0, 0, 1, 2)))
    dice.shuffle(names)
    told = []
    for name in names:
        own = OWN.get(name, ())
        keys = own if dice.random() < 0.97 else dice.sample(sorted(ATTRIBUTES), 1)
        told.append((name, tuple(keys), dice.choice((0, 0, 0, 1, 1, 2, 3))))
    return told


def _item(dice: random.Random, template: list[tuple[str, tuple[str, ...], int]]) -> str:
    parts = []
    for name, keys, way in template:
        said = "".join(f" {key}={quoteattr(dice.choice(VALUES.get(key) or ATTRIBUTES[key]))}" for key in keys)
        text = _text(dice)
        if way == 1 and "&lt;![" not in text:
            parts.append(f"<{name}{said}><![CDATA[{dice.choice(WORDS).replace(']]>', '')}]]></{name}>")
        elif way == 2 and keys:
            parts.append(f"<{name}{said}/>")
        elif dice.random() < 0.97:
            parts.append(f"<{name}{said}>{text}</{name}>")
    return f"<item>{dice.choice(('', ' '))}{dice.choice(('', chr(10))).join(parts)}</item>"


def _text(dice: random.Random) -> str:
    return escape(dice.choice(WORDS), {'"': "&quot;"} if dice.random() < 0.3 else {})


def changed(dice: random.Random, body: bytes) -> bytes:
    """The feed with one small change, most of which leave it not well-formed."""
    start = dice.randrange(len(body))
    end = start + dice.choice((0, 1, 1, 4))
    piece = dice.choice(
        (b"", b"<", b">", b"&", b"]]>", b"<![CDATA[", b"&amp;", b"&#13;", b"\x0b", b"\xff", b"<x/>", b'"')
    )
    return body[:start] + piece + body[end:]
