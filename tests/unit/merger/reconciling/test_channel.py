"""What the feed says of itself: the config's word, else that of the most trusted source, and what no source may say."""

from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from aggregator.merger.reconciling.channel import complete_channel, drop_ended
from aggregator.model.entry import Show, Tag
from aggregator.model.feed import Channel

OPEN = Channel("sea", "Sea Room", "https://feeds.example/sea")
TRUST = {"host": 0.9, "mirror": 0.3}


def merged(channel: Channel = OPEN, **shows: Show) -> Channel:
    return complete_channel(channel, shows, TRUST)


@pytest.mark.parametrize(
    ("field", "host", "mirror", "config"),
    [
        ("type", "serial", "episodic", "episodic"),
        ("language", "de", "en", "fr"),
        ("categories", (("Arts",),), (("History",),), (("Music",),)),
        ("copyright", "Ann Tide", "Bo Quay", "Cy Rope"),
    ],
)
def test_the_configs_word_first_else_the_most_trusted_that_has_one(field, host, mirror, config) -> None:
    one, two = Show(**{field: host}), Show(**{field: mirror})
    own = Channel("sea", "Sea Room", "https://feeds.example/sea", **{field: config})
    assert getattr(merged(host=one, mirror=two), field) == host
    assert getattr(merged(host=Show(), mirror=two), field) == mirror
    assert getattr(merged(own, host=one, mirror=two), field) == config
    assert getattr(merged(), field) in (None, ())


@pytest.mark.parametrize(
    ("field", "host", "mirror"),
    [
        ("explicit", False, True),
        ("image", "https://host.example/a.jpg", "https://mirror.example/a.jpg"),
    ],
)
def test_what_stands_for_the_show_is_the_most_trusted_sources(field, host, mirror) -> None:
    one, two = Show(**{field: host}), Show(**{field: mirror})
    assert getattr(merged(host=one, mirror=two), field) == host
    assert getattr(merged(host=Show(), mirror=two), field) is None


@pytest.mark.parametrize("said", [True, False])
def test_only_the_most_trusted_source_says_that_the_show_has_ended(*, said: bool) -> None:
    assert merged(host=Show(complete=said), mirror=Show(complete=not said)).complete is said
    own = Channel("sea", "Sea Room", "https://feeds.example/sea", complete=not said)
    assert merged(own, host=Show(complete=said)).complete is not said


def test_only_the_most_trusted_source_says_what_medium_it_is() -> None:
    blog, music = (Show(tags=(Tag("podcast:medium", medium),)) for medium in ("blog", "music"))
    assert merged(host=music, mirror=blog).medium == "music"
    assert merged(host=Show(), mirror=blog).medium is None
    assert merged(Channel("sea", "", "", medium="video"), host=music).medium == "video"


def test_elements_of_the_namespace_come_from_one_source_each() -> None:
    ann, bo, cy = (Tag("podcast:person", name) for name in ("Ann", "Bo", "Cy"))
    often = Tag("podcast:updateFrequency", "weekly", (("rrule", "FREQ=WEEKLY"),))
    place = Tag("podcast:location", "Ar-Men")
    host, mirror = Show(tags=(often, ann, bo)), Show(tags=(cy, place))
    assert merged(host=host, mirror=mirror).tags == (ann, bo, place, often)
    own = Channel("sea", "", "", tags=(Tag("podcast:person", "Dot"),))
    assert merged(own, host=host).tags == (Tag("podcast:person", "Dot"), often)


def test_a_licence_and_a_picture_of_the_config_are_not_joined_by_a_sources() -> None:
    tags = (Tag("podcast:license", "cc-by-4.0"), Tag("podcast:image", None, (("href", "https://host.example/w.jpg"),)))
    assert {tag.name for tag in merged(host=Show(tags=tags)).tags} == {"podcast:license", "podcast:image"}
    own = Channel("sea", "", "", license="mit", image="https://own.example/a.jpg")
    assert merged(own, host=Show(tags=tags)).tags == ()


def test_who_owns_the_feed_and_who_is_paid_no_source_says() -> None:
    names = ("guid", "locked", "block", "podping", "value", "remoteItem")
    proofs = tuple(Tag("podcast:txt", "5", (("purpose", each),)) for each in ("verify", "applepodcastsverify"))
    tags = (*(Tag(f"podcast:{name}", "yes") for name in names), *proofs)
    said = Show(tags=tags, new_feed_url="https://host.example/new", guid="9b024349-ccf0-5f69-a609-6b82873eab3c")
    assert merged(host=said) == merged(host=Show())


def test_what_is_asked_of_listeners_is_the_most_trusted_sources() -> None:
    names = ("publisher", "funding", "txt", "chat", "liveItem", "value")
    one, two = (Show(tags=tuple(Tag(f"podcast:{name}", text) for name in names)) for text in ("1", "2"))
    assert {(tag.name, tag.text) for tag in merged(host=one, mirror=two).tags} == {
        (f"podcast:{name}", "1") for name in names if name != "value"
    }
    assert merged(host=Show(), mirror=two).tags == ()
    own = Channel("sea", "", "", tags=(Tag("podcast:funding", "own"),), passes_value=True)
    found = {tag.name: tag.text for tag in merged(own, host=one).tags}
    assert (found["podcast:value"], found["podcast:funding"]) == ("1", "own")


def test_a_live_item_is_there_while_it_lasts() -> None:
    start, end = (("start", "2024-05-01T10:00:00Z"), ("end", "2024-05-01T12:00:00Z"))
    live, endless = (Tag("podcast:liveItem", None, (("status", "live"), *given)) for given in ((start, end), (start,)))
    over = Tag("podcast:liveItem", None, (("status", "ended"), start, end))
    channel = Channel("sea", "", "", tags=(live, over, endless, Tag("podcast:chat")))
    at = datetime(2024, 5, 1, 13, tzinfo=UTC)
    during, until = drop_ended(channel, at)
    assert (during.tags, until) == ((live, endless, Tag("podcast:chat")), at + timedelta(hours=21))
    assert drop_ended(channel, at + timedelta(hours=21)) == (
        replace(channel, tags=(live, Tag("podcast:chat"))),
        at + timedelta(hours=23),
    )
    assert drop_ended(channel, at + timedelta(days=2))[0].tags == (Tag("podcast:chat"),)
