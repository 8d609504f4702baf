"""What a source may supply beside words: the table of docs/trust.md is that of the program, and it is obeyed."""

import re

import pytest
from msgspec.structs import replace

from aggregator.merger.reconciling.channel import complete_channel
from aggregator.merger.reconciling.items import reconcile
from aggregator.merger.reconciling.provenance import Weights
from aggregator.merger.reconciling.supply import FIELDS, TAGS
from aggregator.model.cluster import Cluster
from aggregator.model.elements import ELEMENTS
from aggregator.model.entry import Enclosure, Entry, Show, Tag
from aggregator.model.feed import Channel
from tests.support.paths import ROOT

DOCS = ROOT / "docs" / "trust.md"
ITEM = [name for name, shape in ELEMENTS.items() if "item" in shape.places]
HOST = Entry("host", "h", "Ferry timetables", enclosure=Enclosure("https://cdn.host.example/1.mp3"))
OTHER = Entry("other", "o", "Ferry timetables")
VALUES = {"image": "https://other.example/a.jpg", "author": "Somebody", "explicit": True, "summary": "Boats."}
VALUES |= {"episode_type": "trailer"}


def weights(other: float) -> Weights:
    return Weights({"host": 0.8, "other": other})


def test_the_docs_have_the_table_of_the_program() -> None:
    rows = re.findall(r"^\| ((?:`[\w:]+` ?)+)\| (owner|audio|any) \|$", DOCS.read_text(encoding="utf-8"), re.MULTILINE)
    told = {name: rank for names, rank in rows for name in re.findall(r"`([\w:]+)`", names)}
    assert told == {**FIELDS, **TAGS}
    assert set(ITEM) <= set(TAGS)


@pytest.mark.parametrize("name", ITEM)
@pytest.mark.parametrize(("trust", "rank"), [(0.2, "any"), (0.79, "any"), (0.8, "owner"), (0.9, "owner")])
def test_an_element_needs_the_rank_that_the_table_gives(name: str, trust: float, rank: str) -> None:
    tag = Tag(name, "said", (("url", "https://other.example/1"),))
    item = reconcile(Cluster((HOST, replace(OTHER, tags=(tag,)))), weights(trust))
    assert item.tags == ((tag,) if rank == "owner" or TAGS[name] == "any" else ())


def test_media_of_a_source_whose_audio_gave_way_is_not_passed_on() -> None:
    media, note = Tag("media:content", None, (("url", "https://host.example/1.mp4"),)), Tag("podcast:txt", "x")
    one, two = replace(HOST, tags=(media, note)), replace(OTHER, enclosure=Enclosure("https://b.example/1.mp3"))
    assert reconcile(Cluster((one, two)), weights(0.2)).tags == (media, note)
    assert reconcile(Cluster((one, two)), replace(weights(0.2), lost=frozenset({one.id}))).tags == (note,)


def test_elements_of_one_name_are_of_one_source_which_is_told() -> None:
    person, title, host = Tag("podcast:person", "Ann"), Tag("itunes:title", "Timetables"), Tag("podcast:person", "Jo")
    text = Tag("podcast:transcript", None, (("url", "https://other.example/1.vtt"), ("type", "text/vtt")))
    item = reconcile(Cluster((replace(HOST, tags=(title, host)), replace(OTHER, tags=(person, text)))), weights(0.8))
    assert item.tags == (title, host, text)
    known = {each.field: each.source for each in item.provenance}
    assert (known["tags"], known["tags podcast:transcript"]) == ("host", "other")


def test_media_and_pictures_are_not_mixed() -> None:
    thumbnail = Tag("media:thumbnail", None, (("url", "https://host.example/1.jpg"),))
    group = Tag("media:content", None, (("url", "https://other.example/1.mp4"),))
    old = Tag("podcast:images", None, (("srcset", "https://host.example/1.jpg 300w"),))
    new = Tag("podcast:image", None, (("href", "https://other.example/1.jpg"),))
    item = reconcile(Cluster((replace(HOST, tags=(thumbnail, old)), replace(OTHER, tags=(group, new)))), weights(0.8))
    assert item.tags == (thumbnail, old)


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("trust", [0.2, 0.8])
def test_a_field_needs_the_rank_that_the_table_gives(name: str, trust: float) -> None:
    item = reconcile(Cluster((HOST, replace(OTHER, **{name: VALUES[name]}))), weights(trust))
    assert getattr(item, name) == (VALUES[name] if trust == 0.8 or name not in FIELDS else None)


def test_an_item_without_audio_has_them_from_its_most_trusted_source() -> None:
    post = replace(HOST, enclosure=None, author="Ann Ferry")
    item = reconcile(Cluster((post, replace(OTHER, author="Somebody", image=VALUES["image"]))), weights(0.2))
    assert (item.author, item.image) == ("Ann Ferry", None)


def test_what_the_more_trusted_one_says_stands() -> None:
    mine = Tag("podcast:funding", "Give", (("url", "https://host.example/give"),))
    other = Tag("podcast:funding", "Give", (("url", "https://other.example/give"),))
    item = reconcile(Cluster((replace(HOST, tags=(mine,)), replace(OTHER, tags=(other,)))), weights(0.8))
    assert len(item.tags) == 1


@pytest.mark.parametrize("address", ["javascript:alert(1)", "ipfs://QmX33", "//other.example/a", "magnet:?xt=1"])
def test_an_address_is_of_the_web(address: str) -> None:
    inner = Tag("podcast:source", None, (("uri", address),))
    whole = Tag("podcast:source", None, (("uri", "https://host.example/a.ogg"),))
    media = Tag("podcast:alternateEnclosure", None, (("type", "audio/ogg"),), (inner, whole))
    chapters = Tag("podcast:chapters", None, (("url", address), ("type", "application/json+chapters")))
    item = reconcile(Cluster((replace(HOST, tags=(media, chapters)),)), weights(0.2))
    assert item.tags == (replace(media, children=(whole,)),)


@pytest.mark.parametrize(("trust", "given"), [(0.2, False), (0.8, True)])
def test_the_channel_has_them_from_the_most_trusted_source(trust: float, given: bool) -> None:  # noqa: FBT001
    other = Show(
        title="Ferries",
        description="All about ferries.",
        image="https://other.example/a.jpg",
        author="Somebody",
        explicit=True,
        tags=(Tag("podcast:license", "own"), Tag("podcast:podroll", None)),
    )
    channel = complete_channel(
        Channel("f", "F", ""), {"host": Show(title="F"), "other": other}, {"host": 0.8, "other": trust}
    )
    assert bool(channel.image and channel.explicit and channel.tags) is given
    assert channel.author == "Somebody"
    assert channel.description == "All about ferries."
