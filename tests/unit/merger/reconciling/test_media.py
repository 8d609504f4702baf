"""The media of an item: one file, its others as alternatives by rank, and its pages on other hosts."""

from __future__ import annotations

import pytest

from aggregator.merger.reconciling.items import reconcile
from aggregator.merger.reconciling.provenance import Weights
from aggregator.model.cluster import Cluster
from aggregator.model.entry import Duration, Enclosure, Entry, Span, Tag
from aggregator.model.feed import Video
from aggregator.model.item import Item

TRUST = {"host": 0.9, "studio": 0.9, "video": 0.9, "tube": 0.5, "stranger": 0.3}
AUDIO = Enclosure("https://cdn.example/1.mp3", "audio/mpeg", 48_000_000)
FILM = Enclosure("https://film.example/1.mp4", None, 900_000_000)


def seen(source: str, enclosure: Enclosure | None = None, **said: object) -> Entry:
    link = f"https://{source}.example/1"
    return Entry(**{"source": source, "key": source, "title": "Tides", "enclosure": enclosure, "link": link, **said})


def made(*entries: Entry, video: Video | None = None, **weights: object) -> Item:
    return reconcile(Cluster(entries), Weights(TRUST, video=video, **weights))  # type: ignore[arg-type]


def list_files(item: Item) -> list[tuple[str, str | None]]:
    found = [tag for tag in item.tags if tag.name == "podcast:alternateEnclosure"]
    return [(dict(tag.children[0].attributes)["uri"], dict(tag.attributes).get("default")) for tag in found]


def list_pages(item: Item) -> list[str]:
    return [dict(tag.attributes)["href"] for tag in item.tags if tag.name == "podcast:contentLink"]


@pytest.mark.parametrize(
    ("video", "file", "others"),
    [
        (None, AUDIO, [(AUDIO.url, "true"), (FILM.url, None)]),
        ("prefer", FILM, [(FILM.url, "true"), (AUDIO.url, None)]),
        ("only", FILM, []),
        ("no", AUDIO, []),
    ],
)
def test_audio_and_video_of_an_episode_are_one_item(video: Video | None, file: Enclosure, others: list) -> None:
    for entries in ((seen("host", AUDIO), seen("video", FILM)), (seen("video", FILM), seen("host", AUDIO))):
        item = made(*entries, video=video)
        assert item.enclosure
        assert item.enclosure.url == file.url
        assert list_files(item) == others


def test_a_file_says_its_type_its_length_and_its_bitrate() -> None:
    content = Tag("media:content", None, (("url", FILM.url), ("height", "1080")))
    small = Tag("media:content", None, (("url", "https://film.example/small.mp4"), ("height", "360")))
    group = Tag("media:group", None, (), (small, content))
    item = made(seen("host", AUDIO, duration=Duration(3000)), seen("video", FILM, tags=(group,)))
    first, second = (dict(tag.attributes) for tag in item.tags if tag.name == "podcast:alternateEnclosure")
    assert first == {"type": "audio/mpeg", "length": "48000000", "bitrate": "128000", "default": "true"}
    assert second == {"type": "video/mp4", "length": "900000000", "height": "1080"}


@pytest.mark.parametrize("video", [None, "prefer"])
def test_a_stranger_s_video_is_no_alternative(video: Video | None) -> None:
    item = made(seen("host", AUDIO), seen("stranger", FILM), video=video)
    assert item.enclosure
    assert item.enclosure.url == AUDIO.url
    assert list_files(item) == []
    assert made(seen("host", AUDIO), seen("stranger", FILM), video="only").enclosure is None


def test_the_same_file_and_one_that_is_replaced_or_gone_are_no_alternatives() -> None:
    tracked = Enclosure(f"https://dts.podtrac.com/redirect.mp3/{AUDIO.url.removeprefix('https://')}", "audio/mpeg")
    assert list_files(made(seen("host", AUDIO), seen("studio", tracked))) == []
    old = seen("host", Enclosure("https://cdn.example/old.mp3"), key="old", span=Span(1, 1))
    new = seen("host", AUDIO, key="new", span=Span(2, 2))
    assert list_files(made(old, new)) == []
    gone = seen("studio", FILM)
    assert list_files(made(seen("host", AUDIO), gone, lost=frozenset({gone.id}))) == []


def test_alternatives_of_the_source_itself_stay_and_are_named_once() -> None:
    source = Tag("podcast:source", None, (("uri", FILM.url),))
    own = Tag("podcast:alternateEnclosure", None, (("type", "video/mp4"), ("height", "1080")), (source,))
    item = made(seen("host", AUDIO, tags=(own,)), seen("video", FILM))
    assert [url for url, _ in list_files(item)] == [FILM.url, AUDIO.url]
    assert item.tags[0] == own


def test_pages_of_any_source_that_lists_it_are_links_one_a_host() -> None:
    tube = seen("tube", link="https://www.tube.example/watch?v=1")
    again = seen("stranger", link="https://tube.example/watch?v=1&utm_source=x")
    own = seen("studio", link="https://host.example/other")
    item = made(seen("host", AUDIO), tube, again, own)
    assert item.link == "https://host.example/1"
    assert list_pages(item) == ["https://www.tube.example/watch?v=1"]
    assert [tag.text for tag in item.tags if tag.name == "podcast:contentLink"] == ["tube.example"]
    origin = {each.field: each.source for each in item.provenance}
    assert origin["tags"] == "tube"


def test_a_page_that_stands_at_several_items_and_that_of_a_post_is_no_link() -> None:
    tube = seen("tube", link="https://tube.example/show")
    repeated = frozenset({("tube", "https://tube.example/show")})
    assert list_pages(made(seen("host", AUDIO), tube, repeated_links=repeated)) == []
    assert list_pages(made(seen("host", genre="post"), seen("tube", genre="post"))) == []
    assert list_pages(made(seen("host", AUDIO), seen("tube", link="javascript:alert(1)"))) == []
