"""Each rule of the checklist with a document that breaks it, and sound documents in which nothing is found."""

from __future__ import annotations

import json
import re
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aggregator.validator.document import Served
from aggregator.validator.examine import RULES, examine
from aggregator.validator.rule import _PLACES

DATA = Path(__file__).parent / "data"
NOW = datetime(2025, 8, 5, 8, 0, tzinfo=UTC)
SOUND = {path.stem.removeprefix("sound_"): path.read_text("utf-8") for path in DATA.glob("sound_*")}


def cases(name: str) -> list[Any]:
    lines = (DATA / name).read_text("utf-8").splitlines()
    told = [json.loads(line) for line in lines]
    return [pytest.param(one, id=f"{one['rule']}: {one['comment']}") for one in told]


def changed(case: dict[str, Any]) -> bytes:
    sample = SOUND[case["sample"]]
    assert case["find"] in sample
    return sample.replace(case["find"], case["put"], 1).encode()


def rules(document: bytes) -> set[str]:
    return {finding.rule for finding in examine(document, NOW)[1]}


@pytest.mark.parametrize("sample", SOUND)
def test_nothing_is_found_in_a_sound_document(sample: str) -> None:
    assert examine(SOUND[sample].encode(), NOW) == ("rss" if sample == "blog" else sample, ())


def special(case: dict[str, Any]) -> bytes:
    """Three cases that one replacement cannot make."""
    document = changed(case)
    if case["rule"] == "format":
        return document.replace(b"</rss>", b"</r:RDF>")
    if case["rule"] == "small-document":
        return document.replace(b"water", b"water " * 40_000)
    if case["rule"] == "item-alike":
        later = document.replace(b"Fri, 01 Aug 2025 23:59:59 +0200", b"Mon, 04 Aug 2025 00:00:00 +0000")
        return later.replace(b"audio/x-m4a", b"audio/mp4").replace(b"1:02:03", b"35:35")
    return document


@pytest.mark.parametrize("case", cases("broken.jsonl"))
def test_a_broken_document_breaks_its_rule(case: dict[str, Any]) -> None:
    found = rules(special(case))
    assert case["rule"] in found
    assert found <= {case["rule"], *case["also"]}


@pytest.mark.parametrize("case", cases("sound.jsonl"))
def test_what_only_looks_broken_is_left_alone(case: dict[str, Any]) -> None:
    assert case["rule"] not in rules(changed(case))


def test_every_rule_has_a_document_that_breaks_it() -> None:
    broken = {json.loads(line)["rule"] for line in (DATA / "broken.jsonl").read_text("utf-8").splitlines()}
    assert {rule.name for rule in RULES if not rule.name.startswith("served-")} == broken


def test_what_only_directories_of_podcasts_demand_is_no_failure() -> None:
    """Apple's and PSP-1's elements, and forms that every XML parser reads: RSS 2.0 has no rule about them."""
    document = SOUND["rss"].replace(' encoding="UTF-8"', "").replace("<rss", "<!DOCTYPE rss><rss")
    for name in ("language", "itunes:explicit", "itunes:image", "itunes:category", "atom:link", "pubDate", "guid"):
        document = re.sub(rf"<{name}\b[^<>]*?(?:/>|>(?:(?!</{name}>).)*</{name}>)", "", document, flags=re.DOTALL)
    assert {finding.severity for finding in examine(document.encode(), NOW)[1]} == {"S"}


def test_names_are_unique_and_say_all() -> None:
    names = [rule.name for rule in RULES]
    assert sorted(set(names)) == sorted(names)
    assert all(rule.text and rule.specification and rule.severity in {"M", "S", "i"} for rule in RULES)


def test_the_gravest_come_first() -> None:
    document = (
        SOUND["rss"]
        .replace("<ttl>60", "<ttl>x")
        .replace("cover.png", "cover.webp")
        .replace("<copyright>", "<copyright>© ")
    )
    assert [finding.severity for finding in examine(document.encode(), NOW)[1]] == ["M", "S", "i"]


