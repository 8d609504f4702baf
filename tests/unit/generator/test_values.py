"""Where each value comes from, as docs/output.md says it: one claim, one test."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from uuid import UUID, uuid5

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from msgspec.structs import replace

from aggregator.generator.content import feed_channel, feed_item, links
from aggregator.generator.content.prepared import prepare
from aggregator.generator.feed_files import render_files
from aggregator.generator.pages import view
from aggregator.generator.podcast import NAMESPACES
from aggregator.model.entry import Duration, Enclosure, Moment
from aggregator.model.feed import Feed, SourceResult
from aggregator.model.item import Item
from aggregator.model.source import Source
from aggregator.text import media_types
from aggregator.translation.locale import ENGLISH

BARE = Item(title="Bare", entries=("a/1",), guid="bare")


def render(feed: Feed) -> dict[str, bytes]:
    return dict(render_files(prepare(feed)))


def channel(feed: Feed, *, episodes_only: bool = True) -> etree._Element:
    found = etree.fromstring(render(feed)["podcast.xml" if episodes_only else "feed.xml"]).find("channel")
    assert found is not None
    return found


def text(element: etree._Element, name: str) -> str | None:
    prefix, _, local = name.rpartition(":")
    return element.findtext(f"{{{NAMESPACES[prefix]}}}{local}" if prefix else name)


def with_channel(feed: Feed, **said: Any) -> Feed:
    return replace(feed, channel=replace(feed.channel, **said))


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("https://example.org/a.mp3?x=1&y=2#t", "https://example.org/a.mp3?x=1&y=2#t"),
        ("HTTPS://Example.org/A", "https://Example.org/A"),
        ("  https://example.org/a  ", "https://example.org/a"),
        ("https://example.org/a b/ü?q=ß", "https://example.org/a%20b/%C3%BC?q=%C3%9F"),
        ("https://example.org/%zz%20", "https://example.org/%zz%20"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/"),
        ("https://user:pass@example.org/a", "https://example.org/a"),
        ("http://[::1]:8000/a", "http://[::1]:8000/a"),
        ("ftp://example.org/a", None),
        ("javascript:alert(1)", None),
        ("/a", None),
        ("https://", None),
        ("https://word@example.org:8080/a.mp3?x=1", "https://example.org:8080/a.mp3?x=1"),
        ("https://example.org/a[1].mp3?b[]=2#[3]", "https://example.org/a%5B1%5D.mp3?b%5B%5D=2#%5B3%5D"),
        ("https://[2001:db8::1]/a.mp3", "https://[2001:db8::1]/a.mp3"),
        ("https:///a", None),
        ("http://exa mple.org/", None),
        ("https://[", None),
        ("", None),
        (None, None),
    ],
)
def test_addresses_are_web_addresses_in_ascii(given: str | None, meant: str | None) -> None:
    assert links.clean_url(given) == meant


@given(st.text() | st.text().map("https://example.org/".__add__))
def test_an_address_once_clean_stays(value: str) -> None:
    once = links.clean_url(value)
    assert once is None or (once.isascii() and links.clean_url(once) == once)


@pytest.mark.parametrize(
    "address",
    [
        "https://a:b@example.org/f",
        "https://example.org/f?token=1",
        "https://example.org/f?x=1&auth_key=2",
        "https://e.org/?uid=9",
    ],
)
def test_a_source_s_secret_is_not_told(address: str, harbour: Feed) -> None:
    assert links.clean_public_url(address) is None
    feed = replace(harbour, source_results=(SourceResult(Source("host", "feed", url=address), "ok"),))
    for document in (
        render(feed)["feed.xml"],
        render(feed)["feed.atom"],
        render(feed)["feed.json"],
        render(feed)["report.json"],
    ):
        assert address.partition("//")[2].encode() not in document


@pytest.mark.parametrize(
    ("given", "address", "meant"),
    [
        ("audio/mpeg", "https://x/a.m4a", "audio/mpeg"),
        ("audio/mp3", "https://x/a", "audio/mpeg"),
        ("Audio/MPEG; charset=x", "https://x/a", "audio/mpeg"),
        (None, "https://x/a.m4a?b.mp3", "audio/x-m4a"),
        ("", "https://x/a.MP3#t", "audio/mpeg"),
        ("application/octet-stream", "https://x/a.mp3", "audio/mpeg"),
        ("mp3", "https://x/a.opus", "audio/opus"),
        (None, "https://x/stream", "application/octet-stream"),
        ("application/octet-stream", "https://x/stream", "application/octet-stream"),
    ],
)
def test_a_media_type_that_says_nothing_is_taken_from_the_path(given: str | None, address: str, meant: str) -> None:
    assert media_types.find_media_type(Enclosure(address, given)) == meant


def test_what_is_heard_goes_into_podcast_xml(harbour: Feed) -> None:
    kinds = ["audio/mpeg", "video/mp4", "application/pdf", "image/jpeg"]
    items = tuple(replace(BARE, guid=kind, enclosure=Enclosure(f"https://x.example/{kind}", kind)) for kind in kinds)
    feed = replace(harbour, items=(*items, BARE))
    assert [text(item, "guid") for item in channel(feed).iterfind("item")] == ["audio/mpeg", "video/mp4"]
    assert len(list(channel(feed, episodes_only=False).iterfind("item"))) == 5


def test_a_title_nobody_gave_is_the_beginning_of_the_text_else_the_guid() -> None:
    assert (
        feed_item.make_feed_item(replace(BARE, title=" ", description="Water. " * 40)).title
        == ("Water. " * 11).strip()[:79].rpartition(" ")[0] + " Water.…"
    )
    assert feed_item.make_feed_item(replace(BARE, title="")).title == "bare"


def test_ids_are_made_of_the_guid(harbour: Feed) -> None:
    show = harbour.channel.guid
    assert links.make_atom_id("https://example.org/?p=1", show) == "https://example.org/?p=1"
    assert links.make_atom_id("tag:example.org,2024:1", show) == "tag:example.org,2024:1"
    assert links.make_atom_id("urn:x:1", show) == "urn:x:1"
    assert (
        links.make_atom_id("1b4e28ba-2fa1-11d2-883f-0016d3cca427", show)
        == "urn:uuid:1b4e28ba-2fa1-11d2-883f-0016d3cca427"
    )
    for guid in ("ep-2", "Episode:12", "https://example.org/a b", "1b4e28ba2fa111d2883f0016d3cca427"):
        assert links.make_atom_id(guid, show) == f"urn:uuid:{uuid5(UUID(show), guid)}"


def test_the_podcast_guid_is_that_of_the_address_until_one_is_stored(harbour: Feed) -> None:
    assert feed_channel.make_feed_channel(harbour).guid == harbour.channel.guid
    minted = feed_channel.make_feed_channel(with_channel(harbour, guid="")).guid
    assert minted == links.make_podcast_guid("https://feeds.example.org/harbour-talk/podcast.xml")
    assert minted == links.make_podcast_guid("feeds.example.org/harbour-talk/podcast.xml//")


def test_serial_only_while_every_full_episode_has_a_number(harbour: Feed) -> None:
    serial = with_channel(harbour, type="serial")
    assert text(channel(serial), "itunes:type") == "serial"
    numberless = replace(serial.items[0], episode=None)
    assert text(channel(replace(serial, items=(numberless, *serial.items[1:]))), "itunes:type") == "episodic"
    numbered = replace(serial.items[0], guid="numbered")
    assert text(channel(replace(serial, items=(numberless, numbered))), "itunes:type") == "episodic"
    trailer = replace(numberless, episode_type="trailer")
    assert text(channel(replace(serial, items=(trailer, numbered))), "itunes:type") == "serial"


def test_the_language_is_given_else_the_items_else_none(harbour: Feed) -> None:
    spoken = tuple(
        replace(BARE, guid=str(n), language=one) for n, one in enumerate(["de", "fr", "de", None, "klingon!"])
    )
    assert text(channel(with_channel(harbour, language="pt_BR")), "language") == "pt-BR"
    assert text(channel(replace(with_channel(harbour, language=None), items=spoken)), "language") == "de"
    assert text(channel(with_channel(harbour, language=None)), "language") is None


def test_flags_are_said_only_where_they_hold(harbour: Feed) -> None:
    quiet = channel(harbour)
    assert [text(quiet, f"itunes:{name}") for name in ("block", "complete", "new-feed-url")] == [None, None, None]
    loud = channel(with_channel(harbour, block=True, complete=True, new_feed_url="https://new.example/f", locked=False))
    assert [text(loud, f"itunes:{name}") for name in ("block", "complete", "new-feed-url")] == [
        "Yes",
        "Yes",
        "https://new.example/f",
    ]
    assert [text(loud, f"podcast:{name}") for name in ("block", "locked")] == ["yes", "no"]


def test_explicit_is_the_item_s_else_the_show_s(harbour: Feed) -> None:
    items = tuple(replace(harbour.items[0], guid=str(one), explicit=one) for one in (True, False, None))
    seen = channel(replace(with_channel(harbour, explicit=True), items=items))
    assert [text(item, "itunes:explicit") for item in seen.iterfind("item")] == ["true", "false", "true"]


def test_what_is_unknown_is_left_out(harbour: Feed) -> None:
    item = replace(BARE, enclosure=Enclosure("https://x.example/a.mp3"), duration=Duration(0), season=0, episode=-1)
    (seen,) = channel(replace(harbour, items=(item,))).iterfind("item")
    assert [str(one.tag).rpartition("}")[2] for one in seen] == ["title", "guid", "enclosure", "explicit"]
    (told,) = json.loads(render(replace(harbour, items=(item,)))["feed.json"])["items"]
    assert set(told) == {"id", "title", "content_text", "attachments", "_aggregator"}


def test_times_are_utc_and_whole_seconds(harbour: Feed) -> None:
    at = datetime(2024, 3, 1, 1, 2, 3, 999_999, tzinfo=timezone(timedelta(hours=5)))
    feed = replace(harbour, items=(replace(harbour.items[0], published=Moment(at), updated=None),), updated=at)
    assert text(channel(feed), "item/pubDate") == "Thu, 29 Feb 2024 20:02:03 +0000"
    assert text(channel(feed), "lastBuildDate") == "Thu, 29 Feb 2024 20:02:03 +0000"
    assert b"<updated>2024-02-29T20:02:03+00:00</updated>" in render(feed)["feed.atom"]


def test_an_item_without_any_date_has_a_time_that_is_no_clock_s() -> None:
    assert feed_item.make_feed_item(BARE).changed == datetime(1970, 1, 1, tzinfo=UTC)


def test_a_silent_source_changes_the_report_and_nothing_else(harbour: Feed) -> None:
    silent = replace(
        harbour, source_results=tuple(replace(one, status="failed", message="down") for one in harbour.source_results)
    )
    before, after = render(harbour), render(silent)
    assert [name for name in before if before[name] != after[name]] == ["report.json"]


def test_the_report_says_what_nobody_gave(harbour: Feed) -> None:
    bare = with_channel(harbour, image=None, categories=(("Gardening",),), author=None)
    assert json.loads(render(bare)["report.json"])["remarks"][1:] == [
        "no source gives artwork for the show; directories require it",
        "no source gives an Apple category for the show; directories require it",
        "no source gives an author for the show; directories require it",
        "the size of 1 audio file is unknown; 0 is published",
    ]


def test_what_a_title_says_of_itself_is_shown_and_reported(harbour: Feed) -> None:
    item = replace(BARE, part=2, tag="replay")
    told = json.loads(render(replace(harbour, items=(item,)))["report.json"])["items"][0]
    assert (told["part"], told["tag"]) == (2, "replay")
    assert view._list_facts(item, ENGLISH) == ("part 2", "replay")
    assert view._list_facts(replace(item, episode_type="bonus"), ENGLISH) == ("part 2", "bonus")


def test_a_size_or_a_length_below_nothing_is_one_that_nobody_knows() -> None:
    below = replace(BARE, enclosure=Enclosure("https://cdn.example/a.mp3", length=-5), duration=Duration(-1))
    said = feed_item.make_feed_item(below)
    assert said.media is not None
    assert (said.media.length, said.duration) == (0, None)
    assert feed_item.make_feed_item(
        replace(BARE, duration=Duration(0), season=0, episode=-1)
    ) == feed_item.make_feed_item(BARE)
