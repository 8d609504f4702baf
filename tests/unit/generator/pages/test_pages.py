"""The pages for people: what stands in them, what never may, and their bytes."""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from aggregator.generator.pages import pages, view
from aggregator.model.entry import Enclosure, Moment, Note
from aggregator.model.feed import Feed
from aggregator.model.item import Item, Provenance
from aggregator.publish import make_cover
from tests.support import sample_feed as made

DATA = Path(__file__).parent / "data"


class Reading(HTMLParser):
    """Every tag with its attributes, and the visible text."""

    def __init__(self, body: bytes) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self.feed(body.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        self.text += data

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.tags if name == tag]


def with_item(item: Item) -> Feed:
    return replace(made.feed(0, 0), items=(item,))


def hostile(text: str) -> Feed:
    item = Item(
        title=text,
        entries=(f"host/{text}",),
        guid=text or "x",
        description=text,
        summary=text,
        author=text,
        number=text,
        link=text,
        image=text,
        enclosure=Enclosure(text),
        provenance=(Provenance("title", text, (text,), notes=(Note("title", text, "a" + text, text),)),),
    )
    return replace(
        with_item(item), channel=made.channel(title=text, description=text, author=text, link=text, image=text)
    )


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("feed", made.page(made.feed())),
        ("empty", made.page(made.feed(0, 0))),
        ("posts", made.page(made.feed(0, 3))),
        ("index", made.render_index([make_cover(made.feed()), make_cover(made.feed(0, 0))])),
    ],
)
def test_bytes_are_the_golden_ones(name: str, body: bytes) -> None:
    golden = DATA / f"page_{name}.html"
    if os.environ.get("GOLDEN") == "write":
        golden.write_bytes(body)
    assert golden.read_bytes() == body


def test_the_order_of_the_feeds_changes_nothing() -> None:
    one, other = made.feed(), replace(made.feed(), channel=made.channel(name="b", title="another"))
    assert made.render_index([make_cover(one), make_cover(other)]) == made.render_index(
        [make_cover(other), make_cover(one)]
    )


def test_the_page_does_not_tell_how_the_last_run_went_where_content_is_the_same() -> None:
    feed = made.feed()
    rested = replace(
        feed,
        source_results=tuple(
            replace(each, status="not due", message="asked 3 minutes ago")
            if each.status in ("ok", "unchanged")
            else each
            for each in feed.source_results
        ),
    )
    assert made.page(feed) == made.page(rested)


def test_every_item_has_its_player_and_its_origin() -> None:
    reading = Reading(made.page(made.feed()))
    assert [each["src"] for each in reading.all("audio")] == [f"https://media.example/qm/{n:04d}.mp3" for n in range(8)]
    assert {each["preload"] for each in reading.all("audio")} == {"none"}
    assert reading.text.count("Listed by ") == 10
    assert "casts: WHY CACHES LIE" in " ".join(reading.text.split())


def test_the_owner_may_leave_out_the_sources_and_every_value_stays() -> None:
    feed = made.feed()
    body = made.page(replace(feed, channel=replace(feed.channel, shows_sources=False)))
    reading = Reading(body)
    for words in ("Listed by", "Where this comes from", "Made from", "casts:"):
        assert words not in reading.text
    assert len(reading.all("audio")) == len(Reading(made.page(feed)).all("audio"))


def test_video_has_a_screen() -> None:
    feed = made.feed()
    first, *others = [item for item in feed.items if item.enclosure]
    film = replace(first, enclosure=replace(first.enclosure, url="https://media.example/1.mp4", type="video/mp4"))
    reading = Reading(made.page(replace(feed, items=(film, *others))))
    assert [each["src"] for each in reading.all("video")] == ["https://media.example/1.mp4"]
    assert len(reading.all("audio")) == len(others)


def test_no_page_speaks_of_its_operation() -> None:
    text = Reading(made.page(made.feed())).text
    assert "look alike" not in text
    assert "merged" not in text


def test_repairs_are_shown_as_what_went_and_what_came() -> None:
    body = made.page(made.feed()).decode()
    assert "<del>â€”</del><ins>—</ins>" in body


