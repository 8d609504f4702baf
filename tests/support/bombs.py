"""Documents made to cost their reader time or memory, by name; each is built when asked for."""

from __future__ import annotations

import json
from collections.abc import Callable

RSS = b"<?xml version='1.0'?><rss version='2.0'><channel><title>t</title>"
END = b"</channel></rss>"
ITEM = b"<item><title>t</title><guid>g</guid></item>"
MEGA = 1_000_000


def rss(inner: bytes, start: bytes = RSS) -> bytes:
    """A feed with this in its channel, after one honest item."""
    return start + ITEM + inner + END


def item(inner: bytes) -> bytes:
    """A feed with one item that holds this."""
    return rss(b"<item><guid>h</guid>" + inner + b"</item>")


def laughs(levels: int, times: int) -> bytes:
    """Entities of entities."""
    lines = [b'<!ENTITY l0 "lol">']
    lines += [b'<!ENTITY l%d "%s">' % (n, b"&l%d;" % (n - 1) * times) for n in range(1, levels)]
    return (
        b"<!DOCTYPE rss [" + b"".join(lines) + b"]>" + rss(b"<description>&l%d;</description>" % (levels - 1), RSS[21:])
    )


PREFLIGHT: dict[str, tuple[Callable[[], bytes], str]] = {
    "billion laughs": (lambda: laughs(10, 10), "declares entities"),
    "quadratic entities": (
        lambda: b'<!DOCTYPE a [<!ENTITY x "%s">]><rss>%s</rss>' % (b"x" * 50_000, b"&x;" * 50_000),
        "declares entities",
    ),
    "external entity": (
        lambda: (
            b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>' + rss(b"<description>&x;</description>", RSS[21:])
        ),
        "declares entities",
    ),
    "parameter entity": (
        lambda: b'<!DOCTYPE a [<!ENTITY % x SYSTEM "http://127.0.0.1/x"> %x;]>' + rss(b"", RSS[21:]),
        "declares entities",
    ),
    "entities in UTF-16": (lambda: laughs(10, 10).decode().encode("utf-16"), "declares entities"),
    "entities in EBCDIC": (
        lambda: (b"<?xml version='1.0' encoding='cp037'?>" + laughs(10, 10)).decode().encode("cp037"),
        "declares entities",
    ),
    "entities in German EBCDIC": (
        lambda: (b"<?xml version='1.0' encoding='cp273'?>" + laughs(10, 10)).decode().encode("cp273"),
        "declares entities",
    ),
    "entities in small letters": (lambda: laughs(10, 10).replace(b"ENTITY", b"entity"), "declares entities"),
    "an author of 8 kB": (lambda: item(b"<author>" + b"a" * 8_000 + b"</author>"), "a person's name"),
    "an author of 2 MB": (lambda: item(b"<author>" + b"a@" * MEGA + b"</author>"), "a person's name"),
    "a creator of 40 kB in CDATA": (
        lambda: item(b"<dc:creator><![CDATA[" + b"a " * 20_000 + b"]]></dc:creator>"),
        "a person's name",
    ),
    "8,000 attributes": (lambda: rss(b"<a " + b" ".join(b"a%d='1'" % n for n in range(8_000)) + b"/>"), "attributes"),
    "4,000 namespaces": (
        lambda: rss(b"<a " + b" ".join(b"xmlns:n%d='u%d'" % (n, n) for n in range(4_000)) + b"/>"),
        "attributes",
    ),
    "30,000 namespaces in elements": (
        lambda: rss(b"".join(b"<a xmlns:n%d='u%d'/>" % (n, n) for n in range(30_000))),
        "namespaces",
    ),
    "200,000 levels": (lambda: rss(b"<a>" * 200_000), "deep"),
    "200,000 levels closed again": (lambda: rss(b"<a>" * 200_000 + b"</a>" * 200_000), "deep"),
    "1,000 levels after rubbish": (lambda: rss(b"<b <c> & " + b"<a>" * 1_000), "deep"),
    "60,000 items": (lambda: rss(ITEM * 60_000), "lists more than 50000 items"),
    "30,000 entries of nothing after 30,000 items": (
        lambda: rss(b"<item/>" * 30_000 + b"<entry/>" * 30_000),
        "lists more than 50000 items",
    ),
    "100,000 brackets": (lambda: rss(b"<" * 100_000), "do not end"),
    "100,000 comments without end": (lambda: rss(b"<!-- " * 100_000), "do not end"),
    "100,000 tags that never opened": (lambda: rss(b"</a>" * 100_000), "never opened"),
    "1,000,000 broken references": (lambda: item(b"<title>" + b"&am" * MEGA + b"</title>"), "broken references"),
}

