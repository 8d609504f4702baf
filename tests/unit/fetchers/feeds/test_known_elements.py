"""An element whose bytes are known is not read again, and the listing is what reading all of it anew gives."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from aggregator.errors import ReadError
from aggregator.fetchers import parse
from aggregator.fetchers.feeds import known_elements
from aggregator.model.entry import Listing
from aggregator.model.source import Conditions, Document, Filter, Source
from aggregator.store import records
from aggregator.store.entries import PLACE_FIELDS
from tests.support import random_feeds
from tests.support.rss import Episode, make_rss

HOME, PAGE = "https://show.example/", "https://show.example/all"
ODD_DATE = "<pubDate>{}/04/2021</pubDate>"
"""A date whose order of day and month the listing decides."""

ITEMS = st.one_of(
    st.builds(
        lambda number, link, extra: Episode(f"g{number}", f"Lock {number}", link=link, extra=extra),
        st.integers(1, 4),
        st.sampled_from([HOME, PAGE, "https://show.example/1", "https://show.example/2"]),
        st.sampled_from(
            [
                "",
                "<itunes:summary>Rowing upstream.</itunes:summary>",
                *(ODD_DATE.format(day) for day in (3, 14)),
                "<pubDate>Wed, 14 Apr 2021 10:00:00 GMT</pubDate>",
                '<description>&lt;img data-src="/a.jpg" src="data:x"&gt; ferry</description>',
                f"<description>{'The ferry leaves. ' * 12_000}</description>",
            ]
        ),
    ).map(Episode.to_xml),
    st.lists(random_feeds.tame(), min_size=1, max_size=4).map(lambda parts: f"<item>{''.join(parts)}</item>"),
    st.builds(
        lambda link, title: f"<item><link>{link}</link><title>{title}</title></item>",
        st.sampled_from([HOME, PAGE, "https://show.example/3"]),
        st.sampled_from(["Weir", "Tow path", "Mooring"]),
    ),
    st.sampled_from(
        [
            "<!-- <item><title>Old</title></item> -->",
            "<item/>",
            "<items><title>Several</title></items>",
            "<item><title><![CDATA[</item><item>]]> Sluice</title></item>",
            "<item><title><![CDATA[</item>]]></title></item>",
            "<item><title>Quay</title></item >",
            '<item xmlns="http://purl.org/rss/1.0/"><title>Basin</title></item>',
            '<a:item xmlns:a="http://purl.org/rss/1.0/"><a:title>Barge</a:title></a:item>',
            '<entry xmlns="http://www.w3.org/2005/Atom"><title>Aside</title></entry>',
            "</item>",
            "&broken;",
        ]
    ),
)
SOURCES = st.sampled_from(
    [
        Source("a", "feed"),
        Source("a", "blog"),
        Source("a", "simplecast"),
        Source("a", "feed", options=(("genre", "post"),)),
        Source("a", "feed", filter=Filter(only=Conditions(show=("Sea Room",)))),
    ]
)


def read(source: Source, items: list[str], known: Mapping[str, str] | None, head: str = "") -> Listing | str:
    body = make_rss(*items).replace("<channel>", f"<channel>{head}")
    try:
        return parse.read(Document(source, "https://show.example/feed.xml", body.encode(), known=known))
    except ReadError as error:
        return str(error)


def to_known(listing: Listing | str) -> dict[str, str]:
    """Return the records as the store keeps them, by the digests of their elements."""
    entries = () if isinstance(listing, str) else listing.entries
    return {each.element: records.encode(each, without=PLACE_FIELDS) for each in entries if each.element}


def without_digests(listing: Listing | str) -> Listing | str:
    if isinstance(listing, str):
        return listing
    return replace(listing, entries=tuple(replace(each, element=None) for each in listing.entries))


@given(SOURCES, st.lists(ITEMS, min_size=1, max_size=6), st.data())
def test_a_listing_with_known_elements_is_what_reading_it_anew_gives(
    source: Source, before: list[str], data: st.DataObject
) -> None:
    after = data.draw(st.permutations(before)) + data.draw(st.lists(ITEMS, max_size=3))
    after = after[data.draw(st.integers(0, len(after) - 1)) :]
    known = to_known(read(source, list(before), {}))
    assert without_digests(read(source, after, known)) == without_digests(read(source, after, None))


EPISODES = [Episode(f"g{number}", f"Lock {number}", link=f"https://show.example/{number}") for number in range(5)]


@pytest.mark.parametrize(
    ("source", "head", "again"),
    [
        (Source("a", "feed"), "", ["Lock zero"]),
        (Source("b", "feed"), "", ["Lock zero", "Lock 1", "Lock 2"]),  # an entry names its source
        (Source("a", "feed", options=(("genre", "post"),)), "", ["Lock zero", "Lock 1", "Lock 2"]),
        (Source("a", "feed"), '<link xml:base="https://b.example/">x</link>', ["Lock zero", "Lock 1", "Lock 2"]),
        (Source("a", "feed"), "<ttl>60</ttl>", ["Lock zero"]),  # no item depends on it
    ],
)
def test_what_an_entry_depends_on_decides_whether_it_is_read_again(source: Source, head: str, again: list[str]) -> None:
    items = [Episode(f"g{at}", f"Lock {at}", link=f"https://show.example/{at}").to_xml() for at in range(3)]
    known = to_known(read(Source("a", "feed"), items, {}))
    listing = read(source, [items[0].replace("Lock 0", "Lock zero"), *items[1:]], known, head)
    assert isinstance(listing, Listing)
    assert [each.title for each in listing.entries if each.element not in known] == again


ATOM = '<feed xmlns="http://www.w3.org/2005/Atom" {}><title>Sea Room</title>{}</feed>'
RDF = (
    '<rdf:RDF xmlns="http://purl.org/rss/1.0/" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" {}>'
    "<channel><title>Sea Room</title><items><rdf:Seq/></items></channel>{}</rdf:RDF>"
)


@pytest.mark.parametrize(
    ("feed", "item"),
    [
        (make_rss("{}").replace("<rss", "<rss {}"), "<item><guid>{0}</guid><title>Lock {0}</title></item>"),
        (ATOM, "<entry><id>urn:{0}</id><title>Lock {0}</title></entry>"),
        (RDF, '<item rdf:about="https://show.example/{0}">\n<title>Lock {0}</title></item>'),
    ],
)
def test_known_elements_of_each_format_are_left_out_where_they_stand_in_the_same_tags(feed: str, item: str) -> None:
    def leave_out(known: Mapping[str, str], *of_root: str) -> Document:
        items = "\n<!-- newest first -->\n".join(item.format(number) for number in (3, 2, 1))
        body = feed.format(" ".join(of_root), items).encode()
        return known_elements.leave_out(Document(source, "https://show.example/feed.xml", body, known=known))

    source = Source("a", "feed")
    listing = parse.read(replace(leave_out({}), elements=()))
    assert [each.title for each in listing.entries] == ["Lock 3", "Lock 2", "Lock 1"]
    known = to_known(listing)
    assert tuple(known) == leave_out({}).elements
    assert b"Lock" not in leave_out(known).body
    assert b"Lock 3" in leave_out(known, 'a=">" xmlns:x="https://x.example/"').body
