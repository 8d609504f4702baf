"""Feeds as libraries and hosts write them: files with wrong types, artwork as text, addresses that need a base."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest

from aggregator.errors import ReadError
from aggregator.fetchers.directories import outline
from aggregator.fetchers.feeds import feed, jsonfeed
from aggregator.model.entry import Entry, Listing
from aggregator.model.source import Document, Source

HEAD = (
    '<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:media="http://search.yahoo.com/mrss/"'
    ' xmlns:a="http://www.w3.org/2005/Atom" xmlns:content="http://purl.org/rss/1.0/modules/content/"'
)


def listing(item: str, channel: str = "", attributes: str = "") -> Listing:
    inside = f"<title>Leuchtfeuer</title>{channel}<item><title>Nacht</title>{item}</item>"
    body = f"{HEAD}{attributes}><channel>{inside}</channel></rss>"
    return feed.read(Document(Source("x", "feed"), "https://kai.example/pod/feed.xml", body.encode()))


def entry(item: str, channel: str = "", attributes: str = "") -> Entry:
    return listing(item, channel, attributes).entries[0]


@pytest.mark.parametrize(
    ("url", "kind", "published"),
    [
        ("1.mp3?x=5", 'type="image/jpeg"', "audio/mpeg"),
        ("1.mp3", 'type="application/force-download"', "audio/mpeg"),
        ("1.mp3", 'type="application/xml"', "audio/mpeg"),
        ("1.m4a", 'type="mp3"', "audio/x-m4a"),
        ("1.mp3", 'type="text/html; charset=utf-8"', "audio/mpeg"),
        ("play/1", 'type="application/octet-stream"', None),
        ("play/1", 'type="application/x-download"', None),
        ("play/1", "", None),
        ("play/1", 'type="audio/mpeg"', "audio/mpeg"),
        ("1.opus", 'type="audio/ogg"', "audio/ogg"),
        ("hent.php?fil=1.MP3", 'type="application/x-download"', "audio/mpeg"),
        ("hent.asp?a=1&amp;fil=s%2F1.m4a&amp;b=.jpg", "", "audio/x-m4a"),
    ],
)
def test_audio_with_a_wrong_or_missing_type_is_kept(url: str, kind: str, published: str | None) -> None:
    file = entry(f'<enclosure url="https://kai.example/{url}" {kind}/>').enclosure
    assert file is not None
    assert (file.url, file.type) == (f"https://kai.example/{url.replace('&amp;', '&')}", published)


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("1.jpg", 'type="image/jpeg"'),
        ("1.jpg", ""),
        ("1", 'type="image/webp"'),
        ("1.pdf", 'type="application/octet-stream"'),
        ("notes", 'type="text/html"'),
        ("1.torrent", 'type="application/x-bittorrent"'),
        ("1", 'type="application/pdf"'),
        ("1.jpg?til=1.mp3", ""),
        ("vis.php?side=1.html", ""),
    ],
)
def test_what_is_text_or_a_picture_is_no_audio(url: str, kind: str) -> None:
    assert entry(f'<enclosure url="https://kai.example/{url}" {kind}/>').enclosure is None


def test_the_address_of_audio_may_be_the_text_of_its_element() -> None:
    file = entry("<enclosure>\n https://kai.example/lyd/1%20a.mp3 </enclosure>").enclosure
    assert file is not None
    assert (file.url, file.type) == ("https://kai.example/lyd/1%20a.mp3", "audio/mpeg")
    assert entry("<enclosure>https://kai.example/billede/</enclosure>").enclosure is None


def test_a_picture_among_the_files_is_the_picture_of_the_item() -> None:
    for file in (
        '<enclosure url="https://kai.example/p.jpg" type="image/jpeg"/>',
        '<media:content url="https://kai.example/p.jpg" medium="image"/>',
        "<itunes:image>https://kai.example/p.jpg</itunes:image>",
        "<itunes:image><url>https://kai.example/p.jpg</url></itunes:image>",
        '<itunes:image url="https://kai.example/p.jpg"/>',
        '<enclosure url="https://kai.example/p.jpg" type="application/octet-stream"/>',
    ):
        assert entry(file).image == "https://kai.example/p.jpg", file
    assert entry('<enclosure url="https://kai.example/1.mp3" type="image/jpeg"/>').image is None


def test_the_default_of_a_group_is_played_and_an_enclosure_comes_before_it() -> None:
    files = (
        '<media:group><media:content url="https://kai.example/low.mp3" type="audio/mpeg"/>'
        '<media:content url="https://kai.example/high.mp3" type="audio/mpeg" isDefault="true"/></media:group>'
    )
    own = '<enclosure url="https://kai.example/own.mp3" type="audio/mpeg" length="7"/>'
    assert [found.url for each in (files, own + files) if (found := entry(each).enclosure)] == [
        "https://kai.example/high.mp3",
        "https://kai.example/own.mp3",
    ]


@pytest.mark.parametrize(
    ("written", "path"),
    [
        ("<itunes:category>History</itunes:category>", ("History",)),
        ('<itunes:category text="Business:Marketing"/>', ("Business", "Marketing")),
        ('<itunes:category text="News &gt; Tech News"/>', ("News", "Tech News")),
        ('<itunes:category text="Society & Culture"/>', ("Society & Culture",)),
        ('<itunes:category text="Arts"><itunes:category text="Food"/></itunes:category>', ("Arts", "Food")),
    ],
)
def test_a_category_in_any_form(written: str, path: tuple[str, ...]) -> None:
    assert listing("", written).show.categories == (path,)


def test_no_mark_of_an_escaped_section_is_published() -> None:
    found = entry(
        "<description>&lt;![CDATA[&lt;p&gt;Über das Feuer&lt;/p&gt;]]&gt;</description>"
        "<content:encoded>&lt;![CDATA[Lang &lt;b&gt;und&lt;/b&gt; breit]]&gt;</content:encoded>"
    )
    assert (found.html, found.summary) == ("Lang <b>und</b> breit", "Über das Feuer")
    assert entry("<description>In C: a[b[0]]&gt;1</description>").description == "In C: a[b[0]]>1"


@pytest.mark.parametrize(
    ("written", "link"),
    [
        ('<guid>/p/1</guid><a:link href="/p/1"/>', "https://kai.example/p/1"),
        ("<link>e/1</link>", "https://kai.example/pod/e/1"),
        ('<a:link a:href="https://kai.example/1" a:rel="alternate"/>', "https://kai.example/1"),
        ('<a:link href="https://kai.example/1" rel="http://www.iana.org/assignments/relation/alternate"/>', "https://kai.example/1"),
        ('<link rel="enclosure">https://kai.example/a.mp3</link>', None),
        ('<guid isPermaLink="true">not an address</guid>', None),
    ],
)  # fmt: skip
def test_links_in_the_forms_of_rss_and_atom(written: str, link: str | None) -> None:
    assert entry(written).link == link


def test_a_base_counts_for_links_files_pictures_and_texts() -> None:
    parts = (
        '<link>e/1</link><enclosure url="a/1.mp3" type="audio/mpeg"/><itunes:image href="p/1.jpg"/>'
        '<description>&lt;img src="q.png"&gt; &lt;a href="#top"&gt;x&lt;/a&gt; words</description>'
    )
    found = entry(parts, attributes=' xml:base="https://cdn.example/show/"')
    base = "https://cdn.example/show/"
    assert found.link == f"{base}e/1"
    assert found.enclosure is not None
    assert (found.enclosure.url, found.image) == (f"{base}a/1.mp3", f"{base}p/1.jpg")
    assert found.html == f'<img src="{base}q.png"> <a href="#top">x</a> words'
    without = entry(parts.replace("<link>e/1</link>", ""))
    assert without.html == '<img src="https://kai.example/pod/q.png"> <a href="#top">x</a> words'


def test_an_empty_explicit_does_not_hide_a_filled_one() -> None:
    assert entry("<itunes:explicit/><itunes:explicit>true</itunes:explicit>").explicit is True
    assert entry("<itunes:explicit/><itunes:explicit>no</itunes:explicit><b>&nbsp;</b>").explicit is False


def test_an_author_in_a_feed_that_is_not_well_formed_is_read_once() -> None:
    assert entry("<itunes:author>AT&amp;T & Töchter</itunes:author>").author == "AT&T & Töchter"


def test_relative_addresses_and_numbers_as_text_in_json_feed() -> None:
    item: dict[str, Any] = {
        "id": 7,
        "title": "Nacht",
        "url": "/e/7",
        "content_html": "<img src='/p.png'> Kai",
        "image": "p.jpg",
        "attachments": [
            {"url": "/a/7.mp3", "mime_type": "audio/mpeg", "size_in_bytes": "1234.0", "duration_in_seconds": "1900"}
        ],
    }
    body = json.dumps({"version": "https://jsonfeed.org/version/1.1", "title": "K", "icon": "/i.png", "items": [item]})
    found = jsonfeed.read(Document(Source("x", "jsonfeed"), "https://kai.example/f/feed.json", body.encode()))
    read = found.entries[0]
    assert read.enclosure is not None
    assert (read.link, read.enclosure.url, read.enclosure.length) == (
        "https://kai.example/e/7",
        "https://kai.example/a/7.mp3",
        1234,
    )
    assert (read.image, read.html) == ("https://kai.example/f/p.jpg", "<img src='https://kai.example/p.png'> Kai")
    assert read.duration is not None
    assert (read.duration.seconds, found.show.image) == (1900, "https://kai.example/i.png")


def test_an_element_that_no_selector_can_name_is_said_to_be_one() -> None:
    page = b"<html><body><ul>%s</ul></body></html>" % b"".join(
        b"<li><a<ul href=/%d>Nacht %d</a<ul></li>" % (n, n) for n in range(6)
    )
    document = Document(Source("x", "page", url="https://kai.example/"), "https://kai.example/", page)
    said = set()
    for number in range(20):
        with suppress(ReadError):
            said.add(outline.pick(document, number, "items")["items"])
    assert all("<" not in selector for selector in said)