def test_each_format_is_offered_to_feed_readers() -> None:
    offered = [each for each in Reading(made.page(made.feed())).all("link") if each["rel"] == "alternate"]
    assert [(each["href"], each["type"]) for each in offered[:2]] == [
        ("podcast.xml", "application/rss+xml"),
        ("feed.xml", "application/rss+xml"),
    ]
    assert [each["href"] for each in offered[2:]] == ["feed.atom", "feed.json"]


def test_the_changes_page_is_linked_where_there_is_one() -> None:
    assert b"changes.html" not in made.page(made.feed())
    assert b'href="changes.html"' in made.page(made.feed(), changes=True)


def test_a_feed_without_audio_is_subscribed_as_a_whole() -> None:
    assert view.subscription_url(made.feed(0, 2)).endswith("/feed.xml")
    assert view.subscription_url(made.feed(1, 2)).endswith("/podcast.xml")


def test_a_feed_whose_enclosures_no_app_plays_is_subscribed_as_a_whole() -> None:
    feed = made.feed(1, 0)
    papers = tuple(replace(item, enclosure=Enclosure("https://a.example/1.pdf")) for item in feed.items)
    assert view.subscription_url(replace(feed, items=papers)).endswith("/feed.xml")


def test_nothing_is_loaded_before_the_reader_asks() -> None:
    reading = Reading(made.page(made.feed()))
    assert not reading.all("iframe")
    assert [each["loading"] for each in reading.all("img")] == ["lazy"]
    assert [each["href"] for each in reading.all("link") if each["rel"] == "icon"] == ["data:,"]
    assert not [each for each in reading.all("script") if "src" in each]


def test_the_policy_allows_this_style_and_this_script_and_no_other() -> None:
    policy = Reading(made.page(made.feed())).all("meta")[1]["content"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    style = re.search(rb"<style>(.*?)</style>", made.page(made.feed()), re.DOTALL)
    script = re.search(rb"<script>(.*?)</script>", made.page(made.feed()), re.DOTALL)
    assert style is not None
    assert script is not None
    assert pages._make_csp_hash(style[1].decode()) in policy
    assert pages._make_csp_hash(script[1].decode()) in policy


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        '"><img src=x onerror=alert(1)>',
        "javascript:alert(1)",
        "</style><script>1</script>",
        "{{ 7 * 7 }}{% raw %}",
        "http://[",
        "\ud800 lone",
        "\u202eright to left",
        "a\x00b",
    ],
)
def test_no_markup_of_a_source_reaches_the_page(text: str) -> None:
    plain = Reading(made.page(hostile("x")))
    reading = Reading(made.page(hostile(text)) + made.render_index([make_cover(hostile(text))]))
    assert len(reading.all("script")) == 2
    assert len(reading.all("img")) <= len(plain.all("img"))
    for tag, attributes in reading.tags:
        assert not [name for name in attributes if name.startswith("on")], tag
        assert not attributes.get("href", "").startswith("javascript:")


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=40))
def test_any_text_gives_a_page_with_the_same_bones(text: str) -> None:
    reading = Reading(made.page(hostile(text)))
    assert len(reading.all("h1")) == 1
    assert len(reading.all("main")) == 1
    assert len(reading.all("script")) == 1