COSTLY: dict[str, Callable[[], bytes]] = {
    "100,000 items": lambda: rss(ITEM * 100_000),
    "49,000 items": lambda: rss(ITEM * 49_000),
    "1,000,000 empty items": lambda: rss(b"<item/>" * MEGA),
    "60,000 items with a guid each": lambda: rss(b"".join(b"<item><guid>%d</guid></item>" % n for n in range(60_000))),
    "10,000 elements unknown": lambda: rss(b"".join(b"<n%d>x</n%d>" % (n, n) for n in range(10_000))),
    "4,000 authors": lambda: item(b"<author>a (b) c@d.e</author>" * 4_000),
    "100 authors of 4 kB": lambda: item((b"<author>" + b"a" * 4_000 + b"</author>") * 100),
    "250 attributes 4,000 times": lambda: rss((b"<a " + b" ".join(b"a%d='1'" % n for n in range(250)) + b"/>") * 4_000),
    "attributes behind a bracket": lambda: rss(b"<a x='>' " + b" ".join(b"a%d='1'" % n for n in range(20_000)) + b"/>"),
    "255 levels of 200 namespaces": lambda: rss(
        b"".join(b"<a %s>" % b" ".join(b"xmlns:n%d-%d='u'" % (d, n) for n in range(75)) for d in range(250))
    ),
    "a title of 30 MB": lambda: item(b"<title>" + b"x" * 30 * MEGA + b"</title>"),
    "a title of 5 MB in ampersands": lambda: item(b"<title>" + b"&amp;" * MEGA + b"</title>"),
    "a title of 3 MB in broken references": lambda: item(b"<title>" + b"&am" * MEGA + b"</title>"),
    "a description of 5 MB in tags": lambda: item(b"<description>" + b"&lt;b&gt;" * 600_000 + b"</description>"),
    "a description of 200,000 levels": lambda: item(b"<description><![CDATA[" + b"<b>" * 200_000 + b"]]>"),
    "a description of brackets": lambda: item(b"<description><![CDATA[" + b"<" * MEGA + b"]]></description>"),
    "a comment of 20 MB": lambda: rss(b"<!--" + b"-" * 20 * MEGA + b"-->"),
    "a comment without end": lambda: rss(b"<!-- " * 400_000),
    "a CDATA without end": lambda: rss(b"<![CDATA[" * 400_000),
    "instructions": lambda: rss(b"<?" * MEGA),
    "declarations": lambda: rss(b"<!" * MEGA),
    "doctypes": lambda: b"<!DOCTYPE " * 300_000 + rss(b""),
    "brackets": lambda: rss(b"<" * 5 * MEGA),
    "tags without end": lambda: rss(b"<a " * MEGA),
    "tags that never were opened": lambda: rss(b"</a>" * MEGA),
    "quotes": lambda: rss(b"<a b='" * MEGA),
    "ampersands": lambda: rss(b"&" * 5 * MEGA),
    "spaces in a date": lambda: item(b"<pubDate>Mon" + b" " * MEGA + b"x</pubDate>"),
    "digits in a date": lambda: item(b"<pubDate>" + b"1" * MEGA + b"</pubDate>"),
    "colons in a date": lambda: item(b"<pubDate>" + b"1:" * MEGA + b"</pubDate>"),
    "digits in a duration": lambda: item(b"<itunes:duration>" + b"9" * MEGA + b"</itunes:duration>"),
    "colons in a duration": lambda: item(b"<itunes:duration>" + b"1:" * MEGA + b"</itunes:duration>"),
    "a link of 5 MB": lambda: item(b"<link>http://a/" + b"%41/../" * MEGA + b"</link>"),
    "dots in a link": lambda: item(b"<link>http://" + b"a." * MEGA + b"</link>"),
    "100,000 enclosures": lambda: item(b"<enclosure url='http://a/b' length='1' type='audio/mpeg'/>" * 100_000),
    "100,000 categories": lambda: item(b"<category>c</category>" * 100_000),
    "a false encoding": lambda: b"<?xml version='1.0' encoding='utf-32'?>" + rss(ITEM * 20_000, RSS[21:]),
    "UTF-7": lambda: b"<?xml version='1.0' encoding='utf-7'?>" + rss(b"+ADwAIQ-ENTITY" * 100_000, RSS[21:]),
    "NULs": lambda: rss(b"\0" * 10 * MEGA),
    "no encoding at all": lambda: rss(bytes(range(128, 256)) * 40_000),
    "backspaces": lambda: rss(b"\x08" * 5 * MEGA),
    "a million lines": lambda: b"Episode\n\n" * MEGA,
    "lines that look like entries": lambda: b"1) Show - Title\nMar 3, 2024 - 15 minutes\nA text\n\n" * 60_000,
    "one line of 20 MB": lambda: b"word " * 4 * MEGA,
    "Markdown brackets": lambda: b"[" * MEGA,
    "Markdown links": lambda: b"[a](" * MEGA,
    "Markdown links on one line": lambda: b"[Show](https://a/b) " * 200_000,
    "stars": lambda: b"*" * 3 * MEGA,
    "spaces": lambda: b"<html>" + b" " * 20 * MEGA,
    "spaces between words": lambda: (b"a" + b" " * 50_000) * 100,
    "HTML of 200,000 levels": lambda: b"<html><body>" + b"<div>" * 200_000,
    "HTML of 100,000 links": lambda: b"<html><body>" + b"<a href=/x title=t>t</a>" * 100_000,
    "HTML of 50,000 articles": lambda: b"<html><body>" + b"<article><h2><a href=/x>t</a></h2></article>" * 50_000,
    "HTML of formats unclosed": lambda: b"<html><body>" + b"<b><i><p>" * 100_000,
    "HTML of tables": lambda: b"<html><body>" + b"<table>" * 100_000,
    "HTML of scripts": lambda: b"<html>" + b"<script type=application/json>" * 300_000,
    "JSON of a million levels": lambda: b'{"items":' + b"[" * MEGA,
    "JSON of a million levels closed": lambda: b'{"items":' + b"[" * MEGA + b"]" * MEGA + b"}",
    "JSON with a number of 4 MB": lambda: (
        b'{"version":"https://jsonfeed.org/version/1.1","items":[],"x":' + b"9" * 4 * MEGA + b"}"
    ),
    "JSON with a million items": lambda: json.dumps(
        {"version": "https://jsonfeed.org/version/1.1", "title": "t", "items": [{"id": "1"}] * MEGA}
    ).encode(),
    "JSON with a million results": lambda: json.dumps(
        {"resultCount": 1, "results": [{"kind": "podcast"}] * MEGA}
    ).encode(),
}