def test_where_is_told_by_place_and_guid() -> None:
    (finding,) = examine(SOUND["rss"].replace(">1536<", ">soon<").encode(), NOW)[1]
    assert finding.where == "item[1] weir-2"
    assert finding.what == "itunes:duration is 'soon', neither seconds nor hh:mm:ss"


@pytest.mark.parametrize(
    ("sample", "find", "put", "line"),
    [
        ("rss", ">1536<", ">soon<", 21),
        ("rss", "<ttl>60", "<ttl>soon", 11),
        ("rss", "<ttl>60</ttl>", "", None),
        ("rss", 'type="text/vtt"', 'type="vtt"', 35),
        ("rss", "  <channel>", "\n\n  <channel>", None),
        ("rss", "Canals, explained", "Canals & explained", 6),
        ("atom", "</updated>\n  <author>", "x</updated>\n  <author>", 2),
        ("json", '"title": "Lock & Weir",', '"title": "Lock & Weir"', 4),
        ("opml", 'type="rss" ', "", 6),
        ("opml", "Mon, 04 Aug", "Tue, 04 Aug", 3),
    ],
)
def test_the_line_is_told(sample: str, find: str, put: str, line: int | None) -> None:
    assert find in SOUND[sample]
    found = examine(SOUND[sample].replace(find, put, 1).encode(), NOW)[1]
    assert [finding.line for finding in found] == ([] if line is None else [line])


def test_white_space_before_the_document_counts_as_lines() -> None:
    ahead = "\n\n" + SOUND["rss"].replace("<ttl>60", "<ttl>soon")
    assert {(one.rule, one.line) for one in examine(ahead.encode(), NOW)[1]} >= {("rss-values", 13)}


def test_lines_are_counted_beyond_sixteen_bits() -> None:
    far = SOUND["rss"].replace("<item>", "\n" * 70_000 + "<item>", 1).replace(">1536<", ">soon<")
    assert [one.line for one in examine(far.encode(), NOW)[1]] == [70_022]


def test_many_places_are_summed_up() -> None:
    item = "<item><title>x</title></item>"
    document = SOUND["rss"].replace("</channel>", item * 100 + "</channel>")
    found = [finding for finding in examine(document.encode(), NOW)[1] if finding.rule == "item-guid"]
    assert len(found) == _PLACES + 1
    assert found[-1].what == "and in 80 more places"
    assert sum(finding.places for finding in found) == 100


@pytest.mark.parametrize(
    ("find", "put", "what"),
    [
        (
            'category text="Society &amp; Culture"',
            'category text="Gadgets"',
            "'Gadgets' is not in Apple's list: write 'Technology'",
        ),
        (
            'category text="Documentary"',
            'category text="Tech News"',
            "'Tech News' is not under 'Society & Culture': write 'News > Tech News'",
        ),
        (
            "Mon, 04 Aug 2025 08:00:00 GMT",
            "4 Aug 25 03:00 EST",
            "'4 Aug 25 03:00 EST': write 'Mon, 04 Aug 2025 03:00:00 -0500'",
        ),
        ("<itunes:explicit>false", "<itunes:explicit>clean", "itunes:explicit is 'clean': write false"),
        ('length="24576000" type="audio/mpeg"', 'length="24576000"', "enclosure has no type"),
        ('type="audio/mpeg"', 'type="audio/mp3"', "enclosure has the unusual type 'audio/mp3': write 'audio/mpeg'"),
    ],
)
def test_a_finding_says_what_to_write_instead(find: str, put: str, what: str) -> None:
    assert find in SOUND["rss"]
    assert what in [finding.what for finding in examine(SOUND["rss"].replace(find, put, 1).encode(), NOW)[1]]


OWN = "https://feeds.example.org/weir/"


@pytest.mark.parametrize(
    ("sample", "served"),
    [
        ("rss", Served(OWN + "podcast.xml", "application/rss+xml", "UTF-8")),
        ("atom", Served(OWN + "feed-archive-1.atom", "application/atom+xml", "utf-8")),
        ("json", Served(OWN + "feed.json", "application/feed+json")),
        ("opml", Served(OWN + "feeds.opml", "text/x-opml", "utf-8")),
    ],
)
def test_nothing_is_found_in_a_document_served_soundly(sample: str, served: Served) -> None:
    assert examine(SOUND[sample].encode(), NOW, served) == (sample, ())