def test_fragments_are_unique_and_permanent() -> None:
    reading = Reading(made.page(made.feed(500, 40)))
    ids = [attributes["id"] for _, attributes in reading.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert view.make_anchor("qm-0003") in ids


def test_more_items_than_players_are_listed_without() -> None:
    reading = Reading(made.page(made.feed(pages._MOST_PLAYERS + 7, 0)))
    assert len(reading.all("audio")) == pages._MOST_PLAYERS
    assert (
        sum(attributes.get("id", "").startswith("i-") for tag, attributes in reading.tags if tag == "li")
        == pages._MOST_PLAYERS + 7
    )


def test_apps_that_fetch_from_servers_are_left_out_on_a_private_address() -> None:
    local = Reading(made.page(made.feed(base_url="http://localhost:8000/quiet-machines")))
    hrefs = [each.get("href", "") for each in local.all("a")]
    assert not [href for href in hrefs if href.startswith(("podcast://", "overcast://", "pktc://", "castro://"))]
    assert "cannot reach it" in local.text


@pytest.mark.parametrize(
    ("base_url", "has_code"),
    [
        ("http://localhost:8000", False),
        ("http://127.0.0.1", False),
        ("http://nas.local", True),
        ("https://a.org", True),
    ],
)
def test_an_address_of_one_computer_has_no_qr_code_and_says_why(base_url: str, has_code: bool) -> None:  # noqa: FBT001
    page = Reading(made.page(made.feed(base_url=f"{base_url}/quiet-machines")))
    assert bool([each for each in page.all("svg") if each.get("class") == "qr"]) is has_code
    assert ("There is no QR code, because this address is of one computer alone" in page.text) is not has_code


def test_a_login_or_token_of_a_source_is_on_no_page() -> None:
    known = made.feed()
    secret = replace(known.source_results[0].source, url="https://me:hush@host.example/feed?token=secret")
    body = made.page(replace(known, source_results=(replace(known.source_results[0], source=secret),)))
    assert b"hush" not in body
    assert b"secret" not in body


def test_a_show_without_audio_says_what_its_address_is() -> None:
    silent = replace(made.feed(3, 0), items=tuple(replace(item, enclosure=None) for item in made.feed(3, 0).items))
    text = made.page(silent).decode()
    assert "No source lists audio yet" in text
    assert "/feed.xml" in text
    assert "No source lists audio yet" not in made.page(made.feed(3, 0)).decode()


def test_a_blog_is_not_offered_to_podcast_apps() -> None:
    reading = Reading(made.page(made.feed(0, 3)))
    assert [each["href"] for each in reading.all("a") if each["href"].startswith(("feed:", "https://antenna"))] == [
        "feed:https://feeds.example.org/quiet-machines/feed.xml"
    ]
    assert "podcast.xml" not in {each["href"] for each in reading.all("link") + reading.all("a")}
    assert "AntennaPod" in Reading(made.page(made.feed(0, 0))).text


def test_a_show_from_right_to_left_is_laid_out_so() -> None:
    feed = replace(made.feed(1, 0), channel=made.channel(language="ar"))
    reading = Reading(made.page(feed))
    assert [tag for tag, attributes in reading.tags if attributes.get("dir") == "rtl"] == ["header", "p"]
    assert "\u206615 min\u2069" in reading.text
    assert b'dir="rtl"' in made.render_index([make_cover(feed)])
    assert b'dir="rtl"' not in made.page(made.feed()) + made.render_index([make_cover(made.feed())])


def test_the_day_links_to_the_item_itself() -> None:
    reading = Reading(made.page(made.feed(2, 0)))
    here = [each["href"] for each in reading.all("a") if each.get("class") == "here"]
    assert here == [f"#{view.make_anchor(item.guid)}" for item in made.feed(2, 0).items]


def test_a_source_that_never_answered_is_no_matter_of_listeners() -> None:
    feed = made.feed()
    failed = replace(
        feed, source_results=tuple(replace(each, status="failed", entries=0) for each in feed.source_results)
    )
    text = " ".join(Reading(made.page(failed)).text.split())
    assert "Made from 4 listings" in text
    assert "failed" not in text


def test_times_are_those_of_the_zone_and_mere_days_of_none() -> None:
    late = Moment(datetime(2024, 8, 4, 23, 30, tzinfo=UTC))
    feed = made.feed(1, 0)
    for moment, day in ((late, "5 Aug 2024"), (replace(late, precision="day"), "4 Aug 2024")):
        item = replace(feed.items[0], published=moment)
        there = replace(feed, items=(item,), updated=late.at, channel=made.channel(timezone="Europe/Berlin"))
        reading = Reading(made.page(there))
        assert day in reading.text
        assert "Last changed on 5 Aug 2024, 01:30 CEST" in reading.text
        assert reading.all("time")[-1]["datetime"] == "2024-08-04T23:30:00Z"
