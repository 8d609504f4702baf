"""Elements of the podcast namespace: each that the table knows passes through as it is, each broken one does not."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from lxml import etree
from msgspec.structs import replace

from aggregator.generator.content import passed_tags
from aggregator.generator.content.prepared import prepare
from aggregator.generator.feed_files import render_files
from aggregator.generator.podcast import format_name
from aggregator.model.elements import ELEMENTS, Place
from aggregator.model.entry import Tag
from aggregator.model.feed import Feed
from aggregator.validator.examine import examine

DATA = Path(__file__).parent / "data"
GUID = "917393e3-1b1e-5cef-ace4-edaa54e1f810"
NOW = datetime(2030, 1, 1, tzinfo=UTC)


def tag(said: list[object]) -> Tag:
    """A tag as the data files write it: [name, text, {attribute: value}, [children]]."""
    name, text, attributes, children = [*said, *[None, None, {}, []][len(said) :]]
    assert isinstance(name, str)
    assert isinstance(attributes, dict)
    assert isinstance(children, list)
    return Tag(name, text if isinstance(text, str) else None, tuple(attributes.items()), tuple(map(tag, children)))


def lines(name: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in (DATA / name).read_text("utf-8").splitlines()]


SOUND = [tag(one["tag"]) for one in lines("tags_sound.jsonl")]  # type: ignore[arg-type] # lists by contract of the file
BROKEN = [pytest.param(tag(one["tag"]), one["place"], id=str(one["comment"])) for one in lines("tags_broken.jsonl")]  # type: ignore[arg-type] # the same


def back(element: etree._Element) -> Tag:
    """The tag that an element of a document is."""
    inside = tuple(back(child) for child in element)
    return Tag(
        format_name(element),
        None if inside else element.text,
        tuple((str(k), str(v)) for k, v in element.attrib.items()),
        inside,
    )


@pytest.mark.parametrize("place", ["channel", "item"])
def test_each_element_passes_through_as_it_is(harbour: Feed, place: Place) -> None:
    given = [one for one in SOUND if place in ELEMENTS[one.name].places and one.name not in OWN]
    channel = replace(harbour.channel, passes_value=True, tags=tuple(given) if place == "channel" else (), license=None)
    item = replace(
        harbour.items[0],
        title="Two of them",
        image=None,
        tags=tuple(given) if place == "item" else (),
        season=None,
        episode=None,
    )
    document = dict(render_files(prepare(replace(harbour, channel=channel, items=(item,)))))["podcast.xml"]
    top = etree.fromstring(document).find("channel" if place == "channel" else "channel/item")
    assert top is not None
    seen = [back(one) for one in top if format_name(one) in ELEMENTS]
    links = [one for one in seen if one.name == "atom:link" and ("rel", "payment") not in one.attributes]
    assert given == [one for one in seen if one.name not in OWN and one not in links]
    assert [one for one in examine(document, NOW)[1] if one.rule.startswith("podcast")] == []


# What the channel and the item write themselves.
OWN = frozenset(
    {"podcast:guid", "podcast:locked", "podcast:medium", "podcast:season", "podcast:episode"}
    | {name for name, rule in ELEMENTS.items() if not rule.places}
)


def test_every_element_of_the_table_has_a_sound_sample() -> None:
    assert {name for name, shape in ELEMENTS.items() if shape.places} == {one.name for one in SOUND}
    assert [fault for one in SOUND for fault in passed_tags.find_faults(one)] == []


@pytest.mark.parametrize(("given", "place"), BROKEN)
def test_a_broken_element_is_left_out(given: Tag, place: Place) -> None:
    assert passed_tags.make_rows((given,), place) == ()


@pytest.mark.parametrize("scheme", ["file", "FILE", "blob", "filesystem", "view-source", "javascript", "data", "jar"])
def test_an_address_that_is_no_place_on_the_web_is_left_out(scheme: str) -> None:
    hostile = f"{scheme}:///etc/passwd"
    tags = (
        Tag("podcast:contentLink", "read", (("href", hostile),)),
        Tag("podcast:socialInteract", None, (("protocol", "activitypub"), ("uri", hostile))),
        Tag(
            "podcast:alternateEnclosure",
            None,
            (("type", "audio/mpeg"),),
            (Tag("podcast:source", None, (("uri", hostile),)),),
        ),
    )
    assert passed_tags.make_rows(tags, "item") == ()


def test_no_element_has_a_login() -> None:
    source = ["podcast:source", None, {"uri": "https://me:word@cdn.example.com/2.opus"}]
    social = ["podcast:socialInteract", None, {"protocol": "activitypub", "uri": "https://me:word@a.example/1"}]
    given = (tag(["podcast:alternateEnclosure", None, {"type": "audio/opus"}, [source]]), tag(social))
    (_, _, _, ((_, _, sound, _),)), (_, _, attributes, _) = passed_tags.make_rows(given, "item")
    assert sound == {"uri": "https://cdn.example.com/2.opus"}
    assert attributes["uri"] == "https://a.example/1"


def test_what_is_odd_in_an_element_goes_and_the_element_stays() -> None:
    given = tag(["podcast:person", " Mo \n Lock ", {"role": "guest", "IMG": "x", "href": "not an address", "img": ""}])
    assert passed_tags.make_rows((given,), "item") == (("podcast:person", "Mo Lock", {"role": "guest"}, ()),)


def test_what_may_stand_once_stands_once() -> None:
    given = (tag(["podcast:guid", GUID]), tag(["podcast:guid", "00000000-0000-0000-0000-000000000000"]))
    assert passed_tags.make_rows(given, "channel") == (("podcast:guid", GUID, {}, ()),)


def test_the_same_element_twice_stands_once() -> None:
    person = tag(["podcast:person", "Mo Lock", {"role": "host"}])
    assert len(passed_tags.make_rows((person, person, replace(person, text="Val Sluice")), "item")) == 2


def test_broken_children_go_and_sound_ones_stay() -> None:
    source = ["podcast:source", None, {"uri": "https://cdn.example.com/2.opus"}]
    given = tag(
        ["podcast:alternateEnclosure", None, {"type": "audio/opus"}, [["podcast:source"], source, ["podcast:x"]]]
    )
    ((name, _, _, children),) = passed_tags.make_rows((given,), "item")
    assert (name, len(children)) == ("podcast:alternateEnclosure", 1)


@pytest.mark.parametrize(
    ("name", "said", "meant"),
    [
        ("podcast:chapters", "application/json", "application/json+chapters"),
        ("podcast:transcript", "application/srt", "application/x-subrip"),
        ("podcast:transcript", "text/SRT", "application/x-subrip"),
        ("podcast:transcript", "application/json", "application/json"),
    ],
)
def test_types_are_spelled_as_the_list_has_them(name: str, said: str, meant: str) -> None:
    given = tag([name, None, {"url": "https://weir.example.com/2", "type": said}])
    ((_, _, attributes, _),) = passed_tags.make_rows((given,), "item")
    assert attributes["type"] == meant


@pytest.mark.parametrize(
    ("name", "file", "said", "meant"),
    [
        ("podcast:transcript", "2.VTT?v=1", None, "text/vtt"),
        ("podcast:transcript", "2.srt", "captions", "application/x-subrip"),
        ("podcast:transcript", "2.json", "", "application/json"),
        ("podcast:transcript", "2.vtt", "text/plain", "text/plain"),
        ("podcast:chapters", "2.json#x", None, "application/json+chapters"),
        ("podcast:transcript", "2.srt/view", None, None),
        ("podcast:chapters", "2.vtt", "text/vtt", None),
    ],
)
def test_the_ending_of_a_file_says_its_type_where_nothing_else_does(
    name: str, file: str, said: str | None, meant: str | None
) -> None:
    given = tag([name, None, {"url": f"https://weir.example.com/{file}"} | ({} if said is None else {"type": said})])
    assert [row[2]["type"] for row in passed_tags.make_rows((given,), "item")] == ([meant] if meant else [])