@pytest.mark.parametrize(
    ("rule", "sample", "served"),
    [
        ("served-place", "rss", Served("https://elsewhere.example/", "application/rss+xml", "utf-8")),
        ("served-place", "atom", Served(OWN + "feed.atom", "application/atom+xml", "utf-8")),
        ("served-place", "json", Served(OWN + "feed.json?x", "application/feed+json")),
        ("served-type", "rss", Served(OWN + "podcast.xml", "text/html", "utf-8")),
        ("served-type", "json", Served(OWN + "feed.json", None)),
        ("served-own-type", "rss", Served(OWN + "podcast.xml", "text/xml", "utf-8")),
        ("served-own-type", "json", Served(OWN + "feed.json", "application/json")),
        ("served-charset", "rss", Served(OWN + "podcast.xml", "application/rss+xml")),
        ("served-charset", "atom", Served(OWN + "feed-archive-1.atom", "application/atom+xml", "iso-8859-1")),
        ("served-validators", "rss", Served(OWN + "podcast.xml", "application/rss+xml", "utf-8", validators=False)),
    ],
)
def test_a_document_served_otherwise_breaks_its_rule(rule: str, sample: str, served: Served) -> None:
    assert [finding.rule for finding in examine(SOUND[sample].encode(), NOW, served)[1]] == [rule]


def test_a_medium_that_is_read_needs_no_audio() -> None:
    document = SOUND["rss"].replace("<podcast:locked", "<podcast:medium>blog</podcast:medium><podcast:locked")
    bare = document.replace('<enclosure url="https://cdn.example.com/2.mp3" length="24576000" type="audio/mpeg"/>', "")
    assert rules(bare.encode()) == set()


def test_no_document_can_write_to_the_terminal() -> None:
    hostile = SOUND["json"].replace('"id": "weir-1"', '"id": "\\u001b[31m\\u009b2J", "url": null')
    for finding in examine(hostile.encode(), NOW)[1]:
        assert (finding.where + finding.what).isprintable()


@given(
    st.binary(max_size=300)
    | st.sampled_from(sorted(SOUND)).flatmap(
        lambda name: st.binary(max_size=3).map(lambda junk: junk + SOUND[name].encode()[:700] + junk)
    )
)
@settings(max_examples=100, deadline=None)
def test_it_never_raises(document: bytes) -> None:
    examine(document, NOW)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(
                st.sampled_from(["items", "id", "attachments", "authors", "_x", "date_published", "version", "url"]),
                inner,
            )
        ),
    )
)
@settings(max_examples=100, deadline=None)
def test_it_never_raises_on_json(value: Any) -> None:
    examine(json.dumps({"items": value, "title": value, "_x": value}).encode(), NOW)
    examine(json.dumps({"items": [], "version": value}).encode(), NOW)
    examine(json.dumps({"items": [value, {"attachments": value, "id": value}]}).encode(), NOW)


@pytest.mark.parametrize(
    ("find", "put"),
    [
        (">1536<", f">{'1' * 5000}<"),
        ('length="24576000"', f'length="{"1" * 5000}"'),
        ("04 Aug 2025 08:00:00 GMT", f"04 Aug {'9' * 20} 08:00:00 GMT"),
        ("08:00:00 GMT", f"08:00:00 +{'9' * 20}"),
    ],
)
def test_it_never_raises_on_large_numbers(find: str, put: str) -> None:
    assert find in SOUND["rss"]
    examine(SOUND["rss"].replace(find, put, 1).encode(), NOW)


def test_it_never_raises_on_deep_elements() -> None:
    deep = "<podcast:value>" * 1500 + "</podcast:value>" * 1500
    assert "podcast-valid" in rules(SOUND["rss"].replace("</item>", deep + "</item>", 1).encode())


def test_a_deep_document_takes_no_longer_than_a_flat_one() -> None:
    begun = time.process_time()
    assert "no-program-words" in rules(b"<a>None" * 2000 + b"</a>" * 2000)
    assert time.process_time() - begun < 2
